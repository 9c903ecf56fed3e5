// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/planner.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <stdexcept>

using namespace gossamer;

namespace {

Plan plan_outside(const PlanRequest& request) {
  Plan plan = make_plan({request.topology, "gossip", "hamiltonian", request.parameters, {}});
  plan.algorithm = "user:outside";
  return plan;
}

constexpr Algorithm kOutside{.collective = "gossip",
                             .shapes = Shapes::kTorus,
                             .name = "user:outside",
                             .summary = "A planner from outside the library",
                             .guarantee = "what hamiltonian guarantees",
                             .options = "packets",
                             .machines = "stream",
                             .plan = plan_outside};

}  // namespace

TEST_CASE("A planner registered from outside is an algorithm like all others") {
  const auto torus = Topology::torus(std::array{4U, 4U});
  const std::size_t before = algorithms().size();
  const Plan usual = make_plan({torus, "all-gather", {}, {}, {}});
  CHECK_THROWS_WITH(make_plan({torus, "gossip", "user:outside", {}, {}}),
                    Catch::StartsWith("--algorithm: \"user:outside\" is unknown for all-gather"));

  register_algorithm(kOutside);
  REQUIRE(algorithms().size() == before + 1);
  CHECK(make_plan({torus, "all-gather", "user:outside", {}, {}}).program == usual.program);
  // The default is unchanged, and options are checked.
  CHECK(make_plan({torus, "all-gather", {}, {}, {}}) == usual);
  CHECK(takes_option("all-gather", "user:outside", "packets"));
  CHECK_THROWS_WITH(make_plan({torus, "gossip", "user:outside", {{"seed", std::int64_t{2}}}, {}}),
                    "--seed: algorithm user:outside does not support it; it takes packets");
  // After the others of its collective, so that these are still consecutive.
  const auto at = std::find_if(algorithms().begin(), algorithms().end(),
                               [](const Algorithm& row) { return row.name == "user:outside"; });
  REQUIRE(at != algorithms().begin());
  CHECK((at - 1)->collective == "gossip");
  CHECK((at + 1)->collective != "gossip");

  CHECK_THROWS_AS(register_algorithm(kOutside), std::invalid_argument);
  const auto refused = [](auto change) {
    Algorithm algorithm = kOutside;
    algorithm.name = "user:another";
    change(algorithm);
    CHECK_THROWS_AS(register_algorithm(algorithm), std::invalid_argument);
  };
  refused([](Algorithm& row) { row.name = "another"; });
  refused([](Algorithm& row) { row.name = "user:"; });
  refused([](Algorithm& row) { row.collective = "gossiping"; });
  refused([](Algorithm& row) { row.options = "packets pockets"; });
  refused([](Algorithm& row) { row.plan = nullptr; });
  CHECK(algorithms().size() == before + 1);
}
