// SPDX-License-Identifier: Apache-2.0
/// Links that are not equally fast, as users ask for them.
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../unequal_judge.hpp"
#include "gossamer_program.hpp"

namespace gossamer::testing {
namespace {

constexpr const char* kMesh = "--topology mesh --dims 8x8 --chiplets 4x4 --die-link-rate 1/4 ";
constexpr const char* kTorus = "--topology torus --dims 8x4 --chiplets 4x2 --die-link-rate 1/3 ";

nlohmann::json run_plan_of(const ScratchDirectory& directory, const std::string& request,
                           const std::string& engine) {
  const ProgramResult planned = gossamer(directory, "plan " + request + " -o p.json");
  INFO(planned.err);
  REQUIRE(planned.status == 0);
  CHECK(gossamer(directory, "verify p.json").status == 0);
  const ProgramResult run = gossamer(
      directory, "simulate p.json --engine " + engine + " --trace " + engine + ".csv --report -");
  INFO(run.err);
  REQUIRE(run.status == 0);
  return nlohmann::json::parse(run.out);
}

TEST_CASE("all engines run plans of chiplets in the steps of the bound", "[rates]") {
  const ScratchDirectory directory;
  const std::string request = std::string("all-gather ") + kTorus + "--packets 2";
  const nlohmann::json fast = run_plan_of(directory, request, "fast");
  CHECK(fast["steps"] == fast["lower_bound_steps"]);
  CHECK(fast["link_periods"] ==
        nlohmann::json::parse(R"({"chiplets": [4,2], "inside": [1,1], "between": [3,3]})"));
  CHECK(fast["link_transfers"] == 2 * 32 * 31);
  std::uint64_t busy = 0;
  const UnequalNetwork network{{8, 4}, {true, true}, {4, 2}, {1, 1}, {3, 3}};
  for (const TraceTransfer& sent : transfers_of(file_text(directory.file("fast.csv")))) {
    busy += network.link(sent.from, sent.port).second;
  }
  CHECK(fast["busy_link_steps"] == busy);
  const auto judged = judge_unequal(network, 2, false, file_text(directory.file("fast.csv")));
  CHECK(judged.defect.empty());
  CHECK(judged.steps == fast["steps"]);
  for (const char* engine : {"systemc", "rtl"}) {
    CHECK(run_plan_of(directory, request, engine)["steps"] == fast["steps"]);
    CHECK(file_text(directory.file(std::string(engine) + ".csv")) ==
          file_text(directory.file("fast.csv")));
  }
}

TEST_CASE("the RTL is in lock step with the model on links of several steps", "[rates]") {
  const ScratchDirectory directory;
  for (const std::string& request :
       {std::string("all-gather ") + kMesh + "--packets 1",
        std::string("reduce-scatter ") + kTorus + "--packets 1",
        std::string("reduce-scatter ") + kTorus + "--packets 4 --block 2",
        std::string("all-gather ") + kTorus + "--packets 6 --block 2"}) {
    INFO(request);
    REQUIRE(gossamer(directory, "plan " + request + " -o p.json").status == 0);
    const ProgramResult cosim = gossamer(directory, "cosim p.json");
    INFO(cosim.err);
    CHECK(cosim.status == 0);
  }
}

TEST_CASE("widths of axes are rates, and equal rates change nothing", "[rates]") {
  const ScratchDirectory directory;
  const auto plan = [&directory](const std::string& options, const std::string& name) {
    REQUIRE(gossamer(directory, "plan all-gather --dims 4x4 --algorithm scheduled --packets 2 " +
                                    options + " -o " + name)
                .status == 0);
    return file_text(directory.file(name));
  };
  const std::string by_rate = plan("--link-rate x=1,y=1/4", "a.json");
  CHECK(plan("--link-bits x=128,y=32", "b.json") == by_rate);
  CHECK(plan("--link-rate y=0.25", "c.json") == by_rate);
  CHECK(plan("--link-rate x=4", "d.json") == by_rate);
  CHECK(plan("--link-rate x=1/4,y=1/4", "e.json") == plan("", "f.json"));
  CHECK(plan("--chiplets 2x2", "g.json") == plan("", "f.json"));
  CHECK(nlohmann::json::parse(by_rate)["topology"]["links"] ==
        nlohmann::json::parse(R"({"chiplets": null, "inside": [1,4], "between": null})"));
}

TEST_CASE("the slowest pace has the plan of equal links", "[rates]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, std::string("plan all-gather --algorithm array --packets 8 ") +
                                  kMesh + "--pace slowest -o p.json")
              .status == 0);
  const auto plan = nlohmann::json::parse(file_text(directory.file("p.json")));
  CHECK(!plan["topology"].contains("links"));
  CHECK(plan["expected"]["analytic_steps"] == 252);
  CHECK(plan["parameters"]["pace"] == "slowest");
  CHECK(plan["parameters"]["step_periods"] == 4);
}

TEST_CASE("a comparison has a row for the slowest pace", "[rates][slow]") {
  const ScratchDirectory directory;
  const auto rows_of = [&directory](const std::string& options) {
    const ProgramResult result = gossamer(directory, "compare " + options + kMesh + "--json");
    REQUIRE(result.status == 0);
    const auto json = nlohmann::json::parse(result.out);
    CHECK(json["link_periods"]["between"] == nlohmann::json::parse("[4,4]"));
    std::map<std::string, nlohmann::json> rows;
    for (const auto& row : json["rows"]) rows[row["algorithm"]] = row;
    return rows;
  };
  auto gathers = rows_of("all-gather ");
  CHECK(gathers["scheduled"]["steps"] == 32);
  // 63 steps of two packets, each as long as four.
  CHECK(gathers["slowest"]["steps"] == 252);
  CHECK(gathers["slowest"]["lower_bound"] == 63);
  CHECK(gathers["array"]["steps"].is_null());
  auto sums = rows_of("all-reduce --words 4 ");
  CHECK(sums["lines"]["steps"] == 24);
  CHECK(sums["slowest"]["lower_bound"] == 21);
  CHECK(sums["slowest"]["steps"].get<int>() % 4 == 0);
  auto bytes = rows_of("all-gather --bytes 256 --energy die=1170 ");
  // 64 flits of a packet take 32 steps, the plan for equal links takes four times 63 of half a
  // message.
  CHECK(bytes["scheduled"]["cycles"] == 2016);
  CHECK(bytes["slowest (degraded)"]["cycles"] == 8064);
  CHECK(bytes["wormhole tree"]["cycles"] > 8064);
  CHECK(bytes["scheduled"]["picojoules_per_bit"] > 0.2);
  for (const auto& [name, row] : rows_of("all-to-all --bytes 252 ")) {
    CHECK(row["cycles"].is_null() != (name.starts_with("slowest (") || name.starts_with("worm")));
  }
  check_refusal(std::string("compare broadcast ") + kMesh, 3, "with --bytes");
}

TEST_CASE("the conventional network has the same rates", "[rates]") {
  const ScratchDirectory directory;
  const auto full_load = [&directory](const std::string& options) {
    const ProgramResult result =
        gossamer(directory, "traffic --dims 4x4 --saturation --json " + options);
    INFO(result.err);
    REQUIRE(result.status == 0);
    return nlohmann::json::parse(result.out);
  };
  const auto equal = full_load("");
  const auto dies = full_load("--chiplets 2x2 --die-link-rate 1/8");
  CHECK(!equal.contains("link_periods"));
  CHECK(dies["link_periods"]["between"] == nlohmann::json::parse("[8,8]"));
  // Half of the flits of eight nodes cross the middle, over four links: 8 R / 2 <= 4 / 8.
  CHECK(dies["full_load_accepted_rate"] <= 0.126);
  CHECK(dies["full_load_accepted_rate"] > 0.1);
  CHECK(equal["full_load_accepted_rate"] > 0.3);
  const auto axis = full_load("--link-rate y=1/8");
  CHECK(axis["full_load_accepted_rate"] <= 0.126);
  check_refusal("traffic --dims 4x4 --saturation --chiplets 3x2 --die-link-rate 1/2", 2,
                "side 3 does not divide");
}

TEST_CASE("a recommended plan keeps the rates of its network", "[rates]") {
  const ScratchDirectory directory;
  const ProgramResult result =
      gossamer(directory,
               "recommend --topology mesh --dims 4x4 --chiplets 2x2 --die-link-rate 1/3 --json "
               "--collectives all-gather=64,broadcast=64");
  INFO(result.err);
  REQUIRE(result.status == 0);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json["link_periods"]["between"] == nlohmann::json::parse("[3,3]"));
  for (const auto& one : json["collectives"]) {
    std::string command = one["command"];
    CHECK_THAT(command,
               Catch::Contains("--link-rate x=1,y=1 --chiplets 2x2 --die-link-rate x=1/3,y=1/3"));
    const bool paced = one["collective"] == "broadcast";
    CHECK((command.find("--pace slowest") != std::string::npos) == paced);
    command = command.substr(std::string("gossamer ").size());
    CHECK(gossamer(directory, command).status == 0);
  }
}

TEST_CASE("rates of a machine of several meshes exclude others", "[rates]") {
  const ScratchDirectory directory;
  const auto chip = [](int mesh, int device) {
    return "nodes { mesh { mesh_descriptor: \"M\" mesh_id: " + std::to_string(mesh) +
           " device_id: " + std::to_string(device) + " } } ";
  };
  std::string text =
      "mesh_descriptors { name: \"M\" device_topology { dims: [2, 1] } channels { count: 3 } }\n"
      "graph_descriptors { name: \"G\"\n";
  for (int mesh = 0; mesh < 2; ++mesh) {
    text += "instances { mesh { mesh_descriptor: \"M\" mesh_id: " + std::to_string(mesh) + " } }\n";
  }
  text += "connections { " + chip(0, 1) + chip(1, 0) + "channels { count: 1 } } }\n" +
          "top_level_instance { graph { graph_descriptor: \"G\" graph_id: 0 } }\n";
  write_text(directory.file("m.textproto"), text);
  const ProgramResult planned =
      gossamer(directory, "plan all-gather --topology-file m.textproto -o p.json");
  INFO(planned.err);
  REQUIRE(planned.status == 0);
  const auto plan = nlohmann::json::parse(file_text(directory.file("p.json")));
  CHECK(plan["expected"]["analytic_steps"] == 7);
  CHECK(
      gossamer(directory, "plan all-gather --topology-file m.textproto --link-rate x=1/2 -o p.json")
          .status == 2);
}

TEST_CASE("groups inside a chiplet work as on equal links", "[rates]") {
  const ScratchDirectory directory;
  CHECK(gossamer(directory, std::string("plan all-gather --groups 4x4 ") + kMesh + "-o p.json")
            .status == 0);
  check_refusal(std::string("plan all-gather --groups 8x1 ") + kMesh + "-o p.json", 3,
                "--pace slowest");
}

TEST_CASE("what needs equal links is refused, with the steps of the slowest pace", "[rates]") {
  const std::string mesh = kMesh;
  check_refusal("plan all-gather --algorithm array --packets 8 " + mesh + "-o p.json", 3,
                "--pace slowest (1008 steps)");
  check_refusal("plan broadcast " + mesh + "-o p.json", 3, "--pace slowest");
  check_refusal("plan all-to-all " + mesh + "-o p.json", 3, "--pace slowest");
  check_refusal("plan all-gather --dead-link 1,1:x+ " + mesh + "-o p.json", 3, "--pace slowest");
  check_refusal(
      "plan all-gather --topology mesh --dims 64x64 --chiplets 8x8 --die-link-rate 1/4 "
      "--packets 64 -o p.json",
      3, "too many for timetables");
}

TEST_CASE("bad rates are refused with one line", "[rates]") {
  const auto refused = [](const std::string& options, const std::string& part) {
    check_refusal("plan all-gather --dims 8x8 " + options + " -o p.json", 2, part);
  };
  refused("--link-rate x=0", "--link-rate: \"0\"");
  refused("--link-rate x=-1", "--link-rate: \"-1\"");
  refused("--link-rate x=fast", "a number above 0 is expected");
  refused("--link-rate x=1/0", "a number above 0 is expected");
  refused("--link-rate 1/4", "AXIS=NUMBER is expected");
  refused("--link-rate x=1,x=2", "axis x is given twice");
  refused("--link-rate z=1/2", "\"z\" is not an axis");
  refused("--link-rate x=1,y=1/256", "1:1/256");
  refused("--link-rate y=1/4 --link-bits x=1,y=2", "--link-bits");
  refused("--link-bits x=128", "the width of axis y is missing");
  refused("--chiplets 3x4 --die-link-rate 1/2", "side 3 does not divide side 8");
  refused("--chiplets 4 --die-link-rate 1/2", "1 sides, the network has 2");
  refused("--chiplets 4xy --die-link-rate 1/2", "--chiplets: \"4xy\"");
  refused("--die-link-rate 1/2", "--die-link-rate: requires --chiplets");
  refused("--link-rate y=1/2 --packets 4 --block 5", "--block: a whole number from 1 to 4");
  refused("--link-rate y=1/2 --packets 4 --block 0", "--block: a whole number from 1 to 4");
  refused("--link-rate y=1/2 --pace fast", "--pace: \"fast\" is unknown");
  refused("--packets 4 --block 2 --algorithm scheduled",
          "--block: requires links of different rates");
  check_refusal("plan all-reduce --dims 8x8 --link-rate y=1/2 --packets 4 --block 2 -o p.json", 2,
                "--block");
}

TEST_CASE("documents whose links contradict the network are refused", "[rates]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan all-gather --dims 4x4 --link-rate y=1/2 -o p.json").status ==
          0);
  const auto plan = nlohmann::json::parse(file_text(directory.file("p.json")));
  const auto refused = [&](const char* links, int status, const char* part) {
    auto changed = plan;
    changed["topology"]["links"] = nlohmann::json::parse(links);
    write_text(directory.file("q.json"), changed.dump());
    const ProgramResult result = gossamer(directory, "verify q.json");
    INFO(links << "\n" << result.err);
    CHECK(result.status == status);
    CHECK_THAT(result.err, Catch::Contains(part));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  };
  refused(R"({"chiplets": null, "inside": [1], "between": null})", 2, "2 periods are expected");
  refused(R"({"chiplets": null, "inside": [1,0], "between": null})", 2, "inside");
  refused(R"({"chiplets": null, "inside": [1,256], "between": null})", 2, "inside");
  refused(R"({"chiplets": null, "inside": [2,4], "between": null})", 2, "common divisor 2");
  refused(R"({"chiplets": null, "inside": [3,3], "between": null})", 2, "the same period");
  refused(R"({"chiplets": [3,2], "inside": [1,1], "between": [2,2]})", 2, "does not divide");
  refused(R"({"chiplets": [2,2], "inside": [1,1], "between": null})", 2, "periods are expected");
  refused(R"({"chiplets": null, "inside": [1,2], "between": null, "x": 1})", 2, "x");
  // Slower links than planned: an early send is found.
  auto changed = plan;
  changed["topology"]["links"]["inside"] = {1, 3};
  write_text(directory.file("q.json"), changed.dump());
  CHECK(gossamer(directory, "verify q.json").status == 1);
  // Routers of other machines need equal links.
  REQUIRE(gossamer(directory, "plan all-gather --dims 4x4 -o s.json").status == 0);
  auto stream = nlohmann::json::parse(file_text(directory.file("s.json")));
  stream["topology"]["links"] = plan["topology"]["links"];
  write_text(directory.file("s.json"), stream.dump());
  const ProgramResult result = gossamer(directory, "verify s.json");
  CHECK(result.status == 3);
  CHECK_THAT(result.err, Catch::Contains("--pace slowest"));
}

}  // namespace
}  // namespace gossamer::testing
