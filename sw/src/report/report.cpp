// SPDX-License-Identifier: Apache-2.0
#include "gossamer/report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "gossamer/broadcast/hardware.hpp"
#include "gossamer/version.hpp"

namespace gossamer {

namespace {

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// 8192 -> "8,192": long counts read better in groups.
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

/// 1.23e8 -> "123 M/s".
std::string rate(double per_second) {
  if (per_second >= 1e9) return fmt::format("{:.3g} G/s", per_second / 1e9);
  if (per_second >= 1e6) return fmt::format("{:.3g} M/s", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.3g} k/s", per_second / 1e3);
  return fmt::format("{:.3g} /s", per_second);
}

class Table {
 public:
  void text(std::string_view name, const std::string& value) {
    lines_ += fmt::format("  {:<18} {}\n", name, value);
  }
  void number(std::string_view name, const std::optional<std::uint64_t>& value) {
    if (value) text(name, grouped(*value));
  }
  [[nodiscard]] std::string take() { return std::move(lines_); }

 private:
  std::string lines_;
};

}  // namespace

Report report_for(const Plan& plan, std::string engine) {
  Report report;
  report.collective = plan.collective;
  report.algorithm = plan.algorithm;
  report.topology = plan.topology.kind();
  report.dims = plan.topology.sides();
  report.nodes = plan.topology.nodes();
  report.engine = std::move(engine);
  if (std::holds_alternative<RelayProgram>(plan.program)) {
    report.packets = 1;
    const RelayHardware hardware = relay_hardware(plan);
    report.broadcast =
        BroadcastFigures{{}, hardware.header_bits, hardware.most_table_bits, hardware.table_bits};
  } else if (const auto* queued = std::get_if<QueuedProgram>(&plan.program)) {
    report.packets_per_node = queued->packets_per_node;
    report.packets = queued->parts_in_all(report.nodes);
  } else if (!std::holds_alternative<DynamicProgram>(plan.program)) {
    report.packets_per_node = packets_per_node(plan);
    report.packets = report.nodes * *report.packets_per_node;
  }
  report.analytic_steps = plan.expected.analytic_steps;
  report.lower_bound_steps = plan.expected.lower_bound_steps;
  report.bound_steps = plan.expected.bound_steps;
  report.analytic_cycles = plan.expected.analytic_cycles;
  return report;
}

void judge(Report& report) {
  const auto broken = [&report](std::string text) { report.problems.push_back(std::move(text)); };
  if (report.complete && !*report.complete) {
    broken("incomplete: some node never gets all packets");
  }
  if (report.steps && report.analytic_steps && report.steps != report.analytic_steps) {
    broken(fmt::format("steps: {} measured, {} by the formula", *report.steps,
                       *report.analytic_steps));
  }
  if (report.steps && report.bound_steps && *report.steps > *report.bound_steps) {
    broken(fmt::format("steps: {} exceed the bound of {}", *report.steps, *report.bound_steps));
  }
  if (report.steps && report.lower_bound_steps && *report.steps < *report.lower_bound_steps) {
    broken(fmt::format("steps: {} undercut the lower bound of {}", *report.steps,
                       *report.lower_bound_steps));
  }
  if (report.steps && report.cycles && report.analytic_cycles &&
      report.cycles != report.analytic_cycles) {
    broken(fmt::format("cycles: {} measured, {} by the formula", *report.cycles,
                       *report.analytic_cycles));
  }
  if (report.link_conflicts.value_or(0) != 0) {
    broken(fmt::format("link conflicts: {}", *report.link_conflicts));
  }
}

std::string report_json(const Report& report) {
  nlohmann::ordered_json json;
  json["gossamer"] = kVersion;
  json["collective"] = report.collective;
  json["algorithm"] = report.algorithm;
  json["topology"] = report.topology;
  json["dims"] = report.dims;
  json["nodes"] = report.nodes;
  json["engine"] = report.engine;
  json["packets"] = or_null(report.packets);
  json["packets_per_node"] = or_null(report.packets_per_node);
  json["complete"] = or_null(report.complete);
  json["steps"] = or_null(report.steps);
  json["analytic_steps"] = or_null(report.analytic_steps);
  json["lower_bound_steps"] = or_null(report.lower_bound_steps);
  json["bound_steps"] = or_null(report.bound_steps);
  json["cycles"] = or_null(report.cycles);
  json["analytic_cycles"] = or_null(report.analytic_cycles);
  json["time_units"] = or_null(report.time_units);
  json["link_transfers"] = or_null(report.link_transfers);
  json["link_conflicts"] = or_null(report.link_conflicts);
  json["duplicates"] = or_null(report.duplicates);
  json["max_queue"] = or_null(report.max_queue);
  json["tcd"] = or_null(report.tcd);
  json["wall_seconds"] = or_null(report.wall_seconds);
  json["router_cycles_per_second"] = or_null(report.router_cycles_per_second);
  if (report.broadcast) {
    json["longest_hops"] = report.broadcast->longest_hops;
    json["header_bits"] = report.broadcast->header_bits;
    json["table_bits"] = report.broadcast->table_bits;
    json["table_bits_all"] = report.broadcast->table_bits_all;
  }
  return json.dump(2) + "\n";
}

std::string report_table(const Report& report) {
  Table table;
  table.text("collective", fmt::format("{} ({})", report.collective, report.algorithm));
  table.text("network", fmt::format("{} {}, {} nodes", report.topology, fmt::join(report.dims, "x"),
                                    grouped(report.nodes)));
  table.text("engine", report.engine);
  if (report.packets_per_node) {
    table.text("packets",
               fmt::format("{} ({} a node)", grouped(*report.packets), *report.packets_per_node));
  }
  if (report.complete) table.text("complete", *report.complete ? "yes" : "NO");
  table.number("steps", report.steps);
  table.number("  formula", report.analytic_steps);
  table.number("  lower bound", report.lower_bound_steps);
  table.number("  paper's bound", report.bound_steps);
  table.number("cycles", report.cycles);
  table.number("  formula", report.analytic_cycles);
  if (report.time_units) table.text("time units", fmt::format("{:g}", *report.time_units));
  table.number("link transfers", report.link_transfers);
  table.number("link conflicts", report.link_conflicts);
  table.number("duplicates", report.duplicates);
  table.number("longest queue", report.max_queue);
  table.number("TCD", report.tcd);
  if (report.broadcast) {
    if (!report.broadcast->longest_hops.empty()) {
      table.text("longest sends",
                 fmt::format("{} hops", fmt::join(report.broadcast->longest_hops, ", ")));
    }
    table.number("header bits", report.broadcast->header_bits);
    table.text("table bits",
               fmt::format("{} a node at most, {} in all", grouped(report.broadcast->table_bits),
                           grouped(report.broadcast->table_bits_all)));
  }
  if (report.wall_seconds) table.text("wall time", fmt::format("{:.3g} s", *report.wall_seconds));
  if (report.router_cycles_per_second) {
    table.text("router-cycles", rate(*report.router_cycles_per_second));
  }
  return table.take();
}

}  // namespace gossamer
