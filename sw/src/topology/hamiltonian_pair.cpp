// SPDX-License-Identifier: Apache-2.0
#include "gossamer/topology/hamiltonian_pair.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {
constexpr bool even(std::uint32_t value) { return value % 2 == 0; }
}  // namespace

HamiltonianPair::HamiltonianPair(std::uint32_t nx, std::uint32_t ny)
    : transposed_(ny > nx), rows_(std::min(nx, ny)), columns_(std::max(nx, ny)) {
  if (rows_ == 2 && !even(columns_)) {
    throw InfeasibleError(fmt::format(
        "hamiltonian: a {}x{} torus has no two edge-disjoint Hamiltonian cycles: each would use "
        "one "
        "of the two parallel links at every position, {} in all, but a closed walk crosses an even "
        "number of times; nearest feasible: {} beside the 2, or 3 for the 2",
        nx, ny, columns_, columns_ + 1));
  }
}

bool HamiltonianPair::flipped(std::uint32_t row, std::uint32_t column) const {
  const std::uint32_t surplus = columns_ - rows_;
  if (!even(rows_) || even(columns_)) {
    if (row == column && row + 1 < rows_) return true;
    const bool closing_square = !even(rows_) && !even(surplus);
    if (closing_square && row == rows_ - 1 && column == rows_ - 1) return true;
    const std::uint32_t first = rows_ - 1 + (closing_square ? 1 : 0);
    return column >= first && column + 1 < columns_ && row == (column - first) % 2;
  }
  // Rows even, columns odd.
  if (row == column && row + 2 < rows_) return true;
  if (row == rows_ - 2 && column == columns_ - 1) return true;
  const std::uint32_t first = rows_ - 2;
  return column >= first && column - first <= surplus && row == (column - first) % 2;
}

std::array<std::uint8_t, 4> HamiltonianPair::cycles(std::uint32_t x, std::uint32_t y) const {
  if (rows_ == 2) return cycles_of_even_pair(x, y);
  const std::uint32_t row = transposed_ ? x : y;
  const std::uint32_t column = transposed_ ? y : x;
  const std::uint32_t row_before = row == 0 ? rows_ - 1 : row - 1;
  const std::uint32_t column_before = column == 0 ? columns_ - 1 : column - 1;
  // A link borders two unit squares; rows start as cycle 0, columns as cycle 1.
  const bool here = flipped(row, column);
  const bool left_of = flipped(row, column_before);
  const bool below = flipped(row_before, column);
  const bool below_left = flipped(row_before, column_before);
  const auto cycle = [](bool value) { return static_cast<std::uint8_t>(value); };
  const std::uint8_t row_minus = cycle(left_of != below_left);
  const std::uint8_t row_plus = cycle(here != below);
  const std::uint8_t column_minus = cycle(!(below != below_left));
  const std::uint8_t column_plus = cycle(!(here != left_of));
  if (transposed_) return {column_minus, column_plus, row_minus, row_plus};
  return {row_minus, row_plus, column_minus, column_plus};
}

std::array<std::uint8_t, 4> HamiltonianPair::cycles_of_even_pair(std::uint32_t x,
                                                                 std::uint32_t y) const {
  // The paper's rule, T = y-, B = y+: T with R and B with L in even columns and in the last one, T
  // with L and B with R in the other odd ones. T and B belong to different cycles, so the cycles
  // alternate down a column, and by the rule all columns but the last alternate in step.
  const std::uint32_t last = (transposed_ ? rows_ : columns_) - 1;
  const auto top = static_cast<std::uint8_t>((y + (x == last ? 1 : 0)) % 2);
  const auto bottom = static_cast<std::uint8_t>(1 - top);
  const bool top_turns_right = even(x) || x == last;
  const std::uint8_t right = top_turns_right ? top : bottom;
  const std::uint8_t left = top_turns_right ? bottom : top;
  return {left, right, top, bottom};
}

}  // namespace gossamer
