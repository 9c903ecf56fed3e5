// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "gossamer/broadcast/broadcast.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/text_table.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Only what the algorithm takes: tree and xy-unicast have no relay overhead, for instance.
PlanRequest request_for(const Topology& topology, const Algorithm& algorithm,
                        const BroadcastComparisonOptions& options) {
  PlanRequest request{topology, "broadcast", std::string(algorithm.name), {}, {}};
  const auto add = [&](const char* name, ParameterValue value) {
    if (takes_option(algorithm, name)) request.parameters[name] = std::move(value);
  };
  add("source", source_text(topology, options.source));
  add("flits", std::int64_t{options.clock.flits});
  add("hop-cycles", std::int64_t{options.clock.hop_cycles});
  add("relay-cycles", std::int64_t{options.clock.relay_cycles});
  add("timing", std::string(timing_name(options.clock.timing)));
  return request;
}

BroadcastComparisonRow compare_one(const Topology& topology, const Algorithm& algorithm,
                                   const BroadcastComparisonOptions& options) {
  BroadcastComparisonRow row;
  row.algorithm = algorithm.name;
  try {
    const Plan plan = make_plan(request_for(topology, algorithm, options));
    const Report report = run_relay_plan(plan, *make_fast_relay_engine(plan), nullptr);
    if (!report.problems.empty()) {
      throw std::logic_error(fmt::format("{}: {}", row.algorithm, report.problems.front()));
    }
    row.fan_out = std::get<RelayProgram>(plan.program).ports == RelayPorts::kFanOut;
    row.steps = report.steps;
    row.lower_bound = report.lower_bound_steps;
    row.tcd = report.tcd;
    row.analytic_tcd = plan.expected.analytic_tcd;
    row.cycles = report.cycles;
    row.analytic_cycles = report.analytic_cycles;
    const auto& longest = report.broadcast->longest_hops;
    row.depth = std::accumulate(longest.begin(), longest.end(), std::uint64_t{0});
    row.header_bits = report.broadcast->header_bits;
    row.table_bits = report.broadcast->table_bits;
    row.conflicts = report.link_conflicts;
  } catch (const InfeasibleError& error) {
    row.refusal = error.what();
  }
  return row;
}

template <typename T>
std::string cell(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

BroadcastComparison compare_broadcast(const Topology& topology,
                                      const BroadcastComparisonOptions& options) {
  BroadcastComparison comparison{topology, options, {}};
  const auto wanted = [&options](std::string_view name) {
    return options.algorithms.empty() ||
           std::find(options.algorithms.begin(), options.algorithms.end(), name) !=
               options.algorithms.end();
  };
  for (const std::string& name : options.algorithms) (void)algorithm_named("broadcast", name);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != "broadcast" || !wanted(algorithm.name)) continue;
    comparison.rows.push_back(compare_one(topology, algorithm, options));
  }
  return comparison;
}

std::string comparison_table(const BroadcastComparison& comparison) {
  const Topology& topology = comparison.topology;
  const RelayClock& clock = comparison.options.clock;
  std::string text = fmt::format(
      "broadcast on a {} {}, {} nodes, from ({}); {} flits, {} cycles a hop, {} a relay, {}\n",
      topology.dims_text(), topology.kind(), topology.nodes(),
      source_text(topology, comparison.options.source), clock.flits, clock.hop_cycles,
      clock.relay_cycles, clock.timing == RelayTiming::kStep ? "step by step" : "self-timed");
  std::vector<std::vector<std::string>> rows = {{"algorithm", "steps", "bound", "TCD", "formula",
                                                 "depth", "cycles", "formula", "header bits",
                                                 "table bits", "conflicts"}};
  for (const BroadcastComparisonRow& row : comparison.rows) {
    if (!row.refusal.empty()) continue;
    rows.push_back({row.algorithm + (row.fan_out ? " (fan-out)" : ""), cell(row.steps),
                    cell(row.lower_bound), cell(row.tcd), cell(row.analytic_tcd), cell(row.depth),
                    cell(row.cycles), cell(row.analytic_cycles), cell(row.header_bits),
                    cell(row.table_bits), cell(row.conflicts)});
  }
  text += text_table(rows, Alignment::kNumbers);
  for (const BroadcastComparisonRow& row : comparison.rows) {
    if (!row.refusal.empty()) text += fmt::format("  {} refused: {}\n", row.algorithm, row.refusal);
  }
  return text;
}

std::string comparison_json(const BroadcastComparison& comparison) {
  const RelayClock& clock = comparison.options.clock;
  nlohmann::ordered_json json;
  json["collective"] = "broadcast";
  json["topology"] = comparison.topology.kind();
  json["dims"] = comparison.topology.sides();
  json["nodes"] = comparison.topology.nodes();
  json["source"] = comparison.options.source;
  json["flits"] = clock.flits;
  json["hop_cycles"] = clock.hop_cycles;
  json["relay_cycles"] = clock.relay_cycles;
  json["timing"] = timing_name(clock.timing);
  json["rows"] = nlohmann::ordered_json::array();
  for (const BroadcastComparisonRow& row : comparison.rows) {
    nlohmann::ordered_json item;
    item["algorithm"] = row.algorithm;
    item["refusal"] =
        row.refusal.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row.refusal);
    item["fan_out"] = row.fan_out;
    item["steps"] = or_null(row.steps);
    item["lower_bound"] = or_null(row.lower_bound);
    item["tcd"] = or_null(row.tcd);
    item["analytic_tcd"] = or_null(row.analytic_tcd);
    item["depth"] = or_null(row.depth);
    item["cycles"] = or_null(row.cycles);
    item["analytic_cycles"] = or_null(row.analytic_cycles);
    item["header_bits"] = or_null(row.header_bits);
    item["table_bits"] = or_null(row.table_bits);
    item["conflicts"] = or_null(row.conflicts);
    json["rows"].push_back(std::move(item));
  }
  return json.dump(2) + "\n";
}

}  // namespace gossamer
