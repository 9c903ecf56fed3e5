// SPDX-License-Identifier: Apache-2.0
/// emit_planned ALGORITHM KIND DIMS[,OPTION[=NUMBER]] FORMAT DIRECTORY: emits a gossip plan of the
/// planner and, beside it, the trace of the fast engine (expected.csv) and the planned number of
/// steps (steps.txt).
#include <fmt/format.h>

#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>

#include "gossamer/emit/emit.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/observers.hpp"

namespace {

gossamer::Plan planned(const std::string& algorithm, const std::string& kind,
                       const std::string& shape) {
  std::vector<std::uint32_t> sides;
  std::map<std::string, gossamer::ParameterValue> options;
  std::istringstream parts(shape);
  std::string dims;
  std::getline(parts, dims, ',');
  std::istringstream numbers(dims);
  for (std::string side; std::getline(numbers, side, 'x');) {
    sides.push_back(static_cast<std::uint32_t>(std::stoul(side)));
  }
  for (std::string option; std::getline(parts, option, ',');) {
    const std::size_t equal = option.find('=');
    if (equal == std::string::npos) {
      options[option] = true;
    } else {
      options[option.substr(0, equal)] = std::int64_t{std::stol(option.substr(equal + 1))};
    }
  }
  return gossamer::make_plan(
      {gossamer::Topology::make(kind, sides), "gossip", algorithm, options, {}});
}

/// The fast engine's trace through the planned steps, in which it has to complete.
std::string fast_trace(const gossamer::Plan& plan) {
  std::ostringstream text;
  gossamer::Scoreboard scoreboard(plan.topology, gossamer::packets_per_node(plan));
  gossamer::TraceWriter writer(plan.topology, text);
  gossamer::ObserverList observers;
  observers.add(&scoreboard);
  observers.add(&writer);
  gossamer::make_fast_engine(plan)->run(*plan.expected.analytic_steps, &observers);
  writer.flush();
  if (!scoreboard.complete() || scoreboard.completion_step() != *plan.expected.analytic_steps) {
    throw std::logic_error("the plan misses its steps");
  }
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: emit_planned ALGORITHM KIND DIMS[,OPTION] FORMAT DIRECTORY\n");
    return 2;
  }
  try {
    const gossamer::Plan plan = planned(argv[1], argv[2], argv[3]);
    auto files = gossamer::emit_files(plan, argv[4]);
    files.push_back({"expected.csv", fast_trace(plan)});
    files.push_back({"steps.txt", fmt::format("{}\n", *plan.expected.analytic_steps)});
    gossamer::write_files(files, argv[5]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "emit_planned: {}\n", error.what());
    return 2;
  }
  return 0;
}
