// SPDX-License-Identifier: Apache-2.0
/// What latency and stalls cost an elastic plan: chunks and latencies side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer {

struct ElasticComparisonOptions {
  /// Empty: the default for the topology.
  std::string algorithm;
  std::uint32_t flits = 16;
  /// As `gossamer plan --chunk` and `--link-latency`; every one with every other.
  std::vector<std::string> chunks = {"auto"};
  std::vector<std::string> latencies = {"1"};
  /// As `gossamer simulate --stall`: a run each, beside the one in which nobody stalls.
  std::vector<std::string> stalls;
  /// Runs a plan; the script is null when nobody stalls.
  std::function<Report(const Plan& plan, const StallScript* stalls)> run;
};

/// A latency with a chunk. What is unknown or does not apply is empty.
struct ElasticComparisonRow {
  std::string latency;
  std::string chunk;
  /// Why there is no plan; all below is empty then.
  std::string refusal;
  std::optional<std::uint64_t> planned_chunk;
  std::optional<std::uint64_t> slots;
  /// Flits over the fullest link, and the latency of the longest such link less one: nobody ends
  /// before.
  std::optional<std::uint64_t> lower_bound;
  std::optional<std::uint64_t> formula;
  /// Nobody stalls, then by script.
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

/// Plans and runs every combination. Throws InputError for what no latency or script is.
[[nodiscard]] ElasticComparison compare_elastic(const Topology& topology,
                                                const ElasticComparisonOptions& options);

[[nodiscard]] std::string comparison_table(const ElasticComparison& comparison);
[[nodiscard]] std::string comparison_json(const ElasticComparison& comparison);

}  // namespace gossamer
