// SPDX-License-Identifier: Apache-2.0
/// Reductions along the lines of a grid, one dimension after the other, over straight wiring: what
/// goes in on one side of a router goes on by the other.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct LineReductionOptions {
  /// Words of the vector; `line-sum`: 1, or up to d on equal sides; `rings`: d n, or any number up
  /// to kMaxPacketsPerNode d n, which then takes legs of d n.
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
/// Throws InfeasibleError for more words than that, and for an operation that needs one order.
[[nodiscard]] Plan plan_line_sum(const Topology& topology, const LineReductionOptions& options);

/// All-reduce of d n words on an n^d torus in d (n - 1) steps: the two-way leg of a cycle on
/// every ring, part c along the dimensions c, c + 1, ... cyclically. Same bits at every node.
/// Throws InfeasibleError for a mesh and for sides that differ.
[[nodiscard]] Plan plan_rings(const Topology& topology, const LineReductionOptions& options);

}  // namespace gossamer
