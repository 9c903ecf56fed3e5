// SPDX-License-Identifier: Apache-2.0
/// The plan: the document that planners write and that verifier, engines and emitters read.
///
/// A plan contains the topology, the collective, the algorithm, and the configuration of every
/// router: its *program*. Only the machine that executes the program reads it (machine.hpp). The
/// *demand* is the required result; no later stage derives it from anything else. The plan also
/// contains the figures that the planner expects; every later stage checks them instead of trusting
/// them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/program.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The largest number of packets that a node may inject.
inline constexpr std::uint32_t kMaxPacketsPerNode = 1024;

/// The promises of the planner. Unknown figures are empty.
struct ExpectedFigures {
  /// Steps by the algorithm's own exact formula.
  std::optional<std::uint64_t> analytic_steps;
  /// Lower bound on the steps on this topology (bounds/gossip.hpp).
  std::optional<std::uint64_t> lower_bound_steps;
  /// Upper bound of the paper's theorem, if there is one.
  std::optional<std::uint64_t> bound_steps;
  /// Clock cycles by the exact formula, in a run without stalls.
  std::optional<std::uint64_t> analytic_cycles;
  /// Broadcast: total hops of all sends (total communication distance) by the exact formula.
  std::optional<std::uint64_t> analytic_tcd;
  /// The hardware's buffer depth, in the machine's unit: places of an output port's queue,
  /// including the head, or slots of a node's memory.
  std::uint32_t queue_depth = 1;
  /// Reductions: element j of the vector has the same summation tree in the algorithm's plans of
  /// all lengths above j. Empty: unknown, as in documents without this member.
  std::optional<bool> length_invariant;
  /// If so, the period of the trees: the tree of element j depends only on j modulo this number.
  std::optional<std::uint64_t> sum_period;

  /// The steps of the formula equal the lower bound.
  [[nodiscard]] bool meets_bound() const {
    return analytic_steps && lower_bound_steps && *analytic_steps <= *lower_bound_steps;
  }

  bool operator==(const ExpectedFigures&) const = default;
};

/// An algorithm's parameter as the plan records it.
using ParameterValue = std::variant<bool, std::int64_t, std::string>;

struct Plan {
  Topology topology;
  /// "gossip", "broadcast", ...
  std::string collective;
  /// The algorithm's name as on the command line.
  std::string algorithm;
  /// The algorithm's parameters, by name.
  std::map<std::string, ParameterValue> parameters;
  /// The required result.
  Demand demand;
  SharedProgram program;
  ExpectedFigures expected;

  /// The machine that executes the program.
  [[nodiscard]] const Machine& machine() const { return program.machine(); }

  bool operator==(const Plan&) const = default;
};

/// The piece that is own packet `index` of `node`.
[[nodiscard]] PacketId own_piece(const Plan& plan, NodeId node, std::uint32_t index);

/// Packet numbers per node (Demand::ids_per_node); 1 where packets belong to no node.
[[nodiscard]] std::uint32_t packets_per_node(const Plan& plan);

}  // namespace gossamer
