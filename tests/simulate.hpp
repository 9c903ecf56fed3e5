// SPDX-License-Identifier: Apache-2.0
/// Shared by the tests: one full run on an engine, judged by the scoreboard.
#pragma once

#include <sstream>
#include <string>

#include "gossamer/sim/engine.hpp"
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
  Scoreboard scoreboard(plan.topology, packets_per_node(plan));
  TransferCounter counter;
  ObserverList observers;
  observers.add(&scoreboard);
  observers.add(&counter);
  std::unique_ptr<TraceWriter> writer;
  if (trace != nullptr) {
    writer = std::make_unique<TraceWriter>(plan.topology, *trace);
    observers.add(writer.get());
  }
  engine.run(max_steps, &observers);
  const EngineStatistics statistics = engine.statistics();
  Outcome outcome;
  outcome.complete = scoreboard.complete();
  outcome.steps = scoreboard.completion_step();
  outcome.duplicates = scoreboard.duplicates();
  outcome.transfers = counter.transfers();
  outcome.conflicts = statistics.link_conflicts;
  outcome.max_queue = statistics.max_queue;
  return outcome;
}

inline Outcome simulate_fast(const Plan& plan, std::uint64_t max_steps,
                             std::ostream* trace = nullptr) {
  return simulate(plan, *make_fast_engine(plan), max_steps, trace);
}

}  // namespace gossamer::testing
