// SPDX-License-Identifier: Apache-2.0
/// gossamer view as a command; tests/viewer tests the contents of the page.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace gossamer::testing {
namespace {

ProgramResult gossamer(const ScratchDirectory& directory, const std::string& arguments) {
  return run_command(directory, std::string("'") + GOSSAMER_PROGRAM + "' " + arguments);
}

/// The JSON array inside a page.
nlohmann::json documents(const std::string& page) {
  const std::string begin = "<script id=\"plans\" type=\"application/json\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST_CASE("a page holds the plans, and refers to nothing outside", "[cli][view]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o a.json").status == 0);
  REQUIRE(gossamer(directory, "plan gossip --dims 5x3 -o b.cbor").status == 0);
  REQUIRE(gossamer(directory, "plan gossip --dims 5x3 -o b.json").status == 0);
  REQUIRE(gossamer(directory, "view a.json b.cbor -o v.html").status == 0);
  const std::string page = file_text(directory.file("v.html"));
  const auto found = documents(page);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["plan"] == nlohmann::json::parse(file_text(directory.file("a.json"))));
  CHECK(found[1]["plan"] == nlohmann::json::parse(file_text(directory.file("b.json"))));
  CHECK(found[0]["steps"] == 8);
  CHECK_FALSE(found[0].contains("trace"));
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("<link") == std::string::npos);
  CHECK(page.find("@import") == std::string::npos);
  CHECK(gossamer(directory, "view a.json b.json -o -").out == page);
}

TEST_CASE("a broadcast's page holds the trace that simulate writes", "[cli][view]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan broadcast --topology mesh --dims 8x8 -o p.json").status == 0);
  REQUIRE(gossamer(directory, "simulate p.json --trace t.csv").status == 0);
  REQUIRE(gossamer(directory, "view p.json -o v.html").status == 0);
  std::string rows;
  const auto found = documents(file_text(directory.file("v.html")));
  for (const auto& number : found[0]["trace"]) {
    rows += number.dump() + ",";
  }
  std::string expected = file_text(directory.file("t.csv"));
  expected.erase(0, expected.find('\n') + 1);
  std::replace(expected.begin(), expected.end(), '\n', ',');
  CHECK(rows == expected);
}

TEST_CASE("a reduction's page holds the trace, the contributions, and the times of results",
          "[cli][view]") {
  const ScratchDirectory directory;
  struct Case {
    const char* request;
    /// Results that all nodes get together, and the last step.
    std::size_t results;
  };
  for (const Case& each :
       {Case{"all-reduce --dims 4x3", 2 * 12 * 12}, Case{"reduce-scatter --dims 4x3", 2 * 12},
        Case{"reduce --dims 4x3 --source 2,1", 1}, Case{"barrier --dims 4x3", 12},
        Case{"all-reduce --dims 4x4 --algorithm partners", 16},
        Case{"all-reduce --topology mesh --dims 4x3 --algorithm tree --words 5", 5 * 12},
        Case{"reduce --topology mesh --dims 4x3 --algorithm disjoint-trees --words 6", 6}}) {
    CAPTURE(each.request);
    REQUIRE(gossamer(directory, std::string("plan ") + each.request + " -o p.json").status == 0);
    const auto report =
        nlohmann::json::parse(gossamer(directory, "simulate p.json --trace t.csv --json").out);
    REQUIRE(gossamer(directory, "view p.json -o v.html").status == 0);
    const auto found = documents(file_text(directory.file("v.html")))[0];
    std::string rows;
    REQUIRE(found["trace"].size() == 5 * found["terms"].size());
    for (std::size_t row = 0; row < found["terms"].size(); ++row) {
      for (std::size_t i = 0; i < 5; ++i) rows += found["trace"][5 * row + i].dump() + ",";
      rows += found["terms"][row].dump() + "\n";
    }
    const std::string trace = file_text(directory.file("t.csv"));
    CHECK(rows == trace.substr(trace.find('\n') + 1));
    const auto& learned = found["learned"];
    CHECK(learned.size() == 2 * each.results);
    CHECK(learned[learned.size() - 2] == report["steps"]);
  }
}

TEST_CASE("an elastic page shows the first cycle in which each flit could have been taken",
          "[cli][view]") {
  const ScratchDirectory directory;
  const auto page_of = [&directory](const std::string& request, const std::string& options) {
    REQUIRE(gossamer(directory, "plan " + request + " -o p.json").status == 0);
    REQUIRE(gossamer(directory, "view p.json -o v.html" + options).status == 0);
    return documents(file_text(directory.file("v.html")))[0];
  };
  const auto waited = [](const nlohmann::json& page) {
    std::uint64_t cycles = 0;
    for (std::size_t row = 0; row < page["since"].size(); ++row) {
      const std::uint64_t taken = page["trace"][5 * row];
      CHECK(page["since"][row] <= taken);
      cycles += taken - page["since"][row].get<std::uint64_t>();
    }
    return cycles;
  };
  for (const std::string collective : {"all-gather", "all-reduce"}) {
    CAPTURE(collective);
    // With chunks as long as links, and without stalls, no flit waits.
    const std::string request =
        collective + " --dims 4x4 --elastic --flits 4 --chunk 2 --link-latency 2";
    const auto calm = page_of(request, "");
    CHECK(calm["trace"].size() == 5 * calm["since"].size());
    CHECK(calm["flits"].size() == calm["since"].size());
    CHECK(waited(calm) == 0);
    const auto stalled = page_of(request, " --stall random:1:256,128,256");
    CHECK(stalled["stall"] == "random:1:256,128,256");
    CHECK(stalled["flits"].size() == calm["flits"].size());
    CHECK(waited(stalled) > 0);
  }
}

TEST_CASE("a plan's own text cannot end the page's script", "[cli][view]") {
  const ScratchDirectory directory;
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  auto plan = nlohmann::json::parse(file_text(directory.file("p.json")));
  plan["parameters"]["note"] = "</script><script>alert(1)</script><!--";
  write_text(directory.file("p.json"), plan.dump());
  REQUIRE(gossamer(directory, "view p.json -o v.html").status == 0);
  const std::string page = file_text(directory.file("v.html"));
  CHECK(page.find("alert(1)</script>") == std::string::npos);
  CHECK(documents(page)[0]["plan"]["parameters"] == plan["parameters"]);
}

TEST_CASE("plans that the page cannot show are refused", "[cli][view]") {
  const ScratchDirectory directory;
  const auto refused = [&directory](const std::string& arguments, const std::string& part) {
    const ProgramResult result = gossamer(directory, "view " + arguments);
    INFO(arguments << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_THAT(result.err, Catch::Contains(part));
    CHECK(!std::filesystem::exists(directory.file("v.html")));
  };
  REQUIRE(gossamer(directory, "plan gossip --dims 4x4 -o p.json").status == 0);
  REQUIRE(gossamer(directory, "plan gossip --dims 300x300 -o large.json").status == 0);
  REQUIRE(gossamer(directory, "plan gossip --dims 240x240 -o much.json").status == 0);
  REQUIRE(gossamer(directory,
                   "plan broadcast --topology mesh --dims 2048x2048 --algorithm eye -o b.json")
              .status == 0);
  auto plan = nlohmann::json::parse(file_text(directory.file("p.json")));
  plan["expected"]["analytic_steps"] = 2'000'000;
  write_text(directory.file("long.json"), plan.dump());
  refused("", "plans");
  refused("p.json", "--output");
  refused("p.json p.json p.json -o v.html", "3 given, at most 2 possible");
  refused("none.json -o v.html", "none.json");
  refused("large.json -o v.html", "large.json: the page draws up to 65536 nodes, not 90000");
  refused("much.json -o v.html", "much.json: the packets of all nodes");
  refused("long.json -o v.html", "long.json: the page plays up to 1000000 steps, not 2000000");
  refused("b.json -o v.html", "b.json: the page draws up to 65536 nodes, not 4194304");
  REQUIRE(gossamer(directory, "plan dynamic-broadcast --dims 4x4 --load 0.3 -o d.json").status ==
          0);
  refused("p.json --load 0.3 -o v.html", "for dynamic-broadcast experiments only");
  refused("p.json --stall random:1:128,128,128 -o v.html", "these routers do not support stalls");
  refused("d.json --load 0.3,0.4 -o v.html", "one utilization is expected");
  refused("d.json --load x -o v.html", "\"x\" is not a number");
}

}  // namespace
}  // namespace gossamer::testing
