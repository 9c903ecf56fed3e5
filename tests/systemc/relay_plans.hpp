// SPDX-License-Identifier: Apache-2.0
/// Broadcast plans for the tests of the hardware engines, and one run of an engine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gossamer/plan/message_clock.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"

namespace gossamer::test {

/// The part of a run that must be the same on every engine.
struct RelayRun {
  bool complete = false;
  std::uint64_t steps = 0;
  std::uint64_t cycles = 0;
  std::uint64_t traversals = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t conflicts = 0;
  std::string trace;

  bool operator==(const RelayRun&) const = default;
};
RelayRun run_relay(const Plan& plan, Engine& engine);

/// The plan of an algorithm of the registry by name.
Plan relay_plan(const Topology& topology, const std::string& algorithm, NodeId source,
                const MessageClock& clock);
/// Algorithm, sides, source and clock, for messages.
std::string describe(const Plan& plan);

/// A spread of algorithms, meshes, tori and sources, each with several clocks and both timings.
void for_each_relay_plan(const std::function<void(const Plan&)>& visit);

}  // namespace gossamer::test
