// SPDX-License-Identifier: Apache-2.0
/// The ring all-gather: one packet per node around one Hamiltonian cycle of the torus.
///
/// The usual fallback of libraries, and the baseline for the other algorithms: it uses one or two
/// of a router's 2d links in each direction.
#pragma once

#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// A Hamiltonian cycle of any torus: the output port that leads to the successor, by node. O(P d).
///
/// Built dimension by dimension. The cycle so far and the ring of the next dimension span a 2-D
/// torus, which is walked row by row. Walking a row backward instead of forward shifts the entry of
/// the next row by one to the other side. With an even number of rows the shifts cancel. When both
/// lengths are odd, the rows run along the shorter one, and rows in one direction outnumber the
/// others by so many that the shifts add up to one length.
[[nodiscard]] std::vector<Port> torus_hamiltonian_cycle(const Topology& torus);

struct RingOptions {
  /// Both directions at once: half the steps.
  bool two_way = false;
};

/// The `ring` or `ring-two-way` all-gather plan, one packet per node: P - 1 or floor(P/2) steps,
/// fully time-independent, buffer 1. Throws InfeasibleError on meshes.
[[nodiscard]] Plan plan_ring(const Topology& topology, const RingOptions& options);

/// The `shared-cycles` all-gather plan: one packet per node, sent in both directions around each of
/// the d edge-disjoint Hamiltonian cycles at once. Fully time-independent, buffer 1. Theorem 1
/// bounds this kind of plan. There is no formula for the steps, which depend on the relative
/// position of the cycles. Throws InfeasibleError where hamiltonian_decomposition does.
[[nodiscard]] Plan plan_shared_cycles(const Topology& topology);

/// True when Theorem 1 applies to the plan: a healthy 2-D torus with fixed feeds that form two
/// edge-disjoint Hamiltonian cycles used in both directions. Each port sends at most the one packet
/// of its node. O(P).
[[nodiscard]] bool runs_on_two_hamiltonian_cycles(const Plan& plan);

}  // namespace gossamer
