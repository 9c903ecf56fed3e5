// SPDX-License-Identifier: Apache-2.0
/// The shapes of real machines, from mesh graph descriptors: every collective supports each of
/// them, or refuses it in one line that names the nearest supported one.
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/topology/mesh_graph.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/words.hpp"
#include "gossamer/verify/proof.hpp"

namespace gossamer {
namespace {

using Sides = std::vector<std::uint32_t>;
using Options = std::map<std::string, ParameterValue>;

struct Shape {
  const char* dims;
  const char* types;
};
constexpr Shape kShapes[] = {
    {"1, 2", "LINE, LINE"},          {"1, 2", "RING, RING"},
    {"1, 4", "LINE, RING"},          {"1, 8", "LINE, LINE"},
    {"1, 8", "LINE, RING"},          {"2, 2", "LINE, LINE"},
    {"2, 2", "RING, RING"},          {"2, 4", "LINE, LINE"},
    {"2, 4", "RING, LINE"},          {"2, 4", "LINE, RING"},
    {"2, 4", "RING, RING"},          {"4, 4", "RING, RING"},
    {"4, 4", "LINE, LINE"},          {"8, 4", "RING, LINE"},
    {"8, 4", "LINE, RING"},          {"8, 4", "RING, RING"},
    {"8, 4", "LINE, LINE"},          {"4, 8", "LINE, LINE"},
    {"8, 8", "LINE, LINE"},          {"8, 8", "RING, LINE"},
    {"16, 4", "RING, RING"},         {"16, 8", "RING, LINE"},
    {"32, 4", "RING, RING"},         {"32, 4", "LINE, RING"},
    {"2, 2, 2", "LINE, LINE, LINE"}, {"4, 4, 4", "RING, RING, RING"},
    {"4, 4, 8", "RING, RING, RING"}, {"2, 2, 4", "RING, LINE, RING"},
};

/// The required options of a collective.
Options needed(std::string_view collective, const Topology& topology) {
  const std::string some = "random:" + std::to_string((topology.nodes() + 1) / 2) + ":1";
  if (collective == "line-broadcast") return {{"counts", "random:5:1"}};
  if (collective == "monotone-routing") return {{"active", some}, {"targets", some}};
  if (collective.starts_with("partial-") || collective == "prefix" || collective == "packing") {
    return {{"active", some}};
  }
  return {};
}

/// The proof of a plan has the figures of a run.
void require_proof_like_run(const Plan& plan) {
  const Report proof = prove(plan, {});
  INFO((proof.problems.empty() ? "" : proof.problems.front()));
  REQUIRE(proof.problems.empty());
  const Report run = run_plan(plan, *make_fast_engine(plan));
  INFO((run.problems.empty() ? "" : run.problems.front()));
  REQUIRE(run.problems.empty());
  REQUIRE(run.complete == true);
  REQUIRE(proof.complete == true);
  REQUIRE(proof.steps == run.steps);
  REQUIRE(proof.cycles == run.cycles);
  REQUIRE(proof.link_transfers == run.link_transfers);
  REQUIRE(proof.link_conflicts == run.link_conflicts);
  REQUIRE(proof.duplicates == run.duplicates);
  if (run.max_queue) REQUIRE(proof.max_queue == run.max_queue);
  REQUIRE(proof.tcd == run.tcd);
}

TEST_CASE("every collective supports the shapes of machines, or names those that it supports",
          "[shapes][slow]") {
  for (const Shape& shape : kShapes) {
    const Topology topology =
        mesh_graph_topology(std::string("device_topology { dims: [") + shape.dims +
                                "] dim_types: [" + shape.types + "] }",
                            "machine");
    for (const Collective& collective : collectives()) {
      CAPTURE(collective.name, shape.dims, shape.types);
      const Options options = needed(collective.name, topology);
      std::optional<Plan> plan;
      try {
        plan = make_plan({topology, std::string(collective.name), "", options, {}});
      } catch (const InfeasibleError& error) {
        const std::string line = error.what();
        CAPTURE(line);
        REQUIRE(line.find("nearest feasible: ") != std::string::npos);
        REQUIRE(line.find('\n') == std::string::npos);
        continue;
      }
      require_proof_like_run(*plan);
    }
  }
}

TEST_CASE("every algorithm's plan can be read again, and is proved as it runs", "[shapes][slow]") {
  // Sides of 1 make tori, meshes and cylinders of one and the same network. Faults: nodes, cores,
  // arcs.
  const auto damaged = [](const Faults& faults) {
    return Topology::torus(Sides{4, 4}).with_faults(faults);
  };
  const std::vector<Topology> shapes = {
      Topology::torus(Sides{4, 4}),
      Topology::mesh(Sides{4, 4}),
      Topology::torus(Sides{3, 3}),
      Topology::mesh(Sides{5}),
      Topology::torus(Sides{6}),
      Topology::grid(Sides{4, 3}, 0b01),
      Topology::torus(Sides{4, 1}),
      Topology::grid(Sides{4, 1}, 0b01),
      Topology::grid(Sides{2, 1, 2}, 0b101),
      Topology::grid(Sides{1, 3, 3}, 0b110),
      Topology::mesh(Sides{1, 4}),
      Topology::grid(Sides{1, 4}, 0b01),
      damaged({{5}, {}, {}}),
      damaged({{}, {6}, {}}),
      damaged({{}, {}, {4 * 5 + 1}}),
      damaged({{2}, {9}, {4 * 7 + 3, 4 * 11 + 2}}),
      Topology::mesh(Sides{3, 4}).with_faults({{}, {4}, {}}),
      Topology::grid(Sides{3, 1, 3}, 0b100).with_faults({{}, {8}, {}})};
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.plan == nullptr) continue;
    const bool can_wait = has_word(algorithm.options, "elastic");
    std::array<int, 2> planned{};
    for (std::size_t i = 0; i < (can_wait ? 2 : 1) * shapes.size(); ++i) {
      const Topology& topology = shapes[i % shapes.size()];
      const bool elastic = i >= shapes.size();
      // The search for walks takes long if none exists.
      if (algorithm.name == "walks" && topology != shapes.front()) continue;
      CAPTURE(algorithm.collective, algorithm.name, topology.dims_text(), topology.wrap(), elastic);
      std::optional<Plan> plan;
      try {
        Options options = needed(algorithm.collective, topology);
        if (algorithm.name == "walks") options["packets"] = std::int64_t{3};
        if (elastic) options["elastic"] = true;
        // Of several blocks a node the one cycle would bring several sums in a cycle.
        if (elastic && algorithm.name == "array") options["packets"] = std::int64_t{1};
        // Elastic routers do not switch.
        if (elastic && algorithm.name == "one-packet") options["time-independent"] = true;
        plan = make_plan({topology,
                          std::string(algorithm.collective),
                          std::string(algorithm.name),
                          options,
                          {}});
      } catch (const InfeasibleError&) {
        continue;
      }
      std::stringstream document;
      write_plan(*plan, document, PlanEncoding::kJson);
      REQUIRE(read_plan(document, "document") == *plan);
      require_proof_like_run(*plan);
      ++planned[elastic ? 1 : 0];
    }
    CAPTURE(algorithm.collective, algorithm.name);
    CHECK(planned[0] > 0);
    CHECK((planned[1] > 0) == can_wait);
  }
}

TEST_CASE("collectives that every shape of a machine has", "[shapes]") {
  for (const Shape& shape : kShapes) {
    const Topology topology =
        mesh_graph_topology(std::string("device_topology { dims: [") + shape.dims +
                                "] dim_types: [" + shape.types + "] }",
                            "machine");
    CAPTURE(shape.dims, shape.types);
    for (const char* collective : {"gossip", "broadcast"}) {
      CHECK_NOTHROW(make_plan({topology, collective, "", {}, {}}));
    }
    CHECK_NOTHROW(make_plan({topology, "broadcast", "", {{"packets", std::int64_t{64}}}, {}}));
  }
}

}  // namespace
}  // namespace gossamer
