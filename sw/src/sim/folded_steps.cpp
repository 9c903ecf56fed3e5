// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/folded_steps.hpp"

#include <algorithm>

#include "gossamer/topology/fold.hpp"

namespace gossamer {

FoldedSteps::FoldedSteps(const Topology& torus, std::uint32_t packets_per_node,
                         StepObserver& mesh_observer, bool parts_are_nodes)
    : packets_per_node_(packets_per_node),
      parts_are_nodes_(parts_are_nodes),
      observer_(&mesh_observer),
      mesh_node_(torus.nodes()),
      slots_(torus.link_slots() * 2, kNoLink) {
  const auto ports = static_cast<std::uint32_t>(torus.ports());
  const auto slots = static_cast<LinkId>(torus.link_slots());
  for (std::vector<PacketId>& links : links_) links.assign(slots, kNoPacket);
  for (NodeWalk walk(torus); !walk.done(); walk.next()) {
    const NodeId mesh = folded_node(torus, walk.node());
    mesh_node_[walk.node()] = mesh;
    for (std::uint32_t port = 0; port < ports; ++port) {
      const int dim = dimension_of(static_cast<Port>(port));
      const std::uint32_t p = torus.side(dim);
      const std::uint32_t ring_node = walk.coordinates()[static_cast<std::size_t>(dim)];
      const FoldedPath path = folded_path(p, ring_node, is_positive(static_cast<Port>(port)));
      std::size_t at = 2 * (std::size_t{walk.node()} * ports + port);
      for (const FoldedHop& hop : path.links()) {
        // The node at the hop's position on the same line.
        const NodeId base = mesh - folded_position(p, ring_node) * torus.stride(dim);
        const NodeId from = base + hop.position * torus.stride(dim);
        slots_[at++] = hop.half * slots + from * ports + make_port(dim, hop.positive);
      }
    }
  }
}

bool FoldedSteps::on_step(std::uint64_t step, std::span<const PacketId> links) {
  for (std::vector<PacketId>& half : links_) std::fill(half.begin(), half.end(), kNoPacket);
  for (std::size_t link = 0; link < links.size(); ++link) {
    if (links[link] == kNoPacket) continue;
    const PacketId origin = links[link] / packets_per_node_;
    const PacketId part = links[link] % packets_per_node_;
    const PacketId packet = PacketId{mesh_node_[origin]} * packets_per_node_ +
                            (parts_are_nodes_ ? mesh_node_[part] : part);
    for (std::size_t i = 2 * link; i < 2 * link + 2; ++i) {
      if (slots_[i] == kNoLink) continue;
      PacketId& carried = links_[slots_[i] / links.size()][slots_[i] % links.size()];
      if (carried != kNoPacket) ++collisions_;
      carried = packet;
    }
  }
  return observer_->on_step(2 * step - 1, links_[0]) && observer_->on_step(2 * step, links_[1]);
}

}  // namespace gossamer
