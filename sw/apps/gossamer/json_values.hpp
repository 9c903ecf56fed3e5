// SPDX-License-Identifier: Apache-2.0
/// Values of reports that may not be known.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace gossamer::cli {

/// The number, or null.
template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace gossamer::cli
