// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/port_table_io.hpp"

#include <fmt/format.h>

namespace gossamer {

namespace {

using json = nlohmann::ordered_json;

}  // namespace

std::string slot_name(Port port, std::uint32_t frame) {
  if (frame == 1) return port_name(port);
  return fmt::format("{}/{}", port_name(static_cast<Port>(port / frame)), port % frame);
}

PortTableShape read_shape(ProgramSource& source, bool has_frames) {
  PortTableShape shape{.dimensions = source.topology.dimensions()};
  if (has_frames && source.fields.has("frame")) {
    const std::int64_t most = kMaxPorts / std::int64_t{source.topology.ports()};
    shape.frame = source.fields.number<std::uint32_t>("frame", 2, most);
  }
  shape.packets_per_node =
      source.fields.number<std::uint32_t>("packets_per_node", 1, kMaxPacketsPerNode);
  return shape;
}

void write_shape(const PortTableShape& shape, DocumentWriter& out) {
  if (shape.frame != 1) out.number("frame", shape.frame);
  out.number("packets_per_node", shape.packets_per_node);
}

void write_port_set(std::string_view key, PortSet ports, std::uint32_t frame, DocumentWriter& out) {
  out.begin_array(key);
  for (const Port port : ports) out.string(slot_name(port, frame));
  out.end_array();
}

PortSet read_port_set(Fields& fields, std::string_view key, const PortTableShape& shape) {
  const std::string place = fmt::format("{}: {}", fields.place(), key);
  const json& value = fields.any(key);
  if (!value.is_array()) throw InputError(fmt::format("{}: an array is expected", place));
  PortSet ports;
  for (const json& item : value) {
    const std::string name = checked_string(item, place);
    int port = 0;
    while (port < shape.columns() && slot_name(static_cast<Port>(port), shape.frame) != name) {
      ++port;
    }
    if (port == shape.columns()) {
      throw InputError(fmt::format("{}: there is no port {}", place, shown(name)));
    }
    if (ports.contains(static_cast<Port>(port))) {
      throw InputError(fmt::format("{}: {} occurs twice", place, name));
    }
    ports.insert(static_cast<Port>(port));
  }
  return ports;
}

std::vector<std::uint16_t> read_preload(Fields& fields, const PortTableShape& shape) {
  std::vector<std::uint16_t> packets;
  const json& preload = fields.array("preload");
  if (preload.size() > kMaxPacketsPerNode) {
    throw InputError(fmt::format("{}: preload: {} packets are given, at most {} are supported",
                                 fields.place(), preload.size(), kMaxPacketsPerNode));
  }
  for (const json& packet : preload) {
    packets.push_back(static_cast<std::uint16_t>(checked_number(
        packet, fields.place() + ": preload", 0, std::int64_t{shape.packets_per_node} - 1)));
  }
  return packets;
}

void read_port_numbers(
    ProgramSource& source, const PortTableShape& shape, std::size_t columns_behind,
    std::size_t entries, const std::function<bool(std::size_t number)>& idle,
    const std::function<void(NodeId node, Port port, std::size_t number)>& visit,
    const std::function<void(NodeId node, std::size_t column, std::int32_t value)>& rest) {
  const Topology& topology = source.topology;
  const std::string& place = source.place();
  const NumberTable& table = source.table(kProgramTablePath);
  if (table.rows != topology.nodes()) {
    throw InputError(
        fmt::format("{}: table: {} rows for {} nodes", place, table.rows, topology.nodes()));
  }
  if (table.row_length != static_cast<std::size_t>(shape.columns()) + columns_behind) {
    throw InputError(fmt::format(
        "{}: table: rows of {} entries for routers of {} ports{}{}", place, table.row_length,
        topology.ports(), shape.frame == 1 ? "" : fmt::format(" and {} slots", shape.frame),
        columns_behind == 0 ? "" : fmt::format(" and {} ranks", columns_behind)));
  }
  auto value = table.values.begin();
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (int column = 0; column < shape.columns(); ++column, ++value) {
      const auto port = static_cast<Port>(column);
      if (*value < 0 || static_cast<std::size_t>(*value) >= entries) {
        throw InputError(fmt::format("{}: table: node {}, port {}: {} is outside 0..{}", place,
                                     walk.node(), slot_name(port, shape.frame), *value,
                                     static_cast<std::int64_t>(entries) - 1));
      }
      const auto number = static_cast<std::size_t>(*value);
      if (!idle(number) && walk.neighbor(static_cast<Port>(port / shape.frame)) == kNoNode) {
        throw InputError(
            fmt::format("{}: table: node {}, port {}: the port sends packets, but has no link",
                        place, walk.node(), slot_name(port, shape.frame)));
      }
      visit(walk.node(), port, number);
    }
    for (std::size_t column = 0; column < columns_behind; ++column, ++value) {
      rest(walk.node(), column, *value);
    }
  }
}

}  // namespace gossamer
