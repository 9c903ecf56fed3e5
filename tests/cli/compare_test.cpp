// SPDX-License-Identifier: Apache-2.0
/// gossamer compare, as its users call it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gossamer_program.hpp"

namespace gossamer::testing {
namespace {

nlohmann::json json_of(const std::string& arguments) {
  const ScratchDirectory directory;
  const ProgramResult result = gossamer(directory, arguments);
  INFO(arguments << "\n" << result.err);
  REQUIRE(result.status == 0);
  return nlohmann::json::parse(result.out);
}

const nlohmann::json& row(const nlohmann::json& comparison, const std::string& algorithm) {
  for (const nlohmann::json& candidate : comparison["rows"]) {
    if (candidate["algorithm"] == algorithm) return candidate;
  }
  throw std::logic_error("no row " + algorithm);
}

TEST_CASE("compare gossip lists measured steps, formulas, bounds and the cost model",
          "[cli][compare]") {
  const auto comparison = json_of("compare gossip --dims 16x16 --startup 0.01 0.1 1 --json");
  CHECK(comparison["theorem1"] == 70);
  CHECK(comparison["startups"] == nlohmann::json{0.01, 0.1, 1.0});
  for (const std::string name : {"hamiltonian", "scheduled", "one-packet", "ring", "ring-two-way",
                                 "hierarchical", "hierarchical-two-way"}) {
    CAPTURE(name);
    const auto& r = row(comparison, name);
    CHECK(r["measured_by"] == "simulated");
    CHECK(r["steps"] == r["formula"]);
    CHECK(r["steps"] >= r["lower_bound"]);
    CHECK(r["times"].size() == 3);
  }
  CHECK(row(comparison, "hamiltonian")["paper_formula"] == "T_opt");
  CHECK(row(comparison, "one-packet")["paper_formula"] == "T_one");
  CHECK(row(comparison, "scheduled")["paper_formula"] == "T_stv");
  CHECK(row(comparison, "one-packet")["times"][2]["measured"] == 144.0);
  CHECK(row(comparison, "one-packet")["times"][2]["paper"] == 144.0);
  CHECK(row(comparison, "shared-cycles")["theorem1"] == 70);
  CHECK(row(comparison, "auto")["planned_by"] == "zigzag");
  CHECK(row(comparison, "rows")["steps"].is_null());
  CHECK_THAT(row(comparison, "rows")["refusal"].get<std::string>(), Catch::Contains("nearest"));
}

TEST_CASE("compare takes several sizes, and writes them as CSV", "[cli][compare]") {
  const ScratchDirectory directory;
  const std::string line =
      "compare all-gather --dims 4x4 --algorithm hamiltonian array --bytes 16,1KiB";
  const auto sizes = json_of(line + " --json")["comparisons"];
  REQUIRE(sizes.size() == 2);
  CHECK(sizes[0]["bytes"] == 16);
  CHECK(sizes[1]["bytes"] == 1024);
  CHECK(sizes[1]["crossover"]["flits"] == 1);
  CHECK(
      json_of("compare all-gather --dims 4x4 --algorithm hamiltonian --bytes 16 --json")["bytes"] ==
      16);
  // Two rows of hamiltonian, a refusal with commas in its text, and five orders, for each size.
  const ProgramResult result = gossamer(directory, line + " --csv -");
  REQUIRE(result.status == 0);
  std::istringstream lines(result.out);
  std::string text;
  std::vector<std::string> rows;
  while (std::getline(lines, text)) rows.push_back(text);
  REQUIRE(rows.size() == 1 + 2 * 8);
  CHECK(rows[0].starts_with("collective,dims,bytes,flits,algorithm,refusal,packets_per_node,"));
  CHECK(rows[1].starts_with("gossip,4x4,16,4,hamiltonian,,2,2,8,16,"));
  CHECK(rows[16].starts_with("gossip,4x4,1024,256,wormhole tree,,"));
  CHECK(gossamer(directory, line + " --csv out.csv").out.find("1 KiB") != std::string::npos);
  CHECK(file_text(directory.path() / "out.csv") == result.out);
  check_refusal("compare all-gather --dims 4x4 --bytes ,", 2, "is not a list of sizes");
  check_refusal("compare all-gather --dims 4x4 --bytes 1KiB,x", 2, "--bytes");
}

TEST_CASE("recommend takes the fastest plan of compare for each collective", "[cli][compare]") {
  const std::string network = "--dims 4x4 --topology mesh --link-bits 64 --clock 1.2GHz";
  const auto all = json_of("recommend " + network +
                           " --collectives all-gather=1KiB,all-reduce=512,all-to-all=240 --json");
  REQUIRE(all["collectives"].size() == 3);
  CHECK(all["clock_hertz"] == 1'200'000'000);
  for (const auto& one : all["collectives"]) {
    const std::string name = one["collective"];
    CAPTURE(name);
    const auto comparison =
        json_of("compare " + name + " " + network + " --json --bytes " + one["bytes"].dump());
    std::uint64_t best = ~std::uint64_t{0};
    std::uint64_t built = best;
    std::uint64_t rival = best;
    for (const auto& row : comparison["rows"]) {
      if (row["cycles"].is_null()) continue;
      const std::uint64_t cycles = row["cycles"];
      const bool plan = row["buildable"].is_boolean() || row["buildable"].is_string();
      if (!plan && row["algorithm"] != "wormhole naive") rival = std::min(rival, cycles);
      if (plan) best = std::min(best, cycles);
      if (plan && row["buildable"] == true) built = std::min(built, cycles);
    }
    CHECK(one["plan"]["cycles"] == best);
    CHECK(one["conventional"]["cycles"] == rival);
    if (one["plan"]["buildable"] != true && built != ~std::uint64_t{0}) {
      CHECK(one["fastest_buildable"]["cycles"] == built);
    } else {
      CHECK(one["fastest_buildable"].is_null());
    }
    // The command writes that plan.
    const std::string command = one["command"];
    const ScratchDirectory directory;
    const ProgramResult planned = gossamer(directory, command.substr(command.find("plan")));
    INFO(command << planned.err);
    CHECK(planned.status == 0);
    CHECK(std::filesystem::exists(directory.path() / (name + ".json")));
  }
  const ScratchDirectory directory;
  const ProgramResult table =
      gossamer(directory, "recommend " + network + " --collectives all-gather=1KiB --plans-only");
  CHECK(table.status == 0);
  std::istringstream lines(table.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  check_refusal("recommend --dims 4x4 --collectives gather=1KiB", 2, "is not one of all-gather");
  check_refusal("recommend --dims 4x4 --collectives all-gather", 2, "COLLECTIVE=BYTES is expected");
  check_refusal("recommend --dims 4x4 --collectives all-gather=0", 2, "at least 1 is expected");
  check_refusal("recommend --dims 4x4 --collectives ,", 2, "COLLECTIVE=BYTES is expected");
}

TEST_CASE("recommend --cells shows the cells of the largest tile as synth does", "[cli][compare]") {
  const std::string line =
      "recommend --dims 4 --link-bits 8 --plans-only --collectives all-gather=4,reduce-scatter=4";
  const ScratchDirectory directory;
  const auto all = json_of(line + " --cells --json");
  const ProgramResult table = gossamer(directory, line + " --cells");
  CHECK(table.status == 0);
  CHECK(table.err.empty());
  for (const auto& one : all["collectives"]) {
    const std::string name = one["collective"];
    CAPTURE(name);
    const std::string command = one["command"];
    REQUIRE(gossamer(directory, command.substr(command.find("plan"))).status == 0);
    const ProgramResult measured = gossamer(directory, "synth " + name + ".json --top tile --json");
    REQUIRE(measured.status == 0);
    std::uint64_t largest = 0;
    const auto tiles = nlohmann::json::parse(measured.out);
    for (const auto& tile : tiles["classes"]) {
      largest = std::max(largest, tile["with_interface"]["cells"].get<std::uint64_t>());
    }
    CHECK(largest > 0);
    CHECK(one["plan"]["cells"] == largest);
    CHECK_THAT(table.out, Catch::Contains("  " + std::to_string(largest) + "        yes\n"));
  }
  CHECK(json_of(line + " --json")["collectives"][0]["plan"]["cells"].is_null());
  CHECK(gossamer(directory, line).out.find(" cells ") == std::string::npos);
}

TEST_CASE("recommend --cells without yosys is refused in one line", "[cli][compare]") {
  const ScratchDirectory directory;
  const ProgramResult result =
      run_command(directory, std::string("PATH=/nowhere '") + GOSSAMER_PROGRAM +
                                 "' recommend --dims 4 --collectives all-gather=4 --cells");
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  CHECK(result.err == "gossamer: --cells: yosys is not installed; run scripts/setup tests\n");
}

TEST_CASE("a recommended reduction has words that fill its links", "[cli][compare]") {
  const auto all =
      json_of("recommend --dims 4 --link-bits 48 --plans-only --collectives all-reduce=24 --json");
  const std::string command = all["collectives"][0]["command"];
  const ScratchDirectory directory;
  const ProgramResult planned = gossamer(directory, command.substr(command.find("plan")));
  INFO(command << planned.err);
  CHECK(planned.status == 0);
}

TEST_CASE("compare gossip measures on the requested engine", "[cli][compare]") {
  for (const std::string engine : {"fast", "systemc", "rtl"}) {
    const auto comparison =
        json_of("compare gossip --dims 4x5 --algorithm hamiltonian ring --json --engine " + engine);
    CHECK(comparison["rows"].size() == 2);
    CHECK(row(comparison, "hamiltonian")["measured_by"] == "measured");
    CHECK(row(comparison, "hamiltonian")["steps"] == 10);
    CHECK(row(comparison, "ring")["steps"] == 19);
  }
}

TEST_CASE("compare gossip reproduces the paper's Table 2 and measures it", "[cli][compare][slow]") {
  const auto table = json_of("compare gossip --paper-table --json");
  REQUIRE(table["cells"].size() == 18);
  const auto& last = table["cells"].back();
  CHECK(last["side"] == 64);
  CHECK(last["dimensions"] == 3);
  CHECK(last["startup"] == 1.0);
  CHECK(last["T_stv"]["printed"] == 87346);
  CHECK(last["T_opt"]["printed"] == 174719);
  CHECK(last["T_one"]["printed"] == 91390);
  CHECK(last["T_stv"]["measured"] == 87382.0);
  CHECK(last["T_opt"]["measured"].get<double>() == Approx(174762.667));
  CHECK(last["T_one"]["measured"].is_null());
}

TEST_CASE("compare broadcast measures the steps of the formulas, from eye and corner",
          "[cli][compare]") {
  const std::string clock = " --flits 4 --relay-cycles 1 --json";
  const auto corner = json_of("compare broadcast --topology mesh --dims 8x8 --source 0,0" + clock);
  CHECK(corner["tcd_bound"] == 63);
  for (const auto& r : corner["rows"]) {
    CAPTURE(r["algorithm"]);
    CHECK(r["refusal"].is_null());
    CHECK(r["problems"].empty());
    CHECK(r["steps"] == r["steps_formula"]);
    CHECK(r["tcd"] == r["tcd_formula"]);
    if (!r["tcd"].is_null()) CHECK(r["tcd"] == r["link_traversals"]);
    CHECK(r["step_cycles"] == r["step_cycles_formula"]);
    CHECK(r["self_cycles"] == r["self_cycles_formula"]);
  }
  CHECK(row(corner, "eye")["step_cycles"] == 43);
  CHECK(row(corner, "eye")["self_cycles"] == 37);
  CHECK(row(corner, "eye")["tcd"] == 79);
  CHECK(row(corner, "doubling")["tcd"] == 84);
  CHECK(row(corner, "tree")["one_port"] == false);
  CHECK(row(corner, "tree")["self_cycles"] == 17);
  CHECK(row(corner, "tree")["step_cycles"].is_null());
  CHECK(row(corner, "xy-unicast")["steps"] == 63);
  // 62 more messages of F + o cycles each, the last one over 14 hops.
  CHECK(row(corner, "xy-unicast")["self_cycles"] == 62 * 5 + 14 + 3);
  const auto eye = json_of("compare broadcast --topology mesh --dims 8x8 --source 2,5" + clock);
  CHECK(row(eye, "eye")["step_cycles"] == 33);
  CHECK(row(eye, "eye")["tcd"] == 69);
  CHECK(row(eye, "eye")["table_bits"] == 0);
  CHECK(row(eye, "eye")["longest_hops"] == nlohmann::json{3, 3, 1, 1, 1, 1});
}

TEST_CASE("compare broadcast counts the nodes to inform in a damaged network",
          "[cli][compare][faults]") {
  const auto damaged =
      json_of("compare broadcast --dims 4x4 --dead-core 1,1 --dead-node 3,3 --json");
  CHECK(damaged["tcd_bound"] == 13);
  int measured = 0;
  for (const auto& r : damaged["rows"]) {
    if (!r["refusal"].is_null()) continue;
    CAPTURE(r["algorithm"]);
    CHECK(r["tcd"] >= 13);
    ++measured;
  }
  CHECK(measured == 2);
  // Theorem 1 speaks of a packet of every node.
  const auto gossip =
      json_of("compare gossip --dims 4x4 --dead-core 1,1 --algorithm whole-cycles --json");
  CHECK(gossip["theorem1"].is_null());
  CHECK(gossip["rows"][0]["theorem1"].is_null());
}

TEST_CASE("compare prints tables whose lines are aligned, refusals below", "[cli][compare]") {
  const ScratchDirectory directory;
  const ProgramResult gossip = gossamer(directory, "compare gossip --dims 5x5 --all");
  CHECK(gossip.status == 0);
  CHECK_THAT(gossip.out, Catch::Contains("Theorem 1") && Catch::Contains("zigzag refused: "));
  const ProgramResult broadcast =
      gossamer(directory, "compare broadcast --topology torus --dims 6x5 --all");
  CHECK(broadcast.status == 0);
  CHECK(broadcast.err.empty());
  CHECK_THAT(broadcast.out, Catch::Contains("eye refused: ") && Catch::Contains("min-tcd"));
  // Without --all, one line names the refused algorithms.
  const ProgramResult brief = gossamer(directory, "compare broadcast --topology torus --dims 6x5");
  CHECK_THAT(brief.out, !Catch::Contains("refused: ") &&
                            Catch::Contains("do not apply (--all shows the reasons): eye"));
}

TEST_CASE("compare refuses bad requests in one line", "[cli][compare]") {
  check_refusal("compare", 2, "subcommand");
  check_refusal("compare gossip", 2, "--dims");
  check_refusal("compare gossip --paper-table --dims 4x4", 2, "excludes");
  check_refusal("compare gossip --dims 4x", 2, "--dims");
  check_refusal("compare gossip --dims 4x4 --startup -1", 2, "startup");
  check_refusal("compare gossip --dims 4x4 --startup few", 2, "--startup");
  check_refusal("compare gossip --dims 4x4 --algorithm none", 2, "none");
  check_refusal("compare gossip --dims 4x4 --engine none", 2, "none");
  check_refusal("compare broadcast --dims 4x4 --source 4,0", 2, "--source");
  check_refusal("compare broadcast --dims 4x4 --flits 0", 2, "--flits");
  check_refusal("compare broadcast --dims 4x4 --algorithm zigzag", 2, "zigzag");
}

}  // namespace
}  // namespace gossamer::testing
