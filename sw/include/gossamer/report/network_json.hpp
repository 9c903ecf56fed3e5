// SPDX-License-Identifier: Apache-2.0
/// A network in JSON documents. Files that include this need nlohmann-json.
#pragma once

#include <nlohmann/json.hpp>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Adds `topology`, `dims`, `wrap` (cylinders only) and `nodes`.
inline void add_network(nlohmann::ordered_json& json, const Topology& topology) {
  json["topology"] = topology.kind();
  json["dims"] = topology.sides();
  if (topology.kind() == "grid") json["wrap"] = topology.wrap_names();
  json["nodes"] = topology.nodes();
}

}  // namespace gossamer
