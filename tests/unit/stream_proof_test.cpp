// SPDX-License-Identifier: Apache-2.0
/// The proofs of stream programs with fan-in, switches, frames and uneven lists: their verdicts,
/// counters included, against exhaustive runs of right and of wrong plans.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/verify/verify.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

Plan gossip(std::string_view kind, std::vector<std::uint32_t> sides, std::string_view algorithm,
            std::map<std::string, ParameterValue> options = {}) {
  PlanRequest request{Topology::make(kind, sides), "gossip", std::string(algorithm)};
  request.options = std::move(options);
  return make_plan(request);
}
}  // namespace
}  // namespace gossamer
