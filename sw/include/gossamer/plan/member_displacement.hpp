// SPDX-License-Identifier: Apache-2.0
/// Translations of groups: members relative to one another.
#pragma once

#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/groups.hpp"

namespace gossamer {

/// Whether members form rings along all axes of the groups. Translations of the network along these
/// axes then map groups to groups.
[[nodiscard]] bool has_closed_axes(const Topology& topology, const Groups& groups);

/// The member of the node's group whose position relative to `node` is that of rank `by` relative
/// to rank 0; member coordinates are taken modulo the shape.
[[nodiscard]] NodeId displaced_member(const Topology& topology, const Groups& groups, NodeId node,
                                      NodeId by);

/// A node and a piece where the node's group is all there is: its rank, and the piece's number in
/// the demand of one group. `piece` belongs to a node: it is copied from every node, or has an
/// owner.
struct GroupPiece {
  NodeId rank = 0;
  PacketId piece = 0;
};
[[nodiscard]] GroupPiece in_one_group(const Topology& topology, const Demand& demand, NodeId node,
                                      PacketId piece);

}  // namespace gossamer
