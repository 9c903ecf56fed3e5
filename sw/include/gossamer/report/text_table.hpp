// SPDX-License-Identifier: Apache-2.0
/// Tables for people.
#pragma once

#include <string>
#include <vector>

namespace gossamer {

enum class Alignment {
  /// Every column to the left.
  kLeft,
  /// The first column to the left, the others, numbers, to the right.
  kNumbers,
};

/// Rows of cells as aligned columns, two blanks between them, no blank at a line's end. The first row
/// is usually the heading.
[[nodiscard]] std::string text_table(const std::vector<std::vector<std::string>>& rows,
                                     Alignment alignment);

}  // namespace gossamer
