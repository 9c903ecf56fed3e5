// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>

#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/queued_engine.hpp"
#include "gossamer/sim/relay_hardware_engine.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/overloaded.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kScoreboardLimitBytes = std::uint64_t{2} << 30;
/// Steps that a run gets beyond twice the formula's count.
constexpr std::uint64_t kGraceSteps = 64;

/// The same for a table of streams.
std::uint64_t settled_after(const Topology& topology, const StreamProgram& table) {
  const std::uint64_t frame = table.frame();
  std::uint64_t longest = 1;
  std::uint64_t last_switch = 0;
  for (const PortProgram& entry : table.dictionary()) {
    longest = std::max<std::uint64_t>(longest, entry.preload.size());
    last_switch = std::max<std::uint64_t>(last_switch, entry.switch_step);
  }
  return last_switch + frame * frame * topology.link_slots() * longest;
}

}  // namespace

std::uint64_t settled_after(const Plan& plan) {
  return std::visit(
      Overloaded{
          [&](const StreamProgram& program) { return settled_after(plan.topology, program); },
          [](const ScheduleProgram& program) { return program.steps(); },
          // These end of themselves.
          [](const auto&) -> std::uint64_t { throw std::bad_variant_access(); },
      },
      plan.program);
}

std::uint64_t step_limit(const Plan& plan) {
  // A formula may promise anything: what is settled is not run for years.
  const auto analytic = plan.expected.analytic_steps;
  const std::uint64_t settled = settled_after(plan);
  return analytic ? 2 * std::min(*analytic, settled) + kGraceSteps : settled;
}

Report run_plan(const Plan& plan, Engine& engine, const RunOptions& options) {
  if (std::holds_alternative<QueuedProgram>(plan.program)) {
    return run_queued_plan(plan, engine, options);
  }
  const std::uint32_t k = packets_per_node(plan);
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
  if (keep_score) max_steps = step_limit(plan);
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
  observers.add(&progress);

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

Report run_experiment(const Experiment& experiment, std::string engine,
                      const DynamicRunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<DynamicPoint> points = run_dynamic(experiment, options);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  Report report = report_for(experiment, std::move(engine));
  report.dynamic->points = std::move(points);
  report.wall_seconds = wall.count();
  judge(report);
  return report;
}

Report run_relay_plan(const Plan& plan, RelayEngine& engine, std::ostream* trace) {
  RelayScoreboard scoreboard(plan);
  RelayTraceWriter writer;
  RelayObserverList observers;
  observers.add(&scoreboard);
  if (trace != nullptr) observers.add(&writer);
  const auto start = std::chrono::steady_clock::now();
  std::string failure;
  try {
    engine.run(&observers);
  } catch (const RelayAssertion& assertion) {
    failure = assertion.what();
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (trace != nullptr) writer.write(*trace);

  Report report = report_for(plan, std::string(engine.name()));
  report.complete = scoreboard.complete();
  if (scoreboard.complete()) {
    report.steps = scoreboard.steps();
    report.cycles = scoreboard.cycles();
  }
  report.link_transfers = scoreboard.traversals();
  report.tcd = scoreboard.traversals();
  report.broadcast->longest_hops = scoreboard.longest_hops();
  report.link_conflicts = engine.statistics().link_conflicts;
  report.duplicates = scoreboard.duplicates();
  report.wall_seconds = wall.count();
  report.router_cycles_per_second = static_cast<double>(plan.topology.nodes()) *
                                    static_cast<double>(engine.statistics().cycles) /
                                    std::max(wall.count(), 1e-9);
  if (!failure.empty()) report.problems.push_back("assertion: " + failure);
  judge(report);
  if (plan.expected.analytic_tcd && report.tcd != plan.expected.analytic_tcd) {
    report.problems.push_back(fmt::format("TCD: {} measured, {} by the formula", *report.tcd,
                                          *plan.expected.analytic_tcd));
  }
  return report;
}

}  // namespace gossamer
