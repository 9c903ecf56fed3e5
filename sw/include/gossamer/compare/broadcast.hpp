// SPDX-License-Identifier: Apache-2.0
/// Broadcast algorithms side by side from one source: measured steps, distance and cycles next to
/// the formulas, and hardware sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/compare/table_style.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct BroadcastComparisonOptions {
  NodeId source = 0;
  /// Flits, hop cycles and relay cycles. Both timings are compared; `timing` is ignored. Stream
  /// algorithms send as many packets as there are flits.
  MessageClock clock;
  /// Algorithms by name, in the order of the rows; empty: all broadcast algorithms of the registry.
  std::vector<std::string> algorithms;
  /// Runs a plan; empty: on the fast engine.
  std::function<Report(const Plan&)> run;
  /// Called with each algorithm's name before it is planned.
  Progress progress;
};

/// One algorithm. Fields that are unknown or do not apply are empty.
struct BroadcastComparisonRow {
  std::string algorithm;
  /// Why the algorithm rejected the topology or the source; all fields below are then empty.
  std::string refusal;
  /// False where routers copy passing flits to several output ports (`tree`, `disjoint-trees`).
  bool one_port = true;
  /// The last step with a send, measured and by formula.
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> steps_formula;
  /// Lower bound on the steps: ceil(log2 N) with one port, and the largest distance where routers
  /// copy messages. With packets it is larger by ceil(M / links of a corner) - 1.
  std::optional<std::uint64_t> steps_bound;
  /// Total communication distance: hops of all sends, summed over the plan's sends; empty for
  /// streams, which have no sends.
  std::optional<std::uint64_t> tcd;
  /// The same by closed form or dynamic program, if the plan states it.
  std::optional<std::uint64_t> tcd_formula;
  /// Links that the message crossed in the run.
  std::optional<std::uint64_t> link_traversals;
  /// The longest send of each step, in hops.
  std::vector<std::uint32_t> longest_hops;
  /// Cycles of the step-synchronous run, measured and by formula; empty for `tree`, which has no
  /// steps.
  std::optional<std::uint64_t> step_cycles;
  std::optional<std::uint64_t> step_cycles_formula;
  /// Cycles of the self-timed run, measured and by formula.
  std::optional<std::uint64_t> self_cycles;
  std::optional<std::uint64_t> self_cycles_formula;
  /// Bits of the message's header, of the largest router table and of all tables together.
  std::optional<std::uint64_t> header_bits;
  std::optional<std::uint64_t> most_table_bits;
  std::optional<std::uint64_t> table_bits;
  /// Why `emit --format sv` cannot build the plan; an empty text if it can.
  std::optional<std::string> unbuildable;
  /// Promises that a run did not keep, one line each; normally empty.
  std::vector<std::string> problems;
};

struct BroadcastComparison {
  Topology topology;
  NodeId source = 0;
  MessageClock clock;
  std::string engine;
  /// Lower bound on the hops: every live core except the source's is reached over a link.
  std::uint64_t tcd_bound = 0;
  std::vector<BroadcastComparisonRow> rows;

  /// True when some run broke a promise of its plan.
  [[nodiscard]] bool has_problems() const;
};

/// Plans every algorithm from the source with both timings, runs it, and collects the figures.
/// Throws InputError for an unknown algorithm.
[[nodiscard]] BroadcastComparison compare_broadcast(const Topology& topology,
                                                    const BroadcastComparisonOptions& options);

/// Human-readable: a heading and an aligned table, refusals below it. Cycles and distances are
/// shown next to their formulas. A count of steps has its formula only if the two differ, as "37
/// (36)".
[[nodiscard]] std::string comparison_table(const BroadcastComparison& comparison,
                                           const TableStyle& style = {});
/// One JSON object with the same content; unknown figures are null.
[[nodiscard]] std::string comparison_json(const BroadcastComparison& comparison);

}  // namespace gossamer
