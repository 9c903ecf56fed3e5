// SPDX-License-Identifier: Apache-2.0
/// The part of a queued router that counts: one node's prefix of one class, without SystemC.
///
/// It acts on two occasions: when a phase begins, and when a count arrives. It does not know the
/// number of the step: counts meet because they are sent in time. A unit that misses a message of
/// an earlier phase stops sending, so that every unit that depends on it also misses a message. So
/// if no message is missing, the counts are right.
#pragma once

#include <array>
#include <cstdint>

#include "gossamer/machines/queued/program.hpp"

namespace gossamer::systemc {

/// The content of a prefix message.
struct PrefixMessage {
  bool valid = false;
  /// Packets counted so far; on the way back through a tree, those before the whole line.
  std::uint32_t count = 0;
  /// All packets, on the way back through a tree.
  std::uint32_t total = 0;
};

/// The place of a unit in the phase that begins.
struct PrefixPlace {
  QueuedPhaseKind kind = QueuedPhaseKind::kPrefixForward;
  /// The node's coordinate in the phase's dimension, and that dimension's side.
  std::uint32_t digit = 0;
  std::uint32_t side = 0;
  /// The tree: the digit of the class's ids, whether it is the last one, and whether the node's
  /// line belongs to the tree.
  std::uint32_t level = 0;
  bool root_level = false;
  bool on_tree = false;
};

/// The place of `node` when `phase`, a prefix phase, begins.
[[nodiscard]] PrefixPlace prefix_place(const Topology& topology, const QueuedPhase& phase,
                                       NodeId node);

class PrefixUnit {
 public:
  /// Clears all state, including started().
  void clear() { *this = PrefixUnit(); }
  /// Begins with `own` packets at this node; `lost`: this number is invalid, since it depends on a
  /// missing message.
  void start(std::uint32_t own, bool lost);
  [[nodiscard]] bool started() const { return started_; }
  /// Packets before this node in the class's order, and in total; 0 before start().
  [[nodiscard]] std::uint32_t before() const { return before_; }
  [[nodiscard]] std::uint32_t total() const { return total_; }
  /// A message of the phases that have begun is overdue.
  [[nodiscard]] bool missing() const { return lost_ || due_[0] || due_[1]; }

  /// A phase begins; then the first messages are available.
  void begin(const PrefixPlace& place);
  /// A message arrives, travelling upward (`positive`) or downward.
  void receive(bool positive, const PrefixMessage& message);
  /// The message to send now in a direction; it may be invalid.
  [[nodiscard]] PrefixMessage take(bool positive) {
    PrefixMessage& out = out_[positive ? 1 : 0];
    const PrefixMessage message = lost_ ? PrefixMessage{} : out;
    out = {};
    return message;
  }

 private:
  void send(bool positive, std::uint32_t count, std::uint32_t total = 0) {
    out_[positive ? 1 : 0] = {true, count, total};
  }
  void receive_two_way(bool positive, std::uint32_t count);
  void receive_line_sum(bool positive, std::uint32_t count);

  PrefixPlace place_;
  bool started_ = false;
  /// Packets counted at this node and before it in the dimensions covered so far.
  std::uint32_t count_ = 0;
  std::uint32_t before_ = 0;
  std::uint32_t total_ = 0;
  /// By level: counts from the smaller digits of the line.
  std::array<std::uint32_t, kMaxDimensions> from_left_{};
  /// Two-way: counts from either end.
  std::uint32_t left_ = 0;
  std::uint32_t right_ = 0;
  /// Outstanding messages of the current phase: downward, upward.
  std::array<bool, 2> due_{};
  /// A message of an earlier phase never arrived.
  bool lost_ = false;
  /// Downward, upward.
  std::array<PrefixMessage, 2> out_;
};

}  // namespace gossamer::systemc
