// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/broadcast/broadcast.hpp"

#include <fmt/format.h>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

NodeId parse_source(const Topology& topology, std::string_view text) {
  Coordinates at{};
  std::string_view rest = text;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::size_t comma = rest.find(',');
    const bool last = dim + 1 == topology.dimensions();
    const auto value = whole_number(rest.substr(0, comma));
    if (!value || *value >= topology.side(dim) || (comma == std::string_view::npos) != last) {
      throw InputError(fmt::format(
          "--source: \"{}\" is not a node of the {} {}; {} numbers below {} are expected", text,
          topology.kind(), topology.dims_text(), topology.dimensions(),
          joined(topology.sides(), ", ")));
    }
    at[static_cast<std::size_t>(dim)] = static_cast<std::uint32_t>(*value);
    if (!last) rest.remove_prefix(comma + 1);
  }
  return topology.node(at);
}

MessageTiming parse_timing(std::string_view text) {
  if (text == "step") return MessageTiming::kStep;
  if (text == "self") return MessageTiming::kSelf;
  throw InputError(fmt::format("--timing: \"{}\" is neither step nor self", text));
}

std::string_view timing_name(MessageTiming timing) {
  return timing == MessageTiming::kStep ? "step" : "self";
}

Plan make_broadcast_plan(const Topology& topology, std::string_view algorithm,
                         RelayProgram program) {
  std::map<std::string, ParameterValue> parameters;
  parameters["source"] = node_text(topology, program.source());
  parameters["flits"] = std::int64_t{program.clock.flits};
  parameters["hop-cycles"] = std::int64_t{program.clock.hop_cycles};
  parameters["relay-cycles"] = std::int64_t{program.clock.relay_cycles};
  parameters["timing"] = std::string(timing_name(program.clock.timing));
  ExpectedFigures expected;
  expected.lower_bound_steps = static_cast<std::uint64_t>(bounds::broadcast_steps(topology));
  const NodeId source = program.source();
  return {topology,
          "broadcast",
          std::string(algorithm),
          std::move(parameters),
          Demand::broadcast(source),
          std::move(program),
          expected};
}

RelayPath ordered_path(const Topology& topology, NodeId from, NodeId to,
                       const DimensionOrder& order) {
  const Coordinates a = topology.coordinates(from);
  const Coordinates b = topology.coordinates(to);
  RelayPath path;
  for (std::size_t k = 0; k < static_cast<std::size_t>(topology.dimensions()); ++k) {
    const std::size_t i = order[k];
    if (a[i] == b[i]) continue;
    const int dim = static_cast<int>(i);
    bool positive = b[i] > a[i];
    std::uint32_t hops = positive ? b[i] - a[i] : a[i] - b[i];
    const std::uint32_t around = topology.side(dim) - hops;
    if (topology.wraps(dim) && (around < hops || (around == hops && !positive))) {
      hops = around;
      positive = !positive;
    }
    path.push_back({make_port(dim, positive), static_cast<std::uint16_t>(hops)});
  }
  return path;
}

RelayPath ascending_path(const Topology& topology, NodeId from, NodeId to) {
  return ordered_path(topology, from, to, ascending_order());
}

Translation::Translation(const Topology& topology, NodeId from, NodeId to) : topology_(&topology) {
  const Coordinates a = topology.coordinates(from);
  const Coordinates b = topology.coordinates(to);
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    shift_[i] = (b[i] + topology.side(dim) - a[i]) % topology.side(dim);
  }
}

NodeId Translation::operator()(NodeId node) const {
  Coordinates at = topology_->coordinates(node);
  for (int dim = 0; dim < topology_->dimensions(); ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    at[i] = (at[i] + shift_[i]) % topology_->side(dim);
  }
  return topology_->node(at);
}

}  // namespace gossamer
