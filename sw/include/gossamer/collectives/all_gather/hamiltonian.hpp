// SPDX-License-Identifier: Apache-2.0
/// All-gather on edge-disjoint Hamiltonian cycles: the plan that meets the lower bound.
///
/// d edge-disjoint Hamiltonian cycles pair the 2d ports of every node. A packet that arrives on one
/// port of a pair leaves by the other, in every step. With d packets per node, packet c travels in
/// both directions around cycle c. Every node has all packets after floor(P/2) steps, the lower
/// bound.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/collectives/all_gather/stream_lines.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/topology/hamiltonian_pair.hpp"

namespace gossamer {

/// Which Hamiltonian cycle each link belongs to: one entry per (node, port), node-major, values 0
/// .. d-1. Both ends of a link carry the same value; exactly two ports of every node have the same
/// value.
using HamiltonianDecomposition = std::vector<std::uint8_t>;

/// d edge-disjoint Hamiltonian cycles of a torus. Throws InfeasibleError where the construction
/// does not apply.
[[nodiscard]] HamiltonianDecomposition hamiltonian_decomposition(const Topology& topology);

/// The same cycles as closed lines of visits from node `first` on, cycle 0 first. Their directions
/// do not depend on `first`. Meshes and cylinders: the one cycle of plan_array. Throws
/// InfeasibleError for networks without such cycles.
[[nodiscard]] std::vector<StreamLine> hamiltonian_cycles(const Topology& topology,
                                                         NodeId first = 0);

struct HamiltonianOptions {
  /// Own packets of each node; empty: d, which meets the lower bound. Cost grows linearly:
  /// ceil((k (P-1) + k mod d) / 2d) steps for k >= d.
  std::optional<std::uint32_t> packets_per_node;
};

/// The `hamiltonian` all-gather plan. Where d divides k, or k < d, packets are dealt to the cycles
/// round robin. Of an even number m on a cycle, half travel in each direction (queue m/2). Of an
/// odd number, all travel in both directions, the backward list reversed (queue m). Otherwise every
/// node has floor(k/d) packets on each cycle and one more on k mod d of them, chosen so that all
/// cycles carry the same load (queue ceil(k/d)). Throws InfeasibleError on meshes and where the
/// decomposition does.
[[nodiscard]] Plan plan_hamiltonian(const Topology& topology, const HamiltonianOptions& options);

}  // namespace gossamer
