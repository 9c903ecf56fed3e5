// SPDX-License-Identifier: Apache-2.0
#include "flat_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gossamer/broadcast/broadcast.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/overloaded.hpp"

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

StreamProgram widened(const StreamProgram& narrow, const Topology& topology) {
  const std::vector<Port> ports = full_ports(topology);
  const std::uint32_t frame = narrow.frame();
  const int columns = topology.ports() * static_cast<int>(frame);
  if (columns > kMaxPorts) {
    throw InfeasibleError(fmt::format(
        "dims: {} ports in frames of {} steps, at most {} together; nearest feasible: without the "
        "sides of 1",
        topology.ports(), frame, kMaxPorts));
  }
  const auto column = [&](std::size_t port) {
    return static_cast<Port>(std::size_t{ports[port / frame]} * frame + port % frame);
  };
  const auto moved = [&](PortSet set) {
    PortSet result;
    for (const Port port : set) result.insert(column(port));
    return result;
  };
  StreamProgram program(topology.nodes(), columns, narrow.packets_per_node(), frame);
  program.combine = narrow.combine;
  // Where lanes are lines of a dimension they keep the dimension's number; cycles have none.
  const bool by_dimension = narrow.combine && narrow.combine->blocks == 1;
  if (by_dimension) {
    Combination& combine = *program.combine;
    const auto dimensions = static_cast<std::size_t>(topology.dimensions());
    combine.ranks.assign(topology.nodes() * dimensions, 0);
    for (CombineLeg& leg : combine.legs) {
      std::vector<std::optional<CombineLane>> lanes(2 * dimensions);
      for (std::size_t lane = 0; lane < leg.lanes.size(); ++lane) {
        lanes[2 * static_cast<std::size_t>(dimension_of(ports[lane])) + lane % 2] = leg.lanes[lane];
      }
      leg.lanes = std::move(lanes);
    }
  }
  std::vector<std::uint32_t> codes;
  for (PortProgram entry : narrow.dictionary()) {
    if (by_dimension && entry.lane) {
      entry.lane =
          static_cast<std::uint8_t>(2 * dimension_of(ports[*entry.lane]) + *entry.lane % 2);
    }
    entry.feed = moved(entry.feed);
    entry.early_feed = moved(entry.early_feed);
    codes.push_back(program.intern(entry));
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::size_t port = 0; port < static_cast<std::size_t>(narrow.ports()); ++port) {
      program.set_code(node, column(port), codes[narrow.code(node, static_cast<Port>(port))]);
    }
  }
  return program;
}

TimetableProgram widened_timetable(const TimetableProgram& narrow, const Topology& topology) {
  const std::vector<Port> ports = full_ports(topology);
  TimetableProgram program(topology.nodes(), topology.ports(), narrow.own(), narrow.delivery(),
                           narrow.repetition());
  program.relative = narrow.relative;
  program.flits = narrow.flits;
  for (TimetableRom rom : narrow.roms()) {
    for (SendRow& row : rom.sends) row.port = ports[row.port];
    for (ArrivalRow& row : rom.arrivals) row.port = ports[row.port];
    program.intern(std::move(rom));
  }
  for (NodeId node = 0; !narrow.one_rom() && node < topology.nodes(); ++node) {
    program.assign(node, narrow.rom_of(node));
  }
  return program;
}

}  // namespace

bool has_flat_sides(const Topology& topology) {
  return std::find(topology.sides().begin(), topology.sides().end(), 1U) != topology.sides().end();
}

Topology without_flat_sides(const Topology& topology) {
  std::vector<std::uint32_t> sides;
  std::uint32_t wrap = 0;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    if (topology.side(dim) == 1) continue;
    if (topology.wraps(dim)) wrap |= 1U << sides.size();
    sides.push_back(topology.side(dim));
  }
  Topology narrow = Topology::grid(sides, wrap);
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
  if (const auto found = narrow.parameters.find("source"); found != narrow.parameters.end()) {
    const auto* number = std::get_if<std::int64_t>(&found->second);
    const NodeId node =
        parse_source(request.topology,
                     number != nullptr ? std::to_string(*number) : *text_option(request, "source"));
    found->second = node_text(narrow.topology, node);
  }
  return narrow;
}

Plan with_flat_sides(const Plan& plan, const Topology& topology) {
  Program program = std::visit(
      Overloaded{[&](const StreamProgram& stream) { return Program(widened(stream, topology)); },
                 [&](const TimetableProgram& timetable) {
                   return Program(widened_timetable(timetable, topology));
                 },
                 [&](const auto&) -> Program {
                   throw std::logic_error("relays and queued programs know sides of 1");
                 }},
      plan.program);
  Plan full{topology,    plan.collective,    plan.algorithm, plan.parameters,
            plan.demand, std::move(program), plan.expected};
  if (const auto source = full.parameters.find("source"); source != full.parameters.end()) {
    source->second = node_text(topology, plan.demand.root);
  }
  return full;
}

}  // namespace gossamer
