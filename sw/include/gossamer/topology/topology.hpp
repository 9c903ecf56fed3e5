// SPDX-License-Identifier: Apache-2.0
/// The shape of the network: sides, wraparound, node ids, links.
///
/// Node id = x + nx * (y + ny * (z + ...)): dimension 0 fastest. Wraparound is a property of each
/// dimension; a torus wraps in all of them, a mesh in none. A wrapping side of 2 has two parallel
/// links between its two nodes, which the ports keep apart.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/topology/port.hpp"

namespace gossamer {

/// A node number, 0 .. nodes()-1.
using NodeId = std::uint32_t;
/// A directed link: from * ports + out-port. 64-bit in counts, 32-bit in storage.
using LinkId = std::uint32_t;
/// "There is no such node", e.g. beyond the border of a mesh.
inline constexpr NodeId kNoNode = ~NodeId{0};
/// "There is no such link."
inline constexpr LinkId kNoLink = ~LinkId{0};
/// The coordinates of a node; entries from dimensions() on are 0.
using Coordinates = std::array<std::uint32_t, kMaxDimensions>;

/// The smallest and largest side, and the most nodes, that a topology may have.
inline constexpr std::uint32_t kMinSide = 2;
inline constexpr std::uint32_t kMaxSide = 65535;
inline constexpr std::uint64_t kMaxNodes = std::uint64_t{1} << 27;

class Topology {
 public:
  /// A torus or a mesh with the given sides, dimension 0 first.
  /// Throws InputError when there are no sides or more than kMaxDimensions, a side outside
  /// kMinSide..kMaxSide, or more than kMaxNodes nodes.
  [[nodiscard]] static Topology torus(std::span<const std::uint32_t> sides);
  [[nodiscard]] static Topology mesh(std::span<const std::uint32_t> sides);
  /// kind is "torus" or "mesh"; InputError otherwise.
  [[nodiscard]] static Topology make(std::string_view kind, std::span<const std::uint32_t> sides);

  [[nodiscard]] int dimensions() const { return static_cast<int>(sides_.size()); }
  /// Ports of every router, 2d; at the border of a mesh some lead nowhere.
  [[nodiscard]] int ports() const { return 2 * dimensions(); }
  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<std::uint32_t>& sides() const { return sides_; }
  [[nodiscard]] std::uint32_t side(int dim) const { return sides_[static_cast<std::size_t>(dim)]; }
  [[nodiscard]] bool wraps(int) const { return wraps_; }
  [[nodiscard]] bool is_torus() const { return wraps_; }
  /// "torus" or "mesh".
  [[nodiscard]] std::string_view kind() const { return wraps_ ? "torus" : "mesh"; }
  /// "16x8".
  [[nodiscard]] std::string dims_text() const;

  /// Number of slots in a per-link array, nodes * ports (border slots of a mesh included).
  [[nodiscard]] std::uint64_t link_slots() const {
    return std::uint64_t{nodes_} * static_cast<std::uint64_t>(ports());
  }
  /// Number of directed links that exist.
  [[nodiscard]] std::uint64_t links() const;

  [[nodiscard]] Coordinates coordinates(NodeId node) const;
  [[nodiscard]] NodeId node(const Coordinates& coordinates) const;
  /// Node-id distance of two nodes that differ by one in dimension dim.
  [[nodiscard]] std::uint32_t stride(int dim) const {
    return strides_[static_cast<std::size_t>(dim)];
  }
  /// The neighbour in direction `port`, or kNoNode beyond the border of a mesh.
  [[nodiscard]] NodeId neighbor(NodeId node, Port port) const;
  /// Hops of a shortest path.
  [[nodiscard]] std::uint32_t distance(NodeId from, NodeId to) const;
  /// The largest distance between two nodes.
  [[nodiscard]] std::uint64_t diameter() const;
  /// Number of neighbours' links that enter `node` (2d inside, fewer at a mesh's border).
  [[nodiscard]] int degree(NodeId node) const;

  [[nodiscard]] LinkId link(NodeId from, Port out_port) const {
    return from * static_cast<LinkId>(ports()) + out_port;
  }
  /// The link that enters `node` by in-port `in_port`, or kNoLink at the border of a mesh.
  [[nodiscard]] LinkId link_into(NodeId node, Port in_port) const {
    const NodeId from = neighbor(node, in_port);
    return from == kNoNode ? kNoLink : link(from, opposite(in_port));
  }
  [[nodiscard]] NodeId link_from(LinkId link) const { return link / static_cast<LinkId>(ports()); }
  [[nodiscard]] Port link_port(LinkId link) const {
    return static_cast<Port>(link % static_cast<LinkId>(ports()));
  }

  bool operator==(const Topology&) const = default;

 private:
  Topology(std::span<const std::uint32_t> sides, bool wraps);

  std::vector<std::uint32_t> sides_;
  std::vector<std::uint32_t> strides_;
  std::uint32_t nodes_ = 0;
  bool wraps_ = true;
};

/// Walks all nodes in id order and keeps their coordinates without a division a node.
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
  /// Topology::neighbor of the current node, from the coordinates at hand.
  [[nodiscard]] NodeId neighbor(Port port) const {
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

}  // namespace gossamer
