// SPDX-License-Identifier: Apache-2.0
/// Reductions and total exchange as their users call them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "gossamer_program.hpp"

namespace gossamer::testing {
namespace {

nlohmann::json report_of(const ScratchDirectory& directory, const std::string& arguments) {
  const ProgramResult result = gossamer(directory, arguments);
  INFO(arguments << "\n" << result.err);
  REQUIRE(result.status == 0);
  return nlohmann::json::parse(result.out);
}

TEST_CASE("every reduction is planned, proved and simulated, with equal traces",
          "[cli][reduction]") {
  struct Row {
    std::string request;
    std::uint64_t steps;
    std::uint64_t bound;
  };
  const ScratchDirectory directory;
  for (const Row& row :
       {Row{"reduce-scatter --dims 4x4", 8, 8},
        Row{"reduce-scatter --dims 5x3 --packets 3", 11, 11},
        Row{"reduce-scatter --topology mesh --dims 4x4 --packets 2", 15, 15},
        Row{"reduce-scatter --topology mesh --dims 3x5 --algorithm folded", 14, 14},
        Row{"all-reduce --dims 4x4", 15, 15},
        Row{"all-reduce --dims 3x3x3 --operation max --link-bits 8", 26, 26},
        Row{"all-reduce --dims 4x4 --words 40 --algorithm hamiltonian", 30, 19},
        Row{"all-reduce --topology mesh --dims 4x4 --packets 1", 15, 13},
        Row{"all-reduce --topology mesh --dims 3x3 --algorithm folded", 16, 12},
        Row{"all-reduce --topology mesh --dims 3x3", 16, 12},
        Row{"all-reduce --topology mesh --dims 7 --algorithm folded", 12, 12},
        Row{"all-reduce --dims 8x8 --algorithm rings", 14, 11},
        Row{"all-reduce --dims 5x4 --algorithm line-sum", 4, 4},
        Row{"all-reduce --topology mesh --dims 5x4 --algorithm auto --words 1", 7, 7},
        Row{"reduce --dims 4x6 --source 1,2", 5, 5},
        Row{"reduce --topology mesh --dims 9 --source 4", 4, 4},
        Row{"reduce --wrap z --dims 4x1x5 --source 2,0,0 --algorithm line-sum", 4, 4},
        Row{"reduce --topology mesh --dims 5x5 --source 1,2 --words 2 --algorithm line-sum", 6, 5},
        Row{"all-reduce --wrap x --dims 3x3 --algorithm line-sum --words 2", 4, 3},
        Row{"barrier --topology mesh --dims 3x4x2", 6, 6}, Row{"barrier --dims 2x5x2", 4, 4},
        Row{"all-reduce --dims 2x2 --algorithm line-sum --words 2", 2, 2},
        // Round faults, on the one cycle that is left or found.
        Row{"reduce-scatter --dims 4x4 --dead-link 1,1:x+ --packets 1", 8, 5},
        Row{"all-reduce --dims 4x4 --dead-link 1,1:x+ --algorithm degraded", 30, 16},
        Row{"all-reduce --dims 5x5 --dead-node 2,2 --algorithm degraded", 46, 24},
        Row{"all-reduce --topology mesh --dims 4x4 --harvest 3,0-3,1 --packets 1", 13, 12},
        // Along trees of live links, which take fewer steps.
        Row{"all-reduce --dims 4x4 --dead-link 1,1:x+", 24, 16},
        Row{"reduce --dims 5x4 --dead-node 2,2 --source 1,2 --words 3", 6, 4},
        // And where there is no such cycle.
        Row{"reduce-scatter --dims 8x8 --dead-node 3,3 --packets 1", 21, 21},
        Row{"all-reduce --dims 5x5 --dead-core 2,2", 24, 23}}) {
    INFO(row.request);
    const ProgramResult planned = gossamer(directory, "plan " + row.request + " -o p.json");
    INFO(planned.err);
    REQUIRE(planned.status == 0);
    REQUIRE(gossamer(directory, "plan " + row.request + " -o p.cbor").status == 0);
    const auto proof = report_of(directory, "verify p.cbor --report -");
    const auto run = report_of(directory, "simulate p.json --trace fast.csv --report -");
    const auto clocked =
        report_of(directory, "simulate p.json --engine systemc --trace systemc.csv --report -");
    const auto rtl =
        report_of(directory, "simulate p.json --engine rtl --trace rtl.csv --report -");
    CHECK(report_of(directory, "cosim p.json --report -").at("complete") == true);
    CHECK(run.at("steps") == row.steps);
    CHECK(run.at("cycles") == row.steps);
    CHECK(run.at("lower_bound_steps") == row.bound);
    CHECK(run.at("complete") == true);
    CHECK(run.at("duplicates") == 0);
    CHECK(run.at("missing") == 0);
    for (const char* key :
         {"complete", "steps", "cycles", "max_queue", "link_transfers", "duplicates"}) {
      INFO(key);
      CHECK(proof.at(key) == run.at(key));
      CHECK(clocked.at(key) == run.at(key));
      CHECK(rtl.at(key) == run.at(key));
    }
    const std::string trace = file_text(directory.file("fast.csv"));
    CHECK_THAT(trace, Catch::StartsWith("step,hop,from,port,packet,terms\n1,0,"));
    CHECK(trace == file_text(directory.file("systemc.csv")));
    CHECK(trace == file_text(directory.file("rtl.csv")));
    CHECK(std::count(trace.begin(), trace.end(), '\n') == 1 + run.at("link_transfers").get<long>());
  }
}

TEST_CASE("packed trees carry vectors, with equal traces", "[cli][reduction][trees][slow]") {
  struct Row {
    std::string request;
    std::string algorithm;
    std::uint64_t steps;
    std::uint64_t bound;
  };
  const ScratchDirectory directory;
  for (const Row& row :
       {Row{"all-reduce --topology mesh --dims 8x8 --words 128 --algorithm three-trees",
            "three-trees", 100, 77},
        Row{"all-reduce --topology mesh --dims 8x8 --words 64 --algorithm three-trees",
            "three-trees", 58, 45},
        // The fewest steps where none is named.
        Row{"all-reduce --topology mesh --dims 8x8 --words 64", "packing", 54, 45},
        Row{"all-reduce --topology mesh --dims 8x8 --words 14", "lines", 20, 20},
        Row{"all-reduce --topology mesh --dims 8x8 --words 15", "three-trees", 24, 21},
        Row{"all-reduce --topology mesh --dims 3x3x3 --words 27", "scheduled", 18, 14},
        Row{"all-reduce --topology mesh --dims 3x3x3 --packets 1 --algorithm scheduled",
            "scheduled", 18, 14},
        Row{"all-reduce --topology mesh --dims 4x1x3 --words 3 --algorithm lines", "lines", 6, 6},
        Row{"all-reduce --topology mesh --dims 3x4x2 --words 5 --algorithm tree", "tree", 12, 7},
        Row{"all-reduce --wrap x --dims 3x5 --words 20 --algorithm three-trees", "three-trees", 21,
            0},
        Row{"all-reduce --topology mesh --dims 4x4x4 --words 64 --algorithm packing --frame 1",
            "packing", 43, 30},
        Row{"all-reduce --dims 8x8 --words 100 --algorithm packing", "packing", 0, 50},
        Row{"reduce --topology mesh --dims 9x7 --source 5,0 --words 50", "disjoint-trees", 35, 35},
        Row{"reduce --dims 4x3 --source 1,2 --words 40 --operation max", "disjoint-trees", 0, 0}}) {
    INFO(row.request);
    const ProgramResult planned = gossamer(directory, "plan " + row.request + " -o p.json");
    INFO(planned.err);
    REQUIRE(planned.status == 0);
    REQUIRE(gossamer(directory, "plan " + row.request + " -o p.cbor").status == 0);
    const auto proof = report_of(directory, "verify p.cbor --report -");
    const auto run = report_of(directory, "simulate p.json --trace fast.csv --report -");
    CHECK(run.at("algorithm") == row.algorithm);
    CHECK(run.at("steps") == run.at("analytic_steps"));
    if (row.steps != 0) CHECK(run.at("steps") == row.steps);
    if (row.bound != 0) CHECK(run.at("lower_bound_steps") == row.bound);
    CHECK(run.at("missing") == 0);
    const std::string trace = file_text(directory.file("fast.csv"));
    for (const char* pins : {"", " --pin-level"}) {
      const auto clocked =
          report_of(directory, std::string("simulate p.json --engine systemc --trace systemc.csv "
                                           "--report -") +
                                   pins);
      for (const char* key :
           {"complete", "steps", "cycles", "max_queue", "link_transfers", "duplicates"}) {
        INFO(key);
        CHECK(proof.at(key) == run.at(key));
        CHECK(clocked.at(key) == run.at(key));
      }
      CHECK(trace == file_text(directory.file("systemc.csv")));
    }
    CHECK(std::count(trace.begin(), trace.end(), '\n') == 1 + run.at("link_transfers").get<long>());
  }
  check_refusal("plan all-reduce --topology mesh --dims 2x5 --algorithm three-trees -o p.json", 3,
                "--algorithm tree");
  check_refusal("plan all-reduce --dims 4x4 --algorithm lines -o p.json", 3, "--topology mesh");
  check_refusal(
      "plan all-reduce --topology mesh --dims 4x4 --words 70000 --algorithm lines -o p.json", 3,
      "65535 slots");
}

TEST_CASE("relayed reductions count cycles, with equal traces", "[cli][reduction]") {
  struct Row {
    std::string request;
    std::uint64_t steps;
    std::uint64_t cycles;
  };
  const ScratchDirectory directory;
  for (const Row& row :
       {Row{"all-reduce --dims 8x8 --algorithm partners --flits 4 --relay-cycles 1", 6, 43},
        Row{"all-reduce --dims 8x8 --algorithm leaders --flits 4 --relay-cycles 1", 9, 59},
        Row{"all-reduce --topology mesh --dims 8x8 --algorithm eye-exchange --relay-cycles 1", 10,
            23},
        Row{"reduce --dims 8x8 --algorithm eye --source 3,5 --relay-cycles 1", 6, 15},
        Row{"barrier --dims 4x4x4 --algorithm partners --relay-cycles 1", 6, 11}}) {
    INFO(row.request);
    const ProgramResult planned = gossamer(directory, "plan " + row.request + " -o p.json");
    INFO(planned.err);
    REQUIRE(planned.status == 0);
    const auto proof = report_of(directory, "verify p.json --report -");
    const auto run = report_of(directory, "simulate p.json --trace fast.csv --report -");
    const auto clocked =
        report_of(directory, "simulate p.json --engine systemc --trace systemc.csv --report -");
    CHECK(run.at("steps") == row.steps);
    CHECK(run.at("cycles") == row.cycles);
    CHECK(run.at("analytic_cycles") == row.cycles);
    CHECK(run.at("missing") == 0);
    for (const char* key : {"complete", "steps", "cycles", "link_transfers", "duplicates", "tcd"}) {
      INFO(key);
      CHECK(proof.at(key) == run.at(key));
      CHECK(clocked.at(key) == run.at(key));
    }
    const std::string trace = file_text(directory.file("fast.csv"));
    CHECK_THAT(trace, Catch::StartsWith("step,hop,from,port,packet,terms\n1,0,"));
    CHECK(trace == file_text(directory.file("systemc.csv")));
  }
  check_refusal("plan all-reduce --dims 6x4 --algorithm partners -o p.json", 3, "power of two");
  check_refusal("plan all-reduce --topology mesh --dims 4x4 --algorithm leaders -o p.json", 3,
                "torus");
}

TEST_CASE("a total exchange has one trace on all engines, and folds onto the mesh",
          "[cli][reduction]") {
  const ScratchDirectory directory;
  // With one ROM, and with the two that close the gap to the bound.
  for (const auto& [algorithm, steps] :
       {std::pair<std::string, int>{"isotropic", 7}, {"parity", 6}}) {
    REQUIRE(
        gossamer(directory, "plan all-to-all --dims 4x3 --algorithm " + algorithm + " -o p.json")
            .status == 0);
    const auto proof = report_of(directory, "verify p.json --report -");
    CHECK(proof.at("steps") == steps);
    CHECK(proof.at("lower_bound_steps") == 6);
    std::string first;
    for (const std::string engine : {"fast", "systemc", "rtl"}) {
      const auto run =
          report_of(directory, "simulate p.json --engine " + engine + " --trace t.csv --report -");
      CHECK(run.at("steps") == steps);
      CHECK(run.at("packets") == 12 * 11);
      CHECK(run.at("link_transfers") == proof.at("link_transfers"));
      const std::string trace = file_text(directory.file("t.csv"));
      if (first.empty()) first = trace;
      CHECK(trace == first);
    }
    CHECK(report_of(directory, "cosim p.json --report -").at("complete") == true);
    const auto folded = report_of(directory, "simulate p.json --fold --report -");
    CHECK(folded.at("complete") == true);
    CHECK(folded.at("steps") == 2 * steps);
  }
  // One ROM for all routers: 64 steps, 4 slots.
  REQUIRE(gossamer(directory, "plan all-to-all --dims 8x8 -o large.json").status == 0);
  for (const std::string command : {"simulate large.json --engine systemc", "cosim large.json"}) {
    const auto run = report_of(directory, command + " --report -");
    CHECK(run.at("complete") == true);
    CHECK(run.at("steps") == 64);
    CHECK(run.at("max_queue") == 4);
  }
  REQUIRE(gossamer(directory, "plan all-to-all --dims 4x4 -o q.json").status == 0);
  const auto folded = report_of(directory, "simulate q.json --fold --report -");
  CHECK(folded.at("complete") == true);
  CHECK(folded.at("steps") == 16);
  CHECK(folded.at("lower_bound_steps") == 16);
}

TEST_CASE("one ROM for all nodes reduces identically on all engines", "[cli][reduction]") {
  const ScratchDirectory directory;
  for (const std::string collective : {"reduce-scatter", "all-reduce"}) {
    REQUIRE(gossamer(directory, "plan " + collective +
                                    " --dims 4x3 --algorithm scheduled --packets 1 -o p.json")
                .status == 0);
    std::string first;
    for (const std::string engine : {"fast", "systemc", "rtl"}) {
      const auto run =
          report_of(directory, "simulate p.json --engine " + engine + " --trace t.csv --report -");
      CHECK(run.at("complete") == true);
      CHECK(run.at("steps") == (collective == "all-reduce" ? 6 : 3));
      const std::string trace = file_text(directory.file("t.csv"));
      if (first.empty()) first = trace;
      CHECK(trace == first);
    }
    CHECK(report_of(directory, "cosim p.json --report -").at("complete") == true);
  }
}

TEST_CASE("all-reduces of middle size run on every engine", "[cli][reduction]") {
  for (const auto& [request, steps] :
       {std::pair<std::string, int>{"--dims 8x8 --words 16 --algorithm cores", 11},
        {"--dims 5x5 --words 10 --algorithm cores", 6},
        {"--dims 3x3x3 --words 6 --algorithm cores --operation max", 4},
        {"--dims 3x4 --words 8 --algorithm forest", 5}}) {
    CAPTURE(request);
    const ScratchDirectory directory;
    REQUIRE(gossamer(directory, "plan all-reduce " + request + " -o p.json").status == 0);
    std::string first;
    for (const std::string engine : {"fast", "systemc", "rtl"}) {
      const auto run =
          report_of(directory, "simulate p.json --engine " + engine + " --trace t.csv --report -");
      CHECK(run.at("complete") == true);
      CHECK(run.at("steps") == steps);
      const std::string trace = file_text(directory.file("t.csv"));
      if (first.empty()) first = trace;
      CHECK(trace == first);
    }
    CHECK(report_of(directory, "cosim p.json --report -").at("complete") == true);
  }
}

TEST_CASE("a plan says what was chosen and how far it is from the bound", "[cli][reduction]") {
  const ScratchDirectory directory;
  const ProgramResult plan = gossamer(directory, "plan all-reduce --dims 8x8 --words 16 -o p.json");
  CHECK(plan.status == 0);
  CHECK(plan.out.find("cores: 11 steps, the lower bound; fewest steps of: ") != std::string::npos);
  const ProgramResult comparison = gossamer(directory, "compare all-reduce --dims 8x8 --words 16");
  CHECK(comparison.status == 0);
  const std::size_t head = comparison.out.find("buildable\n");
  REQUIRE(head != std::string::npos);
  CHECK(comparison.out.substr(head + 10, 12).find("cores") != std::string::npos);
}

TEST_CASE("plan, verify and compare say whether emit builds the network",
          "[cli][reduction][slow]") {
  const ScratchDirectory directory;
  const auto json = [&directory](const std::string& words) {
    const ProgramResult result = gossamer(directory, words + " --json");
    REQUIRE(result.status == 0);
    return nlohmann::json::parse(result.out);
  };
  CHECK(json("plan all-reduce --dims 4x4 -o p.json")["buildable"] == true);
  // Timetables have streams where flat ports would be too wide.
  const std::string network = "all-reduce --dims 8x8 --topology mesh --bytes 1MiB --link-bits 256";
  CHECK(json("plan " + network + " -o long.json")["buildable"] == true);
  CHECK(gossamer(directory, "emit long.json --format sv -o long").status == 0);
  const auto rows = json("compare " + network + " --algorithm packing")["rows"];
  CHECK(rows[0]["buildable"] == true);
  CHECK(rows.back()["algorithm"] == "wormhole tree");
  CHECK(rows.back()["buildable"].is_null());
  // Rows that do not repeat are too many for a ROM.
  const std::string large = "all-reduce --dims 4x4 --topology mesh --bytes 4KiB --link-bits 32 ";
  const std::string reason = json("plan " + large + "--algorithm lines -o large.json")["buildable"];
  CHECK(reason.find("a ROM of ") == 0);
  CHECK(json("verify large.json")["buildable"] == reason);
  const ProgramResult emitted = gossamer(directory, "emit large.json --format sv -o out");
  CHECK(emitted.status == 3);
  CHECK(emitted.err == "gossamer: format sv: " + reason + "\n");
  CHECK(json("compare " + large + "--algorithm lines")["rows"][0]["buildable"] == reason);
  CHECK(json("compare all-gather --dims 4x4 --algorithm hamiltonian")["rows"][0]["buildable"] ==
        true);
}

TEST_CASE("bad reductions are refused in one line", "[cli][reduction]") {
  check_refusal(
      "plan all-reduce --dims 4x4 --algorithm leaders --operation signed-saturating-sum "
      "-o p.json",
      3, "--algorithm eye");
  check_refusal(
      "plan all-reduce --dims 8x8 --algorithm partners --operation "
      "signed-saturating-sum -o p.json",
      3, "--algorithm eye");
  check_refusal(
      "plan all-reduce --dims 8x8 --algorithm cores --operation signed-saturating-sum "
      "-o p.json",
      3, "--algorithm rings");
  check_refusal("plan all-reduce --dims 4x4 --algorithm cores --words 9 -o p.json", 3, "--words 8");
  check_refusal("plan all-reduce --dims 4x5 --algorithm cores -o p.json", 3, "equal sides");
  check_refusal("plan all-reduce --dims 4x4 --operation average -o p.json", 2, "average");
  check_refusal("plan all-reduce --dims 4x4 --packets 2 --words 5 -o p.json", 2, "--words");
  check_refusal("plan all-reduce --dims 4x4 --link-bits 65 -o p.json", 2,
                "--word-bits: 32 does not divide --link-bits 65; nearest: --word-bits 13, or "
                "--link-bits 64");
  check_refusal("plan all-reduce --dims 4x4 --link-bits 256 --word-bits 24 -o p.json", 2,
                "nearest: --word-bits 32");
  check_refusal("plan all-reduce --dims 4x4 --bytes 1KiB --link-bits 48 -o p.json", 2,
                "nearest: --word-bits 24");
  check_refusal("plan all-reduce --dims 4x4 --link-bits 256 --word-bits 65 -o p.json", 2,
                "from 1 to 64");
  check_refusal("plan all-reduce --dims 4x4 --type float32 --word-bits 16 -o p.json", 2,
                "float32 words have 32 bits, not 16");
  check_refusal("plan all-gather --dims 4x4 --word-bits 32 -o p.json", 2, "--word-bits");
  check_refusal("plan all-reduce --dims 4x4 --packets 0 -o p.json", 2, "packets");
  check_refusal("plan all-reduce --dims 5x3 --algorithm line-sum --words 2 -o p.json", 3,
                "--words 1");
  check_refusal(
      "plan all-reduce --dims 8x8 --algorithm line-sum --operation signed-saturating-sum "
      "-o p.json",
      3, "order");
  check_refusal("plan all-reduce --dims 5x3 --algorithm rings -o p.json", 3, "equal sides");
  check_refusal("plan reduce-scatter --topology mesh --dims 3x3 --algorithm array -o p.json", 3,
                "folded");
  check_refusal("plan reduce-scatter --topology mesh --dims 5 --algorithm array -o p.json", 3,
                "folded");
  check_refusal("plan all-to-all --topology mesh --dims 3x3 --algorithm isotropic -o p.json", 3,
                "torus");
  check_refusal("plan all-to-all --dims 40x40 -o p.json", 3, "1025");
  check_refusal("plan all-to-all --dims 4x4 --algorithm parity -o p.json", 3, "isotropic");
  check_refusal("plan reduce --dims 4x4 --source 4,0 -o p.json", 2, "4,0");
}

TEST_CASE("unsupported uses of a reduction are reported", "[cli][reduction]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan all-reduce --dims 4x4 -o p.json").status == 0);
  for (const auto& [arguments, part] :
       {std::pair<std::string, std::string>{"simulate p.json --fold", "fold"},
        {"emit p.json --format csv -o out", "csv"}}) {
    const auto before = directory.entries();
    const ProgramResult result = gossamer(directory, arguments);
    INFO(arguments << "\n" << result.err);
    CHECK((result.status == 2 || result.status == 3));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_THAT(result.err, Catch::Contains(part));
    CHECK(directory.entries() == before);
  }
}

TEST_CASE("damaged reductions are refused, or proved wrong", "[cli][reduction]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan reduce-scatter --dims 3x3 --packets 4 -o p.json").status == 0);
  const auto plan = nlohmann::json::parse(file_text(directory.file("p.json")));
  const auto status_of = [&](const nlohmann::json& damaged, const std::string& command) {
    write_text(directory.file("d.json"), damaged.dump());
    const ProgramResult result = gossamer(directory, command + " d.json");
    INFO(command << "\n" << result.err);
    CHECK_FALSE(result.err.empty());
    return result.status;
  };
  nlohmann::json damaged = plan;
  std::swap(damaged["program"]["table"][1], damaged["program"]["table"][2]);
  CHECK(status_of(damaged, "verify") == 1);
  CHECK(status_of(damaged, "simulate") == 1);
  damaged = plan;
  damaged["program"]["combine"]["legs"][0]["lanes"][0]["slope"] = 1;
  CHECK(status_of(damaged, "verify") == 1);
  CHECK(status_of(damaged, "simulate") == 1);
  for (const auto& [key, value] : {std::pair<const char*, nlohmann::json>{"steps", 19},
                                   {"turn", 10},
                                   {"turn", -1},
                                   {"lanes", nlohmann::json::array()},
                                   {"operations", {{{"step", "double"}, {"count", 1}}}},
                                   {"operations", {{{"step", "load"}, {"count", 99}}}}}) {
    damaged = plan;
    damaged["program"]["combine"]["legs"][0][key] = value;
    INFO(key << " " << value);
    CHECK(status_of(damaged, "verify") == 2);
  }
  damaged = plan;
  damaged["program"]["ports"][1]["lane"] = 4;
  CHECK(status_of(damaged, "verify") == 2);
  damaged = plan;
  damaged["demand"]["operation"] = "copy";
  CHECK(status_of(damaged, "verify") == 2);
  damaged = plan;
  damaged["program"].erase("combine");
  CHECK(status_of(damaged, "verify") == 2);
  damaged = plan;
  damaged["collective"] = "all-reduce";
  CHECK(status_of(damaged, "verify") == 2);
}

TEST_CASE("reductions are compared", "[cli][reduction]") {
  const ScratchDirectory directory;
  const auto all = report_of(directory, "compare all-reduce --dims 8x8 --words 16 --json");
  REQUIRE(all.at("rows").size() == 20);
  for (const auto& row : all.at("rows")) {
    CHECK(row.at("problems").empty());
    CHECK(row.at("steps") == row.at("steps_formula"));
    if (row.at("algorithm") == "rings") CHECK(row.at("steps") == 14);
    if (row.at("algorithm") == "auto") CHECK(row.at("steps") == 11);
  }
  // The vector decides: 128 words where nothing is said.
  REQUIRE(gossamer(directory, "plan all-reduce --dims 8x8 --algorithm auto -o p.json").status == 0);
  const auto plan = nlohmann::json::parse(file_text(directory.file("p.json")));
  CHECK(plan.at("algorithm") == "hamiltonian");
  CHECK(plan.at("parameters").at("reason") == "fewest steps of: rings 112, hamiltonian 63");
  CHECK(plan.at("parameters").at("gap") == 0);
  const ProgramResult table =
      gossamer(directory, "compare reduce-scatter --topology mesh --dims 4x4");
  CHECK(table.status == 0);
  CHECK_THAT(table.out, Catch::Contains("array") && Catch::Contains("folded"));
  // Words fill links of any width.
  const auto odd = report_of(directory,
                             "compare all-reduce --dims 4x4 --bytes 1KiB --link-bits 100 "
                             "--plans-only --algorithm hamiltonian tree --json");
  for (const auto& row : odd.at("rows")) CHECK(row.at("buildable") == true);
}

}  // namespace
}  // namespace gossamer::testing
