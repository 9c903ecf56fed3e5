// SPDX-License-Identifier: Apache-2.0
/// Port tables (port_table.hpp) in plan documents: a list of the distinct entries at `ports`, and
/// at `table` one row per node with the number of each output port's entry.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gossamer/plan/document_writer.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/plan/port_table.hpp"
#include "gossamer/plan/program_source.hpp"

namespace gossamer {

/// The name of a column of the table, `port` = port of the router * frame + slot: "x-", and in a
/// frame of several slots "x-/0", "x-/1", ...
[[nodiscard]] std::string slot_name(Port port, std::uint32_t frame);

/// The properties with which the entries of a table must agree.
struct PortTableShape {
  int dimensions = 1;
  /// Slots of a frame.
  std::uint32_t frame = 1;
  /// Own packets per node.
  std::uint32_t packets_per_node = 1;

  /// Output ports of a router, each once per slot.
  [[nodiscard]] int columns() const { return 2 * dimensions * static_cast<int>(frame); }
};

/// A program's `packets_per_node`, and `frame` if it has one and the machine supports frames.
[[nodiscard]] PortTableShape read_shape(ProgramSource& source, bool has_frames);
void write_shape(const PortTableShape& shape, DocumentWriter& out);

void write_port_set(std::string_view key, PortSet ports, std::uint32_t frame, DocumentWriter& out);
[[nodiscard]] PortSet read_port_set(Fields& fields, std::string_view key,
                                    const PortTableShape& shape);
[[nodiscard]] std::vector<std::uint16_t> read_preload(Fields& fields, const PortTableShape& shape);

/// Calls visit(node, port, number) for every entry of the document's table, where `entries` is the
/// length of its `ports`. Further columns of a row go to `rest`. Throws InputError if the table
/// does not match the network, or if an unconnected output port has a number for which `idle` is
/// false.
void read_port_numbers(
    ProgramSource& source, const PortTableShape& shape, std::size_t columns_behind,
    std::size_t entries, const std::function<bool(std::size_t number)>& idle,
    const std::function<void(NodeId node, Port port, std::size_t number)>& visit,
    const std::function<void(NodeId node, std::size_t column, std::int32_t value)>& rest = {});

/// Fills `table` from the document; `read_entry` reads one of `ports`.
template <typename Entry, typename ReadEntry>
void read_port_table(ProgramSource& source, const PortTableShape& shape, PortTable<Entry>& table,
                     ReadEntry read_entry, std::size_t columns_behind = 0,
                     const std::function<void(NodeId, std::size_t, std::int32_t)>& rest = {}) {
  std::vector<std::uint32_t> codes;
  for (const auto& item : source.fields.array("ports")) {
    if (codes.size() == PortTable<Entry>::kMostEntries) {
      throw InputError(fmt::format("{}: ports: more than {} entries", source.place(),
                                   PortTable<Entry>::kMostEntries));
    }
    Fields fields(item, fmt::format("{}: ports[{}]", source.place(), codes.size()));
    codes.push_back(table.intern(read_entry(fields, shape)));
    fields.done();
  }
  read_port_numbers(
      source, shape, columns_behind, codes.size(),
      [&codes](std::size_t number) { return codes[number] == 0; },
      [&](NodeId node, Port port, std::size_t number) {
        table.set_code(node, port, codes[number]);
      },
      rest);
}

/// Writes `ports` by `write_entry`, without the table.
template <typename Entry, typename WriteEntry>
void write_port_entries(const PortTable<Entry>& table, WriteEntry write_entry,
                        DocumentWriter& out) {
  out.begin_array("ports");
  for (const Entry& entry : table.dictionary()) {
    out.begin_object();
    write_entry(entry, out);
    out.end_object();
  }
  out.end_array();
}

/// Writes `table`: the numbers of a node's output ports, then the further columns.
template <typename Entry>
void write_port_numbers(const PortTable<Entry>& table, DocumentWriter& out,
                        std::span<const std::uint32_t> behind = {},
                        std::size_t columns_behind = 0) {
  out.begin_array(kProgramTable);
  std::array<std::int32_t, kMaxPorts + kMaxDimensions> row{};
  const auto ports = static_cast<std::size_t>(table.ports());
  for (NodeId node = 0; node < table.nodes(); ++node) {
    for (std::size_t port = 0; port < ports; ++port) {
      row[port] = static_cast<std::int32_t>(table.code(node, static_cast<Port>(port)));
    }
    for (std::size_t i = 0; i < columns_behind; ++i) {
      row[ports + i] = static_cast<std::int32_t>(behind[node * columns_behind + i]);
    }
    out.row(std::span(row).first(ports + columns_behind));
  }
  out.end_array();
}

}  // namespace gossamer
