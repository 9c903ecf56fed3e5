// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/router_cost.hpp"

#include <algorithm>
#include <bit>

#include "gossamer/util/overloaded.hpp"

namespace gossamer {

namespace {

std::uint64_t bits_for(std::uint64_t values) {
  return static_cast<std::uint64_t>(std::bit_width(values - 1));
}

/// True when out-port p is fed by exactly the in-port q and out-port q by p, for all ports, with
/// packets or without.
bool pairs_ports(const StreamProgram& program, NodeId node) {
  for (const Port port : all_ports(program.ports())) {
    const PortProgram& entry = program.at(node, port);
    if (entry.switch_step != 0 || entry.feed.size() != 1 || entry.feed.front() == port) {
      return false;
    }
    if (program.at(node, entry.feed.front()).feed != PortSet::of(port)) return false;
  }
  return true;
}

std::uint64_t stream_table_bits(const StreamProgram& program) {
  const auto ports = static_cast<std::uint64_t>(program.ports());
  if (all_routers_pair_ports(program)) {
    std::uint64_t pairings = 1;
    for (std::uint64_t factor = ports - 1; factor > 1; factor -= 2) pairings *= factor;
    return bits_for(pairings);
  }
  const auto& dictionary = program.dictionary();
  const bool fan_in = std::any_of(dictionary.begin(), dictionary.end(),
                                  [](const PortProgram& entry) { return entry.has_fan_in(); });
  const std::uint64_t feed_bits = ports * (fan_in ? ports : bits_for(ports + 1));
  std::uint64_t last_switch = 0;
  for (const PortProgram& entry : dictionary) {
    last_switch = std::max<std::uint64_t>(last_switch, entry.switch_step);
  }
  if (last_switch == 0) return feed_bits;
  return 2 * feed_bits + ports * bits_for(last_switch + 1);
}

/// Routers with queues act by rule; what is stored is when each phase starts, in which dimension
/// and with what rule.
std::uint64_t timetable_bits(const QueuedProgram& program, const Demand& demand) {
  std::uint64_t dimensions = 1;
  for (const QueuedPhase& phase : program.phases) {
    dimensions = std::max<std::uint64_t>(dimensions, std::uint64_t{phase.dimension} + 1);
  }
  constexpr std::uint64_t kinds = static_cast<std::uint64_t>(QueuedPhaseKind::kExchange) + 1;
  return program.phases.size() *
         (bits_for(program.last_step(demand) + 1) + bits_for(dimensions) + bits_for(kinds));
}

}  // namespace

bool all_routers_pair_ports(const StreamProgram& program) {
  for (NodeId node = 0; node < program.nodes(); ++node) {
    if (!pairs_ports(program, node)) return false;
  }
  return true;
}

std::uint64_t table_bits(const Plan& plan) {
  return std::visit(
      Overloaded{
          [](const StreamProgram& program) { return stream_table_bits(program); },
          [&](const QueuedProgram& program) { return timetable_bits(program, plan.demand); },
          [](const RelayProgram&) { return std::uint64_t{0}; },
          [](const TimetableProgram& program) {
            return program.format().rom_bits(program.ports());
          },
      },
      plan.program);
}

std::uint64_t buffer_packets(const Plan& plan) {
  const auto queues = [&](const StreamProgram& table) {
    return static_cast<std::uint64_t>(table.ports()) * plan.expected.queue_depth;
  };
  return std::visit(
      Overloaded{
          queues,
          [&](const QueuedProgram&) {
            return static_cast<std::uint64_t>(plan.topology.ports()) * plan.expected.queue_depth;
          },
          [](const RelayProgram&) { return std::uint64_t{1}; },
          [](const TimetableProgram& program) { return std::uint64_t{program.slots()}; },
      },
      plan.program);
}

}  // namespace gossamer
