// SPDX-License-Identifier: Apache-2.0
/// The cost of latency and stalls in an elastic plan: chunks and latencies side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/compare/table_style.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer {

struct ElasticComparisonOptions {
  /// Empty: the default for the topology.
  std::string algorithm;
  std::uint32_t flits = 16;
  /// Values of `gossamer plan --chunk` and `--link-latency`; all combinations are run.
  std::vector<std::string> chunks = {"auto"};
  std::vector<std::string> latencies = {"1"};
  /// Values of `gossamer simulate --stall`: one run each, in addition to the run without stalls.
  std::vector<std::string> stalls;
  /// Runs a plan; the script is null in the run without stalls.
  std::function<Report(const Plan& plan, const StallScript* stalls)> run;
};

/// One latency with one chunk. Fields that are unknown or do not apply are empty.
struct ElasticComparisonRow {
  std::string latency;
  std::string chunk;
  /// Why there is no plan; all fields below are then empty.
  std::string refusal;
  std::optional<std::uint64_t> planned_chunk;
  std::optional<std::uint64_t> slots;
  /// Lower bound on the cycles: flits over the fullest link, plus the latency of the longest such
  /// link, minus 1.
  std::optional<std::uint64_t> lower_bound;
  std::optional<std::uint64_t> formula;
  /// Cycles of the run without stalls, then of the run with each script.
  std::vector<std::optional<std::uint64_t>> cycles;
  std::vector<std::string> problems;
};

struct ElasticComparison {
  Topology topology;
  std::uint32_t flits = 1;
  std::vector<std::string> stalls;
  std::vector<ElasticComparisonRow> rows;

  [[nodiscard]] bool has_problems() const;
};

/// Plans and runs every combination. Throws InputError for invalid latencies and scripts.
[[nodiscard]] ElasticComparison compare_elastic(const Topology& topology,
                                                const ElasticComparisonOptions& options);

/// Human-readable: an aligned table, refusals below it.
[[nodiscard]] std::string comparison_table(const ElasticComparison& comparison,
                                           const TableStyle& style = {});
/// One JSON object with the same content; unknown figures are null.
[[nodiscard]] std::string comparison_json(const ElasticComparison& comparison);

}  // namespace gossamer
