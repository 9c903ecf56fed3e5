// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "gossamer/partial/dynamic_broadcast.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/util/error.hpp"
#include "program_io.hpp"

namespace gossamer {

namespace {

using nlohmann::json;

constexpr std::int64_t kMaxStep = std::int64_t{1} << 40;
constexpr std::size_t kMaxPhases = 4096;

/// The enumerator whose name stands at `key`.
template <typename Enum, typename Name>
Enum read_name(Fields& fields, std::string_view key, int count, Name name) {
  const std::string text = fields.string(key);
  for (int i = 0; i < count; ++i) {
    if (name(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
  }
  throw InputError(
      fmt::format("{}: {}: \"{}\" is unknown", fields.place(), key, text.substr(0, 40)));
}

std::string_view rule_name(ExchangeRule rule) {
  return rule == ExchangeRule::kPaper ? "paper" : "balanced";
}

std::string_view interval_name(IntervalRule rule) {
  return rule == IntervalRule::kBound ? "bound" : "exact";
}

bool read_flag(Fields& fields, std::string_view key) {
  if (!fields.has(key)) return false;
  const json& value = fields.any(key);
  if (!value.is_boolean()) {
    throw InputError(fmt::format("{}: {}: true or false is expected", fields.place(), key));
  }
  return value.get<bool>();
}

void write_phase(const QueuedPhase& phase, DocumentWriter& out) {
  out.begin_object();
  out.key("kind");
  out.string(phase_kind_name(phase.kind));
  out.key("class");
  out.number(phase.class_index);
  out.key("dimension");
  out.number(phase.dimension);
  out.key("start");
  out.number(static_cast<std::int64_t>(phase.start));
  out.key("length");
  out.number(static_cast<std::int64_t>(phase.length));
  if (phase.kind == QueuedPhaseKind::kBroadcast) {
    out.key("hops");
    const std::array<std::int32_t, 2> hops = {static_cast<std::int32_t>(phase.hops_minus),
                                              static_cast<std::int32_t>(phase.hops_plus)};
    out.row(hops);
  }
  const auto flag = [&out](std::string_view name, bool value) {
    if (!value) return;
    out.key(name);
    out.boolean(true);
  };
  flag("class_round", phase.class_round);
  flag("alternate", phase.alternate);
  flag("wrap", phase.wrap);
  out.end_object();
}

/// True when the goal's program may hold such a phase.
bool fits(QueuedPhaseKind kind, QueuedGoal goal) {
  switch (kind) {
    case QueuedPhaseKind::kPack:
      return goal == QueuedGoal::kPack || goal == QueuedGoal::kRoute ||
             goal == QueuedGoal::kBroadcast;
    case QueuedPhaseKind::kRoute:
      return goal == QueuedGoal::kRoute;
    case QueuedPhaseKind::kBroadcast:
      return goal == QueuedGoal::kBroadcast;
    case QueuedPhaseKind::kExchange:
      return goal == QueuedGoal::kExchange || goal == QueuedGoal::kGather;
    case QueuedPhaseKind::kMoves:
      return goal == QueuedGoal::kGather;
    default:
      return true;
  }
}

QueuedPhase read_phase(Fields fields, const Topology& topology, const QueuedProgram& program) {
  QueuedPhase phase;
  phase.kind = read_name<QueuedPhaseKind>(fields, "kind", 9, phase_kind_name);
  if (!fits(phase.kind, program.goal)) {
    throw InputError(fmt::format("{}: kind: {} has no place in a program for {}", fields.place(),
                                 phase_kind_name(phase.kind), goal_name(program.goal)));
  }
  phase.class_index =
      static_cast<std::uint8_t>(fields.number("class", 0, std::int64_t{program.classes} - 1));
  phase.dimension = static_cast<std::uint8_t>(
      fields.number("dimension", 0, std::int64_t{topology.dimensions()} - 1));
  // Two rounds of 2d lines each are the most that any prefix takes.
  const std::int64_t last_prefix_line = std::int64_t{4} * topology.dimensions() * topology.side(0);
  phase.start = static_cast<std::uint64_t>(
      fields.number("start", 1, phase.is_prefix() ? last_prefix_line : kMaxStep));
  // Prefix units count on lines of exactly that many steps.
  const std::int64_t line =
      std::int64_t{topology.side(0)} - (phase.kind == QueuedPhaseKind::kLineSum ? 0 : 1);
  const bool open_ended = phase.kind == QueuedPhaseKind::kExchange;
  phase.length = static_cast<std::uint64_t>(
      phase.is_prefix() ? fields.number("length", line, line)
                        : fields.number("length", open_ended ? 0 : 1, open_ended ? 0 : kMaxStep));
  if (phase.kind == QueuedPhaseKind::kBroadcast) {
    const json& hops = fields.array("hops");
    const std::string place = fields.place() + ": hops";
    if (hops.size() != 2) throw InputError(fmt::format("{}: two numbers are expected", place));
    const std::int64_t most = std::int64_t{topology.side(0)} - 1;
    phase.hops_minus = static_cast<std::uint32_t>(checked_number(hops[0], place, 0, most));
    phase.hops_plus = static_cast<std::uint32_t>(checked_number(hops[1], place, 0, most));
  }
  phase.class_round = read_flag(fields, "class_round");
  phase.alternate = read_flag(fields, "alternate");
  phase.wrap = read_flag(fields, "wrap");
  fields.done();
  if (phase.wrap && !topology.is_torus()) {
    throw InputError(fmt::format("{}: wrap: a mesh has no rings", fields.place()));
  }
  return phase;
}

void check_range(std::int64_t value, std::int64_t min, std::int64_t max, const std::string& place) {
  if (value < min || value > max) {
    throw InputError(fmt::format("{}: {} is outside {}..{}", place, value, min, max));
  }
}

void read_sources(const NumberTable& table, const Topology& topology, const std::string& place,
                  QueuedProgram& program) {
  const std::size_t columns = program.goal == QueuedGoal::kRoute ? 3 : 2;
  if (table.rows != 0 && table.row_length != columns) {
    throw InputError(fmt::format("{}: table: rows of {} entries, {} expected", place,
                                 table.row_length, columns));
  }
  const std::int64_t most_packets =
      program.goal == QueuedGoal::kBroadcast
          ? std::int64_t{program.packets_per_node / program.substeps_per_unit()}
          : 1;
  std::int64_t last_node = -1;
  std::int64_t last_target = -1;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const std::int32_t* entry = table.values.data() + row * columns;
    const std::string at = fmt::format("{}: table: row {}", place, row);
    check_range(entry[0], last_node + 1, std::int64_t{topology.nodes()} - 1, at);
    check_range(entry[1], 1, most_packets, at);
    last_node = entry[0];
    program.sources.push_back(
        {static_cast<NodeId>(entry[0]), static_cast<std::uint32_t>(entry[1])});
    if (columns == 2) continue;
    check_range(entry[2], last_target + 1, std::int64_t{topology.nodes()} - 1, at);
    last_target = entry[2];
    program.targets.push_back(static_cast<NodeId>(entry[2]));
  }
}

void read_moves(const NumberTable& table, const Topology& topology, const std::string& place,
                QueuedProgram& program) {
  constexpr std::size_t kColumns = 5;
  if (table.rows != 0 && table.row_length != kColumns) {
    throw InputError(fmt::format("{}: moves: rows of {} entries, {} expected", place,
                                 table.row_length, kColumns));
  }
  const std::int64_t last_node = std::int64_t{topology.nodes()} - 1;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const std::int32_t* entry = table.values.data() + row * kColumns;
    const std::string at = fmt::format("{}: moves: row {}", place, row);
    check_range(entry[0], 1, std::int64_t{1} << 31, at);
    for (const std::size_t node : {std::size_t{1}, std::size_t{3}, std::size_t{4}}) {
      check_range(entry[node], 0, last_node, at);
    }
    check_range(entry[2], 0, std::int64_t{topology.ports()} - 1, at);
    const QueuedMove move = {static_cast<std::uint32_t>(entry[0]), static_cast<NodeId>(entry[1]),
                             static_cast<Port>(entry[2]), static_cast<NodeId>(entry[3]),
                             static_cast<NodeId>(entry[4])};
    const auto order = [](const QueuedMove& m) { return std::tie(m.step, m.from, m.port); };
    if (!program.moves.empty() && !(order(program.moves.back()) < order(move))) {
      throw InputError(fmt::format("{}: out of order (step, node, port)", at));
    }
    if (!std::any_of(program.sources.begin(), program.sources.end(),
                     [&](const QueuedSource& s) { return s.node == move.destination; })) {
      throw InputError(fmt::format("{}: node {} gathers nothing", at, move.destination));
    }
    program.moves.push_back(move);
  }
}

}  // namespace

void write_queued_fields(const QueuedProgram& program, DocumentWriter& out) {
  out.key("goal");
  out.string(goal_name(program.goal));
  out.key("class_rule");
  out.string(class_rule_name(program.class_rule));
  out.key("classes");
  out.number(program.classes);
  out.key("halves");
  out.number(program.halves);
  out.key("rule");
  out.string(rule_name(program.rule));
  out.key("flits");
  out.number(program.clock.flits);
  out.key("prefix_flits");
  out.number(program.clock.prefix_flits);
  out.key("packets_per_node");
  out.number(program.packets_per_node);
  out.key("phases");
  out.begin_array();
  for (const QueuedPhase& phase : program.phases) write_phase(phase, out);
  out.end_array();
  out.key(kProgramTable);
  out.begin_array();
  for (std::size_t i = 0; i < program.sources.size(); ++i) {
    std::array<std::int32_t, 3> row = {static_cast<std::int32_t>(program.sources[i].node),
                                       static_cast<std::int32_t>(program.sources[i].packets), 0};
    const bool routed = !program.targets.empty();
    if (routed) row[2] = static_cast<std::int32_t>(program.targets[i]);
    out.row(std::span<const std::int32_t>(row).first(routed ? 3 : 2));
  }
  out.end_array();
  if (!program.moves.empty()) {
    out.key(kMovesTable);
    out.begin_array();
    for (const QueuedMove& move : program.moves) {
      const std::array<std::int32_t, 5> row = {
          static_cast<std::int32_t>(move.step), static_cast<std::int32_t>(move.from), move.port,
          static_cast<std::int32_t>(move.origin), static_cast<std::int32_t>(move.destination)};
      out.row(row);
    }
    out.end_array();
  }
}

QueuedProgram read_queued_fields(Fields& fields, const Topology& topology,
                                 const NumberTable& sources, const NumberTable& moves) {
  try {
    (void)equal_side(topology, fields.place());
  } catch (const InfeasibleError& error) {
    throw InputError(error.what());
  }
  QueuedProgram program;
  program.goal = read_name<QueuedGoal>(fields, "goal", 6, goal_name);
  program.class_rule = read_name<QueuedClassRule>(fields, "class_rule", 3, class_rule_name);
  const bool exchanges =
      program.goal == QueuedGoal::kExchange || program.goal == QueuedGoal::kGather;
  if (exchanges && topology.dimensions() != 2) {
    throw InputError(
        fmt::format("{}: goal: {} takes 2 dimensions", fields.place(), goal_name(program.goal)));
  }
  program.classes = static_cast<std::uint8_t>(
      fields.number("classes", exchanges ? 2 : 1, std::int64_t{topology.dimensions()}));
  program.halves = static_cast<std::uint8_t>(fields.number("halves", 1, 2));
  program.rule = read_name<ExchangeRule>(fields, "rule", 2, rule_name);
  program.clock.flits = static_cast<std::uint32_t>(fields.number("flits", 1, kMaxPacketFlits));
  program.clock.prefix_flits =
      static_cast<std::uint32_t>(fields.number("prefix_flits", 1, program.clock.flits));
  const std::uint32_t parts = program.substeps_per_unit();
  if (program.goal != QueuedGoal::kRanks && program.clock.flits % parts != 0) {
    throw InputError(fmt::format("{}: flits: {} is no multiple of {}", fields.place(),
                                 program.clock.flits, parts));
  }
  program.packets_per_node = static_cast<std::uint32_t>(
      exchanges
          ? fields.number("packets_per_node", topology.nodes(), topology.nodes())
          : fields.number("packets_per_node", parts, std::int64_t{kMaxPacketsPerNode} * parts));
  for (const json& item : fields.array("phases")) {
    if (program.phases.size() == kMaxPhases) {
      throw InputError(fmt::format("{}: phases: more than {}", fields.place(), kMaxPhases));
    }
    program.phases.push_back(read_phase(
        Fields(item, fmt::format("{}: phases[{}]", fields.place(), program.phases.size())),
        topology, program));
  }
  read_sources(sources, topology, fields.place(), program);
  read_moves(moves, topology, fields.place(), program);
  // A phase of one line lasts as long as all parts take one after the other, and no longer: an
  // engine is not sent counting for years.
  const std::uint64_t parts_in_all = program.parts_in_all(topology.nodes());
  const std::uint64_t longest = std::uint64_t{4} *
                                static_cast<std::uint64_t>(topology.dimensions()) *
                                (parts_in_all + topology.side(0)) * program.halves;
  if (program.last_step() > longest) {
    throw InputError(
        fmt::format("{}: phases: last until step {}, but {} packets never need more than {}",
                    fields.place(), program.last_step(), parts_in_all, longest));
  }
  return program;
}

void write_dynamic_fields(const DynamicProgram& program, DocumentWriter& out) {
  out.key("interval");
  out.string(interval_name(program.interval));
  const std::array<std::pair<std::string_view, bool>, 5> flags = {{{"split", program.split},
                                                                   {"alternate", program.alternate},
                                                                   {"skip_last", program.skip_last},
                                                                   {"two_way", program.two_way},
                                                                   {"wrap", program.wrap}}};
  for (const auto& [name, value] : flags) {
    out.key(name);
    out.boolean(value);
  }
  out.key("flits");
  out.number(program.clock.flits);
  out.key("prefix_flits");
  out.number(program.clock.prefix_flits);
  out.key("load_millionths");
  const std::vector<std::int32_t> loads(program.load_millionths.begin(),
                                        program.load_millionths.end());
  out.row(loads);
  out.key("broadcasts");
  out.number(static_cast<std::int64_t>(program.broadcasts));
  out.key("seed");
  out.number(static_cast<std::int64_t>(program.seed));
}

DynamicProgram read_dynamic_fields(Fields& fields, const Topology& topology) {
  DynamicOptions options;
  options.interval = read_name<IntervalRule>(fields, "interval", 2, interval_name);
  options.rules.split = read_flag(fields, "split");
  options.rules.alternate = read_flag(fields, "alternate");
  options.rules.skip_last = read_flag(fields, "skip_last");
  options.rules.two_way = read_flag(fields, "two_way");
  options.rules.wrap = read_flag(fields, "wrap");
  PacketClock clock;
  clock.flits = static_cast<std::uint32_t>(fields.number("flits", 1, kMaxPacketFlits));
  clock.prefix_flits = static_cast<std::uint32_t>(fields.number("prefix_flits", 1, clock.flits));
  options.clock = clock;
  for (const json& load : fields.array("load_millionths")) {
    options.loads.push_back(
        static_cast<double>(
            checked_number(load, fields.place() + ": load_millionths", 1, kMaxLoadMillionths)) /
        1e6);
    if (options.loads.size() > kMaxLoads) break;
  }
  options.broadcasts = static_cast<std::uint64_t>(
      fields.number("broadcasts", kMinDynamicBroadcasts, kMaxDynamicBroadcasts));
  options.seed = static_cast<std::uint64_t>(
      fields.number("seed", 0, std::numeric_limits<std::int64_t>::max()));
  try {
    // What the planner accepts is what may run.
    return std::get<DynamicProgram>(plan_dynamic_broadcast(topology, options).program);
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("{}: {}", fields.place(), error.what()));
  }
}

}  // namespace gossamer
