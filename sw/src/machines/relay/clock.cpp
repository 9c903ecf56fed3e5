// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/relay/clock.hpp"

#include <algorithm>
#include <utility>

namespace gossamer {

std::vector<std::uint64_t> relay_starts(const Topology& topology, const RelayProgram& program) {
  const MessageClock& clock = program.clock;
  const bool fan_out = program.ports == RelayPorts::kFanOut;
  std::vector<std::uint64_t> starts;
  starts.reserve(program.sends().size());
  // Self-timed: when each node may start its next send. Step by step: only `step_start` counts.
  std::vector<std::uint64_t> ready(topology.nodes(), 0);
  std::uint64_t step_start = 0;
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    std::uint64_t step_end = step_start;
    for (const RelaySend& send : program.sends(step)) {
      const RelayPath& path = program.path(send);
      const std::uint64_t travel = std::uint64_t{path_hops(path)} * clock.hop_cycles;
      const NodeId to = path_end(topology, send.from, path);
      if (fan_out) {
        starts.push_back(ready[send.from]);
        ready[to] = starts.back() + travel;
        continue;
      }
      const bool self_timed = clock.timing == MessageTiming::kSelf;
      starts.push_back(self_timed ? ready[send.from] : step_start);
      const std::uint64_t handled =
          starts.back() + travel + clock.flits - 1 + program.pause_after(step);
      ready[send.from] = starts.back() + clock.flits + clock.relay_cycles;
      ready[to] = handled;
      step_end = std::max(step_end, handled);
    }
    step_start = step_end;
  }
  return starts;
}

std::uint64_t relay_cycles(const Topology& topology, const RelayProgram& program) {
  const std::vector<std::uint64_t> starts = relay_starts(topology, program);
  std::uint64_t cycles = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::uint64_t hops = path_hops(program.path(program.sends()[i]));
    cycles =
        std::max(cycles, starts[i] + hops * program.clock.hop_cycles + program.clock.flits - 1);
  }
  return cycles;
}

std::vector<RelayMeeting> relay_meetings(const Topology& topology, const RelayProgram& program) {
  struct Hold {
    LinkId link;
    std::uint64_t cycle;
    NodeId sender;
    std::uint32_t step;
  };
  const std::vector<std::uint64_t> starts = relay_starts(topology, program);
  std::vector<Hold> holds;
  std::size_t i = 0;
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    for (const RelaySend& send : program.sends(step)) {
      walk_path(topology, send.from, program.path(send),
                [&](std::uint32_t hop, NodeId node, Port port) {
                  holds.push_back({topology.link(node, port),
                                   starts[i] + std::uint64_t{hop} * program.clock.hop_cycles,
                                   send.from, step});
                });
      ++i;
    }
  }
  std::sort(holds.begin(), holds.end(), [](const Hold& a, const Hold& b) {
    return std::pair(a.link, a.cycle) < std::pair(b.link, b.cycle);
  });
  std::vector<RelayMeeting> meetings;
  for (std::size_t h = 1; h < holds.size(); ++h) {
    if (holds[h].link == holds[h - 1].link &&
        holds[h].cycle < holds[h - 1].cycle + program.clock.flits) {
      meetings.push_back({holds[h].link, holds[h].cycle, holds[h].sender, holds[h].step});
    }
  }
  return meetings;
}

}  // namespace gossamer
