// SPDX-License-Identifier: Apache-2.0
/// The shape of the network: sides, wraparound, node ids, links.
///
/// Node id = x + nx * (y + ny * (z + ...)): dimension 0 varies fastest. Wraparound is a property of
/// each dimension. A torus wraps in all dimensions, a mesh in none, and a grid in some. A wrapping
/// side of 2 has two parallel links between its two nodes, distinguished by their ports. A side of
/// 1 has no links, and its ports are unconnected.
///
/// Nodes, cores and links can be dead (topology/faults.hpp). Faults are part of the shape, so all
/// code that uses a topology avoids them. Links may be slower than others
/// (topology/link_periods.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/topology/faults.hpp"
#include "gossamer/topology/link_periods.hpp"
#include "gossamer/topology/port.hpp"

namespace gossamer {

/// No node, e.g. beyond the border of a mesh.
inline constexpr NodeId kNoNode = ~NodeId{0};
/// No link.
inline constexpr LinkId kNoLink = ~LinkId{0};
/// The coordinates of a node; entries from dimensions() on are 0.
using Coordinates = std::array<std::uint32_t, kMaxDimensions>;

/// The smallest and largest side, and the largest number of nodes, of a topology.
inline constexpr std::uint32_t kMinSide = 1;
inline constexpr std::uint32_t kMaxSide = 65535;
inline constexpr std::uint64_t kMaxNodes = std::uint64_t{1} << 27;

class Topology {
 public:
  /// A torus or a mesh with the given sides, dimension 0 first.
  /// Throws InputError when there are no sides or more than kMaxDimensions, a side outside
  /// kMinSide..kMaxSide, only sides of 1, or more than kMaxNodes nodes.
  [[nodiscard]] static Topology torus(std::span<const std::uint32_t> sides);
  [[nodiscard]] static Topology mesh(std::span<const std::uint32_t> sides);
  /// Dimensions whose bit is set in `wrap` wrap, the others do not; errors as above.
  [[nodiscard]] static Topology grid(std::span<const std::uint32_t> sides, std::uint32_t wrap);
  /// kind is "torus" or "mesh"; InputError otherwise.
  [[nodiscard]] static Topology make(std::string_view kind, std::span<const std::uint32_t> sides);

  /// The same network with these faults and no others. They are sorted as Faults requires. Faults
  /// implied by a dead node are dropped, and two dead arcs of a link become a dead link. Throws
  /// InputError for a node or link that does not exist, a node listed as dead and as having a dead
  /// core, and when fewer than two nodes with a live core remain.
  [[nodiscard]] Topology with_faults(Faults faults) const;
  /// The same network without faults.
  [[nodiscard]] Topology healthy() const;
  [[nodiscard]] const Faults& faults() const { return faults_; }
  [[nodiscard]] bool is_healthy() const { return faults_.empty(); }

  /// The same network with links of these periods. Throws InputError for other numbers of axes than
  /// dimensions(), chiplets that do not divide the sides, periods outside 1..kMaxLinkPeriod, and
  /// where the periods of all links are equal or have a common divisor: periods must be the least
  /// integers in their proportions, and a network with equal links has no LinkPeriods.
  [[nodiscard]] Topology with_link_periods(LinkPeriods periods) const;
  /// The same network; every link takes one step per transfer.
  [[nodiscard]] Topology with_equal_links() const;
  /// Every link takes one step per transfer.
  [[nodiscard]] bool has_equal_links() const { return periods_.inside.empty(); }
  /// Empty lists if has_equal_links().
  [[nodiscard]] const LinkPeriods& link_periods() const { return periods_; }
  /// Steps of a transfer over the link, which need not exist; 1 if has_equal_links().
  [[nodiscard]] std::uint32_t period(NodeId from, Port out_port) const;
  /// True if the link, which need not exist, leads to another chiplet of link_periods().
  [[nodiscard]] bool crosses_dies(NodeId from, Port out_port) const;
  /// The largest period of a link.
  [[nodiscard]] std::uint32_t slowest_period() const;

  [[nodiscard]] int dimensions() const { return static_cast<int>(sides_.size()); }
  /// Ports of every router, 2d; at the border of a mesh some are unconnected.
  [[nodiscard]] int ports() const { return 2 * dimensions(); }
  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<std::uint32_t>& sides() const { return sides_; }
  [[nodiscard]] std::uint32_t side(int dim) const { return sides_[static_cast<std::size_t>(dim)]; }
  /// True when the dimension has a link from its last coordinate to its first; never true for a
  /// side of 1.
  [[nodiscard]] bool wraps(int dim) const { return ((wrap_ >> dim) & 1U) != 0 && side(dim) > 1; }
  /// True if all dimensions (for a mesh: no dimensions) were requested to wrap, regardless of
  /// faults.
  [[nodiscard]] bool is_torus() const { return wrap_ == (1U << sides_.size()) - 1; }
  [[nodiscard]] bool is_mesh() const { return wrap_ == 0; }
  /// True if every router has live links at the same ports, to nodes at the same offsets, with the
  /// same periods: no faults, no axis of two periods, and all dimensions of more than one node
  /// wrap.
  [[nodiscard]] bool routers_are_alike() const;
  /// The dimensions that were requested to wrap, one bit each.
  [[nodiscard]] std::uint32_t wrap() const { return wrap_; }
  /// "torus", "mesh", or "grid" when some dimensions wrap and others do not.
  [[nodiscard]] std::string_view kind() const {
    return is_torus() ? "torus" : is_mesh() ? "mesh" : "grid";
  }
  /// The names of the dimensions that were requested to wrap: "x", "z".
  [[nodiscard]] std::vector<std::string> wrap_names() const;
  /// "16x8".
  [[nodiscard]] std::string dims_text() const;

  /// Number of slots in a per-link array, nodes * ports (border slots of a mesh included).
  [[nodiscard]] std::uint64_t link_slots() const {
    return std::uint64_t{nodes_} * static_cast<std::uint64_t>(ports());
  }
  /// Number of directed links that exist and are alive.
  [[nodiscard]] std::uint64_t links() const;

  [[nodiscard]] Coordinates coordinates(NodeId node) const;
  [[nodiscard]] NodeId node(const Coordinates& coordinates) const;
  /// Node-id distance of two nodes that differ by one in dimension dim.
  [[nodiscard]] std::uint32_t stride(int dim) const {
    return strides_[static_cast<std::size_t>(dim)];
  }
  /// The node at the end of the live link that leaves by `out_port`; kNoNode beyond a border and
  /// where the link is dead.
  [[nodiscard]] NodeId neighbor(NodeId node, Port out_port) const;
  /// The node at the start of the live link that enters by `in_port`; kNoNode without a link.
  /// Differs from neighbor() only where one direction of a link is dead.
  [[nodiscard]] NodeId sender(NodeId node, Port in_port) const;
  /// The node in direction `port`, dead or alive; kNoNode beyond a border.
  [[nodiscard]] NodeId beyond(NodeId node, Port port) const;
  /// Hops of a shortest path, ignoring faults.
  [[nodiscard]] std::uint32_t distance(NodeId from, NodeId to) const;
  /// The largest distance between two nodes, ignoring faults.
  [[nodiscard]] std::uint64_t diameter() const;
  /// Number of live links that enter `node` (2d inside, fewer at a border or next to faults).
  [[nodiscard]] int degree(NodeId node) const;

  /// The router of the node is alive.
  [[nodiscard]] bool is_live(NodeId node) const;
  /// The node's core and router are alive: it has packets and requires some.
  [[nodiscard]] bool has_core(NodeId node) const;
  /// Nodes whose router is alive.
  [[nodiscard]] std::uint32_t live_nodes() const {
    return nodes_ - static_cast<std::uint32_t>(faults_.dead_nodes.size());
  }
  /// Nodes with a live core.
  [[nodiscard]] std::uint32_t cores() const {
    return live_nodes() - static_cast<std::uint32_t>(faults_.dead_cores.size());
  }
  /// False for a link that exists but is dead, on its own or because of a node at its end.
  [[nodiscard]] bool is_live_arc(NodeId from, NodeId to, Port out_port) const;

  [[nodiscard]] LinkId link(NodeId from, Port out_port) const {
    return from * static_cast<LinkId>(ports()) + out_port;
  }
  /// The live link that enters `node` by input port `in_port`; kNoLink if there is none.
  [[nodiscard]] LinkId link_into(NodeId node, Port in_port) const {
    const NodeId from = sender(node, in_port);
    return from == kNoNode ? kNoLink : link(from, opposite(in_port));
  }
  [[nodiscard]] NodeId link_from(LinkId link) const { return link / static_cast<LinkId>(ports()); }
  [[nodiscard]] Port link_port(LinkId link) const {
    return static_cast<Port>(link % static_cast<LinkId>(ports()));
  }

  bool operator==(const Topology&) const = default;

 private:
  Topology(std::span<const std::uint32_t> sides, std::uint32_t wrap);

  std::vector<std::uint32_t> sides_;
  std::vector<std::uint32_t> strides_;
  std::uint32_t nodes_ = 0;
  std::uint32_t wrap_ = 0;
  Faults faults_;
  LinkPeriods periods_;
};

/// By link slot, Topology::period of the link; 1 for links that do not exist.
[[nodiscard]] std::vector<std::uint32_t> periods_by_link(const Topology& topology);

/// Walks all nodes in id order and updates their coordinates without a division per node.
class NodeWalk {
 public:
  explicit NodeWalk(const Topology& topology) : topology_(&topology) {}
  [[nodiscard]] NodeId node() const { return node_; }
  [[nodiscard]] const Coordinates& coordinates() const { return coordinates_; }
  [[nodiscard]] bool done() const { return node_ >= topology_->nodes(); }
  void next() {
    ++node_;
    for (int dim = 0; dim < topology_->dimensions(); ++dim) {
      if (++coordinates_[static_cast<std::size_t>(dim)] < topology_->side(dim)) return;
      coordinates_[static_cast<std::size_t>(dim)] = 0;
    }
  }
  /// Topology::neighbor and sender of the current node, from the current coordinates.
  [[nodiscard]] NodeId neighbor(Port out_port) const {
    const NodeId to = beyond(out_port);
    const bool alive =
        topology_->is_healthy() || to == kNoNode || topology_->is_live_arc(node_, to, out_port);
    return alive ? to : kNoNode;
  }
  [[nodiscard]] NodeId sender(Port in_port) const {
    const NodeId from = beyond(in_port);
    const bool alive = topology_->is_healthy() || from == kNoNode ||
                       topology_->is_live_arc(from, node_, opposite(in_port));
    return alive ? from : kNoNode;
  }
  /// Topology::beyond.
  [[nodiscard]] NodeId beyond(Port port) const {
    const int dim = dimension_of(port);
    const std::uint32_t at = coordinates_[static_cast<std::size_t>(dim)];
    const std::uint32_t last = topology_->side(dim) - 1;
    const std::uint32_t stride = topology_->stride(dim);
    if (is_positive(port)) {
      if (at < last) return node_ + stride;
      return topology_->wraps(dim) ? node_ - last * stride : kNoNode;
    }
    if (at > 0) return node_ - stride;
    return topology_->wraps(dim) ? node_ + last * stride : kNoNode;
  }

 private:
  const Topology* topology_;
  Coordinates coordinates_{};
  NodeId node_ = 0;
};

/// The healthy network without its sides of 1, which keeps all node ids, and without dimension
/// `dropped`; -1: none. Some side must remain. Without a dropped dimension, links keep their
/// periods; otherwise all are equal.
[[nodiscard]] Topology narrowed(const Topology& topology, int dropped = -1);

}  // namespace gossamer
