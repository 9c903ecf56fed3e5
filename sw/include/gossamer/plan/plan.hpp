// SPDX-License-Identifier: Apache-2.0
/// The plan: the one document that planners write and verifier, engines and emitters read.
///
/// A plan says on which topology, which collective, by which algorithm, and what every router is
/// told: its *program*, which only the machine that executes it looks into (machine.hpp). The
/// *demand* says what must be true in the end, and nobody downstream guesses it from anything else.
/// Figures that the planner expects stand beside the program; no reader downstream believes them,
/// every one of them is checked.
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

/// The most packets a node may inject.
inline constexpr std::uint32_t kMaxPacketsPerNode = 1024;

/// What the planner promises. Unknown figures are empty.
struct ExpectedFigures {
  /// Steps by the algorithm's own exact formula.
  std::optional<std::uint64_t> analytic_steps;
  /// Steps that nobody can beat on this topology (bounds/gossip.hpp).
  std::optional<std::uint64_t> lower_bound_steps;
  /// Upper bound that the paper's theorem promises, where there is one.
  std::optional<std::uint64_t> bound_steps;
  /// Clock cycles by the exact formula, when nobody stalls.
  std::optional<std::uint64_t> analytic_cycles;
  /// Broadcast: hops of all sends together (total communication distance) by the exact formula.
  std::optional<std::uint64_t> analytic_tcd;
  /// The hardware's buffer depth, in what the machine buffers: places of an out-port's queue, the
  /// head included, or slots of a node's memory.
  std::uint32_t queue_depth = 1;

  /// The formula promises as few steps as anybody can take.
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
  /// What must be true in the end.
  Demand demand;
  SharedProgram program;
  ExpectedFigures expected;

  /// What executes the program.
  [[nodiscard]] const Machine& machine() const { return program.machine(); }

  bool operator==(const Plan&) const = default;
};

/// The piece that is own packet `index` of `node`.
[[nodiscard]] PacketId own_piece(const Plan& plan, NodeId node, std::uint32_t index);

/// Packet numbers of each node (Demand::ids_per_node); 1 where packets belong to no node.
[[nodiscard]] std::uint32_t packets_per_node(const Plan& plan);

}  // namespace gossamer
