// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/gossip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/ring.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/judge.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/verify.hpp"
#include "text_table.hpp"

namespace gossamer {

using compare::accepted;
using compare::aligned;
using compare::buildable_cell;
using compare::cell;
using compare::note;
using compare::Refusals;
using compare::TextRow;

namespace {

/// Memory limit of the judge, which must fit next to everything else.
constexpr std::uint64_t kJudgeLimitBytes = std::uint64_t{1} << 30;

// --- measuring ----------------------------------------------------------------------------------

bool small_enough(const Plan& plan, std::uint64_t limit) {
  if (Judge::memory_bytes(plan) > kJudgeLimitBytes) {
    return false;
  }
  // Without a formula, one packet after the other around a cycle is a fair guess.
  const std::uint64_t steps = plan.expected.analytic_steps.value_or(
      std::uint64_t{packets_per_node(plan)} * plan.topology.nodes());
  return steps <= limit / plan.topology.link_slots();
}

void measure(const Plan& plan, const GossipComparisonOptions& options, GossipComparisonRow& row) {
  MeasuredBy by = MeasuredBy::kProof;
  if (options.measure) {
    by = MeasuredBy::kCaller;
    row.steps = options.measure(plan);
  } else if (small_enough(plan, options.simulation_limit)) {
    by = MeasuredBy::kSimulation;
    RunOptions run;
    run.judged = true;
    row.steps = run_plan(plan, *make_fast_engine(plan), run).steps;
  } else {
    row.steps = verify(plan).steps;
  }
  if (row.steps) row.measured_by = by;
}

/// The side of the paper's last axis x_d, from a name such as "y" or "d4" after the last comma of
/// the plan's "axes".
std::uint32_t last_side(const Plan& plan) {
  const auto& axes = std::get<std::string>(plan.parameters.at("axes"));
  const std::size_t comma = axes.rfind(',');
  const std::string last = comma == std::string::npos ? axes : axes.substr(comma + 1);
  for (int dim = 0; dim < plan.topology.dimensions(); ++dim) {
    if (port_name(make_port(dim, true)) == last + "+") return plan.topology.side(dim);
  }
  throw std::logic_error("one-packet plan: unknown axis " + last);
}

/// The paper's formula for the plan's algorithm at a start-up time, and its name; empty without
/// one.
struct PaperFormula {
  std::string_view name;
  std::function<double(double startup)> time;
};
PaperFormula paper_formula(const Plan& plan) {
  const int d = plan.topology.dimensions();
  const double nodes = plan.topology.nodes();
  if (plan.algorithm == "hamiltonian" && packets_per_node(plan) == static_cast<std::uint32_t>(d)) {
    return {"T_opt", [=](double startup) { return bounds::time_optimal(nodes, d, startup); }};
  }
  // The formula speaks of the plan with the switch.
  if (plan.algorithm == "one-packet" &&
      plan.parameters.at("time-independent") == ParameterValue{false}) {
    const double side = last_side(plan);
    return {"T_one",
            [=](double startup) { return bounds::time_one_packet(nodes, side, d, startup); }};
  }
  if (plan.algorithm == "scheduled" && plan.topology.is_torus() && plan.topology.is_healthy()) {
    return {"T_stv", [=](double startup) { return bounds::time_scheduled(nodes, d, startup); }};
  }
  return {};
}

void apply_cost_model(const Plan& plan, const std::vector<double>& startups,
                      GossipComparisonRow& row) {
  const PaperFormula formula = paper_formula(plan);
  row.paper_formula = formula.name;
  for (const double startup : startups) {
    GossipTime time{startup, {}, {}};
    if (row.steps) {
      time.measured = static_cast<double>(*row.steps) * (1.0 / row.packets_per_node + startup);
    }
    if (formula.time) time.paper = formula.time(startup);
    row.times.push_back(time);
  }
}

GossipComparisonRow compare_one(const Topology& topology, const std::string& algorithm,
                                const GossipComparisonOptions& options) {
  GossipComparisonRow row;
  row.algorithm = algorithm;
  const bool slowest = algorithm == compare::kSlowestRow && !topology.has_equal_links();
  const std::uint64_t period = slowest ? topology.slowest_period() : 1;
  try {
    const Plan plan = make_plan({slowest ? topology.with_equal_links() : topology,
                                 "gossip",
                                 slowest ? "" : algorithm,
                                 {},
                                 options.progress});
    row.planned_by = plan.algorithm;
    row.packets_per_node = packets_per_node(plan);
    row.formula = plan.expected.analytic_steps;
    if (row.formula) *row.formula *= period;
    row.lower_bound = slowest ? bounds::gossip_lower_bound(topology, row.packets_per_node)
                              : plan.expected.lower_bound_steps;
    const RouterCost cost = plan.machine().cost(plan);
    row.buffer_packets = cost.packets;
    row.table_bits = cost.table_bits;
    row.unbuildable = unbuildable_reason(plan);
    if (runs_on_two_hamiltonian_cycles(plan)) {
      row.theorem1 = bounds::theorem1_bound(topology.nodes());
    }
    measure(plan, options, row);
    if (row.steps) *row.steps *= period;
    apply_cost_model(plan, options.startups, row);
  } catch (const InfeasibleError& error) {
    row.refusal = error.what();
  }
  return row;
}

// --- text ---------------------------------------------------------------------------------------

std::string time_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}", *value) : "-";
}

TextRow gossip_cells(const GossipComparisonRow& row) {
  std::string ratio = "-";
  if (row.steps && row.lower_bound && *row.lower_bound != 0) {
    ratio = fmt::format("{:.3f}",
                        static_cast<double>(*row.steps) / static_cast<double>(*row.lower_bound));
  }
  TextRow cells = {row.planned_by == row.algorithm
                       ? row.algorithm
                       : fmt::format("{} ({})", row.algorithm, row.planned_by),
                   std::to_string(row.packets_per_node),
                   compare::with_formula(row.steps, row.formula),
                   cell(row.lower_bound),
                   ratio,
                   cell(row.buffer_packets),
                   cell(row.table_bits),
                   buildable_cell(row.unbuildable)};
  for (const GossipTime& time : row.times) {
    cells.push_back(time_cell(time.measured));
    cells.push_back(time_cell(time.paper));
  }
  return cells;
}

}  // namespace

std::string_view measured_by_name(MeasuredBy by) {
  switch (by) {
    case MeasuredBy::kNothing:
      return "";
    case MeasuredBy::kSimulation:
      return "simulated";
    case MeasuredBy::kProof:
      return "proved";
    case MeasuredBy::kCaller:
      return "measured";
  }
  return "";
}

GossipComparison compare_gossip(const Topology& topology, const GossipComparisonOptions& options) {
  if (options.startups.empty()) throw InputError("startup: at least one time is expected");
  for (const double startup : options.startups) {
    if (!std::isfinite(startup) || startup < 0) {
      throw InputError(
          fmt::format("startup: {} is not a time; a number from 0 on is expected", startup));
    }
  }
  std::vector<std::string> names = options.algorithms;
  if (names.empty()) {
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective == "gossip") names.emplace_back(algorithm.name);
    }
    if (!topology.has_equal_links()) names.emplace_back(compare::kSlowestRow);
  }
  GossipComparison comparison{topology, options.startups, {}, {}};
  if (topology.is_torus() && topology.is_healthy() && topology.dimensions() == 2) {
    comparison.theorem1 = bounds::theorem1_bound(topology.nodes());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (options.progress) options.progress(names[i], i, names.size());
    comparison.rows.push_back(compare_one(topology, names[i], options));
  }
  // Rows of equal packets are adjacent, unless the caller requested an order.
  if (options.algorithms.empty()) {
    std::stable_sort(comparison.rows.begin(), comparison.rows.end(),
                     [](const GossipComparisonRow& a, const GossipComparisonRow& b) {
                       return a.packets_per_node < b.packets_per_node;
                     });
  }
  return comparison;
}

std::string comparison_table(const GossipComparison& comparison, const TableStyle& style) {
  const Topology& topology = comparison.topology;
  std::string text =
      fmt::format("all-gather on {} {}, {} nodes\n", with_article(topology.dims_text()),
                  topology.kind(), topology.nodes());
  if (comparison.theorem1) {
    text +=
        fmt::format("Theorem 1: one packet on two cycles, time-independent: at least {} steps\n",
                    *comparison.theorem1);
  }
  TextRow header = {"algorithm", "k", "steps", "bound", "ratio", "buffer", "bits", "buildable"};
  for (const double startup : comparison.startups) {
    header.push_back(fmt::format("T(r={:g})", startup));
    header.push_back("paper");
  }
  Refusals refusals;
  text += aligned(accepted(std::move(header), comparison.rows, gossip_cells, refusals), style);
  text += note(
      "k: packets per node; steps: measured, the formula in brackets where it differs; bound: the "
      "fewest steps for so many packets; ratio: steps over bound; buffer: packets that a router "
      "stores; bits: of a router's tables; T: time for the same data in any number of packets, "
      "with start-up time r per packet, in units of the time of a node's data on a link; paper: T "
      "by the paper's formula",
      style);
  return text + refusals.text(style);
}

std::string comparison_json(const GossipComparison& comparison) {
  nlohmann::ordered_json json;
  json["collective"] = "gossip";
  add_network(json, comparison.topology);
  json["startups"] = comparison.startups;
  json["theorem1"] = or_null(comparison.theorem1);
  json["rows"] = nlohmann::ordered_json::array();
  for (const GossipComparisonRow& row : comparison.rows) {
    nlohmann::ordered_json item;
    item["algorithm"] = row.algorithm;
    item["planned_by"] = text_or_null(row.planned_by);
    item["refusal"] = text_or_null(row.refusal);
    item["packets_per_node"] =
        or_null(row.refusal.empty() ? std::optional(row.packets_per_node) : std::nullopt);
    item["steps"] = or_null(row.steps);
    item["measured_by"] = text_or_null(measured_by_name(row.measured_by));
    item["formula"] = or_null(row.formula);
    item["lower_bound"] = or_null(row.lower_bound);
    item["theorem1"] = or_null(row.theorem1);
    item["buffer_packets"] = or_null(row.buffer_packets);
    item["table_bits"] = or_null(row.table_bits);
    item["buildable"] = buildable_json(row.unbuildable);
    item["paper_formula"] = text_or_null(row.paper_formula);
    item["times"] = nlohmann::ordered_json::array();
    for (const GossipTime& time : row.times) {
      item["times"].push_back({{"startup", time.startup},
                               {"measured", or_null(time.measured)},
                               {"paper", or_null(time.paper)}});
    }
    json["rows"].push_back(std::move(item));
  }
  return dump_json(json, 2) + "\n";
}

std::vector<Table2Cell> paper_table2(bounds::Fractions fractions) {
  std::vector<Table2Cell> cells;
  for (const std::uint32_t side : {4U, 16U, 64U}) {
    for (const double startup : {0.01, 0.1, 1.0}) {
      for (const int d : {2, 3}) {
        const double nodes = std::pow(side, d);
        cells.push_back({side, d, startup, bounds::time_scheduled(nodes, d, startup, fractions),
                         bounds::time_optimal(nodes, d, startup, fractions),
                         bounds::time_one_packet(nodes, side, d, startup, fractions)});
      }
    }
  }
  return cells;
}

std::vector<Table2Measured> measured_table2(const Progress& progress) {
  std::vector<Table2Measured> cells;
  for (const Table2Cell& cell : paper_table2(bounds::Fractions::kExact)) {
    cells.push_back({cell.side, cell.dimensions, cell.startup, {}, {}, {}});
  }
  GossipComparisonOptions options;
  options.startups.clear();
  for (const Table2Measured& cell : cells) {
    if (std::find(options.startups.begin(), options.startups.end(), cell.startup) ==
        options.startups.end()) {
      options.startups.push_back(cell.startup);
    }
  }
  options.algorithms = {"scheduled", "hamiltonian", "one-packet"};
  options.progress = progress;
  std::map<std::pair<std::uint32_t, int>, GossipComparison> by_torus;
  for (Table2Measured& cell : cells) {
    const std::pair key(cell.side, cell.dimensions);
    auto found = by_torus.find(key);
    if (found == by_torus.end()) {
      const std::vector<std::uint32_t> sides(static_cast<std::size_t>(cell.dimensions), cell.side);
      found = by_torus.emplace(key, compare_gossip(Topology::torus(sides), options)).first;
    }
    const auto time = [&](std::size_t row) -> std::optional<double> {
      for (const GossipTime& candidate : found->second.rows[row].times) {
        if (candidate.startup == cell.startup) return candidate.measured;
      }
      return std::nullopt;
    };
    cell.scheduled = time(0);
    cell.optimal = time(1);
    cell.one_packet = time(2);
  }
  return cells;
}

std::string table2_text(const std::vector<Table2Measured>& measured, const TableStyle& style) {
  const auto printed = paper_table2(bounds::Fractions::kAsPrinted);
  const auto exact = paper_table2(bounds::Fractions::kExact);
  std::vector<TextRow> rows = {{"torus, r", "T_stv printed", "exact", "measured", "T_opt printed",
                                "exact", "measured", "T_one printed", "exact", "measured"}};
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Table2Measured& cell = measured[i];
    TextRow row = {fmt::format("{}^{}, {:g}", cell.side, cell.dimensions, cell.startup)};
    const auto add = [&row](double typed, double true_value, const std::optional<double>& steps) {
      row.push_back(fmt::format("{:.0f}", typed));
      row.push_back(fmt::format("{:.2f}", true_value));
      row.push_back(steps ? fmt::format("{:.2f}", *steps) : "-");
    };
    add(printed[i].scheduled, exact[i].scheduled, cell.scheduled);
    add(printed[i].optimal, exact[i].optimal, cell.optimal);
    add(printed[i].one_packet, exact[i].one_packet, cell.one_packet);
    rows.push_back(std::move(row));
  }
  return "Table 2 of the gossip paper: as printed, by its formulas with exact thirds, and from "
         "measured steps\n" +
         aligned(rows, style);
}

std::string table2_json(const std::vector<Table2Measured>& measured) {
  const auto printed = paper_table2(bounds::Fractions::kAsPrinted);
  const auto exact = paper_table2(bounds::Fractions::kExact);
  nlohmann::ordered_json json;
  json["collective"] = "gossip";
  json["table"] = 2;
  json["cells"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Table2Measured& cell = measured[i];
    const auto entry = [](double typed, double true_value, const std::optional<double>& steps) {
      return nlohmann::ordered_json{
          {"printed", std::llround(typed)}, {"exact", true_value}, {"measured", or_null(steps)}};
    };
    json["cells"].push_back(
        {{"side", cell.side},
         {"dimensions", cell.dimensions},
         {"startup", cell.startup},
         {"T_stv", entry(printed[i].scheduled, exact[i].scheduled, cell.scheduled)},
         {"T_opt", entry(printed[i].optimal, exact[i].optimal, cell.optimal)},
         {"T_one", entry(printed[i].one_packet, exact[i].one_packet, cell.one_packet)}});
  }
  return dump_json(json, 2) + "\n";
}

}  // namespace gossamer
