// SPDX-License-Identifier: Apache-2.0
#include "text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/util/text.hpp"

namespace gossamer::compare {

namespace {

constexpr std::size_t kGap = 2;

/// Column 0 and the columns from `first` to before `last`.
std::string block(const std::vector<TextRow>& rows, const std::vector<std::size_t>& widths,
                  std::size_t first, std::size_t last) {
  std::string text;
  for (const TextRow& row : rows) {
    append_format(text, "{:{}}{:<{}}", "", kGap, row[0], widths[0]);
    for (std::size_t i = first; i < last; ++i) {
      append_format(text, "{:{}}{:>{}}", "", kGap, row[i], widths[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string aligned(const std::vector<TextRow>& rows, const TableStyle& style) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (std::size_t first = 1; first < widths.size();) {
    std::size_t line = kGap + widths[0];
    std::size_t last = first;
    while (last < widths.size() && (last == first || line + kGap + widths[last] <= style.columns)) {
      line += kGap + widths[last++];
    }
    if (!text.empty()) text += '\n';
    text += block(rows, widths, first, last);
    first = last;
  }
  return text;
}

std::string listed(const std::vector<std::string_view>& names) {
  return fmt::format("{} and {}", joined(names, ", ", names.size() - 1), names.back());
}

std::string note(std::string_view text, const TableStyle& style) {
  return joined(wrapped(text, style.columns), "\n") + "\n";
}

void Refusals::add(std::string_view algorithm, std::string_view reason) {
  algorithms_.emplace_back(algorithm);
  const std::string name = fmt::format("{}: ", algorithm);
  append_format(reasons_, "  {} refused: {}\n", algorithm,
                reason.starts_with(name) ? reason.substr(name.size()) : reason);
}

void Refusals::add_unbuildable(std::string_view algorithm, std::string_view reason) {
  append_format(unbuildable_, "  {} is not buildable: {}\n", algorithm, reason);
}

std::string Refusals::text(const TableStyle& style) const {
  if (style.reasons) return unbuildable_ + reasons_;
  if (algorithms_.empty()) return {};
  return note(fmt::format("do not apply (--all shows the reasons): {}", joined(algorithms_, ", ")),
              style);
}

std::string with_formula(const std::optional<std::uint64_t>& measured,
                         const std::optional<std::uint64_t>& formula) {
  if (!formula || measured == formula) return cell(measured);
  return fmt::format("{} ({})", cell(measured), *formula);
}

}  // namespace gossamer::compare
