// SPDX-License-Identifier: Apache-2.0
#include "queued_proof.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/partial/active_nodes.hpp"
#include "gossamer/partial/dynamic_broadcast.hpp"

namespace gossamer {

namespace {
/// In units; a cycle is at least 2^-20 of one.
constexpr double kRounding = 1e-7;
}  // namespace

Verdict verify_experiment(const Experiment& experiment, const Progress& progress) {
  Verdict verdict;
  verdict.method = ProofMethod::kIntervals;
  verdict.complete = true;
  const DynamicProgram& program = experiment.program;
  const std::uint32_t nodes = experiment.topology.nodes();
  for (std::uint64_t active = 0; active <= nodes; ++active) {
    const DynamicInterval interval = dynamic_interval(experiment, active);
    const double needed =
        static_cast<double>(interval.broadcast_cycles) / static_cast<double>(program.clock.flits);
    // Less than a cycle is rounding: the bound's lengths are no whole numbers.
    if (needed - interval.units < kRounding) continue;
    verdict.problems.push_back(fmt::format(
        "an interval of {:.6g} units is too short for the broadcast of {} packets, {:.6g} units",
        interval.units, active, needed));
    break;
  }
  std::uint64_t proved = 0;
  for (const std::uint32_t active : {1U, nodes / 2, nodes}) {
    if (progress) progress("verify", proved++, 3);
    const Verdict broadcast = prove_queued(
        dynamic_interval_plan(experiment, random_nodes(nodes, active, program.seed + active)), {});
    verdict.complete = verdict.complete && broadcast.complete;
    if (broadcast.max_queue) verdict.max_queue = std::max(verdict.max_queue, broadcast.max_queue);
    for (const std::string& problem : broadcast.problems) {
      verdict.problems.push_back(fmt::format("interval of {} packets: {}", active, problem));
    }
  }
  return verdict;
}

}  // namespace gossamer
