// SPDX-License-Identifier: Apache-2.0
/// Exact step counts of the fully time-independent all-gather families with few packets per node.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// Exact steps of the `zigzag` algorithm with k packets per node: ceil(k (P + 2) / 4) when the side
/// used as columns is 4, ceil(k (P + 6) / 4) when it is a larger multiple of 4. The smaller of the
/// two orientations counts. Empty where the family does not exist. It exists on 2-D tori with one
/// side a multiple of 4 and the other an even number >= 4 (or >= 2 next to a side of 4). k = 1: one
/// or two steps above the lower bound. Source: docs/spec/one-packet.md, section 2.
[[nodiscard]] std::optional<std::uint64_t> zigzag_steps(const Topology& topology,
                                                        std::uint64_t packets_per_node);

/// Exact steps of the `rows` algorithm with k packets per node: ceil(k (P + L + 2) / 4), L the
/// shorter side. Empty where the family does not exist. It exists on 2-D tori with both sides odd,
/// one an odd multiple of the other. Source: docs/spec/one-packet.md, section 3.
[[nodiscard]] std::optional<std::uint64_t> rows_steps(const Topology& topology,
                                                      std::uint64_t packets_per_node);

/// Position of the regular case of the `strands` algorithm on a 2-D torus.
struct RegularStrands {
  /// Dimension that the strands climb.
  int vertical = 0;
  /// g: the nodes of class 0 of (x + y) mod g step sideways, all others upwards.
  std::uint32_t period = 0;
};

/// The regular case where it exists: 2-D tori with a g >= 2 that divides R and C and satisfies
/// gcd(R / g, (g - 1) C / g) = 4, where R is the side climbed. The smallest such g is used, the
/// longer side first. The strands then close into exactly four cycles of P/4 nodes. Source:
/// docs/spec/one-packet.md, section 5 (for R = 4 g); docs/algorithms/one-packet.md.
[[nodiscard]] std::optional<RegularStrands> regular_strands(const Topology& topology);

/// Exact steps of the regular case with k packets per node: k (P/4 + 2), where P/4 is the lower
/// bound for k = 1. Empty where there is no regular case. Source: docs/algorithms/one-packet.md.
[[nodiscard]] std::optional<std::uint64_t> regular_strands_steps(const Topology& topology,
                                                                 std::uint64_t packets_per_node);

}  // namespace gossamer::bounds
