// SPDX-License-Identifier: Apache-2.0
/// The d edge-disjoint cycles of Meyer & Sibeyn, section 4, that together pass every node.
///
/// A cycle is a sequence of equal *laps*: a zigzag that advances it by d positions along the first
/// axes, then straight moves along the last axis. Each of the d cycles is m = (n_d + d) n_1 ...
/// n_{d-1} / d long and passes P/d nodes as their *home* (entering along the last axis); a node in
/// the first d layers of the last axis lies on a second cycle as well.
///
/// This file uses the paper's axes x_1 .. x_d; an axis order maps them to dimensions of the
/// topology.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// order[l] is the topology's dimension that the paper calls x_{l+1}; a permutation of 0 .. d-1.
using AxisOrder = std::vector<int>;

/// The condition that the torus with sides n_1 .. n_d (in the paper's order) violates, in words;
/// empty when the construction applies. The conditions are exact: d cycles that are simple,
/// edge-disjoint and pass every node exist in this construction if and only if
///  - n_1 = 0 mod d and n_d >= d (the paper's (2) and (3)),
///  - n_1 > d: n_l = 0 mod n_1 for 1 < l < d,
///  - n_1 = d: with K_2 = 1 and K_{l+1} = 1 + n_l K_l, neither K_l nor (n_l - 1) K_l is 0 mod d for
///    1 < l < d, and K_d = 1 mod d, which is the paper's (1).
/// The paper requires (1) to (3) only, which is not sufficient from d = 4 on. Source:
/// docs/spec/gossip.md, section 2.4.
[[nodiscard]] std::optional<std::string> lap_cycles_obstacle(std::span<const std::uint32_t> sides);

/// All axis orders for which the construction applies, in lexicographic order. Of orders that only
/// swap equal sides, the lexicographically first one counts.
[[nodiscard]] std::vector<AxisOrder> lap_cycle_orders(const Topology& topology);

/// Sides nearest to those of `topology` for which some axis order works, in the topology's order of
/// dimensions. Distance is the sum of the changes; ties: fewer nodes, then lexicographic order.
[[nodiscard]] std::vector<std::uint32_t> nearest_lap_cycle_sides(const Topology& topology);

/// The cycles themselves.
class LapCycles {
 public:
  /// Position of a node that a cycle does not pass.
  static constexpr std::uint32_t kOff = ~std::uint32_t{0};

  /// O(P). The order must be one of lap_cycle_orders(topology); throws std::logic_error when the
  /// walk violates the conditions.
  LapCycles(const Topology& topology, AxisOrder order);

  /// Number of cycles, d.
  [[nodiscard]] int cycles() const { return dimensions_; }
  /// Nodes on each cycle, m.
  [[nodiscard]] std::uint32_t length() const { return length_; }
  /// Where `cycle` passes `node`: 0 .. m-1 from its start on, or kOff.
  [[nodiscard]] std::uint32_t position(NodeId node, int cycle) const {
    return position_[slot(node, cycle)];
  }
  /// The output port by which `cycle` leaves `node`, which it must pass.
  [[nodiscard]] Port leaves(NodeId node, int cycle) const { return leaves_[slot(node, cycle)]; }
  /// The input port by which `cycle` enters `node`, which it must pass.
  [[nodiscard]] Port enters(NodeId node, int cycle) const { return enters_[slot(node, cycle)]; }
  /// The cycle that enters `node` along the last axis: the one that carries the node's own packet.
  [[nodiscard]] int home(NodeId node) const { return home_[node]; }

 private:
  [[nodiscard]] std::size_t slot(NodeId node, int cycle) const {
    return std::size_t{node} * static_cast<std::size_t>(dimensions_) +
           static_cast<std::size_t>(cycle);
  }

  int dimensions_;
  std::uint32_t length_ = 0;
  /// By node and cycle.
  std::vector<std::uint32_t> position_;
  std::vector<Port> leaves_;
  std::vector<Port> enters_;
  /// By node.
  std::vector<std::uint8_t> home_;
};

}  // namespace gossamer
