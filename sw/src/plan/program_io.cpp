// SPDX-License-Identifier: Apache-2.0
#include "program_io.hpp"

#include <fmt/format.h>

#include <array>

#include "gossamer/util/error.hpp"
#include "queued_io.hpp"

namespace gossamer {

namespace {

using nlohmann::json;

// --- stream -------------------------------------------------------------------------------------

void write_ports(DocumentWriter& out, PortSet ports) {
  out.begin_array();
  for (const Port port : ports) out.string(port_name(port));
  out.end_array();
}

void write_stream(const StreamProgram& program, DocumentWriter& out) {
  out.begin_object();
  out.key("discipline");
  out.string("stream");
  out.key("packets_per_node");
  out.number(program.packets_per_node());
  out.key("ports");
  out.begin_array();
  for (const PortProgram& entry : program.dictionary()) {
    out.begin_object();
    out.key("feed");
    write_ports(out, entry.feed);
    if (entry.switch_step != 0) {
      out.key("early_feed");
      write_ports(out, entry.early_feed);
      out.key("switch_step");
      out.number(entry.switch_step);
    }
    out.key("preload");
    const std::vector<std::int32_t> preload(entry.preload.begin(), entry.preload.end());
    out.row(preload);
    out.end_object();
  }
  out.end_array();
  out.key(kProgramTable);
  out.begin_array();
  std::array<std::int32_t, kMaxPorts> row{};
  const auto ports = static_cast<std::size_t>(program.ports());
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (std::size_t port = 0; port < ports; ++port) {
      row[port] = static_cast<std::int32_t>(program.code(node, static_cast<Port>(port)));
    }
    out.row(std::span(row).first(ports));
  }
  out.end_array();
  out.end_object();
}

PortSet read_ports(const json& value, const std::string& place, int dimensions) {
  if (!value.is_array()) throw InputError(fmt::format("{}: an array is expected", place));
  PortSet ports;
  for (const json& item : value) {
    const std::string name = checked_string(item, place);
    const auto port = port_from_name(name, dimensions);
    if (!port)
      throw InputError(fmt::format("{}: no such port as \"{}\"", place, name.substr(0, 40)));
    if (ports.contains(*port)) throw InputError(fmt::format("{}: {} stands twice", place, name));
    ports.insert(*port);
  }
  return ports;
}

PortProgram read_port_program(Fields fields, int dimensions, std::uint32_t packets_per_node) {
  PortProgram entry;
  entry.feed = read_ports(fields.any("feed"), fields.place() + ": feed", dimensions);
  if (fields.has("switch_step") || fields.has("early_feed")) {
    entry.early_feed =
        read_ports(fields.any("early_feed"), fields.place() + ": early_feed", dimensions);
    entry.switch_step =
        static_cast<std::uint32_t>(fields.number("switch_step", 1, std::int64_t{1} << 31));
  }
  const json& preload = fields.array("preload");
  if (preload.size() > kMaxPacketsPerNode) {
    throw InputError(fmt::format("{}: preload: {} packets, {} allowed", fields.place(),
                                 preload.size(), kMaxPacketsPerNode));
  }
  for (const json& packet : preload) {
    entry.preload.push_back(static_cast<std::uint16_t>(checked_number(
        packet, fields.place() + ": preload", 0, std::int64_t{packets_per_node} - 1)));
  }
  fields.done();
  return entry;
}

StreamProgram read_stream(Fields& fields, const Topology& topology, const NumberTable& table) {
  const auto k =
      static_cast<std::uint32_t>(fields.number("packets_per_node", 1, kMaxPacketsPerNode));
  const auto ports = static_cast<std::size_t>(topology.ports());
  if (table.rows != topology.nodes()) {
    throw InputError(fmt::format("{}: table: {} rows for {} nodes", fields.place(), table.rows,
                                 topology.nodes()));
  }
  if (table.row_length != ports) {
    throw InputError(fmt::format("{}: table: rows of {} entries for routers of {} ports",
                                 fields.place(), table.row_length, ports));
  }
  StreamProgram program(topology.nodes(), topology.ports(), k);
  std::vector<std::uint32_t> codes;
  for (const json& item : fields.array("ports")) {
    if (codes.size() == 65536) {
      throw InputError(fmt::format("{}: ports: more than 65536 entries", fields.place()));
    }
    codes.push_back(program.intern(
        read_port_program(Fields(item, fmt::format("{}: ports[{}]", fields.place(), codes.size())),
                          topology.dimensions(), k)));
  }
  auto value = table.values.begin();
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (std::size_t p = 0; p < ports; ++p, ++value) {
      const auto port = static_cast<Port>(p);
      if (*value < 0 || static_cast<std::size_t>(*value) >= codes.size()) {
        throw InputError(fmt::format("{}: table: node {}, port {}: {} is outside 0..{}",
                                     fields.place(), walk.node(), port_name(port), *value,
                                     static_cast<std::int64_t>(codes.size()) - 1));
      }
      const std::uint32_t code = codes[static_cast<std::size_t>(*value)];
      if (code != 0 && walk.neighbor(port) == kNoNode) {
        throw InputError(
            fmt::format("{}: table: node {}, port {}: leads nowhere on a mesh but is "
                        "given something to send",
                        fields.place(), walk.node(), port_name(port)));
      }
      program.set_code(walk.node(), port, code);
    }
  }
  return program;
}

struct ProgramWriter {
  DocumentWriter& out;
  void operator()(const StreamProgram& program) const { write_stream(program, out); }
  void operator()(const QueuedProgram& program) const { write_queued(program, out); }
  void operator()(const DynamicProgram& program) const { write_dynamic(program, out); }
};

}  // namespace

void write_program(const Program& program, DocumentWriter& out) {
  std::visit(ProgramWriter{out}, program);
}

Program read_program(Fields fields, const Topology& topology, const Document& document) {
  const std::string discipline = fields.string("discipline");
  static const NumberTable kNoTable;
  const auto found = document.tables.find(std::string(kProgramTable));
  const NumberTable& table = found == document.tables.end() ? kNoTable : found->second;
  if (found != document.tables.end()) (void)fields.any(kProgramTable);
  if (discipline == "queued") {
    const auto moves = document.tables.find(std::string(kMovesTable));
    if (moves != document.tables.end()) (void)fields.any(kMovesTable);
    QueuedProgram program = read_queued(fields, topology, table,
                                        moves == document.tables.end() ? kNoTable : moves->second);
    fields.done();
    return program;
  }
  if (discipline == "dynamic") {
    DynamicProgram program = read_dynamic(fields, topology);
    fields.done();
    return program;
  }
  if (discipline != "stream") {
    throw InputError(
        fmt::format("{}: discipline: \"{}\" is unknown", fields.place(), discipline.substr(0, 40)));
  }
  StreamProgram program = read_stream(fields, topology, table);
  fields.done();
  return program;
}

}  // namespace gossamer
