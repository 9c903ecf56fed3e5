// SPDX-License-Identifier: Apache-2.0
/// Node numbers of networks with equal sides, in rotated orders of the dimensions.
#pragma once

#include <string_view>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The common side p of all dimensions. Throws InfeasibleError, beginning with `who`, when they
/// differ, since the rotated orders of the classes require equal sides.
[[nodiscard]] std::uint32_t equal_side(const Topology& topology, std::string_view who);

/// Number of `node` in the order of class `class_index`: its digits, dimension c least significant
/// (the id rotated right by c; Varvarigos & Bertsekas, footnote 2, with a cyclic shift).
/// Requires equal sides.
[[nodiscard]] NodeId rotated_id(const Topology& topology, NodeId node, int class_index);
/// The inverse of rotated_id.
[[nodiscard]] NodeId rotated_node(const Topology& topology, NodeId id, int class_index);

}  // namespace gossamer
