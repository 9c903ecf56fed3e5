// SPDX-License-Identifier: Apache-2.0
/// Stream programs in the plan document.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "gossamer/machines/elastic/words.hpp"
#include "gossamer/plan/port_table_io.hpp"
#include "gossamer/util/error.hpp"
#include "program_io.hpp"

namespace gossamer {

std::string slot_name(Port port, std::uint32_t frame) {
  if (frame == 1) return port_name(port);
  return fmt::format("{}/{}", port_name(static_cast<Port>(port / frame)), port % frame);
}

namespace {

using json = nlohmann::ordered_json;

void write_ports(DocumentWriter& out, PortSet ports, std::uint32_t frame) {
  out.begin_array();
  for (const Port port : ports) out.string(slot_name(port, frame));
  out.end_array();
}

/// More than a link carries in a round on any topology.
constexpr std::int64_t kMaxCarried = std::int64_t{1} << 30;

/// What a table's entries are checked against.
struct StreamShape {
  int dimensions;
  std::uint32_t frame;
  std::uint32_t packets_per_node;

  /// Entries of a table row: an out-port a slot.
  [[nodiscard]] std::size_t columns() const {
    return 2 * static_cast<std::size_t>(dimensions) * frame;
  }
};

std::optional<Port> port_from_slot_name(const std::string& name, const StreamShape& shape) {
  for (std::size_t port = 0; port < shape.columns(); ++port) {
    if (slot_name(static_cast<Port>(port), shape.frame) == name) return static_cast<Port>(port);
  }
  return std::nullopt;
}

PortSet read_ports(const json& value, const std::string& place, const StreamShape& shape) {
  if (!value.is_array()) throw InputError(fmt::format("{}: an array is expected", place));
  PortSet ports;
  for (const json& item : value) {
    const std::string name = checked_string(item, place);
    const auto port = port_from_slot_name(name, shape);
    if (!port) throw InputError(fmt::format("{}: no such port as {}", place, shown(name)));
    if (ports.contains(*port)) throw InputError(fmt::format("{}: {} stands twice", place, name));
    ports.insert(*port);
  }
  return ports;
}

PortProgram read_port_program(Fields fields, const StreamShape& shape) {
  PortProgram entry;
  entry.feed = read_ports(fields.any("feed"), fields.place() + ": feed", shape);
  if (fields.has("switch_step") || fields.has("early_feed")) {
    entry.early_feed = read_ports(fields.any("early_feed"), fields.place() + ": early_feed", shape);
    entry.switch_step = fields.number<std::uint32_t>("switch_step", 1, std::int64_t{1} << 31);
  }
  const json& preload = fields.array("preload");
  if (preload.size() > kMaxPacketsPerNode) {
    throw InputError(fmt::format("{}: preload: {} packets, {} allowed", fields.place(),
                                 preload.size(), kMaxPacketsPerNode));
  }
  for (const json& packet : preload) {
    entry.preload.push_back(static_cast<std::uint16_t>(checked_number(
        packet, fields.place() + ": preload", 0, std::int64_t{shape.packets_per_node} - 1)));
  }
  if (fields.has("lane")) {
    entry.lane = fields.number<std::uint8_t>("lane", 0, kMaxPorts - 1);
  }
  if (fields.has("carries")) {
    entry.carries = fields.number<std::uint32_t>("carries", 1, kMaxCarried);
  }
  fields.done();
  return entry;
}

/// Lanes are those of the combination, and who combines has no packets of his own to send.
void check_lanes(const StreamProgram& program, const std::string& place) {
  const std::size_t lanes = program.combine ? 2 * program.combine->cycles() : 0;
  for (const PortProgram& entry : program.dictionary()) {
    if (entry.lane && *entry.lane >= lanes) {
      throw InputError(fmt::format("{}: ports: there is no lane {}", place, *entry.lane));
    }
    if (lanes > 0 && (!entry.preload.empty() || entry.feed.size() > 1 || entry.switch_step != 0)) {
      throw InputError(fmt::format(
          "{}: ports: a program that combines has one feed an out-port and no preload", place));
    }
  }
}

/// What elastic routers can be told, and no others.
void check_elastic(const StreamProgram& program, const std::string& place) {
  for (const PortProgram& entry : program.dictionary()) {
    if (!program.elastic) {
      if (entry.carries == 0) continue;
      throw InputError(fmt::format("{}: ports: carries: the program is not elastic", place));
    }
    const std::uint64_t own = entry.carries == 0 && entry.lane ? 0 : own_chunks(entry);
    if (entry.carries < own || (entry.feed.empty() && entry.carries > own)) {
      throw InputError(fmt::format("{}: ports: carries {} with {} own packets and {} feeds", place,
                                   entry.carries, own, entry.feed.size()));
    }
  }
  if (!program.elastic) return;
  if (!program.is_plain()) {
    throw InputError(fmt::format(
        "{}: elastic: an out-port has at most one feed and one own packet, the same in every step",
        place));
  }
}

/// What elastic routers can be told of sums (plan/elastic_words.hpp).
void check_elastic_sums(const StreamProgram& program, const std::string& place) {
  if (!program.elastic || !program.combine) return;
  const Combination& combine = *program.combine;
  const auto refuse = [&place](const std::string& cause) {
    throw InputError(fmt::format("{}: combine: {}", place, cause));
  };
  if (combine.blocks != program.nodes()) {
    refuse(fmt::format("{} blocks for elastic rings of {} nodes", combine.blocks, program.nodes()));
  }
  if (combine.legs.size() > 2 || !adds_up(combine.legs.front()) ||
      adds_up(combine.legs.back()) != (combine.legs.size() == 1)) {
    refuse("an elastic program has a leg that ends with join, and one that does not may follow");
  }
  for (const PortProgram& entry : program.dictionary()) {
    if (entry.carries == 0) continue;
    if (!entry.lane) refuse("an out-port of an elastic program carries something and has no lane");
    for (const CombineLeg& leg : combine.legs) {
      const auto& lane = leg.lanes[*entry.lane];
      if (!lane || lane->steps != entry.carries ||
          lane->part != combine.legs.front().lanes[*entry.lane]->part) {
        refuse(
            fmt::format("lane {} is of {} chunks a round and one part in all legs, or there is "
                        "nothing to carry",
                        *entry.lane, entry.carries));
      }
    }
  }
  for (NodeId node = 0; node < program.nodes(); ++node) {
    std::vector<bool> seen(2 * combine.cycles(), false);
    for (const Port port : all_ports(program.ports())) {
      const PortProgram& at = program.at(node, port);
      if (at.carries == 0) continue;
      if (seen[*at.lane]) refuse(fmt::format("node {} has lane {} twice", node, *at.lane));
      seen[*at.lane] = true;
    }
  }
}

}  // namespace

void write_stream_fields(const StreamProgram& program, DocumentWriter& out) {
  const std::uint32_t frame = program.frame();
  if (frame != 1) out.number("frame", frame);
  out.number("packets_per_node", program.packets_per_node());
  out.begin_array("ports");
  for (const PortProgram& entry : program.dictionary()) {
    out.begin_object();
    out.key("feed");
    write_ports(out, entry.feed, frame);
    if (entry.switch_step != 0) {
      out.key("early_feed");
      write_ports(out, entry.early_feed, frame);
      out.number("switch_step", entry.switch_step);
    }
    out.list("preload", entry.preload);
    if (entry.lane) out.number("lane", *entry.lane);
    if (entry.carries != 0) out.number("carries", entry.carries);
    out.end_object();
  }
  out.end_array();
  if (program.combine) {
    out.key("combine");
    write_combination(*program.combine, out);
  }
  if (program.elastic) {
    out.key("elastic");
    write_elastic(*program.elastic, program.ports(), out);
  }
  out.begin_array(kProgramTable);
  // A node's out-ports, then its ranks on the cycles.
  std::array<std::int32_t, kMaxPorts + kMaxDimensions> row{};
  const auto ports = static_cast<std::size_t>(program.ports());
  const std::size_t cycles = program.combine ? program.combine->cycles() : 0;
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (std::size_t port = 0; port < ports; ++port) {
      row[port] = static_cast<std::int32_t>(program.code(node, static_cast<Port>(port)));
    }
    for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
      row[ports + cycle] = static_cast<std::int32_t>(program.combine->ranks[node * cycles + cycle]);
    }
    out.row(std::span(row).first(ports + cycles));
  }
  out.end_array();
}

StreamProgram read_stream_fields(Fields& fields, const Topology& topology,
                                 const Document& document) {
  const NumberTable& table = table_at(document, kProgramTablePath);
  std::uint32_t frame = 1;
  if (fields.has("frame")) {
    const std::int64_t most = kMaxPorts / std::int64_t{topology.ports()};
    frame = fields.number<std::uint32_t>("frame", 2, most);
  }
  const StreamShape shape{topology.dimensions(), frame,
                          fields.number<std::uint32_t>("packets_per_node", 1, kMaxPacketsPerNode)};
  if (table.rows != topology.nodes()) {
    throw InputError(fmt::format("{}: table: {} rows for {} nodes", fields.place(), table.rows,
                                 topology.nodes()));
  }
  StreamProgram program(topology.nodes(), static_cast<int>(shape.columns()), shape.packets_per_node,
                        frame);
  if (fields.has("combine")) {
    program.combine = read_combination(fields.object("combine"), topology, shape.packets_per_node);
  }
  if (fields.has("elastic")) {
    program.elastic =
        read_elastic(fields.object("elastic"), topology, table_at(document, kLatencyTablePath));
  }
  const std::size_t cycles = program.combine ? program.combine->cycles() : 0;
  if (table.row_length != shape.columns() + cycles) {
    throw InputError(fmt::format("{}: table: rows of {} entries for routers of {} ports{}{}",
                                 fields.place(), table.row_length, topology.ports(),
                                 frame == 1 ? "" : fmt::format(" and {} slots", frame),
                                 cycles == 0 ? "" : fmt::format(" and {} ranks", cycles)));
  }
  std::vector<std::uint32_t> codes;
  for (const json& item : fields.array("ports")) {
    if (codes.size() == 65536) {
      throw InputError(fmt::format("{}: ports: more than 65536 entries", fields.place()));
    }
    codes.push_back(program.intern(read_port_program(
        Fields(item, fmt::format("{}: ports[{}]", fields.place(), codes.size())), shape)));
  }
  auto value = table.values.begin();
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (std::size_t column = 0; column < shape.columns(); ++column, ++value) {
      const auto port = static_cast<Port>(column);
      if (*value < 0 || static_cast<std::size_t>(*value) >= codes.size()) {
        throw InputError(fmt::format("{}: table: node {}, port {}: {} is outside 0..{}",
                                     fields.place(), walk.node(), slot_name(port, frame), *value,
                                     static_cast<std::int64_t>(codes.size()) - 1));
      }
      const std::uint32_t code = codes[static_cast<std::size_t>(*value)];
      if (code != 0 && walk.neighbor(static_cast<Port>(port / frame)) == kNoNode) {
        throw InputError(
            fmt::format("{}: table: node {}, port {}: leads nowhere on a mesh but is "
                        "given something to send",
                        fields.place(), walk.node(), slot_name(port, frame)));
      }
      program.set_code(walk.node(), port, code);
    }
    for (std::size_t cycle = 0; cycle < cycles; ++cycle, ++value) {
      if (*value < 0 || static_cast<std::uint32_t>(*value) >= program.combine->blocks) {
        throw InputError(fmt::format("{}: table: node {}, rank {}: {} is outside 0..{}",
                                     fields.place(), walk.node(), cycle, *value,
                                     program.combine->blocks - 1));
      }
      program.combine->ranks.push_back(static_cast<std::uint32_t>(*value));
    }
  }
  check_lanes(program, fields.place());
  check_elastic(program, fields.place());
  check_elastic_sums(program, fields.place());
  return program;
}

}  // namespace gossamer
