// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMaxStep = std::int64_t{1} << 40;
constexpr std::size_t kMaxPhases = 4096;

constexpr auto kRuleNames = std::to_array<std::string_view>({"paper", "balanced"});
std::string_view rule_name(ExchangeRule rule) { return kRuleNames[static_cast<std::size_t>(rule)]; }

void write_phase(const QueuedPhase& phase, DocumentWriter& out) {
  out.begin_object();
  out.string("kind", phase_kind_name(phase.kind));
  out.number("class", phase.class_index);
  out.number("dimension", phase.dimension);
  out.number("start", phase.start);
  out.number("length", phase.length);
  if (phase.kind == QueuedPhaseKind::kBroadcast) {
    out.list("hops", std::array{phase.hops_minus, phase.hops_plus});
  }
  const auto flag = [&out](std::string_view name, bool value) {
    if (value) out.boolean(name, true);
  };
  flag("class_round", phase.class_round);
  flag("alternate", phase.alternate);
  flag("wrap", phase.wrap);
  out.end_object();
}

/// True when a program for the demand may hold such a phase.
bool fits(QueuedPhaseKind kind, const Demand& demand) {
  switch (kind) {
    case QueuedPhaseKind::kPack:
      return demand.is_ranked() || demand.to == Destination::kEveryNode;
    case QueuedPhaseKind::kRoute:
      return demand.to == Destination::kTarget;
    case QueuedPhaseKind::kBroadcast:
      return demand.to == Destination::kEveryNode;
    case QueuedPhaseKind::kExchange:
      return demand.is_personal();
    default:
      return true;
  }
}

QueuedPhase read_phase(Fields fields, const Topology& topology, const Demand& demand,
                       const QueuedProgram& program) {
  QueuedPhase phase;
  phase.kind = read_name<QueuedPhaseKind>(fields, "kind", kPhaseKindNames);
  if (!fits(phase.kind, demand)) {
    throw InputError(fmt::format("{}: kind: {} does not fit a demand to {}", fields.place(),
                                 phase_kind_name(phase.kind), destination_name(demand.to)));
  }
  phase.class_index = fields.number<std::uint8_t>("class", 0, std::int64_t{program.classes} - 1);
  phase.dimension =
      fields.number<std::uint8_t>("dimension", 0, std::int64_t{topology.dimensions()} - 1);
  // Two rounds of 2d lines each are the most that any prefix takes.
  const std::int64_t last_prefix_line = std::int64_t{4} * topology.dimensions() * topology.side(0);
  phase.start =
      fields.number<std::uint64_t>("start", 1, phase.is_prefix() ? last_prefix_line : kMaxStep);
  // Prefix units count on lines of exactly that many steps.
  const std::int64_t line =
      std::int64_t{topology.side(0)} - (phase.kind == QueuedPhaseKind::kLineSum ? 0 : 1);
  const bool open_ended = phase.kind == QueuedPhaseKind::kExchange;
  phase.length = static_cast<std::uint64_t>(
      phase.is_prefix() ? fields.number("length", line, line)
                        : fields.number("length", open_ended ? 0 : 1, open_ended ? 0 : kMaxStep));
  if (phase.kind == QueuedPhaseKind::kBroadcast) {
    const Json& hops = fields.array("hops");
    const std::string place = fields.place() + ": hops";
    if (hops.size() != 2) throw InputError(fmt::format("{}: two numbers are expected", place));
    const std::int64_t most = std::int64_t{topology.side(0)} - 1;
    phase.hops_minus = static_cast<std::uint32_t>(checked_number(hops[0], place, 0, most));
    phase.hops_plus = static_cast<std::uint32_t>(checked_number(hops[1], place, 0, most));
  }
  phase.class_round = fields.flag("class_round");
  phase.alternate = fields.flag("alternate");
  phase.wrap = fields.flag("wrap");
  fields.done();
  if (phase.wrap && !topology.is_torus()) {
    throw InputError(fmt::format("{}: wrap: a mesh has no rings", fields.place()));
  }
  return phase;
}

/// Refuses a demand whose pieces are not the parts that the program cuts packets into.
void check_pieces(const Demand& demand, const QueuedProgram& program, const std::string& place) {
  if (demand.from == Origin::kRoot || demand.combines() || demand.to == Destination::kRoot ||
      demand.to == Destination::kOwner) {
    throw InputError(fmt::format("{}: queued routers do not support demands from {} to {} by {}",
                                 place, origin_name(demand.from), destination_name(demand.to),
                                 operation_name(demand.operation)));
  }
  const auto refuse = [&](std::uint64_t pieces, std::uint64_t unit) {
    throw InputError(fmt::format("{}: classes: {} pieces in the demand, but packets have {} parts",
                                 place, pieces, unit));
  };
  if (demand.is_counts()) {
    if (demand.pieces != program.classes) refuse(demand.pieces, program.classes);
    return;
  }
  const std::uint64_t parts = program.substeps_per_unit();
  if (demand.pieces % parts != 0 || demand.pieces > kMaxPacketsPerNode * parts) {
    refuse(demand.pieces, parts);
  }
  for (const DemandSource& source : demand.sources) {
    if (source.pieces % parts != 0) refuse(source.pieces, parts);
  }
}

}  // namespace

void write_queued(const QueuedProgram& program, DocumentWriter& out) {
  out.string("class_rule", class_rule_name(program.class_rule));
  out.number("classes", program.classes);
  out.number("halves", program.halves);
  out.string("rule", rule_name(program.rule));
  out.number("flits", program.clock.flits);
  out.number("prefix_flits", program.clock.prefix_flits);
  out.begin_array("phases");
  for (const QueuedPhase& phase : program.phases) write_phase(phase, out);
  out.end_array();
}

QueuedProgram read_queued(ProgramSource& source) {
  Fields& fields = source.fields;
  const Topology& topology = source.topology;
  const Demand& demand = source.demand;
  check_queued(topology, source.place());
  try {
    (void)equal_side(topology, fields.place());
  } catch (const InfeasibleError& error) {
    throw InputError(error.what());
  }
  QueuedProgram program;
  program.class_rule = read_name<QueuedClassRule>(fields, "class_rule", kClassRuleNames);
  const bool exchanges = demand.is_personal();
  if (exchanges && topology.dimensions() != 2) {
    throw InputError(fmt::format("{}: queued routers support a demand to {} in 2 dimensions only",
                                 fields.place(), destination_name(demand.to)));
  }
  program.classes = fields.number<std::uint8_t>("classes", exchanges ? 2 : 1,
                                                std::int64_t{topology.dimensions()});
  program.halves = fields.number<std::uint8_t>("halves", 1, 2);
  program.rule = read_name<ExchangeRule>(fields, "rule", kRuleNames);
  program.clock.flits = fields.number<std::uint32_t>("flits", 1, kMaxPacketFlits);
  program.clock.prefix_flits = fields.number<std::uint32_t>("prefix_flits", 1, program.clock.flits);
  const std::uint32_t parts = program.substeps_per_unit();
  if (!demand.is_counts() && program.clock.flits % parts != 0) {
    throw InputError(fmt::format("{}: flits: {} is not a multiple of {}", fields.place(),
                                 program.clock.flits, parts));
  }
  check_pieces(demand, program, fields.place());
  for (const Json& item : fields.array("phases")) {
    if (program.phases.size() == kMaxPhases) {
      throw InputError(fmt::format("{}: phases: more than {}", fields.place(), kMaxPhases));
    }
    program.phases.push_back(read_phase(
        Fields(item, fmt::format("{}: phases[{}]", fields.place(), program.phases.size())),
        topology, demand, program));
  }
  // A phase of one line lasts as long as all parts take one after the other, and no longer: an
  // engine is not sent counting for years.
  const std::uint64_t parts_in_all = demand.pieces_in_all(topology.nodes());
  const std::uint64_t longest = std::uint64_t{4} *
                                static_cast<std::uint64_t>(topology.dimensions()) *
                                (parts_in_all + topology.side(0)) * program.halves;
  if (program.last_step(demand) > longest) {
    throw InputError(fmt::format("{}: phases: end in step {}, but {} packets need at most {} steps",
                                 fields.place(), program.last_step(demand), parts_in_all, longest));
  }
  return program;
}

void check_queued(const Topology& topology, const std::string& place) {
  if (!topology.is_healthy()) {
    throw InputError(
        fmt::format("{}: machine: programs of this kind do not support faults", place));
  }
  if (topology.kind() == "grid") {
    throw InputError(fmt::format("{}: queued programs require a torus or a mesh", place));
  }
}

namespace {

/// A number of a version 1 program; 0 without one.
std::int64_t number_at(const Json& program, const char* key) {
  const auto found = program.find(key);
  return found != program.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

Json queued_demand(Json& program, Document& document) {
  struct Goal {
    std::string_view name;
    Origin from;
    Destination to;
  };
  static constexpr auto kGoals = std::to_array<Goal>({
      {"ranks", Origin::kSources, Destination::kCounts},
      {"pack", Origin::kSources, Destination::kRankedNode},
      {"route", Origin::kSources, Destination::kTarget},
      {"broadcast", Origin::kSources, Destination::kEveryNode},
      {"exchange", Origin::kSources, Destination::kEachNode},
      {"gather", Origin::kEveryNode, Destination::kEachSource},
  });
  const Json goal = program.value("goal", Json());
  const auto* const found = std::find_if(kGoals.begin(), kGoals.end(), [&](const Goal& known) {
    return goal.is_string() && goal.get_ref<const std::string&>() == known.name;
  });
  if (found == kGoals.end()) return nullptr;
  const bool personal =
      found->to == Destination::kEachNode || found->to == Destination::kEachSource;
  const bool split = program.value("class_rule", Json()) == "split";
  const std::int64_t parts =
      number_at(program, "halves") * (split ? number_at(program, "classes") : 1);
  const std::int64_t pieces = personal ? 1 : number_at(program, "packets_per_node");
  Json demand = {{"from", origin_name(found->from)},
                 {"to", destination_name(found->to)},
                 {"operation", "copy"},
                 {"pieces", pieces}};
  auto node = document.tables.extract(std::string(kProgramTablePath));
  if (!node.empty()) {
    NumberTable& table = node.mapped();
    // Sources counted whole packets; now they count link transfers.
    if (found->to == Destination::kEveryNode && table.row_length == 2 && parts > 0 &&
        parts <= 1024) {
      for (std::size_t row = 0; row < table.rows; ++row) {
        std::int32_t& packets = table.values[2 * row + 1];
        const bool legal = packets >= 0 && packets <= static_cast<std::int32_t>(kMaxPacketsPerNode);
        if (legal) packets *= static_cast<std::int32_t>(parts);
      }
    }
    demand["sources"] = nullptr;
    node.key() = "demand/sources";
    document.tables.insert(std::move(node));
  }
  program.erase("table");
  program.erase("goal");
  program.erase("packets_per_node");
  return demand;
}

}  // namespace

void upgrade_queued(Document& document) {
  Json demand = queued_demand(document.root["program"], document);
  if (!demand.is_null()) document.root["demand"] = std::move(demand);
}

}  // namespace gossamer
