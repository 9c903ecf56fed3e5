// SPDX-License-Identifier: Apache-2.0
/// All-gather algorithms side by side: measured steps, formulas, bounds, hardware, and time by the
/// paper's cost model (Meyer & Sibeyn, section 5).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/bounds/comparison.hpp"
#include "gossamer/compare/table_style.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

/// How a row's steps were obtained.
enum class MeasuredBy {
  /// Not measured: the algorithm rejected the topology, or its plan is not complete.
  kNothing,
  /// The fast engine with a scoreboard.
  kSimulation,
  /// The static verifier: the simulation would exceed the limit.
  kProof,
  /// The caller's own measurement.
  kCaller,
};

/// "", "simulated", "proved", "measured".
[[nodiscard]] std::string_view measured_by_name(MeasuredBy by);

struct GossipComparisonOptions {
  /// Normalised start-up times r >= 0: the fixed cost per packet, in units of the time that one
  /// node's whole data takes over a link. Steps are measured once for all of them.
  std::vector<double> startups = {0.1};
  /// Algorithms by name, in the order of the rows; empty: all all-gather algorithms of the
  /// registry.
  std::vector<std::string> algorithms;
  /// The completing step of a plan on the caller's own engine, empty when it does not complete.
  /// Without it, the fast engine runs plans up to `simulation_limit`, and the verifier proves
  /// larger ones.
  std::function<std::optional<std::uint64_t>(const Plan&)> measure;
  /// The largest simulation, in links times steps; one of 10^9 takes a few seconds.
  std::uint64_t simulation_limit = 1'000'000'000;
  /// Called with each algorithm's name before it is planned.
  Progress progress;
};

/// Time by the cost model, for one start-up time.
struct GossipTime {
  double startup = 0;
  /// Measured steps times (1/k + r): k packets per node have size 1/k.
  std::optional<double> measured;
  /// The result of the paper's formula, if it has one for the algorithm.
  std::optional<double> paper;
};

/// One algorithm. Fields that are unknown or do not apply are empty.
struct GossipComparisonRow {
  std::string algorithm;
  /// The algorithm of the plan. It differs from the row's if that one delegates to another.
  std::string planned_by;
  /// Why the algorithm rejected the topology; all fields below are then empty.
  std::string refusal;
  std::uint32_t packets_per_node = 0;
  /// The step at whose end the last node has its last packet.
  std::optional<std::uint64_t> steps;
  MeasuredBy measured_by = MeasuredBy::kNothing;
  /// Steps by the algorithm's own formula.
  std::optional<std::uint64_t> formula;
  /// Lower bound on the steps with this number of packets per node.
  std::optional<std::uint64_t> lower_bound;
  /// Theorem 1's bound, if the theorem applies to the plan.
  std::optional<std::uint64_t> theorem1;
  /// Packets that one router can hold, including its own.
  std::optional<std::uint64_t> buffer_packets;
  /// Bits that configure one router (table_bits).
  std::optional<std::uint64_t> table_bits;
  /// Why `emit --format sv` cannot build the plan; an empty text if it can.
  std::optional<std::string> unbuildable;
  /// One for each start-up time of the options.
  std::vector<GossipTime> times;
  /// The name of the paper's formula: T_opt, T_one, T_stv.
  std::string paper_formula;
};

struct GossipComparison {
  Topology topology;
  std::vector<double> startups;
  /// Theorem 1's bound on this topology (2-D torus).
  std::optional<std::uint64_t> theorem1;
  std::vector<GossipComparisonRow> rows;
};

/// Plans every algorithm with its default options, measures it, and collects the figures. Where
/// links differ in speed, the last row is the default plan for equal links at the speed of the
/// slowest (kSlowestRow). Throws InputError for an unknown algorithm and for a missing, negative or
/// infinite start-up time.
[[nodiscard]] GossipComparison compare_gossip(const Topology& topology,
                                              const GossipComparisonOptions& options);

/// Human-readable: a heading and an aligned table, refusals below it.
[[nodiscard]] std::string comparison_table(const GossipComparison& comparison,
                                           const TableStyle& style = {});
/// One JSON object with the same content; unknown figures are null.
[[nodiscard]] std::string comparison_json(const GossipComparison& comparison);

/// One cell of the paper's Table 2, in time units, unrounded.
struct Table2Cell {
  std::uint32_t side = 0;
  int dimensions = 0;
  double startup = 0;
  double scheduled = 0;
  double optimal = 0;
  double one_packet = 0;
};

/// The 18 cells of Table 2 (sides 4, 16, 64; r = .01, .1, 1; d = 2, 3), side by side as printed.
/// With Fractions::kAsPrinted all 54 figures round to the printed ones, with kExact 40 of them do.
[[nodiscard]] std::vector<Table2Cell> paper_table2(bounds::Fractions fractions);

/// Times of one cell of Table 2 from measured steps; empty where the algorithm does not support the
/// torus (T_one on the cubes: no side is a multiple of 3).
struct Table2Measured {
  std::uint32_t side = 0;
  int dimensions = 0;
  double startup = 0;
  std::optional<double> scheduled;
  std::optional<double> optimal;
  std::optional<double> one_packet;
};

/// The cells of paper_table2, in the same order, with the steps of the planned algorithms as
/// compare_gossip measures them.
[[nodiscard]] std::vector<Table2Measured> measured_table2(const Progress& progress);

/// Human-readable: the figures as printed in the paper, with exact thirds, and from measured steps.
[[nodiscard]] std::string table2_text(const std::vector<Table2Measured>& measured,
                                      const TableStyle& style = {});
/// The same as one JSON object.
[[nodiscard]] std::string table2_json(const std::vector<Table2Measured>& measured);

}  // namespace gossamer
