// SPDX-License-Identifier: Apache-2.0
/// A network in JSON documents. Who includes this needs nlohmann-json.
#pragma once

#include <nlohmann/json.hpp>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Adds `topology`, `dims`, of a cylinder `wrap`, and `nodes`.
inline void add_network(nlohmann::ordered_json& json, const Topology& topology) {
  json["topology"] = topology.kind();
  json["dims"] = topology.sides();
  if (topology.kind() == "grid") json["wrap"] = topology.wrap_names();
  json["nodes"] = topology.nodes();
}

}  // namespace gossamer
