// SPDX-License-Identifier: Apache-2.0
/// The proof for plain programs: every node's feeds, walked backward.
#include <fmt/format.h>

#include <algorithm>

#include "stream_proofs.hpp"

namespace gossamer {

Verdict prove_by_feed_walk(const Topology& topology, const StreamProgram& program,
                           std::uint64_t limit, const Progress& progress) {
  // No packet ever waits, so a link carries in step s the preload of the link s - 1 feeds upstream.
  const std::uint64_t slots = topology.link_slots();
  const std::uint32_t k = program.packets_per_node();
  const std::uint64_t packets = std::uint64_t{topology.live_nodes()} * k;
  std::vector<LinkId> upstream(slots, kNoLink);
  std::vector<PacketId> preload(slots, kNoPacket);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port port : all_ports(topology.ports())) {
      if (walk.neighbor(port) == kNoNode) continue;
      const LinkId link = topology.link(walk.node(), port);
      const StreamPort& at = program.at(walk.node(), port);
      if (!at.feed.empty()) upstream[link] = topology.link_into(walk.node(), at.feed.front());
      if (!at.preload.empty()) preload[link] = PacketId{walk.node()} * k + at.preload.front();
    }
  }

  Verdict verdict;
  verdict.method = "feed walk";
  verdict.complete = true;
  verdict.max_queue = std::any_of(preload.begin(), preload.end(),
                                  [](PacketId packet) { return packet != kNoPacket; })
                          ? 1
                          : 0;
  std::uint64_t steps = 0;
  std::uint64_t unknown = 0;
  // known[packet] == node + 1: the node of the present walk has the packet.
  std::vector<NodeId> known(std::size_t{topology.nodes()} * k, 0);
  std::vector<LinkId> at;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!topology.is_live(node)) continue;
    const NodeId mark = node + 1;
    for (std::uint32_t c = 0; c < k; ++c) known[std::size_t{node} * k + c] = mark;
    std::uint64_t missing = packets - k;
    at.clear();
    for (const Port port : all_ports(topology.ports())) {
      const LinkId link = topology.link_into(node, port);
      if (link != kNoLink) at.push_back(link);
    }
    std::uint64_t step = 0;
    while (missing != 0 && step < limit && !at.empty()) {
      ++step;
      for (LinkId& link : at) {
        const PacketId packet = preload[link];
        if (packet != kNoPacket && known[packet] != mark) {
          known[packet] = mark;
          --missing;
        }
        link = upstream[link];
      }
      at.erase(std::remove(at.begin(), at.end(), kNoLink), at.end());
    }
    if (missing != 0) {
      verdict.complete = false;
      unknown += missing;
      list_missing(verdict, node, missing, packets);
    }
    steps = std::max(steps, step);
    if (progress && node % 1024 == 0) progress("verify", node, topology.nodes());
  }
  if (verdict.complete) verdict.steps = steps;
  // Transfers: the links that have something to send, step by step down the feeds.
  std::uint64_t transfers = 0;
  std::vector<bool> busy(slots);
  for (LinkId link = 0; link < slots; ++link) busy[link] = preload[link] != kNoPacket;
  std::vector<bool> next(slots);
  for (std::uint64_t step = 0; step < (verdict.complete ? steps : limit); ++step) {
    std::uint64_t sent = 0;
    for (LinkId link = 0; link < slots; ++link) {
      if (busy[link]) ++sent;
      next[link] = upstream[link] != kNoLink && busy[upstream[link]];
    }
    transfers += sent;
    busy.swap(next);
    if (sent == 0) break;
  }
  verdict.link_transfers = transfers;
  verdict.duplicates = transfers - (packets * topology.live_nodes() - packets - unknown);
  return verdict;
}

}  // namespace gossamer
