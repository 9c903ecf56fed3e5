// SPDX-License-Identifier: Apache-2.0
/// The arrival contract: for each node, the packets that arrive, and the input port and cycle of
/// each arrival.
///
/// It comes from a run of the plan on its fast engine. A network interface that is built from it
/// needs neither headers nor valid signals. docs/arrivals.schema.json describes its document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// A packet that arrives over a link.
struct Arrival {
  PacketId packet = 0;
  /// From 1. The last cycle of its step; for a cut-through message, the cycle in which its head is
  /// on the link.
  std::uint64_t cycle = 0;
  /// As in a trace, from 1.
  std::uint32_t step = 0;
  NodeId node = 0;
  /// The input port.
  Port port = 0;
  /// Plans of several collectives: the number of the collective; otherwise 0.
  std::uint32_t member = 0;

  bool operator==(const Arrival&) const = default;
};

/// The first arrival of a packet at a node.
struct FirstArrival {
  PacketId packet = 0;
  std::uint32_t member = 0;
  std::uint64_t cycle = 0;

  bool operator==(const FirstArrival&) const = default;
};

struct ArrivalContract {
  std::uint64_t steps = 0;
  std::uint64_t cycles = 0;
  /// By node, then by cycle and port.
  std::vector<std::vector<Arrival>> arrivals;

  /// The inverse at a node, by member, then by packet.
  [[nodiscard]] std::vector<FirstArrival> first_arrivals(NodeId node) const;
};

/// The contract of a plan with a known number of steps. Throws InputError for a plan without one,
/// and for more than 2^24 ports times steps.
[[nodiscard]] ArrivalContract arrival_contract(const Plan& plan);

/// The first entry of the contract in a file (- is standard input) that the plan violates, in one
/// line with the node. Empty if the plan keeps all entries and the contract is complete. Throws
/// InputError for a file that is not a contract.
[[nodiscard]] std::optional<std::string> broken_arrival(const Plan& plan, const std::string& path);

}  // namespace gossamer
