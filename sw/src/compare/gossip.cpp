// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compare/gossip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/overloaded.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {

namespace {

/// Who knows what must fit beside everything else.
constexpr std::uint64_t kScoreboardLimitBytes = std::uint64_t{1} << 30;

std::uint64_t bits_for(std::uint64_t values) {
  return static_cast<std::uint64_t>(std::bit_width(values - 1));
}

// --- table bits ---------------------------------------------------------------------------------

/// True when out-port p is fed by exactly the in-port q and out-port q by p, for all ports, with
/// packets or without.
bool pairs_ports(const StreamProgram& program, NodeId node) {
  for (int p = 0; p < program.ports(); ++p) {
    const auto port = static_cast<Port>(p);
    const PortProgram& entry = program.at(node, port);
    if (entry.switch_step != 0 || entry.feed.size() != 1 || entry.feed.front() == port) {
      return false;
    }
    if (program.at(node, entry.feed.front()).feed != PortSet::of(port)) return false;
  }
  return true;
}

bool all_routers_pair_ports(const StreamProgram& program) {
  for (NodeId node = 0; node < program.nodes(); ++node) {
    if (!pairs_ports(program, node)) return false;
  }
  return true;
}

std::uint64_t stream_table_bits(const StreamProgram& program) {
  const auto ports = static_cast<std::uint64_t>(program.ports());
  if (all_routers_pair_ports(program)) {
    std::uint64_t pairings = 1;
    for (std::uint64_t factor = ports - 1; factor > 1; factor -= 2) pairings *= factor;
    return bits_for(pairings);
  }
  const auto& dictionary = program.dictionary();
  const bool fan_in = std::any_of(dictionary.begin(), dictionary.end(),
                                  [](const PortProgram& entry) { return entry.has_fan_in(); });
  const std::uint64_t feed_bits = ports * (fan_in ? ports : bits_for(ports + 1));
  std::uint64_t last_switch = 0;
  for (const PortProgram& entry : dictionary) {
    last_switch = std::max<std::uint64_t>(last_switch, entry.switch_step);
  }
  if (last_switch == 0) return feed_bits;
  return 2 * feed_bits + ports * bits_for(last_switch + 1);
}

/// Routers with queues act by rule; what is stored is when each phase starts, in which dimension
/// and with what rule.
std::uint64_t timetable_bits(const QueuedProgram& program) {
  std::uint64_t dimensions = 1;
  for (const QueuedPhase& phase : program.phases) {
    dimensions = std::max<std::uint64_t>(dimensions, std::uint64_t{phase.dimension} + 1);
  }
  constexpr std::uint64_t kinds = static_cast<std::uint64_t>(QueuedPhaseKind::kMoves) + 1;
  return program.phases.size() *
         (bits_for(program.last_step() + 1) + bits_for(dimensions) + bits_for(kinds));
}

std::uint64_t buffer_packets(const Plan& plan) {
  const auto queues = [&](const StreamProgram& table) {
    return static_cast<std::uint64_t>(table.ports()) * plan.expected.queue_depth;
  };
  return std::visit(Overloaded{
                        queues,
                        [&](const FramedProgram& program) { return queues(program.slots); },
                        [](const ScheduleProgram& program) {
                          return std::uint64_t{program.packets_per_node()} + program.slots();
                        },
                        [&](const QueuedProgram&) {
                          return static_cast<std::uint64_t>(plan.topology.ports()) *
                                 plan.expected.queue_depth;
                        },
                        [](const auto&) -> std::uint64_t { throw std::bad_variant_access(); },
                    },
                    plan.program);
}

// --- measuring ----------------------------------------------------------------------------------

bool small_enough(const Plan& plan, std::uint64_t limit) {
  if (Scoreboard::memory_bytes(plan.topology, packets_per_node(plan)) > kScoreboardLimitBytes) {
    return false;
  }
  // Without a formula, one packet after the other round a cycle is a fair guess.
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
    run.scoreboard = true;
    row.steps = run_plan(plan, *make_fast_engine(plan), run).steps;
  } else {
    row.steps = verify(plan).steps;
  }
  if (row.steps) row.measured_by = by;
}

void apply_cost_model(const Plan& plan, double startup, GossipComparisonRow& row) {
  if (row.steps) {
    row.time = static_cast<double>(*row.steps) * (1.0 / row.packets_per_node + startup);
  }
  if (!plan.topology.is_torus()) return;
  const int d = plan.topology.dimensions();
  const double nodes = plan.topology.nodes();
  if (plan.algorithm == "hamiltonian" && row.packets_per_node == static_cast<std::uint32_t>(d)) {
    row.paper_formula = "T_opt";
    row.paper_time = bounds::time_optimal(nodes, d, startup);
  } else if (plan.algorithm == "one-packet") {
    // The paper's advice: the longest axis last.
    const auto& sides = plan.topology.sides();
    row.paper_formula = "T_one";
    row.paper_time =
        bounds::time_one_packet(nodes, *std::max_element(sides.begin(), sides.end()), d, startup);
  } else if (plan.algorithm == "scheduled") {
    row.paper_formula = "T_stv";
    row.paper_time = bounds::time_scheduled(nodes, d, startup);
  }
}

GossipComparisonRow compare_one(const Topology& topology, const std::string& algorithm,
                                const GossipComparisonOptions& options) {
  GossipComparisonRow row;
  row.algorithm = algorithm;
  try {
    const Plan plan = make_plan({topology, "gossip", algorithm, {}, options.progress});
    row.packets_per_node = packets_per_node(plan);
    row.formula = plan.expected.analytic_steps;
    row.lower_bound = plan.expected.lower_bound_steps;
    row.buffer_packets = buffer_packets(plan);
    row.table_bits = table_bits(plan);
    if (runs_on_two_hamiltonian_cycles(plan)) {
      row.theorem1 = bounds::theorem1_bound(topology.nodes());
    }
    measure(plan, options, row);
    apply_cost_model(plan, options.startup, row);
  } catch (const InfeasibleError& error) {
    row.refusal = error.what();
  }
  return row;
}

// --- text ---------------------------------------------------------------------------------------

template <typename T>
std::string cell(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

std::string time_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}", *value) : "-";
}

using TextRow = std::vector<std::string>;

TextRow text_row(const GossipComparisonRow& row) {
  std::string ratio = "-";
  if (row.steps && row.lower_bound && *row.lower_bound != 0) {
    ratio = fmt::format("{:.3f}",
                        static_cast<double>(*row.steps) / static_cast<double>(*row.lower_bound));
  }
  const std::string by(measured_by_name(row.measured_by));
  return {row.algorithm,
          std::to_string(row.packets_per_node),
          cell(row.steps),
          by.empty() ? "-" : by,
          cell(row.formula),
          cell(row.lower_bound),
          ratio,
          cell(row.theorem1),
          cell(row.buffer_packets),
          cell(row.table_bits),
          time_cell(row.time),
          row.paper_time ? fmt::format("{} {:.1f}", row.paper_formula, *row.paper_time) : "-"};
}

/// The first column to the left, the others to the right.
std::string aligned(const std::vector<TextRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const TextRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const TextRow& row : rows) {
    text += fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format("  {:>{}}", row[i], widths[i]);
    text += '\n';
  }
  return text;
}

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json text_or_null(std::string_view text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
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
  if (!std::isfinite(options.startup) || options.startup < 0) {
    throw InputError(
        fmt::format("startup: {} is no time; a number >= 0 is expected", options.startup));
  }
  std::vector<std::string> names = options.algorithms;
  if (names.empty()) {
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.collective == "gossip") names.emplace_back(algorithm.name);
    }
  }
  GossipComparison comparison{topology, options.startup, {}, {}};
  if (topology.is_torus() && topology.dimensions() == 2) {
    comparison.theorem1 = bounds::theorem1_bound(topology.nodes());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (options.progress) options.progress(names[i], i, names.size());
    comparison.rows.push_back(compare_one(topology, names[i], options));
  }
  return comparison;
}

std::string comparison_table(const GossipComparison& comparison) {
  const Topology& topology = comparison.topology;
  std::string text =
      fmt::format("gossip on a {} {}, {} nodes, start-up time r = {:g}\n", topology.dims_text(),
                  topology.kind(), topology.nodes(), comparison.startup);
  if (comparison.theorem1) {
    text += fmt::format(
        "Theorem 1: one packet round two Hamiltonian cycles, time-independent: at least {} steps\n",
        *comparison.theorem1);
  }
  std::vector<TextRow> rows = {{"algorithm", "packets", "steps", "by", "formula", "bound",
                                "steps/bound", "Theorem 1", "buffer", "table bits", "T",
                                "paper's T"}};
  for (const GossipComparisonRow& row : comparison.rows) {
    if (row.refusal.empty()) rows.push_back(text_row(row));
  }
  text += aligned(rows);
  for (const GossipComparisonRow& row : comparison.rows) {
    if (!row.refusal.empty()) text += fmt::format("  {} refused: {}\n", row.algorithm, row.refusal);
  }
  return text;
}

std::string comparison_json(const GossipComparison& comparison) {
  nlohmann::ordered_json json;
  json["collective"] = "gossip";
  json["topology"] = comparison.topology.kind();
  json["dims"] = comparison.topology.sides();
  json["nodes"] = comparison.topology.nodes();
  json["startup"] = comparison.startup;
  json["theorem1"] = or_null(comparison.theorem1);
  json["rows"] = nlohmann::ordered_json::array();
  for (const GossipComparisonRow& row : comparison.rows) {
    nlohmann::ordered_json item;
    item["algorithm"] = row.algorithm;
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
    item["time"] = or_null(row.time);
    item["paper_formula"] = text_or_null(row.paper_formula);
    item["paper_time"] = or_null(row.paper_time);
    json["rows"].push_back(std::move(item));
  }
  return json.dump(2) + "\n";
}

bool runs_on_two_hamiltonian_cycles(const Plan& plan) {
  const auto* program = std::get_if<StreamProgram>(&plan.program);
  if (program == nullptr || !plan.topology.is_torus() || plan.topology.dimensions() != 2 ||
      program->packets_per_node() != 1 || !program->is_plain() ||
      !all_routers_pair_ports(*program)) {
    return false;
  }
  // The two pairs of node 0 start one closed walk each; a Hamiltonian one meets every node once.
  const Port first = 0;
  const Port partner = program->at(0, first).feed.front();
  const Port second = partner == 1 ? Port{2} : Port{1};
  for (const Port start : {first, second}) {
    std::vector<bool> visited(plan.topology.nodes(), false);
    NodeId node = 0;
    Port out = start;
    std::uint64_t length = 0;
    do {
      if (visited[node]) return false;
      visited[node] = true;
      ++length;
      const Port in = opposite(out);
      node = plan.topology.neighbor(node, out);
      out = program->at(node, in).feed.front();
    } while (node != 0);
    if (length != plan.topology.nodes()) return false;
  }
  return true;
}

std::uint64_t table_bits(const Plan& plan) {
  return std::visit(
      Overloaded{
          [](const StreamProgram& program) { return stream_table_bits(program); },
          [](const FramedProgram& program) { return stream_table_bits(program.slots); },
          [](const ScheduleProgram& program) { return program.rom_bits(); },
          [](const QueuedProgram& program) { return timetable_bits(program); },
          [](const auto&) -> std::uint64_t { throw std::bad_variant_access(); },
      },
      plan.program);
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

}  // namespace gossamer
