// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/elastic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/collectives/all_gather/elastic.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/json_values.hpp"
#include "text_table.hpp"

namespace gossamer {

namespace {

ElasticComparisonRow elastic_row(const PlanRequest& request,
                                 const ElasticComparisonOptions& options) {
  ElasticComparisonRow row;
  row.latency = std::get<std::string>(request.parameters.at("link-latency"));
  row.chunk = std::get<std::string>(request.parameters.at("chunk"));
  try {
    const Plan plan = make_plan(request);
    const ElasticFigures figures = elastic_figures(plan);
    row.planned_chunk = figures.chunk;
    row.slots = figures.slots;
    row.lower_bound = figures.lower_bound;
    row.formula = plan.expected.analytic_cycles;
    const auto measure = [&](const StallScript* stalls) {
      const Report report = options.run(plan, stalls);
      row.cycles.push_back(report.complete.value_or(false) ? report.cycles : std::nullopt);
      row.problems.insert(row.problems.end(), report.problems.begin(), report.problems.end());
    };
    measure(nullptr);
    for (const std::string& stall : options.stalls) {
      const StallScript script = StallScript::parse(stall, plan.topology);
      measure(&script);
    }
  } catch (const InfeasibleError& error) {
    row.refusal = error.what();
  }
  return row;
}

}  // namespace

bool ElasticComparison::has_problems() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const ElasticComparisonRow& row) { return !row.problems.empty(); });
}

ElasticComparison compare_elastic(const Topology& topology,
                                  const ElasticComparisonOptions& options) {
  ElasticComparison comparison{topology, options.flits, options.stalls, {}};
  for (const std::string& latency : options.latencies) {
    for (const std::string& chunk : options.chunks) {
      PlanRequest request{topology, "gossip", options.algorithm, {}, {}};
      request.parameters = {{"elastic", true},
                            {"flits", std::int64_t{options.flits}},
                            {"chunk", chunk},
                            {"link-latency", latency}};
      comparison.rows.push_back(elastic_row(request, options));
    }
  }
  return comparison;
}

std::string comparison_table(const ElasticComparison& comparison, const TableStyle& style) {
  std::vector<compare::TextRow> rows = {
      {"latency", "chunk", "slots", "bound", "formula", "cycles"}};
  std::string scripts;
  for (std::size_t i = 0; i < comparison.stalls.size(); ++i) {
    rows.front().push_back(fmt::format("stall {}", i + 1));
    scripts += fmt::format("stall {}: {}\n", i + 1, comparison.stalls[i]);
  }
  compare::Refusals refusals;
  for (const ElasticComparisonRow& row : comparison.rows) {
    if (!row.refusal.empty()) {
      refusals.add(fmt::format("latency {}, chunk {}", row.latency, row.chunk), row.refusal);
      continue;
    }
    compare::TextRow line{row.latency, compare::cell(row.planned_chunk), compare::cell(row.slots),
                          compare::cell(row.lower_bound), compare::cell(row.formula)};
    for (const auto& cycles : row.cycles) line.push_back(compare::cell(cycles));
    rows.push_back(std::move(line));
  }
  return fmt::format("elastic all-gather on the {} {}, {} flits per packet\n",
                     comparison.topology.dims_text(), comparison.topology.kind(),
                     comparison.flits) +
         compare::aligned(rows, style) +
         compare::note(
             "latency: cycles of the links; chunk: flits per round; bound: flits over the fullest "
             "link, and its latency; formula, cycles: by the plan, and measured without stalls",
             style) +
         scripts + refusals.text(style);
}

std::string comparison_json(const ElasticComparison& comparison) {
  nlohmann::ordered_json json;
  json["collective"] = "gossip";
  add_network(json, comparison.topology);
  json["flits"] = comparison.flits;
  json["stalls"] = comparison.stalls;
  json["rows"] = nlohmann::ordered_json::array();
  for (const ElasticComparisonRow& row : comparison.rows) {
    nlohmann::ordered_json item;
    item["link_latency"] = row.latency;
    item["chunk"] = or_null(row.planned_chunk);
    item["slots"] = or_null(row.slots);
    item["refusal"] = text_or_null(row.refusal);
    item["lower_bound"] = or_null(row.lower_bound);
    item["cycles_formula"] = or_null(row.formula);
    const bool ran = !row.cycles.empty();
    item["cycles"] = ran ? or_null(row.cycles.front()) : nullptr;
    item["stalled_cycles"] = nlohmann::ordered_json::array();
    for (std::size_t i = 1; i < row.cycles.size(); ++i) {
      item["stalled_cycles"].push_back(or_null(row.cycles[i]));
    }
    item["problems"] = row.problems;
    json["rows"].push_back(std::move(item));
  }
  return dump_json(json, 2) + "\n";
}

}  // namespace gossamer
