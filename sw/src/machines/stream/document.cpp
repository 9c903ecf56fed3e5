// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/port_table_io.hpp"

namespace gossamer {

namespace {

using Json = nlohmann::ordered_json;

StreamPort read_port(Fields& fields, const PortTableShape& shape) {
  StreamPort entry;
  entry.feed = read_port_set(fields, "feed", shape);
  if (fields.has("switch_step") || fields.has("early_feed")) {
    entry.early_feed = read_port_set(fields, "early_feed", shape);
    entry.switch_step = fields.number<std::uint32_t>("switch_step", 1, std::int64_t{1} << 31);
  }
  entry.preload = read_preload(fields, shape);
  return entry;
}

/// From a root: every output port forwards one stream, which only the root begins.
void check_broadcast(const StreamProgram& program, const Demand& demand, const std::string& place) {
  if (program.packets_per_node() != demand.pieces) {
    throw InputError(fmt::format("{}: packets_per_node: {}, but the demand has {} pieces", place,
                                 program.packets_per_node(), demand.pieces));
  }
  if (program.frame() != 1) {
    throw InputError(fmt::format("{}: frame: is not supported for packets of one root", place));
  }
  for (const StreamPort& entry : program.dictionary()) {
    if (entry.switch_step == 0 && entry.feed.size() + (entry.preload.empty() ? 0 : 1) <= 1)
      continue;
    throw InputError(fmt::format(
        "{}: ports: in a broadcast an output port has one permanent feed, or own packets", place));
  }
  for (NodeId node = 0; node < program.nodes(); ++node) {
    if (node == demand.root) continue;
    for (const Port port : all_ports(program.ports())) {
      if (program.at(node, port).preload.empty()) continue;
      throw InputError(fmt::format("{}: table: node {} has own packets, but the root is node {}",
                                   place, node, demand.root));
    }
  }
}

}  // namespace

StreamProgram read_stream(ProgramSource& source) {
  const PortTableShape shape = read_shape(source, true);
  StreamProgram program(source.topology.nodes(), shape.columns(), shape.packets_per_node,
                        shape.frame);
  read_port_table(source, shape, program, read_port);
  return program;
}

void write_stream(const StreamProgram& program, DocumentWriter& out) {
  const std::uint32_t frame = program.frame();
  write_shape({.frame = frame, .packets_per_node = program.packets_per_node()}, out);
  write_port_entries(
      program,
      [frame](const StreamPort& entry, DocumentWriter& to) {
        write_port_set("feed", entry.feed, frame, to);
        if (entry.switch_step != 0) {
          write_port_set("early_feed", entry.early_feed, frame, to);
          to.number("switch_step", entry.switch_step);
        }
        to.list("preload", entry.preload);
      },
      out);
  write_port_numbers(program, out);
}

void check_stream(const StreamProgram& program, const Topology& topology, const Demand& demand,
                  const std::string& place) {
  if (demand == Demand::broadcast(demand.root, demand.pieces)) {
    if (!topology.is_healthy()) {
      throw InputError(
          fmt::format("{}: machine: programs of this kind do not support faults", place));
    }
    check_broadcast(program, demand, place);
    return;
  }
  if (demand == Demand::all_gather(program.packets_per_node())) return;
  if (demand == Demand::all_gather(demand.pieces)) {
    throw InputError(fmt::format("{}: packets_per_node: {}, but the demand has {} pieces per node",
                                 place, program.packets_per_node(), demand.pieces));
  }
  throw InputError(fmt::format(
      "{}: the program sends packets from every node to every node, unlike the demand", place));
}

void upgrade_stream(Document& document) {
  Json& program = document.root["program"];
  program["discipline"] = "stream";
  document.root["demand"] = {{"from", "every"},
                             {"to", "every"},
                             {"operation", "copy"},
                             {"pieces", program.value("packets_per_node", Json())}};
}

}  // namespace gossamer
