// SPDX-License-Identifier: Apache-2.0
#include "gossamer/report/report.hpp"

#include <fmt/format.h>

#include "gossamer/bounds/faults.hpp"
#include "gossamer/bounds/partial.hpp"
#include "gossamer/machines/relay/cost.hpp"
#include "gossamer/partial/dynamic_broadcast.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/units.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/version.hpp"

namespace gossamer {

namespace {

/// 1.23e8 -> "123 M/s".
std::string rate(double per_second) {
  if (per_second >= 1e9) return fmt::format("{:.3g} G/s", per_second / 1e9);
  if (per_second >= 1e6) return fmt::format("{:.3g} M/s", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.3g} k/s", per_second / 1e3);
  return fmt::format("{:.3g} /s", per_second);
}

QueuedFigures queued_figures(const Plan& plan, const QueuedProgram& program) {
  const Demand& demand = plan.demand;
  QueuedFigures figures;
  figures.prefix_steps = program.prefix_steps();
  figures.prefix_flits = program.clock.prefix_flits;
  figures.substep_flits = program.substep_flits();
  figures.flits = program.clock.flits;
  if (demand.is_counts()) {
    // Its steps are the prefix's; nothing goes before them.
    figures.prefix_steps = 0;
    figures.substep_flits = program.clock.prefix_flits;
  }
  figures.queue_depth = plan.expected.queue_depth;
  std::map<std::string, int> seen;
  for (const QueuedPhase& phase : program.phases) {
    // All classes keep the same times: class 0 speaks for them.
    if (phase.class_index != 0) continue;
    PhaseLength length;
    length.phase = phase.class_round ? "deal-" : "";
    length.phase += phase_kind_name(phase.kind);
    length.subphase = ++seen[length.phase];
    length.prefix = phase.is_prefix();
    length.start = phase.start;
    if (phase.kind != QueuedPhaseKind::kExchange) length.steps = phase.length;
    figures.phases.push_back(std::move(length));
  }
  if (plan.expected.bound_steps && plan.algorithm != "online" && demand.is_personal()) {
    figures.proved_bound_steps =
        bounds::exchange_proved_bound(plan.topology.side(0), demand.sources.size());
  }
  return figures;
}

/// Time units of so many sub-steps behind the prefix.
std::optional<double> units_of(const QueuedFigures& figures,
                               const std::optional<std::uint64_t>& steps,
                               std::uint64_t prefix_steps) {
  if (!steps) return std::nullopt;
  const std::uint64_t cycles = prefix_steps * figures.prefix_flits + *steps * figures.substep_flits;
  return static_cast<double>(cycles) / static_cast<double>(figures.flits);
}

/// The paper's bound, prefix included, and what nobody can beat.
std::optional<double> bound_units(const Report& report) {
  return units_of(*report.queued, report.bound_steps, report.queued->prefix_steps);
}
std::optional<double> lower_bound_units(const Report& report) {
  return units_of(*report.queued, report.lower_bound_steps, 0);
}
std::optional<double> bound_ratio(const Report& report) {
  const auto lower = lower_bound_units(report);
  if (!lower || *lower == 0 || !report.time_units) return std::nullopt;
  return *report.time_units / *lower;
}

FaultFigures fault_figures(const Plan& plan) {
  const DeadLinks dead = dead_links(plan.topology);
  FaultFigures figures;
  figures.live_nodes = plan.topology.live_nodes();
  figures.dead_cores = plan.topology.faults().dead_cores.size();
  figures.dead_links = dead.links.size();
  figures.dead_arcs = dead.arcs.size();
  if (plan.demand == Demand::all_gather(plan.demand.pieces)) {
    figures.bound_set = bounds::degraded_gossip_bound(plan.topology, plan.demand.pieces).set;
  }
  return figures;
}

class Table {
 public:
  void text(std::string_view name, const std::string& value) {
    lines_ += fmt::format("  {:<18} {}\n", name, value);
  }
  void number(std::string_view name, const std::optional<std::uint64_t>& value) {
    if (value) text(name, grouped(*value));
  }
  [[nodiscard]] std::string take() { return std::move(lines_); }

 private:
  std::string lines_;
};

/// The run was asked to end before the plan does, which says nothing about the plan.
bool is_cut_short(const Report& report) {
  return report.given_up_after && report.analytic_steps &&
         *report.given_up_after < *report.analytic_steps;
}

}  // namespace

Report report_for(const Plan& plan, std::string engine) {
  Report report;
  report.collective = plan.collective;
  report.algorithm = plan.algorithm;
  report.topology = plan.topology.kind();
  report.dims = plan.topology.sides();
  report.nodes = plan.topology.nodes();
  if (report.topology == "grid") report.wrap = plan.topology.wrap_names();
  if (!plan.topology.is_healthy()) report.faults = fault_figures(plan);
  report.engine = std::move(engine);
  report.packets = plan.demand.pieces_in_all(plan.topology.cores());
  report.packets_per_node = plan.demand.ids_per_node(report.nodes);
  if (std::holds_alternative<RelayProgram>(plan.program)) {
    const RelayHardware hardware = relay_hardware(plan);
    report.broadcast =
        BroadcastFigures{{}, hardware.header_bits, hardware.most_table_bits, hardware.table_bits};
  } else if (const auto* queued = std::get_if<QueuedProgram>(&plan.program)) {
    report.queued = queued_figures(plan, *queued);
  } else if (const Elastic* elastic = elastic_of(plan)) {
    report.elastic =
        ElasticFigures{elastic->flits(), elastic->chunk, elastic->rounds, elastic->slots, {}};
  }
  report.analytic_steps = plan.expected.analytic_steps;
  report.lower_bound_steps = plan.expected.lower_bound_steps;
  report.bound_steps = plan.expected.bound_steps;
  report.analytic_cycles = plan.expected.analytic_cycles;
  if (const auto given = quantities_of(plan)) {
    report.physical = physical_figures(plan, *given);
    if (report.analytic_cycles) {
      report.analytic_cycles = report.physical->in_cycles(*report.analytic_cycles);
    }
    add_physical(report);
  }
  return report;
}

Report report_for(const Experiment& experiment, std::string engine) {
  Report report;
  report.collective = Experiment::kCollective;
  report.algorithm = Experiment::kAlgorithm;
  report.topology = experiment.topology.kind();
  report.dims = experiment.topology.sides();
  report.nodes = experiment.topology.nodes();
  report.engine = std::move(engine);
  report.dynamic = {dynamic_outlook(experiment), dynamic_load_limit(experiment)};
  return report;
}

void add_physical(Report& report) {
  if (!report.physical) return;
  const bool measured = report.cycles.has_value();
  report.physical->measure(measured ? report.cycles : report.analytic_cycles,
                           report.link_transfers);
}

void check_figures(Report& report) {
  const auto broken = [&report](std::string text) { report.problems.push_back(std::move(text)); };
  if (report.complete && !*report.complete) {
    if (!report.given_up_after) {
      broken("incomplete: some node never gets all packets");
    } else if (is_cut_short(report)) {
      broken(fmt::format("not run to its end: given up after {} of {} planned steps",
                         *report.given_up_after, *report.analytic_steps));
    } else {
      broken(fmt::format("incomplete: given up after {}", counted(*report.given_up_after, "step")));
    }
  }
  if (report.steps && report.analytic_steps && report.steps != report.analytic_steps) {
    broken(fmt::format("steps: {} measured, {} by the formula", *report.steps,
                       *report.analytic_steps));
  }
  if (report.steps && report.bound_steps && *report.steps > *report.bound_steps) {
    broken(fmt::format("steps: {} exceed the bound of {}", *report.steps, *report.bound_steps));
  }
  if (report.steps && report.lower_bound_steps && *report.steps < *report.lower_bound_steps) {
    broken(fmt::format("steps: {} undercut the lower bound of {}", *report.steps,
                       *report.lower_bound_steps));
  }
  if (report.complete.value_or(report.steps.has_value()) && report.cycles &&
      report.analytic_cycles && report.cycles != report.analytic_cycles) {
    broken(fmt::format("cycles: {} measured, {} by the formula", *report.cycles,
                       *report.analytic_cycles));
  }
  if (report.link_conflicts.value_or(0) != 0) {
    broken(fmt::format("link conflicts: {}", *report.link_conflicts));
  }
  if (report.queued && report.queued->proved_bound_steps && report.steps &&
      *report.steps > *report.queued->proved_bound_steps) {
    broken(fmt::format("steps: {} exceed the proved bound of {}", *report.steps,
                       *report.queued->proved_bound_steps));
  }
  if (report.queued && report.max_queue && *report.max_queue > report.queued->queue_depth) {
    broken(fmt::format("longest queue: {} packets, the plan says {}", *report.max_queue,
                       report.queued->queue_depth));
  }
  if (!report.dynamic) return;
  for (const DynamicPoint& point : report.dynamic->points) {
    if (point.mismatches != 0) {
      broken(fmt::format("load {:g}: {} intervals end when the formula does not say", point.load,
                         point.mismatches));
    }
    // What is measured is known up to its confidence interval only.
    if (point.mean_delay && point.delay_bound &&
        *point.mean_delay - *point.delay_ci95 > *point.delay_bound) {
      broken(fmt::format("load {:g}: a mean delay of {:.6g} exceeds the bound of {:.6g}",
                         point.load, *point.mean_delay, *point.delay_bound));
    }
  }
}

namespace {

nlohmann::ordered_json physical_json(const PhysicalFigures& figures) {
  const PhysicalQuantities& given = figures.given;
  const auto flits = [&figures](std::uint64_t FlitEvents::*count) {
    return figures.events ? nlohmann::ordered_json((*figures.events).*count)
                          : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json json;
  json["bytes"] = given.bytes;
  json["link_bits"] = given.link_bits;
  json["clock_hertz"] = given.hertz;
  json["flits"] = given.flits();
  json["packets"] = figures.packets;
  json["packet_flits"] = figures.packet_flits;
  json["step_cycles"] = or_null(figures.step_cycles);
  json["links"] = figures.links;
  json["delivered_bytes"] = or_null(figures.delivered_bytes);
  json["lower_bound_cycles"] = or_null(figures.lower_bound_cycles);
  json["cycles"] = or_null(figures.cycles);
  json["seconds"] = or_null(figures.seconds());
  json["node_bytes_per_second"] = or_null(figures.node_bytes_per_second());
  json["bytes_per_second"] = or_null(figures.bytes_per_second());
  json["link_utilization"] = or_null(figures.utilization());
  json["fraction_of_bound"] = or_null(figures.fraction_of_bound());
  json["energy"] = {{"link_femtojoules_per_bit", given.energy.link},
                    {"router_femtojoules_per_bit", given.energy.router},
                    {"buffer_femtojoules_per_bit", given.energy.buffer},
                    {"source", given.energy.source},
                    {"link_flits", flits(&FlitEvents::links)},
                    {"router_flits", flits(&FlitEvents::routers)},
                    {"buffer_flits", flits(&FlitEvents::buffers)},
                    {"femtojoules", or_null(figures.femtojoules())},
                    {"picojoules_per_bit", or_null(figures.picojoules_per_bit())}};
  return json;
}

void add_queued(nlohmann::ordered_json& json, const Report& report) {
  const QueuedFigures& figures = *report.queued;
  json["bound_time_units"] = or_null(bound_units(report));
  json["lower_bound_time_units"] = or_null(lower_bound_units(report));
  json["bound_ratio"] = or_null(bound_ratio(report));
  json["proved_bound_steps"] = or_null(figures.proved_bound_steps);
  json["queue_depth"] = figures.queue_depth;
  json["phases"] = nlohmann::ordered_json::array();
  for (const PhaseLength& phase : figures.phases) {
    const auto steps = phase.steps ? phase.steps : report.steps;
    const std::uint64_t flits = phase.prefix ? figures.prefix_flits : figures.substep_flits;
    nlohmann::ordered_json item;
    item["phase"] = phase.phase;
    item["subphase"] = phase.subphase;
    item["start"] = phase.start;
    item["steps"] = or_null(steps);
    item["cycles"] = steps ? nlohmann::ordered_json(*steps * flits) : nullptr;
    item["time_units"] = steps ? nlohmann::ordered_json(static_cast<double>(*steps * flits) /
                                                        static_cast<double>(figures.flits))
                               : nullptr;
    json["phases"].push_back(std::move(item));
  }
}

nlohmann::ordered_json point_json(const DynamicPoint& point) {
  nlohmann::ordered_json json;
  json["load"] = point.load;
  json["mean_delay"] = or_null(point.mean_delay);
  json["delay_ci95"] = or_null(point.delay_ci95);
  json["delay_bound"] = or_null(point.delay_bound);
  json["stable"] = point.stable;
  return json;
}

/// A single load's figures stand at the top; those of several are null there, and `points` has all.
void add_dynamic(nlohmann::ordered_json& json, const DynamicFigures& figures) {
  const bool single = figures.points.size() == 1;
  const nlohmann::ordered_json first = point_json(figures.points.front());
  for (const auto& [key, value] : first.items()) {
    json[key] = single ? value : nlohmann::ordered_json(nullptr);
  }
  json["load_limit"] = figures.load_limit;
  json["points"] = nlohmann::ordered_json::array();
  for (const DynamicPoint& point : figures.points) {
    nlohmann::ordered_json item = point_json(point);
    item["rate"] = point.rate;
    item["broadcasts"] = point.broadcasts;
    item["intervals"] = point.intervals;
    json["points"].push_back(std::move(item));
  }
}

std::string shown(const std::optional<double>& value) {
  return value ? fmt::format("{:.5g}", *value) : "-";
}

std::string points_table(const DynamicFigures& figures) {
  std::string text = fmt::format("\n  {:>9} {:>11} {:>11} {:>10} {:>10} {:>8} {:>12}\n", "load",
                                 "rate", "mean delay", "95 % +-", "bound", "stable", "intervals");
  for (const DynamicPoint& point : figures.points) {
    text += fmt::format("  {:>9.6g} {:>11.5g} {:>11} {:>10} {:>10} {:>8} {:>12}\n", point.load,
                        point.rate, shown(point.mean_delay), shown(point.delay_ci95),
                        shown(point.delay_bound), point.stable ? "yes" : "NO",
                        point.intervals == 0 ? "-" : grouped(point.intervals));
  }
  return text;
}

/// Bytes, time, rates and energy, for people.
void add_message(Table& table, const PhysicalFigures& figures) {
  const PhysicalQuantities& given = figures.given;
  table.text("message",
             fmt::format("{} a node: {} flits of {} bits, in {} of {}", bytes_text(given.bytes),
                         grouped(given.flits()), given.link_bits,
                         counted(figures.packets, "packet"), grouped(figures.packet_flits)));
  if (!figures.cycles) {
    table.text("  time", "-");
    return;
  }
  table.text("  time", fmt::format("{}: {} cycles at {}", with_prefix(*figures.seconds(), "s"),
                                   grouped(*figures.cycles),
                                   with_prefix(static_cast<double>(given.hertz), "Hz")));
  if (figures.lower_bound_cycles) {
    table.text("  lower bound",
               fmt::format("{} cycles, {:.1f} % of the time", grouped(*figures.lower_bound_cycles),
                           100 * *figures.fraction_of_bound()));
  }
  const auto total = figures.bytes_per_second();
  table.text(
      "  throughput",
      fmt::format("{} a node{}", with_prefix(*figures.node_bytes_per_second(), "B/s"),
                  total ? fmt::format(", {} delivered in all", with_prefix(*total, "B/s")) : ""));
  if (const auto busy = figures.utilization()) {
    table.text("  links busy", fmt::format("{:.1f} %", 100 * *busy));
  }
  const auto energy = figures.femtojoules();
  if (!energy) return;
  const auto bit = figures.picojoules_per_bit();
  table.text("  energy", fmt::format("{}{}", with_prefix(*energy * 1e-15, "J"),
                                     bit ? fmt::format(", {:.4g} pJ a delivered bit", *bit) : ""));
  table.text("    of a bit", fmt::format("link {}, router {}, buffer {} fJ", given.energy.link,
                                         given.energy.router, given.energy.buffer));
  table.text("    source", given.energy.source);
}

/// "28 prefix steps = 7 + 7 + 7 + 7" for each run of phases of one name.
void add_phases(Table& table, const Report& report) {
  const std::vector<PhaseLength>& phases = report.queued->phases;
  for (std::size_t i = 0; i < phases.size();) {
    const PhaseLength& first = phases[i];
    std::string parts;
    std::uint64_t sum = 0;
    std::size_t count = 0;
    bool known = true;
    for (; i < phases.size() && phases[i].phase == first.phase; ++i, ++count) {
      const auto steps = phases[i].steps ? phases[i].steps : report.steps;
      known = known && steps;
      sum += steps.value_or(0);
      parts += fmt::format("{}{}", count == 0 ? "" : " + ", steps.value_or(0));
    }
    table.text("  " + first.phase,
               !known ? "until the queues are drained"
                      : fmt::format("{} {}steps{}", grouped(sum), first.prefix ? "prefix " : "",
                                    count > 1 ? " = " + parts : ""));
  }
}

}  // namespace

std::string report_json(const Report& report) {
  nlohmann::ordered_json json;
  json["gossamer"] = kVersion;
  json["collective"] = report.collective;
  json["algorithm"] = report.algorithm;
  json["topology"] = report.topology;
  json["dims"] = report.dims;
  if (!report.wrap.empty()) json["wrap"] = report.wrap;
  json["nodes"] = report.nodes;
  if (report.faults) {
    json["live_nodes"] = report.faults->live_nodes;
    json["dead_cores"] = report.faults->dead_cores;
    json["dead_links"] = report.faults->dead_links;
    json["dead_arcs"] = report.faults->dead_arcs;
  }
  json["engine"] = report.engine;
  json["packets"] = or_null(report.packets);
  json["packets_per_node"] = or_null(report.packets_per_node);
  json["complete"] = or_null(report.complete);
  json["steps"] = or_null(report.steps);
  json["analytic_steps"] = or_null(report.analytic_steps);
  json["lower_bound_steps"] = or_null(report.lower_bound_steps);
  json["bound_steps"] = or_null(report.bound_steps);
  json["cycles"] = or_null(report.cycles);
  json["analytic_cycles"] = or_null(report.analytic_cycles);
  json["time_units"] = or_null(report.time_units);
  json["link_transfers"] = or_null(report.link_transfers);
  json["link_conflicts"] = or_null(report.link_conflicts);
  json["duplicates"] = or_null(report.duplicates);
  json["max_queue"] = or_null(report.max_queue);
  json["tcd"] = or_null(report.tcd);
  json["wall_seconds"] = or_null(report.wall_seconds);
  json["router_cycles_per_second"] = or_null(report.router_cycles_per_second);
  if (report.broadcast) {
    json["longest_hops"] = report.broadcast->longest_hops;
    json["header_bits"] = report.broadcast->header_bits;
    json["table_bits"] = report.broadcast->table_bits;
    json["table_bits_all"] = report.broadcast->table_bits_all;
  }
  if (report.queued) add_queued(json, report);
  if (report.elastic) {
    json["flits"] = report.elastic->flits;
    json["chunk"] = report.elastic->chunk;
    json["rounds"] = report.elastic->rounds;
    json["slots"] = report.elastic->slots;
    json["standstill"] = or_null(report.elastic->standstill);
  }
  if (report.dynamic) add_dynamic(json, *report.dynamic);
  if (report.physical) json["physical"] = physical_json(*report.physical);
  if (report.missing) json["missing"] = *report.missing;
  if (report.proved_by) json["proved_by"] = *report.proved_by;
  if (report.faults && !report.faults->bound_set.empty()) {
    json["lower_bound_set"] = report.faults->bound_set;
  }
  return dump_json(json, 2) + "\n";
}

std::string message_summary(const PhysicalFigures& figures) {
  std::string text = bytes_text(figures.given.bytes) + " a node";
  if (!figures.cycles) return text;
  text += fmt::format(" in {} ({} cycles at {}), {} a node", with_prefix(*figures.seconds(), "s"),
                      grouped(*figures.cycles),
                      with_prefix(static_cast<double>(figures.given.hertz), "Hz"),
                      with_prefix(*figures.node_bytes_per_second(), "B/s"));
  if (const auto busy = figures.utilization()) {
    text += fmt::format(", links busy {:.1f} %", 100 * *busy);
  }
  if (const auto bit = figures.picojoules_per_bit()) {
    text += fmt::format(", {:.4g} pJ a delivered bit", *bit);
  }
  return text;
}

std::string report_table(const Report& report) {
  Table table;
  table.text("collective", fmt::format("{} ({})", report.collective, report.algorithm));
  table.text("network", fmt::format("{} {}, {}{} nodes", report.topology, joined(report.dims, "x"),
                                    report.wrap.empty() ? ""
                                                        : fmt::format("wrapping in {}, ",
                                                                      joined(report.wrap, ", ")),
                                    grouped(report.nodes)));
  if (report.faults) {
    std::vector<std::string> dead;
    const auto add = [&dead](std::uint64_t count, std::string_view noun) {
      if (count != 0) dead.push_back(counted(count, noun));
    };
    add(report.nodes - report.faults->live_nodes, "node");
    add(report.faults->dead_cores, "core");
    add(report.faults->dead_links, "link");
    add(report.faults->dead_arcs, "arc");
    table.text("  alive", fmt::format("{} nodes; dead: {}", grouped(report.faults->live_nodes),
                                      joined(dead, ", ")));
  }
  table.text("engine", report.engine);
  if (report.packets_per_node) {
    table.text("packets",
               fmt::format("{} ({} a node)", grouped(*report.packets), *report.packets_per_node));
  }
  if (report.elastic) {
    table.text("flits", fmt::format("{} a packet, {} of {}, queues of {}", report.elastic->flits,
                                    counted(report.elastic->rounds, "round"), report.elastic->chunk,
                                    report.elastic->slots));
  }
  if (report.queued && !report.queued->phases.empty()) {
    table.text("phases", "from barrier to barrier");
    add_phases(table, report);
  }
  if (report.complete) {
    table.text("complete", *report.complete       ? "yes"
                           : is_cut_short(report) ? "not run to its end"
                                                  : "NO");
  }
  const bool planned = report.analytic_steps || report.lower_bound_steps;
  if (!report.steps && planned) table.text("steps", "-");
  table.number("steps", report.steps);
  table.number("  formula", report.analytic_steps);
  table.number("  lower bound", report.lower_bound_steps);
  if (report.faults && !report.faults->bound_set.empty()) {
    table.text("  it comes from", report.faults->bound_set);
  }
  table.number("  paper's bound", report.bound_steps);
  if (report.queued) table.number("  proved bound", report.queued->proved_bound_steps);
  if (!report.cycles && report.analytic_cycles) table.text("cycles", "-");
  table.number("cycles", report.cycles);
  table.number("  formula", report.analytic_cycles);
  if (report.time_units) table.text("time units", fmt::format("{:g}", *report.time_units));
  if (report.queued) {
    if (!report.time_units) table.text("time units", "-");
    if (const auto lower = lower_bound_units(report)) {
      table.text("  lower bound", fmt::format("{:g}", *lower));
    }
    if (const auto bound = bound_units(report)) {
      table.text("  paper's bound", fmt::format("{:g}, prefix included", *bound));
    }
    if (const auto ratio = bound_ratio(report)) {
      table.text("  to lower bound", fmt::format("{:.3f}, prefix included", *ratio));
    }
  }
  table.number("link transfers", report.link_transfers);
  table.number("link conflicts", report.link_conflicts);
  table.number("duplicates", report.duplicates);
  table.number("longest queue", report.max_queue);
  if (report.queued) table.number("  built for", report.queued->queue_depth);
  if (report.dynamic) {
    table.text("stable below", fmt::format("load {:.6g}", report.dynamic->load_limit));
  }
  table.number("TCD", report.tcd);
  if (report.broadcast) {
    if (!report.broadcast->longest_hops.empty()) {
      table.text("longest sends",
                 fmt::format("{} hops", joined(report.broadcast->longest_hops, ", ")));
    }
    table.number("header bits", report.broadcast->header_bits);
    table.text("table bits",
               fmt::format("{} a node at most, {} in all", grouped(report.broadcast->table_bits),
                           grouped(report.broadcast->table_bits_all)));
  }
  if (report.physical) add_message(table, *report.physical);
  if (report.wall_seconds) table.text("wall time", fmt::format("{:.3g} s", *report.wall_seconds));
  if (report.router_cycles_per_second) {
    table.text("router-cycles", rate(*report.router_cycles_per_second));
  }
  if (report.proved_by) table.text("proved by", *report.proved_by);
  std::string text = table.take();
  if (report.dynamic) text += points_table(*report.dynamic);
  return text;
}

}  // namespace gossamer
