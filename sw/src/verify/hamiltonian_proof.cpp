// SPDX-License-Identifier: Apache-2.0
/// The O(P d) proof. A directed cycle of links through all nodes, each preloading l packets,
/// carries the nodes' lists one after the other (docs/spec/gossip.md, section 1): the packet at
/// place j of node o's list reaches the node at distance x in step (x - 1) l + j + 1. So every
/// packet's last arrival follows from the cycles it is put on: one, or one and its reverse.
#include <algorithm>
#include <array>

#include "link_rings.hpp"
#include "stream_proofs.hpp"

namespace gossamer {

namespace {

/// A packet's place in one ring's list of its node.
struct Sending {
  std::uint8_t ring;
  std::uint64_t place;
};

/// The last arrival of a packet sent on one ring only: at distance P - 1.
std::uint64_t last_arrival(std::uint64_t nodes, std::uint64_t length, std::uint64_t place) {
  return (nodes - 2) * length + place + 1;
}

/// The last first arrival of a packet sent both ways: the largest, over the distance x = 1 .. P - 1
/// one way, of the smaller of the two arrivals. The one grows and the other falls with x.
std::uint64_t last_arrival(std::uint64_t nodes, std::uint64_t length, std::uint64_t place,
                           std::uint64_t back_length, std::uint64_t back_place) {
  const auto there = [&](std::uint64_t x) { return (x - 1) * length + place + 1; };
  const auto back = [&](std::uint64_t x) { return (nodes - x - 1) * back_length + back_place + 1; };
  std::uint64_t low = 1;
  std::uint64_t high = nodes;  // the first x in [low, high] with there(x) >= back(x), nodes if none
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (there(middle) >= back(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const std::uint64_t at_crossing = low < nodes ? back(low) : 0;
  const std::uint64_t before = low > 1 ? there(low - 1) : 0;
  return std::max(at_crossing, before);
}

}  // namespace

std::optional<Verdict> prove_on_hamiltonian_cycles(const Plan& plan, std::uint64_t limit) {
  const Topology& topology = plan.topology;
  const auto& program = std::get<StreamProgram>(plan.program);
  if (program.frame() != 1) return std::nullopt;
  LinkRings rings(topology, program);
  if (!rings.find()) return std::nullopt;

  const std::uint64_t nodes = topology.nodes();
  const std::uint32_t k = program.packets_per_node();
  Verdict verdict;
  verdict.method = ProofMethod::kHamiltonianCycles;
  verdict.complete = true;
  std::uint64_t steps = 0;
  std::uint64_t active_links = 0;
  std::vector<std::vector<Sending>> sendings(k);
  for (NodeId node = 0; node < nodes; ++node) {
    for (auto& list : sendings) list.clear();
    for (int p = 0; p < topology.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      const std::uint8_t ring = rings.ring(node, port);
      if (ring == kNoRing || rings.list_length(ring) == 0) continue;
      ++active_links;
      verdict.max_queue = std::max(*verdict.max_queue, rings.list_length(ring));
      const auto& preload = program.at(node, port).preload;
      for (std::size_t place = 0; place < preload.size(); ++place) {
        auto& list = sendings[preload[place]];
        // A packet that stands twice in a list counts where it stands first.
        if (list.empty() || list.back().ring != ring) list.push_back({ring, place});
      }
    }
    for (std::uint32_t c = 0; c < k; ++c) {
      const auto& list = sendings[c];
      if (list.empty()) return std::nullopt;
      if (list.size() == 1) {
        steps =
            std::max(steps, last_arrival(nodes, rings.list_length(list[0].ring), list[0].place));
      } else if (list.size() == 2 && rings.reverse(list[0].ring) == list[1].ring) {
        steps = std::max(steps, last_arrival(nodes, rings.list_length(list[0].ring), list[0].place,
                                             rings.list_length(list[1].ring), list[1].place));
      } else {
        return std::nullopt;
      }
    }
  }
  // A list longer than the buffer loses packets, and then the cycles prove nothing.
  if (steps > limit || verdict.max_queue > plan.expected.queue_depth) return std::nullopt;
  verdict.steps = steps;
  verdict.link_transfers = active_links * steps;
  verdict.duplicates = active_links * steps - nodes * (nodes - 1) * k;
  return verdict;
}

}  // namespace gossamer
