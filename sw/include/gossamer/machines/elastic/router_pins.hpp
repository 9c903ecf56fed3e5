// SPDX-License-Identifier: Apache-2.0
/// What an elastic router of the hardware is told, and its pins, the same for SystemC and RTL
/// (docs/modules/gsm_elastic_router_table.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/machines/elastic/words.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// What a link moves.
struct ElasticFlit {
  PacketId packet = kNoPacket;
  /// Number within the packet's message, below 2^31.
  std::uint32_t flit = 0;
  /// The last one of its chunk.
  bool last = false;
  /// Reductions: the sum so far, and of how many contributions it is.
  std::uint64_t value = 0;
  std::uint32_t terms = 0;

  bool operator==(const ElasticFlit&) const = default;
};

/// A node's part of the plan; chunks are those of a round.
struct ElasticRouterTable {
  struct Out {
    /// The in-port whose first `passes` chunks are passed on; nothing without any.
    std::optional<Port> feed;
    std::uint32_t passes = 0;
    /// Chunks of its own that open a round: one or none.
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

  /// The out-ports that pass on chunk `arrival` of a round of in-port `in`.
  [[nodiscard]] PortSet passes(Port in, std::uint64_t arrival) const {
    PortSet ports;
    for (const Port out : feeds[in]) {
      if (arrival < outs[out].passes) ports.insert(out);
    }
    return ports;
  }

  /// Flits of a chunk, and of the queue behind an out-port.
  std::uint32_t chunk = 1;
  std::uint32_t slots = 1;
  /// Times that the rounds of a message are gone through; nodes add in the first of a reduction.
  std::uint32_t legs = 1;
  std::vector<Out> outs;
  /// By in-port, what arrives, and the out-ports that pass on some of it.
  std::vector<std::uint32_t> takes;
  std::vector<PortSet> feeds;
};

/// The pins of a cycle, by the names of the RTL. What is in the data of a port that is not valid
/// does not matter.
struct ElasticRouterPins {
  // Inputs.
  /// Reductions, by in-port: of the arrivals of this round those that are passed on are added to
  /// what the out-port's element offers, and are nothing to the in-port's.
  PortSet add_i;
  PortSet s_valid_i;
  std::array<ElasticFlit, kMaxPorts> s_data_i{};
  PortSet m_ready_i;
  PortSet in_valid_i;
  std::array<ElasticFlit, kMaxPorts> in_data_i{};
  PortSet out_ready_i;
  // Outputs: functions of registers, m_valid of in_valid too, and in_ready of m_ready; where sums
  // are passed on, s_ready of in_valid, and in_ready of s_valid.
  PortSet s_ready_o;
  PortSet m_valid_o;
  PortSet in_ready_o;
  PortSet out_valid_o;
  std::array<ElasticFlit, kMaxPorts> out_data_o{};
};

}  // namespace gossamer
