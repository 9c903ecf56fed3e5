// SPDX-License-Identifier: Apache-2.0
/// A step of a job: computations and collectives that depend on each other, laid out in time on two
/// streams, with Gossamer's plans and on the conventional network (docs/workload.md).
///
/// Times are whole cycles of the network's clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/compare/physical.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/report/report.hpp"

namespace gossamer {

/// A collective of the workload; texts have the form of the options of gossamer plan, and are empty
/// if they were not given.
struct WorkloadCollective {
  /// As in plan documents: gossip.
  std::string collective;
  std::string algorithm{};
  /// Bytes of a node's message, at least 1; a barrier has 1.
  std::uint64_t bytes = 0;
  std::string groups{};
  std::string group_stride{};
  std::string source{};

  auto operator<=>(const WorkloadCollective&) const = default;
};

struct WorkloadStep {
  std::string name;
  /// File and line of its description, for messages.
  std::string place;
  /// Empty: a computation.
  std::optional<WorkloadCollective> collective{};
  /// Duration of a computation, at least 1.
  std::uint64_t picoseconds = 0;
  /// Number of consecutive runs, at least 1.
  std::uint64_t repeat = 1;
  /// The steps, by index, all of whose runs end before the first run begins.
  std::vector<std::size_t> after{};
};

struct Workload {
  /// For the heading of a report.
  std::string name;
  std::vector<WorkloadStep> steps;
};

/// The most runs of all steps together.
inline constexpr std::uint64_t kMostWorkloadRuns = 100'000;

/// One run of a step: cycles `begin` .. `end` - 1.
struct TimedRun {
  std::size_t step = 0;
  /// From 0.
  std::uint64_t run = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool operator==(const TimedRun&) const = default;
};

/// Lays the steps out on two streams, one for computations and one for collectives. `cycles` has
/// the duration of a run of each step. A stream runs one step at a time. A free stream starts the
/// step that has been ready for the longest time; among equals, the first in the list. A step is
/// ready when the steps that it depends on have ended, and a repeated one when its previous run has
/// ended. The result is sorted by `begin`, then by step. Throws InputError for steps that depend on
/// each other in a circle, for too many runs, and for times beyond 64 bits.
[[nodiscard]] std::vector<TimedRun> lay_out(const Workload& workload,
                                            const std::vector<std::uint64_t>& cycles);

/// Whole cycles that a time takes, rounded up. Throws InputError if they exceed 64 bits.
[[nodiscard]] std::uint64_t cycles_of_time(std::uint64_t picoseconds, std::uint64_t hertz);

/// The best of the conventional network's orders for one collective.
struct ConventionalCost {
  /// The order of the messages (wormhole::order_name).
  std::string order;
  std::uint64_t cycles = 0;
  double femtojoules = 0;
  /// The message is too long for a simulation of all its flits: cycles and energy are extrapolated
  /// linearly from two shorter messages.
  bool extrapolated = false;
};

/// One collective, planned and proved.
struct WorkloadRow {
  WorkloadCollective request;
  Plan plan;
  /// The report of the proof.
  Report report;
  /// Cycles of one run.
  std::uint64_t cycles = 0;
  std::optional<double> femtojoules;
  std::uint64_t runs = 0;
  std::optional<ConventionalCost> conventional{};
};

/// A workload in time on one network.
struct WorkloadTimes {
  std::vector<TimedRun> timeline;
  std::uint64_t total = 0;
  /// Cycles in which a collective but no computation runs: the computations wait for communication.
  std::uint64_t exposed = 0;
  /// Cycles in which a collective runs.
  std::uint64_t communication = 0;
  /// Energy of all collectives; empty if unknown.
  std::optional<double> femtojoules;
};

struct WorkloadResult {
  Workload workload;
  Topology topology;
  /// Without bytes.
  PhysicalQuantities quantities;
  std::uint64_t compute = 0;
  /// By first appearance.
  std::vector<WorkloadRow> rows;
  /// The row of each step; empty for computations.
  std::vector<std::optional<std::size_t>> row_of;
  WorkloadTimes times;
  std::optional<WorkloadTimes> conventional;
};

/// Plans and proves each different collective once, and lays the workload out. `options` has the
/// link's quantities without bytes, and the conventional network; its algorithms and source are
/// not used. Throws InputError and InfeasibleError with the place of the step.
[[nodiscard]] WorkloadResult evaluate(Workload workload, const Topology& topology,
                                      const PhysicalComparisonOptions& options);

/// The plans of a workload as contexts of one network (docs/contexts.md).
struct WorkloadContexts {
  /// By row, the context that runs its plan. Plans that differ only in the bytes of their messages
  /// share a context.
  std::vector<std::optional<std::size_t>> context_of;
  /// By row, why its plan cannot be a context; empty if it can.
  std::vector<std::string> defects;
  /// The plan of contexts; empty if there are fewer than two.
  std::optional<Plan> plan;
};
[[nodiscard]] WorkloadContexts contexts_of(const WorkloadResult& result);

/// The files of a workload: the plan of each row, contexts.json if there are contexts, and
/// workload.json.
[[nodiscard]] std::vector<EmittedFile> workload_files(const WorkloadResult& result,
                                                      const WorkloadContexts& contexts);

/// The workload as input of ASTRA-sim (docs/workload.md): its Chakra traces with the communicator
/// groups, a custom collective for each row, the configuration, and a README with the command.
/// Throws InputError with the place of the step for a plan that traces cannot express, and for
/// networks with faults.
[[nodiscard]] std::vector<EmittedFile> astra_sim_files(const WorkloadResult& result);

/// Human-readable: the times on both networks, and the plans of the collectives.
[[nodiscard]] std::string workload_table(const WorkloadResult& result,
                                         const TableStyle& style = {});
/// One line with the contexts, and one for each plan that cannot be one.
[[nodiscard]] std::string contexts_text(const WorkloadResult& result,
                                        const WorkloadContexts& contexts);
/// One JSON object with the result, and with the contexts unless `contexts` is null.
[[nodiscard]] std::string workload_json(const WorkloadResult& result,
                                        const WorkloadContexts* contexts = nullptr);

}  // namespace gossamer
