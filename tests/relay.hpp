// SPDX-License-Identifier: Apache-2.0
/// Shared by the tests of relays: one full run on an engine, judged by the scoreboard.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <vector>

#include "gossamer/sim/relay_engine.hpp"

namespace gossamer::testing {

struct RelayOutcome {
  bool complete = false;
  std::uint64_t steps = 0;
  /// From the scoreboard: the last node informed.
  std::uint64_t cycles = 0;
  /// From the engine: the last flit received.
  std::uint64_t engine_cycles = 0;
  std::uint64_t tcd = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t duplicates = 0;
  std::vector<std::uint32_t> longest_hops;
};

inline RelayOutcome run_relay(const Plan& plan, RelayEngine& engine,
                              std::ostream* trace = nullptr) {
  RelayScoreboard scoreboard(plan);
  RelayTraceWriter writer;
  RelayObserverList observers;
  observers.add(&scoreboard);
  if (trace != nullptr) observers.add(&writer);
  engine.run(&observers);
  if (trace != nullptr) writer.write(*trace);
  return {scoreboard.complete(),      scoreboard.steps(),       scoreboard.cycles(),
          engine.statistics().cycles, scoreboard.traversals(),  engine.statistics().link_conflicts,
          scoreboard.duplicates(),    scoreboard.longest_hops()};
}

inline RelayOutcome run_relay_fast(const Plan& plan, std::ostream* trace = nullptr) {
  return run_relay(plan, *make_fast_relay_engine(plan), trace);
}

inline Topology mesh(std::initializer_list<std::uint32_t> sides) {
  return Topology::mesh(std::vector<std::uint32_t>(sides));
}
inline Topology torus(std::initializer_list<std::uint32_t> sides) {
  return Topology::torus(std::vector<std::uint32_t>(sides));
}

}  // namespace gossamer::testing
