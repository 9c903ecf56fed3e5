// SPDX-License-Identifier: Apache-2.0
#include "embedded.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "gossamer/plan/embedded_ports.hpp"

namespace gossamer {

namespace {

/// The host's dimension of each of the guest's, for lanes that are lines along dimensions.
std::vector<int> host_dimensions(const Embedding& embedding) {
  const Topology& guest = embedding.guest;
  std::vector<int> dimensions;
  for (int dim = 0; dim < guest.dimensions(); ++dim) {
    const Port port = make_port(dim, true);
    NodeWalk walk(guest);
    while (!walk.done() && walk.neighbor(port) == kNoNode) walk.next();
    dimensions.push_back(walk.done() ? dim : dimension_of(embedding.link(walk.node(), port).port));
  }
  return dimensions;
}

}  // namespace

EmbeddedProgram embedded_ring(const RingProgram& guest, const Embedding& embedding) {
  // Lanes that are lines of a dimension keep the dimension's number; cycles have no dimension.
  const bool by_dimension = guest.combine.blocks == 1;
  if (embedding.frame > 1 && (guest.frame() > 1 || by_dimension)) {
    throw InfeasibleError(
        by_dimension ? "words are combined along straight lines, but folding bends the lines"
                     : "a program with frames cannot be embedded in frames");
  }
  if (embedding.copies() != 1) throw InfeasibleError("words of several networks are not combined");
  const std::vector<int> dimensions = host_dimensions(embedding);
  RingProgram host(embedding.host.nodes(), embedded_columns(embedding, guest.frame()),
                   embedding.frame * guest.frame());
  host.combine = guest.combine;
  host.flits = guest.flits;
  host.adder_cycles = guest.adder_cycles;
  if (const std::string defect = host.packet_defect(); !defect.empty()) {
    throw InfeasibleError(defect);
  }
  const std::size_t cycles = guest.combine.cycles();
  const std::size_t host_cycles =
      by_dimension ? static_cast<std::size_t>(embedding.host.dimensions()) : cycles;
  host.combine.ranks.assign(embedding.host.nodes() * host_cycles, 0);
  const auto host_cycle = [&](std::size_t cycle) {
    return by_dimension ? static_cast<std::size_t>(dimensions[cycle]) : cycle;
  };
  for (NodeId node = 0; node < embedding.guest.nodes(); ++node) {
    for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
      host.combine.ranks[embedding.nodes[node] * host_cycles + host_cycle(cycle)] =
          guest.combine.ranks[node * cycles + cycle];
    }
  }
  for (CombineLeg& leg : host.combine.legs) {
    std::vector<std::optional<CombineLane>> lanes(2 * host_cycles);
    for (std::size_t lane = 0; lane < leg.lanes.size(); ++lane) {
      lanes[2 * host_cycle(lane / 2) + lane % 2] = leg.lanes[lane];
    }
    leg.lanes = std::move(lanes);
  }
  const std::uint32_t depth = embed_ports(
      guest, guest.frame(), embedding, host,
      [&](RingPort entry, const std::vector<Port>& columns) {
        if (!entry.feed.empty()) {
          const Port in = columns[entry.feed.front()];
          entry.feed = in == kNoColumn ? PortSet() : PortSet::of(in);
        }
        if (entry.lane) {
          entry.lane =
              static_cast<std::uint8_t>(2 * host_cycle(*entry.lane / 2U) + *entry.lane % 2);
        }
        return entry;
      },
      [](Port in) { return RingPort{.feed = PortSet::of(in)}; },
      [](const RingPort& entry) { return entry.lane ? 1U : 0U; });
  return {std::move(host), embedding.frame == 1 ? 0 : depth};
}

}  // namespace gossamer
