// SPDX-License-Identifier: Apache-2.0
/// The directed link cycles of a port table whose entries have feeds and preloads. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

inline constexpr std::uint8_t kNoRing = 0xFF;

/// The directed link cycles of a `Table` (plan/port_table.hpp), if that is all it has.
template <typename Table>
class LinkRings {
 public:
  LinkRings(const Topology& topology, const Table& program)
      : topology_(topology),
        program_(program),
        nodes_(topology.nodes()),
        length_(topology.live_nodes()),
        ring_of_(topology.link_slots(), kNoRing) {}

  /// False when some link that is not idle is on no Hamiltonian cycle with lists of one length.
  bool find() {
    for (NodeId node = 0; node < nodes_; ++node) {
      for (const Port port : all_ports(topology_.ports())) {
        const auto& at = program_.at(node, port);
        const bool idle = at.feed.empty() && at.preload.empty() && never_switches(at);
        if (idle || ring_of_[topology_.link(node, port)] != kNoRing) continue;
        if (!follow(node, port)) return false;
      }
    }
    find_reverses();
    return true;
  }

  [[nodiscard]] std::size_t rings() const { return first_.size(); }
  /// The ring of a link, kNoRing when it is idle.
  [[nodiscard]] std::uint8_t ring(NodeId node, Port port) const {
    return ring_of_[topology_.link(node, port)];
  }
  /// Packets in each node's list on the ring; 0 on an empty ring.
  [[nodiscard]] std::uint64_t list_length(std::uint8_t ring) const { return lengths_[ring]; }
  /// The links of a ring, each after the link that it feeds.
  [[nodiscard]] std::vector<LinkId> links_of(std::uint8_t ring) const {
    std::vector<LinkId> links;
    auto [node, port] = first_[ring];
    for (NodeId t = 0; t < length_; ++t) {
      links.push_back(topology_.link(node, port));
      const Port in_port = program_.at(node, port).feed.front();
      node = topology_.neighbor(node, in_port);
      port = opposite(in_port);
    }
    return links;
  }
  /// The ring in the opposite direction; kNoRing without one.
  [[nodiscard]] std::uint8_t reverse(std::uint8_t ring) const { return reverse_[ring]; }

 private:
  /// Whether the entry is the same in every step.
  template <typename Entry>
  static bool never_switches(const Entry& at) {
    if constexpr (requires { at.switch_step; }) return at.switch_step == 0;
    return true;
  }
  /// Walks from link to feeding link; true when that closes after exactly all live nodes.
  bool follow(NodeId node, Port port) {
    if (first_.size() == static_cast<std::size_t>(topology_.ports())) return false;
    const auto ring = static_cast<std::uint8_t>(first_.size());
    first_.push_back({node, port});
    lengths_.push_back(program_.at(node, port).preload.size());
    positions_.resize(positions_.size() + nodes_, kNoNode);
    NodeId* position = positions_.data() + std::size_t{ring} * nodes_;
    for (NodeId t = 0; t < length_; ++t) {
      const auto& at = program_.at(node, port);
      if (position[node] != kNoNode || !never_switches(at) || at.feed.size() != 1 ||
          at.preload.size() != lengths_[ring]) {
        return false;
      }
      position[node] = t;
      ring_of_[topology_.link(node, port)] = ring;
      const Port in_port = at.feed.front();
      node = topology_.neighbor(node, in_port);
      port = opposite(in_port);
      if (node == kNoNode) return false;
    }
    return node == first_[ring].node && port == first_[ring].port;
  }

  void find_reverses() {
    for (std::size_t i = 0; i < rings(); ++i) {
      const auto ring = static_cast<std::uint8_t>(i);
      const auto [node, port] = first_[ring];
      const std::uint8_t back =
          ring_of_[topology_.link(topology_.neighbor(node, port), opposite(port))];
      reverse_.push_back(back != kNoRing && runs_back(ring, back) ? back : kNoRing);
    }
  }

  /// True when the positions of all nodes on the two rings add up to the same, modulo the length.
  [[nodiscard]] bool runs_back(std::uint8_t ring, std::uint8_t back) const {
    const NodeId* a = positions_.data() + std::size_t{ring} * nodes_;
    const NodeId* b = positions_.data() + std::size_t{back} * nodes_;
    std::optional<std::uint64_t> sum;
    for (NodeId node = 0; node < nodes_; ++node) {
      if (!topology_.is_live(node)) continue;
      const std::uint64_t here = (std::uint64_t{a[node]} + b[node]) % length_;
      if (here != sum.value_or(here)) return false;
      sum = here;
    }
    return true;
  }

  struct Link {
    NodeId node;
    Port port;
  };
  const Topology& topology_;
  const Table& program_;
  NodeId nodes_;
  /// Of a ring: all live nodes.
  NodeId length_;
  std::vector<std::uint8_t> ring_of_;
  /// By ring: a link of it, the length of its lists, its reverse.
  std::vector<Link> first_;
  std::vector<std::uint64_t> lengths_;
  std::vector<std::uint8_t> reverse_;
  /// positions_[ring * nodes + node]: number of links from the node to the first node, upstream.
  std::vector<NodeId> positions_;
};

}  // namespace gossamer
