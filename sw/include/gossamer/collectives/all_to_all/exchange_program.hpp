// SPDX-License-Identifier: Apache-2.0
/// ROMs of a total exchange that looks the same from every node, or from every second node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Origins of the packets: all nodes, or the nodes whose coordinate along one dimension is even, or
/// odd.
enum class Origins : std::uint8_t { kAll, kEven, kOdd };

/// A hop of the packets of an offset, in the same step at every node that has one of these origins.
struct ExchangeHop {
  /// The packet's offset, 1 .. nodes - 1: the packet from node 0 to node `offset`.
  NodeId offset = 0;
  Port port = 0;
  Origins origins = Origins::kAll;
};

/// The ROM that executes the hops of each step, or two: class 0 for nodes with an even coordinate
/// along `halved`, whose side is even, class 1 for the others. Own packet o - 1 of a node is the
/// one for the node at offset o. A packet occupies a slot from its first arrival to its last hop;
/// the number of slots is the largest number of packets held at once at a node. Throws
/// std::logic_error when two packets need one port of a node in the same step, which is an error of
/// the planner.
[[nodiscard]] TimetableProgram exchange_program(const Topology& torus,
                                                const std::vector<std::vector<ExchangeHop>>& hops,
                                                std::optional<int> halved = std::nullopt);

}  // namespace gossamer
