// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/plan/discipline.hpp"
#include "gossamer/sim/folded_steps.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/queued_engine.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Remembers the last step in which anything moved.
class LastTransfer final : public StepObserver {
 public:
  bool on_step(std::uint64_t step, std::span<const PacketId> links) override {
    if (std::any_of(links.begin(), links.end(), [](PacketId id) { return id != kNoPacket; })) {
      step_ = step;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t step() const { return step_; }

 private:
  std::uint64_t step_ = 0;
};

}  // namespace

void check_foldable(const Plan& plan) {
  if (!plan.topology.is_torus()) {
    throw InfeasibleError(
        fmt::format("fold: the plan is for a {} mesh already; nearest feasible: a plan for a torus",
                    plan.topology.dims_text()));
  }
  if (!discipline_of(plan).folds) {
    throw InfeasibleError(
        fmt::format("fold: {} plans have no steps of single links; nearest feasible: a gossip or "
                    "partial collective",
                    plan.collective));
  }
}

Report run_folded_plan(const Plan& plan, Engine& engine, const RunOptions& options) {
  check_foldable(plan);
  const Topology mesh = Topology::mesh(plan.topology.sides());
  const auto* queued = std::get_if<QueuedProgram>(&plan.program);
  const bool gossip = plan.collective == "gossip";
  const std::uint32_t ids_per_node = packets_per_node(plan);
  // The mesh's observers, then the torus's.
  ObserverList on_mesh;
  TransferCounter counter;
  on_mesh.add(&counter);
  LastTransfer last;
  on_mesh.add(&last);
  std::unique_ptr<TraceWriter> trace;
  if (options.trace != nullptr) {
    trace = std::make_unique<TraceWriter>(mesh, *options.trace);
    on_mesh.add(trace.get());
  }
  std::unique_ptr<Scoreboard> gossip_board;
  if (gossip) {
    gossip_board = std::make_unique<Scoreboard>(mesh, ids_per_node);
    on_mesh.add(gossip_board.get());
  }
  FoldedSteps folded(plan.topology, ids_per_node, on_mesh, plan.demand.is_personal());
  ObserverList on_torus;
  on_torus.add(&folded);
  std::unique_ptr<QueuedScoreboard> torus_board;
  if (!gossip) {
    torus_board = std::make_unique<QueuedScoreboard>(plan);
    on_torus.add(torus_board.get());
  }
  const auto analytic = plan.expected.analytic_steps;
  ProgressObserver progress(options.progress, analytic.value_or(0));
  if (options.progress) on_torus.add(&progress);

  std::uint64_t limit = ~std::uint64_t{0};
  if (queued == nullptr) limit = step_limit(plan);
  const auto start = std::chrono::steady_clock::now();
  engine.run(options.max_steps.value_or(limit), &on_torus);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  const EngineStatistics statistics = engine.statistics();
  Report report = report_for(plan, std::string(engine.name()));
  report.topology = mesh.kind();
  report.queued.reset();
  report.bound_steps.reset();
  report.lower_bound_steps.reset();
  report.analytic_cycles.reset();
  if (analytic) report.bound_steps = 2 * *analytic;
  report.analytic_steps.reset();
  if (gossip) report.lower_bound_steps = bounds::gossip_lower_bound(mesh, ids_per_node);
  report.complete = gossip ? gossip_board->complete() : torus_board->complete();
  // Packing and routing last until their barrier, whatever has moved by then.
  const bool to_barrier = plan.demand.is_ranked();
  if (*report.complete) {
    report.steps = gossip       ? gossip_board->completion_step()
                   : to_barrier ? 2 * torus_board->completion_step()
                                : last.step();
  }
  if (gossip) report.duplicates = gossip_board->duplicates();
  if (!gossip) report.duplicates = torus_board->duplicates();
  report.cycles = 2 * statistics.cycles;
  if (queued != nullptr) {
    report.time_units = static_cast<double>(*report.cycles) / queued->clock.flits;
  }
  report.link_transfers = counter.transfers();
  report.link_conflicts = statistics.link_conflicts + folded.collisions();
  report.max_queue = statistics.max_queue;
  report.wall_seconds = wall.count();
  report.router_cycles_per_second = static_cast<double>(mesh.nodes()) *
                                    static_cast<double>(*report.cycles) /
                                    std::max(wall.count(), 1e-9);
  judge(report);
  return report;
}

}  // namespace gossamer
