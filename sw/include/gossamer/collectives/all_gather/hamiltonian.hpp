// SPDX-License-Identifier: Apache-2.0
/// Gossip on edge-disjoint Hamiltonian cycles: the plan that meets the lower bound.
///
/// The 2d ports of every node are paired by d edge-disjoint Hamiltonian cycles; what arrives on one
/// port of a pair leaves by the other, for ever. With d packets a node, packet c goes both ways
/// round cycle c and everybody has everything after floor(P/2) steps, which is the lower bound.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/collectives/all_gather/stream_lines.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/topology/hamiltonian_pair.hpp"

namespace gossamer {

/// Which Hamiltonian cycle each link belongs to: one entry per (node, port), node-major, values
/// 0 .. d-1. Both ends of a link carry the same value; each value stands on exactly two ports of
/// every node.
using HamiltonianDecomposition = std::vector<std::uint8_t>;

/// d edge-disjoint Hamiltonian cycles of a torus. Throws InfeasibleError where none are built.
[[nodiscard]] HamiltonianDecomposition hamiltonian_decomposition(const Topology& topology);

/// The same cycles as closed lines of visits from node 0 on, cycle 0 first.
[[nodiscard]] std::vector<StreamLine> hamiltonian_cycles(const Topology& topology);

struct HamiltonianOptions {
  /// Own packets of each node; empty: d, which meets the lower bound. Cost grows linearly:
  /// ceil((k (P-1) + k mod d) / 2d) steps for k >= d.
  std::optional<std::uint32_t> packets_per_node;
};

/// The `hamiltonian` gossip plan. Where d divides k, or k < d, packets are dealt to the cycles
/// round robin: of an even number m on a cycle half go each way (queue m/2), of an odd number all
/// go both ways, the backward list reversed (queue m). Else every node has floor(k/d) on each cycle
/// and one more on k mod d of them, chosen so that all cycles carry the same (queue ceil(k/d)).
/// Throws InfeasibleError on meshes and where the decomposition does.
[[nodiscard]] Plan plan_hamiltonian(const Topology& topology, const HamiltonianOptions& options);

}  // namespace gossamer
