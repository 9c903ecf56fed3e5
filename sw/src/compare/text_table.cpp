// SPDX-License-Identifier: Apache-2.0
#include "text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gossamer::compare {

std::string aligned(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const TextRow& row : rows) {
    text += fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format("  {:>{}}", row[i], widths[i]);
    text += '\n';
  }
  return text;
}

std::string with_formula(const std::optional<std::uint64_t>& measured,
                         const std::optional<std::uint64_t>& formula) {
  if (!formula || measured == formula) return cell(measured);
  return fmt::format("{} ({})", cell(measured), *formula);
}

}  // namespace gossamer::compare
