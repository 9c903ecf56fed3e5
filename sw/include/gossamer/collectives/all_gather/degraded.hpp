// SPDX-License-Identifier: Apache-2.0
/// All-gather around dead links and nodes, and on shapes without a decomposition of their own.
///
/// Constructions and their step counts: docs/spec/faults.md, sections 3 to 5. All of them require a
/// strongly connected live network without dead cores (planner.cpp removes those). All are
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

/// The remains of the torus' Hamiltonian cycles, on the image of the decomposition that keeps the
/// most of them: whole cycles, one-way cycles, and paths. For one dead link or arc it has the
/// closed forms of section 4. Throws InfeasibleError when nothing is left, there is no
/// decomposition, or the network is not a torus.
[[nodiscard]] Plan plan_cut(const Topology& topology, const DegradedOptions& options);

/// One closed trail through all live nodes that uses no link twice, in both directions: ceil(k (L -
/// 1) / 2) steps, L its length. InfeasibleError when none is found.
[[nodiscard]] Plan plan_trail(const Topology& topology, const DegradedOptions& options);

/// R closed one-way walks through all live nodes, pairwise arc-disjoint. R is the largest number, 3
/// or more, for which the search succeeds. With k = R packets it takes L - 1 steps, L the length of
/// a walk. InfeasibleError with fewer than 3 packets, beyond 600 live nodes, and when none are
/// found.
[[nodiscard]] Plan plan_walks(const Topology& topology, const DegradedOptions& options);

/// Every packet along a spanning tree of two-way links: k (P' - 1) steps for any tree.
/// InfeasibleError when two-way links do not connect the nodes. `queue_depth` keeps its largest
/// possible value.
[[nodiscard]] Plan plan_spanning_tree(const Topology& topology, const DegradedOptions& options);

/// Up one tree and down another, in frames of two steps; one-way links suffice. There is no
/// formula: `analytic_steps` is empty and `queue_depth` has its largest possible value.
[[nodiscard]] Plan plan_in_out(const Topology& topology, const DegradedOptions& options);

/// The plan with the fewest steps of those above; among equals, the first.
[[nodiscard]] Plan plan_degraded(const Topology& topology, const DegradedOptions& options);

/// Closed lines, used in both directions, that visit every live node once, pairwise link-disjoint.
/// They are the torus' Hamiltonian cycles that no fault touches, on the image that keeps the most.
/// Without such cycles the result is one line that the search of closed_trail finds, or empty.
[[nodiscard]] std::vector<StreamLine> whole_cycles(const Topology& topology, std::uint64_t seed);

/// One packet on each of whole_cycles, in both directions: floor(P' / 2) steps for as many packets
/// per node as there are cycles. `packets_per_node` is ignored. InfeasibleError without whole
/// cycles.
[[nodiscard]] Plan plan_whole_cycles(const Topology& topology, const DegradedOptions& options);

/// `walks` closed one-way walks through all live nodes, arc-disjoint; empty when the search fails.
/// If the live nodes have two colours, b more of one than of the other, each walk visits b nodes
/// twice.
[[nodiscard]] std::vector<StreamLine> closed_walks(const Topology& topology, std::size_t walks,
                                                   std::uint64_t seed);

/// A closed trail through all live nodes that uses no link twice; empty when the search fails. Its
/// length is the least possible: P' visits, or P' + b where the live nodes have two colours, b more
/// of one.
[[nodiscard]] std::optional<StreamLine> closed_trail(const Topology& topology, std::uint64_t seed);

}  // namespace gossamer
