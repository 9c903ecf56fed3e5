// SPDX-License-Identifier: Apache-2.0
/// Combining in stream routers: the configuration of every register, one operation per step, the
/// same in all routers; words need no header.
///
/// A *lane* is one of the two directions of a cycle (or line): lane 2c runs forward along cycle c,
/// lane 2c + 1 backward. Every output port with a lane holds one register, is fed by one input
/// port, and receives an own operand from the node's vector. In step s its register belongs to
/// block
///     (rank + offset + slope (s - 1)) mod blocks,
/// so the network interface needs only one counter per lane and the node's rank on the cycle. The
/// word is that block of the lane's part. Output ports without a lane only forward.
///
/// At each edge the writes of the previous step come first: the register's value, or the arrival,
/// replaces the node's own word or is added to it. In a program with frames a step is a frame.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gossamer {

/// The operation of a lane's register at the edge that leads into a step. An arrival is the value
/// that the feeding input port received in the previous step; a missing arrival counts as no
/// operand.
enum class CombineStep : std::uint8_t {
  /// The own operand.
  kLoad,
  /// Arrival (+) own operand.
  kAdd,
  /// The arrival.
  kPass,
  /// Arrival (+) the register of the other direction of the same cycle in this node, with its value
  /// of the previous step.
  kCross,
  /// (Arrival (+) the other direction's arrival) (+) own operand; forward's arrival first, so both
  /// registers take the same value.
  kJoin,
};
inline constexpr auto kCombineStepNames =
    std::to_array<std::string_view>({"load", "add", "pass", "cross", "join"});
[[nodiscard]] std::string_view combine_step_name(CombineStep step);

/// The same operation in `count` consecutive steps.
struct CombineRun {
  CombineStep step = CombineStep::kLoad;
  /// >= 1.
  std::uint32_t count = 1;

  bool operator==(const CombineRun&) const = default;
};

/// The actions of a lane in a leg.
struct CombineLane {
  /// Part of the vector, 0 .. Combination::parts - 1.
  std::uint32_t part = 0;
  std::int32_t offset = 0;
  /// Blocks per step: -1, 0 or +1.
  std::int32_t slope = 0;
  /// The lane sends in steps 1 .. steps of the leg.
  std::uint32_t steps = 0;
  /// False: its registers' values are not written to the vector.
  bool writes = true;

  bool operator==(const CombineLane&) const = default;
};

/// A stretch in which the lanes keep their parts.
struct CombineLeg {
  /// Steps until the next leg begins.
  std::uint32_t steps = 0;
  /// The first step in which registers hold finished words. From then on the value of every
  /// register of a writing lane replaces the own word. This includes the value in step `steps` + 1,
  /// which the first operation of the next leg overwrites. 0: no word is replaced; every arrival is
  /// added to the own word.
  std::uint32_t turn = 0;
  /// Operations into steps 1 .. steps + 1 (turn 0: .. steps).
  std::vector<CombineRun> operations;
  /// One for each lane; empty: the lane is idle.
  std::vector<std::optional<CombineLane>> lanes;

  bool operator==(const CombineLeg&) const = default;
};

/// How the elements of a vector are dealt to its words.
enum class Deal : std::uint8_t {
  /// Element j is word j.
  kBlocks,
  /// Round by round: a round has a word of every block for every cycle. Element g B + b c + q is
  /// word q + c g of block b, with c cycles and B = c blocks.
  kRounds,
};
inline constexpr auto kDealNames = std::to_array<std::string_view>({"blocks", "rounds"});

/// The combining part of a stream program.
struct Combination {
  /// Blocks of a part: the length of the cycles, or 1.
  std::uint32_t blocks = 1;
  /// Words of a block. Word `part` of block b is number b' * parts + part: b' is the node of rank b
  /// on the lane's cycle where a cycle goes through all nodes (blocks = nodes), else b itself.
  std::uint32_t parts = 1;
  /// By node, then cycle: the node's rank on the cycle, 0 .. blocks - 1.
  std::vector<std::uint32_t> ranks;
  std::vector<CombineLeg> legs;
  /// With kRounds `parts` is a multiple of cycles().
  Deal deal = Deal::kBlocks;

  [[nodiscard]] std::uint64_t words() const { return std::uint64_t{blocks} * parts; }
  /// Half the lanes. A combination has at least one leg.
  [[nodiscard]] std::size_t cycles() const { return legs.front().lanes.size() / 2; }
  /// Steps of all legs, in frames.
  [[nodiscard]] std::uint64_t steps() const;
  /// The block of a lane's register in `step` of its leg, at a node of `rank`.
  [[nodiscard]] std::uint32_t block(const CombineLane& lane, std::uint32_t rank,
                                    std::uint64_t step) const;

  bool operator==(const Combination&) const = default;
};

/// Longest leg, in steps: more than twice the need of any cycle of the largest topology.
inline constexpr std::uint32_t kMaxLegSteps = std::uint32_t{1} << 29;
inline constexpr std::size_t kMaxLegs = 4096;

}  // namespace gossamer
