// SPDX-License-Identifier: Apache-2.0
/// The program of the machine `queued`: routers with queues and priorities that follow a rule in
/// each phase.
///
/// A stream router follows a table; a queued router follows a rule. In each phase it decides about
/// every packet from its coordinates, the results of the prefix phase (rank, number of active
/// nodes) and the phase's few parameters. A program is therefore a short list of phases, the same
/// for all routers; the plan's demand lists the nodes with packets. Phases begin at fixed times:
/// the barriers of docs/spec/partial-collectives.md, section 4.
///
/// Two clocks run one after the other, each from step 1. First come the *prefix steps* of
/// clock.prefix_flits cycles, which carry short messages with counts. Then come the *sub-steps* of
/// substep_flits() cycles, which carry packets. Observers see the sub-steps. In a program with
/// prefix phases only, they see the prefix steps, with message id = sender * classes + class.
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

/// Actions of routers in a phase, along one dimension, for the packets of one class. "Digit" is the
/// coordinate along that dimension. Class c takes the dimensions in the order c, c+1, ... d-1, 0,
/// ... c-1, least significant first (its *rotated* ids).
enum class QueuedPhaseKind : std::uint8_t {
  /// Tree prefix, forward: on the lines whose less significant digits are all p-1, the count so far
  /// travels from digit 0 upward.
  kPrefixForward,
  /// Tree prefix, backward: on the same lines, (count before the line, M) travels from p-1
  /// downward.
  kPrefixReverse,
  /// Two-way prefix: on every line, counts travel from both ends at once.
  kPrefixTwoWay,
  /// On every line, counts travel to the middle node and the sum returns.
  kLineSum,
  /// A packet whose digit differs from that of the node with the packet's rank as its number moves
  /// one hop per step.
  kPack,
  /// The same towards the packet's target node (Demand::targets).
  kRoute,
  /// Every node broadcasts all its packets on its line or ring; passing packets precede own
  /// packets.
  kBroadcast,
  /// Personalised packets; packets on their first leg precede those on their second. Lasts until
  /// all queues are drained; covers both dimensions.
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
  /// kBroadcast: hops of own packets in + and - direction. With two halves, half 0 travels only in
  /// + direction and half 1 only in - direction.
  std::uint32_t hops_plus = 0;
  std::uint32_t hops_minus = 0;
  /// kBroadcast: own packets with odd index (counted from 0, in class rank) swap the hop counts.
  bool alternate = false;
  /// kPack: in the shorter direction around the ring; a tie goes to +.
  bool wrap = false;

  /// The last step.
  [[nodiscard]] std::uint64_t last() const { return start + length - 1; }
  /// True for the phases that run on the clock of prefix steps.
  [[nodiscard]] bool is_prefix() const { return kind <= QueuedPhaseKind::kLineSum; }

  bool operator==(const QueuedPhase&) const = default;
};

/// Assignment of packets to classes.
enum class QueuedClassRule : std::uint8_t {
  /// Every packet is split into one part per class.
  kSplit,
  /// A packet belongs to class (rank among all active nodes) mod classes.
  kRank,
  /// A packet belongs to class (sum of its origin's coordinates) mod classes.
  kDigitSum,
};

inline constexpr auto kClassRuleNames =
    std::to_array<std::string_view>({"split", "rank", "digit-sum"});
[[nodiscard]] std::string_view class_rule_name(QueuedClassRule rule);

/// The first leg of the packets of a source (exchange) or for a source (gather).
enum class ExchangeRule : std::uint8_t {
  /// The paper's: x first when the row holds at most as many active nodes as the column.
  kPaper,
  /// Equal row and column: packets for even x + y travel x first, the others y first; each node
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
  /// Halves of each packet (of a class) that are sent separately, 1 or 2.
  std::uint8_t halves = 1;
  /// Exchange and gather only.
  ExchangeRule rule = ExchangeRule::kPaper;
  PacketClock clock;
  /// Prefix phases first, each group in order of class and then of start.
  std::vector<QueuedPhase> phases;

  /// Sub-steps in the time of a whole packet on a link.
  [[nodiscard]] std::uint32_t substeps_per_unit() const {
    return class_rule == QueuedClassRule::kSplit ? std::uint32_t{classes} * halves : halves;
  }
  /// Flits that cross a link in a sub-step.
  [[nodiscard]] std::uint32_t substep_flits() const { return clock.flits / substeps_per_unit(); }
  /// Prefix steps of the program.
  [[nodiscard]] std::uint64_t prefix_steps() const;
  /// Last sub-step of the phases with a fixed length (kExchange has none). For a demand for counts
  /// it is the last prefix step, since observers then see prefix steps.
  [[nodiscard]] std::uint64_t last_step(const Demand& demand) const;
  /// Clock cycles of `steps` observed steps, including the prefix before them.
  [[nodiscard]] std::uint64_t cycles(std::uint64_t steps, const Demand& demand) const;
  /// Number of whole packets that a source's pieces form.
  [[nodiscard]] std::uint32_t packets_of(std::uint32_t pieces, const Demand& demand) const {
    return demand.is_counts() ? pieces : pieces / substeps_per_unit();
  }

  bool operator==(const QueuedProgram&) const = default;
};

}  // namespace gossamer
