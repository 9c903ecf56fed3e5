// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "gossamer/foreign/export.hpp"

namespace gossamer::foreign {

void write_teccl(std::span<const Move> moves, std::uint64_t packets_per_node, std::ostream& out) {
  std::uint64_t epochs = 1;
  for (const Move& move : moves) epochs = std::max(epochs, move.step);
  out << fmt::format("{{\n  \"3-Epochs_Required\": {},\n  \"7-Flows\": [", epochs);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const Move& move = moves[i];
    out << fmt::format("{}\n    \"Chunk {} from {} traveled over {}->{} in epoch {}\"",
                       i == 0 ? "" : ",", move.packet % packets_per_node,
                       move.packet / packets_per_node, move.from, move.to, move.step - 1);
  }
  out << "\n  ]\n}\n";
}

}  // namespace gossamer::foreign
