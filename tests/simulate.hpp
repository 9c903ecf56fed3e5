// SPDX-License-Identifier: Apache-2.0
/// Shared by the tests: one full run on an engine, judged by the judge.
#pragma once

#include <optional>
#include <sstream>
#include <string>

#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/judge.hpp"
#include "gossamer/sim/observers.hpp"

namespace gossamer::testing {

struct Outcome {
  bool complete = false;
  std::uint64_t steps = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t transfers = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t max_queue = 0;

  bool operator==(const Outcome&) const = default;
};

/// Runs until complete or for `max_steps`.
inline Outcome simulate(const Plan& plan, Engine& engine, std::uint64_t max_steps,
                        std::ostream* trace = nullptr) {
  Judge judge(plan);
  LinkCounter counter;
  ObserverList observers;
  observers.add(&judge);
  observers.add(&counter);
  std::optional<TraceWriter> writer;
  if (trace != nullptr) observers.add(&writer.emplace(plan.topology, *trace));
  watch(engine, max_steps, observers);
  if (writer) writer->finish();
  const EngineStatistics statistics = engine.statistics();
  Outcome outcome;
  outcome.complete = judge.complete();
  outcome.steps = judge.completion_step();
  outcome.duplicates = judge.duplicates();
  outcome.transfers = counter.transfers();
  outcome.conflicts = statistics.link_conflicts;
  outcome.max_queue = statistics.max_queue;
  return outcome;
}

inline Outcome simulate_fast(const Plan& plan, std::uint64_t max_steps,
                             std::ostream* trace = nullptr) {
  return simulate(plan, *make_fast_engine(plan), max_steps, trace);
}

/// Continues without an observer: for `steps` steps or until the engine is done.
inline void run_out(Engine& engine, std::uint64_t steps = kNoStepLimit) {
  LinkCounter nobody;
  watch(engine, steps, nobody);
}

}  // namespace gossamer::testing
