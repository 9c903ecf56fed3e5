// SPDX-License-Identifier: Apache-2.0
#include "program_io.hpp"

#include <fmt/format.h>

#include <array>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

using nlohmann::json;

/// The largest buffer of a scheduled router that a plan may ask for.
constexpr std::int64_t kMaxSlots = 65535;

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

// --- schedule -----------------------------------------------------------------------------------

void write_schedule(const ScheduleProgram& program, DocumentWriter& out) {
  out.begin_object();
  out.key("discipline");
  out.string("schedule");
  out.key("packets_per_node");
  out.number(program.packets_per_node());
  out.key("slots");
  out.number(program.slots());
  out.key(kProgramTable);
  out.begin_array();
  std::array<std::int32_t, 2 * kMaxPorts> row{};
  const auto ports = static_cast<std::size_t>(program.ports());
  for (std::uint64_t step = 1; step <= program.steps(); ++step) {
    for (std::size_t p = 0; p < ports; ++p) {
      const auto port = static_cast<Port>(p);
      row[p] = static_cast<std::int32_t>(program.source_code(step, port));
      row[ports + p] = static_cast<std::int32_t>(program.store_code(step, port));
    }
    out.row(std::span(row).first(2 * ports));
  }
  out.end_array();
  out.end_object();
}

ScheduleProgram read_schedule(Fields& fields, const Topology& topology, const NumberTable& table) {
  const auto k =
      static_cast<std::uint32_t>(fields.number("packets_per_node", 1, kMaxPacketsPerNode));
  const auto slots = static_cast<std::uint32_t>(fields.number("slots", 1, kMaxSlots));
  const auto ports = static_cast<std::size_t>(topology.ports());
  if (!topology.is_torus()) {
    throw InputError(fmt::format("{}: discipline: a schedule runs on a torus only, not on a mesh",
                                 fields.place()));
  }
  if (table.rows != 0 && table.row_length != 2 * ports) {
    throw InputError(fmt::format("{}: table: rows of {} entries for routers of {} ports, {} needed",
                                 fields.place(), table.row_length, ports, 2 * ports));
  }
  ScheduleProgram program(topology.ports(), k, slots, table.rows);
  auto value = table.values.begin();
  for (std::uint64_t step = 1; step <= program.steps(); ++step) {
    for (std::size_t i = 0; i < 2 * ports; ++i, ++value) {
      const bool store = i >= ports;
      const auto port = static_cast<Port>(store ? i - ports : i);
      const std::uint32_t largest = store ? slots : k + slots;
      if (*value < 0 || static_cast<std::uint32_t>(*value) > largest) {
        throw InputError(fmt::format("{}: table: step {}, {}-port {}: {} is outside 0..{}",
                                     fields.place(), step, store ? "in" : "out", port_name(port),
                                     *value, largest));
      }
      const auto code = static_cast<std::uint32_t>(*value);
      if (store) {
        program.set_store_code(step, port, code);
      } else {
        program.set_source_code(step, port, code);
      }
    }
  }
  return program;
}

struct ProgramWriter {
  DocumentWriter& out;
  void operator()(const StreamProgram& program) const { write_stream(program, out); }
  void operator()(const ScheduleProgram& program) const { write_schedule(program, out); }
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
  const auto read = [&]() -> Program {
    if (discipline == "stream") return read_stream(fields, topology, table);
    if (discipline == "schedule") return read_schedule(fields, topology, table);
    throw InputError(
        fmt::format("{}: discipline: \"{}\" is unknown", fields.place(), discipline.substr(0, 40)));
  };
  Program program = read();
  fields.done();
  return program;
}

}  // namespace gossamer
