// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "gossamer/plan/step_pipeline.hpp"

namespace gossamer {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMaxClockFigure = std::int64_t{1} << 30;

constexpr auto kPortsNames = std::to_array<std::string_view>({"one-port", "duplex", "fan-out"});
std::string_view ports_name(RelayPorts ports) {
  return kPortsNames[static_cast<std::size_t>(ports)];
}

/// One of two words.
bool read_choice(Fields& fields, std::string_view key, std::string_view no, std::string_view yes) {
  const std::string word = fields.string(key);
  if (word != no && word != yes) {
    throw InputError(
        fmt::format("{}: {}: {} is neither {} nor {}", fields.place(), key, shown(word), no, yes));
  }
  return word == yes;
}

DimensionOrder read_dimensions(const Json& value, const std::string& place, std::int64_t max) {
  DimensionOrder result{};
  if (!value.is_array() || value.size() != result.size()) {
    throw InputError(fmt::format("{}: an array of {} numbers is expected", place, result.size()));
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<std::uint8_t>(checked_number(value[i], place, 0, max));
  }
  return result;
}

EyeRule read_rule(Fields fields, int dimensions) {
  constexpr std::int64_t kMaxLevel = 15;
  EyeRule rule;
  rule.levels = read_dimensions(fields.any("levels"), fields.place() + ": levels", kMaxLevel);
  if (std::any_of(rule.levels.begin() + dimensions, rule.levels.end(),
                  [](std::uint8_t level) { return level != 0; })) {
    throw InputError(fmt::format("{}: levels: the network has {} dimension{}", fields.place(),
                                 dimensions, dimensions == 1 ? "" : "s"));
  }
  rule.side_bits = fields.number<std::uint8_t>("side_bits", 0, (std::int64_t{1} << dimensions) - 1);
  for (const Json& order : fields.array("source_orders")) {
    rule.source_orders.push_back(
        read_dimensions(order, fields.place() + ": source_orders", kMaxDimensions - 1));
  }
  fields.done();
  return rule;
}

/// No stretch wraps around a ring to its start: headers have no bits for more hops.
RelayPath read_path(const Json& value, const std::string& place, const Topology& topology) {
  if (!value.is_array() || value.empty()) {
    throw InputError(fmt::format("{}: a list of stretches is expected", place));
  }
  RelayPath path;
  for (const Json& item : value) {
    Fields fields(item, place);
    const std::string name = fields.string("port");
    const auto port = port_from_name(name, topology.dimensions());
    if (!port) {
      throw InputError(fmt::format("{}: there is no port {}", place, shown(name)));
    }
    const std::int64_t most = std::max(1U, topology.side(dimension_of(*port)) - 1);
    path.push_back({*port, fields.number<std::uint16_t>("hops", 1, most)});
    fields.done();
  }
  return path;
}

}  // namespace

void write_relay(const RelayProgram& program, DocumentWriter& out) {
  out.string("ports", ports_name(program.ports));
  out.string("timing", program.clock.timing == MessageTiming::kSelf ? "self" : "step");
  out.number("flits", program.clock.flits);
  out.number("hop_cycles", program.clock.hop_cycles);
  out.number("relay_cycles", program.clock.relay_cycles);
  if (program.adding_steps != 0) out.number("adding_steps", program.adding_steps);
  if (program.adder_cycles != 0) out.number("adder_cycles", program.adder_cycles);
  out.key("rule");
  if (program.rule) {
    out.begin_object();
    out.list("levels", program.rule->levels);
    out.number("side_bits", program.rule->side_bits);
    out.begin_array("source_orders");
    for (const DimensionOrder& order : program.rule->source_orders) out.list(order);
    out.end_array();
    out.end_object();
  } else {
    out.null();
  }
  out.begin_array("paths");
  for (const RelayPath& path : program.paths()) {
    out.begin_array();
    for (const RelaySegment& stretch : path) {
      out.begin_object();
      out.string("port", port_name(stretch.port));
      out.number("hops", stretch.hops);
      out.end_object();
    }
    out.end_array();
  }
  out.end_array();
  out.begin_array(kProgramTable);
  for (std::uint32_t step = 1; step <= program.steps(); ++step) {
    for (const RelaySend& send : program.sends(step)) {
      const std::array<std::int32_t, 3> row{static_cast<std::int32_t>(step),
                                            static_cast<std::int32_t>(send.from),
                                            static_cast<std::int32_t>(send.path)};
      out.row(row);
    }
  }
  out.end_array();
}

RelayProgram read_relay(ProgramSource& source) {
  Fields& fields = source.fields;
  const Topology& topology = source.topology;
  const Demand& demand = source.demand;
  const NumberTable& table = source.table(kProgramTablePath);
  check_relay(topology, demand, source.place());
  const std::int64_t last_node = std::int64_t{topology.nodes()} - 1;
  const NodeId root = demand.root;
  RelayProgram program(root);
  program.ports = read_name<RelayPorts>(fields, "ports", kPortsNames);
  program.clock.timing =
      read_choice(fields, "timing", "step", "self") ? MessageTiming::kSelf : MessageTiming::kStep;
  program.clock.flits = fields.number<std::uint32_t>("flits", 1, kMaxClockFigure);
  program.clock.hop_cycles = fields.number<std::uint32_t>("hop_cycles", 1, kMaxClockFigure);
  program.clock.relay_cycles = fields.number<std::uint32_t>("relay_cycles", 0, kMaxClockFigure);
  if (demand.combines()) {
    program.adding_steps = fields.number<std::uint32_t>("adding_steps", 1, kMaxClockFigure);
    if (fields.has("adder_cycles")) {
      program.adder_cycles = fields.number<std::uint32_t>("adder_cycles", 0, kMaxAdderCycles);
    }
    if (program.ports == RelayPorts::kFanOut || program.clock.timing == MessageTiming::kSelf) {
      throw InputError(fmt::format(
          "{}: sums are relayed by one-port or duplex nodes with the timing step", fields.place()));
    }
  } else if (program.ports == RelayPorts::kDuplex) {
    throw InputError(fmt::format("{}: ports: duplex is for reductions only", fields.place()));
  }
  if (!fields.any("rule").is_null())
    program.rule = read_rule(fields.object("rule"), topology.dimensions());
  if (program.rule && demand.combines()) {
    throw InputError(fmt::format("{}: rule: is for broadcasts only", fields.place()));
  }
  std::vector<std::uint32_t> paths;
  for (const Json& item : fields.array("paths")) {
    paths.push_back(program.intern(
        read_path(item, fmt::format("{}: paths[{}]", fields.place(), paths.size()), topology)));
  }
  if (table.rows != 0 && table.row_length != 3) {
    throw InputError(fmt::format("{}: table: rows of {} entries, 3 expected: step, from, path",
                                 fields.place(), table.row_length));
  }
  // Empty steps are not part of a plan.
  std::int32_t step = 1;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const std::int32_t* value = table.values.data() + 3 * row;
    const auto refuse = [&](const std::string& cause) {
      throw InputError(fmt::format("{}: table: row {}: {}", fields.place(), row, cause));
    };
    if (value[0] != step && value[0] != step + 1) {
      refuse(fmt::format("step {} after step {}", value[0], step));
    }
    if (value[0] > step) {
      if (row == 0) refuse("the first step is 1");
      program.end_step();
      step = value[0];
    }
    if (value[1] < 0 || value[1] > last_node) {
      refuse(fmt::format("node {} is outside 0..{}", value[1], last_node));
    }
    if (step == 1 && !demand.combines() && static_cast<NodeId>(value[1]) != root) {
      refuse(fmt::format("node {} sends in the first step, but the demand's root is {}", value[1],
                         root));
    }
    if (value[2] < 0 || static_cast<std::size_t>(value[2]) >= paths.size()) {
      refuse(fmt::format("path {} is outside 0..{}", value[2],
                         static_cast<std::int64_t>(paths.size()) - 1));
    }
    program.add_send(static_cast<NodeId>(value[1]), paths[static_cast<std::size_t>(value[2])]);
  }
  if (table.rows != 0) program.end_step();
  return program;
}

void check_relay(const Topology& topology, const Demand& demand, const std::string& place) {
  if (demand == Demand::broadcast(demand.root)) return;
  if (!demand.combines() || demand.to == Destination::kOwner ||
      demand != Demand::combined(demand.to, demand.combining(), 1, demand.root)) {
    throw InputError(
        fmt::format("{}: the program sends one message from a root to every node, or combines one "
                    "message of each node, unlike the demand",
                    place));
  }
  if (!topology.is_healthy()) {
    throw InputError(
        fmt::format("{}: machine: programs of this kind do not support faults", place));
  }
}

void upgrade_relay(Document& document) {
  Json& program = document.root["program"];
  document.root["demand"] = {{"from", "root"},
                             {"to", "every"},
                             {"operation", "copy"},
                             {"pieces", 1},
                             {"root", program.value("source", Json())}};
  document.root["program"].erase("source");
}

}  // namespace gossamer
