// SPDX-License-Identifier: Apache-2.0
/// A torus embedded in the mesh of the same sides: two mesh steps per torus step.
///
/// Along each dimension the ring is folded flat, so ring neighbours are one or two links apart on
/// the line. Even positions hold the ring's first half in order, odd ones the second half backward.
/// In torus step t each message uses links of its line in mesh steps 2t-1 and 2t; all 4(p-1) link
/// slots of a line are used exactly once. Source: Varvarigos & Bertsekas, Fig. 1;
/// docs/spec/partial-collectives.md, section 5.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The ring node (0 .. p-1) at a position of the line: i/2 for even i, p-1-(i-1)/2 for odd i.
[[nodiscard]] constexpr std::uint32_t folded_ring_node(std::uint32_t p, std::uint32_t position) {
  return position % 2 == 0 ? position / 2 : p - 1 - (position - 1) / 2;
}

/// The inverse: the position of a ring node on the line.
[[nodiscard]] constexpr std::uint32_t folded_position(std::uint32_t p, std::uint32_t ring_node) {
  return 2 * ring_node < p ? 2 * ring_node : 2 * (p - 1 - ring_node) + 1;
}

/// One link of the line that a message crosses.
struct FoldedHop {
  /// Position where the link starts, and whether it leads to the next higher position.
  std::uint32_t position = 0;
  bool positive = true;
  /// 0: in mesh step 2t-1, 1: in mesh step 2t.
  std::uint32_t half = 0;

  bool operator==(const FoldedHop&) const = default;
};

/// A torus hop's one or two links.
struct FoldedPath {
  std::array<FoldedHop, 2> hops;
  std::uint32_t length = 1;

  [[nodiscard]] std::span<const FoldedHop> links() const {
    return std::span<const FoldedHop>(hops).first(length);
  }
};

/// The path across the line of the message that ring node `ring_node` sends in + (`positive`) or -
/// direction. Two links: the first in mesh step 2t-1, the second in 2t. One link: in 2t when it
/// leaves an end of the line, otherwise in 2t-1; p = 2: + in 2t-1, - in 2t. Requires p >= 2.
[[nodiscard]] FoldedPath folded_path(std::uint32_t p, std::uint32_t ring_node, bool positive);

/// The mesh node that represents a torus node: every coordinate folded.
[[nodiscard]] NodeId folded_node(const Topology& torus, NodeId node);

}  // namespace gossamer
