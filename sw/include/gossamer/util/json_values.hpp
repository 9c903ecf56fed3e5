// SPDX-License-Identifier: Apache-2.0
/// Optional values in JSON documents. Files that include this need nlohmann-json.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace gossamer {

/// The number, or null.
template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// The text, or null when it is empty.
inline nlohmann::ordered_json text_or_null(std::string_view text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

/// Whether hardware can be built: true for an empty reason why not, else the reason; null if
/// unknown.
inline nlohmann::ordered_json buildable_json(const std::optional<std::string>& reason) {
  if (!reason) return nullptr;
  return reason->empty() ? nlohmann::ordered_json(true) : nlohmann::ordered_json(*reason);
}

}  // namespace gossamer
