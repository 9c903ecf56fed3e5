// SPDX-License-Identifier: Apache-2.0
/// Shared parts of the comparisons' tables and JSON objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gossamer::compare {

using TextRow = std::vector<std::string>;

/// Rows as lines with two blanks before each column, the first column to the left, the others to
/// the right. The first row is the header; all are as long as it.
[[nodiscard]] std::string aligned(const std::vector<TextRow>& rows);

/// "-" for an empty value.
template <typename T>
std::string cell(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "-";
}

/// "18", or "18 (20)" if the formula differs.
[[nodiscard]] std::string with_formula(const std::optional<std::uint64_t>& measured,
                                       const std::optional<std::uint64_t>& formula);

}  // namespace gossamer::compare
