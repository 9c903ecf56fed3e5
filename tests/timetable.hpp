// SPDX-License-Identifier: Apache-2.0
/// Shared by the tests of timetables: single changes of a program's rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gossamer/machines/timetable/program.hpp"

namespace gossamer::testing {

/// The same program with other ROMs, numbered as before.
inline TimetableProgram with_roms(const TimetableProgram& program, std::vector<TimetableRom> roms) {
  TimetableProgram changed(program.nodes(), program.ports(), program.own(), program.delivery(),
                           program.repetition());
  changed.relative = program.relative;
  changed.flits = program.flits;
  std::vector<std::uint32_t> numbers;
  for (TimetableRom& rom : roms) numbers.push_back(changed.intern(std::move(rom)));
  if (!program.one_rom()) {
    for (NodeId node = 0; node < program.nodes(); ++node) {
      changed.assign(node, numbers[program.rom_of(node)]);
    }
  }
  return changed;
}

/// Replaces the row with the step and port of `row`, or adds it.
template <typename Row>
void put_row(std::vector<Row>& rows, const Row& row) {
  const auto at = std::lower_bound(rows.begin(), rows.end(), row, [](const Row& a, const Row& b) {
    return std::pair(a.step, a.port) < std::pair(b.step, b.port);
  });
  if (at != rows.end() && at->step == row.step && at->port == row.port) {
    *at = row;
  } else {
    rows.insert(at, row);
  }
}
/// Removes the row of that step and port, if there is one.
template <typename Row>
void remove_row(std::vector<Row>& rows, std::uint32_t step, Port port) {
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const Row& row) { return row.step == step && row.port == port; }),
             rows.end());
}

/// Makes the out-port send `source`; none(): nothing.
inline void set_source(TimetableRom& rom, std::uint32_t step, Port port, WordSource source) {
  if (source.none()) {
    remove_row(rom.sends, step, port);
  } else {
    put_row(rom.sends, SendRow{.step = step, .times = 1, .source = source, .port = port});
  }
}
/// Arrivals at the in-port are stored in `slot`; empty: they are not stored.
inline void set_slot(TimetableRom& rom, std::uint32_t step, Port port,
                     std::optional<std::uint32_t> slot) {
  if (!slot) {
    remove_row(rom.arrivals, step, port);
  } else {
    put_row(
        rom.arrivals,
        ArrivalRow{
            .step = step, .times = 1, .with = {}, .slot = *slot, .port = port, .delivers = false});
  }
}

}  // namespace gossamer::testing
