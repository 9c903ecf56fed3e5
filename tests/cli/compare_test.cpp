// SPDX-License-Identifier: Apache-2.0
/// compare, map and search as their users call them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace gossamer::testing {
namespace {

ProgramResult gossamer(const ScratchDirectory& directory, const std::string& arguments) {
  return run_command(directory, std::string("'") + GOSSAMER_PROGRAM + "' " + arguments);
}

std::map<std::string, nlohmann::json> rows_of(const std::string& text) {
  std::map<std::string, nlohmann::json> rows;
  const auto json = nlohmann::json::parse(text);
  for (const auto& row : json["rows"]) rows[row["algorithm"]] = row;
  return rows;
}

TEST_CASE("compare gossip measures every algorithm beside formula, bounds and the paper's times",
          "[cli][compare]") {
  const ScratchDirectory directory;
  const ProgramResult result = gossamer(directory, "compare gossip --dims 12x12 --json");
  REQUIRE(result.status == 0);
  const auto rows = rows_of(result.out);
  for (const auto& [name, row] : rows) {
    INFO(name);
    if (!row["refusal"].is_null()) continue;
    CHECK(row["measured_by"] == "simulated");
    CHECK(row["steps"] >= row["lower_bound"]);
    if (!row["formula"].is_null()) CHECK(row["steps"] == row["formula"]);
    const double packets = row["packets_per_node"];
    CHECK(row["time"].get<double>() == Approx(row["steps"].get<double>() * (1 / packets + 0.1)));
  }
  CHECK(rows.at("hamiltonian")["paper_formula"] == "T_opt");
  CHECK(rows.at("hamiltonian")["paper_time"].get<double>() == Approx(43.2));
  CHECK(rows.at("one-packet")["paper_formula"] == "T_one");
  CHECK(rows.at("scheduled")["paper_formula"] == "T_stv");
  CHECK(rows.at("shared-cycles")["theorem1"] == 39);
  CHECK(rows.at("ring")["steps"] == 143);
  CHECK(rows.at("multinode-split")["steps"] == 143);
  CHECK(rows.at("array")["refusal"].is_string());

  const ProgramResult some =
      gossamer(directory, "compare gossip --dims 12x12 --algorithms ring,zigzag -o table.txt");
  REQUIRE(some.status == 0);
  const std::string table = file_text(directory.file("table.txt"));
  CHECK_THAT(table, Catch::Contains("ring ") && Catch::Contains("zigzag ") &&
                        !Catch::Contains("hamiltonian"));
}

TEST_CASE("Table 2 stands as the paper prints it", "[cli][compare]") {
  const ScratchDirectory directory;
  const ProgramResult result = gossamer(directory, "compare gossip --table2");
  REQUIRE(result.status == 0);
  CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 20);
  CHECK_THAT(result.out, Catch::Contains("16^3   0.01    689    689.5     702     703.1"));
}

TEST_CASE("compare broadcast puts the algorithms beside each other", "[cli][compare]") {
  const ScratchDirectory directory;
  const ProgramResult result = gossamer(
      directory, "compare broadcast --dims 8x8 --source 2,5 --flits 4 --timing self --json");
  REQUIRE(result.status == 0);
  const auto rows = rows_of(result.out);
  CHECK(rows.at("eye")["tcd"] == 69);
  CHECK(rows.at("eye")["table_bits"] == 0);
  CHECK(rows.at("min-tcd")["tcd"] == 69);
  CHECK(rows.at("doubling")["tcd"] == 84);
  CHECK(rows.at("tree")["tcd"] == 63);
  CHECK(rows.at("tree")["fan_out"] == true);
  CHECK(rows.at("xy-unicast")["steps"] == 63);
  for (const auto& [name, row] : rows) {
    INFO(name);
    CHECK(row["tcd"] == row["analytic_tcd"]);
    CHECK(row["cycles"] == row["analytic_cycles"]);
    CHECK(row["conflicts"] == 0);
  }
}

TEST_CASE("map tcd shows the 2-D paper's Figure 2", "[cli][map]") {
  // Cang & Wu, Figure 2 (8x8), row by row from y = 0.
  const std::string figure =
      "79  76  74  76  74  74  75  79\n"
      "75  72  71  73  70  70  72  76\n"
      "74  70  69* 70  70  69* 71  74\n"
      "74  70  70  71  71  70  73  76\n"
      "76  73  70  71  71  70  70  74\n"
      "74  71  69* 70  70  69* 70  74\n"
      "76  72  70  70  73  71  72  75\n"
      "79  75  74  74  76  74  76  79\n";
  const ScratchDirectory directory;
  CHECK_THAT(gossamer(directory, "map tcd --dims 8x8 --algorithm figure2").out,
             Catch::StartsWith(figure));
  for (const std::string name : {"m.csv", "m.json", "m.svg"}) {
    REQUIRE(gossamer(directory, "map tcd --dims 8x8 --algorithm figure2 -o " + name).status == 0);
  }
  CHECK_THAT(file_text(directory.file("m.csv")), Catch::Contains("\n4,0,74,"));
  const auto json = nlohmann::json::parse(file_text(directory.file("m.json")));
  CHECK(json["tcd"][4] == 74);
  CHECK(json["sum"] == 4656);
  CHECK(json["eyes"] == std::vector<int>{18, 21, 42, 45});
  const std::string svg = file_text(directory.file("m.svg"));
  CHECK_THAT(svg, Catch::Contains("<svg") && Catch::Contains("</svg>"));
}

TEST_CASE("search one-packet writes a plan that proves and runs, and repeats itself",
          "[cli][search]") {
  const ScratchDirectory directory;
  const std::string request = "search one-packet --dims 5x5 --rule 1,3 --classes 5 -o ";
  REQUIRE(gossamer(directory, request + "a.json").status == 0);
  REQUIRE(gossamer(directory, request + "b.json").status == 0);
  CHECK(file_text(directory.file("a.json")) == file_text(directory.file("b.json")));
  const auto proof = nlohmann::json::parse(gossamer(directory, "verify a.json --report -").out);
  CHECK(proof["steps"] == 7);
  CHECK(gossamer(directory, "simulate a.json").status == 0);

  // 6 steps, the lower bound, are impossible (scripts/sat_one_packet).
  const ProgramResult none =
      gossamer(directory, "search one-packet --dims 5x5 --steps 6 --iterations 50000 -o c.json");
  CHECK(none.status == 1);
  CHECK_THAT(none.err, Catch::Contains("proves nothing"));
  CHECK(directory.entries() == 2);
}

TEST_CASE("what compare, map and search cannot do is refused with one line",
          "[cli][compare][map][search]") {
  const ScratchDirectory directory;
  const std::map<std::string, int> requests = {
      {"compare", 2},
      {"compare gossip", 2},
      {"compare exchange --dims 4x4", 2},
      {"compare gossip --dims 4x4 --startup -1", 2},
      {"compare gossip --dims 4x4 --algorithms none", 2},
      {"compare broadcast --dims 4x4 --algorithms none", 2},
      {"compare broadcast --dims 4x4 --source 4,0", 2},
      {"compare broadcast --dims 4x4 --flits 0", 2},
      {"compare broadcast --dims 4x4 --timing late", 2},
      {"map tcd --dims 4x4 --algorithm none", 2},
      {"map tcd --dims 4x4 --format pdf -o m.pdf", 2},
      {"map tcd --dims 5x5 --algorithm eye -o m.svg", 3},
      {"search one-packet --dims 5x5 --rule 1,3", 2},
      {"search one-packet --dims 5x5 --rule 1 --classes 5", 2},
      {"search one-packet --dims 5 --steps 0 -o p.json", 2}};
  for (const auto& [request, status] : requests) {
    const ProgramResult result = gossamer(directory, request);
    INFO(request << "\n" << result.err);
    CHECK(result.status == status);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK(result.out.empty());
    CHECK(directory.entries() == 0);
  }
}

}  // namespace
}  // namespace gossamer::testing
