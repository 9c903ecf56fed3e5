// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/queued_engine.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kScoreboardLimitBytes = std::uint64_t{2} << 30;

/// After so many steps nothing new can happen: the last switch is past, and every packet has been
/// round every feed cycle behind the longest lists.
std::uint64_t settled_after(const Plan& plan, const StreamProgram& program) {
  std::uint64_t longest = 1;
  std::uint64_t last_switch = 0;
  for (const PortProgram& entry : program.dictionary()) {
    longest = std::max<std::uint64_t>(longest, entry.preload.size());
    last_switch = std::max<std::uint64_t>(last_switch, entry.switch_step);
  }
  return last_switch + plan.topology.link_slots() * longest;
}

}  // namespace

Report run_plan(const Plan& plan, Engine& engine, const RunOptions& options) {
  if (std::holds_alternative<QueuedProgram>(plan.program)) {
    return run_queued_plan(plan, engine, options);
  }
  const auto& program = std::get<StreamProgram>(plan.program);
  const std::uint32_t k = program.packets_per_node();
  const std::uint64_t board_bytes = Scoreboard::memory_bytes(plan.topology, k);
  const bool keep_score = options.scoreboard.value_or(board_bytes <= kScoreboardLimitBytes);
  const auto analytic = plan.expected.analytic_steps;
  if (!keep_score && !analytic) {
    throw InputError(
        fmt::format("simulate: the plan has no analytic_steps to stop at, and a "
                    "scoreboard would take {} MiB; give --scoreboard",
                    board_bytes >> 20U));
  }
  std::uint64_t max_steps = analytic.value_or(0);
  if (keep_score) max_steps = analytic ? 2 * *analytic + 64 : settled_after(plan, program);
  max_steps = options.max_steps.value_or(max_steps);

  TransferCounter counter;
  ObserverList observers;
  observers.add(&counter);
  std::unique_ptr<Scoreboard> scoreboard;
  if (keep_score) {
    scoreboard = std::make_unique<Scoreboard>(plan.topology, k);
    observers.add(scoreboard.get());
  }
  std::unique_ptr<TraceWriter> trace;
  if (options.trace != nullptr) {
    trace = std::make_unique<TraceWriter>(plan.topology, *options.trace);
    observers.add(trace.get());
  }
  ProgressObserver progress(options.progress, analytic.value_or(max_steps));
  if (options.progress) observers.add(&progress);

  const auto start = std::chrono::steady_clock::now();
  engine.run(max_steps, &observers);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  const EngineStatistics statistics = engine.statistics();
  Report report = report_for(plan, std::string(engine.name()));
  report.cycles = statistics.cycles;
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
  return report;
}

}  // namespace gossamer
