// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/plan/discipline.hpp"
#include "gossamer/sim/folded_steps.hpp"
#include "gossamer/sim/judge.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/machines/elastic/standstill.hpp"
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
      fmt::format("simulate: the plan has no analytic_steps to stop at, and a "
                  "scoreboard would take {} MiB; give --scoreboard",
                  Judge::memory_bytes(plan) >> 20U));
}

/// Who watches a run. Those of the mesh see it folded.
class Watchers {
 public:
  Watchers(const Plan& plan, const RunOptions& options, bool judged)
      : topology_(options.fold ? Topology::mesh(plan.topology.sides()) : plan.topology) {
    const Demand& demand = plan.demand;
    ObserverList& shown = options.fold ? on_mesh_ : on_links_;
    // Of the copies of pieces that everybody starts with, the mesh's nodes only have other numbers.
    folded_judge_ =
        options.fold && demand.from == Origin::kEveryNode && demand.to == Destination::kEveryNode;
    // First the judge, who may say that the run was over in the step before.
    if (judged && folded_judge_) shown.add(&judge_.emplace(topology_, demand));
    if (judged && !folded_judge_) on_links_.add(&judge_.emplace(plan));
    shown.add(&counter_);
    if (options.trace != nullptr) {
      shown.add(&trace_.emplace(topology_, *options.trace, trace_form(plan)));
    }
    if (elastic_of(plan) != nullptr) on_links_.add(&takes_.emplace(plan));
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
  /// Elastic streams only.
  [[nodiscard]] const TakeCounter* takes() const { return takes_ ? &*takes_ : nullptr; }
  [[nodiscard]] const Judge* judge() const { return judge_ ? &*judge_ : nullptr; }

  /// Behind the run.
  void finish(const Engine& engine) {
    if (trace_) trace_->finish();
    if (judge_ && engine.done()) judge_->check_results(engine);
  }

  /// The completion step on the topology that is shown.
  [[nodiscard]] std::uint64_t completion_step(const Demand& demand) const {
    if (!folded_ || folded_judge_) return judge_->completion_step();
    // Ranked pieces travel until their barrier, whatever has moved by then.
    return demand.is_ranked() ? 2 * judge_->completion_step() : counter_.last_step();
  }

 private:
  Topology topology_;
  LinkCounter counter_;
  std::optional<TraceWriter> trace_;
  std::optional<TakeCounter> takes_;
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
  report.queued.reset();
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

/// Elastic streams: when the last flit was taken, and why not all were.
void add_takes(const TakeCounter& takes, const Engine& engine, const RunOptions& options,
               Report& report) {
  report.cycles = takes.last_cycle();
  if (options.stalls != nullptr) report.analytic_cycles.reset();
  const auto standstill =
      takes.standstill(engine, options.stalls != nullptr ? *options.stalls : StallScript());
  if (!standstill) return;
  const std::string_view name = standstill->deadlock ? "deadlock" : "waiting";
  report.elastic->standstill = name;
  report.problems.push_back(
      fmt::format("{}{}: {}", name,
                  takes.last_cycle() ? fmt::format(" after cycle {}", *takes.last_cycle()) : "",
                  standstill->text));
}

/// Flits of a packet of a partial collective, the unit of its times.
std::optional<std::uint32_t> partial_flits(const Plan& plan) {
  if (const auto* queued = std::get_if<QueuedProgram>(&plan.program)) return queued->clock.flits;
  if (plan.demand.to != Destination::kEachSource) return std::nullopt;
  return std::get<TimetableProgram>(plan.program).flits;
}

}  // namespace

std::optional<std::uint64_t> settled_after(const Plan& plan) {
  if (elastic_of(plan) != nullptr) return std::nullopt;
  if (const auto* table = std::get_if<TimetableProgram>(&plan.program)) {
    // The results of the last step are shown in the one after it.
    return table->steps() + 1;
  }
  const auto* streams = std::get_if<StreamProgram>(&plan.program);
  if (streams == nullptr) return std::nullopt;
  if (streams->combine) return streams->combine->steps() * streams->frame() + 1;
  std::uint64_t longest = 1;
  std::uint64_t last_switch = 0;
  for (const PortProgram& entry : streams->dictionary()) {
    longest = std::max<std::uint64_t>(longest, entry.preload.size());
    last_switch = std::max<std::uint64_t>(last_switch, entry.switch_step);
  }
  const std::uint64_t frame = streams->frame();
  return last_switch + frame * frame * plan.topology.link_slots() * longest;
}

std::uint64_t step_limit(const Plan& plan) {
  const auto settled = settled_after(plan);
  if (!settled) return kNoStepLimit;
  // A formula may promise anything: what is settled is not run for years.
  const auto analytic = plan.expected.analytic_steps;
  return analytic ? 2 * std::min(*analytic, *settled) + kGraceSteps : *settled;
}

void check_foldable(const Plan& plan) {
  if (!plan.topology.is_torus()) {
    throw InfeasibleError(
        fmt::format("fold: the plan is for {} {} already; nearest feasible: a plan for a torus",
                    with_article(plan.topology.dims_text()), plan.topology.kind()));
  }
  if (!plan.topology.is_healthy()) {
    throw InfeasibleError(
        "fold: the plan's torus has faults; nearest feasible: a plan for a torus without");
  }
  if (!discipline_of(plan).folds) {
    throw InfeasibleError(
        fmt::format("fold: {} plans have no steps of single links; nearest feasible: a gossip or "
                    "partial collective",
                    plan.collective));
  }
}

Report run_plan(const Plan& plan, Engine& engine, const RunOptions& options) {
  if (options.fold) check_foldable(plan);
  const bool judged = options.judged.value_or(Judge::memory_bytes(plan) <= kJudgeLimitBytes);
  const std::uint64_t limit =
      options.max_steps.value_or(options.max_steps ? 0 : step_limit(plan, judged));
  Watchers watchers(plan, options, judged);
  const auto start = std::chrono::steady_clock::now();
  std::string failure;
  try {
    watch(engine, limit, watchers.observer());
  } catch (const RelayAssertion& assertion) {
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
  const TakeCounter* takes = watchers.takes();
  if (complete && takes == nullptr) report.steps = watchers.completion_step(demand);
  report.link_transfers = watchers.counter().transfers();
  report.link_conflicts = statistics.link_conflicts + watchers.collisions();
  if (report.broadcast) {
    if (complete) report.cycles = judge->completion_cycle();
    report.tcd = report.link_transfers;
    report.broadcast->longest_hops = watchers.counter().longest_hops();
  } else if (takes != nullptr) {
    add_takes(*takes, engine, options, report);
  } else {
    report.cycles = report.physical ? report.physical->in_cycles(cycles) : cycles;
    report.max_queue = statistics.max_queue;
  }
  if (const auto flits = partial_flits(plan)) {
    report.time_units = static_cast<double>(cycles) / *flits;
  }
  add_physical(report);
  report.wall_seconds = wall.count();
  report.router_cycles_per_second = static_cast<double>(plan.topology.nodes()) *
                                    static_cast<double>(cycles) / std::max(wall.count(), 1e-9);
  if (!failure.empty()) report.problems.push_back("assertion: " + failure);
  check_figures(report);
  if (judge != nullptr && judge->misplaced() != 0) {
    report.problems.push_back(
        fmt::format("{} packets were sent by nodes that did not hold them", judge->misplaced()));
  }
  if (report.tcd && plan.expected.analytic_tcd && report.tcd != plan.expected.analytic_tcd) {
    report.problems.push_back(fmt::format("TCD: {} measured, {} by the formula", *report.tcd,
                                          *plan.expected.analytic_tcd));
  }
  return report;
}

std::function<std::optional<std::uint64_t>(const Plan&)> intervals_on(
    std::function<std::unique_ptr<Engine>(const Plan&)> engine) {
  return [engine = std::move(engine)](const Plan& plan) -> std::optional<std::uint64_t> {
    const Report report = run_plan(plan, *engine(plan));
    if (!report.problems.empty()) return std::nullopt;
    return report.cycles;
  };
}

Report run_experiment(const Experiment& experiment, std::string engine,
                      const DynamicRunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<DynamicPoint> points = run_dynamic(experiment, options);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  Report report = report_for(experiment, std::move(engine));
  report.dynamic->points = std::move(points);
  report.wall_seconds = wall.count();
  check_figures(report);
  return report;
}

}  // namespace gossamer
