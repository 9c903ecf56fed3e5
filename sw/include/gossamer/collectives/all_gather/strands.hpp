// SPDX-License-Identifier: Apache-2.0
/// One-packet all-gather on 2d directed cycles: a constant number of steps above the lower bound,
/// on tori of two and more dimensions (docs/spec/one-packet.md, section 5).
///
/// The torus is seen as C columns in a ring (a Hamiltonian cycle of all dimensions but one) times R
/// rows. Strands run up the rows; a few columns have no strand in a row ("holes"), and in every row
/// each hole is swapped with the adjacent strand, so the strands wander sideways and close into
/// exactly 2d directed cycles of nearly equal length. Where the parities forbid that (both sides
/// odd, for one), two cycles touch in a node or a few. Where there is no room for strands, as on
/// cubes below 12x12x12, a search builds 2d cycles that share no node. A node gets its own cycle's
/// stream from its predecessor; each other in-link brings one other cycle's stream, relayed over
/// few hops. A seeded search assigns streams to links; in 2-D there is a regular case with a closed
/// formula. Details: docs/algorithms/one-packet.md.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct StrandsOptions {
  /// Own packets of each node, 1 .. kMaxPacketsPerNode. The steps grow linearly: k times those of
  /// one packet; so does the queue depth.
  std::uint32_t packets_per_node = 1;
  /// Seed of the search: the same seed gives the same plan everywhere.
  std::uint64_t seed = 1;
  /// Called during the search, unit: annealing moves.
  Progress progress = {};
};

/// The `strands` all-gather plan. Chooses the vertical dimension, the ring of columns and the holes
/// itself; takes seconds (linear in the number of nodes). The steps are computed exactly from the
/// construction; they exceed the length of the longest cycle, about P / 2d, by a few at most.
/// Throws InfeasibleError for meshes, fewer than two dimensions, a side of 2, tori with too few
/// nodes for 2d cycles, and for more than 20,000 nodes where no positions of the holes work (as a
/// rule: no side of 4d rows or more).
[[nodiscard]] Plan plan_strands(const Topology& topology, const StrandsOptions& options);

}  // namespace gossamer
