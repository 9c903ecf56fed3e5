// SPDX-License-Identifier: Apache-2.0
/// Broadcast algorithms side by side: measured steps, distance, cycles, and what they ask of the
/// hardware.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct BroadcastComparisonOptions {
  NodeId source = 0;
  /// Message length, delays and timing of all rows.
  RelayClock clock;
  /// Algorithms by name, in the order of the rows; empty: all that the registry has for broadcast.
  std::vector<std::string> algorithms;
};

/// One algorithm, executed on the fast engine. What is unknown or does not apply is empty.
struct BroadcastComparisonRow {
  std::string algorithm;
  /// Why the algorithm refused the topology or the source; all below is empty then.
  std::string refusal;
  /// Routers may copy a passing message: not one-port, and no rival on equal terms.
  bool fan_out = false;
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> lower_bound;
  /// Link traversals, measured and by formula.
  std::optional<std::uint64_t> tcd;
  std::optional<std::uint64_t> analytic_tcd;
  std::optional<std::uint64_t> cycles;
  std::optional<std::uint64_t> analytic_cycles;
  /// Sum over the steps of the longest send, in hops.
  std::optional<std::uint64_t> depth;
  std::optional<std::uint32_t> header_bits;
  /// Table bits of the node with the largest table.
  std::optional<std::uint64_t> table_bits;
  /// Messages that met another one on a link; 0 unless the plan is wrong.
  std::optional<std::uint64_t> conflicts;
};

struct BroadcastComparison {
  Topology topology;
  BroadcastComparisonOptions options;
  std::vector<BroadcastComparisonRow> rows;
};

/// Plans every algorithm from the source, executes it and puts the figures together. Throws
/// InputError for an unknown algorithm, std::logic_error when a plan breaks one of its own figures.
[[nodiscard]] BroadcastComparison compare_broadcast(const Topology& topology,
                                                    const BroadcastComparisonOptions& options);

/// For people: a heading and an aligned table, refusals below it.
[[nodiscard]] std::string comparison_table(const BroadcastComparison& comparison);
/// One JSON object with the same content; unknown figures are null.
[[nodiscard]] std::string comparison_json(const BroadcastComparison& comparison);

}  // namespace gossamer
