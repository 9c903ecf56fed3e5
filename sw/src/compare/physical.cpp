// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/physical.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/broadcast/broadcast.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/json_values.hpp"
#include "gossamer/util/units.hpp"
#include "gossamer/verify/verify.hpp"
#include "text_table.hpp"

namespace gossamer {

namespace {

using compare::aligned;
using compare::cell;
using compare::TextRow;

/// A plan's row. Steps are proved, not run: the plan may be large, and a run of it shows no more.
PhysicalComparisonRow plan_row(PlanRequest request, const PhysicalComparisonOptions& options) {
  PhysicalComparisonRow row;
  row.algorithm = request.algorithm;
  const std::uint64_t flits = options.quantities.flits();
  const bool cut_through = takes_option(request.collective, request.algorithm, "hop-cycles");
  if (cut_through) request.parameters["flits"] = static_cast<std::int64_t>(flits);
  std::optional<std::uint64_t> streamed;
  if (request.collective == "broadcast" && !cut_through) {
    streamed = std::min<std::uint64_t>(flits, kMaxPacketsPerNode);
    request.parameters["packets"] = static_cast<std::int64_t>(*streamed);
  }
  if (takes_option(request.collective, request.algorithm, "source")) {
    request.parameters["source"] = source_text(request.topology, options.source);
  }
  try {
    const Plan plan = make_plan(request);
    const Verdict verdict = verify(plan);
    if (!verdict.steps) return row;
    if (cut_through && !verdict.cycles) {
      row.refusal = request.algorithm + ": cycles of messages of many flits are not known";
      return row;
    }
    // Down one tree (auto), packets follow each other like flits.
    const bool relayed = std::holds_alternative<RelayProgram>(plan.program);
    row.steps = streamed && relayed ? verdict.cycles : verdict.steps;
    if (cut_through) {
      // One packet, cut through: its cycles are the plan's own.
      row.packets_per_node = 1;
      row.packet_flits = flits;
      row.cycles = verdict.cycles;
    } else {
      // A combined vector is dealt to the words of the plan, other messages to a node's packets.
      const std::uint64_t packets = plan.demand.combines()
                                        ? plan.demand.pieces
                                        : streamed.value_or(std::uint64_t{packets_per_node(plan)});
      row.packets_per_node = packets;
      row.packet_flits = bounds::ceil_div(flits, packets);
      row.cycles = *row.steps * row.packet_flits;
    }
    // Every packet as long as the longest: a shorter one's step lasts as long.
    if (verdict.link_transfers) {
      const std::uint64_t copies = streamed && relayed ? *streamed : 1;
      row.flit_hops = *verdict.link_transfers * copies * row.packet_flits;
    }
  } catch (const InfeasibleError& error) {
    row.refusal = error.what();
  } catch (const InputError& error) {
    // The message may be longer than the discipline's limit.
    row.refusal = error.what();
  }
  return row;
}

std::optional<std::uint64_t> lower_bound(const Topology& topology, const std::string& collective,
                                         NodeId source, std::uint64_t flits) {
  if (collective == "gossip") return bounds::gossip_lower_bound(topology, flits);
  if (collective == "all-reduce") return bounds::all_reduce_lower_bound(topology, flits);
  if (collective == "broadcast") return bounds::broadcast_lower_bound(topology, source, flits);
  return std::nullopt;
}

}  // namespace

std::uint64_t PhysicalQuantities::flits() const {
  // Without overflow: eight bytes a time.
  return bytes / link_bits * 8 + bounds::ceil_div(bytes % link_bits * 8, link_bits);
}

double PhysicalComparison::seconds(const PhysicalComparisonRow& row) const {
  return static_cast<double>(row.cycles.value_or(0)) / static_cast<double>(quantities.hertz);
}

PhysicalComparison compare_physical(const Topology& topology, const std::string& collective,
                                    const PhysicalComparisonOptions& options) {
  if (wormhole::orders_of(collective).empty() || collective == "all-to-all") {
    throw InputError(fmt::format(
        "{}: bytes are compared for gossip (all-gather), broadcast and all-reduce", collective));
  }
  const std::uint64_t flits = options.quantities.flits();
  PhysicalComparison comparison{topology,
                                collective,
                                options.quantities,
                                lower_bound(topology, collective, options.source, flits),
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
    // Twice the default's packets use both directions of every cycle to the end.
    if (collective != "gossip" || !takes_option(collective, names[i], "packets")) continue;
    PlanRequest request{topology, collective, names[i], {}, options.progress};
    request.parameters["packets"] = std::int64_t{2} * topology.dimensions();
    PhysicalComparisonRow row = plan_row(std::move(request), options);
    if (row.refusal.empty() && row.packets_per_node != comparison.rows.back().packets_per_node) {
      comparison.rows.push_back(std::move(row));
    }
  }
  if (!options.conventional) return comparison;
  for (const wormhole::Order order : wormhole::orders_of(collective)) {
    PhysicalComparisonRow row;
    row.algorithm = fmt::format("wormhole {}", wormhole::order_name(order));
    wormhole::Messages messages = options.messages;
    messages.flits = flits;
    messages.source = options.source;
    const wormhole::UnicastRun run = wormhole::run_unicasts(topology, options.router, collective,
                                                            order, messages, options.progress);
    row.packet_flits = std::min<std::uint64_t>(flits, messages.packet_payload) + 1;
    if (run.complete) row.cycles = run.cycles;
    row.flit_hops = run.flit_hops;
    comparison.rows.push_back(std::move(row));
  }
  return comparison;
}

std::string comparison_table(const PhysicalComparison& comparison) {
  const PhysicalQuantities& given = comparison.quantities;
  std::string text = fmt::format(
      "{} of {} a node on the {} {}: {} flits of {} bits, {}\n", comparison.collective,
      bytes_text(given.bytes), comparison.topology.dims_text(), comparison.topology.kind(),
      given.flits(), given.link_bits, with_prefix(static_cast<double>(given.hertz), "Hz"));
  if (comparison.lower_bound_cycles) {
    text += fmt::format("nobody can take less than {} cycles, {}\n", *comparison.lower_bound_cycles,
                        with_prefix(static_cast<double>(*comparison.lower_bound_cycles) /
                                        static_cast<double>(given.hertz),
                                    "s"));
  }
  std::vector<TextRow> rows = {
      {"algorithm", "packets", "flits each", "steps", "cycles", "time", "a node", "of the bound"}};
  std::string refusals;
  for (const PhysicalComparisonRow& row : comparison.rows) {
    if (!row.refusal.empty()) {
      refusals += fmt::format("  {} refused: {}\n", row.algorithm, row.refusal);
      continue;
    }
    std::string time = "-";
    std::string rate = "-";
    std::string ratio = "-";
    if (row.cycles && *row.cycles != 0) {
      const double seconds = comparison.seconds(row);
      time = with_prefix(seconds, "s");
      rate = with_prefix(static_cast<double>(given.bytes) / seconds, "B/s");
      if (comparison.lower_bound_cycles) {
        ratio = fmt::format("{:.1f} %", 100 * static_cast<double>(*comparison.lower_bound_cycles) /
                                            static_cast<double>(*row.cycles));
      }
    }
    rows.push_back({row.algorithm, cell(row.packets_per_node), std::to_string(row.packet_flits),
                    cell(row.steps), cell(row.cycles), time, rate, ratio});
  }
  return text + aligned(rows) + refusals;
}

std::string comparison_json(const PhysicalComparison& comparison) {
  nlohmann::ordered_json json;
  json["collective"] = comparison.collective;
  json["topology"] = comparison.topology.kind();
  json["dims"] = comparison.topology.sides();
  json["nodes"] = comparison.topology.nodes();
  json["bytes"] = comparison.quantities.bytes;
  json["link_bits"] = comparison.quantities.link_bits;
  json["clock_hertz"] = comparison.quantities.hertz;
  json["flits"] = comparison.quantities.flits();
  json["lower_bound_cycles"] = or_null(comparison.lower_bound_cycles);
  json["rows"] = nlohmann::ordered_json::array();
  for (const PhysicalComparisonRow& row : comparison.rows) {
    nlohmann::ordered_json item;
    item["algorithm"] = row.algorithm;
    item["refusal"] = text_or_null(row.refusal);
    item["packets_per_node"] = or_null(row.packets_per_node);
    item["packet_flits"] =
        or_null(row.refusal.empty() ? std::optional(row.packet_flits) : std::nullopt);
    item["steps"] = or_null(row.steps);
    item["cycles"] = or_null(row.cycles);
    item["seconds"] = or_null(row.cycles ? std::optional(comparison.seconds(row)) : std::nullopt);
    item["flit_hops"] = or_null(row.flit_hops);
    json["rows"].push_back(std::move(item));
  }
  return json.dump(2) + "\n";
}

}  // namespace gossamer
