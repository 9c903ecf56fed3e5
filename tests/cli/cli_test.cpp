// SPDX-License-Identifier: Apache-2.0
/// The program as its users call it: exit status, streams, files (contract).
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "program.hpp"

namespace gossamer::testing {
namespace {

ProgramResult gossamer(const ScratchDirectory& directory, const std::string& arguments) {
  return run_command(directory, std::string("'") + GOSSAMER_PROGRAM + "' " + arguments);
}

/// One line on standard error, and nothing new on disk.
void check_refused(const std::string& arguments, int status, const std::string& part) {
  const ScratchDirectory directory;
  write_text(directory.file("bad.json"), "{\"format\": \"gossamer-plan\"");
  const ProgramResult result = gossamer(directory, arguments);
  INFO(arguments << "\n" << result.err);
  CHECK(result.status == status);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  CHECK_THAT(result.err, Catch::StartsWith("gossamer: ") && Catch::Contains(part));
  CHECK(result.out.empty());
  CHECK(directory.entries() == 1);
}

TEST_CASE("plan, verify and simulate agree, and the report has the keys of docs/spec/contract.md",
          "[cli]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --topology torus --dims 8x8 -o plan.json").status == 0);
  REQUIRE(gossamer(directory, "verify plan.json").status == 0);
  const ProgramResult run =
      gossamer(directory, "simulate plan.json --engine fast --trace t.csv --report -");
  REQUIRE(run.status == 0);
  const auto report = nlohmann::ordered_json::parse(run.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : report.items()) keys.push_back(key);
  REQUIRE(keys == std::vector<std::string>{"gossamer",
                                           "collective",
                                           "algorithm",
                                           "topology",
                                           "dims",
                                           "nodes",
                                           "engine",
                                           "packets",
                                           "packets_per_node",
                                           "complete",
                                           "steps",
                                           "analytic_steps",
                                           "lower_bound_steps",
                                           "bound_steps",
                                           "cycles",
                                           "analytic_cycles",
                                           "time_units",
                                           "link_transfers",
                                           "link_conflicts",
                                           "duplicates",
                                           "max_queue",
                                           "tcd",
                                           "wall_seconds",
                                           "router_cycles_per_second",
                                           "buildable"});
  CHECK(report["steps"] == 32);
  CHECK(report["analytic_steps"] == 32);
  CHECK(report["lower_bound_steps"] == 32);
  CHECK(report["bound_steps"] == 32);
  CHECK(report["link_transfers"] == 8192);
  CHECK(report["duplicates"] == 128);
  CHECK(report["max_queue"] == 1);
  CHECK(report["tcd"].is_null());
  CHECK(report["time_units"].is_null());
  const std::string trace = file_text(directory.file("t.csv"));
  CHECK_THAT(trace, Catch::StartsWith("step,hop,from,port,packet\n1,0,0,0,"));
  CHECK(std::count(trace.begin(), trace.end(), '\n') == 8193);
}

TEST_CASE("plans pass through standard streams and CBOR unchanged", "[cli]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 5x4 -o a.json").status == 0);
  REQUIRE(gossamer(directory, "plan gossip --dims 5x4 -o a.cbor").status == 0);
  const ProgramResult piped = gossamer(directory, "plan gossip --dims 5x4 -o -");
  REQUIRE(piped.status == 0);
  CHECK(piped.out == file_text(directory.file("a.json")));
  CHECK(gossamer(directory, "verify a.cbor").status == 0);
  const ProgramResult trace_json = gossamer(directory, "simulate a.json --trace -");
  const ProgramResult trace_cbor = gossamer(directory, "simulate a.cbor --trace -");
  CHECK(trace_json.out == trace_cbor.out);
  CHECK_THAT(trace_json.out, Catch::StartsWith("step,hop"));
  const ProgramResult from_stdin =
      run_command(directory, std::string("cat a.cbor | '") + GOSSAMER_PROGRAM + "' verify -");
  CHECK(from_stdin.status == 0);
}

TEST_CASE("emitted plans satisfy the published schema, damaged ones do not", "[cli][schema]") {
  const ScratchDirectory directory;
  const std::string validate = std::string("/usr/bin/python3 '") + GOSSAMER_SOURCE_DIR +
                               "/tests/cli/validate_plan.py' '" + GOSSAMER_SOURCE_DIR +
                               "/docs/plan.schema.json' ";
  int number = 0;
  for (const std::string request :
       {"gossip --dims 5x4", "gossip --dims 2x6 --packets 4", "gossip --dims 7 --packets 3",
        "gossip --topology mesh --dims 5x5 --algorithm array",
        "gossip --topology mesh --dims 3x4 --algorithm folded",
        "broadcast --topology mesh --dims 8x8 --source 2,5",
        "broadcast --dims 6x5 --algorithm min-tcd", "gossip --dims 4x3 --algorithm scheduled",
        "gossip --dims 3x2x4 --algorithm scheduled --packets 3"}) {
    const std::string name = "plan" + std::to_string(number++) + ".json";
    REQUIRE(gossamer(directory, "plan " + request + " -o " + name).status == 0);
    const ProgramResult result = run_command(directory, validate + name);
    INFO(result.err);
    CHECK(result.status == 0);
  }
  std::string text = file_text(directory.file("plan0.json"));
  text.replace(text.find("\"feed\""), 6, "\"food\"");
  write_text(directory.file("damaged.json"), text);
  CHECK(run_command(directory, validate + "damaged.json").status != 0);
}

TEST_CASE("broadcast is planned, proved and simulated by its formulas", "[cli][broadcast]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory,
                   "plan broadcast --topology mesh --dims 8x8 --source 2,5 --flits 4 "
                   "--relay-cycles 1 --timing self -o b.json")
              .status == 0);
  const ProgramResult proof = gossamer(directory, "verify b.json --report -");
  REQUIRE(proof.status == 0);
  const ProgramResult run = gossamer(directory, "simulate b.json --trace t.csv --report -");
  REQUIRE(run.status == 0);
  for (const std::string& text : {proof.out, run.out}) {
    const auto report = nlohmann::json::parse(text);
    CHECK(report["steps"] == 6);
    CHECK(report["cycles"] == 33);
    CHECK(report["tcd"] == 69);
    CHECK(report["packets"] == 1);
    CHECK(report["packets_per_node"].is_null());
  }
  const std::string trace = file_text(directory.file("t.csv"));
  CHECK_THAT(trace, Catch::StartsWith("step,hop,from,port,packet\n1,0,42,1,0\n1,1,43,1,0\n"));
  CHECK(std::count(trace.begin(), trace.end(), '\n') == 70);
}

TEST_CASE("broadcasts run on all engines alike, and in lock step", "[cli][broadcast]") {
  for (const std::string options :
       {"--dims 8x8 --source 2,5 --flits 4 --relay-cycles 1 --timing self",
        "--dims 5x7 --source 1,1 --algorithm min-tcd --flits 3 --hop-cycles 2",
        "--dims 4x4x4 --source 1,0,3 --flits 2 --relay-cycles 3",
        "--dims 4x3 --algorithm tree --flits 4"}) {
    const ScratchDirectory directory;
    INFO(options);
    REQUIRE(
        gossamer(directory, "plan broadcast --topology mesh " + options + " -o b.json").status ==
        0);
    for (const std::string engine : {"fast", "systemc", "rtl"}) {
      CHECK(
          gossamer(directory, "simulate b.json --engine " + engine + " --trace " + engine + ".csv")
              .status == 0);
      CHECK(file_text(directory.file(engine + ".csv")) == file_text(directory.file("fast.csv")));
    }
    const ProgramResult cosim = gossamer(directory, "cosim b.json");
    CHECK(cosim.status == 0);
    CHECK_THAT(cosim.out, Catch::Contains("model and RTL agree"));
  }
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan broadcast --topology mesh --dims 8x8 --source 2,2 -o b.json")
              .status == 0);
  const ProgramResult fault = gossamer(directory, "cosim b.json --fault rtl@2:19:x+");
  CHECK(fault.status == 1);
  CHECK_THAT(fault.err, Catch::Contains("cycle 2, node 19, port x+: expected head ") &&
                            Catch::Contains(", got head "));
  CHECK(gossamer(directory, "cosim b.json --fault rtl@2:63:x-").status == 2);
  CHECK(gossamer(directory, "simulate b.json --engine systemc --pin-level").status == 2);
}

TEST_CASE("list shows every machine with its engines, and emit's formats", "[cli]") {
  const ScratchDirectory directory;
  const std::string listed = gossamer(directory, "list --all").out;
  const auto json = nlohmann::json::parse(gossamer(directory, "list --json").out);
  std::vector<std::string> names;
  for (const auto& machine : json["machines"]) {
    names.push_back(machine["name"]);
    const std::vector<std::string> engines = machine["engines"];
    CHECK(std::find(engines.begin(), engines.end(), "fast") != engines.end());
    CHECK_THAT(listed, Catch::Contains(names.back()));
  }
  CHECK(names == std::vector<std::string>{"composition", "elastic", "groups", "queued", "relay",
                                          "ring", "stream", "timetable"});
  // Every algorithm that makes plans is executed by one of them.
  for (const auto& algorithm : json["algorithms"]) {
    for (const std::string machine : algorithm["machines"]) {
      CHECK(std::find(names.begin(), names.end(), machine) != names.end());
    }
  }
}

TEST_CASE("bad usage and bad input end with status 2, one line and nothing on disk", "[cli]") {
  check_refused("", 2, "subcommand");
  check_refused("plan", 2, "collective");
  check_refused("plan gossip -o p.json", 2, "--dims");
  check_refused("plan gossip --dims 8x8", 2, "--output");
  check_refused("plan gossip --dims 8xx8 -o p.json", 2, "--dims");
  check_refused("plan gossip --dims 8x -o p.json", 2, "--dims");
  check_refused("plan gossip --dims -8x8 -o p.json", 2, "--dims");
  check_refused("plan gossip --dims 0x8 -o p.json", 2, "side 0 is outside 1..65535");
  check_refused("plan gossip --dims 65536x8 -o p.json", 2, "outside 1..65535");
  check_refused("plan gossip --dims 99999999999999999999x8 -o p.json", 2, "--dims");
  check_refused("plan gossip --dims 65535x65535 -o p.json", 2, "more than");
  check_refused("plan gossip --dims 2x2x2x2x2x2x2x2x2 -o p.json", 2, "dimensions");
  check_refused("plan gossip --topology ring --dims 8x8 -o p.json", 2, "neither torus nor mesh");
  check_refused("plan gosip --dims 8x8 -o p.json", 2, "collective");
  check_refused("plan gossip --algorithm none --dims 8x8 -o p.json", 2,
                "gossamer list all-gather shows all");
  check_refused("plan gossip --packets 0 --dims 8x8 -o p.json", 2, "--packets");
  check_refused("plan gossip --packets two --dims 8x8 -o p.json", 2, "--packets");
  check_refused("plan gossip --frobnicate --dims 8x8 -o p.json", 2, "frobnicate");
  check_refused("plan gossip --dims 8x8 -o nowhere/p.json", 2, "nowhere/p.json");
  check_refused("plan gossip --dims 8x8 -o /", 2, "is a directory");
  check_refused("verify none.json", 2, "none.json");
  check_refused("verify bad.json", 2,
                "bad.json: line 1, column 27: a comma or } is expected, the file ends");
  check_refused("verify .", 2, "is a directory");
  check_refused("simulate bad.json --trace t.csv", 2, "bad.json");
}

TEST_CASE("unknown words get the nearest known one as a suggestion", "[cli]") {
  check_refused("plann gossip --dims 4x4", 2,
                "\"plann\" is not a command of gossamer (did you mean plan?); see gossamer --help");
  check_refused("compare gosip", 2,
                "\"gosip\" is not a command of gossamer compare (did you mean gossip?)");
  check_refused("plan gossip --dims 4x4 --packts 2 -o p.json", 2,
                "gossamer plan has no option --packts (did you mean --packets?); "
                "see gossamer plan --help");
  check_refused("plan gossip --dim=4x4 -o p.json", 2, "no option --dim (did you mean --dims?)");
  check_refused("--versoin", 2, "gossamer has no option --versoin (did you mean --version?)");
  check_refused("verify a.json b.json", 2, "\"b.json\": gossamer verify takes no further argument");
  check_refused("plan allgather --dims 4x4 -o p.json", 2, "(did you mean all-gather?)");
  check_refused("plan allreduce --dims 4x4 -o p.json", 2, "(did you mean all-reduce?)");
  check_refused("plan all-gahter", 2, "\"all-gahter\" is unknown (did you mean all-gather?)");
  check_refused("plan qqq --dims 4x4 -o p.json", 2, "\"qqq\" is unknown; gossamer list");
  check_refused("plan gossip --dims 4x4 --algorithm hamilton -o p.json", 2,
                "\"hamilton\" is unknown for all-gather (did you mean hamiltonian?); gossamer list "
                "all-gather shows");
  check_refused("plan gossip --dims 4x4 --algorithm eye -o p.json", 2,
                "\"eye\" is unknown for all-gather; it is an algorithm for broadcast; gossamer "
                "list all-gather shows");
  check_refused("plan gossip --topology tours --dims 4x4 -o p.json", 2,
                "--topology: \"tours\" is neither torus nor mesh (did you mean torus?)");
  check_refused("plan all-reduce --dims 4x4 --operation summ -o p.json", 2,
                "--operation: \"summ\" is unknown (did you mean sum?); there is sum, ");
  check_refused(
      "plot r.sqlite --kind stepz", 2,
      "--kind: \"stepz\" is unknown (did you mean steps?); there is steps, words, compare, tcd, "
      "delay, faults, latency, stall, area, timeline, time, energy; see gossamer plot --help");
  check_refused("map tcd --dims 4x4 --format svgg", 2,
                "--format: \"svgg\" is unknown (did you mean svg?)");
  check_refused(
      "map tcd --dims 4x4 --algorithm eyes", 2,
      "--algorithm: \"eyes\" has no map of distances (did you mean eye?); there is eye, ");
}

TEST_CASE("an option's error begins with the option's name", "[cli]") {
  const auto begins = [](const std::string& arguments, const std::string& beginning) {
    const ScratchDirectory directory;
    const ProgramResult result = gossamer(directory, arguments);
    INFO(arguments << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK_THAT(result.err, Catch::StartsWith("gossamer: " + beginning));
    CHECK(directory.entries() == 0);
  };
  begins("plan gossip --dims 0x8 -o p.json", "--dims: side 0 ");
  begins("plan gossip --dims 8x8 --wrap q -o p.json", "--wrap: \"q\" ");
  begins("plan gossip --dims 8x8 --packets 0 -o p.json", "--packets: a whole number ");
  begins("plan gossip --dims 8x8 --algorithm hamilton -o p.json", "--algorithm: \"hamilton\" ");
  begins("plan gossip --dims 8x8 --bytes many -o p.json", "--bytes: \"many\" ");
  begins("plan broadcast --dims 8x8 --source 9,9 -o p.json", "--source: \"9,9\" ");
  begins("plan partial-broadcast --dims 8x8 -o p.json", "--active: is required");
  begins("plan gossip --dims 8x8 -o ''", "--output: a value is required; see gossamer plan --help");
}

TEST_CASE("invalid values are reported with the expected form", "[cli]") {
  check_refused("plan gossip --dims 4x4 --dims 5x5 -o p.json", 2,
                "--dims: given 2 times, at most once is possible; see gossamer plan --help");
  check_refused("plan gossip --dims", 2,
                "--dims: a value is required, e.g. 16x16; see gossamer plan --help");
  check_refused("plan gossip --dims=", 2, "--dims: a value is required, e.g. 16x16; see");
  check_refused("plan gossip --dims --topology mesh -o p.json", 2, "--dims: a value is required");
  check_refused("plan gossip --dims= -o p.json", 2, "--dims: a value is required");
  check_refused("plan gossip --dims 4x4 -o p.json --json=maybe", 2, "--json: takes no value; see");
  check_refused("plan gossip --dims 4x4", 2, "--output is required; see gossamer plan --help");
  check_refused("compare gossip --dims 4x4 --vcs 2", 2, "--vcs requires --bytes; see gossamer");
  check_refused("simulate p.json --scoreboard --no-scoreboard", 2,
                "--scoreboard excludes --no-scoreboard; see gossamer simulate --help");
  check_refused("search one-packet --dims 4x4 --time -1", 2, "--time: -1 is negative");
  check_refused("search one-packet --dims 4x4 --steps abc", 2,
                "--steps: \"abc\" is not a number; see gossamer search one-packet --help");
  check_refused("search one-packet --dims 4x4 --steps 1.5", 2,
                "--steps: \"1.5\" is not a whole number of this size");
  check_refused("simulate p.json --threads 0", 2, "--threads: 0 is not in the range 1 to 1024");
  check_refused("search", 2, "a subcommand is required: one-packet; see gossamer search --help");
  check_refused("view a b c -o p.html", 2, "plans: 3 given, at most 2 possible; see gossamer view");
}

TEST_CASE("an empty value is refused for every option and argument of every command", "[cli]") {
  const ScratchDirectory directory;
  const std::string page =
      std::regex_replace(gossamer(directory, "man").out, std::regex(R"(\\-)"), "-");
  // A command, or after .TP an option or an argument and the name of its value.
  const std::regex entry(R"x(\.SS "gossamer (.*)"|\.TP\n(?:.*?(--[-a-z]+)\\fR.* )?\\fI)x");
  std::string command;
  int count = 0;
  for (std::sregex_iterator each(page.begin(), page.end(), entry), end; each != end; ++each) {
    const std::smatch& match = *each;
    if (match[1].matched) {
      command = match[1];
      continue;
    }
    const std::string option = match[2];
    check_refused(command + " " + option + " ''", 2, option + ": a value is required");
    ++count;
  }
  CHECK(count > 300);
}

TEST_CASE("documents that are not JSON are reported with line, column and the expected token",
          "[cli]") {
  const ScratchDirectory directory;
  const auto refused = [&directory](const std::string& text, const std::string& part) {
    write_text(directory.file("doc.json"), text);
    const ProgramResult result = gossamer(directory, "verify doc.json");
    INFO(text << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(result.err == "gossamer: doc.json: " + part + "\n");
  };
  refused("", "line 1, column 1: a value is expected, the file ends");
  refused("xyz", "line 1, column 1: \"x\" is no JSON value");
  refused("{\n  \"format\" 1}", "line 2, column 12: a colon is expected, not a number");
  refused("{\"format\": [1 2]}", "line 1, column 15: a comma or ] is expected, not a number");
  refused("{\"format\": 1, }", "line 1, column 15: a key in quotes is expected, not '}'");
  refused("{\"format\": \"gos",
          "line 1, column 16: invalid string: missing closing quote in "
          "\"\\\"gos\"");
}

TEST_CASE("names from documents are printed without terminal control characters", "[cli]") {
  const ScratchDirectory directory;
  const std::string escape = "\x1b[31mred";
  for (const std::string& command :
       {"plan gossip --dims 4x4 -o p.json --algorithm '" + escape + "'",
        "plan '" + escape + "' --dims 4x4 -o p.json", "'" + escape + "'",
        "verify '" + escape + "'"}) {
    const ProgramResult result = gossamer(directory, command);
    INFO(command);
    CHECK(result.status == 2);
    CHECK_THAT(result.err, Catch::Contains("red") && !Catch::Contains("\x1b"));
  }
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  std::string text = file_text(directory.file("p.json"));
  text.replace(text.find("\"hamiltonian\""), 13, "\"\\u001b[31mred\"");
  write_text(directory.file("red.json"), text);
  for (const std::string command :
       {"verify red.json", "simulate red.json", "emit red.json --format dot -o d"}) {
    const ProgramResult result = gossamer(directory, command);
    INFO(command << result.out << result.err);
    CHECK_THAT(result.out + result.err, !Catch::Contains("\x1b"));
  }
}

TEST_CASE("a file is not written twice by one command", "[cli]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  const ProgramResult result = gossamer(directory, "simulate p.json --trace t --report t");
  CHECK(result.status == 2);
  CHECK(result.err == "gossamer: t: --trace and --report cannot both be written to it\n");
  CHECK(directory.entries() == 1);
}

TEST_CASE("a plan is distinguished from a schedule of another program", "[cli]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  const ProgramResult result = gossamer(directory, "check p.json");
  CHECK(result.status == 2);
  CHECK_THAT(result.err, Catch::StartsWith("gossamer: p.json:1: this is a Gossamer plan"));
}

TEST_CASE("infeasible requests end with status 3, the reason and the nearest choice", "[cli]") {
  check_refused("plan gossip --algorithm hamiltonian --dims 2x5 -o p.json", 3, "nearest feasible");
  check_refused("plan gossip --algorithm hamiltonian --topology mesh --dims 4x4 -o p.json", 3,
                "nearest feasible");
}

TEST_CASE("a failed run leaves an older output as it was", "[cli]") {
  const ScratchDirectory directory;
  write_text(directory.file("p.json"), "precious");
  CHECK(gossamer(directory, "plan gossip --algorithm hamiltonian --dims 2x5 -o p.json").status ==
        3);
  CHECK(file_text(directory.file("p.json")) == "precious");
  CHECK(directory.entries() == 1);
}

TEST_CASE("output through a symbolic link goes to its target, and the link stays", "[cli]") {
  namespace fs = std::filesystem;
  const ScratchDirectory directory;
  fs::create_directory(directory.path() / "far");
  write_text(directory.file("far/old.json"), "precious");
  fs::create_symlink("far/old.json", directory.path() / "old.json");
  fs::create_symlink("far/new.json", directory.path() / "new.json");
  // A link to a link, from the root on.
  fs::create_symlink(directory.path() / "old.json", directory.path() / "chain.json");
  const std::string request = "plan gossip --dims 4x4 -o ";
  CHECK(gossamer(directory, "plan gossip --dims 2x5 --algorithm hamiltonian -o old.json").status ==
        3);
  CHECK(file_text(directory.file("far/old.json")) == "precious");
  REQUIRE(gossamer(directory, request + "chain.json").status == 0);
  REQUIRE(gossamer(directory, request + "new.json").status == 0);
  for (const char* link : {"old.json", "new.json", "chain.json"}) {
    CHECK(fs::is_symlink(directory.path() / link));
  }
  CHECK(file_text(directory.file("far/old.json")) == file_text(directory.file("far/new.json")));
  CHECK(directory.entries() == 4);
  // Round and round.
  fs::create_symlink("ring.json", directory.path() / "ring.json");
  CHECK(gossamer(directory, request + "ring.json").status == 2);
}

TEST_CASE("a wrong plan ends verify and simulate with status 1", "[cli]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  std::string text = file_text(directory.file("p.json"));
  const std::size_t at = text.find("\"table\"");
  const std::size_t row = text.find("[1,", at) != std::string::npos ? text.find("[1,", at) : at;
  REQUIRE(row != at);
  text.replace(row, 3, "[0,");
  write_text(directory.file("wrong.json"), text);
  for (const std::string command : {"verify wrong.json", "simulate wrong.json"}) {
    const ProgramResult result = gossamer(directory, command);
    CHECK(result.status == 1);
    CHECK_THAT(result.err, Catch::Contains("check failed"));
  }
}

TEST_CASE("plan's help lists the collectives, and for every value a default or that it is required",
          "[cli]") {
  const ScratchDirectory directory;
  const std::string help = gossamer(directory, "plan --help").out;
  for (const std::string collective : {"gossip", "all-gather", "broadcast", "all-reduce",
                                       "reduce-scatter", "all-to-all", "barrier", "prefix"}) {
    CHECK_THAT(help, Catch::Contains(collective));
  }
  // An option's help may continue on indented lines.
  std::istringstream lines(std::regex_replace(help.substr(help.find("Algorithm options:")),
                                              std::regex("\\n {20,}"), " "));
  std::string line;
  std::size_t values = 0;
  while (std::getline(lines, line) && line.find("Collectives:") == std::string::npos) {
    if (line.rfind("  --", 0) != 0) continue;
    if (line.find(" N  ") == std::string::npos && line.find(" TEXT  ") == std::string::npos)
      continue;
    ++values;
    INFO(line);
    CHECK(
        (line.find("default") != std::string::npos || line.find("required") != std::string::npos));
  }
  CHECK(values > 20);
  // The first run of the program's own help is not repeated below a command that has commands.
  CHECK_THAT(gossamer(directory, "map --help").out, !Catch::Contains("A first run"));
}

TEST_CASE("a collective's help and the list fit the terminal and name every algorithm", "[cli]") {
  const ScratchDirectory directory;
  const auto json = nlohmann::json::parse(gossamer(directory, "list --json").out);
  std::map<std::string, std::string> helps;
  for (const auto& algorithm : json["algorithms"]) {
    const std::string collective = algorithm["collective"];
    if (helps.count(collective) == 0) {
      const ProgramResult result = gossamer(directory, "plan " + collective + " --help");
      REQUIRE(result.status == 0);
      helps[collective] = result.out;
    }
    const std::string& help = helps[collective];
    const std::string name = algorithm["name"];
    CHECK_THAT(help.substr(help.find("Algorithms;")), Catch::Contains(name));
    std::istringstream options(algorithm["options"].get<std::string>());
    for (std::string option; options >> option;) {
      CHECK_THAT(help, Catch::Contains("  --" + option));
    }
  }
  CHECK_THAT(helps["gossip"], !Catch::Contains("  --operation"));
  helps["list"] = gossamer(directory, "list").out;
  for (const auto& [what, text] : helps) {
    INFO(what);
    std::istringstream lines(text);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) CHECK(line.size() <= 80);
    CHECK(count <= (what == "list" ? 45 : 40));
  }
}

TEST_CASE("every command has a help of at most 80 columns, and the program a version", "[cli]") {
  const ScratchDirectory directory;
  CHECK_THAT(gossamer(directory, "--version").out, Catch::StartsWith("gossamer 0."));
  // The first is the program itself.
  std::istringstream commands(
      ",plan,compose,verify,simulate,cosim,check,diagnose,emit,compare,compare all-gather,"
      "compare elastic,compare broadcast,compare reduce,map,map tcd,search,search one-packet,"
      "recommend,sweep,plot,view,list,sums,synth,traffic,workload,completion,man");
  for (std::string command; std::getline(commands, command, ',');) {
    const ProgramResult result = gossamer(directory, command + " --help");
    CHECK(result.status == 0);
    CHECK_THAT(result.out, Catch::Contains("Usage:"));
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(command << ": " << line);
      CHECK(line.size() <= 80);
    }
  }
  CHECK_THAT(gossamer(directory, "list --all").out, Catch::Contains("hamiltonian"));
  CHECK(nlohmann::json::parse(gossamer(directory, "list --json").out)["algorithms"].size() >= 1);
}

}  // namespace
}  // namespace gossamer::testing
