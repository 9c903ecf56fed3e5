// SPDX-License-Identifier: Apache-2.0
/// Three engines with the same results: traces, reports, lock step, waves and emitted files of the
/// program.
#include <fstapi.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>
#include <vector>

#include "program.hpp"

namespace gossamer::testing {
namespace {

ProgramResult gossamer(const ScratchDirectory& directory, const std::string& arguments) {
  return run_command(directory, std::string("'") + GOSSAMER_PROGRAM + "' " + arguments);
}

nlohmann::json report_of(const ScratchDirectory& directory, const std::string& arguments) {
  const ProgramResult result = gossamer(directory, arguments + " --report -");
  INFO(arguments << "\n" << result.err);
  REQUIRE(result.status == 0);
  return nlohmann::json::parse(result.out);
}

TEST_CASE("formula, proof, three engines and lock step agree, traces byte for byte",
          "[cli][engines]") {
  const std::string request = GENERATE(
      as<std::string>(),  //
      "--dims 8x8", "--dims 5x7", "--dims 2x4", "--dims 3x4x5", "--dims 9x4 --packets 4",
      "--dims 5x5 --packets 3", "--dims 6x9 --algorithm two-packet",
      "--dims 6x9 --algorithm two-packet --time-independent", "--dims 4x8 --algorithm one-packet",
      "--dims 8x6 --algorithm zigzag", "--topology mesh --dims 5x5", "--topology mesh --dims 4x6",
      "--dims 8x4 --wrap x", "--dims 5x4 --wrap y --packets 3 --time-independent", "--dims 1x6",
      "--dims 6x5 --dead-link 2,3:x+ --packets 3", "--dims 6x6 --dead-arc 5,0:x+",
      "--dims 5x5 --dead-node 2,2", "--dims 5x5 --dead-core 2,2",
      "--dims 6x4 --harvest x=3 --algorithm scheduled",
      "--topology mesh --dims 5x5 --dead-link 0,0:x+ --algorithm tree --packets 2",
      "--dims 4x3 --dead-arc 1,1:y+ --algorithm in-out");
  const bool named =
      request.find("mesh") != std::string::npos || request.find("--wrap") != std::string::npos;
  const std::string topology = named ? "" : "--topology torus ";
  const ScratchDirectory directory;
  INFO(request);
  REQUIRE(gossamer(directory, "plan gossip " + topology + request + " -o p.json").status == 0);
  const auto proof = report_of(directory, "verify p.json");
  REQUIRE(proof["analytic_steps"].is_number());
  CHECK(proof["steps"] == proof["analytic_steps"]);
  for (const std::string engine : {"fast", "systemc", "rtl"}) {
    const auto report =
        report_of(directory, "simulate p.json --engine " + engine + " --trace " + engine + ".csv");
    INFO(engine);
    CHECK(report["complete"] == true);
    for (const auto* key :
         {"steps", "cycles", "link_transfers", "link_conflicts", "duplicates", "max_queue"}) {
      INFO(key);
      CHECK(report[key] == proof[key]);
    }
    CHECK(file_text(directory.file(engine + ".csv")) == file_text(directory.file("fast.csv")));
  }
  const auto lock_step = report_of(directory, "cosim p.json");
  CHECK(lock_step["steps"] == proof["steps"]);
  CHECK(lock_step["link_transfers"] == proof["link_transfers"]);
}

TEST_CASE("partial collectives and packets of one root run on three engines and in lock step",
          "[cli][engines]") {
  const std::string request = GENERATE(
      as<std::string>(),  //
      "prefix --algorithm tree --topology torus --dims 5x5 --active random:9:1",
      "prefix --algorithm two-way --topology mesh --dims 3x3x3 --active random:8:2 --flits 4 "
      "--prefix-flits 2",
      "line-broadcast --topology torus --dims 6 --counts 3,0,1,2,0,4",
      "line-broadcast --topology mesh --dims 5 --counts 2,0,1,0,3 --flits 3",
      "packing --topology mesh --dims 4x4 --active random:7:2 --flits 3",
      "monotone-routing --topology mesh --dims 5x5 --active random:6:3 --targets random:6:9",
      "partial-broadcast --topology torus --dims 4x4 --active random:5:1 --flits 8 --prefix-flits "
      "3",
      "partial-broadcast --topology mesh --dims 8x8 --active random:20:2 --splitting whole",
      "gossip --algorithm multinode-split --topology torus --dims 4x4",
      "partial-exchange --topology mesh --dims 5x5 --active random:7:2 --flits 2",
      "partial-gather --algorithm online --topology mesh --dims 4x4 --active random:5:4",
      "partial-gather --algorithm reversed --topology mesh --dims 5x5 --active random:5:4 --flits "
      "2",
      "broadcast --packets 64 --topology torus --dims 8x8 --source 3,5",
      "broadcast --packets 64 --topology torus --dims 4x4x4",
      "broadcast --packets 20 --topology mesh --dims 5x4 --source 1,2",
      "broadcast --packets 9 --dims 8x4 --wrap x --algorithm disjoint-trees",
      "broadcast --packets 5 --dims 6x1 --topology torus --algorithm disjoint-trees",
      "broadcast --packets 8 --dims 8", "reduce --words 8 --dims 8 --source 3",
      "broadcast --packets 20 --dims 4x4 --algorithm hamiltonian --source 2,3",
      "reduce --words 9 --dims 3x3 --algorithm hamiltonian --source 2,1",
      "broadcast --packets 8 --dims 8x4 --groups x --source 5");
  const ScratchDirectory directory;
  INFO(request);
  REQUIRE(gossamer(directory, "plan " + request + " -o p.json").status == 0);
  const auto proof = report_of(directory, "verify p.json");
  for (const std::string engine : {"fast", "systemc", "rtl"}) {
    INFO(engine);
    const auto report =
        report_of(directory, "simulate p.json --engine " + engine + " --trace " + engine + ".csv");
    CHECK(report["complete"] == true);
    for (const auto* key : {"steps", "cycles", "link_transfers", "link_conflicts", "max_queue"}) {
      INFO(key);
      CHECK(report[key] == proof[key]);
    }
    CHECK(file_text(directory.file(engine + ".csv")) == file_text(directory.file("fast.csv")));
  }
  const auto lock_step = report_of(directory, "cosim p.json");
  CHECK(lock_step["complete"] == true);
  CHECK(lock_step["link_transfers"] == proof["link_transfers"]);
}

TEST_CASE("an engine that does not run a plan's routers names the engines that do",
          "[cli][engines]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --algorithm scheduled --dims 4x4 -o p.json").status ==
          0);
  const ProgramResult result = gossamer(directory, "simulate p.json --engine tlm");
  CHECK(result.status == 2);
  CHECK(result.err ==
        "gossamer: the tlm engine does not run scheduled all-gather plans (timetable); use fast or "
        "rtl or systemc\n");
}

TEST_CASE("a fault in either side ends cosim with status 1 and its place", "[cli][engines]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 5x5 -o p.json").status == 0);
  for (const std::string side : {"rtl", "model"}) {
    const ProgramResult result =
        gossamer(directory, "cosim p.json --report r.json --fault " + side + "@3:7:y-");
    CHECK(result.status == 1);
    CHECK_THAT(result.err, Catch::Contains("cycle 3, node 7, port y-: expected packet ") &&
                               Catch::Contains(", got packet "));
    CHECK(nlohmann::json::parse(file_text(directory.file("r.json")))["complete"] == false);
  }
}

TEST_CASE("a fault whose cycle never comes is a failed check", "[cli][engines]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  REQUIRE(gossamer(directory, "plan broadcast --topology mesh --dims 4x4 -o b.json").status == 0);
  for (const std::string plan : {"p.json", "b.json"}) {
    const ProgramResult result = gossamer(directory, "cosim " + plan + " --fault rtl@500:1:x+");
    CHECK(result.status == 1);
    CHECK_THAT(result.err,
               Catch::Contains("--fault: not reached") && Catch::Contains("there is no cycle 500"));
  }
}

TEST_CASE("a run that --max-steps ends is reported as aborted", "[cli][engines]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  REQUIRE(gossamer(directory, "plan broadcast --topology mesh --dims 4x4 -o b.json").status == 0);
  for (const std::string plan : {"p.json", "b.json"}) {
    const ProgramResult result = gossamer(directory, "simulate " + plan + " --max-steps 2");
    CHECK(result.status == 1);
    CHECK_THAT(result.err,
               Catch::Contains("check failed: not run to its end: given up after 2 of ") &&
                   Catch::Contains(" planned steps"));
    CHECK_THAT(result.out, Catch::Contains("not run to its end") && !Catch::Contains("NO"));
  }
  CHECK(gossamer(directory, "simulate p.json --max-steps 100").status == 0);
}

TEST_CASE("emit writes a directory, and nothing for an unknown format", "[cli][emit]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  REQUIRE(gossamer(directory, "emit p.json --format sv -o sv").status == 0);
  CHECK_THAT(file_text(directory.file("sv/gsm_plan_pkg.sv")),
             Catch::Contains("package gsm_plan_pkg"));
  const ProgramResult unknown = gossamer(directory, "emit p.json --format vhdl -o out");
  CHECK(unknown.status == 2);
  CHECK(std::count(unknown.err.begin(), unknown.err.end(), '\n') == 1);
  CHECK_FALSE(std::filesystem::exists(directory.file("out")));
}

TEST_CASE("emit refuses the plans that verify refuses, and uses the steps that it finds",
          "[cli][emit]") {
  const ScratchDirectory directory;
  const auto plan = [&](const std::string& request) {
    REQUIRE(gossamer(directory, "plan " + request + " -o p.json").status == 0);
    return nlohmann::json::parse(file_text(directory.path() / "p.json"));
  };
  nlohmann::json relay = plan("broadcast --dims 4x4 --algorithm min-tcd --source 0,0");
  // The other direction around the torus: it works, with two more cycles and hops.
  relay["program"]["paths"].push_back({{{"port", "x-"}, {"hops", 3}}});
  for (nlohmann::json& send : relay["program"]["table"]) {
    if (send[1] == 0 && send[2] == 0) send[2] = 4;
  }
  write_text(directory.path() / "p.json", relay.dump());
  const ProgramResult refused = gossamer(directory, "emit p.json --format sv -o out");
  CHECK(refused.status == 2);
  CHECK(refused.err ==
        "gossamer: p.json: verify rejects this plan: the plan expects 15 hops in all, there are "
        "17\n");
  CHECK_FALSE(std::filesystem::exists(directory.file("out")));
  relay["expected"]["analytic_cycles"] = 6;
  relay["expected"]["analytic_tcd"] = 17;
  write_text(directory.path() / "p.json", relay.dump());
  CHECK(gossamer(directory, "verify p.json").status == 0);
  CHECK(gossamer(directory, "simulate p.json --engine systemc").status == 0);
  CHECK(gossamer(directory, "emit p.json --format sv -o out").status == 0);

  CHECK(
      plan("gossip --dims 4x4 --algorithm shared-cycles")["expected"]["analytic_steps"].is_null());
  REQUIRE(gossamer(directory, "emit p.json --format json -o tables").status == 0);
  CHECK(nlohmann::json::parse(file_text(directory.path() / "tables/tables.json"))["steps"] == 8);
}

// --- waves --------------------------------------------------------------------------------------

/// Time, number of the variable in order of declaration from 1, value with all its bits.
using Change = std::tuple<std::uint64_t, std::uint32_t, std::string>;

std::vector<Change> fst_changes(const std::filesystem::path& path) {
  std::vector<Change> changes;
  const std::unique_ptr<void, decltype(&fstReaderClose)> reader(fstReaderOpen(path.c_str()),
                                                                fstReaderClose);
  REQUIRE(reader);
  fstReaderSetFacProcessMaskAll(reader.get());
  const auto collect = [](void* list, std::uint64_t time, fstHandle handle,
                          const unsigned char* value) {
    static_cast<std::vector<Change>*>(list)->emplace_back(time, handle,
                                                          reinterpret_cast<const char*>(value));
  };
  REQUIRE(fstReaderIterBlocks(reader.get(), collect, &changes, nullptr) == 1);
  std::sort(changes.begin(), changes.end());
  return changes;
}

std::vector<Change> vcd_changes(const std::string& text) {
  std::vector<Change> changes;
  std::map<std::string, std::pair<std::uint32_t, std::size_t>> variables;
  std::istringstream lines(text);
  std::uint64_t time = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::string id;
    words >> first;
    if (first == "$var") {
      std::string kind;
      std::size_t bits = 0;
      words >> kind >> bits >> id;
      variables.emplace(id, std::pair(static_cast<std::uint32_t>(variables.size() + 1), bits));
    } else if (first.starts_with('#')) {
      time = std::stoull(first.substr(1));
    } else if (first.starts_with('b')) {
      words >> id;
      const auto [handle, bits] = variables.at(id);
      std::string value = first.substr(1);
      value.insert(0, bits - value.size(), '0');
      changes.emplace_back(time, handle, value);
    } else if (first.size() > 1 && (first.front() == '0' || first.front() == '1')) {
      changes.emplace_back(time, variables.at(first.substr(1)).first, first.substr(0, 1));
    }
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

TEST_CASE("waves are the same as VCD and as FST", "[cli][engines][wave]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x3 -o p.json").status == 0);
  for (const std::string engine : {"systemc", "rtl", "systemc --pin-level"}) {
    INFO(engine);
    for (const std::string name : {"w.vcd", "w.fst"}) {
      REQUIRE(
          gossamer(directory, "simulate p.json --engine " + engine + " --wave " + name).status ==
          0);
    }
    const std::vector<Change> changes = vcd_changes(file_text(directory.file("w.vcd")));
    CHECK(changes.size() > 400);
    CHECK((fst_changes(directory.file("w.fst")) == changes));
    CHECK(directory.entries() == 3);
  }
}

TEST_CASE("impossible waves are refused and leave no files", "[cli][engines][wave]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x3 -o p.json").status == 0);
  for (const std::string wave : {"w.txt", "no/such/directory/w.vcd"}) {
    const ProgramResult result =
        gossamer(directory, "simulate p.json --engine systemc --wave " + wave);
    CHECK(result.status == 2);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_THAT(result.err, Catch::Contains(wave));
  }
  CHECK(gossamer(directory, "simulate p.json --engine fast --wave w.vcd").status == 2);
  CHECK(directory.entries() == 1);
}

}  // namespace
}  // namespace gossamer::testing
