// SPDX-License-Identifier: Apache-2.0
/// The blocks of a matrix product C = A B that have to meet on an N x N network: two-way Cannon
/// (docs/spec/gemm.md).
///
/// Node (x, y) computes block C(y, x). Its *place* in a row or column is p(x) and p(y): the
/// coordinate on a torus, the place on the ring that is folded onto the line on a mesh. It starts
/// with A(y, k) and B(k, x), k = p(x) + p(y) modulo N. Blocks travel along rows (A, member 0) and
/// columns (B, member 1), and the *offset* of a block at a node is the place of its first node
/// minus that of this node, modulo N. Blocks of equal offset have the same k.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

class BlockPairs {
 public:
  /// Rows, or columns, of a network without pairs_defect().
  explicit BlockPairs(const Topology& topology)
      : side_(topology.side(0)), folded_(topology.is_mesh()) {}

  [[nodiscard]] std::uint32_t side() const { return side_; }
  /// Steps in which a block moves by one place.
  [[nodiscard]] std::uint32_t frame() const { return folded_ ? 2 : 1; }
  /// The step in which the last pair meets. On a line of two nodes it is the first of the frame.
  [[nodiscard]] std::uint64_t steps() const {
    return side_ == 2 ? 1 : std::uint64_t{frame()} * (side_ / 2);
  }

  /// The offset at coordinate `at` of a block from coordinate `from`.
  [[nodiscard]] std::uint32_t offset(std::uint32_t at, std::uint32_t from) const {
    return (place(from) + side_ - place(at)) % side_;
  }
  /// True when a block of this offset has to arrive in this step: in frame t, blocks of the offsets
  /// t and -t do. Every offset except 0, which needs no link, has one frame.
  [[nodiscard]] bool is_due(std::uint32_t offset, std::uint64_t step) const {
    return offset != 0 && (step - 1) / frame() + 1 == std::min(offset, side_ - offset);
  }

  /// The offset at a node of the block of a member that began at node `from`, if it has to arrive
  /// in this step; empty otherwise. A block stays in its row (member 0) or column (member 1).
  [[nodiscard]] std::optional<std::uint32_t> due(NodeId node, std::uint32_t member, NodeId from,
                                                 std::uint64_t step) const {
    const bool in_line = member == 0 ? node / side_ == from / side_ : node % side_ == from % side_;
    if (member > 1 || !in_line) return std::nullopt;
    const std::uint32_t block =
        member == 0 ? offset(node % side_, from % side_) : offset(node / side_, from / side_);
    return is_due(block, step) ? std::optional(block) : std::nullopt;
  }
  /// k of the pair A(y, k), B(k, x) that has this offset at a node.
  [[nodiscard]] std::uint32_t index(NodeId node, std::uint32_t offset) const {
    return (place(node % side_) + place(node / side_) + offset) % side_;
  }

 private:
  /// The place of a coordinate on the ring.
  [[nodiscard]] std::uint32_t place(std::uint32_t coordinate) const {
    if (!folded_) return coordinate;
    return coordinate % 2 == 0 ? coordinate / 2 : side_ - 1 - coordinate / 2;
  }

  std::uint32_t side_;
  bool folded_;
};

/// Why no matrix product can be planned on the network; empty if one can.
[[nodiscard]] std::string pairs_defect(const Topology& topology);

}  // namespace gossamer
