// SPDX-License-Identifier: Apache-2.0
/// Directed cycles that together visit all nodes of a torus, and a search for them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// "On no cycle."
inline constexpr std::uint8_t kNoCycle = 0xff;

/// One visit of a cycle to a node.
struct Visit {
  std::uint8_t cycle = kNoCycle;
  /// In-port that the predecessor sends on and out-port to the successor.
  Port in = 0;
  Port out = 0;
  /// Place along the cycle.
  std::uint32_t position = 0;
};

/// Disjoint directed cycles through all nodes.
struct CycleCover {
  /// Per node.
  std::vector<Visit> visit;
  /// Nodes of each cycle.
  std::vector<std::uint32_t> length;
};

/// The largest number of nodes that knit_cycles supports: beyond it a move, which visits all nodes,
/// is too slow.
inline constexpr std::uint32_t kMostKnittedNodes = 20'000;

/// `count` disjoint cycles of nearly equal length, close to every node: as a rule the longest has
/// P / count nodes rounded up, to an even number where all sides are even, and all cycles pass most
/// nodes at a distance of one or two.
///
/// Cycles through all nodes are changed a square at a time: where two opposite sides of a square
/// belong to cycles and the other two do not, they change places. That joins two cycles, or splits
/// one in which the sides run in opposite directions, or turns round a part of one in which they
/// run alike. After a shuffle cycles are joined or split until there are `count`; then two cycles
/// are joined and the result is split elsewhere, or a part is turned round, by annealing: first for
/// equal lengths, then for short distances. Deterministic for a seed; seconds at the most.
///
/// Empty where no such cycles were found, e.g. on tori with too few nodes. Needs two dimensions,
/// sides of 3 or more and at most kMostKnittedNodes nodes.
[[nodiscard]] std::optional<CycleCover> knit_cycles(const Topology& torus, std::uint32_t count,
                                                    std::uint64_t seed);

}  // namespace gossamer
