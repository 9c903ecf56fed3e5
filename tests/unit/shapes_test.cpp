// SPDX-License-Identifier: Apache-2.0
/// The shapes that machines have, as mesh graph descriptors name them: every collective serves each
/// of them, or refuses it in one line that names the nearest that it serves.
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>

#include "gossamer/plan/collective.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/topology/mesh_graph.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

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

/// What a collective cannot do without.
Options needed(std::string_view collective, const Topology& topology) {
  const std::string some = "random:" + std::to_string((topology.nodes() + 1) / 2) + ":1";
  if (collective == "line-broadcast") return {{"counts", "random:5:1"}};
  if (collective == "monotone-routing") return {{"active", some}, {"targets", some}};
  if (collective.starts_with("partial-") || collective == "prefix" || collective == "packing") {
    return {{"active", some}};
  }
  return {};
}

TEST_CASE("every collective serves the shapes of machines, or says what it serves", "[shapes]") {
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
      const Verdict verdict = verify(*plan);
      INFO((verdict.problems.empty() ? "" : verdict.problems.front()));
      REQUIRE(verdict.ok());
      const Report report = run_plan(*plan, *make_fast_engine(*plan));
      INFO((report.problems.empty() ? "" : report.problems.front()));
      REQUIRE(report.problems.empty());
      REQUIRE(report.complete == true);
      REQUIRE(report.steps == verdict.steps);
    }
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
