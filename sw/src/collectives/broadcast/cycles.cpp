// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/broadcast/cycles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

Plan plan_cycle_broadcast(const Topology& topology, const CycleBroadcastOptions& options) {
  if (options.packets < 1 || options.packets > kMaxPacketsPerNode) {
    throw InputError(fmt::format("--packets: 1 to {} packets are supported, not {}",
                                 kMaxPacketsPerNode, options.packets));
  }
  StreamProgram program(topology.nodes(), topology.ports(), options.packets);
  ExpectedFigures expected;
  expected.analytic_steps = bounds::hamiltonian_message_steps(topology, options.packets);
  expected.analytic_cycles = expected.analytic_steps;
  expected.lower_bound_steps =
      bounds::broadcast_lower_bound(topology, options.source, options.packets);
  const std::vector<StreamLine> cycles = hamiltonian_cycles(topology, options.source);
  for (std::uint32_t c = 0; c < std::min<std::size_t>(cycles.size(), options.packets); ++c) {
    const StreamLine& cycle = cycles[c];
    StreamPort forward;
    for (std::uint32_t word = c; word < options.packets;
         word += static_cast<std::uint32_t>(cycles.size())) {
      forward.preload.push_back(static_cast<std::uint16_t>(word));
    }
    StreamPort backward;
    backward.preload.assign(forward.preload.rbegin(), forward.preload.rend());
    // Later words of a direction arrive when all have them from the other one.
    const std::uint64_t sent = std::min<std::uint64_t>(
        bounds::cycle_message_steps(topology.nodes(), forward.preload.size()),
        forward.preload.size());
    for (StreamPort* stream : {&forward, &backward}) stream->preload.resize(sent);
    expected.queue_depth = std::max(expected.queue_depth, static_cast<std::uint32_t>(sent));

    const std::size_t last = cycle.nodes.size() - 1;
    program.set(cycle.nodes[0], cycle.out[0], forward);
    program.set(cycle.nodes[0], opposite(cycle.out[last]), backward);
    for (std::size_t i = 1; i <= last; ++i) {
      const Port back = opposite(cycle.out[i - 1]);
      StreamPort passes;
      // The root takes nothing that comes round.
      if (i != last) {
        passes.feed = PortSet::of(back);
        program.set(cycle.nodes[i], cycle.out[i], passes);
      }
      if (i != 1) {
        passes.feed = PortSet::of(cycle.out[i]);
        program.set(cycle.nodes[i], back, passes);
      }
    }
  }
  return {
      topology,
      "broadcast",
      "hamiltonian",
      {{"source", node_text(topology, options.source)}, {"packets", std::int64_t{options.packets}}},
      Demand::broadcast(options.source, options.packets),
      std::move(program),
      expected};
}

}  // namespace gossamer
