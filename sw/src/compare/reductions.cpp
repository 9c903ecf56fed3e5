// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/reductions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/verify/verify.hpp"
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

/// The default plan for equal links, each of whose steps takes as long as the slowest link.
ReductionComparisonRow slowest_row(const PlanRequest& request) {
  ReductionComparisonRow row;
  row.algorithm = compare::kSlowestRow;
  PlanRequest equal = request;
  equal.topology = request.topology.with_equal_links();
  equal.algorithm.clear();
  Plan plan = make_plan(equal);
  const Verdict verdict = verify(plan);
  const std::uint64_t period = request.topology.slowest_period();
  const auto at_pace = [period](std::optional<std::uint64_t> steps) {
    if (steps) *steps *= period;
    return steps;
  };
  row.words = plan.demand.pieces;
  row.steps = at_pace(verdict.steps);
  row.cycles = at_pace(verdict.cycles);
  row.formula = at_pace(plan.expected.analytic_steps);
  row.link_transfers = verdict.link_transfers;
  row.problems = verdict.problems;
  plan.topology = request.topology;
  row.lower_bound = bounds::lower_bound(plan);
  return row;
}

ReductionComparisonRow row_of(const PlanRequest& request) {
  ReductionComparisonRow row;
  row.algorithm = request.algorithm;
  try {
    const Plan plan = make_plan(request);
    const Verdict verdict = verify(plan);
    row.words = plan.demand.pieces;
    row.steps = verdict.steps;
    row.cycles = verdict.cycles;
    // A message that is sent as a whole has a word in every flit.
    if (const RunFacts facts = run_facts(plan); facts.has_paths)
      row.words = facts.own_flits->packet;
    row.formula = plan.expected.analytic_steps;
    row.lower_bound = plan.expected.lower_bound_steps;
    row.link_transfers = verdict.link_transfers;
    row.unbuildable = unbuildable_reason(plan);
    row.problems = verdict.problems;
  } catch (const InfeasibleError& error) {
    row.refusal = error.what();
  }
  return row;
}

/// Words of the vector that a relayed message can carry.
std::uint64_t flits_of(const Topology& topology,
                       const std::map<std::string, ParameterValue>& parameters) {
  const auto number = [&](const char* name) {
    const auto found = parameters.find(name);
    return found == parameters.end()
               ? std::uint64_t{0}
               : static_cast<std::uint64_t>(std::get<std::int64_t>(found->second));
  };
  const std::uint64_t words = number("words") + number("packets") * topology.nodes();
  return std::clamp<std::uint64_t>(words, 1, kMaxFlits);
}

}  // namespace

bool ReductionComparison::has_problems() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const ReductionComparisonRow& row) { return !row.problems.empty(); });
}

ReductionComparison compare_reductions(const Topology& topology, const std::string& collective,
                                       const std::map<std::string, ParameterValue>& parameters,
                                       const std::vector<std::string>& algorithms) {
  std::vector<std::string> names = algorithms;
  if (names.empty()) {
    for (const Algorithm& algorithm : gossamer::algorithms()) {
      if (algorithm.collective == collective) names.emplace_back(algorithm.name);
    }
  }
  ReductionComparison comparison{topology, collective, {}};
  for (const std::string& name : names) {
    PlanRequest request{topology, collective, name, {}, {}};
    for (const auto& [option, value] : parameters) {
      const bool of_groups = option == "groups" || option == "group-stride";
      if (of_groups || takes_option(collective, name, option)) request.parameters[option] = value;
    }
    // Of relays the vector is one message.
    if (takes_option(collective, name, "hop-cycles") && takes_option(collective, name, "flits")) {
      request.parameters["flits"] = static_cast<std::int64_t>(flits_of(topology, parameters));
    }
    comparison.rows.push_back(row_of(request));
  }
  if (algorithms.empty() && !topology.has_equal_links()) {
    comparison.rows.push_back(slowest_row({topology, collective, {}, parameters, {}}));
  }
  // Rows of equal vectors are adjacent, unless the caller requested an order.
  if (algorithms.empty()) {
    std::stable_sort(comparison.rows.begin(), comparison.rows.end(),
                     [](const ReductionComparisonRow& a, const ReductionComparisonRow& b) {
                       return a.words < b.words;
                     });
  }
  return comparison;
}

std::string comparison_table(const ReductionComparison& comparison, const TableStyle& style) {
  Refusals refusals;
  const std::vector<TextRow> rows = accepted(
      {"algorithm", "words", "steps", "formula", "bound", "cycles", "links crossed", "buildable"},
      comparison.rows,
      [](const ReductionComparisonRow& row) {
        return TextRow{row.algorithm,
                       std::to_string(row.words),
                       cell(row.steps),
                       cell(row.formula),
                       cell(row.lower_bound),
                       cell(row.cycles),
                       cell(row.link_transfers),
                       buildable_cell(row.unbuildable)};
      },
      refusals);
  return fmt::format("{} on the {} {}: steps as proved\n", comparison.collective,
                     comparison.topology.dims_text(), comparison.topology.kind()) +
         aligned(rows, style) +
         note(
             "words: of the vector; formula: the algorithm's own steps; bound: the fewest steps "
             "for "
             "so many words; links crossed: by all words together",
             style) +
         refusals.text(style);
}

std::string comparison_json(const ReductionComparison& comparison) {
  nlohmann::ordered_json json;
  json["collective"] = comparison.collective;
  add_network(json, comparison.topology);
  json["rows"] = nlohmann::ordered_json::array();
  for (const ReductionComparisonRow& row : comparison.rows) {
    nlohmann::ordered_json item;
    item["algorithm"] = row.algorithm;
    item["refusal"] = text_or_null(row.refusal);
    item["words"] = row.words;
    item["steps"] = or_null(row.steps);
    item["steps_formula"] = or_null(row.formula);
    item["lower_bound"] = or_null(row.lower_bound);
    item["cycles"] = or_null(row.cycles);
    item["link_transfers"] = or_null(row.link_transfers);
    item["buildable"] = buildable_json(row.unbuildable);
    item["problems"] = row.problems;
    json["rows"].push_back(std::move(item));
  }
  return dump_json(json, 2) + "\n";
}

}  // namespace gossamer
