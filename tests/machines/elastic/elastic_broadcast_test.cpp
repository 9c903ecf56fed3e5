// SPDX-License-Identifier: Apache-2.0
/// Elastic broadcasts down disjoint trees: formula, proof and run agree, liveness with one slot per
/// link, the same order for every timing, and wrong plans.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "elastic_case.hpp"
#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

using Parameters = std::map<std::string, ParameterValue>;

Plan trees(const Topology& topology, Parameters parameters) {
  parameters["elastic"] = true;
  return make_plan({topology, "broadcast", "disjoint-trees", std::move(parameters), {}});
}

Plan broken(const Plan& plan, NodeId node, Port port, const ElasticPort& entry) {
  Plan wrong = plan;
  wrong.program.edit<ElasticProgram>().set(node, port, entry);
  return wrong;
}

TEST_CASE("elastic broadcasts: formula, proof and run agree", "[elastic]") {
  struct Network {
    Topology topology;
    const char* source;
  };
  for (const auto& [topology, source] :
       {Network{Topology::mesh(Sides{4, 4}), "0,0"}, Network{Topology::mesh(Sides{5, 3}), "2,1"},
        Network{Topology::torus(Sides{4, 4}), "1,2"}, Network{Topology::torus(Sides{3, 3, 3}), "0"},
        Network{Topology::grid(Sides{4, 3}, 1), "3,1"}, Network{Topology::mesh(Sides{6}), "2"}}) {
    for (const char* latency : {"1", "3", "x=2,y=5"}) {
      if (std::string_view(latency).size() > 1 && topology.dimensions() == 1) continue;
      for (const std::int64_t flits : {1, 7}) {
        for (const char* slots : {"1", "2", "5"}) {
          CAPTURE(topology.dims_text(), source, latency, flits, slots);
          Parameters parameters{{"flits", flits},
                                {"slots", std::string(slots)},
                                {"link-latency", std::string(latency)}};
          if (std::string_view(source).size() > 1) parameters["source"] = std::string(source);
          const Plan plan = trees(topology, parameters);
          const Verdict verdict = verify(plan);
          CAPTURE(verdict.problems);
          REQUIRE(verdict.ok());
          REQUIRE(verdict.method == "elastic trees");
          REQUIRE(verdict.duplicates == 0U);
          const Outcome outcome = run(plan);
          CAPTURE(outcome.report.problems);
          REQUIRE(outcome.report.problems.empty());
          REQUIRE(outcome.report.complete == true);
          REQUIRE(outcome.cycles() == verdict.cycles);
          REQUIRE(outcome.rows.size() == verdict.link_transfers);
          REQUIRE(plan.expected.analytic_cycles.has_value() == (std::string_view(slots) != "1"));
          REQUIRE(outcome.rows.size() ==
                  (topology.nodes() - 1) * plan.demand.pieces * static_cast<std::uint64_t>(flits));
        }
      }
    }
  }
}

TEST_CASE("elastic broadcasts take a link's flits and the way down the deepest tree", "[elastic]") {
  // Both trees of the 4x4 mesh are six links deep, as deep as the farthest node.
  const Topology mesh = Topology::mesh(Sides{4, 4});
  for (const std::int64_t packets : {1, 2}) {
    const Plan plan = trees(mesh, {{"packets", packets}, {"flits", std::int64_t{64}}});
    CHECK(run(plan).cycles() == *plan.expected.analytic_cycles);
    CHECK(plan.expected.analytic_cycles == 6 + 64 - 1U);
  }
}

TEST_CASE("elastic broadcasts are live with one slot per link, in the same order for every timing",
          "[elastic]") {
  const Topology torus = Topology::torus(Sides{4, 4});
  const Plan plan = trees(torus, {{"flits", std::int64_t{20}}, {"slots", std::string("1")}});
  const auto order = run(plan).order();
  for (int seed = 1; seed <= 20; ++seed) {
    const Outcome outcome =
        run(plan, "random:" + std::to_string(seed) + ":128,100,180:" + std::to_string(seed));
    REQUIRE(outcome.report.complete == true);
    REQUIRE(outcome.order() == order);
  }
  // A node that never accepts stops its trees; nothing is lost, and the node is named.
  const Outcome stopped = run(plan, "m,5,-,0,-\n");
  CHECK(stopped.report.standstill == "waiting");
  CHECK(has_problem(stopped.report.problems, "node 5 to accept"));
}

TEST_CASE("elastic broadcasts that are wrong are refused", "[elastic]") {
  const Topology mesh = Topology::mesh(Sides{4, 4});
  const Plan plan = trees(mesh, {{"flits", std::int64_t{3}}, {"source", std::string("1,1")}});
  const auto& program = plan.program.as<ElasticProgram>();
  const NodeId root = plan.demand.root;
  const auto document = [](const Plan& of) {
    std::ostringstream text;
    write_plan(of, text, PlanEncoding::kJson);
    return text.str();
  };
  const auto read = [&document](const Plan& of) {
    std::istringstream text(document(of));
    return read_plan(text, "plan");
  };
  CHECK(read(plan) == plan);
  int refused = 0;
  int changed = 0;
  for (NodeId node = 0; node < mesh.nodes(); ++node) {
    for (const Port port : all_ports(mesh.ports())) {
      const ElasticPort& entry = program.at(node, port);
      if (entry.carries == 0) continue;
      // A link that carries nothing leaves its subtree without a packet.
      const Plan without = broken(plan, node, port, {});
      CHECK_FALSE(verify(without).ok());
      CHECK_FALSE(run(without).report.problems.empty());
      ElasticPort twice = entry;
      twice.carries = 2;
      CHECK_THROWS_WITH(read(broken(plan, node, port, twice)),
                        Catch::Contains("one flit per round") || Catch::Contains("carries: 2"));
      if (node == root) {
        ElasticPort other = entry;
        other.preload.front() ^= 1U;
        CHECK_FALSE(verify(broken(plan, node, port, other)).ok());
        continue;
      }
      ElasticPort own = entry;
      own.feed = {};
      own.preload = {0};
      CHECK_THROWS_WITH(read(broken(plan, node, port, own)), Catch::Contains("at the root 1,1"));
      for (const Port feed : all_ports(mesh.ports())) {
        if (mesh.neighbor(node, feed) == kNoNode || entry.feed.contains(feed)) continue;
        ElasticPort other = entry;
        other.feed = PortSet::of(feed);
        const Plan wrong = broken(plan, node, port, other);
        CAPTURE(node, int{port}, int{feed});
        ++changed;
        const Verdict verdict = verify(wrong);
        const bool works = run(wrong).report.problems.empty();
        // Proof and run agree: no swapped feed is harmless where each tree has its own packet.
        REQUIRE(verdict.ok() == works);
        refused += verdict.ok() ? 0 : 1;
      }
    }
  }
  CHECK(changed > 50);
  CHECK(refused == changed);
  std::string text = document(plan);
  text.replace(text.find("\"chunk\": 1"), 10, "\"chunk\": 3");
  text.replace(text.find("\"rounds\": 3"), 11, "\"rounds\": 1");
  std::istringstream longer(text);
  CHECK_THROWS_WITH(read_plan(longer, "plan"), Catch::Contains("chunks of a broadcast"));
}

TEST_CASE("elastic broadcasts that cannot be served name what can", "[elastic]") {
  const Topology mesh = Topology::mesh(Sides{4, 4});
  CHECK_THROWS_WITH(trees(mesh, {{"packets", std::int64_t{3}}}),
                    Catch::EndsWith("nearest feasible: --packets 2, and longer packets (--flits)"));
  CHECK_THROWS_AS(trees(mesh, {{"chunk", std::string("2")}}), InputError);
  CHECK_THROWS_WITH(make_plan({mesh, "broadcast", "eye", {{"elastic", true}}, {}}),
                    Catch::EndsWith("nearest feasible: --algorithm disjoint-trees"));
  CHECK_THROWS_WITH(
      make_plan({mesh, "broadcast", "disjoint-trees", {{"flits", std::int64_t{2}}}, {}}),
      Catch::Contains("requires --elastic"));
}

}  // namespace
}  // namespace gossamer
