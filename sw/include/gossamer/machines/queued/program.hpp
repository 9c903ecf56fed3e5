// SPDX-License-Identifier: Apache-2.0
/// The program of the machine `queued`: routers with queues and priorities, which act by rule in
/// phases.
///
/// Where a stream router follows a table, a queued router follows a rule: in each phase it knows
/// from its coordinates, from what the prefix phase told it (rank, number of active nodes) and from
/// the phase's few parameters what to do with every packet that it holds. So a program is a short
/// list of phases, the same for all routers; who has packets is the plan's demand. Phases begin at
/// fixed times: the barriers of docs/spec/partial-collectives.md, section 4.
///
/// Two clocks run one after the other, each from step 1: first the *prefix steps* of
/// clock.prefix_flits cycles, which carry short messages with counts, then the *sub-steps* of
/// substep_flits() cycles, which carry packets. Observers see the sub-steps; in a program that has
/// prefix phases only they see the prefix steps, with message id = sender * classes + class.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/packet_clock.hpp"
#include "gossamer/plan/program.hpp"
#include "gossamer/topology/rotated.hpp"

namespace gossamer {

/// What routers do in a phase, along one dimension, for the packets of one class. "Digit" is the
/// coordinate along that dimension; class c sees the dimensions in the order c, c+1, ... d-1, 0,
/// ... c-1, least significant first (its *rotated* ids).
enum class QueuedPhaseKind : std::uint8_t {
  /// Tree prefix, forward: on the lines whose less significant digits are all p-1, the count so far
  /// goes from digit 0 upward.
  kPrefixForward,
  /// Tree prefix, backward: on the same lines, (count before the line, M) goes from p-1 downward.
  kPrefixReverse,
  /// Two-way prefix: on every line, counts run from both ends at once.
  kPrefixTwoWay,
  /// On every line, counts run to the middle node and the sum runs back.
  kLineSum,
  /// A packet whose digit differs from that of the node numbered by its rank moves a hop a step.
  kPack,
  /// The same towards the packet's target node (Demand::targets).
  kRoute,
  /// Everybody broadcasts all it holds on its line or ring; what passes goes before own packets.
  kBroadcast,
  /// Personalised packets; those on their first leg go before those on their second. Lasts until
  /// all queues are drained; serves both dimensions.
  kExchange,
};

/// Names as in plan documents.
inline constexpr auto kPhaseKindNames =
    std::to_array<std::string_view>({"prefix-forward", "prefix-reverse", "prefix-two-way",
                                     "line-sum", "pack", "route", "broadcast", "exchange"});
[[nodiscard]] std::string_view phase_kind_name(QueuedPhaseKind kind);

struct QueuedPhase {
  QueuedPhaseKind kind = QueuedPhaseKind::kBroadcast;
  /// The class whose packets it moves, 0 .. classes-1. In an exchange's sums: the dimension.
  std::uint8_t class_index = 0;
  std::uint8_t dimension = 0;
  /// Prefix phases: true in the round over all active nodes that deals them to classes.
  bool class_round = false;
  /// First step, on the phase's own clock, from 1.
  std::uint64_t start = 1;
  /// Steps until the barrier; 0 with kExchange.
  std::uint64_t length = 0;
  /// kBroadcast: hops of own packets in + and - direction. With two halves, half 0 goes only in +
  /// direction and half 1 only in - direction.
  std::uint32_t hops_plus = 0;
  std::uint32_t hops_minus = 0;
  /// kBroadcast: own packets with odd index (counted from 0, in class rank) swap the hop counts.
  bool alternate = false;
  /// kPack: by the shorter way round the ring; a tie goes +.
  bool wrap = false;

  /// The last step.
  [[nodiscard]] std::uint64_t last() const { return start + length - 1; }
  /// True for the phases that run on the clock of prefix steps.
  [[nodiscard]] bool is_prefix() const { return kind <= QueuedPhaseKind::kLineSum; }

  bool operator==(const QueuedPhase&) const = default;
};

/// How packets come to classes.
enum class QueuedClassRule : std::uint8_t {
  /// Every packet is split into one part a class.
  kSplit,
  /// A packet belongs to class (rank among all active nodes) mod classes.
  kRank,
  /// A packet belongs to class (sum of its origin's coordinates) mod classes.
  kDigitSum,
};

inline constexpr auto kClassRuleNames =
    std::to_array<std::string_view>({"split", "rank", "digit-sum"});
[[nodiscard]] std::string_view class_rule_name(QueuedClassRule rule);

/// Which leg the packets of a source (exchange) or for a source (gather) begin with.
enum class ExchangeRule : std::uint8_t {
  /// The paper's: x first when the row holds at most as many active nodes as the column.
  kPaper,
  /// Equal row and column: packets for even x + y go x first, the others y first; each node
  /// starts with the farthest destination.
  kBalanced,
};

class QueuedProgram final : public ProgramOf<QueuedProgram> {
 public:
  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override;

  QueuedClassRule class_rule = QueuedClassRule::kSplit;
  /// Number of classes, 1 .. d.
  std::uint8_t classes = 1;
  /// Halves that each packet (of a class) is sent in, 1 or 2.
  std::uint8_t halves = 1;
  /// Exchange and gather only.
  ExchangeRule rule = ExchangeRule::kPaper;
  PacketClock clock;
  /// Prefix phases first, each group in order of class and then of start.
  std::vector<QueuedPhase> phases;

  /// Sub-steps in the time that a whole packet takes on a link.
  [[nodiscard]] std::uint32_t substeps_per_unit() const {
    return class_rule == QueuedClassRule::kSplit ? std::uint32_t{classes} * halves : halves;
  }
  /// Flits of what crosses a link in a sub-step.
  [[nodiscard]] std::uint32_t substep_flits() const { return clock.flits / substeps_per_unit(); }
  /// Prefix steps of the program.
  [[nodiscard]] std::uint64_t prefix_steps() const;
  /// Last sub-step of the phases with a fixed length (kExchange has none); of a demand for counts
  /// the last prefix step, which is what observers see then.
  [[nodiscard]] std::uint64_t last_step(const Demand& demand) const;
  /// Clock cycles of `steps` observed steps, the prefix before them included.
  [[nodiscard]] std::uint64_t cycles(std::uint64_t steps, const Demand& demand) const;
  /// Whole packets that a source's pieces are the parts of.
  [[nodiscard]] std::uint32_t packets_of(std::uint32_t pieces, const Demand& demand) const {
    return demand.is_counts() ? pieces : pieces / substeps_per_unit();
  }

  bool operator==(const QueuedProgram&) const = default;
};

}  // namespace gossamer
