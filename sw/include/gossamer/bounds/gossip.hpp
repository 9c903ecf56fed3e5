// SPDX-License-Identifier: Apache-2.0
/// Closed forms and lower bounds of gossip (all-to-all broadcast), full-port store-and-forward.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// ceil(a / b), b > 0.
[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// Steps that no gossip of `packets_per_node` packets can beat: every node has to receive
/// k (P - 1) packets over as many links as enter it (on a mesh: a corner), and a packet needs as
/// many steps as the diameter has hops. On a torus: max(ceil(k (P - 1) / 2d), diameter).
/// Source: Meyer & Sibeyn, section 1; spec/gossip.md, section 0.
[[nodiscard]] std::uint64_t gossip_lower_bound(const Topology& topology,
                                               std::uint64_t packets_per_node);

/// Exact steps of the `hamiltonian` algorithm: d Hamiltonian cycles, k packets dealt to them
/// evenly. A cycle with m packets a node needs ceil(m (P - 1) / 2); the fullest has m = ceil(k /
/// d). k = d: ceil((P - 1) / 2) = floor(P / 2); k = 2d: P - 1. Source: spec/gossip.md, sections 0
/// and 1.
[[nodiscard]] std::uint64_t hamiltonian_steps(const Topology& topology,
                                              std::uint64_t packets_per_node);

/// What the paper promises for k = d packets: ceil(P / 2) (Meyer & Sibeyn, Theorems 2 to 4 and
/// section 3.4); nothing for other k.
[[nodiscard]] std::optional<std::uint64_t> hamiltonian_paper_bound(const Topology& topology,
                                                                   std::uint64_t packets_per_node);

/// Exact steps of the `array` algorithm on a mesh, k packets a node.
/// - A line: k (P - 1), which all cross the last link. Optimal.
/// - P even: ceil(k (P - 1) / 2), as on one Hamiltonian cycle. Optimal in two dimensions; in d of
///   them a corner would need only ceil(k (P - 1) / d).
/// - All sides odd, d >= 2: k ((P - 1) / 2 + 2). The two windows of node 0 overlap by two links of
///   a cycle of P - 1 nodes, and its streams and packets are one step late.
/// Source: spec/gossip.md, section 3.4, for d = 2 and k = 1; the rest by the same argument,
/// docs/algorithms/array.md.
[[nodiscard]] std::uint64_t array_steps(const Topology& mesh, std::uint64_t packets_per_node);

/// Steps of a torus plan folded onto a mesh: two for one. Source: Varvarigos & Bertsekas, Fig. 1;
/// spec/partial-collectives.md, section 5.
[[nodiscard]] constexpr std::uint64_t folded_steps(std::uint64_t torus_steps) {
  return 2 * torus_steps;
}

/// Exact length of the longest FIFO of the `array` algorithm: k on a line; as on one Hamiltonian
/// cycle (k, but k / 2 when k is even) when P is even; 2k when all sides are odd, where node 0's
/// packets join a full stream.
[[nodiscard]] std::uint32_t array_queue_depth(const Topology& mesh, std::uint32_t packets_per_node);

}  // namespace gossamer::bounds
