// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/physical.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/units.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/proof.hpp"
#include "text_table.hpp"

namespace gossamer {

namespace {

using compare::accepted;
using compare::aligned;
using compare::buildable_cell;
using compare::cell;
using compare::note;
using compare::Refusals;
using compare::TextRow;

/// Bits that a router of the plan stores.
std::uint64_t router_bits_of(const Plan& plan, const PhysicalFigures& figures) {
  const std::uint64_t bits = figures.given.link_bits;
  const RouterCost cost = plan.machine().cost(plan);
  if (cost.flits) return *cost.flits * bits;
  const bool in_rounds = figures.step_cycles && figures.given.latency == 1;
  // Streams are wired, and queues follow rules; others have a program.
  return cost.packets * (in_rounds ? 1 : figures.packet_flits) * bits + cost.rom_bits;
}

/// A plan's row. Steps are proved, not run: the plan may be large, and a run of it shows no more.
PhysicalComparisonRow plan_row(PlanRequest request, const PhysicalComparisonOptions& options) {
  PhysicalComparisonRow row;
  row.algorithm = request.algorithm;
  const PhysicalQuantities& given = options.quantities;
  const EnergyModel& energy = given.energy;
  request.parameters["bytes"] = static_cast<std::int64_t>(given.bytes);
  request.parameters["link-bits"] = std::int64_t{given.link_bits};
  request.parameters["clock"] = static_cast<std::int64_t>(given.hertz);
  if (given.latency > 1) {
    request.parameters["link-latency"] = std::int64_t{given.latency};
  }
  if (energy != EnergyModel{}) {
    request.parameters["energy"] =
        fmt::format("link={},router={},buffer={}", energy.link, energy.router, energy.buffer);
  }
  if (takes_option(request.collective, request.algorithm, "source")) {
    request.parameters["source"] = node_text(request.topology, options.source);
  }
  try {
    const Plan plan = make_plan(request);
    const Report report = prove(plan, {});
    row.steps = report.steps;
    row.figures = report.physical.value();
    row.packets_per_node = row.figures.packets;
    row.router_bits = router_bits_of(plan, row.figures);
    row.unbuildable = unbuildable_reason(plan);
    if (!report.cycles) {
      row.refusal = request.algorithm + ": cycles of messages of many flits are not known";
    }
  } catch (const InfeasibleError& error) {
    row.refusal = error.what();
  } catch (const InputError& error) {
    // The message may be longer than the discipline's limit.
    row.refusal = error.what();
  }
  return row;
}

Demand demand_of(const std::string& collective, NodeId source) {
  if (collective == "gossip") return Demand::all_gather(1);
  if (collective == "broadcast") return Demand::broadcast(source);
  if (collective == "all-to-all") return Demand::all_to_all();
  const Destination to = collective == "reduce"           ? Destination::kRoot
                         : collective == "reduce-scatter" ? Destination::kOwner
                                                          : Destination::kEveryNode;
  return Demand::combined(to, Operation::kSum, 1, collective == "reduce" ? source : 0);
}

/// One order of unicasts, simulated.
PhysicalComparisonRow conventional_row(const PhysicalComparison& comparison, wormhole::Order order,
                                       const PhysicalComparisonOptions& options) {
  const Topology& topology = comparison.topology;
  const std::string& collective = comparison.collective;
  PhysicalComparisonRow row;
  row.algorithm = fmt::format("wormhole {}", wormhole::order_name(order));
  wormhole::Messages messages = options.messages;
  messages.flits = options.quantities.flits();
  if (collective == "all-to-all") {
    // A node's message is for all others together.
    messages.flits = bounds::ceil_div(messages.flits, topology.nodes() - std::uint64_t{1});
  }
  messages.source = options.source;
  wormhole::Router router = options.router;
  if (options.quantities.latency > 1) router.link_latency = options.quantities.latency;
  wormhole::UnicastRun run;
  try {
    run = wormhole::run_unicasts(topology, router, collective, order, messages, options.progress);
  } catch (const InfeasibleError& error) {
    row.refusal = error.what();
    return row;
  }
  row.router_bits = (static_cast<std::uint64_t>(topology.ports()) + 1) * router.channels *
                    router.buffer * options.quantities.link_bits;
  PhysicalFigures& figures = row.figures;
  figures.given = options.quantities;
  figures.packet_flits = run.packet_flits;
  figures.nodes = topology.nodes();
  figures.links = topology.links();
  figures.delivered_bytes =
      delivered_bytes(topology, demand_of(collective, options.source), options.quantities.bytes);
  figures.lower_bound_cycles = comparison.lower_bound_cycles;
  if (run.complete) figures.cycles = run.cycles;
  // A flit is written into a buffer in every router that it comes to, read for each link and each
  // end of its way, and passes a switch for each link and each node that it goes to.
  figures.events = FlitEvents{run.flit_hops, run.flit_hops + run.ejected,
                              run.flit_hops + run.injected + run.buffer_reads};
  return row;
}

/// "98.4", "-".
std::string percent(const std::optional<double>& part) {
  return part ? fmt::format("{:.1f}", 100 * *part) : "-";
}

std::string scaled(const std::optional<double>& value, double unit) {
  return value ? fmt::format("{:.4g}", *value / unit) : "-";
}

TextRow physical_cells(const PhysicalComparisonRow& row) {
  const PhysicalFigures& figures = row.figures;
  const auto seconds = figures.seconds();
  return {
      row.algorithm,
      fmt::format("{} x {}", row.packets_per_node ? std::to_string(*row.packets_per_node) : "n",
                  figures.packet_flits),
      cell(row.steps),
      figures.cycles ? grouped(*figures.cycles) : "-",
      seconds ? with_prefix(*seconds, "s") : "-",
      percent(figures.fraction_of_bound()),
      percent(figures.utilization()),
      scaled(figures.node_bytes_per_second(), 1e9),
      scaled(figures.picojoules_per_bit(), 1),
      row.router_bits ? fmt::format("{:.4g}", static_cast<double>(*row.router_bits) / 1000) : "-",
      buildable_cell(row.unbuildable)};
}

}  // namespace

PhysicalComparison compare_physical(const Topology& topology, const std::string& collective,
                                    const PhysicalComparisonOptions& options) {
  if (wormhole::orders_of(collective).empty()) {
    throw InputError(
        fmt::format("{}: bytes are compared for gossip (all-gather), broadcast, reduce-scatter, "
                    "all-reduce, reduce and all-to-all",
                    collective));
  }
  if (options.conventional) wormhole::require_possible(options.router, topology);
  PhysicalComparison comparison{
      topology,
      collective,
      options.quantities,
      flit_lower_bound(topology, demand_of(collective, options.source), options.quantities.flits()),
      {}};
  std::vector<std::string> names = options.algorithms;
  if (names.empty()) {
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective == collective) names.emplace_back(algorithm.name);
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (options.progress) options.progress(names[i], i, names.size());
    comparison.rows.push_back(
        plan_row({topology, collective, names[i], {}, options.progress}, options));
    if (collective != "gossip" || !takes_option(collective, names[i], "packets")) continue;
    PlanRequest request{topology, collective, names[i], {}, options.progress};
    request.parameters["packets"] = packets_for_every_port(topology);
    PhysicalComparisonRow row = plan_row(std::move(request), options);
    if (row.refusal.empty() && row.packets_per_node != comparison.rows.back().packets_per_node) {
      comparison.rows.push_back(std::move(row));
    }
  }
  if (!options.conventional) return comparison;
  for (const wormhole::Order order : wormhole::orders_of(collective)) {
    comparison.rows.push_back(conventional_row(comparison, order, options));
  }
  return comparison;
}

std::string comparison_table(const PhysicalComparison& comparison, const TableStyle& style) {
  const PhysicalQuantities& given = comparison.quantities;
  std::string text = fmt::format("{} of {} per node on the {} {}: {} flits of {} bits, {}\n",
                                 field_name(comparison.collective), bytes_text(given.bytes),
                                 comparison.topology.dims_text(), comparison.topology.kind(),
                                 grouped(given.flits()), given.link_bits,
                                 with_prefix(static_cast<double>(given.hertz), "Hz"));
  if (comparison.lower_bound_cycles) {
    text += fmt::format("lower bound: {} cycles, {}\n", grouped(*comparison.lower_bound_cycles),
                        with_prefix(static_cast<double>(*comparison.lower_bound_cycles) /
                                        static_cast<double>(given.hertz),
                                    "s"));
  }
  Refusals refusals;
  const std::vector<TextRow> rows =
      accepted({"algorithm", "packets", "steps", "cycles", "time", "bound %", "links %", "GB/s",
                "pJ/bit", "kbit", "buildable"},
               comparison.rows, physical_cells, refusals);
  return text + aligned(rows, style) +
         note(
             "packets: per node, x the flits of the longest (wormhole: cut by software, with the "
             "head); bound: the fewest cycles over these; links: fraction of the links' cycles in "
             "use; GB/s: a node's message over the time; pJ/bit: energy per bit delivered; kbit: "
             "storage of a router, flits and program",
             style) +
         note(
             fmt::format("energy: link {}, router {}, buffer {} fJ per bit ({})", given.energy.link,
                         given.energy.router, given.energy.buffer, given.energy.source),
             style) +
         refusals.text(style);
}

std::string comparison_json(const PhysicalComparison& comparison) {
  const PhysicalQuantities& given = comparison.quantities;
  nlohmann::ordered_json json;
  json["collective"] = comparison.collective;
  add_network(json, comparison.topology);
  json["bytes"] = given.bytes;
  json["link_bits"] = given.link_bits;
  json["clock_hertz"] = given.hertz;
  json["flits"] = given.flits();
  json["lower_bound_cycles"] = or_null(comparison.lower_bound_cycles);
  json["energy"] = {{"link_femtojoules_per_bit", given.energy.link},
                    {"router_femtojoules_per_bit", given.energy.router},
                    {"buffer_femtojoules_per_bit", given.energy.buffer},
                    {"source", given.energy.source}};
  json["rows"] = nlohmann::ordered_json::array();
  for (const PhysicalComparisonRow& row : comparison.rows) {
    const PhysicalFigures& figures = row.figures;
    nlohmann::ordered_json item;
    item["algorithm"] = row.algorithm;
    item["refusal"] = text_or_null(row.refusal);
    item["packets_per_node"] = or_null(row.packets_per_node);
    item["packet_flits"] =
        or_null(row.refusal.empty() ? std::optional(figures.packet_flits) : std::nullopt);
    item["steps"] = or_null(row.steps);
    item["cycles"] = or_null(figures.cycles);
    item["seconds"] = or_null(figures.seconds());
    item["router_bits"] = or_null(row.router_bits);
    item["buildable"] = buildable_json(row.unbuildable);
    item["flit_hops"] =
        or_null(figures.events ? std::optional(figures.events->links) : std::nullopt);
    item["node_bytes_per_second"] = or_null(figures.node_bytes_per_second());
    item["bytes_per_second"] = or_null(figures.bytes_per_second());
    item["link_utilization"] = or_null(figures.utilization());
    item["fraction_of_bound"] = or_null(figures.fraction_of_bound());
    item["picojoules_per_bit"] = or_null(figures.picojoules_per_bit());
    json["rows"].push_back(std::move(item));
  }
  return dump_json(json, 2) + "\n";
}

}  // namespace gossamer
