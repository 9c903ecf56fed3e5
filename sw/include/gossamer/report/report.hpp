// SPDX-License-Identifier: Apache-2.0
/// The report of a run or of a proof: one object, the same keys for every collective and engine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/partial/dynamic_point.hpp"
#include "gossamer/plan/experiment.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/report/physical.hpp"

namespace gossamer {

/// What only broadcasts have; stands behind the common keys.
struct BroadcastFigures {
  /// Longest send of each step, in hops; entry s - 1 for step s. Empty when not measured.
  std::vector<std::uint32_t> longest_hops;
  /// Bits of the message's header, its id not counted.
  std::uint32_t header_bits = 0;
  /// Table bits of the node with the largest table, and of all nodes together.
  std::uint64_t table_bits = 0;
  std::uint64_t table_bits_all = 0;
};

/// A stretch of a queued program from one barrier to the next, the same for all classes.
struct PhaseLength {
  /// phase_kind_name, with `deal-` before it in the round that deals packets to classes.
  std::string phase;
  /// Number among those of its name, from 1.
  int subphase = 1;
  /// On the clock of prefix steps, else on that of sub-steps.
  bool prefix = false;
  /// First step; steps until the barrier. Empty: until the queues are drained, that is the report's
  /// `steps`.
  std::uint64_t start = 1;
  std::optional<std::uint64_t> steps;
};

/// What the report of a queued program shows besides.
struct QueuedFigures {
  std::vector<PhaseLength> phases;
  std::uint64_t prefix_steps = 0;
  /// Cycles of a prefix step, of a sub-step and of a unit (a whole packet).
  std::uint64_t prefix_flits = 1;
  std::uint64_t substep_flits = 1;
  std::uint64_t flits = 1;
  /// Packets that routers are built to queue at an out-port.
  std::uint64_t queue_depth = 1;
  /// Exchanges by the paper's rule: bounds::exchange_proved_bound.
  std::optional<std::uint64_t> proved_bound_steps;
};

/// What the report of elastic streams shows besides.
struct ElasticFigures {
  std::uint64_t flits = 1;
  std::uint64_t chunk = 1;
  std::uint64_t rounds = 1;
  std::uint64_t slots = 1;
  /// Why a run ended before everything was taken: "deadlock" or "waiting".
  std::optional<std::string> standstill;
};

/// What the report of a dynamic broadcast shows besides.
struct DynamicFigures {
  /// In the plan's order.
  std::vector<DynamicPoint> points;
  /// dynamic_load_limit.
  double load_limit = 0;
};

/// What only networks with faults have.
struct FaultFigures {
  std::uint64_t live_nodes = 0;
  std::uint64_t dead_cores = 0;
  std::uint64_t dead_links = 0;
  std::uint64_t dead_arcs = 0;
  /// What gives the lower bound of an all-gather; else empty.
  std::string bound_set;
};

/// Keys and meaning: contract, "Report". An unknown figure is empty here and null in JSON.
struct Report {
  std::string collective;
  std::string algorithm;
  std::string topology;
  std::vector<std::uint32_t> dims;
  /// Of a grid: the dimensions that wrap. In the JSON of grids only.
  std::vector<std::string> wrap;
  std::uint64_t nodes = 0;
  /// Networks with faults only, in the JSON, too.
  std::optional<FaultFigures> faults;
  /// "fast", "systemc", "rtl", "cosim", or "proof" for the static verifier.
  std::string engine;
  std::optional<std::uint64_t> packets;
  std::optional<std::uint64_t> packets_per_node;
  std::optional<bool> complete;
  /// Measured: the step at whose end the last node has its last packet.
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> analytic_steps;
  std::optional<std::uint64_t> lower_bound_steps;
  std::optional<std::uint64_t> bound_steps;
  std::optional<std::uint64_t> cycles;
  std::optional<std::uint64_t> analytic_cycles;
  std::optional<double> time_units;
  std::optional<std::uint64_t> link_transfers;
  std::optional<std::uint64_t> link_conflicts;
  std::optional<std::uint64_t> duplicates;
  std::optional<std::uint64_t> max_queue;
  /// Reductions only, in the JSON, too: words that nodes should have and have not.
  std::optional<std::uint64_t> missing;
  /// Total communication distance (broadcast).
  std::optional<std::uint64_t> tcd;
  std::optional<double> wall_seconds;
  std::optional<double> router_cycles_per_second;
  std::optional<BroadcastFigures> broadcast;

  /// Queued programs only: `queue_depth`, `phases`, and bounds in time units.
  std::optional<QueuedFigures> queued;
  /// Elastic streams only: `flits` to `standstill`.
  std::optional<ElasticFigures> elastic;
  /// Dynamic broadcast only: `load` to `stable`, `load_limit` and `points`.
  std::optional<DynamicFigures> dynamic;

  /// Plans of a message of so many bytes: `physical`.
  std::optional<PhysicalFigures> physical;

  /// Proofs only: method_name of how it was reached.
  std::optional<std::string> proved_by;

  /// The run was ended after so many steps, as asked and with the demand unmet; not part of the
  /// JSON.
  std::optional<std::uint64_t> given_up_after;
  /// What does not hold, one line each; not part of the JSON.
  std::vector<std::string> problems;
};

/// A report with everything that the plan itself says filled in.
[[nodiscard]] Report report_for(const Plan& plan, std::string engine);
[[nodiscard]] Report report_for(const Experiment& experiment, std::string engine);

/// Puts measured cycles and links crossed into `physical`, or what the plan expects where nothing
/// has run.
void add_physical(Report& report);

/// Adds to `problems` every promise of the plan that the measured figures break.
void check_figures(Report& report);

/// The contract's JSON object, pretty-printed, with a line end.
[[nodiscard]] std::string report_json(const Report& report);

/// "64 KiB a node in 64.51 us (64,512 cycles at 1 GHz), 1.016 GB/s a node, links busy 100.0 %,
/// 0.1 pJ a delivered bit"; what is not known is left out.
[[nodiscard]] std::string message_summary(const PhysicalFigures& figures);

/// The same for people: an aligned two-column table.
[[nodiscard]] std::string report_table(const Report& report);

}  // namespace gossamer
