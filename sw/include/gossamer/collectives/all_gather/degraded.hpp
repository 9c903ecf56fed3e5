// SPDX-License-Identifier: Apache-2.0
/// Gossip round dead links and nodes, and on shapes without a decomposition of their own.
///
/// Constructions and their step counts: docs/spec/faults.md, sections 3 to 5. All of them want a
/// strongly connected live network without dead cores (planner.cpp strips those); all are
/// deterministic: searches count moves, never time.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/collectives/all_gather/stream_lines.hpp"

namespace gossamer {

struct DegradedOptions {
  /// Own packets of each node; empty: d.
  std::optional<std::uint32_t> packets_per_node;
  std::uint64_t seed = 1;
};

/// What is left of the torus' Hamiltonian cycles, on the image of the decomposition that keeps the
/// most of them: whole cycles, cycles that run one way, and paths. For one dead link or arc the
/// closed forms of section 4. InfeasibleError when nothing is left, there is no decomposition, or
/// the network is no torus.
[[nodiscard]] Plan plan_cut(const Topology& topology, const DegradedOptions& options);

/// One closed trail through all live nodes that uses no link twice, both ways: ceil(k (L - 1) / 2)
/// steps, L its length. InfeasibleError when none is found.
[[nodiscard]] Plan plan_trail(const Topology& topology, const DegradedOptions& options);

/// R closed one-way walks through all live nodes, pairwise without a common arc, R as large as the
/// search finds some, 3 or more: with k = R packets L - 1 steps, L the length of a walk.
/// InfeasibleError with fewer packets than 3, beyond 600 live nodes, and when none are found.
[[nodiscard]] Plan plan_walks(const Topology& topology, const DegradedOptions& options);

/// Every packet along a spanning tree of two-way links: k (P' - 1) steps, whatever the tree.
/// InfeasibleError when two-way links do not connect the nodes. `queue_depth` is left at the
/// largest that it could be.
[[nodiscard]] Plan plan_spanning_tree(const Topology& topology, const DegradedOptions& options);

/// Up one tree and down another, in frames of two steps; one-way links will do. No formula:
/// `analytic_steps` is empty, and `queue_depth` the largest that it could be.
[[nodiscard]] Plan plan_in_out(const Topology& topology, const DegradedOptions& options);

/// The one of fewest steps of these; of equals the first.
[[nodiscard]] Plan plan_degraded(const Topology& topology, const DegradedOptions& options);

/// Closed lines, both ways, that visit every live node once, no two with a common link: those of
/// the torus' Hamiltonian cycles that no fault touches, on the image that keeps the most; else one
/// that the search of closed_trail finds. None when it finds none.
[[nodiscard]] std::vector<StreamLine> whole_cycles(const Topology& topology, std::uint64_t seed);

/// One packet on each of whole_cycles, both ways: floor(P' / 2) steps for as many packets a node as
/// there are cycles. `packets_per_node` is not looked at. InfeasibleError when there are none.
[[nodiscard]] Plan plan_whole_cycles(const Topology& topology, const DegradedOptions& options);

/// `walks` closed one-way walks through all live nodes, no arc twice; none when the search finds
/// none. Where the live nodes are of two colours, b more of one, each visits b nodes twice.
[[nodiscard]] std::vector<StreamLine> closed_walks(const Topology& topology, std::size_t walks,
                                                   std::uint64_t seed);

/// A closed trail through all live nodes, no link twice; nothing when the search finds none. As
/// short as it gets: P' visits, or P' + b where the live nodes are of two colours, b more of one.
[[nodiscard]] std::optional<StreamLine> closed_trail(const Topology& topology, std::uint64_t seed);

}  // namespace gossamer
