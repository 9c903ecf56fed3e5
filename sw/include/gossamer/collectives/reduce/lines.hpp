// SPDX-License-Identifier: Apache-2.0
/// Reductions along the lines of a grid, one dimension after the other, over straight wiring: flits
/// that enter on one side of a router leave by the opposite side.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct LineReductionOptions {
  /// Words of the vector; `line-sum`: 1, or up to d on equal sides; `lines`: any number up to
  /// kMaxTimetableSlots; `rings`: d n, or any number up to kMaxPacketsPerNode d n, divided into
  /// legs of d n.
  std::uint64_t words = 1;
  Combining operation = Operation::kSum;
  /// `line-sum` only: the node that receives the result; every node if empty.
  std::optional<NodeId> root = std::nullopt;
  /// `lines` and `rings`: the tree of an element does not depend on the length of the vector. One
  /// class of words, in D - 1 + m steps; elements of rings are dealt by rounds of d n.
  bool length_invariant = false;
  /// `lines` only: cycles of an adder. A step is a cycle, and sends wait for sums.
  std::uint32_t adder_cycles = 0;
};

/// All-reduce of one word in as many steps as the diameter. In the phase of dimension i every node
/// sends its sum so far in both directions along i, routers forward it, and every node adds all
/// passing values. Any torus or mesh. On equal sides word c takes the dimensions c, c + 1, ...
/// cyclically, so d words take no longer than one. The order of combination differs between nodes.
///
/// With a root it is a reduce. On a line that does not wrap, words stop at the root's coordinate,
/// so one word takes as many steps as there are hops from the root to the farthest node. Throws
/// InfeasibleError for more words than that; without a root also for an operation that is not
/// associative.
[[nodiscard]] Plan plan_line_sum(const Topology& topology, const LineReductionOptions& options);

/// All-reduce of short vectors on a mesh, at the lower bound of bounds::lines_steps: word j takes
/// the dimensions j, j + 1, ... cyclically, one word after the other. Along a line, sums come from
/// both ends and meet in the middle; the total returns in the other direction of the same links.
/// Every link of a dimension is used once in each direction, and the line is done in n - 1 steps.
/// The plan is a timetable. A sum is formed once per line and is equal at all its nodes, so all
/// nodes have the same bits for every operation. Longer vectors proceed at one word per step. The
/// mesh has no side of 1. Throws InfeasibleError for networks other than meshes and where
/// timetables would be too long. docs/spec/mesh-reductions.md, section 3.
[[nodiscard]] Plan plan_lines(const Topology& topology, const LineReductionOptions& options);

/// All-reduce of d n words on an n^d torus in d (n - 1) steps: the two-way leg of a cycle on every
/// ring, part c along the dimensions c, c + 1, ... cyclically. The bits are the same at every node.
/// Throws InfeasibleError for a mesh and for unequal sides.
[[nodiscard]] Plan plan_rings(const Topology& topology, const LineReductionOptions& options);

}  // namespace gossamer
