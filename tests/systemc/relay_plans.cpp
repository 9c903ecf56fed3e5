// SPDX-License-Identifier: Apache-2.0
#include "relay_plans.hpp"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>
#include <vector>

#include "gossamer/collectives/broadcast/eye.hpp"
#include "gossamer/collectives/broadcast/figure2.hpp"
#include "gossamer/collectives/broadcast/min_tcd.hpp"
#include "gossamer/collectives/broadcast/rivals.hpp"
#include "relay.hpp"

namespace gossamer::test {

RelayRun run_relay(const Plan& plan, Engine& engine) {
  std::ostringstream trace;
  const testing::RelayOutcome outcome = testing::run_relay(plan, engine, &trace);
  return {outcome.complete,   outcome.steps,     outcome.cycles, outcome.tcd,
          outcome.duplicates, outcome.conflicts, trace.str()};
}

Plan relay_plan(const Topology& topology, const std::string& algorithm, NodeId source,
                const MessageClock& clock) {
  BroadcastOptions options;
  options.source = source;
  options.clock = clock;
  if (algorithm == "eye") return plan_eye(topology, options);
  if (algorithm == "min-tcd") return plan_min_tcd(topology, options);
  if (algorithm == "figure2") return plan_figure2(topology, options);
  if (algorithm == "doubling") return plan_doubling(topology, options);
  if (algorithm == "xy-unicast") return plan_xy_unicast(topology, options);
  if (algorithm == "tree") return plan_tree(topology, options);
  throw std::invalid_argument(algorithm);
}

std::string describe(const Plan& plan) {
  const auto& program = plan.program.as<RelayProgram>();
  std::string sides;
  for (int dim = 0; dim < plan.topology.dimensions(); ++dim) {
    sides += fmt::format("{}{}", dim == 0 ? "" : "x", plan.topology.side(dim));
  }
  return fmt::format("{} {} {} from {}: F={} r={} o={} {}", plan.algorithm,
                     plan.topology.is_torus() ? "torus" : "mesh", sides, program.source(),
                     program.clock.flits, program.clock.hop_cycles, program.clock.relay_cycles,
                     timing_name(program.clock.timing));
}

void for_each_relay_plan(const std::function<void(const Plan&)>& visit) {
  struct Case {
    const char* algorithm;
    bool torus;
    std::vector<std::uint32_t> sides;
    std::vector<NodeId> sources;
  };
  const std::vector<Case> cases{
      // From eyes, by the rule alone.
      {"eye", false, {8, 8}, {18, 45}},
      {"eye", false, {2, 8}, {5}},
      {"eye", false, {4, 16}, {41}},
      {"eye", false, {8}, {5}},
      {"eye", false, {4, 4, 4}, {21}},
      {"eye", false, {2, 4, 8}, {42}},
      {"eye", false, {2, 2, 4, 2, 2}, {5}},
      // On tori, with side bits.
      {"eye", true, {8, 8}, {0, 11, 63}},
      {"eye", true, {4, 8}, {6}},
      {"eye", true, {4, 4, 4}, {0, 38}},
      // With source vectors and an order in the header.
      {"eye", false, {8, 8}, {0, 4, 30, 63}},
      {"eye", false, {16, 16}, {3, 130}},
      {"eye", false, {8, 8, 8}, {0, 7, 100, 337}},
      {"eye", false, {4, 4, 4, 4}, {0, 199}},
      {"eye", false, {16}, {3}},
      // Node lists.
      {"min-tcd", false, {5, 7}, {0, 17}},
      {"min-tcd", false, {3, 5}, {4}},
      {"min-tcd", false, {11, 11}, {41}},
      {"min-tcd", false, {12, 10}, {3}},
      {"min-tcd", false, {3, 4, 5}, {22}},
      {"min-tcd", true, {5, 6}, {13}},
      {"figure2", false, {8, 8}, {0, 4}},
      {"figure2", false, {4, 4, 4}, {1}},
      {"doubling", false, {6, 5}, {7}},
      {"doubling", true, {5, 4}, {3}},
      {"xy-unicast", false, {4, 3}, {5}},
      // The stream router.
      {"tree", false, {8, 8}, {0, 27}},
      {"tree", true, {5, 4, 3}, {7}},
  };
  const std::vector<MessageClock> clocks{
      {MessageTiming::kStep, 1, 1, 0}, {MessageTiming::kStep, 4, 1, 1},
      {MessageTiming::kStep, 1, 3, 2}, {MessageTiming::kStep, 5, 2, 0},
      {MessageTiming::kStep, 7, 4, 3},
  };
  for (const Case& one : cases) {
    const Topology topology = one.torus ? Topology::torus(one.sides) : Topology::mesh(one.sides);
    for (const NodeId source : one.sources) {
      for (MessageClock clock : clocks) {
        for (const MessageTiming timing : {MessageTiming::kStep, MessageTiming::kSelf}) {
          clock.timing = timing;
          if (std::string(one.algorithm) == "tree") {
            clock.timing = MessageTiming::kSelf;
            clock.relay_cycles = 0;
          }
          visit(relay_plan(topology, one.algorithm, source, clock));
        }
      }
    }
  }
}

}  // namespace gossamer::test
