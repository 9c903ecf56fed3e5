// SPDX-License-Identifier: Apache-2.0
/// Closed forms of the algorithms that gossip is compared with, Theorem 1, and the cost model.
#pragma once

#include <cstdint>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// Steps of one packet a node sent one way round a ring of `nodes`: P - 1.
[[nodiscard]] std::uint64_t ring_steps(std::uint64_t nodes);

/// The same both ways round: ceil((P - 1) / 2) = floor(P / 2).
[[nodiscard]] std::uint64_t two_way_ring_steps(std::uint64_t nodes);

/// Hierarchical all-gather with one-way rings. In the phase of dimension i every node passes the
/// N_i = n_0 ... n_{i-1} packets that its line shares to n_i - 1 others over one link:
/// sum_i N_i (n_i - 1), a telescoping sum, so P - 1 whatever the sides.
[[nodiscard]] std::uint64_t hierarchical_steps(const Topology& torus);

/// The same with two-way rings: sum_i ceil(N_i (n_i - 1) / 2).
[[nodiscard]] std::uint64_t two_way_hierarchical_steps(const Topology& torus);

/// Theorem 1: a time-independent gossip that sends one packet a node round two edge-disjoint
/// Hamiltonian cycles of a 2-D torus, whichever they are, takes at least ceil((11/40) P - 1) steps,
/// P >= 4, for some node meets P/10 of the others on both cycles within P/4 steps. More than the
/// trivial bound from P = 31 on. Arbitrary time-independent tables go below it.
/// Source: Meyer & Sibeyn, section 2, Theorem 1.
[[nodiscard]] std::uint64_t theorem1_bound(std::uint64_t nodes);

/// A unit fraction as Meyer & Sibeyn's Table 2 was computed with.
enum class Fractions {
  /// 1/3 and 1/6 as they are.
  kExact,
  /// 1/3 typed as .333 and 1/6 as .1666: reproduces all 54 printed entries.
  kAsPrinted,
};

/// The cost model: sending a packet of size s' (in units of a node's data) takes s' + r time units,
/// r the normalised start-up time. (Meyer & Sibeyn, section 5, equation (5).) The formulas below
/// take P/(2d) and P/2 for the ceilings with P - 1, as the paper does.
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
