// SPDX-License-Identifier: Apache-2.0
/// Groups of nodes: a partition of a network into equal boxes of members.
///
/// Coordinate x_i of a node is (c_i g_i + j_i) s_i + r_i, with shape g and stride s. Nodes whose c
/// and r agree are one group, and the j_i are the member coordinates in it. The product g_i s_i
/// divides side i.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// "x", "y", ...
[[nodiscard]] std::string dimension_name(int dim);

struct Groups {
  /// By dimension, members of a group along it.
  std::vector<std::uint32_t> shape;
  /// By dimension, the hops between neighbouring members; 1 where the shape is 1.
  std::vector<std::uint32_t> stride;
  /// Words of an all-reduce are numbered by the node whose block contains them: node * k + c. If
  /// false, by group: group * words + j.
  bool ids_by_node = false;

  /// Nodes of each group.
  [[nodiscard]] std::uint64_t members() const;
  /// The largest stride.
  [[nodiscard]] std::uint32_t longest_stride() const;
  /// The dimensions along which a group has more than one member.
  [[nodiscard]] std::vector<int> axes() const;

  bool operator==(const Groups&) const = default;
};

/// Whether members along the dimension form a ring: the last member's next member is the first.
[[nodiscard]] bool is_closed(const Topology& topology, const Groups& groups, int dim);

/// Why the network cannot be divided into these groups; empty if it can.
[[nodiscard]] std::string group_defect(const Topology& topology, const Groups& groups);

/// The network of one group: its axes, in their order. A node's id is the member's rank.
[[nodiscard]] Topology group_network(const Topology& topology, const Groups& groups);

/// Member coordinates of a rank, one for each dimension: "3,0".
[[nodiscard]] std::string member_text(const Groups& groups, NodeId rank);

/// The group and rank of each node. Without groups all nodes are in group 0, and ranks are node
/// ids.
class GroupLayout {
 public:
  /// Throws std::logic_error for groups with a defect.
  GroupLayout(const Topology& topology, const std::optional<Groups>& groups);

  [[nodiscard]] NodeId groups() const { return groups_; }
  [[nodiscard]] NodeId members() const { return members_; }
  [[nodiscard]] NodeId group(NodeId node) const { return group_.empty() ? 0 : group_[node]; }
  [[nodiscard]] NodeId rank(NodeId node) const { return rank_.empty() ? node : rank_[node]; }
  [[nodiscard]] NodeId node(NodeId group, NodeId rank) const {
    return node_.empty() ? rank : node_[std::size_t{group} * members_ + rank];
  }

 private:
  NodeId groups_ = 1;
  NodeId members_;
  std::vector<NodeId> group_;
  std::vector<NodeId> rank_;
  /// By group and rank.
  std::vector<NodeId> node_;
};

/// The output port leads out of the node's group, or out of the network.
[[nodiscard]] bool leads_out(const Topology& topology, const GroupLayout& layout, NodeId node,
                             Port port);

}  // namespace gossamer
