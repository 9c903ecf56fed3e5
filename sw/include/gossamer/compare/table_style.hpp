// SPDX-License-Identifier: Apache-2.0
/// How the text tables of the comparisons are laid out.
#pragma once

#include <cstddef>

namespace gossamer {

struct TableStyle {
  /// Characters per line. Columns that do not fit follow in a second table below the first.
  std::size_t columns = 80;
  /// Each refused algorithm has a line with its reason; otherwise one line names them all.
  bool reasons = false;
};

}  // namespace gossamer
