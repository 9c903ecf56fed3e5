// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace gossamer {

/// Two edge-disjoint Hamiltonian cycles of a 2-D torus in closed form: the cycle (0 or 1) of each
/// port of node (x, y), in O(1).
///
/// Sides >= 3: docs/spec/gossip.md, section 3.1 (rows and columns start as the two colours; the
/// colours are exchanged around pairwise edge-disjoint unit squares, membership of which is an O(1)
/// test). A side of 2 with an even side: Meyer & Sibeyn, section 3.1.
class HamiltonianPair {
 public:
  /// Throws InfeasibleError for 2 x odd, with the reason.
  HamiltonianPair(std::uint32_t nx, std::uint32_t ny);
  /// The cycles of the ports x-, x+, y-, y+.
  [[nodiscard]] std::array<std::uint8_t, 4> cycles(std::uint32_t x, std::uint32_t y) const;

 private:
  /// True when the unit square with lowest corner (row, column) exchanges its colours.
  [[nodiscard]] bool flipped(std::uint32_t row, std::uint32_t column) const;
  [[nodiscard]] std::array<std::uint8_t, 4> cycles_of_even_pair(std::uint32_t x,
                                                                std::uint32_t y) const;

  /// Rows run along x unless there would then be more rows than columns; in that case the torus is
  /// transposed.
  bool transposed_;
  std::uint32_t rows_;
  std::uint32_t columns_;
};

}  // namespace gossamer
