// SPDX-License-Identifier: Apache-2.0
/// Elastic schedules: what a schedule's routers do when they wait for each other.
///
/// A node counts steps for itself. In a step it pushes a chunk, its *token*, on every link by which
/// its ROM sends something in that step, takes the token of every link that brings it something in
/// that step, and goes on to the next: pushes of a step may go from the cycle of the last take or
/// push of the one before, takes from the cycle behind it. A link that is idle in a step has no
/// token of it, and both its ends know so. A round is the whole ROM with one chunk of each packet.
///
/// A queue of one slot is enough: the node that is furthest behind waits for nobody, for what its
/// neighbours owe it in this step they have pushed or can push, and what stands in its way is of an
/// earlier step, which its neighbours have taken.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/plan/schedule_program.hpp"

namespace gossamer {

/// Calls `token(step, link)` for whatever the routers send, in ascending order of steps and links.
/// Who reads a slot that nothing was written to sends nothing. The program fits the topology.
template <typename Token>
void for_each_token(const Topology& topology, const ScheduleProgram& program, const Token& token) {
  std::vector<bool> written(std::uint64_t{topology.nodes()} * program.slots(), false);
  std::vector<bool> sent(topology.link_slots());
  const auto slot_of = [&program](NodeId node, std::uint32_t slot) {
    return std::uint64_t{node} * program.slots() + slot;
  };
  for (std::uint64_t step = 1; step <= program.steps(); ++step) {
    sent.assign(sent.size(), false);
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      const std::uint32_t rom = program.class_of(walk.node());
      for (const Port port : all_ports(topology.ports())) {
        const PacketSource source = program.source(step, port, rom);
        if (source.kind == PacketSource::Kind::kIdle || walk.neighbor(port) == kNoNode ||
            (source.kind == PacketSource::Kind::kSlot &&
             !written[slot_of(walk.node(), source.index)])) {
          continue;
        }
        const LinkId link = topology.link(walk.node(), port);
        sent[link] = true;
        token(step, link);
      }
    }
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const std::uint32_t rom = program.class_of(node);
      for (const Port port : all_ports(topology.ports())) {
        const auto slot = program.store(step, port, rom);
        if (!slot) continue;
        const LinkId into = topology.link_into(node, port);
        if (into != kNoLink && sent[into]) written[slot_of(node, *slot)] = true;
      }
    }
  }
}

}  // namespace gossamer
