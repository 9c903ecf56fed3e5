// SPDX-License-Identifier: Apache-2.0
#include "flat_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/plan/embedding.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Port of the network for each port of the one without flat sides.
std::vector<Port> full_ports(const Topology& topology) {
  std::vector<Port> ports;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    if (topology.side(dim) == 1) continue;
    ports.push_back(make_port(dim, false));
    ports.push_back(make_port(dim, true));
  }
  return ports;
}

}  // namespace

bool has_flat_sides(const Topology& topology) {
  return std::find(topology.sides().begin(), topology.sides().end(), 1U) != topology.sides().end();
}

Topology without_flat_sides(const Topology& topology) {
  Topology narrow = narrowed(topology);
  if (topology.is_healthy()) return narrow;
  const std::vector<Port> ports = full_ports(topology);
  Faults faults = topology.faults();
  for (LinkId& arc : faults.dead_arcs) {
    const auto port = std::find(ports.begin(), ports.end(), topology.link_port(arc));
    arc = narrow.link(topology.link_from(arc), static_cast<Port>(port - ports.begin()));
  }
  return narrow.with_faults(std::move(faults));
}

PlanRequest without_flat_sides(const PlanRequest& request) {
  PlanRequest narrow = request;
  narrow.topology = without_flat_sides(request.topology);
  if (const auto source = typed_option(request, "source")) {
    narrow.parameters["source"] =
        node_text(narrow.topology, parse_source(request.topology, *source));
  }
  return narrow;
}

Plan with_flat_sides(const Plan& plan, const Topology& topology) {
  Embedding embedding{plan.topology, topology, 1, std::vector<NodeId>(topology.nodes()), {}};
  std::iota(embedding.nodes.begin(), embedding.nodes.end(), NodeId{0});
  const std::vector<Port> ports = full_ports(topology);
  for (LinkId link = 0; link < plan.topology.link_slots(); ++link) {
    embedding.links.push_back({.port = ports[plan.topology.link_port(link)]});
  }
  Plan full = embedded_plan(plan, embedding);
  if (const auto source = full.parameters.find("source"); source != full.parameters.end()) {
    source->second = node_text(topology, plan.demand.root);
  }
  return full;
}

}  // namespace gossamer
