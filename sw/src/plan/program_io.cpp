// SPDX-License-Identifier: Apache-2.0
#include "program_io.hpp"

#include "../machines/timetable/document.hpp"
#include "gossamer/util/overloaded.hpp"

namespace gossamer {

namespace {

/// Store-and-forward programs number packets as an all-gather does.
void check_all_gather(const Demand& demand, std::uint32_t packets_per_node,
                      const std::string& place) {
  if (demand == Demand::all_gather(packets_per_node)) return;
  if (demand == Demand::all_gather(demand.pieces)) {
    throw InputError(fmt::format("{}: packets_per_node: {}, but the demand has {} pieces a node",
                                 place, packets_per_node, demand.pieces));
  }
  throw InputError(
      fmt::format("{}: its packets go from every node to every node, which is not what the demand "
                  "asks for",
                  place));
}

/// Streams from a root: every out-port passes on one stream, which the root alone begins.
void check_broadcast(const StreamProgram& program, const Demand& demand, const std::string& place) {
  if (program.packets_per_node() != demand.pieces) {
    throw InputError(fmt::format("{}: packets_per_node: {}, but the demand has {} pieces", place,
                                 program.packets_per_node(), demand.pieces));
  }
  if (program.elastic) {
    throw InputError(fmt::format("{}: elastic: not for the packets of one root", place));
  }
  if (program.frame() != 1) {
    throw InputError(fmt::format("{}: frame: not for the packets of one root", place));
  }
  for (const PortProgram& entry : program.dictionary()) {
    if (entry.switch_step == 0 && entry.feed.size() + (entry.preload.empty() ? 0 : 1) <= 1)
      continue;
    throw InputError(fmt::format(
        "{}: ports: in a broadcast an out-port has one feed for good, or own packets", place));
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

/// Who passes a sum on adds to it, and who owns a block of a reduce-scatter is alive.
void check_cores(const Topology& topology, const Demand& demand, const std::string& place) {
  const bool all_live = topology.live_nodes() == topology.nodes();
  if (topology.faults().dead_cores.empty() && (all_live || demand.to == Destination::kEveryNode)) {
    return;
  }
  throw InputError(fmt::format(
      "{}: combine: sums go round dead links, those of all nodes for all nodes also round dead "
      "nodes; not round dead cores",
      place));
}

/// On an elastic ring every node has something of its own to begin with. An elastic link takes its
/// ready from the one back: flits go where both are alive.
void check_elastic_nodes(const Topology& topology, const StreamProgram& program,
                         const std::string& place) {
  const bool all_live = topology.live_nodes() == topology.nodes();
  if (!topology.faults().dead_cores.empty() || (!all_live && program.combine)) {
    throw InputError(
        fmt::format("{}: elastic: not round dead cores, and sums not round dead nodes", place));
  }
  if (topology.is_healthy()) return;
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (const Port port : all_ports(program.ports())) {
      if (program.at(node, port).carries == 0 || topology.sender(node, port) != kNoNode) continue;
      throw InputError(fmt::format(
          "{}: elastic: node {} sends by {}, but the arc back is dead, and with it the wire of "
          "ready",
          place, node, port_name(port)));
    }
  }
}

/// Queued programs know no faults, nor do sums by relays.
void check_healthy(const Topology& topology, const std::string& place) {
  if (topology.is_healthy()) return;
  throw InputError(fmt::format("{}: discipline: no program of this kind goes round faults", place));
}

/// What a combining program can bring about.
void check_combined(const Demand& demand, std::string_view key, std::uint64_t words,
                    const std::string& place) {
  if (!demand.combines() || demand.from != Origin::kEveryNode) {
    throw InputError(fmt::format(
        "{}: it combines the words of all nodes, which is not what the demand asks for", place));
  }
  if (demand.pieces != words) {
    throw InputError(fmt::format("{}: {}: {} words, but the demand has {} pieces", place, key,
                                 words, demand.pieces));
  }
}

}  // namespace

const NumberTable& table_at(const Document& document, const char* path) {
  static const NumberTable kNoTable;
  const auto found = document.tables.find(path);
  return found == document.tables.end() ? kNoTable : found->second;
}

namespace {

/// The machine of a stream program.
std::string_view machine_of(const StreamProgram& program) {
  return program.elastic ? "elastic" : program.combine ? "ring" : "stream";
}

}  // namespace

void write_program(const Program& program, DocumentWriter& out) {
  out.begin_object();
  out.key("machine");
  std::visit(Overloaded{
                 [&out](const StreamProgram& stream) {
                   out.string(machine_of(stream));
                   write_stream_fields(stream, out);
                 },
                 [&out](const RelayProgram& relay) {
                   out.string("relay");
                   write_relay_fields(relay, out);
                 },
                 [&out](const QueuedProgram& queued) {
                   out.string("queued");
                   write_queued_fields(queued, out);
                 },
                 [&out](const TimetableProgram& timetable) {
                   out.string("timetable");
                   write_timetable_fields(timetable, out);
                 },
             },
             program);
  out.end_object();
}

Program read_program(Fields fields, const Topology& topology, const Demand& demand,
                     const Document& document) {
  // Versions 1 and 2 have a discipline, which says less: see machine_of().
  const bool old = !fields.has("machine");
  const std::string machine = fields.string(old ? "discipline" : "machine");
  const auto table_of = [&](std::string_view key, const char* path) -> const NumberTable& {
    const NumberTable& table = table_at(document, path);
    if (document.tables.contains(path)) (void)fields.any(key);
    return table;
  };
  const auto finished = [&fields](auto program) {
    fields.done();
    return Program(std::move(program));
  };
  const auto unknown = [&] {
    throw InputError(fmt::format("{}: {}: {} is unknown", fields.place(),
                                 old ? "discipline" : "machine", shown(machine)));
  };
  const NumberTable& table = table_of(kProgramTable, kProgramTablePath);
  if (machine == "queued") {
    check_healthy(topology, fields.place());
    if (topology.kind() == "grid") {
      throw InputError(
          fmt::format("{}: queued programs are for a torus or a mesh", fields.place()));
    }
    const NumberTable& moves = table_of(kMovesTable, kMovesTablePath);
    if (old && moves.rows != 0) {
      TimetableProgram program = read_moves(fields, topology, demand, moves);
      check_timetable_demand(program, topology, demand, fields.place());
      return finished(std::move(program));
    }
    return finished(read_queued_fields(fields, topology, demand));
  }
  if (machine == "stream" || (!old && (machine == "ring" || machine == "elastic"))) {
    StreamProgram program = read_stream_fields(fields, topology, document);
    if (!old && machine != machine_of(program)) unknown();
    if (program.elastic) check_elastic_nodes(topology, program, fields.place());
    if (program.combine) {
      check_cores(topology, demand, fields.place());
      check_combined(demand, "combine", program.combine->words(), fields.place());
    } else if (demand == Demand::broadcast(demand.root, demand.pieces)) {
      check_healthy(topology, fields.place());
      check_broadcast(program, demand, fields.place());
    } else {
      check_all_gather(demand, program.packets_per_node(), fields.place());
    }
    return finished(std::move(program));
  }
  if (machine == "timetable" || (old && (machine == "schedule" || machine == "trees"))) {
    const auto read = [&] {
      if (machine == "schedule") {
        return read_schedule(fields, topology, demand, table,
                             table_of(kClassesTable, kClassesTablePath));
      }
      if (machine == "trees") return read_trees(fields, topology, demand, table);
      if (old) return read_rows(fields, topology, table);
      return read_timetable_fields(fields, topology, table,
                                   table_of(kClassesTable, kClassesTablePath));
    };
    TimetableProgram program = read();
    check_timetable_demand(program, topology, demand, fields.place());
    return finished(std::move(program));
  }
  if (machine == "relay") {
    const bool reduction =
        demand.to != Destination::kOwner &&
        demand == Demand::combined(demand.to, demand.operation, 1, demand.root) &&
        demand.combines();
    if (reduction) check_healthy(topology, fields.place());
    if (!reduction && demand != Demand::broadcast(demand.root)) {
      throw InputError(fmt::format(
          "{}: it takes one message from a root to every node, or combines one of every "
          "node, which is not what the demand asks for",
          fields.place()));
    }
    return finished(read_relay_fields(fields, topology, demand, table));
  }
  unknown();
  throw std::logic_error("an unknown machine is refused");
}

}  // namespace gossamer
