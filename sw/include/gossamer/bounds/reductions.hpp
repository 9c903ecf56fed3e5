// SPDX-License-Identifier: Apache-2.0
/// Closed forms and lower bounds of reductions and of total exchange, full-port store-and-forward:
/// a directed link carries one packet a step, and a packet is about one word of a vector.
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

/// Steps that no reduce-scatter of k blocks a node can beat. Every node sends at least once for
/// each of the k (P - 1) words that end elsewhere, over as many links as leave it (a mesh's corner:
/// d), and the farthest contribution needs as many steps as the diameter has hops.
[[nodiscard]] std::uint64_t reduce_scatter_lower_bound(const Topology& topology, std::uint64_t k);

/// Steps that no all-reduce of `words` words can beat: the largest of
///  - the hops: 2 (P - 1) a word, over all directed links;
///  - D + ceil((words - q) / g): a corner with g links has a completing arrival for every word, the
///    first in step D, when news of the node at distance D can be there. Then at most q = g - o
///    words are complete, where o rings through the corner have an odd length.
/// docs/spec/middle-reductions.md, section 1.
[[nodiscard]] std::uint64_t all_reduce_lower_bound(const Topology& topology, std::uint64_t words);

/// Steps that no reduce-scatter of `words` words, and no all-gather of as many packets, can beat,
/// each of one owner: t steps bring at most one word per link and step, and each word to no more
/// nodes than are within t hops of its owner. docs/spec/middle-reductions.md, section 1. The
/// topology is healthy.
[[nodiscard]] std::uint64_t owners_lower_bound(const Topology& topology, std::uint64_t words);

/// Bounds of the plan's demand that earlier versions wrote into documents; some are lower than
/// those that are known now.
[[nodiscard]] std::vector<std::uint64_t> earlier_lower_bounds(const Plan& plan);

/// Steps that no reduction of `words` words to `root` can beat: a corner x has to send all of them,
/// the last one dist(x, root) steps before the end. On a torus every node is a corner.
[[nodiscard]] std::uint64_t reduce_lower_bound(const Topology& topology, NodeId root,
                                               std::uint64_t words);

/// Steps that no broadcast of `packets` packets from `root` can beat: the same in reverse, for as
/// many packets have to enter the farthest node, the first in step dist(root, x) at the earliest;
/// and as many have to enter the last nodes of a dimension that does not wrap, all together.
[[nodiscard]] std::uint64_t broadcast_lower_bound(const Topology& topology, NodeId root,
                                                  std::uint64_t packets);

/// Steps that no total exchange can beat, `packets` for every ordered pair: the diameter and, in
/// each dimension, the hops (torus) or the packets that cross the middle (mesh).
[[nodiscard]] std::uint64_t all_to_all_lower_bound(const Topology& topology,
                                                   std::uint64_t packets = 1);

/// Steps that no store-and-forward plan for the demand can beat: the bound of its collective
/// (all-gather, broadcast, reduce-scatter, all-reduce, reduce, total exchange). Throws
/// std::logic_error for other demands.
[[nodiscard]] std::uint64_t lower_bound(const Topology& topology, const Demand& demand);
/// The same for what the plan was asked for: words that pad its vector do not count.
[[nodiscard]] std::uint64_t lower_bound(const Plan& plan);

/// Exact steps of a reduce-scatter on `cycles` Hamiltonian cycles: ceil(m (P - 1) / 2) with m =
/// ceil(k / cycles) parts a cycle.
[[nodiscard]] constexpr std::uint64_t cycle_reduce_scatter_steps(std::uint64_t nodes,
                                                                 std::uint64_t cycles,
                                                                 std::uint64_t k) {
  return ceil_div(ceil_div(k, cycles) * (nodes - 1), 2);
}

/// Exact steps of an all-reduce there: m (P - 1).
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

/// Exact steps of the location-independent total exchange on a torus: the largest of the diameter
/// and of the hops of each direction of a dimension i, half sides split as evenly as whole packets
/// can be: (P/n)(n^2 - 1)/8 for odd n = n_i, (P/n) n (n - 2)/8 + ceil(P / 2n) n/2 for even n.
[[nodiscard]] std::uint64_t isotropic_steps(const Topology& torus);

/// The step at whose end the last of `words` words is done by streams whose first words are done in
/// the steps `first`, and then one every `frame` steps.
[[nodiscard]] std::uint64_t packed_steps(const std::vector<std::uint64_t>& first,
                                         std::uint64_t frame, std::uint64_t words);

/// The longest vector of which `lines` sends d words a step on a mesh without sides of 1: d times
/// the links of the shortest line.
[[nodiscard]] std::uint64_t lines_most_words(const Topology& mesh);

/// Exact steps of `lines` there: D - 1 + ceil(words / d), the lower bound, for so many words, and
/// D - 1 + words for more.
[[nodiscard]] std::uint64_t lines_steps(const Topology& mesh, std::uint64_t words);

/// The steps in which the first words of `three-trees` are done, by tree, on a 2-D mesh with sides
/// of 3 or more: the diameter and up to 5 more.
[[nodiscard]] std::vector<std::uint64_t> three_trees_first(const Topology& topology);

}  // namespace gossamer::bounds
