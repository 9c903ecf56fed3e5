// SPDX-License-Identifier: Apache-2.0
/// Shared by the tests of relays: one full run on an engine, judged.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <vector>

#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/judge.hpp"

namespace gossamer::testing {

struct RelayOutcome {
  bool complete = false;
  std::uint64_t steps = 0;
  /// The last node informed.
  std::uint64_t cycles = 0;
  /// From the engine: the last flit received.
  std::uint64_t engine_cycles = 0;
  std::uint64_t tcd = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t duplicates = 0;
  std::vector<std::uint32_t> longest_hops;
};

inline RelayOutcome run_relay(const Plan& plan, Engine& engine, std::ostream* trace = nullptr) {
  Judge judge(plan);
  LinkCounter counter;
  ObserverList observers;
  observers.add(&judge);
  observers.add(&counter);
  std::optional<TraceWriter> writer;
  if (trace != nullptr) observers.add(&writer.emplace(plan.topology, *trace));
  watch(engine, kNoStepLimit, observers);
  if (writer) writer->finish();
  return {judge.complete(),           judge.completion_step(), judge.completion_cycle(),
          engine.statistics().cycles, counter.transfers(),     engine.statistics().link_conflicts,
          judge.duplicates(),         counter.longest_hops()};
}

inline RelayOutcome run_relay_fast(const Plan& plan, std::ostream* trace = nullptr) {
  return run_relay(plan, *make_fast_engine(plan), trace);
}

inline Topology mesh(std::initializer_list<std::uint32_t> sides) {
  return Topology::mesh(std::vector<std::uint32_t>(sides));
}
inline Topology torus(std::initializer_list<std::uint32_t> sides) {
  return Topology::torus(std::vector<std::uint32_t>(sides));
}

}  // namespace gossamer::testing
