// SPDX-License-Identifier: Apache-2.0
/// Broadcast algorithms side by side from one source: measured steps, distance and cycles next to
/// the formulas, and what the hardware needs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct BroadcastComparisonOptions {
  NodeId source = 0;
  /// Flits, hop cycles and relay cycles. Both timings are compared; `timing` is not looked at.
  /// Algorithms of streams send as many packets as there are flits.
  MessageClock clock;
  /// Algorithms by name, in the order of the rows; empty: all that the registry has for broadcast.
  std::vector<std::string> algorithms;
  /// How a plan is run; empty: on the fast engine.
  std::function<Report(const Plan&)> run;
  /// Called with each algorithm's name before it is planned.
  Progress progress;
};

/// One algorithm. What is unknown or does not apply is empty.
struct BroadcastComparisonRow {
  std::string algorithm;
  /// Why the algorithm refused the topology or the source; all below is empty then.
  std::string refusal;
  /// False where routers copy what passes to several out-ports (`tree`, `disjoint-trees`).
  bool one_port = true;
  /// The last step with a send, run and by formula.
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> steps_formula;
  /// Steps that nobody can beat: ceil(log2 N) with one port, the largest distance where routers
  /// copy messages, and with packets ceil(M / links of a corner) - 1 more.
  std::optional<std::uint64_t> steps_bound;
  /// Total communication distance: hops of all sends, added up from the plan's sends; empty for
  /// streams, which have none.
  std::optional<std::uint64_t> tcd;
  /// The same by closed form or dynamic program, where the plan states one.
  std::optional<std::uint64_t> tcd_formula;
  /// Links that the message crossed in the run.
  std::optional<std::uint64_t> link_traversals;
  /// The longest send of each step, in hops.
  std::vector<std::uint32_t> longest_hops;
  /// Cycles of the step-synchronous run and by formula; empty for `tree`, which has no steps.
  std::optional<std::uint64_t> step_cycles;
  std::optional<std::uint64_t> step_cycles_formula;
  /// Cycles of the self-timed run and by formula.
  std::optional<std::uint64_t> self_cycles;
  std::optional<std::uint64_t> self_cycles_formula;
  /// Bits of the message's header, of the largest router table and of all tables together.
  std::optional<std::uint64_t> header_bits;
  std::optional<std::uint64_t> most_table_bits;
  std::optional<std::uint64_t> table_bits;
  /// What did not hold in a run, one line each; normally none.
  std::vector<std::string> problems;
};

struct BroadcastComparison {
  Topology topology;
  NodeId source = 0;
  MessageClock clock;
  std::string engine;
  /// Hops that nobody can save: every live core but the source's is reached over a link.
  std::uint64_t tcd_bound = 0;
  std::vector<BroadcastComparisonRow> rows;

  /// True when some run broke a promise of its plan.
  [[nodiscard]] bool has_problems() const;
};

/// Plans every algorithm from the source with both timings, runs it, and puts the figures together.
/// Throws InputError for an unknown algorithm.
[[nodiscard]] BroadcastComparison compare_broadcast(const Topology& topology,
                                                    const BroadcastComparisonOptions& options);

/// For people: a heading and an aligned table, refusals below it. Cycles and distances stand
/// beside their formulas; a count of steps only where its formula differs, as "37 (36)".
[[nodiscard]] std::string comparison_table(const BroadcastComparison& comparison);
/// One JSON object with the same content; unknown figures are null.
[[nodiscard]] std::string comparison_json(const BroadcastComparison& comparison);

}  // namespace gossamer
