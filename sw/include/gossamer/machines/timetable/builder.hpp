// SPDX-License-Identifier: Apache-2.0
/// From moves of words to the rows and slots of a timetable.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/machines/timetable/program.hpp"

namespace gossamer {

/// A word goes over a link, or over the links of all nodes that share a ROM.
///
/// Words that routers hold have numbers of the planner's: a number stands for one content of one
/// router (or of each router of a ROM) at a time. A move takes the content of `from` and replaces
/// the content of `to` by it, or combines the two.
struct TimetableMove {
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  /// From 1.
  std::uint32_t step = 1;
  Port out_port = 0;
  /// Numbers of the ROMs that send and receive.
  std::uint32_t from_rom = 0;
  std::uint32_t to_rom = 0;
  /// The held words; kNowhere: the receiver keeps nothing.
  std::uint64_t from = 0;
  std::uint64_t to = kNowhere;
  /// The arrival is combined with the content of `to`, if there is any; otherwise it takes its
  /// place.
  bool combines = false;
  /// The arrival is combined with this content of the receiver, which stays as it is, and the
  /// result takes the place of the content of `to`. Not with `combines`.
  std::uint64_t with = kNowhere;
  /// With DeliveryRule::kMarked: the result is delivered.
  bool delivers = false;
};

/// Finds the slots. A word needs one from its arrival to the last step in which it is sent or
/// combined; an own word needs none before something is combined with it. Slots are intervals of
/// time, so taking any free one needs as few as possible.
class TimetableBuilder {
 public:
  /// `held`: the numbers of held words are below it.
  TimetableBuilder(std::uint32_t roms, std::uint64_t held);

  /// Before the first step the held word is own word `own` of its node.
  void start_with(std::uint64_t held, std::uint32_t own);
  void add(const TimetableMove& move) { moves_.push_back(move); }
  [[nodiscard]] std::size_t moves() const { return moves_.size(); }

  /// The ROMs. Throws std::logic_error when a word is sent that is not there, or two moves want one
  /// port in a step: a planner's mistake. The slots of documents of versions 1 and 2 may be read
  /// empty: with `lenient` such a move is left out.
  [[nodiscard]] std::vector<TimetableRom> build(bool lenient = false);
  /// The program of the ROMs, one for all nodes or one for each.
  [[nodiscard]] TimetableProgram program(const Topology& topology, std::uint32_t own,
                                         DeliveryRule delivery, bool lenient = false);

 private:
  std::uint32_t roms_;
  /// By held word, 1 more than the own word; 0: none.
  std::vector<std::uint32_t> own_;
  std::vector<TimetableMove> moves_;
};

}  // namespace gossamer
