// SPDX-License-Identifier: Apache-2.0
/// Exact step counts of the fully time-independent gossip families that need few packets a node.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// Exact steps of the `zigzag` algorithm with k packets a node: ceil(k (P + 2) / 4) when the side
/// used as columns is 4, ceil(k (P + 6) / 4) when it is a larger multiple of 4; the smaller of the
/// two orientations. Empty where the family does not exist: it is for 2-D tori with one side a
/// multiple of 4 and the other an even number >= 4 (or >= 2 beside a 4).
/// k = 1: one or two steps above the lower bound. Source: spec/one-packet.md, section 2.
[[nodiscard]] std::optional<std::uint64_t> zigzag_steps(const Topology& topology,
                                                        std::uint64_t packets_per_node);

/// Exact steps of the `rows` algorithm with k packets a node: ceil(k (P + L + 2) / 4), L the
/// shorter side. Empty where the family does not exist: it is for 2-D tori with both sides odd, one
/// an odd multiple of the other. Source: spec/one-packet.md, section 3.
[[nodiscard]] std::optional<std::uint64_t> rows_steps(const Topology& topology,
                                                      std::uint64_t packets_per_node);

}  // namespace gossamer::bounds
