// SPDX-License-Identifier: Apache-2.0
/// Closed forms and lower bounds of reductions and of total exchange, full-port store-and-forward:
/// a directed link carries one packet per step, and a packet holds one word of a vector.
///
/// docs/algorithms/reductions.md has the proofs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// Lower bound on the steps of a reduce-scatter of k blocks per node. Every node sends at least
/// once for each of the k (P - 1) words that end elsewhere, over the links that leave it (a mesh's
/// corner: d). The farthest contribution needs as many steps as the diameter has hops.
[[nodiscard]] std::uint64_t reduce_scatter_lower_bound(const Topology& topology, std::uint64_t k);

/// Lower bound on the steps of an all-reduce of `words` words: the largest of
///  - the hops: 2 (P - 1) per word, over all directed links;
///  - D + ceil((words - q) / g): a corner with g links has a completing arrival for every word; the
///    first is in step D, the earliest for data from the node at distance D. By then at most
///    q = g - o words are complete, where o rings through the corner have an odd length.
/// docs/spec/middle-reductions.md, section 1.
[[nodiscard]] std::uint64_t all_reduce_lower_bound(const Topology& topology, std::uint64_t words);

/// Lower bound on the steps of a reduce-scatter of `words` words, and of an all-gather of as many
/// packets, each with one owner. In t steps a link carries at most t words, and a word reaches no
/// more nodes than are within t hops of its owner. docs/spec/middle-reductions.md, section 1. The
/// topology is healthy.
[[nodiscard]] std::uint64_t owners_lower_bound(const Topology& topology, std::uint64_t words);

/// Lower bounds that earlier versions wrote into documents for the plan's demand; some are lower
/// than the current ones.
[[nodiscard]] std::vector<std::uint64_t> earlier_lower_bounds(const Plan& plan);

/// Lower bound on the steps of a reduction of `words` words to `root`: a corner x has to send all
/// of them, the last one dist(x, root) steps before the end. On a torus every node is a corner.
[[nodiscard]] std::uint64_t reduce_lower_bound(const Topology& topology, NodeId root,
                                               std::uint64_t words);

/// Lower bound on the steps of a broadcast of `packets` packets from `root`. It is the same in
/// reverse: all packets have to enter the farthest node, the first in step dist(root, x) at the
/// earliest. All packets also have to enter the last nodes of a dimension that does not wrap, taken
/// together.
[[nodiscard]] std::uint64_t broadcast_lower_bound(const Topology& topology, NodeId root,
                                                  std::uint64_t packets);

/// Lower bound on the steps of a total exchange with `packets` packets for every ordered pair: the
/// diameter and, in each dimension, the hops (torus) or the packets that cross the middle (mesh).
[[nodiscard]] std::uint64_t all_to_all_lower_bound(const Topology& topology,
                                                   std::uint64_t packets = 1);

/// Lower bound on the steps of a store-and-forward plan for the demand: the bound of its collective
/// (all-gather, broadcast, reduce-scatter, all-reduce, reduce, total exchange). Throws
/// std::logic_error for other demands.
[[nodiscard]] std::uint64_t lower_bound(const Topology& topology, const Demand& demand);
/// The same for the requested vector of the plan; padding words do not count.
[[nodiscard]] std::uint64_t lower_bound(const Plan& plan);

/// Exact steps of a reduce-scatter on `cycles` Hamiltonian cycles: ceil(m (P - 1) / 2) with m =
/// ceil(k / cycles) parts per cycle.
[[nodiscard]] constexpr std::uint64_t cycle_reduce_scatter_steps(std::uint64_t nodes,
                                                                 std::uint64_t cycles,
                                                                 std::uint64_t k) {
  return ceil_div(ceil_div(k, cycles) * (nodes - 1), 2);
}

/// Exact steps of an all-reduce on the same cycles: m (P - 1).
[[nodiscard]] constexpr std::uint64_t cycle_all_reduce_steps(std::uint64_t nodes,
                                                             std::uint64_t cycles,
                                                             std::uint64_t k) {
  return ceil_div(k, cycles) * (nodes - 1);
}

/// Exact steps of the `rings` all-reduce on an n^d torus: d (n - 1) for every d n words.
[[nodiscard]] constexpr std::uint64_t rings_steps(std::uint64_t side, std::uint64_t dimensions,
                                                  std::uint64_t words) {
  return ceil_div(words, dimensions * side) * dimensions * (side - 1);
}

/// Exact steps of the location-independent total exchange on a torus: the larger of the diameter
/// and the hops of each direction of a dimension i. Half sides are split as evenly as whole packets
/// allow: (P/n)(n^2 - 1)/8 for odd n = n_i, (P/n) n (n - 2)/8 + ceil(P / 2n) n/2 for even n.
[[nodiscard]] std::uint64_t isotropic_steps(const Topology& torus);

/// The step at whose end streams have finished `words` words, if stream i finishes its first word
/// in step first[i] and then one word every `frame` steps.
[[nodiscard]] std::uint64_t packed_steps(const std::vector<std::uint64_t>& first,
                                         std::uint64_t frame, std::uint64_t words);

/// The largest number of words that `lines` can send at d words per step on a mesh without sides of
/// 1: d times the links of the shortest line; with adders of L cycles, d times the cycles of a word
/// on that line, n - 1 + L ceil(n / 2).
[[nodiscard]] std::uint64_t lines_most_words(const Topology& mesh, std::uint32_t adder_cycles = 0);

/// Exact steps of `lines` on such a mesh: D - 1 + ceil(words / d), the lower bound, for up to
/// lines_most_words() words, and D - 1 + words for more. Adders of L cycles add L ceil(n / 2) for
/// every side n.
[[nodiscard]] std::uint64_t lines_steps(const Topology& mesh, std::uint64_t words,
                                        std::uint32_t adder_cycles = 0);

/// Exact steps of the all-reduce `tree` without faults: words - 1 + 2 H + L (H + w) with adders of
/// L cycles, where H is the sum of floor(n / 2) over all sides n, and w sides are 3 or more.
[[nodiscard]] std::uint64_t tree_steps(const Topology& topology, std::uint64_t words,
                                       std::uint32_t adder_cycles = 0);

/// The steps in which `three-trees` finishes its first word per tree, on a 2-D mesh with sides of 3
/// or more: the diameter and up to 5 more.
[[nodiscard]] std::vector<std::uint64_t> three_trees_first(const Topology& topology);

}  // namespace gossamer::bounds
