// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/folded_steps.hpp"
#include "gossamer/sim/judge.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/order_judge.hpp"
#include "gossamer/sim/run_monitor.hpp"
#include "gossamer/sim/value_judge.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kJudgeLimitBytes = std::uint64_t{2} << 30;
/// Steps that a run gets beyond twice the formula's count.
constexpr std::uint64_t kGraceSteps = 64;

/// The same for a run that is judged or not.
std::uint64_t step_limit(const Plan& plan, bool judged) {
  if (judged || !settled_after(plan)) return step_limit(plan);
  if (plan.expected.analytic_steps) return *plan.expected.analytic_steps;
  throw InputError(
      fmt::format("simulate: the plan has no analytic_steps to stop at, and a scoreboard takes {} "
                  "MiB; use --scoreboard",
                  Judge::memory_bytes(plan) >> 20U));
}

/// The observers of a run. Those of the mesh see it folded.
class Watchers {
 public:
  Watchers(const Plan& plan, const RunFacts& facts, const RunOptions& options, bool judged)
      : topology_(options.fold ? Topology::mesh(plan.topology.sides()) : plan.topology),
        counter_(topology_),
        monitor_(plan.machine().monitor(plan)) {
    const Demand& demand = plan.demand;
    ObserverList& shown = options.fold ? on_mesh_ : on_links_;
    // For copies of pieces that every node starts with, only the mesh's node numbers differ.
    folded_judge_ =
        options.fold && demand.from == Origin::kEveryNode && demand.to == Destination::kEveryNode;
    // The judge comes first: it may decide that the run ended in the previous step.
    if (judged && folded_judge_) shown.add(&judge_.emplace(topology_, demand));
    if (judged && !folded_judge_) on_links_.add(&judge_.emplace(plan));
    shown.add(&counter_);
    if (options.trace != nullptr) {
      shown.add(&trace_.emplace(topology_, *options.trace, facts.trace, facts.has_members));
    }
    if (monitor_ != nullptr) on_links_.add(monitor_.get());
    if (options.observer != nullptr) shown.add(options.observer);
    if (options.fold) {
      on_links_.add(&folded_.emplace(plan.topology, demand, on_mesh_));
    }
    if (options.progress) {
      const auto expected = plan.expected.analytic_steps;
      on_links_.add(&progress_.emplace(options.progress,
                                       expected.value_or(plan.expected.bound_steps.value_or(0))));
    }
  }

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] Observer& observer() { return on_links_; }
  [[nodiscard]] const LinkCounter& counter() const { return counter_; }
  [[nodiscard]] std::uint64_t collisions() const { return folded_ ? folded_->collisions() : 0; }
  /// The machine's own monitor; may be null.
  [[nodiscard]] RunMonitor* monitor() const { return monitor_.get(); }
  [[nodiscard]] const Judge* judge() const { return judge_ ? &*judge_ : nullptr; }

  /// Called once, after the run.
  void finish(const Engine& engine) {
    if (trace_) trace_->finish();
    if (judge_ && engine.done()) judge_->check_results(engine);
  }

  /// The completion step on the topology that is shown.
  [[nodiscard]] std::uint64_t completion_step(const Demand& demand) const {
    if (!folded_ || folded_judge_) return judge_->completion_step();
    // Ranked pieces travel until their barrier, even if they have stopped moving.
    return demand.is_ranked() ? 2 * judge_->completion_step() : counter_.last_step();
  }

 private:
  Topology topology_;
  LinkCounter counter_;
  std::optional<TraceWriter> trace_;
  std::unique_ptr<RunMonitor> monitor_;
  std::optional<Judge> judge_;
  bool folded_judge_ = false;
  ObserverList on_mesh_;
  std::optional<FoldedSteps> folded_;
  std::optional<ProgressObserver> progress_;
  ObserverList on_links_;
};

/// The promises of a plan that hold for its folded run.
void fold_promises(const Plan& plan, const Topology& mesh, Report& report) {
  const Demand& demand = plan.demand;
  report.topology = mesh.kind();
  report.part.reset();
  if (report.physical) {
    // A mesh step is a step like others; links, and with them the bound, are the mesh's.
    report.physical->links = mesh.links();
    report.physical->lower_bound_cycles =
        flit_lower_bound(mesh, demand, report.physical->given.flits());
  }
  report.analytic_cycles.reset();
  report.lower_bound_steps.reset();
  report.bound_steps.reset();
  if (report.analytic_steps) report.bound_steps = 2 * *report.analytic_steps;
  report.analytic_steps.reset();
  if (demand.from == Origin::kEveryNode && demand.to == Destination::kEveryNode) {
    report.lower_bound_steps = bounds::gossip_lower_bound(mesh, packets_per_node(plan));
  }
  if (demand == Demand::all_to_all()) {
    report.lower_bound_steps = bounds::all_to_all_lower_bound(mesh);
  }
}

/// Adds the measured figures of each of the plan's collectives.
void add_members(const Judge* judge, const LinkCounter& counter, Report& report) {
  for (std::size_t i = 0; i < report.members.size(); ++i) {
    Report& member = report.members[i];
    member.link_transfers = counter.transfers(i);
    if (judge != nullptr) {
      const Judge& own = judge->member(i);
      member.complete = own.complete();
      member.duplicates = own.duplicates();
      if (own.complete()) member.steps = own.completion_step();
      if (own.combines()) {
        member.missing = own.missing();
        report.missing = report.missing.value_or(0) + own.missing();
      }
    }
    // A step is a cycle, or lasts as long as the message's packets.
    if (member.steps) {
      member.cycles = member.physical ? member.physical->in_cycles(*member.steps) : member.steps;
    }
    add_physical(member);
    check_figures(member);
    for (const std::string& problem : member.problems) {
      report.problems.push_back(fmt::format("member {}: {}", i, problem));
    }
  }
}

}  // namespace

std::optional<std::uint64_t> settled_after(const Plan& plan) {
  return run_facts(plan).settled_after;
}

std::uint64_t step_limit(const Plan& plan) {
  const auto settled = settled_after(plan);
  if (!settled) return kNoStepLimit;
  // A formula may promise any number of steps: a settled run is not continued.
  const auto analytic = plan.expected.analytic_steps;
  return analytic ? 2 * std::min(*analytic, *settled) + kGraceSteps : *settled;
}

void check_foldable(const Plan& plan) {
  if (!plan.topology.is_torus()) {
    throw InfeasibleError(
        fmt::format("fold: the plan is already for {} {}; nearest feasible: a plan for a torus",
                    with_article(plan.topology.dims_text()), plan.topology.kind()));
  }
  if (!plan.topology.is_healthy()) {
    throw InfeasibleError(
        "fold: does not support faults; nearest feasible: a plan for a torus without faults");
  }
  if (!plan.topology.has_equal_links()) {
    throw InfeasibleError(
        "fold: does not support links of different rates; nearest feasible: a plan for --pace "
        "slowest");
  }
  if (!run_facts(plan).folds) {
    throw InfeasibleError(
        fmt::format("fold: {} plans have no steps of single links; nearest feasible: an all-gather "
                    "or partial collective",
                    plan.collective));
  }
}

namespace {

/// `trees`: receives those of the plan's sums; may be null.
Report run_and_judge(const Plan& plan, Engine& engine, const RunOptions& options,
                     std::optional<SumTrees>* trees) {
  if (options.fold) check_foldable(plan);
  const bool judged = options.judged.value_or(Judge::memory_bytes(plan) <= kJudgeLimitBytes);
  const std::uint64_t limit =
      options.max_steps.value_or(options.max_steps ? 0 : step_limit(plan, judged));
  const RunFacts facts = run_facts(plan);
  Watchers watchers(plan, facts, options, judged);
  const auto start = std::chrono::steady_clock::now();
  std::string failure;
  try {
    watch(engine, limit, watchers.observer());
  } catch (const ModelAssertion& assertion) {
    failure = assertion.what();
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  watchers.finish(engine);

  const Demand& demand = plan.demand;
  const EngineStatistics statistics = engine.statistics();
  const std::uint64_t cycles = statistics.cycles * (options.fold ? 2 : 1);
  const Judge* judge = watchers.judge();
  const bool complete = judge != nullptr && judge->complete();
  Report report = report_for(plan, std::string(engine.name()));
  if (options.fold) fold_promises(plan, watchers.topology(), report);
  if (judge != nullptr) {
    report.complete = complete;
    report.duplicates = judge->duplicates();
    if (demand.combines()) report.missing = judge->missing();
    if (!complete && !engine.done()) report.given_up_after = options.max_steps;
  }
  if (complete && facts.trace != TraceForm::kTakes) {
    report.steps = watchers.completion_step(demand);
  }
  report.link_transfers = watchers.counter().transfers();
  if (!plan.topology.has_equal_links()) {
    report.busy_link_steps = watchers.counter().busy_link_steps();
    report.die_transfers = watchers.counter().die_transfers();
  }
  report.link_conflicts = statistics.link_conflicts + watchers.collisions();
  if (facts.has_paths) {
    if (complete) report.cycles = judge->completion_cycle();
    report.tcd = report.link_transfers;
    report.longest_hops = watchers.counter().longest_hops();
  } else if (facts.trace != TraceForm::kTakes) {
    report.cycles = report.physical ? report.physical->in_cycles(cycles) : cycles;
    report.max_queue = statistics.max_queue;
  }
  if (watchers.monitor() != nullptr) watchers.monitor()->finish(engine, options.stalls, report);
  if (facts.unit_cycles) {
    report.time_units = static_cast<double>(cycles) / static_cast<double>(*facts.unit_cycles);
  }
  add_physical(report);
  report.wall_seconds = wall.count();
  report.router_cycles_per_second = static_cast<double>(plan.topology.nodes()) *
                                    static_cast<double>(cycles) / std::max(wall.count(), 1e-9);
  if (!failure.empty()) report.problems.push_back("assertion: " + failure);
  add_members(judge, watchers.counter(), report);
  check_figures(report);
  if (judge != nullptr && judge->misplaced() != 0) {
    report.problems.push_back(
        fmt::format("{} packets were sent by nodes that did not hold them", judge->misplaced()));
  }
  // The judge counts contributions; where their order matters, values are compared as well.
  if (complete && demand.needs_one_order()) {
    if (const auto difference = compare_orders(plan)) report.problems.push_back(*difference);
  }
  if (complete && report.problems.empty()) {
    auto found = add_sums(plan, report);
    if (trees != nullptr) *trees = std::move(found);
  }
  if (report.tcd && plan.expected.analytic_tcd && report.tcd != plan.expected.analytic_tcd) {
    report.problems.push_back(fmt::format("TCD: {} measured, {} by the formula", *report.tcd,
                                          *plan.expected.analytic_tcd));
  }
  return report;
}

}  // namespace

Report run_plan(const Plan& plan, Engine& engine, const RunOptions& options) {
  return run_and_judge(plan, engine, options, nullptr);
}

Report run_on_engine(std::string_view engine, const Plan& plan, const EngineOptions& engine_options,
                     RunOptions options) {
  const StallScript nobody;
  if (!engine_options.periods.empty()) options.stalls = &nobody;
  if (engine_options.stalls) options.stalls = &*engine_options.stalls;
  std::optional<SumTrees> trees;
  Report report = run_and_judge(plan, *make_engine(engine, plan, engine_options), options, &trees);
  // The witness of the first run shows contributors; words of the type show the operation and
  // lanes.
  const bool complete = report.complete.value_or(false) && report.problems.empty();
  if (complete && (trees || values_show_words(plan))) {
    if (const auto difference =
            compare_values(engine, plan, trees ? &*trees : nullptr, engine_options)) {
      report.problems.push_back(*difference);
    }
  }
  return report;
}

}  // namespace gossamer
