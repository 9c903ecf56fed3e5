// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "conventional_cost.hpp"
#include "gossamer/compose/composition.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/checked.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/verify/proof.hpp"
#include "workload_parts.hpp"

namespace gossamer {

namespace {

using compare::at_step;

constexpr std::string_view kBarrier = "barrier";

/// The collective that the conventional network runs: a barrier is an all-reduce of one flit there.
std::string conventional_collective(const std::string& collective) {
  return collective == kBarrier ? "all-reduce" : collective;
}

WorkloadRow planned(const WorkloadCollective& asked, const Topology& topology,
                    const PhysicalComparisonOptions& options) {
  if (wormhole::orders_of(conventional_collective(asked.collective)).empty()) {
    require_collective(asked.collective);
    throw InputError(fmt::format("collective: {} is not supported in a workload; there is {}, {}",
                                 field_name(asked.collective), joined(compared_collectives(), ", "),
                                 kBarrier));
  }
  PlanRequest request{topology, asked.collective, asked.algorithm, {}, options.progress};
  PhysicalQuantities given = options.quantities;
  given.bytes = asked.bytes;
  add_message(request, given);
  if (!asked.groups.empty()) request.parameters["groups"] = asked.groups;
  if (!asked.group_stride.empty()) request.parameters["group-stride"] = asked.group_stride;
  if (!asked.source.empty()) request.parameters["source"] = asked.source;
  Plan plan = make_plan(request);
  Report report = prove(plan, options.progress);
  if (!report.problems.empty()) {
    throw std::logic_error(fmt::format("{}: the proof contradicts the plan: {}", asked.collective,
                                       report.problems.front()));
  }
  if (!report.cycles) {
    throw InfeasibleError(fmt::format(
        "{}: cycles of messages of many flits are not known; nearest feasible: another algorithm",
        plan.algorithm));
  }
  // As proved() does, for contexts.
  if (!plan.expected.analytic_steps) plan.expected.analytic_steps = report.steps;
  WorkloadRow row{asked, std::move(plan), std::move(report), 0, {}, 0, {}};
  row.cycles = *row.report.cycles;
  row.femtojoules = row.report.physical.value().femtojoules();
  return row;
}

/// Costs on the conventional network; collectives that differ in bytes only share simulations.
class ConventionalCosts {
 public:
  ConventionalCosts(const Topology& topology, const PhysicalComparisonOptions& options)
      : topology_(topology), options_(options) {}

  ConventionalCost of(const WorkloadRow& row) {
    const auto& demand = row.plan.demand;
    const auto key = std::tuple(row.request.collective, row.request.groups,
                                row.request.group_stride, row.request.source);
    auto found = known_.find(key);
    if (found == known_.end()) {
      PhysicalComparisonOptions options = options_;
      options.messages.groups = demand.groups;
      options.source = demand.root;
      found = known_
                  .emplace(key, compare::ConventionalCollective(
                                    topology_, conventional_collective(row.request.collective),
                                    std::move(options)))
                  .first;
    }
    return found->second.of_bytes(row.request.bytes);
  }

 private:
  const Topology& topology_;
  const PhysicalComparisonOptions& options_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>,
           compare::ConventionalCollective>
      known_;
};

/// `cycles_of(row)` and `femtojoules_of(row)` of one run.
template <typename Cycles, typename Energy>
WorkloadTimes times_of(const WorkloadResult& result, const std::vector<std::uint64_t>& compute,
                       const Cycles& cycles_of, const Energy& femtojoules_of) {
  std::vector<std::uint64_t> cycles = compute;
  for (std::size_t step = 0; step < cycles.size(); ++step) {
    if (const auto row = result.row_of[step]) cycles[step] = cycles_of(result.rows[*row]);
  }
  WorkloadTimes times;
  times.timeline = lay_out(result.workload, cycles);
  for (const TimedRun& run : times.timeline) {
    times.total = std::max(times.total, run.end);
    if (result.row_of[run.step]) times.communication += run.end - run.begin;
  }
  // At every time one of the streams is busy: nothing else delays a step.
  times.exposed = times.total - result.compute;
  times.femtojoules = 0;
  for (const WorkloadRow& row : result.rows) {
    const std::optional<double> energy = femtojoules_of(row);
    if (!energy) {
      times.femtojoules.reset();
      break;
    }
    *times.femtojoules += *energy * static_cast<double>(row.runs);
  }
  return times;
}

}  // namespace

WorkloadResult evaluate(Workload workload, const Topology& topology,
                        const PhysicalComparisonOptions& options) {
  if (options.conventional) wormhole::require_possible(options.router, topology);
  WorkloadResult result{std::move(workload), topology, options.quantities, 0, {}, {}, {}, {}};
  const auto& steps = result.workload.steps;
  std::map<WorkloadCollective, std::size_t> rows;
  std::vector<std::uint64_t> compute(steps.size(), 0);
  // A wrong order of the steps is found before anything is planned.
  (void)lay_out(result.workload, compute);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const WorkloadStep& step = steps[i];
    result.row_of.emplace_back();
    if (!step.collective) {
      compute[i] =
          at_step(step, [&] { return cycles_of_time(step.picoseconds, options.quantities.hertz); });
      result.compute +=
          at_step(step, [&] { return checked_product("cycles", compute[i], step.repeat); });
      continue;
    }
    const auto inserted = rows.try_emplace(*step.collective, result.rows.size());
    const auto& found = inserted.first;
    if (inserted.second) {
      if (options.progress) options.progress(step.name, i, steps.size());
      result.rows.push_back(
          at_step(step, [&] { return planned(found->first, topology, options); }));
    }
    result.row_of[i] = found->second;
    result.rows[found->second].runs += step.repeat;
  }
  result.times = times_of(
      result, compute, [](const WorkloadRow& row) { return row.cycles; },
      [](const WorkloadRow& row) { return row.femtojoules; });
  if (!options.conventional) return result;
  ConventionalCosts costs(topology, options);
  for (WorkloadRow& row : result.rows) row.conventional = costs.of(row);
  result.conventional = times_of(
      result, compute, [](const WorkloadRow& row) { return row.conventional->cycles; },
      [](const WorkloadRow& row) { return std::optional(row.conventional->femtojoules); });
  return result;
}

WorkloadContexts contexts_of(const WorkloadResult& result) {
  WorkloadContexts contexts;
  std::vector<Plan> different;
  std::vector<std::string> names;
  for (const WorkloadRow& row : result.rows) {
    contexts.defects.push_back(context_defect(row.plan));
    contexts.context_of.emplace_back();
    if (!contexts.defects.back().empty()) continue;
    const auto same = std::find_if(different.begin(), different.end(), [&](const Plan& plan) {
      return plan.collective == row.plan.collective && plan.demand == row.plan.demand &&
             plan.program == row.plan.program;
    });
    contexts.context_of.back() = static_cast<std::size_t>(same - different.begin());
    if (same != different.end()) continue;
    different.push_back(row.plan);
    names.push_back(row.plan.collective);
  }
  if (different.size() > 1) contexts.plan = compose_contexts(std::move(different), names);
  return contexts;
}

}  // namespace gossamer
