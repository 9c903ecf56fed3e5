// SPDX-License-Identifier: Apache-2.0
#include "queued_proof.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/partial/active_nodes.hpp"
#include "gossamer/partial/dynamic_broadcast.hpp"
#include "gossamer/sim/queued_engine.hpp"

namespace gossamer {

namespace {
/// In units; a cycle is at least 2^-20 of one.
constexpr double kRounding = 1e-7;
constexpr std::uint64_t kReplayLimitBytes = std::uint64_t{64} << 20;
}  // namespace

Verdict prove_queued(const Plan& plan, const Progress& progress) {
  const auto engine = make_fast_queued_engine(plan);
  RunOptions options;
  options.scoreboard = true;
  options.progress = progress;
  const Report report = run_queued_plan(plan, *engine, options);
  Verdict verdict;
  verdict.method = ProofMethod::kReplay;
  verdict.complete = report.complete.value_or(false);
  verdict.steps = report.steps;
  verdict.link_conflicts = report.link_conflicts.value_or(0);
  verdict.max_queue = report.max_queue.value_or(0);
  verdict.link_transfers = report.link_transfers;
  verdict.duplicates = report.duplicates;
  verdict.problems = report.problems;
  if (verdict.max_queue > plan.expected.queue_depth) {
    verdict.problems.push_back("a queue grows to " + std::to_string(verdict.max_queue) +
                               " packets, the plan says " +
                               std::to_string(plan.expected.queue_depth));
  }
  return verdict;
}

Verdict prove_intervals(const Plan& plan, const Progress& progress) {
  Verdict verdict;
  verdict.method = ProofMethod::kIntervals;
  verdict.complete = true;
  const auto& program = std::get<DynamicProgram>(plan.program);
  const std::uint32_t nodes = plan.topology.nodes();
  for (std::uint64_t active = 0; active <= nodes; ++active) {
    const DynamicInterval interval = dynamic_interval(plan, active);
    const double needed =
        static_cast<double>(interval.broadcast_cycles) / static_cast<double>(program.clock.flits);
    // Less than a cycle is rounding: the bound's lengths are no whole numbers.
    if (needed - interval.units < kRounding) continue;
    verdict.problems.push_back(fmt::format(
        "an interval of {:.6g} units is too short for the broadcast of {} packets, {:.6g} units",
        interval.units, active, needed));
    break;
  }
  std::uint64_t replayed = 0;
  for (const std::uint32_t active : {1U, nodes / 2, nodes}) {
    if (progress) progress("replay", replayed++, 3);
    const Plan interval =
        dynamic_interval_plan(plan, random_nodes(nodes, active, program.seed + active));
    if (QueuedScoreboard::memory_bytes(interval) > kReplayLimitBytes) continue;
    const Verdict replay = prove_queued(interval, {});
    verdict.complete = verdict.complete && replay.complete;
    *verdict.link_conflicts += *replay.link_conflicts;
    verdict.max_queue = std::max(verdict.max_queue, replay.max_queue);
    for (const std::string& problem : replay.problems) {
      verdict.problems.push_back(fmt::format("interval of {} packets: {}", active, problem));
    }
  }
  return verdict;
}

}  // namespace gossamer
