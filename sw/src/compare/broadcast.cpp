// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/sim/engines.hpp"
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
using compare::with_formula;

namespace {

bool takes(const std::string& algorithm, std::string_view option) {
  return takes_option("broadcast", algorithm, option);
}

Plan plan_for(const Topology& topology, const std::string& algorithm,
              const BroadcastComparisonOptions& options, MessageTiming timing) {
  PlanRequest request{topology, "broadcast", algorithm, {}, options.progress};
  request.parameters["source"] = node_text(topology, options.source);
  // A packet is a flit that routers store and forward: both take a cycle on a link.
  const bool packets = takes(algorithm, "packets");
  if (packets && options.clock.flits > kMaxPacketsPerNode) {
    throw InfeasibleError(fmt::format("{}: sends up to {} packets; nearest feasible: --packets {}",
                                      algorithm, kMaxPacketsPerNode, kMaxPacketsPerNode));
  }
  request.parameters[packets ? "packets" : "flits"] = std::int64_t{options.clock.flits};
  if (takes(algorithm, "hop-cycles")) {
    request.parameters["hop-cycles"] = std::int64_t{options.clock.hop_cycles};
  }
  // Routers that copy passing flits do not relay, and have no timing to choose.
  if (takes(algorithm, "relay-cycles")) {
    request.parameters["relay-cycles"] = std::int64_t{options.clock.relay_cycles};
  }
  if (takes(algorithm, "timing")) request.parameters["timing"] = std::string(timing_name(timing));
  return make_plan(request);
}

Report run(const Plan& plan, const BroadcastComparisonOptions& options) {
  if (options.run) return options.run(plan);
  return run_plan(plan, *make_fast_engine(plan));
}

void add_problems(BroadcastComparisonRow& row, const Report& report) {
  for (const std::string& problem : report.problems) row.problems.push_back(problem);
}

void add_figures(BroadcastComparisonRow& row, const Plan& plan, const Report& report) {
  const Verdict verdict = verify(plan);
  const RouterCost cost = plan.machine().cost(plan);
  const auto messages = plan.machine().message_sends(plan);
  row.one_port = messages && messages->one_port;
  row.steps = report.steps;
  row.steps_formula = plan.expected.analytic_steps;
  row.steps_bound = plan.expected.lower_bound_steps;
  row.tcd = verdict.tcd;
  row.tcd_formula = plan.expected.analytic_tcd;
  row.link_traversals = report.link_transfers;
  row.longest_hops = verdict.longest_hops;
  row.self_cycles = report.cycles;
  row.self_cycles_formula = plan.expected.analytic_cycles;
  row.header_bits = cost.header_bits;
  row.most_table_bits = cost.table_bits;
  row.table_bits = cost.table_bits_all.value_or(cost.table_bits * plan.topology.nodes());
  row.unbuildable = unbuildable_reason(plan);
  row.problems.insert(row.problems.end(), verdict.problems.begin(), verdict.problems.end());
}

BroadcastComparisonRow compare_one(const Topology& topology, const std::string& algorithm,
                                   const BroadcastComparisonOptions& options, std::string& engine) {
  BroadcastComparisonRow row;
  row.algorithm = algorithm;
  try {
    const Plan self = plan_for(topology, algorithm, options, MessageTiming::kSelf);
    const Report self_run = run(self, options);
    engine = self_run.engine;
    add_figures(row, self, self_run);
    add_problems(row, self_run);
    if (!takes(algorithm, "timing")) return row;
    const Plan step = plan_for(topology, algorithm, options, MessageTiming::kStep);
    const Report step_run = run(step, options);
    row.step_cycles = step_run.cycles;
    row.step_cycles_formula = step.expected.analytic_cycles;
    add_problems(row, step_run);
  } catch (const InfeasibleError& error) {
    row.refusal = error.what();
  }
  return row;
}

/// The measured figure, with the formula's in brackets if it differs.
std::string range_of(const std::vector<std::uint32_t>& hops) {
  if (hops.empty()) return "-";
  return std::to_string(*std::max_element(hops.begin(), hops.end()));
}

TextRow broadcast_cells(const BroadcastComparisonRow& row) {
  return {row.algorithm,
          row.one_port ? "one" : "copies",
          with_formula(row.steps, row.steps_formula),
          cell(row.steps_bound),
          with_formula(row.tcd, row.tcd_formula),
          range_of(row.longest_hops),
          with_formula(row.step_cycles, row.step_cycles_formula),
          with_formula(row.self_cycles, row.self_cycles_formula),
          cell(row.header_bits),
          cell(row.most_table_bits),
          cell(row.table_bits),
          buildable_cell(row.unbuildable)};
}

}  // namespace

bool BroadcastComparison::has_problems() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const BroadcastComparisonRow& row) { return !row.problems.empty(); });
}

BroadcastComparison compare_broadcast(const Topology& topology,
                                      const BroadcastComparisonOptions& options) {
  std::vector<std::string> names = options.algorithms;
  if (names.empty()) {
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective == "broadcast") names.emplace_back(algorithm.name);
    }
  }
  BroadcastComparison comparison{
      topology, options.source, options.clock, {}, topology.cores() - std::uint64_t{1}, {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (options.progress) options.progress(names[i], i, names.size());
    comparison.rows.push_back(compare_one(topology, names[i], options, comparison.engine));
  }
  return comparison;
}

std::string comparison_table(const BroadcastComparison& comparison, const TableStyle& style) {
  const Topology& topology = comparison.topology;
  std::string text = fmt::format(
      "broadcast from {} of {} {}, {} nodes, {} engine\n"
      "{}, {} per hop, {} to relay; TCD at least {}\n",
      node_text(topology, comparison.source), with_article(topology.dims_text()), topology.kind(),
      topology.nodes(), comparison.engine.empty() ? "no" : comparison.engine,
      counted(comparison.clock.flits, "flit"), counted(comparison.clock.hop_cycles, "cycle"),
      counted(comparison.clock.relay_cycles, "cycle"), comparison.tcd_bound);
  Refusals refusals;
  text += aligned(accepted({"algorithm", "ports", "steps", "bound", "TCD", "longest", "by steps",
                            "self-timed", "header", "table", "total", "buildable"},
                           comparison.rows, broadcast_cells, refusals),
                  style);
  text += note(
      "ports: one, a node sends to one node at a time; copies, routers copy passing messages; "
      "TCD: hops of all sends; longest: hops of the longest send; by steps, self-timed: cycles; "
      "formulas in brackets where they differ; header: bits per message; table, total: table bits "
      "of the largest router and of all routers",
      style);
  return text + refusals.text(style);
}

std::string comparison_json(const BroadcastComparison& comparison) {
  nlohmann::ordered_json json;
  json["collective"] = "broadcast";
  add_network(json, comparison.topology);
  const Coordinates source = comparison.topology.coordinates(comparison.source);
  json["source"] =
      std::vector<std::uint32_t>(source.begin(), source.begin() + comparison.topology.dimensions());
  json["engine"] = text_or_null(comparison.engine);
  json["flits"] = comparison.clock.flits;
  json["hop_cycles"] = comparison.clock.hop_cycles;
  json["relay_cycles"] = comparison.clock.relay_cycles;
  json["tcd_bound"] = comparison.tcd_bound;
  json["rows"] = nlohmann::ordered_json::array();
  for (const BroadcastComparisonRow& row : comparison.rows) {
    nlohmann::ordered_json item;
    item["algorithm"] = row.algorithm;
    item["refusal"] = text_or_null(row.refusal);
    item["one_port"] = or_null(row.refusal.empty() ? std::optional(row.one_port) : std::nullopt);
    item["steps"] = or_null(row.steps);
    item["steps_formula"] = or_null(row.steps_formula);
    item["steps_bound"] = or_null(row.steps_bound);
    item["tcd"] = or_null(row.tcd);
    item["tcd_formula"] = or_null(row.tcd_formula);
    item["link_traversals"] = or_null(row.link_traversals);
    item["longest_hops"] = row.longest_hops;
    item["step_cycles"] = or_null(row.step_cycles);
    item["step_cycles_formula"] = or_null(row.step_cycles_formula);
    item["self_cycles"] = or_null(row.self_cycles);
    item["self_cycles_formula"] = or_null(row.self_cycles_formula);
    item["header_bits"] = or_null(row.header_bits);
    item["most_table_bits"] = or_null(row.most_table_bits);
    item["table_bits"] = or_null(row.table_bits);
    item["buildable"] = buildable_json(row.unbuildable);
    item["problems"] = row.problems;
    json["rows"].push_back(std::move(item));
  }
  return dump_json(json, 2) + "\n";
}

}  // namespace gossamer
