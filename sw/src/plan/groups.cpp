// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "gossamer/plan/member_displacement.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

std::string dimension_name(int dim) {
  std::string name = port_name(make_port(dim, true));
  name.pop_back();
  return name;
}

std::uint64_t Groups::members() const {
  std::uint64_t product = 1;
  for (const std::uint32_t side : shape) product *= side;
  return product;
}

std::uint32_t Groups::longest_stride() const {
  return *std::max_element(stride.begin(), stride.end());
}

std::vector<int> Groups::axes() const {
  std::vector<int> dims;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) dims.push_back(static_cast<int>(i));
  }
  return dims;
}

bool is_closed(const Topology& topology, const Groups& groups, int dim) {
  const auto i = static_cast<std::size_t>(dim);
  return topology.wraps(dim) && groups.shape[i] * groups.stride[i] == topology.side(dim);
}

bool has_closed_axes(const Topology& topology, const Groups& groups) {
  const std::vector<int> axes = groups.axes();
  return std::all_of(axes.begin(), axes.end(),
                     [&](int dim) { return is_closed(topology, groups, dim); });
}

NodeId displaced_member(const Topology& topology, const Groups& groups, NodeId node, NodeId by) {
  Coordinates at = topology.coordinates(node);
  for (std::size_t i = 0; i < groups.shape.size(); ++i) {
    const std::uint32_t size = groups.shape[i];
    const std::uint32_t stride = groups.stride[i];
    const std::uint32_t member = at[i] / stride % size;
    at[i] += (member + by % size) % size * stride;
    at[i] -= member * stride;
    by /= size;
  }
  return topology.node(at);
}

GroupPiece in_one_group(const Topology& topology, const Demand& demand, NodeId node,
                        PacketId piece) {
  const Groups& groups = *demand.groups;
  const auto rank = [&](std::uint64_t of) {
    const Coordinates at = topology.coordinates(static_cast<NodeId>(of));
    std::uint64_t number = 0;
    for (std::size_t i = groups.shape.size(); i-- > 0;) {
      number = number * groups.shape[i] + at[i] / groups.stride[i] % groups.shape[i];
    }
    return number;
  };
  const std::uint64_t members = groups.members();
  const std::uint64_t each = demand.combines() ? demand.pieces / members : demand.pieces;
  const std::uint64_t place = piece / each;
  const std::uint64_t nodes = topology.nodes();
  const std::uint64_t in_group =
      demand.is_personal() ? rank(place / nodes) * members + rank(place % nodes) : rank(place);
  return {static_cast<NodeId>(rank(node)), in_group * each + piece % each};
}

std::string group_defect(const Topology& topology, const Groups& groups) {
  const auto dimensions = static_cast<std::size_t>(topology.dimensions());
  if (groups.shape.size() != dimensions || groups.stride.size() != dimensions) {
    return fmt::format("shape and stride need {} numbers each", dimensions);
  }
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    const std::uint64_t size = groups.shape[i];
    const std::uint64_t stride = groups.stride[i];
    if (size == 0 || stride == 0) return "a shape or stride of 0 is impossible";
    if (size == 1 && stride != 1) return "a stride requires more than one member";
    if (topology.side(dim) % (size * stride) == 0) continue;
    return fmt::format("{} times stride {} does not divide side {} ({})", size, stride,
                       topology.side(dim), dimension_name(dim));
  }
  if (groups.axes().empty()) return "groups need at least two nodes";
  if (!topology.is_healthy()) return "the network has faults";
  return {};
}

Topology group_network(const Topology& topology, const Groups& groups) {
  std::vector<std::uint32_t> sides;
  std::uint32_t wrap = 0;
  for (const int dim : groups.axes()) {
    if (is_closed(topology, groups, dim)) wrap |= 1U << sides.size();
    sides.push_back(groups.shape[static_cast<std::size_t>(dim)]);
  }
  return Topology::grid(sides, wrap);
}

std::string member_text(const Groups& groups, NodeId rank) {
  std::vector<std::uint32_t> at;
  for (const std::uint32_t side : groups.shape) {
    at.push_back(rank % side);
    rank /= side;
  }
  return joined(at, ",");
}

GroupLayout::GroupLayout(const Topology& topology, const std::optional<Groups>& groups)
    : members_(topology.nodes()) {
  if (!groups) return;
  if (const std::string defect = group_defect(topology, *groups); !defect.empty()) {
    throw std::logic_error("groups: " + defect);
  }
  members_ = static_cast<NodeId>(groups->members());
  groups_ = topology.nodes() / members_;
  group_.resize(topology.nodes());
  rank_.resize(topology.nodes());
  node_.resize(topology.nodes());
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    NodeId group = 0;
    NodeId rank = 0;
    NodeId rank_weight = 1;
    NodeId group_weight = 1;
    for (std::size_t i = 0; i < groups->shape.size(); ++i) {
      const std::uint32_t size = groups->shape[i];
      const std::uint32_t stride = groups->stride[i];
      const std::uint32_t x = walk.coordinates()[i];
      rank += rank_weight * (x / stride % size);
      group += group_weight * (x / (stride * size) * stride + x % stride);
      rank_weight *= size;
      group_weight *= topology.side(static_cast<int>(i)) / size;
    }
    group_[walk.node()] = group;
    rank_[walk.node()] = rank;
    node_[std::size_t{group} * members_ + rank] = walk.node();
  }
}

bool leads_out(const Topology& topology, const GroupLayout& layout, NodeId node, Port port) {
  const NodeId to = topology.neighbor(node, port);
  return to == kNoNode || layout.group(to) != layout.group(node);
}

}  // namespace gossamer
