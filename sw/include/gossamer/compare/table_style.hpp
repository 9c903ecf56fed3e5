// SPDX-License-Identifier: Apache-2.0
/// How the text tables of the comparisons are laid out.
#pragma once

#include <cstddef>

namespace gossamer {

struct TableStyle {
  /// Characters per line. Columns that do not fit follow in a second table below the first.
  std::size_t columns = 80;
  /// Each refused algorithm, and each whose plan cannot be built, has a line with the reason;
  /// otherwise one line names the refused ones.
  bool reasons = false;
};

}  // namespace gossamer
