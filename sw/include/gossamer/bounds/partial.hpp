// SPDX-License-Identifier: Apache-2.0
/// Closed forms and bounds of the partial collectives and of dynamic broadcast.
///
/// Sources: Varvarigos & Bertsekas, "Partial multinode broadcast and partial exchange algorithms
/// for d-dimensional meshes" ("paper"), with its errata, and docs/spec/partial-collectives.md
/// ("spec"). N = p^d nodes; g = 1 on arrays (meshes), 2 on tori; a *unit* is the time of a whole
/// packet on a link; a *sub-step* is 1/substeps_per_unit of it. None of these functions simulates a
/// network: some formulas are recurrences over a single line or ring.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer::bounds {

/// p^d nodes, with or without wraparound.
struct EqualSides {
  int dimensions = 1;
  std::uint32_t side = 2;
  bool torus = false;

  /// Throws InfeasibleError when the sides differ.
  [[nodiscard]] static EqualSides of(const Topology& topology);
  /// N = p^d.
  [[nodiscard]] std::uint64_t nodes() const;
  /// g: 2 on tori, 1 on arrays.
  [[nodiscard]] std::uint32_t gamma() const { return torus ? 2 : 1; }
};

// --- building blocks ----------------------------------------------------------------------------

/// Steps of a prefix in all classes at once: tree 2d(p-1), two-way d(p-1). Paper, Phase 1 and
/// Fig. 2; spec, section 1.
[[nodiscard]] std::uint64_t prefix_steps(const EqualSides& sides, bool two_way);

/// Hops allotted to a packing subphase: p-1, or floor(p/2) in the shorter direction around rings.
/// Paper, Theorem 3 (corrected: p-1, not p); spec, section 2.
[[nodiscard]] std::uint32_t packing_hops(const EqualSides& sides, bool wrap);

/// Steps of monotone routing: 2d(p-1), or (2d-1)(p-1) when the two visits to the most significant
/// dimension are merged. Paper, Theorem 4; spec, section 2.
[[nodiscard]] std::uint64_t monotone_steps(const EqualSides& sides, bool merged);

/// Exact and optimal steps of all broadcasts on a line whose position x holds counts[x] packets:
/// rightward the maximum over i <= p-2 with S_i > 0 of S_i + p-2-i, S_i = counts[0] + .. +
/// counts[i]; leftward mirrored; the larger. 0 without packets. Spec, section 3.
[[nodiscard]] std::uint64_t line_steps(std::span<const std::uint32_t> counts);

/// Exact steps of one direction of a ring whose position x holds counts[x] own packets. Packet
/// number i of a node travels hops_even (i even) or hops_odd (i odd) hops; passing packets go
/// first. Computed by recurrence over the ring's p slots, O(p steps). Spec, section 3.
[[nodiscard]] std::uint64_t ring_direction_steps(std::span<const std::uint32_t> counts,
                                                 std::uint32_t hops_even, std::uint32_t hops_odd);

/// How packets travel around a ring. Spec, section 3.
enum class RingMode {
  /// Two halves, one in each direction, p-1 hops, in half steps.
  kSplit,
  /// floor(p/2) hops in one direction and p-1-floor(p/2) in the other.
  kWhole,
  /// The same; own packets with odd index swap the two directions (useful when p is even).
  kAlternate,
};

/// Exact (half) steps of all broadcasts on a ring, in the slower direction.
[[nodiscard]] std::uint64_t ring_steps(std::span<const std::uint32_t> counts, RingMode mode);

/// Steps for the worst placement of K >= 1 packets: line K+p-2; ring split K+p-2 half steps, whole
/// and alternate K+floor(p/2)-1. Paper, Theorem 2 (one less than its K+p-1); spec, section 3.
[[nodiscard]] std::uint64_t line_worst_case(std::uint64_t packets, std::uint32_t side);
[[nodiscard]] std::uint64_t ring_worst_case(std::uint64_t packets, std::uint32_t side,
                                            RingMode mode);

/// Lower bound on the (half) steps of broadcasts on a ring: each node receives the packets of all
/// others over two links, and a packet needs floor(p/2) steps.
[[nodiscard]] std::uint64_t ring_lower_bound(std::span<const std::uint32_t> counts, RingMode mode);

// --- partial multinode broadcast ----------------------------------------------------------------

/// The choices that determine the times of a partial broadcast.
struct BroadcastRules {
  /// Split every packet into one part per class (and two halves on tori); otherwise deal packets to
  /// classes.
  bool split = true;
  /// Whole packets on tori: RingMode::kAlternate.
  bool alternate = false;
  /// Leave out the last packing subphase.
  bool skip_last = false;
  /// Two-way instead of tree prefix.
  bool two_way = false;
  /// Tori: pack in the shorter direction.
  bool wrap = false;

  bool operator==(const BroadcastRules&) const = default;
};

/// Sub-steps per unit: d on arrays and 2d on tori when packets are split, otherwise 1. Spec,
/// "Sub-step".
[[nodiscard]] std::uint32_t substeps_per_unit(const EqualSides& sides, bool split);

/// Packets of the fullest class: M split, ceil(M/d) whole. It determines the barriers of all
/// classes.
[[nodiscard]] std::uint64_t class_packets(const EqualSides& sides, bool split,
                                          std::uint64_t active);

/// Exact sub-steps of subphase l = 1 .. d of the broadcast phase for M' > 0 packets of a class,
/// after full packing. With q = p^(d-l), c' = ceil(M'/pq): array p-1 if c' = 1, else (p-1)(c'-1) +
/// min(p-1, ceil((M'-(c'-1)pq)/q)); torus c'(p-1) split, c' floor(p/2) whole, ceil(c'(p-1)/2)
/// alternate. Paper, Lemma 1 (an upper bound there); spec, section 4.
[[nodiscard]] std::uint64_t subphase_steps(const EqualSides& sides, const BroadcastRules& rules,
                                           int subphase, std::uint64_t packets);

/// The lengths of all phases.
struct BroadcastTimes {
  /// Prefix steps in total (whole: both rounds; M = 0: the first only).
  std::uint64_t prefix_steps = 0;
  /// Sub-steps of each packing subphase, barrier to barrier.
  std::vector<std::uint64_t> packing;
  /// Sub-steps of each broadcast subphase, barrier to barrier.
  std::vector<std::uint64_t> broadcast;

  /// Total sub-steps.
  [[nodiscard]] std::uint64_t substeps() const;
};

/// Times of a partial broadcast of M packets: the same for every placement. M = 0: the first prefix
/// round only. Paper, Theorem 6 and section 3.2; spec, section 4.
[[nodiscard]] BroadcastTimes partial_broadcast_times(const EqualSides& sides,
                                                     const BroadcastRules& rules,
                                                     std::uint64_t active);

/// Times of the multinode broadcast (M = N) without prefix and packing. Split: (N-1)/(g d) units,
/// the lower bound. Whole: class = digit sum mod d, barriers of the slowest class. Spec, section 4.
[[nodiscard]] BroadcastTimes multinode_times(const EqualSides& sides, const BroadcastRules& rules);

/// Own backlog of the fullest node before the last subphase of multinode_times, whole packets: the
/// maximum, over digit sums mod d, of the number of (a_1 .. a_{d-1}) in 0..p-1 with that sum.
[[nodiscard]] std::uint32_t multinode_whole_queue(const EqualSides& sides);

/// The paper's upper bound on the phases after the prefix, in sub-steps, rounded down because times
/// are whole numbers of sub-steps. Split, Eqs. (5a), (6a): (1+1/g)(p-1) + M(N-1)/(g d N) units;
/// whole, Eqs. (5b), (6b): d(p-1) + d H + ceil(M/d) H/(p-1) (N-1)/N steps, H = ceil((p-1)/g).
[[nodiscard]] std::uint64_t partial_broadcast_bound(const EqualSides& sides, bool split,
                                                    std::uint64_t active);

/// Lower bound (M-1)/(g d) units, in sub-steps, rounded up. Paper, Eqs. (3a), (3b).
[[nodiscard]] std::uint64_t partial_broadcast_lower_bound(const EqualSides& sides, bool split,
                                                          std::uint64_t active);

/// The most packets that wait at an output port: the own backlog ceil(M'/p) of the last subphase;
/// on a split torus also the two halves that a packing hop moves one after the other. Spec, section
/// 4.
[[nodiscard]] std::uint32_t partial_broadcast_queue(const EqualSides& sides,
                                                    const BroadcastRules& rules,
                                                    std::uint64_t active);

// --- partial exchange and gather on p x p -------------------------------------------------------

/// Prefix steps of phase 1, rows and columns at once: p, or p-1 two-way. Spec, section 6.
[[nodiscard]] std::uint64_t exchange_prefix_steps(std::uint32_t side, bool two_way);

/// The paper's bound on phase 2: 2m(N-p) + 2(p-1) steps, m = floor(sqrt M); 0 for M = 0.
[[nodiscard]] std::uint64_t exchange_paper_bound(std::uint32_t side, std::uint64_t active);

/// The bound that can be proved for the paper's rule with every nonwasting discipline: 1.5 m (N-p)
/// - p m (m-1)/2 + 2(p-2) steps; 0 for M = 0. Spec, section 6.
[[nodiscard]] std::uint64_t exchange_proved_bound(std::uint32_t side, std::uint64_t active);

/// Lower bound on the steps of an exchange (or gather) of this placement. Over all rectangles A
/// with B outgoing links: ceil(max(act(A)(N-|A|), (M-act(A))|A|) / B); O(nx^2 ny^2). Rectangles lie
/// in the first two dimensions longer than 1 and extend over all others. Spec, section 6.
[[nodiscard]] std::uint64_t exchange_lower_bound(const Topology& topology,
                                                 std::span<const NodeId> active);

// --- dynamic broadcast --------------------------------------------------------------------------

/// The constants of the dynamic scheme's intervals V + M X, in units.
struct DynamicConstants {
  /// V: reservation, Eqs. (10a), (10b).
  double reservation = 0;
  /// X: a packet's share, Eqs. (9a), (9b).
  double per_packet = 0;
};

/// The constants with the tree prefix, each step of which takes `t_p` units.
[[nodiscard]] DynamicConstants dynamic_constants(const EqualSides& sides, bool split, double t_p);

/// rho = L N X, the load that arrivals of rate L per node offer to the network. Paper, Eq. (12) (as
/// written there for splitting only).
[[nodiscard]] double dynamic_utilization(const EqualSides& sides, const DynamicConstants& constants,
                                         double rate);

/// The rate per node below which intervals of V + M X are stable: L (V + N X) = 1. Paper,
/// Theorem 7 and Eq. (14).
[[nodiscard]] double dynamic_rate_limit(const EqualSides& sides, const DynamicConstants& constants);

/// The same for intervals of exact length: L T(N) = 1, T(N) in units. Spec, section 7 (argued).
[[nodiscard]] double dynamic_rate_limit_exact(double full_interval_units);

/// Upper bound on the mean delay with intervals V + M X, in units; empty when not stable. Paper,
/// Eq. (11).
[[nodiscard]] std::optional<double> dynamic_delay_bound(const EqualSides& sides,
                                                        const DynamicConstants& constants,
                                                        double rate);

}  // namespace gossamer::bounds
