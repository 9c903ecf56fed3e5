// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/relay/cost.hpp"

#include <algorithm>
#include <array>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/machines/relay/program.hpp"

namespace gossamer {

namespace {

std::uint32_t bits(std::uint64_t values) {
  return static_cast<std::uint32_t>(bounds::ceil_log2(values));
}

/// Bits of a path in the form that fits all paths of the program.
std::uint32_t path_bits(const Topology& topology, const RelayProgram& program) {
  const auto d = static_cast<std::size_t>(topology.dimensions());
  bool ordered = true;
  std::size_t most_segments = 0;
  std::uint64_t most_hops = 0;
  std::array<std::uint64_t, kMaxPorts> most_by_port{};
  for (const RelayPath& path : program.paths()) {
    ordered = ordered && is_dimension_ordered(path);
    most_segments = std::max(most_segments, path.size());
    for (const RelaySegment& segment : path) {
      most_hops = std::max<std::uint64_t>(most_hops, segment.hops);
      most_by_port[segment.port] =
          std::max<std::uint64_t>(most_by_port[segment.port], segment.hops);
    }
  }
  const std::uint32_t segment_bits =
      bits(static_cast<std::uint64_t>(topology.ports())) + bits(most_hops + 1);
  if (!ordered) return static_cast<std::uint32_t>(most_segments) * segment_bits;
  std::uint64_t orders = 1;
  std::uint32_t hops = 0;
  for (std::size_t i = 0; i < d; ++i) {
    orders *= i + 1;
    hops += bits(most_by_port[2 * i] + most_by_port[2 * i + 1] + 1);
  }
  return bits(orders) + hops;
}

}  // namespace

RelayHardware relay_hardware(const Plan& plan) {
  const Topology& topology = plan.topology;
  const auto& program = plan.program.as<RelayProgram>();
  RelayHardware hardware;
  for (const RelaySend& send : program.sends()) {
    if (!is_dimension_ordered(program.path(send))) ++hardware.detours;
  }
  if (program.ports == RelayPorts::kFanOut) {
    const auto ports = static_cast<std::uint64_t>(topology.ports());
    hardware.most_table_bits = bits(ports + 1) + ports;
    hardware.table_bits = hardware.most_table_bits * topology.nodes();
    return hardware;
  }
  const SendsByNode lists = sends_by_node(topology, program);
  if (program.rule) {
    std::vector<int> levels;
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      levels.push_back(program.rule->levels[static_cast<std::size_t>(dim)]);
    }
    if (program.rule->source_orders.empty()) {
      hardware.header_bits =
          static_cast<std::uint32_t>(bounds::eye_header(levels, topology.is_torus()).total());
      return hardware;
    }
    const bounds::EyeHeader header = bounds::eye_source_header(
        topology.dimensions(), levels.front(), topology.coordinates(program.source()));
    hardware.header_bits = static_cast<std::uint32_t>(header.total());
    hardware.entry_bits = static_cast<std::uint32_t>(header.hops);
    hardware.most_table_bits = lists.of(program.source()).size() * hardware.entry_bits;
    hardware.table_bits = hardware.most_table_bits;
    return hardware;
  }
  hardware.entry_bits = path_bits(topology, program);
  hardware.header_bits = hardware.entry_bits;
  hardware.table_bits = program.sends().size() * std::uint64_t{hardware.entry_bits};
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    hardware.most_table_bits = std::max<std::uint64_t>(hardware.most_table_bits,
                                                       lists.of(node).size() * hardware.entry_bits);
  }
  return hardware;
}

}  // namespace gossamer
