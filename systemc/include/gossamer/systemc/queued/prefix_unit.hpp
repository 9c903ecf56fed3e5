// SPDX-License-Identifier: Apache-2.0
/// The part of a queued router that counts: one node's prefix of one class, without SystemC.
///
/// It acts on two occasions: when a phase begins, and when a count arrives. Nothing in it knows
/// what step it is; that counts meet where they should follows from when they are sent. One that
/// misses a message of an earlier phase sends nothing more, so that who depends on it misses one,
/// too: where nothing is missing the counts are right.
#pragma once

#include <array>
#include <cstdint>

#include "gossamer/machines/queued/program.hpp"

namespace gossamer::systemc {

/// What a prefix message carries.
struct PrefixMessage {
  bool valid = false;
  /// Packets counted so far; on a tree's way back, those before the whole line.
  std::uint32_t count = 0;
  /// All packets, on a tree's way back.
  std::uint32_t total = 0;
};

/// Where a unit stands in the phase that begins.
struct PrefixPlace {
  QueuedPhaseKind kind = QueuedPhaseKind::kPrefixForward;
  /// The node's coordinate in the phase's dimension, and that dimension's side.
  std::uint32_t digit = 0;
  std::uint32_t side = 0;
  /// The tree: which digit of the class's ids this is, whether the last one, and whether the node's
  /// line belongs to the tree.
  std::uint32_t level = 0;
  bool root_level = false;
  bool on_tree = false;
};

/// Of `node`, when `phase` begins, a prefix phase.
[[nodiscard]] PrefixPlace prefix_place(const Topology& topology, const QueuedPhase& phase,
                                       NodeId node);

class PrefixUnit {
 public:
  /// Forgets everything, started() included.
  void clear() { *this = PrefixUnit(); }
  /// Begins with `own` packets at this node; `lost`: what was missing would say how many.
  void start(std::uint32_t own, bool lost);
  [[nodiscard]] bool started() const { return started_; }
  /// Packets before this node in the class's order, and in all; 0 before start().
  [[nodiscard]] std::uint32_t before() const { return before_; }
  [[nodiscard]] std::uint32_t total() const { return total_; }
  /// A message that was due in the phases that have begun has not come.
  [[nodiscard]] bool missing() const { return lost_ || due_[0] || due_[1]; }

  /// A phase begins; the first messages are then at hand.
  void begin(const PrefixPlace& place);
  /// A message came in, travelling upward (`positive`) or downward.
  void receive(bool positive, const PrefixMessage& message);
  /// The message to send now in a direction; valid or not.
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
  /// Packets counted at this node and before it in what the prefix has seen so far.
  std::uint32_t count_ = 0;
  std::uint32_t before_ = 0;
  std::uint32_t total_ = 0;
  /// By level: what came from the smaller digits of the line.
  std::array<std::uint32_t, kMaxDimensions> from_left_{};
  /// Two-way: what came from either end.
  std::uint32_t left_ = 0;
  std::uint32_t right_ = 0;
  /// Messages still to come in the phase that runs: downward, upward.
  std::array<bool, 2> due_{};
  /// One that was due in an earlier phase never came.
  bool lost_ = false;
  /// Downward, upward.
  std::array<PrefixMessage, 2> out_;
};

}  // namespace gossamer::systemc
