// SPDX-License-Identifier: Apache-2.0
/// Packed trees in the plan document.
#include <fmt/format.h>

#include <vector>

#include "gossamer/util/error.hpp"
#include "program_io.hpp"

namespace gossamer {

namespace {
constexpr std::int64_t kMostFrame = 255;
constexpr std::int64_t kMostStreams = 1024;
constexpr std::int64_t kMostTreeWords = std::int64_t{1} << 40;
/// A port, the step up and the step down.
constexpr std::size_t kPlaceColumns = 3;
}  // namespace

void write_tree_fields(const PackedTrees& program, DocumentWriter& out) {
  out.number("frame", program.frame());
  out.number("streams", program.streams());
  out.number("words", program.words());
  out.begin_array(kProgramTable);
  std::vector<std::int32_t> row(program.streams() * kPlaceColumns);
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (std::uint32_t stream = 0; stream < program.streams(); ++stream) {
      const TreePlace& place = program.at(node, stream);
      row[stream * kPlaceColumns] = place.parent == kTreeRoot ? -1 : place.parent;
      row[stream * kPlaceColumns + 1] = static_cast<std::int32_t>(place.up);
      row[stream * kPlaceColumns + 2] = static_cast<std::int32_t>(place.down);
    }
    out.row(row);
  }
  out.end_array();
}

PackedTrees read_tree_fields(Fields& fields, const Topology& topology, const NumberTable& table) {
  const auto frame = fields.number<std::uint32_t>("frame", 1, kMostFrame);
  const auto streams = fields.number<std::uint32_t>("streams", 1, kMostStreams);
  const auto words = fields.number<std::uint64_t>("words", 1, kMostTreeWords);
  if (table.rows != topology.nodes() || table.row_length != streams * kPlaceColumns) {
    throw InputError(
        fmt::format("{}: table: {} rows of {} entries are expected: port, up and down "
                    "of each stream",
                    fields.place(), topology.nodes(), streams * kPlaceColumns));
  }
  PackedTrees program(topology.nodes(), frame, streams, words);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::uint32_t stream = 0; stream < streams; ++stream) {
      const std::int32_t* entry =
          table.values.data() + std::size_t{node} * table.row_length + stream * kPlaceColumns;
      const auto refuse = [&](const std::string& cause) {
        throw InputError(
            fmt::format("{}: table: node {}, stream {}: {}", fields.place(), node, stream, cause));
      };
      if (entry[0] < -1 || entry[0] >= topology.ports()) {
        refuse(fmt::format("port {} is outside -1..{}", entry[0], topology.ports() - 1));
      }
      if (!topology.is_live(node)) {
        if (entry[0] != -1 || entry[1] != 0 || entry[2] != 0) refuse("-1, 0, 0: it is dead");
        continue;
      }
      if (!topology.has_core(node)) refuse("its core is dead, and has nothing to add");
      if (entry[1] < 1) refuse(fmt::format("step {} up is below 1", entry[1]));
      if (entry[2] < 0) refuse(fmt::format("step {} down is below 0", entry[2]));
      TreePlace& place = program.at(node, stream);
      place.parent = entry[0] < 0 ? kTreeRoot : static_cast<Port>(entry[0]);
      place.up = static_cast<std::uint32_t>(entry[1]);
      place.down = static_cast<std::uint32_t>(entry[2]);
      if (place.parent != kTreeRoot && topology.neighbor(node, place.parent) == kNoNode) {
        refuse(fmt::format("{} leads out of the network", port_name(place.parent)));
      }
      if (place.parent != kTreeRoot && place.down != 0 &&
          topology.sender(node, place.parent) == kNoNode) {
        refuse(
            fmt::format("no totals come from {}, where the link is dead", port_name(place.parent)));
      }
    }
  }
  return program;
}

}  // namespace gossamer
