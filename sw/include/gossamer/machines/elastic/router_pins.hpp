// SPDX-License-Identifier: Apache-2.0
/// Configuration and pins of an elastic hardware router, the same for SystemC and RTL
/// (rtl/elastic/gsm_elastic_router_table.sv).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/machines/elastic/words.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// A flit on a link.
struct ElasticFlit {
  PacketId packet = kNoPacket;
  /// Number within the packet's message, below 2^31.
  std::uint32_t flit = 0;
  /// True for the last flit of its chunk.
  bool last = false;
  /// Reductions: the sum so far, and its number of contributions.
  std::uint64_t value = 0;
  std::uint32_t terms = 0;

  bool operator==(const ElasticFlit&) const = default;
};

/// A node's part of the plan; chunk counts are per round.
struct ElasticRouterTable {
  struct Out {
    /// The input port whose first `passes` chunks are forwarded; empty without any.
    std::optional<Port> feed;
    std::uint32_t passes = 0;
    /// Own chunks at the start of a round: 0 or 1.
    std::uint32_t own = 0;
  };

  ElasticRouterTable(const Plan& plan, NodeId node)
      : outs(static_cast<std::size_t>(plan.topology.ports())),
        takes(outs.size(), 0),
        feeds(outs.size()) {
    const auto& program = plan.program.as<ElasticProgram>();
    chunk = program.elastic.chunk;
    slots = program.elastic.slots;
    legs = static_cast<std::uint32_t>(elastic_legs(program));
    for (std::size_t p = 0; p < outs.size(); ++p) {
      const auto port = static_cast<Port>(p);
      const ElasticPort& at = program.at(node, port);
      outs[p].own = at.carries != 0 ? static_cast<std::uint32_t>(own_chunks(at)) : 0;
      outs[p].passes = at.carries - outs[p].own;
      if (outs[p].passes != 0) {
        outs[p].feed = at.feed.front();
        feeds[at.feed.front()].insert(port);
      }
      if (const NodeId from = plan.topology.neighbor(node, port); from != kNoNode) {
        takes[p] = program.at(from, opposite(port)).carries;
      }
    }
  }

  /// The output ports that forward chunk `arrival` of a round of input port `in`.
  [[nodiscard]] PortSet passes(Port in, std::uint64_t arrival) const {
    PortSet ports;
    for (const Port out : feeds[in]) {
      if (arrival < outs[out].passes) ports.insert(out);
    }
    return ports;
  }

  /// Flits of a chunk, and slots of the queue after an output port.
  std::uint32_t chunk = 1;
  std::uint32_t slots = 1;
  /// Number of passes over the rounds of a message; nodes add in the first pass of a reduction.
  std::uint32_t legs = 1;
  std::vector<Out> outs;
  /// By input port: number of arrivals per round, and the output ports that forward some of them.
  std::vector<std::uint32_t> takes;
  std::vector<PortSet> feeds;
};

/// The pins in one cycle, by the names of the RTL. The data of a port that is not valid is
/// undefined.
struct ElasticRouterPins {
  // Inputs.
  /// Reductions, by input port: forwarded arrivals of this round are added to the data that the
  /// output port's element offers; they are not delivered to the input port's element.
  PortSet add_i;
  PortSet s_valid_i;
  std::array<ElasticFlit, kMaxPorts> s_data_i{};
  PortSet m_ready_i;
  PortSet in_valid_i;
  std::array<ElasticFlit, kMaxPorts> in_data_i{};
  PortSet out_ready_i;
  // Outputs are functions of registers. m_valid also depends on in_valid, and in_ready on m_ready.
  // Where sums are forwarded, s_ready also depends on in_valid, and in_ready on s_valid.
  PortSet s_ready_o;
  PortSet m_valid_o;
  PortSet in_ready_o;
  PortSet out_valid_o;
  std::array<ElasticFlit, kMaxPorts> out_data_o{};
};

}  // namespace gossamer
