// SPDX-License-Identifier: Apache-2.0
/// gossamer map, as its users call it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gossamer_program.hpp"

namespace gossamer::testing {
namespace {

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST_CASE("map tcd is the 2-D paper's Figure 2, entry for entry, in every format", "[cli][map]") {
  const std::vector<int> figure{79, 76, 74, 76, 74, 74, 75, 79, 75, 72, 71, 73, 70, 70, 72, 76,
                                74, 70, 69, 70, 70, 69, 71, 74, 74, 70, 70, 71, 71, 70, 73, 76,
                                76, 73, 70, 71, 71, 70, 70, 74, 74, 71, 69, 70, 70, 69, 70, 74,
                                76, 72, 70, 70, 73, 71, 72, 75, 79, 75, 74, 74, 76, 74, 76, 79};
  const ScratchDirectory directory;
  const std::string request = "map tcd --dims 8x8 --algorithm figure2 ";

  const auto json = nlohmann::json::parse(gossamer(directory, request + "--json").out);
  CHECK(json["tcd"] == nlohmann::json(figure));
  CHECK(json["eyes"] == nlohmann::json{18, 21, 42, 45});
  CHECK(json["sum"] == 4656);

  const ProgramResult text = gossamer(directory, request);
  REQUIRE(text.status == 0);
  std::istringstream words(text.out);
  for (const int entry : figure) {
    std::string word;
    words >> word;
    CHECK(std::stoi(word) == entry);
    CHECK((word.back() == '*') == (entry == 69));
  }
  CHECK_THAT(text.out, Catch::Contains("minimum 69, maximum 79, sum 4656"));

  REQUIRE(gossamer(directory, request + "-o map.csv").status == 0);
  std::istringstream csv(file_text(directory.file("map.csv")));
  std::string line;
  std::getline(csv, line);
  CHECK(line == "x,y,tcd,eye");
  for (int node = 0; node < 64; ++node) {
    std::getline(csv, line);
    const int entry = figure[static_cast<std::size_t>(node)];
    CHECK(line == std::to_string(node % 8) + "," + std::to_string(node / 8) + "," +
                      std::to_string(entry) + "," + (entry == 69 ? "1" : "0"));
  }

  REQUIRE(gossamer(directory, request + "--output map.svg").status == 0);
  const std::string svg = file_text(directory.file("map.svg"));
  CHECK_THAT(svg, Catch::StartsWith("<svg") && Catch::EndsWith("</svg>\n"));
  CHECK(occurrences(svg, "<rect class=\"c\"") == 64);
  CHECK(occurrences(svg, "class=\"eye\"") == 4);
  std::size_t at = 0;
  for (int node = 0; node < 64; ++node) {
    const std::string title = "<title>(" + std::to_string(node % 8) + "," +
                              std::to_string(node / 8) + ") " +
                              std::to_string(figure[static_cast<std::size_t>(node)]) + "</title>";
    at = svg.find(title, at);
    CAPTURE(title);
    REQUIRE(at != std::string::npos);
  }
  CHECK(directory.entries() == 2);
}

TEST_CASE("map tcd draws the sources that an algorithm cannot serve as gaps", "[cli][map]") {
  const ScratchDirectory directory;
  const ProgramResult svg = gossamer(directory, "map tcd --dims 4x8 --format svg");
  REQUIRE(svg.status == 0);
  // 28 cells and the legend.
  CHECK(occurrences(svg.out, "fill=\"url(#none)\"") == 29);
  const auto json = nlohmann::json::parse(gossamer(directory, "map tcd --dims 4x8 --json").out);
  CHECK(json["tcd"][0].is_null());
  CHECK(json["tcd"][9] == 33);
}

TEST_CASE("the pictures of all sizes are well-formed XML", "[cli][map]") {
  const ScratchDirectory directory;
  for (const std::string dims : {"2", "4x4", "32x32", "128x2", "4x4x4", "2x2x2x2x2"}) {
    CAPTURE(dims);
    REQUIRE(gossamer(directory, "map tcd --dims " + dims + " -o m.svg").status == 0);
    CHECK(run_command(directory,
                      "/usr/bin/python3 -c 'import xml.dom.minidom as m; "
                      "m.parse(\"m.svg\")'")
              .status == 0);
  }
}

TEST_CASE("map refuses bad requests in one line", "[cli][map]") {
  check_refusal("map", 2, "subcommand");
  check_refusal("map tcd", 2, "--dims");
  check_refusal("map tcd --dims 8x8 --algorithm none", 2, "there is eye");
  check_refusal("map tcd --dims 8x8 --format png", 2, "there is text");
  check_refusal("map tcd --dims 8x8 -o nowhere/m.svg", 2, "nowhere/m.svg");
  check_refusal("map tcd --dims 6x6 --algorithm eye -o m.svg", 3, "power of two");
  check_refusal("map tcd --dims 4x4 --wrap y", 3, "--algorithm min-tcd");
  check_refusal("map tcd --dims 4x3 --algorithm doubling --dead-arc 2,2:x-", 3,
                "--algorithm pairing");
  check_refusal("map tcd --dims 8x8 --topology torus --algorithm figure2", 3, "mesh");
}

}  // namespace
}  // namespace gossamer::testing
