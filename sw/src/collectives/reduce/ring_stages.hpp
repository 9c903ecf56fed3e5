// SPDX-License-Identifier: Apache-2.0
/// The stages of `cores` and `stages` on the rings of one dimension.
/// docs/spec/middle-reductions.md.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/bounds/cores.hpp"

namespace gossamer {

/// Places in which a node holds something of a word.
enum class Held : std::uint8_t {
  /// Its sum so far.
  kSum,
  /// The messages that it sends on towards + and towards -.
  kOnward,
  kBackward,
  kNothing,
};
inline constexpr std::uint64_t kHeldPerWord = 3;
[[nodiscard]] constexpr Held held_towards(bool plus) {
  return plus ? Held::kOnward : Held::kBackward;
}

/// A node's place in the cores of one ring.
enum class CoreNode : std::uint8_t { kNone, kSingle, kLeft, kRight };

/// A hop along a ring. Nodes are the coordinates of a word whose blocks begin at 0.
struct RingHop {
  /// From 1 within its stage.
  std::uint32_t step = 1;
  std::uint32_t from = 0;
  bool plus = true;
  Held sent = Held::kSum;
  /// The receiver combines the arrival with this content, and puts the result into `to`.
  Held with = Held::kNothing;
  Held to = Held::kSum;
  /// The receiver has the total of the ring.
  bool completes = false;
};

/// A stage: its hops, and the place in which each node of the ring has its sum afterwards.
struct RingStage {
  std::vector<RingHop> hops;
  /// By coordinate; kNothing where the node has no sum of its own.
  std::vector<Held> sum;
  std::uint32_t steps = 0;
};

/// The blocks of a ring and their cores.
class RingBlocks {
 public:
  struct Block {
    std::uint32_t start = 0;
    std::uint32_t size = 0;
    /// The nodes of its core.
    std::uint32_t left = 0;
    std::uint32_t right = 0;
  };

  explicit RingBlocks(const bounds::CoresForm& form);

  [[nodiscard]] CoreNode at(std::uint32_t place) const { return nodes_[place]; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  /// A word whose blocks are one has the ring's total in its core after to_cores().
  [[nodiscard]] bool is_one_block() const { return blocks_.size() == 1; }
  [[nodiscard]] std::uint64_t core_nodes() const;

  /// In each block partial sums grow from both ends, and meet in the core in the last step.
  [[nodiscard]] RingStage to_cores() const;
  /// Each core sends its sum both ways; every node gets the total of the ring. `plus_first`: of the
  /// arrivals of a step, a node handles the one that moves towards + first.
  [[nodiscard]] RingStage from_cores(bool plus_first = true) const;
  /// The same for the nodes of the first block, if all blocks are alike: hops are those that leave
  /// its nodes.
  [[nodiscard]] RingStage from_cores_of_first(bool plus_first = true) const;
  /// In each block partial sums grow from both ends to the other end, and go on as the block's sum;
  /// every node gets the total of the ring. Cores do not matter.
  [[nodiscard]] RingStage along_lines(bool plus_first = true) const;

 private:
  /// The cores of the first `count` blocks share their sums; the ring repeats these blocks.
  [[nodiscard]] RingStage share(std::size_t count, bool plus_first) const;

  std::uint32_t side_ = 0;
  std::uint32_t reduce_steps_ = 0;
  std::vector<CoreNode> nodes_;
  std::vector<std::uint32_t> block_of_;
  std::vector<Block> blocks_;
};

}  // namespace gossamer
