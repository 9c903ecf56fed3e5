// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/folded_steps.hpp"

#include <algorithm>

#include "gossamer/topology/fold.hpp"

namespace gossamer {

FoldedSteps::FoldedSteps(const Topology& torus, const Demand& demand, Observer& mesh_observer)
    : packets_per_node_(demand.ids_per_node(torus.nodes()).value()),
      packets_per_pair_(demand.is_personal() ? demand.pieces : 0),
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

bool FoldedSteps::on_links(const LinkView& view) {
  for (std::vector<PacketId>& half : links_) std::fill(half.begin(), half.end(), kNoPacket);
  const std::size_t slots = view.packets.size();
  for (std::size_t link = 0; link < slots; ++link) {
    if (view.packets[link] == kNoPacket) continue;
    const PacketId origin = view.packets[link] / packets_per_node_;
    PacketId rest = view.packets[link] % packets_per_node_;
    if (packets_per_pair_ != 0) {
      rest = mesh_node_[rest / packets_per_pair_] * packets_per_pair_ + rest % packets_per_pair_;
    }
    const PacketId packet = mesh_node_[origin] * packets_per_node_ + rest;
    for (std::size_t i = 2 * link; i < 2 * link + 2; ++i) {
      if (slots_[i] == kNoLink) continue;
      PacketId& carried = links_[slots_[i] / slots][slots_[i] % slots];
      if (carried != kNoPacket) ++collisions_;
      carried = packet;
    }
  }
  for (std::uint64_t half = 0; half < 2; ++half) {
    const std::uint64_t step = 2 * view.step - 1 + half;
    const LinkView shown{
        .cycle = 2 * view.cycle + half, .step = step, .begins = true, .packets = links_[half]};
    if (!observer_->on_links(shown)) return false;
  }
  return true;
}

}  // namespace gossamer
