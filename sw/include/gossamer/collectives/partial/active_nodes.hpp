// SPDX-License-Identifier: Apache-2.0
/// The active nodes of a partial collective: the value of --active.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// `count` different nodes, ascending, drawn uniformly from all such sets. The same seed gives the
/// same nodes on every platform. Requires count <= nodes.
[[nodiscard]] std::vector<NodeId> random_nodes(std::uint32_t nodes, std::uint32_t count,
                                               std::uint64_t seed);

/// Parses a set of nodes, ascending:
/// - `random:M:SEED`: random_nodes;
/// - `X,Y;X,Y;...`: coordinates, one per dimension;
/// - anything else: a file with one node per line in the same form (surrounding blanks, empty lines
///   and lines that begin with # are ignored).
/// Throws InputError with a message that begins with `option` for malformed text, a node outside
/// the topology, or a node that occurs twice.
[[nodiscard]] std::vector<NodeId> parse_active(const Topology& topology, std::string_view text,
                                               std::string_view option);

/// Parses packets per node of a line: `3,0,1,...`, one number per node, or `random:K:SEED`: K
/// packets, each at a random node. Throws InputError.
[[nodiscard]] std::vector<std::uint32_t> parse_counts(const Topology& topology,
                                                      std::string_view text);

}  // namespace gossamer
