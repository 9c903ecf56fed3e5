// SPDX-License-Identifier: Apache-2.0
/// --json of every command that prints: exactly one document on standard output, with the figures
/// of the table; no output if the command fails.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>

#include "gossamer_program.hpp"

namespace gossamer::testing {
namespace {

using Json = nlohmann::json;

/// Runs the command, which must succeed silently on standard error; its document.
Json document(const ScratchDirectory& directory, const std::string& arguments) {
  const ProgramResult result = gossamer(directory, arguments);
  INFO(arguments << "\n" << result.err << "\n" << result.out);
  REQUIRE(result.status == 0);
  CHECK(result.err.empty());
  // Parsed to its end: any other output is an error.
  return Json::parse(result.out);
}

/// The number after a name at the start of a line of a table.
std::uint64_t in_table(const std::string& table, const std::string& name) {
  std::smatch match;
  const std::regex line("(^|\n) *" + name + " +([0-9]+)");
  INFO(name << "\n" << table);
  REQUIRE(std::regex_search(table, match, line));
  return std::stoull(match[2]);
}

TEST_CASE("verify, simulate and cosim print the report and also write it", "[cli][json]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x6 -o p.json").status == 0);
  for (const std::string command : {"verify", "simulate", "cosim"}) {
    CAPTURE(command);
    const Json alone = document(directory, command + " p.json --json --report r.json");
    const Json written = Json::parse(file_text(directory.file("r.json")));
    CHECK(alone == written);
    const std::string table = gossamer(directory, command + " p.json").out;
    CHECK(alone["steps"] == in_table(table, "steps"));
    CHECK(alone["duplicates"] == in_table(table, "duplicates"));
    CHECK(alone["complete"] == true);
    CHECK(alone.contains("proved_by") == (command == "verify"));
  }
  CHECK(document(directory, "verify p.json --json")["proved_by"] == "hamiltonian cycles");
}

TEST_CASE("plan prints its figures and the plan's name and hash", "[cli][json]") {
  const ScratchDirectory directory;
  const Json json = document(directory, "plan gossip --dims 6x6 -o p.json --json");
  const std::string table = gossamer(directory, "plan gossip --dims 6x6 -o p.json").out;
  CHECK(json["analytic_steps"] == in_table(table, "formula"));
  CHECK(json["lower_bound_steps"] == in_table(table, "lower bound"));
  CHECK(json["steps"].is_null());
  CHECK(json["engine"].is_null());
  CHECK(json["plan"] == "p.json");
  CHECK_THAT(table, Catch::Contains(json["plan_hash"].get<std::string>()));
}

TEST_CASE("diagnose prints the faults that it would write", "[cli][json]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 8x8 -o p.json").status == 0);
  CHECK(gossamer(directory, "simulate p.json --break link:3,4:x+ --received r.csv").status == 1);
  const ProgramResult result =
      gossamer(directory, "diagnose p.json --received r.csv -o f.json --json");
  CHECK(result.status == 1);
  const Json found = Json::parse(result.out);
  CHECK(found["explained"] == true);
  CHECK(found["faults"] == Json::parse(file_text(directory.file("f.json"))));
  CHECK(found["faults"]["dead_links"].size() == 1);
}

TEST_CASE("emit names the files that it would list", "[cli][json]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  const Json json = document(directory, "emit p.json --format sv -o out --json");
  std::string lines;
  for (const auto& name : json["files"]) {
    lines += name.get<std::string>();
    lines += "\n";
  }
  CHECK(json["files"].size() > 3);
  CHECK(gossamer(directory, "emit p.json --format sv -o out").out == lines);
  CHECK(json["format"] == "sv");
}

TEST_CASE("sweep reports its counts, plot and view the names of their files",
          "[cli][json][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("s.yaml"), "runs:\n  - {collective: gossip, dims: [4x4, 6x6, 5x3]}\n");
  const Json first = document(directory, "sweep s.yaml -o r.sqlite --export r.csv --json");
  CHECK(first["jobs"] == 3);
  CHECK(first["measured_now"] == 3);
  CHECK(first["results"] == "r.sqlite");
  CHECK(first["export"] == "r.csv");
  const Json again = document(directory, "sweep s.yaml -o r.sqlite --json");
  CHECK(again["measured_before"] == 3);
  CHECK(again["measured_now"] == 0);
  CHECK(again["export"].is_null());
  const std::string table = gossamer(directory, "sweep s.yaml -o r.sqlite").out;
  for (const std::string status : {"done", "failed", "infeasible", "refused"}) {
    CHECK(again[status] == in_table(table, status));
  }

  const Json plot = document(directory, "plot r.sqlite --json");
  CHECK(plot["figure"] == "r-steps.svg");
  CHECK(std::filesystem::exists(directory.file("r-steps.svg")));

  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  const Json view = document(directory, "view p.json -o v.html --json");
  CHECK(view["page"] == "v.html");
  CHECK(view["plans"][0]["nodes"] == 16);
  CHECK(view["plans"][0]["plan_hash"] ==
        document(directory, "plan gossip --dims 4x4 -o p.json --json")["plan_hash"]);
}

TEST_CASE("search, list, compare, map print one document", "[cli][json]") {
  const ScratchDirectory directory;
  CHECK(document(directory, "search one-packet --dims 4x4 --steps 5 --json")["found"] == true);
  CHECK(document(directory, "list --json")["algorithms"].size() > 10);
  CHECK_FALSE(document(directory, "compare gossip --dims 4x4 --json").empty());
  CHECK_FALSE(document(directory, "compare broadcast --dims 4x4 --json").empty());
  // A grid alone does not define which dimensions wrap.
  for (const std::string command :
       {"map tcd --algorithm tree", "compare gossip --algorithm scheduled", "compare broadcast",
        "compare all-reduce", "traffic --rate 0.1"}) {
    CAPTURE(command);
    const auto cylinder = document(directory, command + " --dims 4x3 --wrap x --json");
    CHECK(cylinder["wrap"] == nlohmann::json{"x"});
    CHECK(cylinder["nodes"] == 12);
  }
  CHECK_FALSE(document(directory, "map tcd --dims 4x4 --json").empty());
}

TEST_CASE("a failed check leaves the document complete, with status 1", "[cli][json]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  const ProgramResult cosim = gossamer(directory, "cosim p.json --fault rtl@2:3:x+ --json");
  CHECK(cosim.status == 1);
  CHECK(Json::parse(cosim.out)["complete"] == false);
  CHECK_THAT(cosim.err, Catch::StartsWith("gossamer: check failed: cycle 2, node 3, port x+"));
}

TEST_CASE("the message of a check comes after the table in one pipe", "[cli]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  const std::string both = gossamer(directory, "cosim p.json --fault rtl@2:3:x+ 2>&1 | cat").out;
  REQUIRE(both.find("check failed") != std::string::npos);
  REQUIRE(both.find("wall time") != std::string::npos);
  CHECK(both.find("wall time") < both.find("check failed"));
}

TEST_CASE("a command that fails prints no document", "[cli][json]") {
  for (const std::string command :
       {"verify none.json", "simulate none.json", "cosim none.json",
        "emit none.json --format sv -o o", "view none.json -o v.html", "plot none.sqlite",
        "search one-packet --dims 4x4 --rule a --classes 3",
        "plan gossip --dims 4x4 --source 0,0 -o p.json",
        "compare gossip --dims 4x4 --algorithm none", "map tcd --dims 4x4 --algorithm none"}) {
    check_refusal(command + " --json", 2, "");
  }
  check_refusal("plan gossip --dims 5x7 --algorithm zigzag -o p.json --json", 3, "nearest");
}

TEST_CASE("a standard output that accepts no more data is an error", "[cli][json]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  for (const std::string command : {"verify p.json", "verify p.json --json", "list", "list --json",
                                    "simulate p.json --trace -", "plan gossip --dims 4x4 -o -"}) {
    const ProgramResult result = gossamer(directory, command + " >/dev/full");
    INFO(command << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_THAT(result.err, Catch::StartsWith("gossamer: "));
  }
}

TEST_CASE("nothing shares standard output with --json", "[cli][json]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  for (const std::string command :
       {"plan gossip --dims 4x4 -o -", "simulate p.json --trace -", "view p.json -o -"}) {
    const ProgramResult result = gossamer(directory, command + " --json");
    INFO(command << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Catch::Contains("only one of them can use standard output"));
  }
}

}  // namespace
}  // namespace gossamer::testing
