// SPDX-License-Identifier: Apache-2.0
/// Closed forms of the all-gather algorithms used for comparison, Theorem 1, and the cost model.
#pragma once

#include <cstdint>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// Steps when one packet per node travels in one direction around a ring of `nodes`: P - 1.
[[nodiscard]] std::uint64_t ring_steps(std::uint64_t nodes);

/// The same in both directions: ceil((P - 1) / 2) = floor(P / 2).
[[nodiscard]] std::uint64_t two_way_ring_steps(std::uint64_t nodes);

/// Hierarchical all-gather with one-way rings. In the phase of dimension i every node sends N_i =
/// n_0 ... n_{i-1} packets to each of the n_i - 1 other nodes of its line, over one link. The steps
/// are sum_i N_i (n_i - 1), a telescoping sum: P - 1 for any sides.
[[nodiscard]] std::uint64_t hierarchical_steps(const Topology& torus);

/// The same with two-way rings: sum_i ceil(N_i (n_i - 1) / 2).
[[nodiscard]] std::uint64_t two_way_hierarchical_steps(const Topology& torus);

/// Theorem 1: consider a time-independent all-gather that sends one packet per node along two
/// edge-disjoint Hamiltonian cycles of a 2-D torus. For any two such cycles it takes at least
/// ceil((11/40) P - 1) steps, P >= 4: some node meets P/10 of the others on both cycles within P/4
/// steps. This exceeds the trivial bound from P = 31 on. Arbitrary time-independent tables can take
/// fewer steps. Source: Meyer & Sibeyn, section 2, Theorem 1.
[[nodiscard]] std::uint64_t theorem1_bound(std::uint64_t nodes);

/// Value of the unit fractions with which Meyer & Sibeyn's Table 2 is computed.
enum class Fractions {
  /// Exactly 1/3 and 1/6.
  kExact,
  /// 1/3 truncated to .333 and 1/6 to .1666: reproduces all 54 printed entries.
  kAsPrinted,
};

/// The cost model: sending a packet of size s' (in units of a node's data) takes s' + r time units,
/// where r is the normalised start-up time (Meyer & Sibeyn, section 5, equation (5)). Like the
/// paper, the formulas below replace the ceilings with P - 1 by P/(2d) and P/2.
///
/// T_opt, the d Hamiltonian cycles of section 3, packets of size 1/d: P/2 (1/d + r).
[[nodiscard]] double time_optimal(double nodes, int dimensions, double startup,
                                  Fractions fractions = Fractions::kExact);
/// T_one, section 4's one-packet algorithm with the switch, without its two last steps:
/// P/(2n) (n/d + 1) (1 + r), n the side of the last axis.
[[nodiscard]] double time_one_packet(double nodes, double last_side, int dimensions, double startup,
                                     Fractions fractions = Fractions::kExact);
/// T_stv, the paper's reference [14], time-dependent with one packet: P/(2d) (1 + r).
[[nodiscard]] double time_scheduled(double nodes, int dimensions, double startup,
                                    Fractions fractions = Fractions::kExact);

}  // namespace gossamer::bounds
