// SPDX-License-Identifier: Apache-2.0
/// The ring all-gather: one packet a node round one Hamiltonian cycle of the torus.
///
/// What every library falls back on, and what the other algorithms are compared with: it uses one
/// or two of a router's 2d links each way.
#pragma once

#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// A Hamiltonian cycle of any torus: the out-port that leads to the successor, by node. O(P d).
///
/// Built dimension by dimension. The cycle so far and the ring of the next dimension span a 2-D
/// torus, which is walked row after row, every row whole: a row walked backward instead of forward
/// shifts the place where the next row is entered by one to the other side. With an even number of
/// rows the shifts cancel out; when both lengths are odd, the rows run along the shorter one and
/// just so many more rows go one way that the shifts add up to one length.
[[nodiscard]] std::vector<Port> torus_hamiltonian_cycle(const Topology& torus);

struct RingOptions {
  /// Both ways round at once: half the steps.
  bool two_way = false;
};

/// The `ring` or `ring-two-way` gossip plan, one packet a node: P - 1 or floor(P/2) steps, fully
/// time-independent, buffer 1. Throws InfeasibleError on meshes.
[[nodiscard]] Plan plan_ring(const Topology& topology, const RingOptions& options);

/// The `shared-cycles` gossip plan: one packet a node, sent both ways round every one of the d
/// edge-disjoint Hamiltonian cycles at once. Fully time-independent, buffer 1. This is what Theorem
/// 1 is about; there is no formula for the steps, which depend on how the cycles lie to each other.
/// Throws InfeasibleError where hamiltonian_decomposition does.
[[nodiscard]] Plan plan_shared_cycles(const Topology& topology);

/// True when Theorem 1 speaks of the plan: a healthy 2-D torus, fixed feeds that form two
/// edge-disjoint Hamiltonian cycles used both ways, at most the one packet of each node sent on
/// each port. O(P).
[[nodiscard]] bool runs_on_two_hamiltonian_cycles(const Plan& plan);

}  // namespace gossamer
