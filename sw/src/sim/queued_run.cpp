// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/queued_engine.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {
constexpr std::uint64_t kQueuedScoreboardLimitBytes = std::uint64_t{2} << 30;
}  // namespace

Report run_queued_plan(const Plan& plan, Engine& engine, const RunOptions& options) {
  const auto& program = std::get<QueuedProgram>(plan.program);
  const bool keep_score = options.scoreboard.value_or(QueuedScoreboard::memory_bytes(plan) <=
                                                      kQueuedScoreboardLimitBytes);
  TransferCounter counter;
  ObserverList observers;
  observers.add(&counter);
  std::unique_ptr<QueuedScoreboard> scoreboard;
  if (keep_score) {
    scoreboard = std::make_unique<QueuedScoreboard>(plan);
    observers.add(scoreboard.get());
  }
  std::unique_ptr<TraceWriter> trace;
  if (options.trace != nullptr) {
    trace = std::make_unique<TraceWriter>(plan.topology, *options.trace);
    observers.add(trace.get());
  }
  const std::uint64_t expected_steps =
      plan.expected.analytic_steps.value_or(plan.expected.bound_steps.value_or(0));
  ProgressObserver progress(options.progress, expected_steps);
  if (options.progress) observers.add(&progress);

  const auto start = std::chrono::steady_clock::now();
  engine.run(options.max_steps.value_or(~std::uint64_t{0}), &observers);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  const EngineStatistics statistics = engine.statistics();
  Report report = report_for(plan, std::string(engine.name()));
  report.cycles = statistics.cycles;
  report.time_units = static_cast<double>(statistics.cycles) / program.clock.flits;
  report.link_transfers = counter.transfers();
  report.link_conflicts = statistics.link_conflicts;
  report.max_queue = statistics.max_queue;
  if (scoreboard) {
    report.complete = scoreboard->complete();
    report.duplicates = scoreboard->duplicates();
    if (scoreboard->complete()) report.steps = scoreboard->completion_step();
  }
  report.wall_seconds = wall.count();
  report.router_cycles_per_second = static_cast<double>(plan.topology.nodes()) *
                                    static_cast<double>(statistics.cycles) /
                                    std::max(wall.count(), 1e-9);
  judge(report);
  if (scoreboard && scoreboard->violations() != 0) {
    report.problems.push_back(fmt::format("{} packets were sent by nodes that did not hold them",
                                          scoreboard->violations()));
  }
  return report;
}

}  // namespace gossamer
