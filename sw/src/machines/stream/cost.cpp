// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/stream/cost.hpp"
#include "gossamer/machines/stream/program.hpp"

#include <algorithm>
#include <bit>

namespace gossamer {

namespace {

std::uint64_t bits_for(std::uint64_t values) {
  return static_cast<std::uint64_t>(std::bit_width(values - 1));
}

/// True when out-port p is fed by exactly the in-port q and out-port q by p, for all ports, with
/// packets or without.
bool pairs_ports(const StreamProgram& program, NodeId node) {
  for (const Port port : all_ports(program.ports())) {
    const StreamPort& entry = program.at(node, port);
    if (entry.switch_step != 0 || entry.feed.size() != 1 || entry.feed.front() == port) {
      return false;
    }
    if (program.at(node, entry.feed.front()).feed != PortSet::of(port)) return false;
  }
  return true;
}

}  // namespace

bool all_routers_pair_ports(const StreamProgram& program) {
  for (NodeId node = 0; node < program.nodes(); ++node) {
    if (!pairs_ports(program, node)) return false;
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
                                  [](const StreamPort& entry) { return entry.has_fan_in(); });
  const std::uint64_t feed_bits = ports * (fan_in ? ports : bits_for(ports + 1));
  std::uint64_t last_switch = 0;
  for (const StreamPort& entry : dictionary) {
    last_switch = std::max<std::uint64_t>(last_switch, entry.switch_step);
  }
  if (last_switch == 0) return feed_bits;
  return 2 * feed_bits + ports * bits_for(last_switch + 1);
}

}  // namespace gossamer
