// SPDX-License-Identifier: Apache-2.0
/// Parts that the text tables of the comparisons share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gossamer/compare/table_style.hpp"

namespace gossamer::compare {

/// The row of the plan for equal links on a network whose links are not equally fast: each of its
/// steps takes as long as the slowest link.
inline constexpr const char* kSlowestRow = "slowest";

using TextRow = std::vector<std::string>;

/// Rows as aligned lines, the first column to the left, the others to the right. The first row is
/// the header; all rows have its length. Columns beyond the style's width follow below, after a
/// blank line, with the first column repeated.
[[nodiscard]] std::string aligned(const std::vector<TextRow>& rows, const TableStyle& style);

/// "a, b and c"; two names at least.
[[nodiscard]] std::string listed(const std::vector<std::string_view>& names);

/// A note in lines of the style's width, with a line's end.
[[nodiscard]] std::string note(std::string_view text, const TableStyle& style);

/// The algorithms that refused the request, and those whose plans cannot be built, row by row.
class Refusals {
 public:
  void add(std::string_view algorithm, std::string_view reason);
  void add_unbuildable(std::string_view algorithm, std::string_view reason);
  /// Empty if there are none. The reasons are shown if the style says so.
  [[nodiscard]] std::string text(const TableStyle& style) const;

 private:
  std::vector<std::string> algorithms_;
  std::string reasons_;
  std::string unbuildable_;
};

/// The rows that were not refused, below the header; the others go to `refusals`. `cells` makes the
/// text of a row.
template <typename Row, typename Cells>
std::vector<TextRow> accepted(TextRow header, const std::vector<Row>& rows, const Cells& cells,
                              Refusals& refusals) {
  std::vector<TextRow> text{std::move(header)};
  for (const Row& row : rows) {
    if (row.refusal.empty()) {
      text.push_back(cells(row));
      if constexpr (requires { row.unbuildable; }) {
        if (row.unbuildable && !row.unbuildable->empty()) {
          refusals.add_unbuildable(row.algorithm, *row.unbuildable);
        }
      }
    } else {
      refusals.add(row.algorithm, row.refusal);
    }
  }
  return text;
}

/// "-" for an empty value.
template <typename T>
std::string cell(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "-";
}

/// "yes", "no", or "-" if unknown. `reason`: why not, empty if it can be built.
inline std::string buildable_cell(const std::optional<std::string>& reason) {
  if (!reason) return "-";
  return reason->empty() ? "yes" : "no";
}

/// "18", or "18 (20)" where the formula differs.
[[nodiscard]] std::string with_formula(const std::optional<std::uint64_t>& measured,
                                       const std::optional<std::uint64_t>& formula);

}  // namespace gossamer::compare
