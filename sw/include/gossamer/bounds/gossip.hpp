// SPDX-License-Identifier: Apache-2.0
/// Closed forms and lower bounds of all-gather (the papers' gossip), full-port store-and-forward.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// ceil(a / b), b > 0.
[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// Lower bound on the steps of an all-gather of `packets_per_node` packets. Every node (on a mesh:
/// a corner) has to receive k (P - 1) packets over the links that enter it, and some packet needs
/// as many steps as the diameter has hops. On a torus: max(ceil(k (P - 1) / 2d), diameter). With
/// one packet per node and f sides of 2, P - 1 becomes P - 1 + f: in step 1 the two parallel links
/// from one neighbour can only bring the one packet it has. Source: Meyer & Sibeyn, section 1;
/// docs/spec/gossip.md, section 0.
[[nodiscard]] std::uint64_t gossip_lower_bound(const Topology& topology,
                                               std::uint64_t packets_per_node);

/// Exact steps of the `hamiltonian` algorithm, which deals k packets to d Hamiltonian cycles. k <
/// d: one packet on each of k cycles, floor(P / 2); otherwise ceil((k (P - 1) + k mod d) / 2d). k =
/// d: floor(P / 2); k = 2d: P - 1. Source: docs/spec/gossip.md, sections 0 and 1;
/// docs/spec/faults.md, section 3.
[[nodiscard]] std::uint64_t hamiltonian_steps(const Topology& topology,
                                              std::uint64_t packets_per_node);

/// The paper's bound for k = d packets: ceil(P / 2) (Meyer & Sibeyn, Theorems 2 to 4 and section
/// 3.4). Empty for other k.
[[nodiscard]] std::optional<std::uint64_t> hamiltonian_paper_bound(const Topology& topology,
                                                                   std::uint64_t packets_per_node);

/// Exact steps of the `array` algorithm on a mesh, k packets per node.
/// - A line: k (P - 1), because all packets of the other nodes cross the last link. Optimal.
/// - P even: ceil(k (P - 1) / 2), as on one Hamiltonian cycle. Optimal in two dimensions; in d
///   dimensions a corner would need only ceil(k (P - 1) / d).
/// - All sides odd, d >= 2: k ((P - 1) / 2 + 2). The two windows of node 0 overlap by two links of
///   a cycle of P - 1 nodes, and its streams and packets are one step late.
/// Source: docs/spec/gossip.md, section 3.4, for d = 2 and k = 1; the rest by the same argument,
/// docs/algorithms/array.md.
[[nodiscard]] std::uint64_t array_steps(const Topology& mesh, std::uint64_t packets_per_node);

/// Steps of a torus plan folded onto a mesh: two steps per torus step. Source: Varvarigos &
/// Bertsekas, Fig. 1; docs/spec/partial-collectives.md, section 5.
[[nodiscard]] constexpr std::uint64_t folded_steps(std::uint64_t torus_steps) {
  return 2 * torus_steps;
}

/// Exact length of the longest FIFO of the `array` algorithm. On a line: k. P even: as on one
/// Hamiltonian cycle (k, or k / 2 when k is even). All sides odd: 2k, because node 0's packets join
/// a full stream.
[[nodiscard]] std::uint32_t array_queue_depth(const Topology& mesh, std::uint32_t packets_per_node);

/// Exact steps of the `two-packet` algorithm on a 2-D torus. Both sides even: P/2. One odd side C
/// and one even side R >= 4: P/2 with the FIFO switch, P/2 + C + 1 without. R = 2: P/2 + 1 = C + 1;
/// no switch either way. Both odd: (P - 1)/2; `hamiltonian` is used instead. Source:
/// docs/spec/gossip.md, sections 2.1 to 2.3, which states the case R = 2 as an observation; the
/// tests verify it by simulation.
[[nodiscard]] std::uint64_t two_packet_steps(const Topology& topology, bool time_independent);

/// The bound of Theorems 2 to 4 of Meyer & Sibeyn for two packets per node: ceil(P/2). Empty for
/// the time-independent plan of one odd side: the theorems claim only that it exists. Also empty
/// for 2 x odd, where the two supporting neighbours that the proof of Theorem 3 separates coincide.
[[nodiscard]] std::optional<std::uint64_t> two_packet_paper_bound(const Topology& topology,
                                                                  bool time_independent);

/// Length m of each of the d cycles of the `one-packet` algorithm: (n_d + d) P / (n_d d), with n_d
/// the side along the paper's last axis (Meyer & Sibeyn, section 4.3.5).
[[nodiscard]] std::uint64_t one_packet_cycle_length(const Topology& topology,
                                                    std::uint64_t last_side);

/// Exact steps of the `one-packet` algorithm in 2-D, for first axis n1 (even) >= 4 and last axis n2
/// >= 3: floor(m/2) = floor(n1 n2/4 + n1/2) with the FIFO switch, floor((m + n2 + 2)/2) + 1
/// without. Source: docs/spec/gossip.md, section 2.4 (162 sizes).
[[nodiscard]] std::uint64_t one_packet_steps_2d(std::uint64_t n1, std::uint64_t n2,
                                                bool time_independent);

/// Exact steps of the `one-packet` algorithm in 3-D: floor(m/2) with the FIFO switch. Without it:
/// ceil((m + (2 n1/3 + 1)(n3 + 3))/2) for n1 >= 6 and ceil((m + 2 (n3 + 3))/2) for n1 = 3, n2 >= 6.
/// Empty for n1 = n2 = 3 without the switch, where the plan ends up to 5 steps earlier than the
/// last formula. Source: docs/spec/gossip.md, section 2.4 (56 tori).
[[nodiscard]] std::optional<std::uint64_t> one_packet_steps_3d(std::uint64_t n1, std::uint64_t n2,
                                                               std::uint64_t n3,
                                                               bool time_independent);

/// The bounds of Theorems 5, 6 and 7 of Meyer & Sibeyn for one packet per node. With the switch:
/// floor(P/4 + n1/2) + 1 for d = 2, floor(P/6 + n1 n2/2) + 1 for d = 3, floor((1 + d/n_d) P/(2d)) +
/// 2 beyond. Time-independent: empty for d = 2 and 3, where the theorems give only an order of
/// growth; beyond, floor((1 + d/n_d)(1 + 3d/n_{d-1}) P/(2d)). Both sides are given along the
/// paper's axes.
[[nodiscard]] std::optional<std::uint64_t> one_packet_paper_bound(const Topology& topology,
                                                                  std::uint64_t last_side,
                                                                  std::uint64_t side_before_last,
                                                                  bool time_independent);

}  // namespace gossamer::bounds
