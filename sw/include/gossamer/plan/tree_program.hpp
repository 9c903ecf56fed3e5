// SPDX-License-Identifier: Apache-2.0
/// Packed spanning trees: reductions whose words go up a tree and, complete, down it again.
///
/// A *stream* has a tree through all nodes. Streams share links by turns: steps come in frames, and
/// every out-port sends for one stream in each step of a frame. A node sends the i-th word of a
/// stream to its parent in step up + i * frame: its own word and what its children have sent since
/// the last time. At the end of step R + i * frame, R what the root has in place of `up`, the root
/// has the i-th word's total. A node gets it from its parent in step down + i * frame: the parent
/// sends what it has got last. Sends of a step come before its arrivals. So a router is a register
/// or two a stream, a counter of the frame's steps, and a comparison at the start; no headers.
/// docs/spec/mesh-reductions.md has the model.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// A node's place in a stream's tree.
struct TreePlace {
  /// The port towards the parent; kTreeRoot at the root.
  Port parent = 0;
  /// The step of the first send to the parent, from 1; at the root R; 0 at dead nodes, which have
  /// kTreeRoot and stand in no tree.
  std::uint32_t up = 0;
  /// The step of the first total from the parent; 0 at the root, and everywhere where totals stay.
  std::uint32_t down = 0;

  bool operator==(const TreePlace&) const = default;
};
inline constexpr Port kTreeRoot = 0xff;

class TreeProgram {
 public:
  /// All places are those of dead nodes. Frame and streams are at least 1.
  TreeProgram(std::uint32_t nodes, std::uint32_t frame, std::uint32_t streams, std::uint64_t words);

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
  /// Bytes held, capacity included.
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return places_.capacity() * sizeof(TreePlace);
  }

  bool operator==(const TreeProgram&) const = default;

 private:
  std::uint32_t frame_;
  std::uint32_t streams_;
  std::uint64_t words_;
  std::vector<TreePlace> places_;
};

/// How a vector's words are dealt to the streams: in order of the steps in which they are done, of
/// equals the lower stream first.
class TreeWords {
 public:
  explicit TreeWords(const TreeProgram& program);

  /// The step at whose end the stream's first word is done: where totals go down, everywhere.
  [[nodiscard]] std::uint64_t first_done(std::uint32_t stream) const { return first_done_[stream]; }
  /// Words of the stream.
  [[nodiscard]] std::uint64_t count(std::uint32_t stream) const { return count_[stream]; }
  /// The number in the vector of the stream's word `index`.
  [[nodiscard]] std::uint64_t word(std::uint32_t stream, std::uint64_t index) const {
    return before(first_done_[stream] + index * frame_, stream);
  }
  /// The step at whose end everything is done.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// Words that are done before step `step`, or in it by streams below `stream`.
  [[nodiscard]] std::uint64_t before(std::uint64_t step, std::uint32_t stream) const;

  std::uint64_t frame_;
  std::vector<std::uint64_t> first_done_;
  std::vector<std::uint64_t> count_;
  std::uint64_t steps_ = 0;
};

}  // namespace gossamer
