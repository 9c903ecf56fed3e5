// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/physical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/link_words.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/planner/requested_groups.hpp"
#include "gossamer/report/energy_json.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/judge.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/run.hpp"
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

constexpr const char* kPace = "pace";
/// Steps times links of the largest run that counts the transfers between chiplets.
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 28U;

/// The transfers between the chiplets of `topology` in a run of a plan for equal links; empty if
/// the run is long.
std::optional<std::uint64_t> transfers_between_dies(const Plan& plan, const Topology& topology) {
  const std::uint64_t steps = step_limit(plan);
  if (steps > kMostCounted / topology.link_slots()) return std::nullopt;
  LinkCounter counter(topology);
  Judge judge(plan);
  ObserverList both;
  both.add(&judge);
  both.add(&counter);
  watch(*make_fast_engine(plan), steps, both);
  return counter.die_transfers();
}

/// Turns the figures of a plan for equal links into those of the slowest pace: every step takes as
/// long as the slowest link of `topology`.
void slow_down(const Plan& plan, const Topology& topology, const PhysicalQuantities& given,
               PhysicalComparisonRow& row, std::optional<std::uint64_t> link_transfers) {
  const std::uint64_t period = topology.slowest_period();
  row.algorithm = fmt::format("{} ({})", compare::kSlowestRow, plan.algorithm);
  if (row.steps) *row.steps *= period;
  std::optional<std::uint64_t> cycles = row.figures.cycles;
  if (cycles) *cycles *= period;
  std::optional<std::uint64_t> between;
  if (given.energy.die) between = transfers_between_dies(plan, topology);
  row.figures.given = given;
  row.figures.flits_per_cycle = transfers_per_step(topology);
  row.figures.lower_bound_cycles = flit_lower_bound(topology, plan.demand, given.flits());
  row.figures.measure(cycles, link_transfers, between);
}

/// A plan's row. Steps are proved, not run: the plan may be large, and a run of it shows no more.
PhysicalComparisonRow plan_row(PlanRequest request, const PhysicalComparisonOptions& options) {
  PhysicalComparisonRow row;
  row.algorithm = request.algorithm;
  const bool slow = request.parameters.contains(kPace);
  PhysicalQuantities quantities = options.quantities;
  // The plan for equal links knows no chiplets.
  if (slow) quantities.energy.die.reset();
  add_message(request, quantities);
  const std::optional<Groups>& groups = options.messages.groups;
  request_groups(request, groups);
  if (takes_option(request.collective, request.algorithm, "source")) {
    request.parameters["source"] =
        groups ? member_text(*groups, options.source) : node_text(request.topology, options.source);
  }
  try {
    const Plan plan = make_plan(request);
    const Report report = prove(plan, {});
    row.steps = report.steps;
    row.figures = report.physical.value();
    row.packets_per_node = row.figures.packets;
    if (slow) {
      slow_down(plan, request.topology, options.quantities, row, report.link_transfers);
    }
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

/// The demand of one group of all nodes.
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
  PhysicalComparisonRow row;
  row.algorithm = fmt::format("wormhole {}", wormhole::order_name(order));
  try {
    row.figures = conventional_figures(comparison.topology, comparison.collective, order, options);
  } catch (const InfeasibleError& error) {
    row.refusal = error.what();
    return row;
  }
  row.figures.lower_bound_cycles = comparison.lower_bound_cycles;
  row.router_bits = (static_cast<std::uint64_t>(comparison.topology.ports()) + 1) *
                    options.router.channels * options.router.buffer * options.quantities.link_bits;
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

const PhysicalComparisonRow* fastest(std::span<const PhysicalComparisonRow> rows, bool buildable) {
  const PhysicalComparisonRow* best = nullptr;
  for (const PhysicalComparisonRow& row : rows) {
    if (!row.refusal.empty() || !row.figures.cycles) continue;
    if (buildable && row.unbuildable.value_or("unknown") != "") continue;
    if (best == nullptr || *row.figures.cycles < *best->figures.cycles) best = &row;
  }
  return best;
}

/// Whether the plan is faster than all orders, for the message of `options`.
bool wins(const PhysicalComparison& comparison, const PlanRequest& request,
          const PhysicalComparisonOptions& options, const std::vector<wormhole::Order>& orders) {
  const PhysicalComparisonRow plan = plan_row(request, options);
  if (!plan.refusal.empty() || !plan.figures.cycles) return false;
  for (const wormhole::Order order : orders) {
    const auto rival = conventional_row(comparison, order, options).figures.cycles;
    if (rival && *rival <= *plan.figures.cycles) return false;
  }
  return true;
}

/// Plans `best` for 1, 4, 16, ... flits up to the comparison's size.
Crossover crossover_of(const PhysicalComparison& comparison, const PlanRequest& best,
                       PhysicalComparisonOptions options,
                       const std::vector<wormhole::Order>& orders) {
  Crossover crossover{best.algorithm, {}};
  const std::uint64_t all = options.quantities.flits();
  if (*comparison.fastest_plan()->figures.cycles >=
      *comparison.fastest_conventional()->figures.cycles) {
    return crossover;
  }
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t flits = 1; flits < all; flits *= 4) sizes.push_back(flits);
  crossover.flits = all;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
    options.quantities.bytes = std::max<std::uint64_t>(1, *size * options.quantities.link_bits / 8);
    if (!wins(comparison, best, options, orders)) break;
    crossover.flits = options.quantities.flits();
  }
  return crossover;
}

/// Of the plans for equal links at the slowest pace the one with the fewest cycles, as it was
/// requested, and its row; the first of `requests` if none has cycles.
std::pair<PlanRequest, PhysicalComparisonRow> fastest_at_slowest_pace(
    const std::vector<PlanRequest>& requests, const PhysicalComparisonOptions& options) {
  const auto cycles = [](const PhysicalComparisonRow& row) {
    return row.refusal.empty() ? row.figures.cycles.value_or(~std::uint64_t{0}) : ~std::uint64_t{0};
  };
  std::optional<std::pair<PlanRequest, PhysicalComparisonRow>> best;
  for (PlanRequest request : requests) {
    request.parameters[kPace] = std::string(compare::kSlowestRow);
    PhysicalComparisonRow row = plan_row(request, options);
    if (!best || cycles(row) < cycles(best->second)) {
      best.emplace(std::move(request), std::move(row));
    }
  }
  return *std::move(best);
}

std::string crossover_text(const Crossover& crossover) {
  if (!crossover.flits) {
    return fmt::format("the conventional network is as fast as hardwired ({}), or faster",
                       crossover.algorithm);
  }
  return fmt::format("hardwired ({}) is faster from {} {} on", crossover.algorithm,
                     grouped(*crossover.flits), *crossover.flits == 1 ? "flit" : "flits");
}

/// Reductions: the energy of an addition, in femtojoules per bit.
std::optional<std::uint32_t> addition_of(const PhysicalComparison& comparison) {
  if (!demand_of(comparison.collective, 0).combines()) return std::nullopt;
  return comparison.quantities.energy.add.value_or(kIntegerAddition);
}

}  // namespace

std::vector<std::string_view> compared_collectives() {
  std::vector<std::string_view> names;
  for (const Collective& collective : collectives()) {
    if (wormhole::orders_of(collective.name).empty()) continue;
    names.push_back(field_name(collective.name));
  }
  return names;
}

void add_message(PlanRequest& request, const PhysicalQuantities& given) {
  auto& options = request.parameters;
  options["bytes"] = static_cast<std::int64_t>(given.bytes);
  options["link-bits"] = std::int64_t{given.link_bits};
  options["clock"] = static_cast<std::int64_t>(given.hertz);
  if (given.latency > 1) options["link-latency"] = std::int64_t{given.latency};
  if (const EnergyModel& energy = given.energy; energy != EnergyModel{}) {
    std::string text =
        fmt::format("link={},router={},buffer={}", energy.link, energy.router, energy.buffer);
    if (energy.die) text += fmt::format(",die={}", *energy.die);
    if (energy.add) text += fmt::format(",add={}", *energy.add);
    options["energy"] = std::move(text);
  }
  const auto link_bits = static_cast<int>(given.link_bits);
  const int word_bits = usual_word_bits(WordType::kUint, link_bits);
  const bool has_words =
      std::any_of(algorithms().begin(), algorithms().end(), [&request](const Algorithm& algorithm) {
        return algorithm.collective == collective_name(request.collective) &&
               (request.algorithm.empty() || request.algorithm == algorithm.name) &&
               has_word(algorithm.options, "word-bits");
      });
  if (has_words && link_bits % word_bits != 0) {
    options["word-bits"] = std::int64_t{nearest_word_bits(link_bits, word_bits)};
  }
}

PhysicalFigures conventional_figures(const Topology& topology, const std::string& collective,
                                     wormhole::Order order,
                                     const PhysicalComparisonOptions& options) {
  Demand demand = demand_of(collective, options.source);
  demand.groups = options.messages.groups;
  wormhole::Messages messages = options.messages;
  messages.flits = options.quantities.flits();
  if (collective == "all-to-all") {
    // A node's message is for all others together.
    messages.flits =
        bounds::ceil_div(messages.flits, demand.members(topology.nodes()) - std::uint64_t{1});
  }
  messages.source = options.source;
  wormhole::Router router = options.router;
  if (options.quantities.latency > 1) router.link_latency = options.quantities.latency;
  const wormhole::UnicastRun run =
      wormhole::run_unicasts(topology, router, collective, order, messages, options.progress);
  PhysicalFigures figures;
  figures.given = options.quantities;
  figures.packet_flits = run.packet_flits;
  figures.nodes = topology.nodes();
  figures.links = topology.links();
  if (!topology.has_equal_links()) figures.flits_per_cycle = transfers_per_step(topology);
  figures.delivered_bytes = delivered_bytes(topology, demand, options.quantities.bytes);
  if (run.complete) figures.cycles = run.cycles;
  // A flit is written into a buffer in every router that it comes to, read for each link and each
  // end of its way, and passes a switch for each link and each node that it goes to.
  figures.events = FlitEvents{run.flit_hops, run.flit_hops + run.ejected,
                              run.flit_hops + run.injected + run.buffer_reads};
  if (options.quantities.energy.die) figures.events->dies = run.die_flit_hops;
  if (demand.combines()) {
    // Software adds every node's vector to another one's once, except for one node per sum.
    const std::uint64_t members = demand.members(topology.nodes());
    figures.additions = options.quantities.flits() * (members - 1) * (topology.nodes() / members);
    figures.events->additions = *figures.additions;
    figures.add_femtojoules = options.quantities.energy.add.value_or(kIntegerAddition);
  }
  return figures;
}

const PhysicalComparisonRow* PhysicalComparison::fastest_plan(bool buildable) const {
  return fastest(std::span(rows).first(rows.size() - conventional_rows), buildable);
}

const PhysicalComparisonRow* PhysicalComparison::fastest_conventional() const {
  return fastest(std::span(rows).last(conventional_rows), false);
}

PhysicalComparison compare_physical(const Topology& topology, const std::string& collective,
                                    const PhysicalComparisonOptions& options) {
  if (wormhole::orders_of(collective).empty()) {
    throw InputError(fmt::format("{}: --bytes is supported for {}", collective,
                                 compare::listed(compared_collectives())));
  }
  if (options.conventional) wormhole::require_possible(options.router, topology);
  const std::optional<Groups>& groups = options.messages.groups;
  Demand demand = demand_of(collective, options.source);
  demand.groups = groups;
  PhysicalComparison comparison{topology,
                                collective,
                                options.quantities,
                                flit_lower_bound(topology, demand, options.quantities.flits()),
                                {}};
  comparison.groups = groups;
  std::vector<std::string> names = options.algorithms;
  if (names.empty()) {
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective == collective) names.emplace_back(algorithm.name);
    }
  }
  std::vector<PlanRequest> requests;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (options.progress) options.progress(names[i], i, names.size());
    requests.push_back({topology, collective, names[i], {}, options.progress});
    comparison.rows.push_back(plan_row(requests.back(), options));
    if (collective != "gossip" || !takes_option(collective, names[i], "packets")) continue;
    PlanRequest request{topology, collective, names[i], {}, options.progress};
    request.parameters["packets"] =
        packets_for_every_port(groups ? group_network(topology, *groups) : topology);
    PhysicalComparisonRow row = plan_row(request, options);
    if (row.refusal.empty() && row.packets_per_node != comparison.rows.back().packets_per_node) {
      comparison.rows.push_back(std::move(row));
      requests.push_back(std::move(request));
    }
  }
  if (!topology.has_equal_links()) {
    auto [request, row] = fastest_at_slowest_pace(requests, options);
    requests.push_back(std::move(request));
    comparison.rows.push_back(std::move(row));
  }
  if (!options.conventional) return comparison;
  const std::vector<wormhole::Order> orders =
      options.orders.empty() ? wormhole::orders_of(collective, groups) : options.orders;
  for (const wormhole::Order order : orders) {
    comparison.rows.push_back(conventional_row(comparison, order, options));
  }
  comparison.conventional_rows = orders.size();
  if (!options.crossover) return comparison;
  const PhysicalComparisonRow* const best = comparison.fastest_plan();
  if (best == nullptr || comparison.fastest_conventional() == nullptr) return comparison;
  const auto number = static_cast<std::size_t>(best - comparison.rows.data());
  comparison.crossover = crossover_of(comparison, requests[number], options, orders);
  return comparison;
}

namespace {

/// "in groups of 4x4 with stride 2x2".
std::string in_groups(const Groups& groups) {
  return fmt::format(
      "in groups of {}{}", joined(groups.shape, "x"),
      groups.longest_stride() > 1 ? " with stride " + joined(groups.stride, "x") : "");
}

}  // namespace

std::string comparison_table(const PhysicalComparison& comparison, const TableStyle& style) {
  const PhysicalQuantities& given = comparison.quantities;
  std::string text = fmt::format("{} of {} per node{} on the {} {}: {} flits of {} bits, {}\n",
                                 field_name(comparison.collective), bytes_text(given.bytes),
                                 comparison.groups ? " " + in_groups(*comparison.groups) : "",
                                 comparison.topology.dims_text(), comparison.topology.kind(),
                                 grouped(given.flits()), given.link_bits,
                                 with_prefix(static_cast<double>(given.hertz), "Hz"));
  if (!comparison.topology.has_equal_links()) {
    text += link_periods_text(comparison.topology) + "\n";
  }
  if (comparison.lower_bound_cycles) {
    text += fmt::format("lower bound: {} cycles, {}\n", grouped(*comparison.lower_bound_cycles),
                        with_prefix(static_cast<double>(*comparison.lower_bound_cycles) /
                                        static_cast<double>(given.hertz),
                                    "s"));
  }
  const auto addition = addition_of(comparison);
  Refusals refusals;
  const std::vector<TextRow> rows =
      accepted({"algorithm", "packets", "steps", "cycles", "time", "bound %", "links %", "GB/s",
                "pJ/bit", "kbit", "buildable"},
               comparison.rows, physical_cells, refusals);
  if (comparison.crossover) text += crossover_text(*comparison.crossover) + "\n";
  return text + aligned(rows, style) +
         note(
             "packets: per node, x the flits of the longest (wormhole: cut by software, with the "
             "head); bound: the fewest cycles over these; links: fraction of the links' cycles in "
             "use; GB/s: a node's message over the time; pJ/bit: energy per bit delivered; kbit: "
             "storage of a router, flits and program",
             style) +
         note(fmt::format("energy: {} fJ per bit ({})", energies_text(given.energy, addition),
                          energies_source(given.energy, addition.has_value())),
              style) +
         refusals.text(style);
}

namespace {

nlohmann::ordered_json json_of(const PhysicalComparison& comparison) {
  const PhysicalQuantities& given = comparison.quantities;
  nlohmann::ordered_json json;
  json["collective"] = comparison.collective;
  add_network(json, comparison.topology);
  if (comparison.groups) {
    json["groups"] = joined(comparison.groups->shape, "x");
    json["group_stride"] = joined(comparison.groups->stride, "x");
  }
  json["bytes"] = given.bytes;
  json["link_bits"] = given.link_bits;
  json["clock_hertz"] = given.hertz;
  json["flits"] = given.flits();
  json["lower_bound_cycles"] = or_null(comparison.lower_bound_cycles);
  json["energy"] = energy_json(given.energy);
  if (const auto addition = addition_of(comparison)) {
    add_addition(json["energy"], given.energy, *addition);
  }
  json["crossover"] = nullptr;
  if (comparison.crossover) {
    json["crossover"] = {{"algorithm", comparison.crossover->algorithm},
                         {"flits", or_null(comparison.crossover->flits)}};
  }
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
  return json;
}

/// A JSON value as a field of a CSV line: null is empty, and text with commas is quoted.
std::string field(const nlohmann::ordered_json& value) {
  if (value.is_null()) return {};
  if (!value.is_string()) return value.dump();
  std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

}  // namespace

std::string comparison_json(const PhysicalComparison& comparison) {
  return dump_json(json_of(comparison), 2) + "\n";
}

std::string comparison_json(const std::vector<PhysicalComparison>& comparisons) {
  nlohmann::ordered_json json{{"comparisons", nlohmann::ordered_json::array()}};
  for (const PhysicalComparison& comparison : comparisons) {
    json["comparisons"].push_back(json_of(comparison));
  }
  return dump_json(json, 2) + "\n";
}

std::string comparison_csv(const std::vector<PhysicalComparison>& comparisons) {
  std::string csv;
  for (const PhysicalComparison& comparison : comparisons) {
    const nlohmann::ordered_json json = json_of(comparison);
    const std::string size =
        fmt::format("{},{},{},{}", field(json["collective"]), comparison.topology.dims_text(),
                    json["bytes"].dump(), json["flits"].dump());
    for (const nlohmann::ordered_json& row : json["rows"]) {
      if (csv.empty()) {
        csv = "collective,dims,bytes,flits";
        for (const auto& [name, value] : row.items()) csv += "," + name;
        csv += "\n";
      }
      csv += size;
      for (const auto& value : row) csv += "," + field(value);
      csv += "\n";
    }
  }
  return csv;
}

}  // namespace gossamer
