// SPDX-License-Identifier: Apache-2.0
#include "gossamer/report/report.hpp"

#include <fmt/format.h>

#include <utility>

#include "gossamer/bounds/faults.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/report/energy_json.hpp"
#include "gossamer/report/network_json.hpp"
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

/// The run was requested to end before the plan does, so it does not judge the plan.
bool is_cut_short(const Report& report) {
  return report.given_up_after && report.analytic_steps &&
         *report.given_up_after < *report.analytic_steps;
}

}  // namespace

void ReportTable::text(std::string_view name, const std::string& value) {
  // A line of a narrow terminal is 80 characters.
  for (const std::string& line : wrapped(value, 80 - 21)) {
    lines_ += fmt::format("  {:<18} {}\n", std::exchange(name, ""), line);
  }
}

void ReportTable::number(std::string_view name, const std::optional<std::uint64_t>& value) {
  if (value) text(name, grouped(*value));
}

namespace {

void set_physical(const Plan& plan, const PhysicalQuantities& given, Report& report) {
  report.physical = physical_figures(plan, given);
  if (report.analytic_cycles) {
    report.analytic_cycles = report.physical->in_cycles(*report.analytic_cycles);
  }
  add_physical(report);
}

}  // namespace

Report report_for(const Plan& plan, const std::string& engine) {
  Report report;
  report.collective = plan.collective;
  report.algorithm = plan.algorithm;
  report.topology = plan.topology.kind();
  report.dims = plan.topology.sides();
  report.nodes = plan.topology.nodes();
  if (report.topology == "grid") report.wrap = plan.topology.wrap_names();
  if (!plan.topology.is_healthy()) report.faults = fault_figures(plan);
  if (!plan.topology.has_equal_links()) report.link_periods = plan.topology.link_periods();
  report.engine = engine;
  report.packets = plan.demand.pieces_in_all(plan.topology.cores());
  report.packets_per_node = plan.demand.ids_per_node(report.nodes);
  report.part = plan.machine().report_part(plan);
  report.combines = plan.demand.combines();
  if (report.combines && is_float(plan.demand.type)) {
    SumFigures& sums = report.sums.emplace();
    sums.type = word_type_name(plan.demand.type);
    sums.accumulate = word_type_name(plan.demand.accumulate);
    sums.length_invariant = plan.expected.length_invariant.value_or(false);
    if (sums.length_invariant) sums.period = plan.expected.sum_period;
  }
  for (const PlanMember& member : members_of(plan)) {
    report.members.push_back(report_for(member.plan, engine));
  }
  report.analytic_steps = plan.expected.analytic_steps;
  report.lower_bound_steps = plan.expected.lower_bound_steps;
  report.bound_steps = plan.expected.bound_steps;
  report.analytic_cycles = plan.expected.analytic_cycles;
  if (const auto given = quantities_of(plan)) {
    set_physical(plan, *given, report);
    // The operands of a product have blocks of one length.
    for (std::size_t i = 0; i < report.members.size(); ++i) {
      set_physical(members_of(plan)[i].plan, *given, report.members[i]);
    }
  }
  return report;
}

void add_physical(Report& report) {
  if (!report.physical) return;
  const bool measured = report.cycles.has_value();
  report.physical->measure(measured ? report.cycles : report.analytic_cycles, report.link_transfers,
                           report.die_transfers);
}

void check_figures(Report& report) {
  const auto broken = [&report](std::string text) { report.problems.push_back(std::move(text)); };
  if (report.complete && !*report.complete) {
    if (!report.given_up_after) {
      broken("incomplete: some node never receives all packets");
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
  if (report.part) report.part->check(report);
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
  nlohmann::ordered_json energy = energy_json(given.energy);
  if (figures.additions) add_addition(energy, given.energy, figures.add_femtojoules);
  energy.update({{"link_flits", flits(&FlitEvents::links)},
                 {"router_flits", flits(&FlitEvents::routers)},
                 {"buffer_flits", flits(&FlitEvents::buffers)}});
  if (given.energy.die) energy["die_flits"] = flits(&FlitEvents::dies);
  if (figures.additions) energy["add_flits"] = flits(&FlitEvents::additions);
  energy["femtojoules"] = or_null(figures.femtojoules());
  energy["picojoules_per_bit"] = or_null(figures.picojoules_per_bit());
  json["energy"] = std::move(energy);
  return json;
}

/// Bytes, time, rates and energy, for people.
void add_message(ReportTable& table, const PhysicalFigures& figures) {
  const PhysicalQuantities& given = figures.given;
  table.text("message",
             fmt::format("{} per node: {} flits of {} bits, in {} of {}", bytes_text(given.bytes),
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
      fmt::format("{} per node{}", with_prefix(*figures.node_bytes_per_second(), "B/s"),
                  total ? fmt::format(", {} delivered in all", with_prefix(*total, "B/s")) : ""));
  if (const auto busy = figures.utilization()) {
    table.text("  links busy", fmt::format("{:.1f} %", 100 * *busy));
  }
  const auto energy = figures.femtojoules();
  if (!energy) return;
  const auto bit = figures.picojoules_per_bit();
  table.text("  energy",
             fmt::format("{}{}", with_prefix(*energy * 1e-15, "J"),
                         bit ? fmt::format(", {:.4g} pJ per delivered bit", *bit) : ""));
  std::optional<std::uint32_t> addition;
  if (figures.additions) addition = figures.add_femtojoules;
  table.text("    of a bit", energies_text(given.energy, addition) + " fJ");
  table.text("    source", energies_source(given.energy, addition.has_value()));
}

nlohmann::ordered_json sums_json(const SumFigures& sums) {
  nlohmann::ordered_json json;
  json["type"] = sums.type;
  json["accumulate"] = sums.accumulate;
  json["trees"] = or_null(sums.trees);
  json["depth"] = or_null(sums.depth);
  json["same_at_every_node"] = or_null(sums.same_at_every_node);
  json["length_invariant"] = sums.length_invariant;
  json["period"] = or_null(sums.period);
  json["digest"] = or_null(sums.digest);
  return json;
}

/// "128 trees, the same at every node, depth 32; length-invariant, period 128".
std::string sums_text(const SumFigures& sums) {
  std::string text = sums.trees ? fmt::format("{}, the same at every node, depth {}",
                                              counted(*sums.trees, "tree"), *sums.depth)
                                : "of " + sums.type;
  if (sums.length_invariant) text += "; length-invariant";
  if (sums.period) text += fmt::format(", period {}", *sums.period);
  return text;
}

nlohmann::ordered_json json_of(const Report& report) {
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
  if (report.link_periods) {
    json["link_periods"] = link_periods_json(*report.link_periods);
    json["busy_link_steps"] = or_null(report.busy_link_steps);
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
  json["buildable"] = buildable_json(report.unbuildable);
  if (report.part) report.part->add_json(report, json);
  if (report.physical) json["physical"] = physical_json(*report.physical);
  if (report.missing) json["missing"] = *report.missing;
  if (report.combines) json["sums"] = report.sums ? sums_json(*report.sums) : nullptr;
  if (report.proved_by) json["proved_by"] = *report.proved_by;
  if (report.faults && !report.faults->bound_set.empty()) {
    json["lower_bound_set"] = report.faults->bound_set;
  }
  for (const Report& member : report.members) json["members"].push_back(json_of(member));
  return json;
}

/// A line for each of several collectives.
void add_members(ReportTable& table, const Report& report) {
  for (std::size_t i = 0; i < report.members.size(); ++i) {
    const Report& member = report.members[i];
    std::string line = fmt::format("{} ({})", field_name(member.collective), member.algorithm);
    if (const auto steps = member.steps ? member.steps : member.analytic_steps) {
      line += ", " + counted(*steps, "step");
    }
    if (member.lower_bound_steps) line += fmt::format(", bound {}", *member.lower_bound_steps);
    if (member.complete && !*member.complete) line += ", NOT complete";
    table.text(fmt::format("member {}", i), line);
  }
}

}  // namespace

std::string report_json(const Report& report) { return dump_json(json_of(report), 2) + "\n"; }

std::string message_summary(const PhysicalFigures& figures) {
  std::string text = bytes_text(figures.given.bytes) + " per node";
  if (!figures.cycles) return text;
  text += fmt::format(" in {} ({} cycles at {}), {} per node", with_prefix(*figures.seconds(), "s"),
                      grouped(*figures.cycles),
                      with_prefix(static_cast<double>(figures.given.hertz), "Hz"),
                      with_prefix(*figures.node_bytes_per_second(), "B/s"));
  if (const auto busy = figures.utilization()) {
    text += fmt::format(", links busy {:.1f} %", 100 * *busy);
  }
  if (const auto bit = figures.picojoules_per_bit()) {
    text += fmt::format(", {:.4g} pJ per delivered bit", *bit);
  }
  return text;
}

std::string report_table(const Report& report) {
  ReportTable table;
  table.text("collective", fmt::format("{} ({})", field_name(report.collective), report.algorithm));
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
               fmt::format("{} ({} per node)", grouped(*report.packets), *report.packets_per_node));
  }
  if (report.part) report.part->add_planned(report, table);
  add_members(table, report);
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
  if (!report.cycles && report.analytic_cycles) table.text("cycles", "-");
  table.number("cycles", report.cycles);
  table.number("  formula", report.analytic_cycles);
  if (report.time_units) table.text("time units", fmt::format("{:g}", *report.time_units));
  table.number("link transfers", report.link_transfers);
  table.number("link conflicts", report.link_conflicts);
  table.number("duplicates", report.duplicates);
  table.number("longest queue", report.max_queue);
  table.number("TCD", report.tcd);
  if (!report.longest_hops.empty()) {
    table.text("longest sends", fmt::format("{} hops", joined(report.longest_hops, ", ")));
  }
  if (report.part) report.part->add_measured(report, table);
  if (report.physical) add_message(table, *report.physical);
  if (report.wall_seconds) table.text("wall time", fmt::format("{:.3g} s", *report.wall_seconds));
  if (report.router_cycles_per_second) {
    table.text("router-cycles", rate(*report.router_cycles_per_second));
  }
  if (report.unbuildable && !report.unbuildable->empty()) {
    table.text("buildable", "no: " + *report.unbuildable);
  }
  if (report.sums && report.sums->same_at_every_node.value_or(true)) {
    table.text("sums", sums_text(*report.sums));
  }
  if (report.proved_by) table.text("proved by", *report.proved_by);
  return table.take() + (report.part ? report.part->text_behind() : "");
}

}  // namespace gossamer
