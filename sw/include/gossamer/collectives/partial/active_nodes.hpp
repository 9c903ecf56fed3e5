// SPDX-License-Identifier: Apache-2.0
/// Which nodes take part in a partial collective: the value of --active.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// `count` different nodes, ascending, all sets equally likely; the same for the same seed on every
/// platform. Requires count <= nodes.
[[nodiscard]] std::vector<NodeId> random_nodes(std::uint32_t nodes, std::uint32_t count,
                                               std::uint64_t seed);

/// Parses a set of nodes, ascending:
/// - `random:M:SEED`: random_nodes;
/// - `X,Y;X,Y;...`: coordinates, as many as there are dimensions;
/// - anything else: a file with one node a line in the same form (blanks around, empty lines and
///   lines that begin with # are ignored).
/// Throws InputError that begins with `option` for anything else, a node outside the topology or
/// one that is named twice.
[[nodiscard]] std::vector<NodeId> parse_active(const Topology& topology, std::string_view text,
                                               std::string_view option);

/// Parses packets per node of a line: `3,0,1,...`, one number a node, or `random:K:SEED`: K
/// packets, each at a node of its own choice. Throws InputError.
[[nodiscard]] std::vector<std::uint32_t> parse_counts(const Topology& topology,
                                                      std::string_view text);

}  // namespace gossamer
