// SPDX-License-Identifier: Apache-2.0
/// Builds the rows and slots of a timetable from moves of words.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/machines/timetable/program.hpp"

namespace gossamer {

/// The largest number of moves of a timetable that a planner builds; they take about 128 MB.
inline constexpr std::uint64_t kMostTimetableMoves = std::uint64_t{1} << 22U;

/// The move of a word over a link, or over the links of all nodes that share a ROM.
///
/// The planner numbers the words that routers hold: a number denotes one content of one router (or
/// of each router with the same ROM) at a time. A move takes the content of `from`. It replaces the
/// content of `to`, or combines the two.
struct TimetableMove {
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  /// A move over the link at an output port, if every node has its own ROM. The caller adds the
  /// step and the held words.
  [[nodiscard]] static TimetableMove across(const Topology& topology, NodeId from, Port out_port) {
    TimetableMove move;
    move.out_port = out_port;
    move.from_rom = from;
    move.to_rom = topology.neighbor(from, out_port);
    move.period = topology.period(from, out_port);
    return move;
  }
  [[nodiscard]] std::uint32_t end() const { return step + period - 1; }

  /// The step in which it is sent, from 1.
  std::uint32_t step = 1;
  /// Steps that the link takes; the word arrives at the end of the last of them.
  std::uint32_t period = 1;
  Port out_port = 0;
  /// Numbers of the ROMs that send and receive.
  std::uint32_t from_rom = 0;
  std::uint32_t to_rom = 0;
  /// The held words; kNowhere: the receiver keeps nothing.
  std::uint64_t from = 0;
  std::uint64_t to = kNowhere;
  /// The arrival is combined with the content of `to`, if any; otherwise it becomes the content.
  bool combines = false;
  /// The arrival is combined with this content of the receiver, which stays as it is, and the
  /// result takes the place of the content of `to`. Not with `combines`.
  std::uint64_t with = kNowhere;
  /// With DeliveryRule::kMarked: the result is delivered.
  bool delivers = false;
  /// The own word that the rows name, at the sender and at the receiver.
  std::uint32_t from_word = kAnyWord;
  std::uint32_t to_word = kAnyWord;
};

/// Finds the slots. A word needs one from its arrival to the last step in which it is sent or
/// combined; an own word needs no slot until it is combined. Since occupancies are intervals of
/// time, taking any free slot minimises the number of slots.
class TimetableBuilder {
 public:
  /// `held`: the numbers of held words are below it. `adder_cycles`: the steps until a result is in
  /// its slot, for each addition in series (machines/timetable/program.hpp).
  TimetableBuilder(std::uint32_t roms, std::uint64_t held, std::uint32_t adder_cycles = 0);

  /// Makes own word `own` of the node the held word before the first step.
  void start_with(std::uint64_t held, std::uint32_t own);
  void add(const TimetableMove& move) { moves_.push_back(move); }
  [[nodiscard]] std::size_t moves() const { return moves_.size(); }

  /// The ROMs. Throws std::logic_error when a sent word is not held, or two moves need one port in
  /// a step, which are errors of the planner. The slots of documents of versions 1 and 2 may be
  /// read while empty: `lenient` omits such a move.
  [[nodiscard]] std::vector<TimetableRom> build(bool lenient = false);
  /// The program of the ROMs, one for all nodes or one for each.
  [[nodiscard]] TimetableProgram program(const Topology& topology, std::uint32_t own,
                                         DeliveryRule delivery, bool lenient = false);

 private:
  std::uint32_t roms_;
  std::uint32_t adder_cycles_;
  /// By held word, the number of the own word plus 1; 0: no own word.
  std::vector<std::uint32_t> own_;
  std::vector<TimetableMove> moves_;
};

/// A program whose rows are executed `blocks` times, one block of `steps` steps after the other, on
/// the words of each block (own_piece).
[[nodiscard]] TimetableProgram repeated(const TimetableProgram& once, std::uint32_t steps,
                                        std::uint32_t blocks);

}  // namespace gossamer
