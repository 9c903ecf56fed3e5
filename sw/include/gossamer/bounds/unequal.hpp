// SPDX-License-Identifier: Apache-2.0
/// Lower bounds on networks without faults whose links differ in speed (topology/link_periods.hpp).
/// They hold for equal links as well.
#pragma once

#include <cstdint>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// The largest distance between two nodes, in steps; a distance is the least sum of link periods
/// over all paths.
[[nodiscard]] std::uint64_t unequal_diameter(const Topology& topology);

/// Lower bound on the steps of an all-gather of k packets per node, and of a reduce-scatter of k
/// blocks per node: the largest of unequal_diameter() and, over all boxes S of nodes, with N = k (P
/// - |S|),
///  - cut: the least T with sum over arcs e into S of floor(T / r_e) >= N;
///  - entry: the least T with sum of floor(T / r_e) + floor((T - x_e) / r_e) >= 2 N, where x_e is
///    the largest distance inside S from the end of e: a packet that first enters later than T -
///    x_e has to enter twice.
/// Source: docs/chiplets.md.
[[nodiscard]] std::uint64_t unequal_gather_bound(const Topology& topology, std::uint64_t k);

/// Lower bound on the steps of an all-reduce of `words` words: the largest of
///  - the least T with sum over links e between parts of floor(T / r_e) >= words (q - 1), for
///    partitions into q equal boxes, each side 1, the chiplet's or the whole;
///  - the least T with sum over arcs e into c of floor((T - D_c) / r_e) + 1 >= words, D_c the
///    largest distance to c, for every node c.
/// Source: docs/chiplets.md.
[[nodiscard]] std::uint64_t unequal_all_reduce_bound(const Topology& topology, std::uint64_t words);

}  // namespace gossamer::bounds
