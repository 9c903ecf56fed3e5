// SPDX-License-Identifier: Apache-2.0
/// gossamer plot: figures from results, complete or not at all, with the same bytes in every run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace gossamer::testing {
namespace {

ProgramResult gossamer(const ScratchDirectory& directory, const std::string& arguments) {
  return run_command(directory, std::string("'") + GOSSAMER_PROGRAM + "' " + arguments);
}

void make_results(const ScratchDirectory& directory) {
  write_text(directory.file("spec.yaml"), R"(runs:
  - {collective: gossip, dims: {dimensions: 2, from: 4, to: 7}, algorithm: [hamiltonian, one-packet], engine: [proof, fast]}
  - {collective: broadcast, topology: mesh, dims: [4x4, 8x8], algorithm: [eye, doubling]}
)");
  REQUIRE(gossamer(directory, "sweep spec.yaml -o r.sqlite").status == 0);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST_CASE("plots name every series and its bound", "[cli][plot][sweep]") {
  const ScratchDirectory directory;
  make_results(directory);
  const ProgramResult steps = gossamer(directory, "plot r.sqlite");
  INFO(steps.err);
  REQUIRE(steps.status == 0);
  CHECK(steps.out == "r-steps.svg\n");
  const std::string figure = file_text(directory.file("r-steps.svg"));
  CHECK_THAT(figure, Catch::Contains(">hamiltonian, k = 2<") &&
                         Catch::Contains(">one-packet, k = 1<") &&
                         Catch::Contains(">lower bound<") && Catch::Contains(">nodes<"));
  // Eight measured points in the drawing and a sample in the legend for each of two series.
  CHECK(count(figure, "<use ") >= 10);
  // Dark on screens that ask for it.
  CHECK_THAT(figure, Catch::Contains("@media screen and (prefers-color-scheme: dark)"));

  REQUIRE(
      gossamer(directory, "plot r.sqlite --kind compare --collective broadcast -o c.svg").status ==
      0);
  CHECK_THAT(file_text(directory.file("c.svg")),
             Catch::Contains(">eye<") && Catch::Contains(">doubling<") && Catch::Contains(">8x8<"));
  REQUIRE(gossamer(directory, "plot r.sqlite --kind tcd -o t.svg").status == 0);
  CHECK_THAT(file_text(directory.file("t.svg")),
             Catch::Contains(">broadcast: total communication distance<"));

  REQUIRE(gossamer(directory, "plot r.sqlite -o again.svg").status == 0);
  CHECK(file_text(directory.file("again.svg")) == figure);
  REQUIRE(gossamer(directory, "plot r.sqlite -o f.pdf").status == 0);
  CHECK_THAT(file_text(directory.file("f.pdf")), Catch::StartsWith("%PDF-"));
  REQUIRE(gossamer(directory, "plot r.sqlite -o f.png").status == 0);
  CHECK_THAT(file_text(directory.file("f.png")), Catch::StartsWith("\x89PNG"));
  // spec, results and six figures: nothing else is left.
  CHECK(directory.entries() == 8);
}

TEST_CASE("delays have a bound, and end where the load is not stable", "[cli][plot][sweep]") {
  const ScratchDirectory directory;
  // The limit of this torus is 0.47. Rows of one load, and of two.
  write_text(directory.file("spec.yaml"), R"(runs:
  - collective: dynamic-broadcast
    dims: 8x8
    engine: fast
    options: {load: [0.1, 0.2, 0.4, 0.6, "0.1,0.3"], broadcasts: 5000, interval: [bound, exact]}
)");
  REQUIRE(gossamer(directory, "sweep spec.yaml -o d.sqlite --export d.csv").status == 0);
  const std::string csv = file_text(directory.file("d.csv"));
  CHECK_THAT(csv, Catch::Contains(",load,mean_delay,delay_ci95,delay_bound,stable,"));
  const ProgramResult result = gossamer(directory, "plot d.sqlite --kind delay");
  INFO(result.err);
  REQUIRE(result.status == 0);
  const std::string figure = file_text(directory.file("d-delay.svg"));
  CHECK_THAT(figure, Catch::Contains(">intervals, interval bound<") &&
                         Catch::Contains(">intervals, interval exact<") &&
                         Catch::Contains(">bound on the mean<") && Catch::Contains(">load<"));
  // Both kinds of intervals have the loads 0.1, 0.2, 0.3 and 0.4, and 0.6 is stable for neither:
  // eight markers, with two ends of the confidence interval each, and two samples in the legend.
  CHECK(count(figure, "<use ") - count(figure, "id=\"xtick_") - count(figure, "id=\"ytick_") ==
        8 * 3 + 2);
}

TEST_CASE("the report of a dynamic broadcast is drawn by plot and by simulate --svg",
          "[cli][plot]") {
  const ScratchDirectory directory;
  REQUIRE(
      gossamer(directory,
               "plan dynamic-broadcast --dims 8x8 --load 0.1,0.4,0.9 --broadcasts 5000 -o d.json")
          .status == 0);
  REQUIRE(gossamer(directory, "simulate d.json --report r.json --svg run.svg").status == 0);
  REQUIRE(gossamer(directory, "plot r.json --kind delay").status == 0);
  const std::string figure = file_text(directory.file("r-delay.svg"));
  CHECK(figure == file_text(directory.file("run.svg")));
  CHECK_THAT(figure, Catch::Contains(">dynamic-broadcast: delay against load<") &&
                         Catch::Contains(">bound on the mean<") &&
                         Catch::Contains(">limit of stable loads<"));
  CHECK(gossamer(directory, "simulate d.json --load 0.9 --svg unstable.svg").status == 0);
  CHECK_THAT(file_text(directory.file("unstable.svg")), Catch::Contains(">limit of stable loads<"));

  const ProgramResult other = gossamer(directory, "plot d.json --kind delay");
  CHECK(other.status == 2);
  CHECK(other.err == "gossamer: plot: d.json: not the report of a dynamic broadcast\n");
  write_text(directory.file("matplotlib.py"), "raise ImportError\n");
  const ProgramResult without =
      run_command(directory, std::string("PYTHONPATH=. '") + GOSSAMER_PROGRAM +
                                 "' simulate d.json --csv d.csv --svg d.svg");
  CHECK(without.status == 2);
  CHECK(without.err ==
        "gossamer: plot: python3 has no matplotlib; scripts/setup tests installs it\n");
  // The plan, the report, three figures and the module.
  CHECK(directory.entries() == 6);
}

TEST_CASE("time and energy over bytes, from a sweep as from comparisons", "[cli][plot][sweep]") {
  const ScratchDirectory directory;
  write_text(
      directory.file("s.yaml"),
      "runs:\n  - {collective: [all-reduce, reduce], dims: 4x4, engine: [proof, fast],"
      " options: {bytes: [64, 256, 1KiB]}}\n"
      "  - {collective: all-reduce, dims: 4x4, algorithm: tree, options: {bytes: [64, 256]}}\n");
  REQUIRE(gossamer(directory, "sweep s.yaml -o r.sqlite").status == 0);
  for (const std::string kind : {"time", "energy"}) {
    CAPTURE(kind);
    const ProgramResult result = gossamer(directory, "plot r.sqlite --kind " + kind + " -o f.svg");
    INFO(result.err);
    REQUIRE(result.status == 0);
    const std::string figure = file_text(directory.file("f.svg"));
    CHECK_THAT(figure, Catch::Contains(">all-reduce on the 4x4 torus, 32 bits, 1 GHz<") &&
                           Catch::Contains(">hamiltonian<") && Catch::Contains(">tree<") &&
                           Catch::Contains(">message per node<"));
    // Nobody has a lower bound of energy.
    CHECK((figure.find(">lower bound<") != std::string::npos) == (kind == "time"));
  }
  REQUIRE(gossamer(directory, "plot r.sqlite --kind time --collective reduce -o r.svg").status ==
          0);
  CHECK_THAT(file_text(directory.file("r.svg")), Catch::Contains(">reduce on the 4x4 torus"));
  CHECK(gossamer(directory, "plot r.sqlite --kind time --collective gossip -o g.svg").status == 2);
  CHECK(directory.entries() == 4);
}

TEST_CASE("algorithms are compared with the bound of the task, not of their own rules",
          "[cli][plot][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("s.yaml"),
             "runs:\n  - {collective: broadcast, topology: mesh, dims: [4x4, 8x8], "
             "algorithm: [eye, tree]}\n");
  REQUIRE(gossamer(directory, "sweep s.yaml -o r.sqlite").status == 0);
  REQUIRE(gossamer(directory, "plot r.sqlite --kind compare -o compare.svg").status == 0);
  // The tree takes 14 steps on 8x8, where eye takes 6, the optimum.
  CHECK_THAT(file_text(directory.file("compare.svg")), Catch::Contains(">2.0<"));
  REQUIRE(gossamer(directory, "plot r.sqlite -o steps.svg").status == 0);
  // One bound for both: one dashed line, and its sample in the legend.
  CHECK(count(file_text(directory.file("steps.svg")), "stroke-dasharray") == 2);
}

/// Of each panel, how many different looks its series have: colour and marker. Grey lines without
/// markers are series of other panels.
std::vector<std::size_t> looks_by_panel(const std::string& figure) {
  const std::regex line(
      "<g id=\"line2d_[0-9]+\">\\s*<path d=\"[^\"]*\" clip-path=\"[^\"]*\" style=\"fill: none; "
      "stroke: (#[0-9a-f]{6})[^\"]*\"/>\\s*(?:<defs>[^/]*/>\\s*</defs>\\s*)?<g "
      "clip-path=\"[^\"]*\">\\s*<use xlink:href=\"([^\"]*)\"");
  std::vector<std::size_t> found;
  for (std::size_t at = figure.find("<g id=\"axes_"); at != std::string::npos;) {
    const std::size_t next = figure.find("<g id=\"axes_", at + 1);
    const std::string panel = figure.substr(at, next - at);
    std::set<std::pair<std::string, std::string>> looks;
    for (std::sregex_iterator match(panel.begin(), panel.end(), line), end; match != end; ++match) {
      looks.emplace((*match)[1], (*match)[2]);
    }
    found.push_back(looks.size());
    at = next;
  }
  return found;
}

TEST_CASE("many series all look different, and the legend lists only series with data",
          "[cli][plot][sweep]") {
  const ScratchDirectory directory;
  // 20 series of two points; none of `rows`, which supports odd sides only.
  write_text(
      directory.file("s.yaml"),
      "runs:\n  - {collective: gossip, dims: [4x4, 6x6], algorithm: [hamiltonian, ring, rows, "
      "ring-two-way, one-packet, shared-cycles], options: {}}\n"
      "  - {collective: gossip, dims: [4x4, 6x6], algorithm: [strands, tables, hierarchical, "
      "hierarchical-two-way, multinode-whole, zigzag, scheduled], options: {}}\n"
      "  - {collective: gossip, dims: [4x4, 6x6], algorithm: hamiltonian, options: {packets: "
      "[3, 4, 5, 6, 7, 8, 9, 10]}}\n");
  REQUIRE(gossamer(directory, "sweep s.yaml -o r.sqlite").status == 0);
  REQUIRE(gossamer(directory, "plot r.sqlite -o steps.svg").status == 0);
  const std::string figure = file_text(directory.file("steps.svg"));
  CHECK_THAT(figure, Catch::Contains(">zigzag, k = 1<") && !Catch::Contains(">rows"));
  const std::size_t named = count(figure, ", k = ");
  CHECK(named == 20);
  // The nine of hamiltonian in equal parts, none of another panel in a legend.
  CHECK(looks_by_panel(figure) == std::vector<std::size_t>{4, 8, 8});
  REQUIRE(gossamer(directory, "plot r.sqlite --kind compare -o bars.svg").status == 0);
  CHECK(count(file_text(directory.file("bars.svg")), ", k = ") == named);
}

TEST_CASE("areas are drawn from the benchmark's JSON", "[cli][plot]") {
  const ScratchDirectory directory;
  write_text(directory.file("area.json"), R"({"routers": [
  {"router": "small", "width": 8, "cells": 40, "flops": 36},
  {"router": "small", "width": 16, "cells": 72, "flops": 68},
  {"router": "large", "width": 8, "cells": 268, "flops": 56}
]})");
  const ProgramResult result = gossamer(directory, "plot area.json --kind area");
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(result.out == "area-area.svg\n");
  CHECK_THAT(file_text(directory.file("area-area.svg")),
             Catch::Contains(">small<") && Catch::Contains(">large<") &&
                 Catch::Contains(">flip-flops of these<"));
}

TEST_CASE("time and energy are drawn from comparisons", "[cli][plot]") {
  const ScratchDirectory directory;
  std::string documents;
  for (const std::string bytes : {"64", "256"}) {
    documents += gossamer(directory,
                          "compare all-gather --dims 4x4 --algorithm hamiltonian --json "
                          "--bytes " +
                              bytes)
                     .out;
  }
  write_text(directory.file("bytes.json"), documents);
  for (const std::string kind : {"time", "energy"}) {
    const ProgramResult result = gossamer(directory, "plot bytes.json --kind " + kind);
    INFO(result.err);
    REQUIRE(result.status == 0);
    const std::string figure = file_text(directory.file("bytes-" + kind + ".svg"));
    CHECK_THAT(figure,
               Catch::Contains(">hamiltonian, k = 4<") && Catch::Contains(">wormhole path<"));
    CHECK((figure.find(">lower bound<") != std::string::npos) == (kind == "time"));
  }
}

TEST_CASE("cycles of elastic plans are drawn over latency and over stalls", "[cli][plot][sweep]") {
  const ScratchDirectory directory;
  write_text(directory.file("e.yaml"), R"(runs:
  - collective: gossip
    dims: 4x4
    algorithm: hamiltonian
    engine: fast
    options: {elastic: true, flits: 8, chunk: [1, 4], link-latency: ["1", "x=1,wrap-x=5,y=2", folded-layout, "8"]}
    stall: [none, "random:1:256,192,256", "random:2:256,128,128"]
)");
  REQUIRE(gossamer(directory, "sweep e.yaml -o e.sqlite").status == 0);
  for (const std::string kind : {"latency", "stall"}) {
    const ProgramResult result = gossamer(directory, "plot e.sqlite --kind " + kind);
    INFO(result.err);
    REQUIRE(result.status == 0);
  }
  const std::string latency = file_text(directory.file("e-latency.svg"));
  // A series a chunk and script; means of 1, 2 (twice) and 8 cycles.
  CHECK_THAT(latency, Catch::Contains(">hamiltonian, chunk 1<") &&
                          Catch::Contains(">hamiltonian, chunk 4, stall random:2:256,128,128<") &&
                          Catch::Contains(">mean latency of a link, cycles<") &&
                          Catch::Contains(">lower bound<"));
  const auto markers = [](const std::string& figure) {
    return count(figure, "<use ") - count(figure, "id=\"xtick_") - count(figure, "id=\"ytick_");
  };
  // Six series of three means, four runs and a sample in the legend each.
  CHECK(markers(latency) == 6 * (3 + 4 + 1));
  const std::string stall = file_text(directory.file("e-stall.svg"));
  CHECK_THAT(stall, Catch::Contains(">hamiltonian, chunk 4, link-latency folded-layout<") &&
                        Catch::Contains(">part of the cycles in which a gate is closed<"));
  // Eight series: open, 1/4 and 3/4 closed.
  CHECK(markers(stall) == 8 * (3 + 3 + 1));
}

TEST_CASE("data that cannot be drawn is refused and leaves no file", "[cli][plot][sweep]") {
  const ScratchDirectory directory;
  make_results(directory);
  write_text(directory.file("letter.sqlite"), "Dear Sir or Madam, this is a file of another kind.");
  const auto refused = [&directory](const std::string& arguments, const std::string& part) {
    const ProgramResult result = gossamer(directory, "plot " + arguments);
    INFO(arguments << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_THAT(result.err, Catch::StartsWith("gossamer: ") && Catch::Contains(part));
    CHECK(directory.entries() == 3);
  };
  refused("none.sqlite", "none.sqlite");
  refused("letter.sqlite", "not a database");
  refused("r.sqlite --kind pie", "pie");
  refused("r.sqlite -o f.bmp", ".svg, .pdf or .png");
  refused("r.sqlite -o nowhere/f.svg", "nowhere");
  refused("r.sqlite --collective prefix", "no rows of prefix; there is broadcast, gossip");
  refused("r.sqlite --kind tcd --collective gossip", "no rows of gossip");
  refused("r.sqlite --kind latency", "no row of gossip is of an elastic plan");
  refused("r.sqlite --kind delay", "no measured rows with points");
  refused("r.sqlite --kind area", "not the JSON of bench/rtl_area");
  refused("r.sqlite --kind timeline", "not the JSON of gossamer workload");
  refused("r.sqlite --kind time", "no measured rows with bytes");
  write_text(directory.file("letter.sqlite"), "{}");
  refused("letter.sqlite --kind time", "not what gossamer compare --bytes --json prints");
  refused("r.sqlite --kind area --collective gossip", "--collective");
  refused("r.sqlite --kind energy --collective gossip", "no measured rows with bytes");
}

}  // namespace
}  // namespace gossamer::testing
