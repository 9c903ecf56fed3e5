// SPDX-License-Identifier: Apache-2.0
/// Reductions along the lines of a grid, one dimension after the other, over straight wiring: what
/// goes in on one side of a router goes on by the other.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct LineReductionOptions {
  /// Words of the vector; `line-sum`: 1, or up to d on equal sides; `lines`: any number up to
  /// kMaxTimetableSlots; `rings`: d n, or any number up to kMaxPacketsPerNode d n, which then takes
  /// legs of d n.
  std::uint64_t words = 1;
  Operation operation = Operation::kSum;
  /// `line-sum` only: the node that gets the result; everybody unless given.
  std::optional<NodeId> root = std::nullopt;
};

/// All-reduce of one word in as many steps as the diameter: in the phase of dimension i every node
/// sends its sum so far both ways along i, routers pass on, and every node adds all that comes by.
/// Any torus or mesh. On equal sides word c takes the dimensions c, c + 1, ... cyclically, so that
/// d words take no longer than one. The order of combination differs between nodes.
///
/// With a root it is a reduce: on a line that does not wrap, words go no farther than to the root's
/// coordinate, so one word takes as many steps as it is from the root to the node farthest from it.
/// Throws InfeasibleError for more words than that; without a root also for an operation that is
/// not associative.
[[nodiscard]] Plan plan_line_sum(const Topology& topology, const LineReductionOptions& options);

/// All-reduce of short vectors on a mesh, at the lower bound of bounds::lines_steps: word j takes
/// the dimensions j, j + 1, ... cyclically, one word behind the other. Along a line sums come from
/// both ends and meet in the middle, from where the total goes back on the other direction of the
/// same links, so that every link of a dimension is used once each way and the line is done in n -
/// 1 steps. A timetable; a sum is formed once a line and equal at all its nodes, so all nodes have
/// the same bits, whatever the operation. Vectors too long for that go one word a step. The mesh
/// has no side of 1. Throws InfeasibleError for other networks than meshes and where timetables
/// would be too long. docs/spec/mesh-reductions.md, section 3.
[[nodiscard]] Plan plan_lines(const Topology& topology, const LineReductionOptions& options);

/// All-reduce of d n words on an n^d torus in d (n - 1) steps: the two-way leg of a cycle on
/// every ring, part c along the dimensions c, c + 1, ... cyclically. Same bits at every node.
/// Throws InfeasibleError for a mesh and for sides that differ.
[[nodiscard]] Plan plan_rings(const Topology& topology, const LineReductionOptions& options);

}  // namespace gossamer
