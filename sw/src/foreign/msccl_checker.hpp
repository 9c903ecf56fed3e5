// SPDX-License-Identifier: Apache-2.0
/// Shared parts of the checks of an MSCCL schedule (docs/spec/foreign-schedules.md, sections 4 to
/// 6): the first of several defects, dependences of steps, memory cells, and the times of chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "gossamer/foreign/check.hpp"

namespace gossamer::foreign {

/// In place of the number of a step, a thread block, a location or a value.
inline constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};

/// A contribution: which rank's which input chunk.
[[nodiscard]] constexpr std::uint64_t contribution(std::uint32_t rank, std::uint32_t chunk) {
  return std::uint64_t{rank} << 32U | chunk;
}

/// "input", "output", "scratch".
[[nodiscard]] std::string_view buffer_name(Buffer buffer);

/// The first of several defects: the one on the smallest line, by its kind among those of a line.
class FirstDefect {
 public:
  template <typename Text>
  void offer(std::string_view kind, std::uint32_t line, Text text) {
    if (found_ &&
        std::tie(found_->line, found_->kind) <= std::make_tuple(line, std::string(kind))) {
      return;
    }
    found_ = Defect{std::string(kind), line, text()};
  }
  [[nodiscard]] const std::optional<Defect>& found() const { return found_; }

 private:
  std::optional<Defect> found_;
};

/// Thread blocks by rank and id.
class BlockNumbers {
 public:
  explicit BlockNumbers(const MscclSchedule& schedule);
  /// kNoIndex if not found.
  [[nodiscard]] std::uint32_t find(std::uint32_t rank, std::int32_t id) const;

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

/// Check 1, form: bounds, peers, links, and dependences that name existing steps.
[[nodiscard]] std::optional<Defect> check_form(const MscclSchedule& schedule,
                                               const CheckOptions& options, Place place);

/// A queue of messages from one rank to another.
struct Connection {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t channel = 0;
  /// Steps, in the order of the file.
  std::vector<std::uint32_t> sends;
  std::vector<std::uint32_t> receives;
};

/// Happens-before: every step waits for the one before it in its thread block, for a flag, and for
/// a message. Of a schedule whose form is right.
class MscclOrder {
 public:
  explicit MscclOrder(const MscclSchedule& schedule);

  /// Check 2: pairs the k-th send of a connection with its k-th receive.
  [[nodiscard]] std::optional<Defect> match_messages();
  /// Check 3: orders the steps so that each follows the steps that it waits for.
  [[nodiscard]] std::optional<Defect> put_in_order();

  [[nodiscard]] const MscclSchedule& schedule() const { return schedule_; }
  [[nodiscard]] std::uint32_t steps() const { return steps_; }
  [[nodiscard]] const MscclStep& step(std::uint32_t step) const { return schedule_.steps[step]; }
  [[nodiscard]] std::uint32_t rank(std::uint32_t step) const {
    return schedule_.rank_of(schedule_.steps[step]);
  }
  [[nodiscard]] std::uint32_t line(std::uint32_t step) const { return schedule_.steps[step].line; }
  [[nodiscard]] std::uint32_t index_in_block(std::uint32_t step) const {
    return step - schedule_.blocks[schedule_.steps[step].block].first_step;
  }
  /// The step before it in its thread block; kNoIndex when it is the first.
  [[nodiscard]] std::uint32_t predecessor(std::uint32_t step) const {
    return step > 0 && schedule_.steps[step - 1].block == schedule_.steps[step].block ? step - 1
                                                                                      : kNoIndex;
  }
  /// The send of its message; kNoIndex for steps that receive none.
  [[nodiscard]] std::uint32_t message(std::uint32_t step) const { return message_[step]; }
  [[nodiscard]] const std::vector<Connection>& connections() const { return connections_; }
  /// All steps, each after the steps that it waits for.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }
  /// Some step waits for one that raises no flag, and so for the next that does.
  [[nodiscard]] bool waits_past() const { return waits_past_; }
  /// Least depth of all connections' queues with which everything still runs.
  [[nodiscard]] std::uint64_t queue_slots() const;

  /// Calls visit(step) for the steps that `step` directly waits for.
  template <typename Visit>
  void each_wait(std::uint32_t step, Visit visit) const {
    for (const std::uint32_t other : {predecessor(step), awaits_[step], message_[step]}) {
      if (other != kNoIndex) visit(other);
    }
  }

 private:
  void find_dependences();
  template <typename Extra>
  [[nodiscard]] std::vector<std::uint32_t> ordered(Extra extra) const;
  [[nodiscard]] std::string waiting_text(std::uint32_t step,
                                         const std::vector<std::uint8_t>& runs) const;

  const MscclSchedule& schedule_;
  std::uint32_t steps_;
  std::vector<Connection> connections_;
  std::vector<std::uint32_t> message_;
  /// By step: the step whose flag it waits for, and whether that is missing.
  std::vector<std::uint32_t> awaits_;
  std::vector<std::uint8_t> never_;
  bool waits_past_ = false;
  std::vector<std::uint32_t> order_;
};

/// The memory cells that steps use. With in-place calls several names denote one cell.
class MscclMemory {
 public:
  MscclMemory(const MscclSchedule& schedule, Place place, std::uint32_t root);

  [[nodiscard]] std::uint64_t cell(std::uint32_t rank, Buffer buffer, std::uint32_t chunk) const;
  /// The number of a cell; kNoIndex when no step uses it.
  [[nodiscard]] std::uint32_t location(std::uint32_t rank, Buffer buffer,
                                       std::uint32_t chunk) const;
  /// By cell: its location.
  [[nodiscard]] const std::unordered_map<std::uint64_t, std::uint32_t>& locations() const {
    return locations_;
  }
  /// The initial contribution of a cell; empty without one.
  [[nodiscard]] std::optional<std::uint64_t> initial(std::uint64_t cell) const;
  [[nodiscard]] std::uint32_t root() const { return root_; }
  /// The rank's outputs have to be something.
  [[nodiscard]] bool wants_outputs(std::uint32_t rank) const {
    return schedule_.collective != Collective::kReduce || rank == root_;
  }

 private:
  const MscclSchedule& schedule_;
  Place place_;
  std::uint32_t root_;
  std::unordered_map<std::uint64_t, std::uint32_t> locations_;
};

/// Check 4: two thread blocks of a rank use a location without a defined order, at least one of
/// them to write.
[[nodiscard]] std::optional<Defect> check_races(const MscclOrder& order, const MscclMemory& memory);

/// Checks 5 and 6: no empty location is read, and every output has the required contributions, each
/// once.
[[nodiscard]] std::optional<Defect> check_values(const MscclOrder& order,
                                                 const MscclMemory& memory);

/// When the chunks of all sends move.
class ChunkMoves {
 public:
  struct Move {
    std::uint32_t step = 0;
    /// Chunks of its link that move before it in that step.
    std::uint32_t place = 0;
  };

  explicit ChunkMoves(const MscclSchedule& schedule);
  /// The next `moved` chunks of a send, of which `left` had not moved, go in `step`, the first of
  /// them at `place`.
  void add(std::uint32_t send, std::uint32_t left, std::uint32_t moved, std::uint64_t step,
           std::uint32_t place);
  /// The number of a send's chunk among all.
  [[nodiscard]] std::uint32_t number(std::uint32_t send, std::uint32_t chunk) const {
    return first_[send] + chunk;
  }
  [[nodiscard]] const std::vector<Move>& moves() const { return moves_; }

 private:
  const MscclSchedule& schedule_;
  /// By send: the number of its first chunk.
  std::vector<std::uint32_t> first_;
  /// By number.
  std::vector<Move> moves_;
};

/// Fills in the figures of section 5, and `moves` unless it is nullptr.
void measure(const MscclOrder& order, const CheckOptions& options, std::uint32_t root,
             ChunkMoves* moves, CheckResult& result);

/// Section 6, the flow of values: the steps once more, with numbered values.
[[nodiscard]] Flow flow_of(const MscclOrder& order, const MscclMemory& memory,
                           const ChunkMoves& moves);

}  // namespace gossamer::foreign
