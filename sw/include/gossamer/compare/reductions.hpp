// SPDX-License-Identifier: Apache-2.0
/// The algorithms of a reduction side by side: steps by formula and by proof, against the bound.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/compare/table_style.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// One algorithm. Fields that are unknown or do not apply are empty.
struct ReductionComparisonRow {
  std::string algorithm;
  /// Why the algorithm rejected the shape or the vector; all fields below are then empty.
  std::string refusal;
  /// Words of the padded vector; the flits of a relayed message.
  std::uint64_t words = 0;
  /// The step at whose end the last word is complete, by the static proof; empty when the proof
  /// fails.
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> formula;
  std::optional<std::uint64_t> lower_bound;
  /// Clock cycles: the steps, unless messages are relayed.
  std::optional<std::uint64_t> cycles;
  /// Packets times links crossed.
  std::optional<std::uint64_t> link_transfers;
  /// Why `emit --format sv` cannot build the plan; an empty text if it can.
  std::optional<std::string> unbuildable;
  std::vector<std::string> problems;
};

struct ReductionComparison {
  Topology topology;
  std::string collective;
  std::vector<ReductionComparisonRow> rows;

  [[nodiscard]] bool has_problems() const;
};

/// Plans and proves the named algorithms of `collective`, a reduction, or all of the registry. Each
/// receives the entries of `parameters` that it supports. Throws InputError for unknown names.
[[nodiscard]] ReductionComparison compare_reductions(
    const Topology& topology, const std::string& collective,
    const std::map<std::string, ParameterValue>& parameters,
    const std::vector<std::string>& algorithms = {});

/// Human-readable: an aligned table, refusals below it.
[[nodiscard]] std::string comparison_table(const ReductionComparison& comparison,
                                           const TableStyle& style = {});
/// One JSON object with the same content; unknown figures are null.
[[nodiscard]] std::string comparison_json(const ReductionComparison& comparison);

}  // namespace gossamer
