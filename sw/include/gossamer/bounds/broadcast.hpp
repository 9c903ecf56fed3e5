// SPDX-License-Identifier: Apache-2.0
/// Closed forms of one-port cut-through broadcast: eyes, distances, cycles, hardware sizes.
///
/// Sources: Cang & Wu, "Minimizing total communication distance of a time-step optimal broadcast in
/// mesh networks" (2-D) and its 3-D / d-D successor (3-D), as corrected by docs/spec/broadcast.md
/// ("spec"). A side is 2^k; level j runs from k down to 1. TCD: the total hops of all sends.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gossamer/plan/message_clock.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// ceil(log2 n), n >= 1.
[[nodiscard]] int ceil_log2(std::uint64_t n);
/// k when side = 2^k, else nothing.
[[nodiscard]] std::optional<int> exact_log2(std::uint32_t side);
/// The k of every side when all sides are powers of two, else nothing.
[[nodiscard]] std::optional<std::vector<int>> levels_of(const Topology& topology);
/// Lower bound on the steps of one-port broadcast: ceil(log2 N), where N counts the nodes with a
/// live core. A step at most doubles the holders (spec, section 1).
[[nodiscard]] int broadcast_steps(const Topology& topology);

// ---- long messages on Hamiltonian cycles ----------------------------------------------------

/// Steps of a broadcast or reduce of q = `words` words in both directions around a cycle of P =
/// `nodes` nodes: ceil((q + P - 2) / 2) (docs/algorithms/broadcast.md). No schedule on a ring takes
/// fewer. q >= 1, P >= 2.
[[nodiscard]] std::uint64_t cycle_message_steps(std::uint64_t nodes, std::uint64_t words);
/// The same on a torus, whose d edge-disjoint Hamiltonian cycles receive the words in turn, and on
/// the one cycle of other networks.
[[nodiscard]] std::uint64_t hamiltonian_message_steps(const Topology& topology,
                                                      std::uint64_t words);

// ---- eyes ------------------------------------------------------------------------------------

/// a_k = (2^k - (-1)^k) / 3, the distance between the two eyes of a side 2^k: 1, 1, 3, 5, 11, 21
/// (2-D, Eq. 2; 3-D, Eqs. 1 and 4). a_0 = 0.
[[nodiscard]] std::uint32_t eye_distance(int k);
/// lo_k = (2^(k+1) + (-1)^k - 3) / 6, the low eye of a side 2^k (3-D, section 2.1).
[[nodiscard]] std::uint32_t low_eye(int k);
/// hi_k = lo_k + a_k, the high eye (3-D, section 2.1); lo_k = hi_(k-1).
[[nodiscard]] std::uint32_t high_eye(int k);
/// True when coordinate x of a side 2^k is one of its two eyes.
[[nodiscard]] bool is_eye(int k, std::uint32_t x);

// ---- distances: source an eye ----------------------------------------------------------------

/// TCD of `eye` from an eye for sides 2^levels[i], equal or not: the sum over the steps (j, i) of
/// holders before the step times a_j (spec, section 3.1).
[[nodiscard]] std::uint64_t eye_tcd(std::span<const int> levels);
/// OD(d, k): the same for d equal sides 2^k in closed form (2-D, Eqs. 10 and 13; 3-D, Eq. 16 with
/// Eq. 3 and the 3-D case); d = 1: (k 2^k + a_k) / 3. d, k >= 1, d k <= 40.
[[nodiscard]] std::uint64_t optimal_tcd(int d, int k);

// ---- distances: any source, d equal sides 2^k --------------------------------------------------

/// Where a source lies in its level-j block (the block of side 2^j whose origin is a multiple of
/// 2^j in every dimension).
struct EyeBlock {
  /// low[i]: the source is in the lower half of dimension i.
  std::array<bool, kMaxDimensions> low{};
  /// c_i: hops from the block's middle to the source, minus those to the nearer eye; negative if
  /// the source is nearer to the middle than the eye. The papers' u, v, w are c_(order[0]),
  /// c_(order[1]), c_(order[2]).
  std::array<std::int32_t, kMaxDimensions> c{};
  /// sigma: the dimensions in the order of the level's steps (the papers' rotation). Ascending when
  /// the source is an eye of the block or d is not 2 or 3.
  DimensionOrder order{};
};
/// (spec, section 3.2; 2-D, Algorithm 1; 3-D, Algorithm 2)
[[nodiscard]] EyeBlock eye_block(int d, int j, const Coordinates& source);

/// The source's targets at level j, one for each of the d steps (spec, section 3.2).
[[nodiscard]] std::vector<Coordinates> eye_targets(int d, int j, const Coordinates& source);

/// The additional distance of level j compared with a source at an eye: f_j = sum over p = 0..d-1
/// of [c + p |c| + (d-1-p) min(|c|, |c - a_(j-1)|)], c = c_(order[p]). 2-D, Eq. 5; 3-D, Eq. 7 and
/// Theorem 1. j >= 2.
[[nodiscard]] std::uint64_t eye_excess(int d, int j, const Coordinates& source);
/// TCD of `eye` from a source S: D_k(S) = OD(d, k) + f_2 + .. + f_k (2-D, Eq. 7; 3-D, Eq. 11).
[[nodiscard]] std::uint64_t eye_source_tcd(int d, int k, const Coordinates& source);

/// TCD of `eye` from a corner: OD + sum over j = 2..k of [d(d+1)/2 lo_j + d(d-1)/2 lo_(j-1)] (spec,
/// section 3.2; 2-D, Eq. 9 is its case d = 2).
[[nodiscard]] std::uint64_t corner_tcd(int d, int k);
/// The sum of D_k(S) over all sources (spec, section 3.2): it does not depend on the order.
[[nodiscard]] std::uint64_t eye_tcd_sum(int d, int k);

// ---- the rivals --------------------------------------------------------------------------------

/// TCD of recursive doubling without eyes, sides 2^levels[i]; the same from every source. The
/// formula is that of eye_tcd with 2^(j-1) instead of a_j.
[[nodiscard]] std::uint64_t doubling_tcd(std::span<const int> levels);
/// TCD of N - 1 unicasts: the sum of the distances from `source`.
[[nodiscard]] std::uint64_t unicast_tcd(const Topology& topology, NodeId source);
/// The largest distance from `source`, in hops.
[[nodiscard]] std::uint32_t eccentricity(const Topology& topology, NodeId source);

// ---- long messages: a stream of packets, full-port store-and-forward ------------------------

/// Steps that `disjoint-trees` takes to bring `packets` packets from `source` to every node (spec,
/// section 10): the packets-th smallest value of depth + i over all trees and i = 0, 1, ... A ring
/// of n nodes has two trees of depth e + n - 1 - floor(n/2). A dimension k that does not wrap has
/// trees of depth max(e, e - e_k + 2). Here e is the largest distance from the source and e_k the
/// largest along dimension k. Exact where no side wraps. Empty where a side of 2 wraps.
[[nodiscard]] std::optional<std::uint64_t> disjoint_trees_steps(const Topology& topology,
                                                                NodeId source,
                                                                std::uint64_t packets);

// ---- cycles (spec, section 8) ------------------------------------------------------------------

/// Cycles of any one-port plan in lock step: the sum over the steps of (longest * r + F - 1 + o),
/// minus o.
[[nodiscard]] std::uint64_t step_cycles(std::span<const std::uint32_t> longest_hops,
                                        const MessageClock& clock);
/// Cycles of `eye` from an eye or on a torus: the sum over the steps of (a_j r + F - 1 + o), minus
/// o; the same in lock step and self-timed. Equal sides: d (r floor(2^(k+1)/3) + k (F - 1 + o)) -
/// o.
[[nodiscard]] std::uint64_t eye_cycles(std::span<const int> levels, const MessageClock& clock);
/// The hops of the source's send in each of the d k steps of `eye` from any source.
[[nodiscard]] std::vector<std::uint32_t> eye_source_hops(int d, int k, const Coordinates& source);
/// Cycles of `eye` from any source, d equal sides 2^k. kSelf: max over t of (t-1)(F+o) + h_t r +
/// F-1+o + (b_(t+1) + .. + b_m), minus o, with b_t = a_j r + F-1+o. kStep: step_cycles of max(h_t,
/// a_j).
[[nodiscard]] std::uint64_t eye_source_cycles(int d, int k, const Coordinates& source,
                                              const MessageClock& clock);
/// Cycles of `tree`, where the head flit never waits: eccentricity * r + F - 1.
[[nodiscard]] std::uint64_t tree_cycles(const Topology& topology, NodeId source,
                                        const MessageClock& clock);

// ---- hardware (spec, section 9) ----------------------------------------------------------------

/// Bits of the header of `eye`, without the message id.
struct EyeHeader {
  /// The step t: ceil(log2 m).
  int step = 0;
  /// Remaining hops. From an eye every send is straight: ceil(log2(a_K + 1)). The explicit sends of
  /// another source turn, so the header holds a signed number of hops per dimension.
  int hops = 0;
  /// One side bit per dimension, torus only.
  int side = 0;
  /// Order of the dimensions in the source's block, needed only if the source is not an eye. 2-D: 1
  /// bit. 3-D: 2 bits (the two orders of the rotation and, where the source is an eye of the block,
  /// ascending). Other d: 0 (always ascending).
  int order = 0;

  [[nodiscard]] int total() const { return step + hops + side + order; }
};
/// The header of `eye` from an eye of a mesh, or on a torus.
[[nodiscard]] EyeHeader eye_header(std::span<const int> levels, bool torus);
/// The header of `eye` from any source of a mesh with d equal sides 2^k.
[[nodiscard]] EyeHeader eye_source_header(int d, int k, const Coordinates& source);
/// Bits of an `eye` router's table, for routers with a table instead of the rule: one sign bit per
/// step.
[[nodiscard]] int eye_table_bits(std::span<const int> levels);

}  // namespace gossamer::bounds
