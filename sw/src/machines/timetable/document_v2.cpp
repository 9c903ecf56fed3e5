// SPDX-License-Identifier: Apache-2.0
/// Timetables in plan documents of versions 1 and 2, which had four notations of them.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "document.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/machines/timetable/trees.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::int64_t kLastStep = 0x7fffffff;

/// A number of a table, or an InputError that names its place and the range.
std::uint32_t entry(const NumberTable& table, std::size_t row, std::size_t column,
                    std::string_view name, std::int64_t least, std::int64_t most,
                    const std::string& place) {
  const std::int64_t value = table.values[row * table.row_length + column];
  if (value < least || value > most) {
    throw InputError(fmt::format("{}: table: row {}: {} {} is outside {}..{}", place, row, name,
                                 value, least, most));
  }
  return static_cast<std::uint32_t>(value);
}

void check_columns(const NumberTable& table, std::size_t columns, const std::string& place) {
  if (table.rows == 0 || table.row_length == columns) return;
  throw InputError(
      fmt::format("{}: table: rows of {} entries, {} expected", place, table.row_length, columns));
}

void check_neighbor(const Topology& topology, NodeId node, Port port, const std::string& place) {
  if (topology.neighbor(node, port) != kNoNode) return;
  throw InputError(fmt::format("{}: table: node {} sends by port {}, which has no live link", place,
                               node, port_name(port)));
}

TimetableProgram read_schedule(Fields& fields, const Topology& topology, const Demand& demand,
                               const NumberTable& table, const NumberTable& classes) {
  const std::string& place = fields.place();
  const auto own = fields.number<std::uint32_t>("packets_per_node", 1, kMaxTimetableSlots);
  const auto slots = fields.number<std::uint32_t>("slots", 1, kMaxTimetableSlots);
  const auto ports = static_cast<std::size_t>(topology.ports());
  if (fields.has("elastic")) {
    throw InputError(
        fmt::format("{}: elastic: elastic schedules are not supported any more; plan "
                    "an elastic ring by --algorithm hamiltonian --elastic",
                    place));
  }
  if (!topology.routers_are_alike() && classes.rows == 0) {
    throw InputError(
        fmt::format("{}: discipline: one ROM for all routers runs on a healthy torus "
                    "only, not on a {}{}",
                    place, topology.is_healthy() ? "" : "damaged ", topology.kind()));
  }
  check_columns(table, 2 * ports, place);
  std::vector<std::uint32_t> rom_of;
  std::uint32_t roms = 1;
  if (classes.rows != 0) {
    if (classes.rows != topology.nodes() || classes.row_length != 1) {
      throw InputError(fmt::format("{}: classes: {} rows of {} for {} nodes, one number each",
                                   place, classes.rows, classes.row_length, topology.nodes()));
    }
    for (std::size_t node = 0; node < classes.rows; ++node) {
      rom_of.push_back(
          entry(classes, node, 0, "class", 0, std::int64_t{topology.nodes()} - 1, place));
      roms = std::max(roms, rom_of.back() + 1);
    }
    if (table.rows % roms != 0) {
      throw InputError(
          fmt::format("{}: table: {} rows for {} ROMs of one length", place, table.rows, roms));
    }
  }
  const bool personal = demand.is_personal();
  TimetableProgram program(topology.nodes(), topology.ports(), own,
                           personal ? DeliveryRule::kUnstored : DeliveryRule::kAll);
  program.relative = personal;
  const std::size_t steps = table.rows / roms;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; number < roms; ++number) {
    TimetableRom rom;
    for (std::size_t step = 0; step < steps; ++step) {
      const std::size_t row = number * steps + step;
      const auto time = static_cast<std::uint32_t>(step + 1);
      for (std::size_t p = 0; p < ports; ++p) {
        const auto port = static_cast<Port>(p);
        const std::uint32_t code =
            entry(table, row, p, "source", 0, std::int64_t{own} + slots, place);
        const WordSource source =
            code <= own ? WordSource::own(code - 1) : WordSource::slot(code - 1 - own);
        if (code != 0) rom.sends.push_back({time, 1, source, port});
        const std::uint32_t slot = entry(table, row, ports + p, "slot", 0, slots, place);
        if (slot != 0) rom.arrivals.push_back({time, 1, {}, slot - 1, port, false});
      }
    }
    numbers.push_back(program.intern(std::move(rom)));
  }
  for (NodeId node = 0; node < rom_of.size(); ++node) program.assign(node, numbers[rom_of[node]]);
  check_links(program, topology, place);
  return program;
}

TimetableProgram read_rows(Fields& fields, const Topology& topology, const NumberTable& table) {
  constexpr std::size_t kColumns = 7;
  constexpr std::uint32_t kAddsBit = 1;
  constexpr std::uint32_t kHandsOverBit = 2;
  const std::string& place = fields.place();
  const bool one_rom = fields.flag("one_rom");
  const auto own = fields.number<std::uint32_t>("packets_per_node", 1, kMaxTimetableSlots);
  const auto slots = fields.number<std::uint32_t>("slots", own, kMaxTimetableSlots);
  if (one_rom && (!topology.routers_are_alike() || own % topology.nodes() != 0)) {
    throw InputError(
        fmt::format("{}: one_rom: all nodes do the same on a healthy torus only, with "
                    "as many words for each of its {} nodes",
                    place, topology.nodes()));
  }
  check_columns(table, kColumns, place);
  const NodeId nodes = one_rom ? 1 : topology.nodes();
  // A held word is a slot of a node, as the document has it.
  TimetableBuilder builder(nodes, std::uint64_t{nodes} * slots);
  for (NodeId node = 0; node < nodes; ++node) {
    for (std::uint32_t c = 0; c < own; ++c) {
      builder.start_with(std::uint64_t{node} * slots + c, c);
    }
  }
  std::vector<TimetableMove> moves;
  std::tuple<std::uint32_t, NodeId, Port> last;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const auto number = [&](std::size_t column, std::string_view name, std::int64_t least,
                            std::int64_t most) {
      return entry(table, row, column, name, least, most, place);
    };
    TimetableMove move;
    move.step = number(0, "step", 1, kLastStep);
    const NodeId from = number(1, "from", 0, std::int64_t{nodes} - 1);
    move.out_port = static_cast<Port>(number(2, "out-port", 0, topology.ports() - 1));
    check_neighbor(topology, from, move.out_port, place);
    const NodeId to = one_rom ? 0 : topology.neighbor(from, move.out_port);
    move.from_rom = from;
    move.to_rom = to;
    move.from = std::uint64_t{from} * slots + number(4, "read", 0, std::int64_t{slots} - 1);
    if (table.values[row * kColumns + 5] != -1) {
      move.to = std::uint64_t{to} * slots + number(5, "write", -1, std::int64_t{slots} - 1);
    }
    const std::uint32_t mode = number(6, "mode", 0, kAddsBit | kHandsOverBit);
    move.combines = (mode & kAddsBit) != 0;
    move.delivers = (mode & kHandsOverBit) != 0;
    const std::tuple key(move.step, from, move.out_port);
    if (row > 0 && key <= last) {
      throw InputError(fmt::format(
          "{}: table: row {}: step, node and port do not ascend; a link carries one word per step",
          place, row));
    }
    last = key;
    if (move.to == TimetableMove::kNowhere && (move.combines || !move.delivers)) {
      throw InputError(
          fmt::format("{}: table: row {}: the arrival goes to no slot and is not delivered either",
                      place, row));
    }
    moves.push_back(move);
  }
  // Here the stores of a step came before the additions: the lowest in-port stores for all of them.
  std::stable_sort(moves.begin(), moves.end(), [](const TimetableMove& a, const TimetableMove& b) {
    return std::make_tuple(a.step, a.to, opposite(a.out_port)) <
           std::make_tuple(b.step, b.to, opposite(b.out_port));
  });
  for (auto first = moves.begin(); first != moves.end();) {
    const auto end = std::find_if(first, moves.end(), [&](const TimetableMove& move) {
      return move.step != first->step || move.to != first->to;
    });
    const auto store =
        std::find_if(first, end, [](const TimetableMove& move) { return !move.combines; });
    if (store != end) std::swap(first->combines, store->combines);
    first = end;
  }
  for (const TimetableMove& move : moves) builder.add(move);
  TimetableProgram program = builder.program(topology, own, DeliveryRule::kMarked, true);
  program.relative = one_rom;
  return program;
}

TimetableProgram read_trees(Fields& fields, const Topology& topology, const Demand& demand,
                            const NumberTable& table) {
  constexpr std::int64_t kMostFrame = 255;
  constexpr std::int64_t kMostStreams = 1024;
  const std::string& place = fields.place();
  const auto frame = fields.number<std::uint32_t>("frame", 1, kMostFrame);
  const auto streams = fields.number<std::uint32_t>("streams", 1, kMostStreams);
  const auto words = fields.number<std::uint64_t>("words", 1, kLastStep);
  if (demand.pieces != words) {
    throw InputError(fmt::format("{}: words: {} words, but the demand has {} pieces", place, words,
                                 demand.pieces));
  }
  if (table.rows != topology.nodes() || table.row_length != streams * std::size_t{3}) {
    throw InputError(fmt::format(
        "{}: table: {} rows of {} entries are expected: port, up and down of each stream", place,
        topology.nodes(), streams * 3));
  }
  PackedTrees trees(topology.nodes(), frame, streams, words);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::uint32_t stream = 0; stream < streams; ++stream) {
      const std::size_t first = stream * std::size_t{3};
      const bool root = table.values[node * table.row_length + first] == -1;
      TreePlace at;
      at.parent = root ? kTreeRoot
                       : static_cast<Port>(
                             entry(table, node, first, "port", 0, topology.ports() - 1, place));
      const std::int64_t least = topology.is_live(node) ? 1 : 0;
      at.up = entry(table, node, first + 1, "step up", least, least == 0 ? 0 : kLastStep, place);
      at.down = entry(table, node, first + 2, "step down", 0, least == 0 ? 0 : kLastStep, place);
      if (at.up != 0 && !topology.has_core(node)) {
        throw InputError(fmt::format("{}: table: node {}: its core is dead, and has nothing to add",
                                     place, node));
      }
      if (!root) check_neighbor(topology, node, at.parent, place);
      if (!root && at.down != 0 && topology.sender(node, at.parent) == kNoNode) {
        throw InputError(fmt::format("{}: table: node {}: no totals come from {}, which is dead",
                                     place, node, port_name(at.parent)));
      }
      trees.at(node, stream) = at;
    }
  }
  return timetable_of_trees(topology, trees);
}

TimetableProgram read_moves(Fields& fields, const Topology& topology, const Demand& demand,
                            const NumberTable& moves) {
  constexpr std::size_t kColumns = 5;
  const std::string& place = fields.place();
  const auto flits = fields.number<std::uint32_t>("flits", 1, kMaxTimetableFlits);
  // Keys of queued programs that are irrelevant for moves.
  for (const char* key : {"class_rule", "classes", "halves", "rule", "prefix_flits", "phases"}) {
    (void)fields.any(key);
  }
  check_columns(moves, kColumns, place);
  std::map<std::pair<NodeId, NodeId>, std::uint64_t> held;
  const auto own = static_cast<std::uint32_t>(demand.sources.size());
  TimetableBuilder builder(topology.nodes(),
                           std::uint64_t{topology.nodes()} * own + moves.rows + 1);
  std::uint64_t next = 0;
  std::map<std::uint64_t, NodeId> at;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::uint32_t i = 0; i < own; ++i) {
      if (demand.sources[i].node == node) continue;
      builder.start_with(next, i);
      at[next] = node;
      held[{node, demand.sources[i].node}] = next++;
    }
  }
  std::tuple<std::uint32_t, NodeId, Port> last;
  for (std::size_t row = 0; row < moves.rows; ++row) {
    const auto number = [&](std::size_t column, std::string_view name, std::int64_t least,
                            std::int64_t most) {
      return entry(moves, row, column, name, least, most, place);
    };
    const std::int64_t last_node = std::int64_t{topology.nodes()} - 1;
    TimetableMove move;
    move.step = number(0, "step", 1, kLastStep);
    const NodeId from = number(1, "from", 0, last_node);
    move.out_port = static_cast<Port>(number(2, "port", 0, topology.ports() - 1));
    const std::pair packet(number(3, "origin", 0, last_node),
                           number(4, "destination", 0, last_node));
    check_neighbor(topology, from, move.out_port, place);
    const std::tuple key(move.step, from, move.out_port);
    const auto found = held.find(packet);
    if ((row > 0 && key <= last) || found == held.end() || at[found->second] != from) {
      throw InputError(fmt::format("{}: moves: row {}: {}", place, row,
                                   row > 0 && key <= last ? "step, node and port do not ascend"
                                                          : "the node does not hold the packet"));
    }
    last = key;
    const NodeId to = topology.neighbor(from, move.out_port);
    move.from_rom = from;
    move.to_rom = to;
    move.from = found->second;
    move.delivers = to == packet.second;
    if (!move.delivers) {
      move.to = found->second = next;
      at[next++] = to;
    } else {
      at[found->second] = kNoNode;
    }
    builder.add(move);
  }
  TimetableProgram program = builder.program(topology, own, DeliveryRule::kMarked, true);
  program.flits = flits;
  return program;
}

}  // namespace

bool is_older_timetable(std::string_view discipline, const Document& document) {
  return discipline == "schedule" || discipline == "timetable" || discipline == "trees" ||
         (discipline == "queued" && document.tables.contains(std::string(kMovesTablePath)) &&
          document.tables.at(std::string(kMovesTablePath)).rows != 0);
}

TimetableProgram read_older_timetable(ProgramSource& source) {
  const NumberTable& table = source.table(kProgramTablePath);
  Fields& fields = source.fields;
  if (source.discipline == "schedule") {
    return read_schedule(fields, source.topology, source.demand, table,
                         source.table(kClassesTablePath));
  }
  if (source.discipline == "trees") {
    return read_trees(fields, source.topology, source.demand, table);
  }
  if (source.discipline == "queued") {
    return read_moves(fields, source.topology, source.demand, source.table(kMovesTablePath));
  }
  return read_rows(fields, source.topology, table);
}

void upgrade_timetable(Document& document) {
  using json = nlohmann::ordered_json;
  const json& told = document.root.at("program");
  const bool moves = told.at("discipline") == "queued";
  json demand = {{"from", "every"},
                 {"to", moves ? "each-source" : "every"},
                 {"operation", "copy"},
                 {"pieces", moves ? json(1) : told.value("packets_per_node", json())}};
  // `told` is elsewhere from here on: a member that the root gets moves all others.
  document.root["demand"] = std::move(demand);
  if (!moves) return;
  // A gather: the nodes that gather stood in the program.
  document.root["demand"]["sources"] = nullptr;
  if (auto table = document.tables.extract(std::string(kProgramTablePath)); !table.empty()) {
    table.key() = "demand/sources";
    document.tables.insert(std::move(table));
  }
  for (const char* key : {"table", "goal", "packets_per_node"}) {
    document.root["program"].erase(key);
  }
}

}  // namespace gossamer
