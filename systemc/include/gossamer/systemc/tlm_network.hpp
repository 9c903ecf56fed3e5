// SPDX-License-Identifier: Apache-2.0
/// The network inside a TlmCollective, as each machine builds it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <systemc>
#include <utility>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/arithmetic.hpp"

namespace gossamer::systemc {

/// Parameters of a network. All of them outlive the network.
struct TlmRound {
  const Plan& plan;
  /// The combination of the nodes' words, and their values in the current round.
  Arithmetic arithmetic;
  /// Cycles of a round; after them tiles need no clock.
  std::uint64_t steps = 0;
  /// The word of own packet `id` in the current round.
  std::function<std::uint64_t(PacketId id)> sent;
  /// Called when a node has a packet or a result; unwanted ones are ignored.
  std::function<void(NodeId node, PacketId id, std::uint64_t value)> file;
  sc_core::sc_in<bool>& clk_i;
  sc_core::sc_in<bool>& rst_ni;
  sc_core::sc_signal<bool>& clear;
  sc_core::sc_signal<bool>& start;
};

struct TlmNetwork {
  std::unique_ptr<sc_core::sc_module> fabric;
  std::function<bool(NodeId node)> has_error;
};

/// A `Fabric` (fabric.hpp) of the tiles that `make_tile` creates, connected to the round.
template <typename Fabric, typename MakeTile>
TlmNetwork make_tlm_network(const TlmRound& round, MakeTile make_tile) {
  auto fabric = std::make_unique<Fabric>("fabric", round.plan.topology, make_tile);
  fabric->clk_i(round.clk_i);
  fabric->rst_ni(round.rst_ni);
  fabric->clear_i(round.clear);
  fabric->start_i(round.start);
  auto has_error = [&fabric = *fabric](NodeId node) { return fabric.router(node).error(); };
  return {std::move(fabric), has_error};
}

/// Conversion of a machine's plans to networks.
struct TlmNetworkMaker {
  std::string_view machine;
  /// Cycles of a round; 0 if the plan does not determine it.
  std::uint64_t (*steps)(const Plan& plan) = nullptr;
  TlmNetwork (*make)(const std::shared_ptr<const TlmRound>& round) = nullptr;
};
/// The maker for a machine's plans; null for machines without one.
[[nodiscard]] const TlmNetworkMaker* find_tlm_network(std::string_view machine);
/// Registers a maker; use a static object.
class TlmNetworkRegistration {
 public:
  explicit TlmNetworkRegistration(const TlmNetworkMaker& maker);
};

}  // namespace gossamer::systemc
