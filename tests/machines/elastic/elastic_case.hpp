// SPDX-License-Identifier: Apache-2.0
/// Elastic plans for the tests, and their runs on the fast engine.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"

namespace gossamer {

using Sides = std::vector<std::uint32_t>;

/// The plan's parameters: chunk, rounds and slots (0: auto) on a network.
struct Case {
  std::string kind = "torus";
  Sides sides;
  std::string algorithm;
  std::uint32_t chunk = 1;
  std::uint32_t rounds = 1;
  std::uint32_t slots = 0;
  std::string latency = "1";
  std::optional<std::int64_t> packets{};
  std::string collective = "gossip";
};

inline Plan plan_of(const Case& asked) {
  PlanRequest request{
      Topology::make(asked.kind, asked.sides), asked.collective, asked.algorithm, {}, {}};
  request.parameters["elastic"] = true;
  request.parameters["flits"] = std::int64_t{asked.chunk} * asked.rounds;
  request.parameters["chunk"] = std::to_string(asked.chunk);
  request.parameters["slots"] = asked.slots == 0 ? "auto" : std::to_string(asked.slots);
  request.parameters["link-latency"] = asked.latency;
  if (asked.packets) request.parameters["packets"] = *asked.packets;
  return make_plan(request);
}

struct Row {
  std::uint64_t cycle = 0;
  std::uint64_t link = 0;
  std::uint64_t packet = 0;
  std::uint64_t flit = 0;
};

struct Outcome {
  Report report;
  std::vector<Row> rows;

  [[nodiscard]] std::uint64_t cycles() const { return report.cycles.value_or(0); }
  [[nodiscard]] std::uint64_t sum() const {
    return std::accumulate(rows.begin(), rows.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Row& row) { return sum + row.cycle; });
  }
  /// Rows without their cycles, by link.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> order() const {
    std::vector<Row> sorted = rows;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Row& a, const Row& b) { return a.link < b.link; });
    std::vector<std::vector<std::uint64_t>> order;
    for (const Row& row : sorted) order.push_back({row.link, row.packet, row.flit});
    return order;
  }
};

inline Outcome run(const Plan& plan, const std::string& script = {}) {
  std::optional<StallScript> stalls;
  if (script.starts_with("random")) {
    stalls = StallScript::parse(script, plan.topology);
  } else if (!script.empty()) {
    std::istringstream lines(script);
    stalls = StallScript::read(lines, "script", plan.topology);
  }
  std::stringstream trace;
  RunOptions options;
  options.trace = &trace;
  options.stalls = stalls ? &*stalls : nullptr;
  Outcome outcome;
  outcome.report = run_plan(plan, *make_fast_engine(plan, {.stalls = stalls}), options);
  std::string line;
  std::getline(trace, line);
  REQUIRE(line == "cycle,from,port,packet,flit");
  std::vector<std::uint64_t> before;
  while (std::getline(trace, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream numbers(line);
    Row row;
    std::uint64_t from = 0;
    std::uint64_t port = 0;
    numbers >> row.cycle >> from >> port >> row.packet >> row.flit;
    const std::vector<std::uint64_t> columns{row.cycle, from, port, row.packet, row.flit};
    REQUIRE(before < columns);
    before = columns;
    row.link = from * static_cast<std::uint64_t>(plan.topology.ports()) + port;
    outcome.rows.push_back(row);
  }
  return outcome;
}

inline bool has_problem(const std::vector<std::string>& problems, std::string_view text) {
  return std::any_of(problems.begin(), problems.end(), [&](const std::string& problem) {
    return problem.find(text) != std::string::npos;
  });
}

}  // namespace gossamer
