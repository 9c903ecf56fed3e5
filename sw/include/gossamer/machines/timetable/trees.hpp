// SPDX-License-Identifier: Apache-2.0
/// Packed spanning trees: a way to plan timetables. Words of a vector travel up a tree and are
/// combined on the way; their totals travel down it.
///
/// A *stream* has a tree through all nodes. Streams share links in alternation: steps come in
/// frames, and every output port sends for one stream in each step of a frame. A node sends the
/// i-th word of a stream to its parent in step up + i * frame: its own word, combined with the
/// words that its children have sent since its last send. At the end of step R + i * frame, with R
/// the root's `up`, the root has the i-th word's total. A node receives it from its parent in step
/// down + i * frame. docs/spec/mesh-reductions.md has the model.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// A node's place in a stream's tree.
struct TreePlace {
  /// The port towards the parent; kTreeRoot at the root.
  Port parent = 0;
  /// The step of the first send to the parent, from 1; at the root R. 0 at dead nodes, which have
  /// kTreeRoot and belong to no tree.
  std::uint32_t up = 0;
  /// The step of the first total from the parent; 0 at the root, and at all nodes if totals stay.
  std::uint32_t down = 0;
  /// Steps that the link to the parent takes, in each direction. `up` and `down` are the first
  /// ones.
  std::uint32_t period = 1;

  /// The last steps of the first send to the parent, and of the first total from it.
  [[nodiscard]] std::uint32_t up_end() const { return up + period - 1; }
  [[nodiscard]] std::uint32_t down_end() const { return down == 0 ? 0 : down + period - 1; }

  bool operator==(const TreePlace&) const = default;
};
inline constexpr Port kTreeRoot = 0xff;

class PackedTrees {
 public:
  /// All places are initially those of dead nodes. Frame and streams are at least 1.
  PackedTrees(std::uint32_t nodes, std::uint32_t frame, std::uint32_t streams, std::uint64_t words);

  [[nodiscard]] std::uint32_t nodes() const {
    return static_cast<std::uint32_t>(places_.size() / streams_);
  }
  /// Steps in a frame.
  [[nodiscard]] std::uint32_t frame() const { return frame_; }
  [[nodiscard]] std::uint32_t streams() const { return streams_; }
  /// Words of the vector.
  [[nodiscard]] std::uint64_t words() const { return words_; }
  [[nodiscard]] const TreePlace& at(NodeId node, std::uint32_t stream) const {
    return places_[std::size_t{node} * streams_ + stream];
  }
  [[nodiscard]] TreePlace& at(NodeId node, std::uint32_t stream) {
    return places_[std::size_t{node} * streams_ + stream];
  }
  /// Bytes held, including capacity.
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return places_.capacity() * sizeof(TreePlace);
  }

  bool operator==(const PackedTrees&) const = default;

 private:
  std::uint32_t frame_;
  std::uint32_t streams_;
  std::uint64_t words_;
  std::vector<TreePlace> places_;
};

/// The numbers of a vector's words: words of all streams in the order of the steps in which they
/// are done, ties by lower stream.
class TreeWords {
 public:
  explicit TreeWords(const PackedTrees& program);

  /// The step at whose end the stream's first word is done: at every node if totals travel down.
  [[nodiscard]] std::uint64_t first_done(std::uint32_t stream) const { return first_done_[stream]; }
  /// Words of the stream.
  [[nodiscard]] std::uint64_t count(std::uint32_t stream) const { return count_[stream]; }
  /// The step at whose end all words are done.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// Words that are done before step `step`, or in it by streams below `stream`.
  [[nodiscard]] std::uint64_t before(std::uint64_t step, std::uint32_t stream) const;

  std::uint64_t frame_;
  std::vector<std::uint64_t> first_done_;
  std::vector<std::uint64_t> count_;
  std::uint64_t steps_ = 0;
};

/// The timetable that moves the words of the trees: a router's rows repeat every frame, and its
/// slots hold a partial sum and a total of each stream. Never throws: conflicting trees give a
/// timetable that `verify` rejects. `adder_cycles`: of trees whose steps wait for sums, as those of
/// planned_for_adders(); the slots then hold the sums of each step in which words arrive.
[[nodiscard]] TimetableProgram timetable_of_trees(const Topology& topology,
                                                  const PackedTrees& trees,
                                                  std::uint32_t adder_cycles = 0);

/// The same trees, with the same order of additions, in the steps that adders of `adder_cycles`
/// cycles, 1 or more, require: the first total is there as early as possible, and every word that
/// enters an adder comes when the addition begins. For a stream of its own, in frames of one step,
/// on links of one step.
[[nodiscard]] PackedTrees planned_for_adders(const Topology& topology, const PackedTrees& trees,
                                             std::uint32_t adder_cycles);

}  // namespace gossamer
