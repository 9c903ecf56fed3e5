// SPDX-License-Identifier: Apache-2.0
#include "gossamer/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gossamer {

std::string text_table(const std::vector<std::vector<std::string>>& rows, Alignment alignment) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) line += "  ";
      line += alignment == Alignment::kLeft || i == 0 ? fmt::format("{:<{}}", row[i], widths[i])
                                                      : fmt::format("{:>{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace gossamer
