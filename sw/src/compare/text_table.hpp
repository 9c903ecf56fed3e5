// SPDX-License-Identifier: Apache-2.0
/// What the comparisons' tables and JSON objects share.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gossamer::compare {

using TextRow = std::vector<std::string>;

/// Rows as lines with two blanks before each column, the first column to the left, the others to
/// the right. The first row is the header; all are as long as it.
[[nodiscard]] std::string aligned(const std::vector<TextRow>& rows);

/// "-" for nothing.
template <typename T>
std::string cell(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "-";
}

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json text_or_null(std::string_view text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace gossamer::compare
