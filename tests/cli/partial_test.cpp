// SPDX-License-Identifier: Apache-2.0
/// The partial collectives and dynamic broadcast as their users call them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace gossamer::testing {
namespace {

ProgramResult gossamer(const ScratchDirectory& directory, const std::string& arguments) {
  return run_command(directory, std::string("'") + GOSSAMER_PROGRAM + "' " + arguments);
}

void require_refused(const ScratchDirectory& directory, const std::string& arguments, int status,
                     const std::string& part) {
  const auto before = directory.entries();
  const ProgramResult result = gossamer(directory, arguments);
  INFO(arguments << "\n" << result.err);
  CHECK(result.status == status);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  CHECK_THAT(result.err, Catch::StartsWith("gossamer: ") && Catch::Contains(part));
  CHECK(result.out.empty());
  CHECK(directory.entries() == before);
}

nlohmann::json report_of(const ScratchDirectory& directory, const std::string& arguments) {
  const ProgramResult result = gossamer(directory, arguments);
  INFO(arguments << "\n" << result.err);
  REQUIRE(result.status == 0);
  return nlohmann::json::parse(result.out);
}

TEST_CASE("every partial collective is planned, proved, simulated and folded", "[cli][partial]") {
  const ScratchDirectory directory;
  for (const std::string request :
       {"prefix --dims 4x4x4 --active random:10:1",
        "prefix --dims 4x4 --algorithm two-way --active '0,0;1,2'",
        "packing --dims 5x5 --active random:10:1 --pack-wrap",
        "monotone-routing --dims 5x5 --active random:3:1 --targets '0,0;1,1;2,2'",
        "line-broadcast --dims 8 --counts 3,0,0,0,1,0,0,2",
        "partial-broadcast --dims 8x8 --active random:40:1 --splitting whole --sides alternate "
        "--skip-last --prefix two-way --pack-wrap",
        "partial-broadcast --dims 3x3x3 --active random:11:4",
        "partial-exchange --dims 6x6 --active random:9:1",
        "partial-exchange --dims 6x6 --active random:9:1 --rule balanced",
        "partial-gather --dims 6x6 --active random:9:1",
        "partial-gather --dims 6x6 --active random:9:1 --algorithm reversed",
        "gossip --dims 6x6 --algorithm multinode-split",
        "gossip --dims 6x6 --algorithm multinode-whole --sides alternate"}) {
    INFO(request);
    REQUIRE(gossamer(directory, "plan " + request + " -o p.json").status == 0);
    const auto proof = report_of(directory, "verify p.json --report -");
    const auto run = report_of(directory, "simulate p.json --json");
    const auto folded = report_of(directory, "simulate p.json --fold --report -");
    const auto clocked = report_of(directory, "simulate p.json --engine systemc --json");
    for (const char* key : {"complete", "steps", "cycles", "max_queue", "link_transfers"}) {
      INFO(key);
      CHECK(clocked.at(key) == run.at(key));
    }
    CHECK(run["complete"] == true);
    for (const char* key : {"steps", "cycles", "time_units", "max_queue", "link_conflicts"}) {
      INFO(key);
      CHECK(proof.at(key) == run.at(key));
    }
    // A reversed gather is a timetable, which has no phases.
    for (const char* key : {"bound_ratio", "phases", "queue_depth"}) {
      INFO(key);
      CHECK(run.contains(key) == (request.find("reversed") == std::string::npos));
      CHECK(proof.value(key, nlohmann::json()) == run.value(key, nlohmann::json()));
    }
    CHECK(folded["topology"] == "mesh");
    CHECK(folded["complete"] == true);
    CHECK(folded["link_conflicts"] == 0);
    CHECK(folded["steps"] <= 2 * run["steps"].get<int>());
    CHECK(folded["steps"] >= 2 * run["steps"].get<int>() - 1);
  }
}

TEST_CASE("the report of a partial broadcast has every phase, both bounds and the ratio",
          "[cli][partial]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory,
                   "plan partial-broadcast --dims 8x8 --active random:32:1 --flits 16 "
                   "--prefix-flits 2 -o p.json")
              .status == 0);
  const auto report = report_of(directory, "simulate p.json --json");
  // 28 prefix steps of 2 flits, 63 sub-steps of 4; 16 flits a unit.
  CHECK(report["cycles"] == 28 * 2 + 63 * 4);
  CHECK(report["time_units"] == 3.5 + 15.75);
  CHECK(report["packets_per_node"] == 4);
  CHECK(report["lower_bound_time_units"] == 7.75);
  CHECK(report["bound_time_units"] == 3.5 + 73 / 4.0);
  CHECK(report["bound_ratio"] == Approx(19.25 / 7.75));
  CHECK(report["proved_bound_steps"].is_null());
  CHECK(report["queue_depth"] == 4);
  std::uint64_t cycles = 0;
  std::string names;
  for (const auto& phase : report["phases"]) {
    cycles += phase["cycles"].get<std::uint64_t>();
    names += phase["phase"].get<std::string>() + std::to_string(phase["subphase"].get<int>()) + " ";
  }
  CHECK(cycles == report["cycles"]);
  CHECK(names ==
        "prefix-forward1 prefix-forward2 prefix-reverse1 prefix-reverse2 pack1 pack2 broadcast1 "
        "broadcast2 ");
  const ProgramResult table = gossamer(directory, "simulate p.json");
  CHECK_THAT(table.out, Catch::Contains("broadcast        35 steps = 7 + 28"));
  CHECK_THAT(table.out, Catch::Contains("19.25"));
}

TEST_CASE("a prefix's bounds are on the clock of its messages", "[cli][partial]") {
  const ScratchDirectory directory;
  REQUIRE(
      gossamer(directory,
               "plan prefix --dims 4x4 --active random:5:1 --flits 8 --prefix-flits 2 -o p.json")
          .status == 0);
  const auto report = report_of(directory, "simulate p.json --json");
  CHECK(report["steps"] == 12);
  CHECK(report["cycles"] == 24);
  CHECK(report["time_units"] == 3);
  CHECK(report["lower_bound_steps"] == 4);
  CHECK(report["lower_bound_time_units"] == 1);
  CHECK(report["bound_ratio"] == 3);
}

TEST_CASE("an exchange's report shows the paper's bound, the proved one and the instance's",
          "[cli][partial]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory,
                   "plan partial-exchange --topology mesh --dims 8x8 --active "
                   "'0,0;1,0;2,0;3,0;4,0;5,0;6,0;7,0' -o p.json")
              .status == 0);
  const auto report = report_of(directory, "simulate p.json --json");
  CHECK(report["steps"] == 78);
  CHECK(report["lower_bound_steps"] == 56);
  CHECK(report["bound_steps"] == 238);
  CHECK(report["proved_bound_steps"] == 172);
  CHECK(report["phases"].back()["steps"] == 78);
}

TEST_CASE("a dynamic sweep gives the same table, report, CSV and plot with any number of threads",
          "[cli][dynamic]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory,
                   "plan dynamic-broadcast --dims 8x8 --flits 8 --load 0.1,0.3,0.7 --broadcasts "
                   "20000 -o d.json")
              .status == 0);
  const ProgramResult table =
      gossamer(directory, "simulate d.json --csv d.csv --svg d.svg --threads 3");
  REQUIRE(table.status == 0);
  CHECK_THAT(table.out, Catch::Contains("stable below       load 0.529412"));
  CHECK_THAT(file_text(directory.file("d.svg")), Catch::Contains(">bound on the mean<"));
  const std::string csv = file_text(directory.file("d.csv"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
  CHECK(gossamer(directory, "simulate d.json --threads 1 --csv -").out == csv);
  CHECK(gossamer(directory, "simulate d.json --svg -").out == file_text(directory.file("d.svg")));

  auto sweep = report_of(directory, "simulate d.json --json");
  REQUIRE(sweep["points"].size() == 3);
  for (const char* key : {"load", "mean_delay", "delay_ci95", "delay_bound", "stable"}) {
    CHECK(sweep[key].is_null());
  }
  CHECK(sweep["load_limit"] == Approx(0.529412).epsilon(1e-5));
  CHECK(sweep["points"][2]["stable"] == false);
  CHECK(sweep["points"][2]["mean_delay"].is_null());
  CHECK(sweep["points"][2]["delay_bound"].is_null());

  const auto single = report_of(directory, "simulate d.json --load 0.3 --report -");
  for (const char* key : {"load", "mean_delay", "delay_ci95", "delay_bound", "stable"}) {
    CHECK(single[key] == sweep["points"][1][key]);
  }
  CHECK(single["mean_delay"] < single["delay_bound"]);
  const auto executed = report_of(directory, "simulate d.json --load 0.3 --execute --json");
  CHECK(executed["points"] == single["points"]);
}

TEST_CASE("the proof of a dynamic plan covers its intervals", "[cli][dynamic]") {
  const ScratchDirectory directory;
  for (const std::string options : {"", " --interval exact", " --splitting whole",
                                    " --prefix two-way --topology mesh --skip-last"}) {
    INFO(options);
    REQUIRE(
        gossamer(directory, "plan dynamic-broadcast --dims 5x5 --load 0.1" + options + " -o d.json")
            .status == 0);
    const ProgramResult proof = gossamer(directory, "verify d.json");
    CHECK(proof.status == 0);
    CHECK_THAT(proof.out, Catch::Contains("intervals"));
    CHECK_THAT(proof.out, Catch::Contains("stable below"));
  }
}

TEST_CASE("partial collectives refuse in one line and leave no files", "[cli][partial]") {
  const ScratchDirectory directory;
  const std::string broadcast = "plan partial-broadcast -o p.json --dims 8x8 ";
  require_refused(directory, broadcast, 2, "--active");
  require_refused(directory, broadcast + "--active none", 2, "none");
  require_refused(directory, broadcast + "--active random:65:1", 2, "0 to 64");
  require_refused(directory, broadcast + "--active '0,0;0,0'", 2, "--active");
  require_refused(directory, broadcast + "--active '0,8'", 2, "--active");
  require_refused(directory, broadcast + "--active random:4:1 --splitting half", 2, "neither");
  require_refused(directory, broadcast + "--active random:4:1 --flits 7", 3, "nearest feasible: 8");
  require_refused(directory, broadcast + "--active random:4:1 --sides alternate", 3, "whole");
  require_refused(directory, "plan partial-broadcast -o p.json --dims 8x4 --active random:4:1", 3,
                  "nearest feasible: --dims 8x8");
  require_refused(directory, "plan partial-exchange -o p.json --dims 4x4x4 --active random:4:1", 3,
                  "a rule of optimal order is known for 2 only");
  require_refused(directory,
                  "plan monotone-routing -o p.json --dims 4x4 --active random:2:1 --targets 0,0", 2,
                  "targets");
  require_refused(directory, "plan line-broadcast -o p.json --dims 4x4 --counts 1,2", 3,
                  "nearest feasible: --dims 4");
  require_refused(directory, "plan dynamic-broadcast -o p.json --dims 4x4", 2, "--load");
  require_refused(directory, "plan dynamic-broadcast -o p.json --dims 4x4 --load 0.1,,0.2", 2,
                  "load");
  require_refused(directory, "plan dynamic-broadcast -o p.json --dims 4x4 --load 3", 2, "load");

  REQUIRE(gossamer(directory, "plan dynamic-broadcast --dims 4x4 --load 0.1 -o d.json").status ==
          0);
  REQUIRE(gossamer(directory, "plan gossip --topology mesh --dims 4x4 -o m.json").status == 0);
  REQUIRE(gossamer(directory, "plan broadcast --dims 4x4 -o b.json").status == 0);
  require_refused(directory, "simulate d.json --trace t.csv", 2, "--trace");
  require_refused(directory, "simulate d.json --fold", 2, "--fold");
  require_refused(directory, "simulate d.json --load 0.1,x --svg u.svg", 2, "\"x\"");
  require_refused(directory, "simulate d.json --csv - --svg -", 2, "standard output");
  require_refused(directory, "simulate d.json --csv nowhere/d.csv", 2, "nowhere");
  require_refused(directory, "simulate d.json --threads 0", 2, "--threads");
  require_refused(directory, "simulate m.json --load 0.1", 2, "--load");
  require_refused(directory, "simulate m.json --svg u.svg", 2, "--svg");
  require_refused(directory, "simulate m.json --fold", 3, "nearest feasible");
  require_refused(directory, "simulate b.json --fold --trace t.csv", 3, "nearest feasible");
}

}  // namespace
}  // namespace gossamer::testing
