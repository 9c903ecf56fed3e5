// SPDX-License-Identifier: Apache-2.0
/// The report of a run or of a proof: one object, the same keys for every collective and engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/report/report_part.hpp"

namespace gossamer {

/// Figures of networks with faults.
struct FaultFigures {
  std::uint64_t live_nodes = 0;
  std::uint64_t dead_cores = 0;
  std::uint64_t dead_links = 0;
  std::uint64_t dead_arcs = 0;
  /// The set that gives the lower bound of an all-gather; otherwise empty.
  std::string bound_set;
};

/// Summation trees of reductions of floats (sim/sum_trees.hpp).
struct SumFigures {
  std::string type;
  std::string accumulate;
  /// Number of different trees, and the most additions from a leaf to the sum.
  std::optional<std::uint64_t> trees;
  std::optional<std::uint64_t> depth;
  std::optional<bool> same_at_every_node;
  bool length_invariant = false;
  std::optional<std::uint64_t> period;
  /// SHA-256 of the digests of all words' trees, in hexadecimal digits.
  std::optional<std::string> digest;
};

/// Keys and meaning: contract, "Report". An unknown figure is empty here and null in JSON.
struct Report {
  std::string collective;
  std::string algorithm;
  std::string topology;
  std::vector<std::uint32_t> dims;
  /// The dimensions of a grid that wrap. In the JSON of grids only.
  std::vector<std::string> wrap;
  std::uint64_t nodes = 0;
  /// Networks with faults only; the same in the JSON.
  std::optional<FaultFigures> faults;
  /// Only for networks whose links differ in speed; the same in the JSON. `busy_link_steps`: steps
  /// of all transfers over links, measured.
  std::optional<LinkPeriods> link_periods;
  std::optional<std::uint64_t> busy_link_steps;
  /// The engine's name, "cosim", or "proof" for the static verifier.
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
  /// The transfers between chiplets; known where links differ in speed, not part of the JSON.
  std::optional<std::uint64_t> die_transfers;
  std::optional<std::uint64_t> link_conflicts;
  std::optional<std::uint64_t> duplicates;
  std::optional<std::uint64_t> max_queue;
  /// Reductions only, also in the JSON: words that nodes should have and do not.
  std::optional<std::uint64_t> missing;
  /// Reductions of floats only; in the JSON null for integers.
  std::optional<SumFigures> sums;
  bool combines = false;
  /// Total communication distance: hops of all messages that take paths.
  std::optional<std::uint64_t> tcd;
  std::optional<double> wall_seconds;
  std::optional<double> router_cycles_per_second;
  /// For messages with paths of several links: the longest path of each step, in hops; entry s - 1
  /// for step s.
  std::vector<std::uint32_t> longest_hops;
  /// Why `emit --format sv` cannot build the plan; an empty text if it can. In JSON, `buildable` is
  /// this text or true.
  std::optional<std::string> unbuildable;
  /// Why a run of valid/ready routers ended before all flits were taken: "deadlock" or "waiting".
  std::optional<std::string> standstill;

  /// The part that is specific to some plans; may be null.
  std::shared_ptr<const ReportPart> part;
  /// Of a plan of several collectives, the report of each; steps are the collective's own.
  std::vector<Report> members;

  /// Plans with a message size in bytes: `physical`.
  std::optional<PhysicalFigures> physical;

  /// Proofs only: the method.
  std::optional<std::string> proved_by;

  /// The run ended after this number of steps, as requested, before the demand was met; not part of
  /// the JSON.
  std::optional<std::uint64_t> given_up_after;
  /// Broken promises, one line each; not part of the JSON.
  std::vector<std::string> problems;
};

/// A report with all figures of the plan itself filled in.
[[nodiscard]] Report report_for(const Plan& plan, const std::string& engine);

/// Stores measured cycles and links crossed in `physical`, or the plan's expected values without a
/// run.
void add_physical(Report& report);

/// Adds to `problems` every promise of the plan that the measured figures break.
void check_figures(Report& report);

/// The contract's JSON object, pretty-printed, with a final newline.
[[nodiscard]] std::string report_json(const Report& report);

/// "64 KiB per node in 64.51 us (64,512 cycles at 1 GHz), 1.016 GB/s per node, links busy 100.0 %,
/// 0.1 pJ per delivered bit"; unknown figures are omitted.
[[nodiscard]] std::string message_summary(const PhysicalFigures& figures);

/// The same, human-readable: an aligned two-column table.
[[nodiscard]] std::string report_table(const Report& report);

}  // namespace gossamer
