// SPDX-License-Identifier: Apache-2.0
/// gossamer search, as its users call it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "gossamer_program.hpp"

namespace gossamer::testing {
namespace {

TEST_CASE("search one-packet writes a plan that verify proves, and its table's entry",
          "[cli][search]") {
  const ScratchDirectory directory;
  const ProgramResult result = gossamer(
      directory, "search one-packet --dims 5x5 --steps 7 --seed 1 -o p.json --entry e.txt");
  REQUIRE(result.status == 0);
  CHECK_THAT(result.out, Catch::Contains("7 (proved)") && Catch::Contains("best known") &&
                             Catch::Contains("not better than tables (7 steps)"));
  const ProgramResult proof = gossamer(directory, "verify p.json --report -");
  REQUIRE(proof.status == 0);
  CHECK(nlohmann::json::parse(proof.out)["steps"] == 7);
  CHECK_THAT(file_text(directory.file("e.txt")),
             Catch::StartsWith("{\"5x5\", \"") && Catch::Contains("seed 1"));
  CHECK(directory.entries() == 2);

  const std::string again = file_text(directory.file("p.json"));
  REQUIRE(gossamer(directory, "search one-packet --dims 5x5 --steps 7 --seed 1 -o p.json").status ==
          0);
  CHECK(file_text(directory.file("p.json")) == again);
}

TEST_CASE("search one-packet reports that nothing was found, and writes nothing", "[cli][search]") {
  const ScratchDirectory directory;
  write_text(directory.file("p.json"), "precious");
  // Proved impossible (scripts/sat_one_packet): 4 steps on 4x4.
  const std::string request = "search one-packet --dims 4x4 --steps 4 --moves 20000 ";
  const ProgramResult result = gossamer(directory, request + "-o p.json --entry e.txt");
  CHECK(result.status == 1);
  CHECK_THAT(result.out, Catch::Contains("not found") &&
                             Catch::Contains("does not prove that no table exists") &&
                             Catch::Contains("missing"));
  CHECK(file_text(directory.file("p.json")) == "precious");
  CHECK(directory.entries() == 1);
  const ProgramResult as_json = gossamer(directory, request + "--json");
  CHECK(as_json.status == 1);
  const auto json = nlohmann::json::parse(as_json.out);
  CHECK(json["found"] == false);
  CHECK(json["better"] == false);
  CHECK(json["steps"].is_null());
  CHECK(json["known_steps"] == 5);
  CHECK(json["missing"] > 0);
}

TEST_CASE("search one-packet gives up when its time is over", "[cli][search]") {
  const ScratchDirectory directory;
  const ProgramResult result = gossamer(
      directory, "search one-packet --dims 30x30 --steps 225 --time 0.2 --moves 1000000000 --json");
  CHECK(result.status == 1);
  CHECK(nlohmann::json::parse(result.out)["moves"] < 1000000000);
}

TEST_CASE("an interrupted search leaves no partial file, and an older file unchanged",
          "[cli][search]") {
  const ScratchDirectory directory;
  write_text(directory.file("p.json"), "precious");
  // Wait until the search has its temporary file, then interrupt it.
  const ProgramResult result = run_command(
      directory, std::string("'") + GOSSAMER_PROGRAM +
                     "' search one-packet --dims 30x30 --steps 225 -o p.json & search=$!; "
                     "until ls p.json.part* 2>/dev/null; do sleep 0.01; done; "
                     "kill -TERM $search; wait $search");
  CHECK(result.status == 128 + 15);
  CHECK(file_text(directory.file("p.json")) == "precious");
  CHECK(directory.entries() == 1);
}

TEST_CASE("an interrupt from the keyboard ends a search with the best table so far",
          "[cli][search]") {
  const ScratchDirectory directory;
  // A shell's background processes ignore SIGINT; so the search is a foreground one, and the other
  // process sends the signal.
  const ProgramResult result = run_command(
      directory,
      std::string("(until ls p.json.part* 2>/dev/null >&2; do sleep 0.01; done; sleep 0.3; "
                  "kill -INT $(cat pid)) & sh -c 'echo $$ >pid; exec \"$0\" search one-packet "
                  "--dims 30x30 --steps 225 --moves 1000000000 -o p.json' '") +
          GOSSAMER_PROGRAM + "'");
  INFO(result.out << result.err);
  CHECK(result.status == 1);
  CHECK_THAT(result.out, Catch::Contains("nearest table") && Catch::Contains("interrupted") &&
                             Catch::Contains("provenance"));
  CHECK_FALSE(std::filesystem::exists(directory.file("p.json")));
}

TEST_CASE("a search for less than the lower bound is refused", "[cli][search]") {
  check_refusal("search one-packet --dims 4x4 --steps 3", 3,
                "no plan ends in 3 steps: the lower bound of a 4x4 torus is 4; nearest feasible: "
                "--steps 4");
  check_refusal("search one-packet --dims 4x4 --steps 1", 3, "in 1 step:");
  check_refusal("search one-packet --dims 4x4 --steps 0", 3, "lower bound");
}

TEST_CASE("a search with a rule that does not close covers all nodes", "[cli][search]") {
  const ScratchDirectory directory;
  const ProgramResult result =
      gossamer(directory, "search one-packet --dims 3x4 --steps 6 --rule 1,1 --classes 6 --json");
  REQUIRE(result.status == 0);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json["rule"] == nlohmann::json{1, 1});
  CHECK(json["classes"] == 6);
}

TEST_CASE("search refuses bad requests in one line", "[cli][search]") {
  check_refusal("search", 2, "subcommand");
  check_refusal("search one-packet", 2, "--dims");
  check_refusal("search one-packet --dims 5x5 --rule 3,1", 2, "--classes");
  check_refusal("search one-packet --dims 5x5 --rule 3, --classes 5", 2, "--rule");
  check_refusal("search one-packet --dims 5x5 --rule 3 --classes 5", 2, "2 factors");
  check_refusal("search one-packet --dims 5x5 --time -1", 2, "--time");
  check_refusal("search one-packet --dims 5x5 -o - --json", 2, "standard output");
  check_refusal("search one-packet --dims 5x5 -o nowhere/p.json", 2, "nowhere/p.json");
  check_refusal("search one-packet --dims 11x13", 3, "nearest feasible");
  check_refusal("search one-packet --dims 5x5 --wrap x", 3, "nearest feasible: --topology torus");
  check_refusal("search one-packet --dims 5x5 --topology mesh", 3, "nearest feasible");
  check_refusal("search one-packet --dims 5x1x5", 3,
                "nearest feasible: the same torus without them");
  check_refusal("search one-packet --dims 5x5 --dead-node 1,1", 3, "a torus without faults");
}

}  // namespace
}  // namespace gossamer::testing
