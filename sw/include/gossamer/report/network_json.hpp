// SPDX-License-Identifier: Apache-2.0
/// A network in JSON documents. Files that include this need nlohmann-json.
#pragma once

#include <nlohmann/json.hpp>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// {"chiplets", "inside", "between"}; null where there are no chiplets.
inline nlohmann::ordered_json link_periods_json(const LinkPeriods& periods) {
  const auto list = [](const std::vector<std::uint32_t>& numbers) {
    return numbers.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(numbers);
  };
  return {{"chiplets", list(periods.chiplets)},
          {"inside", list(periods.inside)},
          {"between", list(periods.between)}};
}

/// Adds `topology`, `dims`, `wrap` (cylinders only), `nodes`, and `link_periods` where links differ
/// in speed.
inline void add_network(nlohmann::ordered_json& json, const Topology& topology) {
  json["topology"] = topology.kind();
  json["dims"] = topology.sides();
  if (topology.kind() == "grid") json["wrap"] = topology.wrap_names();
  json["nodes"] = topology.nodes();
  if (!topology.has_equal_links()) {
    json["link_periods"] = link_periods_json(topology.link_periods());
  }
}

}  // namespace gossamer
