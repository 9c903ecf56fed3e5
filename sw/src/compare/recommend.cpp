// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/plan/collective.hpp"
#include "gossamer/report/network_json.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_text.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/units.hpp"
#include "gossamer/util/words.hpp"
#include "text_table.hpp"

namespace gossamer {

namespace {

using compare::aligned;
using compare::buildable_cell;
using compare::listed;
using compare::note;
using compare::TextRow;

std::optional<double> joules(const PhysicalComparisonRow& row) {
  const auto femtojoules = row.figures.femtojoules();
  return femtojoules ? std::optional(*femtojoules * 1e-15) : std::nullopt;
}

std::string prefixed(const std::optional<double>& value, std::string_view unit) {
  return value ? with_prefix(*value, unit) : "-";
}

/// `cells`: the cell of the column cells; null: there is no such column.
TextRow cells_of(std::string name, const PhysicalComparisonRow& row, const std::string* cells) {
  TextRow text{
      std::move(name), row.algorithm, prefixed(row.figures.seconds(), "s"),
      prefixed(joules(row), "J"),
      row.router_bits ? fmt::format("{:.4g}", static_cast<double>(*row.router_bits) / 1000) : "-"};
  if (cells != nullptr) text.push_back(*cells);
  text.push_back(buildable_cell(row.unbuildable));
  return text;
}

nlohmann::ordered_json json_of(const std::optional<PhysicalComparisonRow>& row,
                               const std::optional<std::uint64_t>& cells = {}) {
  if (!row) return nullptr;
  const PhysicalFigures& figures = row->figures;
  return {{"algorithm", row->algorithm},
          {"packets_per_node", or_null(row->packets_per_node)},
          {"steps", or_null(row->steps)},
          {"cycles", or_null(figures.cycles)},
          {"seconds", or_null(figures.seconds())},
          {"joules", or_null(joules(*row))},
          {"picojoules_per_bit", or_null(figures.picojoules_per_bit())},
          {"fraction_of_bound", or_null(figures.fraction_of_bound())},
          {"router_bits", or_null(row->router_bits)},
          {"cells", or_null(cells)},
          {"buildable", buildable_json(row->unbuildable)}};
}

}  // namespace

std::vector<CollectiveSize> parse_collectives(std::string_view what, std::string_view text) {
  std::vector<CollectiveSize> found;
  for (const std::string_view part : words_of(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      throw InputError(fmt::format(
          "{}: \"{}\": COLLECTIVE=BYTES is expected, e.g. all-gather=64KiB", what, part));
    }
    std::string name(collective_name(part.substr(0, equals)));
    if (wormhole::orders_of(name).empty()) {
      throw InputError(
          fmt::format("{}: \"{}\" is not one of {}", what, name, listed(compared_collectives())));
    }
    const std::uint64_t bytes = parse_bytes(what, part.substr(equals + 1));
    if (bytes > kMaxMessageBytes) {
      throw InputError(
          fmt::format("{}: \"{}\" is above {}", what, part, bytes_text(kMaxMessageBytes)));
    }
    found.push_back({std::move(name), bytes});
  }
  return found;
}

Recommendations recommend(const Topology& topology, const std::vector<CollectiveSize>& collectives,
                          PhysicalComparisonOptions options) {
  Recommendations all{topology, options.quantities, {}};
  all.quantities.bytes = 0;
  options.crossover = false;
  for (const CollectiveSize& request : collectives) {
    options.quantities.bytes = request.bytes;
    options.orders = wormhole::orders_of(request.collective);
    std::erase(options.orders, wormhole::Order::kNaive);
    const PhysicalComparison comparison = compare_physical(topology, request.collective, options);
    Recommendation one{request};
    if (const auto* best = comparison.fastest_plan()) {
      one.plan = *best;
      const auto* const built = comparison.fastest_plan(true);
      if (built != nullptr && best->unbuildable.value_or("") != "") one.buildable = *built;
    }
    if (const auto* rival = comparison.fastest_conventional()) one.conventional = *rival;
    all.collectives.push_back(std::move(one));
  }
  return all;
}

PlanRequest plan_request(const Recommendations& all, const Recommendation& one,
                         const PhysicalComparisonRow& row) {
  PlanRequest request{all.topology, one.request.collective, row.algorithm, {}, {}};
  // "slowest (array)": the algorithm's plan for equal links.
  if (const std::string pace = std::string(compare::kSlowestRow) + " (";
      row.algorithm.starts_with(pace)) {
    request.algorithm = row.algorithm.substr(pace.size(), row.algorithm.size() - pace.size() - 1);
    request.parameters["pace"] = std::string(compare::kSlowestRow);
  }
  if (one.request.collective == "gossip" && row.packets_per_node) {
    request.parameters["packets"] = static_cast<std::int64_t>(*row.packets_per_node);
  }
  PhysicalQuantities given = all.quantities;
  given.bytes = one.request.bytes;
  add_message(request, given);
  return request;
}

std::string plan_command(const Recommendations& all, const Recommendation& one,
                         const PhysicalComparisonRow& row) {
  const PlanRequest request = plan_request(all, one, row);
  const std::string name(field_name(one.request.collective));
  std::string network = all.topology.kind() == "grid"
                            ? fmt::format("--wrap {}", joined(all.topology.wrap_names(), ","))
                            : fmt::format("--topology {}", all.topology.kind());
  if (const std::string rates = link_rate_options(all.topology); !rates.empty()) {
    network += " " + rates;
  }
  std::string text = fmt::format("gossamer plan {} --dims {} {} --algorithm {}", name,
                                 all.topology.dims_text(), network, request.algorithm);
  for (const auto& [option, value] : request.parameters) {
    const auto* const number = std::get_if<std::int64_t>(&value);
    text += fmt::format(" --{} {}{}", option,
                        number != nullptr ? std::to_string(*number) : std::get<std::string>(value),
                        option == "clock" ? "Hz" : "");
  }
  return text + fmt::format(" -o {}.json", name);
}

std::string recommendation_table(const Recommendations& all, const TableStyle& style) {
  const PhysicalQuantities& given = all.quantities;
  std::string text =
      fmt::format("{} {}, links of {} bits, {}\n", all.topology.dims_text(), all.topology.kind(),
                  given.link_bits, with_prefix(static_cast<double>(given.hertz), "Hz"));
  TextRow header{"collective", "built as", "time", "energy", "kbit", "buildable"};
  const std::string none = "-";
  const std::string* const no_cells = all.has_cells ? &none : nullptr;
  if (all.has_cells) header.insert(header.end() - 1, "cells");
  std::vector<TextRow> rows{std::move(header)};
  std::string notes;
  for (const Recommendation& one : all.collectives) {
    const std::string name =
        fmt::format("{} {}", field_name(one.request.collective), bytes_text(one.request.bytes));
    const std::string measured = compare::cell(one.cells);
    const std::string* const cells = all.has_cells ? &measured : nullptr;
    if (one.plan) {
      rows.push_back(cells_of(name, *one.plan, one.buildable ? no_cells : cells));
      if (one.plan->unbuildable.value_or("") != "" && style.reasons) {
        notes += fmt::format("  {}: {} is not buildable: {}\n", name, one.plan->algorithm,
                             *one.plan->unbuildable);
      }
    } else {
      rows.push_back({name, "no plan", "-", "-", "-", "no"});
      if (all.has_cells) rows.back().insert(rows.back().end() - 1, none);
    }
    if (one.buildable) rows.push_back(cells_of("  fastest to build", *one.buildable, cells));
    if (one.conventional) rows.push_back(cells_of("  conventional", *one.conventional, no_cells));
  }
  text += aligned(rows, style);
  const bool has_conventional =
      std::any_of(all.collectives.begin(), all.collectives.end(),
                  [](const Recommendation& one) { return one.conventional.has_value(); });
  text += note(
      "kbit: storage of a router; energy: of the whole collective, all links and routers; " +
          std::string(has_conventional ? "conventional: the fastest order of a wormhole network; "
                                       : "") +
          std::string(all.has_cells ? "cells: of the largest tile, generic, by yosys"
                                    : "--cells measures the tiles"),
      style);
  text += notes + "plans to build:\n";
  for (const Recommendation& one : all.collectives) {
    const auto& row = one.to_build();
    if (!row) continue;
    const auto lines = wrapped(plan_command(all, one, *row), style.columns - 6);
    text += fmt::format("  {}\n", joined(lines, " \\\n    "));
  }
  return text;
}

std::string recommendation_json(const Recommendations& all) {
  nlohmann::ordered_json json;
  add_network(json, all.topology);
  json["link_bits"] = all.quantities.link_bits;
  json["clock_hertz"] = all.quantities.hertz;
  json["collectives"] = nlohmann::ordered_json::array();
  for (const Recommendation& one : all.collectives) {
    nlohmann::ordered_json item{
        {"collective", field_name(one.request.collective)},
        {"bytes", one.request.bytes},
        {"plan", json_of(one.plan, one.buildable ? std::nullopt : one.cells)},
        {"fastest_buildable", json_of(one.buildable, one.cells)},
        {"conventional", json_of(one.conventional)},
        {"command", nullptr}};
    if (const auto& row = one.to_build()) {
      item["command"] = plan_command(all, one, *row);
    }
    json["collectives"].push_back(std::move(item));
  }
  return dump_json(json, 2) + "\n";
}

}  // namespace gossamer
