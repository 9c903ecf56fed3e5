// SPDX-License-Identifier: Apache-2.0
/// Bytes, time and energy on the command line, and the default algorithm.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gossamer_program.hpp"

namespace gossamer::testing {
namespace {

nlohmann::json json_of(const ScratchDirectory& directory, const std::string& arguments) {
  const ProgramResult result = gossamer(directory, arguments);
  INFO(arguments << "\n" << result.err);
  REQUIRE(result.status == 0);
  return nlohmann::json::parse(result.out);
}

TEST_CASE("64 KiB per node: every command reports the same message", "[cli][message]") {
  const ScratchDirectory directory;
  const auto plan = json_of(directory,
                            "plan all-gather --dims 8x8 --packets 4 --bytes 64KiB --link-bits 128 "
                            "--clock 1GHz -o p.json --json");
  CHECK(plan["analytic_cycles"] == 64512);
  CHECK(plan["physical"]["cycles"] == 64512);
  CHECK(plan["physical"]["energy"]["femtojoules"].is_null());
  const auto proof = json_of(directory, "verify p.json --json");
  const auto run = json_of(directory, "simulate p.json --json");
  const auto rtl = json_of(directory, "cosim p.json --json");
  for (const auto& report : {proof, run, rtl}) {
    CHECK(report["steps"] == 63);
    CHECK(report["cycles"] == 64512);
    CHECK(report["physical"] == proof["physical"]);
  }
  const auto& physical = run["physical"];
  CHECK(physical["seconds"].get<double>() == Approx(64.512e-6));
  CHECK(physical["fraction_of_bound"] == 1.0);
  CHECK(physical["link_utilization"] == 1.0);
  CHECK(physical["energy"]["link_flits"] == 63 * 256 * 1024);
  const auto table = gossamer(directory, "simulate p.json");
  CHECK_THAT(table.out, Catch::Contains("64.51 us: 64,512 cycles at 1 GHz") &&
                            Catch::Contains("pJ per delivered bit") && Catch::Contains("ExaScale"));
  // Later words go before the plan's.
  CHECK(json_of(directory, "verify p.json --json --bytes 32KiB --clock 2GHz")["cycles"] == 32256);
  REQUIRE(gossamer(directory, "view p.json -o v.html").status == 0);
  CHECK_THAT(file_text(directory.file("v.html")),
             Catch::Contains("64 KiB per node in 64.51 us (64,512 cycles at 1 GHz)"));
}

TEST_CASE("a message of every collective costs the same on every command", "[cli][message]") {
  struct Case {
    std::string request;
    /// Whether there is RTL of the routers.
    bool hardware = true;
    /// Whether links may take longer: there are routers without a clock of their own.
    bool latency = true;
    bool compared = true;
  };
  const std::string active = " --active random:5:1";
  const std::vector<Case> cases = {
      {"gossip --dims 4x4"},
      {"broadcast --dims 4x4"},
      {"reduce-scatter --dims 4x4"},
      {"all-reduce --dims 4x4"},
      {"all-reduce --topology mesh --dims 4x3"},
      {"reduce --dims 4x4 --algorithm line-sum"},
      {"reduce --dims 4x4 --source 1,2", false},
      {"all-to-all --dims 4x4"},
      {"partial-broadcast --dims 4x4" + active, false, false, false},
      {"partial-exchange --dims 4x4" + active, false, false, false},
      {"partial-gather --dims 4x4" + active, false, false, false},
      {"packing --dims 4x4" + active, false, false, false},
      {"monotone-routing --dims 4x4 --targets random:5:2" + active, false, false, false},
      {"line-broadcast --dims 6 --counts 1,0,2,1,0,1", true, false, false},
  };
  const std::string message =
      " --bytes 512 --link-bits 64 --clock 2GHz --energy link=100,router=20,buffer=30";
  for (const Case& each : cases) {
    CAPTURE(each.request);
    const ScratchDirectory directory;
    const std::string plan = "plan " + each.request + message;
    const auto planned = json_of(directory, plan + " -o p.json --json");
    // Not every plan has a formula.
    const auto promised = json_of(directory, "verify p.json --json")["physical"]["cycles"];
    REQUIRE(promised.is_number());
    const auto& formula = planned["physical"]["cycles"];
    CHECK((formula.is_null() || formula == promised));
    std::vector<std::string> commands{"verify p.json", "simulate p.json",
                                      "simulate p.json --engine systemc"};
    if (each.hardware) {
      commands.insert(commands.end(), {"simulate p.json --engine rtl", "cosim p.json"});
    }
    nlohmann::json energy;
    for (const std::string& command : commands) {
      CAPTURE(command);
      const auto physical = json_of(directory, command + " --json")["physical"];
      CHECK(physical["cycles"] == promised);
      CHECK(physical["seconds"].get<double>() == Approx(promised.get<double>() / 2e9));
      // A proof may not count links.
      if (command.starts_with("verify")) continue;
      CHECK(physical["energy"]["femtojoules"].is_number());
      if (energy.is_null()) energy = physical["energy"];
      CHECK(physical["energy"] == energy);
    }
    CHECK(gossamer(directory, "view p.json -o v.html").status == 0);
    CHECK_THAT(file_text(directory.file("v.html")), Catch::Contains("512 B per node in "));
    const ProgramResult far = gossamer(directory, plan + " --link-latency 3 -o far.json");
    CHECK(far.status == (each.latency ? 0 : 3));
    if (each.compared) {
      const std::string request =
          each.request.substr(0, each.request.find(" --algorithm")) + message + " --plans-only";
      const auto rows = json_of(directory, "compare " + request + " --json")["rows"];
      const auto same = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
        return row["algorithm"] == planned["algorithm"] && row["cycles"] == promised;
      });
      CHECK(same != rows.end());
    }
  }
}

TEST_CASE("energy adds up from the rows of the trace", "[cli][message]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 5x4 -o p.json").status == 0);
  const auto report = json_of(directory,
                              "simulate p.json --trace t.csv --json --bytes 256 --link-bits 64 "
                              "--energy link=100,router=20,buffer=30");
  const std::string trace = file_text(directory.file("t.csv"));
  const auto rows = std::count(trace.begin(), trace.end(), '\n') - 1;
  // 32 flits in two packets; one register an output port, so nothing is buffered.
  const auto flits = rows * 16;
  const auto& energy = report["physical"]["energy"];
  CHECK(energy["link_flits"] == flits);
  CHECK(energy["router_flits"] == flits);
  CHECK(energy["buffer_flits"] == 0);
  CHECK(energy["femtojoules"] == static_cast<double>(flits * 64 * 120));
}

TEST_CASE("sweeps have columns of bytes", "[cli][message][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("s.yaml"),
             "runs:\n  - collective: gossip\n    dims: 4x4\n"
             "    options: {bytes: [1KiB, 2KiB], link-bits: 128}\n");
  REQUIRE(gossamer(directory, "sweep s.yaml -o r.sqlite --export r.csv").status == 0);
  const std::string table = file_text(directory.file("r.csv"));
  CHECK_THAT(table, Catch::Contains("node_bytes_per_second") && Catch::Contains("1024,128"));
}

TEST_CASE("without an algorithm the best that fits is planned", "[cli][message]") {
  const ScratchDirectory directory;
  CHECK(json_of(directory, "plan broadcast --dims 6x6 -o a.json --json")["algorithm"] == "min-tcd");
  const auto cube = json_of(directory, "plan gossip --dims 2x2x2 -o b.json --json");
  CHECK(cube["packets_per_node"] == 3);
  CHECK(gossamer(directory, "verify b.json").status == 0);
  const auto one = json_of(directory, "plan gossip --dims 8x8 --packets 1 -o c.json --json");
  CHECK(one["analytic_steps"] == 18);
  CHECK(one["packets_per_node"] == 1);
  // Options also select the algorithm.
  CHECK(gossamer(directory, "plan gossip --dims 8x8 --time-independent -o d.json").status == 0);
  // Plans and comparisons are of the same network.
  const auto plan = json_of(directory, "plan broadcast --dims 4x4 -o e.json --json");
  const auto comparison = json_of(directory, "compare broadcast --dims 4x4 --json");
  CHECK(comparison["topology"] == plan["topology"]);
}

TEST_CASE("a broadcast's default timing is never slower", "[cli][message]") {
  const ScratchDirectory directory;
  for (const std::string shape : {"--dims 8x8", "--topology mesh --dims 8x8 --source 2,5",
                                  "--topology mesh --dims 7x5 --source 1,1"}) {
    const std::string ask = "plan broadcast " + shape + " --flits 4 --relay-cycles 1 --json -o ";
    const auto self = json_of(directory, ask + "a.json");
    const auto step = json_of(directory, ask + "b.json --timing step");
    CAPTURE(shape);
    CHECK(self["analytic_cycles"] <= step["analytic_cycles"]);
  }
}

TEST_CASE("comparisons fit 80 columns and explain their columns", "[cli][message]") {
  const ScratchDirectory directory;
  for (const std::string request :
       {"compare gossip --dims 8x8", "compare broadcast --dims 8x8 --flits 4 --relay-cycles 1",
        "compare all-gather --dims 4x4 --bytes 4KiB --link-bits 128",
        "compare all-to-all --dims 4x4 --bytes 4KiB --link-bits 128"}) {
    const ProgramResult result = gossamer(directory, request);
    REQUIRE(result.status == 0);
    CHECK_THAT(result.out, Catch::Contains("packets") || Catch::Contains("ports:"));
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
  }
}

TEST_CASE("contradictions of a message are refused in one line", "[cli][message]") {
  check_refusal("plan gossip --dims 4x4 --bytes 0 -o p.json", 2, "--bytes");
  check_refusal("plan gossip --dims 4x4 --bytes 64KiB --clock 0 -o p.json", 2, "--clock");
  check_refusal("plan gossip --dims 4x4 --clock 2GHz -o p.json", 2, "--clock: requires --bytes");
  check_refusal("plan gossip --dims 4x4 --bytes 64 --link-latency z=3 -o p.json", 2, "dimension");
  check_refusal("plan gossip --dims 4x4 --link-latency 3 -o p.json", 2, "--bytes");
  check_refusal("plan broadcast --dims 4x4 --bytes 64 --flits 2 -o p.json", 2, "--flits");
  check_refusal("compare all-to-all --dims 4x4", 2, "--bytes");
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan broadcast --dims 4x4 -o p.json").status == 0);
  const ProgramResult result = gossamer(directory, "simulate p.json --bytes 64 --trace t.csv");
  CHECK(result.status == 2);
  CHECK_THAT(result.err, Catch::Contains("p.json: --bytes"));
}

}  // namespace
}  // namespace gossamer::testing
