// SPDX-License-Identifier: Apache-2.0
/// Timetables in the plan document.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "gossamer/topology/displacement.hpp"
#include "gossamer/util/error.hpp"
#include "program_io.hpp"

namespace gossamer {

namespace {

constexpr std::size_t kTimetableColumns = 7;
constexpr std::int32_t kAddsBit = 1;
constexpr std::int32_t kHandsOverBit = 2;

/// Refuses what no router could do.
void check_timetable_row(const TimetableRow& row, const TimetableRow* before,
                         const Topology& topology, const std::string& place) {
  if (topology.neighbor(row.from, row.out_port) == kNoNode) {
    throw InputError(fmt::format("{}: node {} sends by port {}, which has no live link", place,
                                 row.from, port_name(row.out_port)));
  }
  const auto order = [](const TimetableRow& at) { return std::tie(at.step, at.from, at.out_port); };
  if (before != nullptr && order(row) <= order(*before)) {
    throw InputError(
        fmt::format("{}: step, node and port do not ascend; a link takes one word a step", place));
  }
  if (!row.write && (row.adds || !row.hands_over)) {
    throw InputError(
        fmt::format("{}: what arrives goes to no slot and is not handed over either", place));
  }
}

/// The rows of node 0, displaced to every node of a torus.
std::vector<TimetableRow> rows_of_all(const std::vector<TimetableRow>& rows, std::uint32_t k,
                                      const Topology& torus, const std::string& place) {
  constexpr std::uint64_t kMostRows = std::uint64_t{1} << 24U;
  if (rows.size() > kMostRows / torus.nodes()) {
    throw InputError(fmt::format("{}: table: {} rows for each of {} nodes; {} in all are allowed",
                                 place, rows.size(), torus.nodes(), kMostRows));
  }
  std::vector<TimetableRow> all;
  all.reserve(rows.size() * torus.nodes());
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(
        first, rows.end(), [&](const TimetableRow& row) { return row.step != first->step; });
    for (NodeId node = 0; node < torus.nodes(); ++node) {
      for (auto row = first; row != last; ++row) {
        all.push_back(*row);
        all.back().from = node;
        all.back().packet = displaced(torus, node, row->packet / k) * k + row->packet % k;
      }
    }
    first = last;
  }
  return all;
}

}  // namespace

void write_timetable_fields(const TimetableProgram& program, DocumentWriter& out) {
  if (program.one_rom()) out.boolean("one_rom", true);
  out.number("packets_per_node", program.packets_per_node());
  out.number("slots", program.slots());
  out.begin_array(kProgramTable);
  for (const TimetableRow& row : program.rows()) {
    if (program.one_rom() && row.from != 0) continue;
    const std::array<std::int32_t, kTimetableColumns> numbers = {
        static_cast<std::int32_t>(row.step),
        static_cast<std::int32_t>(row.from),
        row.out_port,
        static_cast<std::int32_t>(row.packet),
        static_cast<std::int32_t>(row.read),
        row.write ? static_cast<std::int32_t>(*row.write) : -1,
        (row.adds ? kAddsBit : 0) | (row.hands_over ? kHandsOverBit : 0)};
    out.row(numbers);
  }
  out.end_array();
}

TimetableProgram read_timetable_fields(Fields& fields, const Topology& topology,
                                       const NumberTable& table) {
  const bool one_rom = fields.flag("one_rom");
  const auto own = fields.number<std::uint32_t>("packets_per_node", 1, kMaxTimetableSlots);
  if (one_rom && (!topology.routers_are_alike() || own % topology.nodes() != 0)) {
    throw InputError(fmt::format(
        "{}: one_rom: all nodes do the same on a healthy torus only, with as many words for each "
        "of its {} nodes",
        fields.place(), topology.nodes()));
  }
  const auto slots = fields.number<std::uint32_t>("slots", own, kMaxTimetableSlots);
  if (table.rows != 0 && table.row_length != kTimetableColumns) {
    throw InputError(fmt::format("{}: table: rows of {} entries, {} expected", fields.place(),
                                 table.row_length, kTimetableColumns));
  }
  std::vector<TimetableRow> rows;
  rows.reserve(table.rows);
  constexpr std::int64_t kMost = 0x7fffffff;
  for (std::size_t at = 0; at < table.rows; ++at) {
    const std::int32_t* const entry = table.values.data() + at * kTimetableColumns;
    const std::string place = fmt::format("{}: table: row {}", fields.place(), at);
    const auto number = [&](std::size_t column, std::int64_t least, std::int64_t most) {
      constexpr std::array<std::string_view, kTimetableColumns> kNames{
          "step", "from", "out-port", "packet", "read", "write", "mode"};
      if (entry[column] < least || entry[column] > most) {
        throw InputError(fmt::format("{}: {} {} is outside {}..{}", place, kNames[column],
                                     entry[column], least, most));
      }
      return static_cast<std::uint32_t>(entry[column]);
    };
    TimetableRow row;
    row.step = number(0, 1, kMost);
    row.from = number(1, 0, one_rom ? 0 : std::int64_t{topology.nodes()} - 1);
    row.out_port = static_cast<Port>(number(2, 0, topology.ports() - 1));
    row.packet = number(3, 0, one_rom ? std::int64_t{own} - 1 : kMost);
    row.read = number(4, 0, std::int64_t{slots} - 1);
    if (entry[5] != -1) row.write = number(5, -1, std::int64_t{slots} - 1);
    const std::uint32_t mode = number(6, 0, kAddsBit | kHandsOverBit);
    row.adds = (mode & kAddsBit) != 0;
    row.hands_over = (mode & kHandsOverBit) != 0;
    check_timetable_row(row, rows.empty() ? nullptr : &rows.back(), topology, place);
    rows.push_back(row);
  }
  if (one_rom) rows = rows_of_all(rows, own / topology.nodes(), topology, fields.place());
  return {own, slots, std::move(rows), one_rom};
}

}  // namespace gossamer
