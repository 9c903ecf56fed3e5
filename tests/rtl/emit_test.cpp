// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/emit/buildable.hpp"
#include "gossamer/emit/emit.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "hand_plan.hpp"

namespace {

using gossamer::emit_files;
using gossamer::EmittedFile;
using gossamer::InfeasibleError;
using gossamer::InputError;
using gossamer::Plan;
using gossamer::test::even_even_plan;

std::string contents(const std::vector<EmittedFile>& files, const std::string& name) {
  for (const EmittedFile& file : files) {
    if (file.name == name) return file.contents;
  }
  FAIL("no file " << name);
  return {};
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("every format gives the same bytes twice", "[emit][rtl]") {
  for (const gossamer::EmitFormat& format : gossamer::emit_formats()) {
    // Those that take the planner's own plans only are tested by check_formats.py.
    if (format.name == "sv-rule" || format.name == "sv-rank") continue;
    // Timetables and relays only; below.
    if (format.name == "sv-stream") continue;
    // Workloads only; tests/cli/workload_traces_test.py.
    if (format.name == "astra-sim") continue;
    const Plan plan = gossamer::test::flood_first_plan(4, 4);
    CHECK(emit_files(plan, format.name) == emit_files(plan, format.name));
  }
}

TEST_CASE("csv names feeds, switch step and own packets of each out-port", "[emit][rtl]") {
  const std::string text =
      contents(emit_files(gossamer::test::flood_first_plan(4, 4), "csv"), "tables.csv");
  CHECK(lines(text) == 1 + 16 * 4);
  // Column 0 pairs x- with y+ and x+ with y-; the first walk leaves node 0 by x+.
  CHECK(text.find("\n0,x-,y+,x- x+ y- y+,3,1\n") != std::string::npos);
  CHECK(text.find("\n0,x+,y-,x- x+ y- y+,3,0\n") != std::string::npos);
}

TEST_CASE("csv of a mesh has no ports beyond its border", "[emit][rtl]") {
  const std::string text =
      contents(emit_files(gossamer::test::mesh_flood_plan(3, 3), "csv"), "tables.csv");
  CHECK(lines(text) == 1 + 2 * 12);
  CHECK(text.find("\n0,x+,y+,,0,0\n") != std::string::npos);
  CHECK(text.find("\n0,x-") == std::string::npos);
}

TEST_CASE("memh images have one word for each out-port", "[emit][rtl]") {
  const auto files = emit_files(gossamer::test::double_packet_plan(4, 4), "memh");
  CHECK(files.size() == 5);
  for (const EmittedFile& file : files) CHECK(lines(file.contents) == 3 + 16 * 4);
  // Out-port 0 of node 0 is fed by in-port 3 and sends two packets.
  CHECK(contents(files, "feed.memh").find(".\n8\n") != std::string::npos);
  CHECK(contents(files, "preload_length.memh").find(".\n0002\n") != std::string::npos);
  CHECK(contents(files, "preload.memh").find(".\n00020003\n") != std::string::npos);
}

TEST_CASE("dot colours the links of two Hamiltonian cycles with two colours", "[emit][rtl]") {
  const std::string text = contents(emit_files(even_even_plan(6, 4), "dot"), "network.dot");
  const auto count = [&](const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      ++found;
    }
    return found;
  };
  CHECK(count(" -> ") == 24 * 4);
  CHECK(count("#1f77b4") == 24 * 2);
  CHECK(count("#d62728") == 24 * 2);
}

TEST_CASE("plans that a format cannot express are refused", "[emit][rtl]") {
  Plan plan = even_even_plan(4, 4);
  CHECK_THROWS_AS(emit_files(plan, "vhdl"), InputError);
  plan.expected.analytic_steps.reset();
  CHECK_THROWS_AS(emit_files(plan, "sv"), InfeasibleError);
  plan = even_even_plan(4, 4);
  plan.expected.queue_depth = 65536;
  CHECK_THROWS_AS(emit_files(plan, "sv"), InfeasibleError);
  CHECK_THROWS_AS(emit_files(even_even_plan(256, 258), "sv"), InfeasibleError);
  // A bit per link.
  CHECK_THROWS_WITH(emit_files(even_even_plan(128, 130), "sv"),
                    Catch::Contains("port link_valid_o of gsm_fabric has 66560 bits"));
}

TEST_CASE("no port of data grows with the number of nodes", "[emit][rtl]") {
  // Four ports of 32 bits at 512 nodes are the widest port that every tool takes.
  const auto top = [](std::uint32_t x, std::uint32_t y) {
    return contents(emit_files(even_even_plan(x, y), "sv"), "gsm_fabric.sv");
  };
  const std::string flat = top(16, 32);
  CHECK(flat == top(4, 4));
  const std::string split = top(18, 30);
  for (const char* text :
       {"] own_data_i,", "] deliver_data_o,", "] link_data_o,", " own_data_i["}) {
    INFO(text);
    CHECK(flat.find(text) != std::string::npos);
    CHECK(split.find(text) == std::string::npos);
  }
  for (const char* text : {"  input logic [gsm_plan_pkg::OwnWords*Width-1:0] n539_own_data_i,",
                           "  assign node_own_data[539] = n539_own_data_i;",
                           "  assign n539_deliver_data_o = node_deliver_data[539];",
                           "  assign n539_link_data_o = node_link_data[539];"}) {
    INFO(text);
    CHECK(split.find(text) != std::string::npos);
  }
}

TEST_CASE("relay reductions are emitted with their lists, and long ones with streams",
          "[emit][rtl]") {
  const auto planned = [](std::vector<std::uint32_t> sides, std::int64_t flits) {
    return gossamer::make_plan(
        {gossamer::Topology::make("mesh", sides), "all-reduce", "eye", {{"flits", flits}}, {}});
  };
  const std::string package = contents(emit_files(planned({8, 8}, 3), "sv"), "gsm_plan_pkg.sv");
  // Straight paths of up to three links, twelve steps, six of which add; flits are words.
  for (const char* text : {"int Segments = 1;", "int HopBits = 2;", "int Steps = 12;",
                           "int AddingSteps = 6;", "int Duplex = 0;", "int OwnWords = 3;"}) {
    INFO(text);
    CHECK(package.find(text) != std::string::npos);
  }
  // 65,536 bits of own words in 256 nodes, and one word more.
  const auto streams = [&planned](std::int64_t flits) {
    return contents(emit_files(planned({16, 16}, flits), "sv"), "gsm_plan_pkg.sv")
               .find("int Streams = 1;") != std::string::npos;
  };
  CHECK_FALSE(streams(8));
  CHECK(streams(9));
  // The ports of a tile are the same for every message.
  const auto tile = [&planned](std::int64_t flits) {
    const auto files = emit_files(planned({4, 4}, flits), "sv-stream");
    return contents(files, "gsm_tile.sv") + contents(files, "gsm_fabric.sv");
  };
  CHECK(tile(1) == tile(4096));
  CHECK(gossamer::unbuildable_reason(planned({4, 4}, 4096)).empty());
  // A broadcast whose further stretches alone would fit a header.
  gossamer::RelayProgram program(0);
  gossamer::RelayPath path;
  for (int i = 0; i < 16; ++i) path.push_back({gossamer::make_port(0, i % 2 == 0), 32767});
  program.add_send(0, path);
  program.end_step();
  Plan far = gossamer::make_broadcast_plan(
      gossamer::Topology::mesh(std::vector<std::uint32_t>{32768, 2}), "min-tcd", program);
  far.expected.analytic_cycles = 1;
  CHECK_THROWS_WITH(emit_files(far, "sv"),
                    Catch::Contains("a path of 16 stretches does not fit a header"));
}

TEST_CASE(
    "tiles with streams have the same ports for every message, and the bits of the comparison",
    "[emit][rtl]") {
  const auto planned = [](std::int64_t words, const char* algorithm = "three-trees") {
    return gossamer::make_plan({gossamer::Topology::mesh(std::vector<std::uint32_t>{8, 8}),
                                "all-reduce",
                                algorithm,
                                {{"words", words}},
                                {}});
  };
  // The widths of the ports, without the counters of a round.
  const auto ports = [](const Plan& plan) {
    const auto files = emit_files(plan, "sv-stream");
    std::string text;
    for (const EmittedFile& file : files) {
      if (file.name == "gsm_tile.sv" || file.name == "gsm_fabric.sv") text += file.contents;
    }
    const std::string package = contents(files, "gsm_plan_pkg.sv");
    for (const char* name : {"OwnStreams", "Delivers", "Width", "Ports"}) {
      const std::size_t at = package.find("localparam int " + std::string(name) + " = ");
      REQUIRE(at != std::string::npos);
      text += package.substr(at, package.find(';', at) - at);
    }
    return text;
  };
  const Plan plan = planned(1024);
  CHECK(ports(plan) == ports(planned(32)));
  CHECK(ports(plan) == ports(planned(262144)));
  CHECK(emit_files(plan, "sv-stream") == emit_files(plan, "sv-stream"));
  // Flat ports up to 32 words of 64 nodes, streams beyond; a ROM of a period, not of a message.
  CHECK(contents(emit_files(planned(32), "sv"), "gsm_plan_pkg.sv")
            .find("localparam int Streams = 0;") != std::string::npos);
  for (const std::int64_t words : {32, 33, 262144}) {
    CAPTURE(words);
    const Plan message = planned(words, words > 33 ? "packing" : "three-trees");
    CHECK(gossamer::unbuildable_reason(message).empty());
    const std::string package = contents(emit_files(message, "sv"), "gsm_plan_pkg.sv");
    CHECK((package.find("localparam int Streams = 1;") != std::string::npos) == (words > 32));
    const std::uint64_t bits = message.machine().cost(message).rom_bits;
    CHECK(package.find("function automatic logic [" + std::to_string(bits) + "-1:0] timetable") !=
          std::string::npos);
    CHECK(bits < 500);
    const std::size_t at = package.find(": timetable = ");
    CHECK(package.substr(at + 14, package.find('\'', at) - at - 14) == std::to_string(bits));
  }
  // Packets of several flits have flat ports only.
  Plan serial = planned(32);
  serial.program.edit<gossamer::TimetableProgram>().flits = 2;
  CHECK_THROWS_WITH(emit_files(serial, "sv-stream"), Catch::Contains("packets of several flits"));
}

TEST_CASE("schedules and frames are emitted as SystemVerilog and as tables", "[emit][rtl]") {
  const auto planned = [](const char* kind, std::vector<std::uint32_t> sides,
                          const char* collective, const char* algorithm) {
    return gossamer::make_plan(
        {gossamer::Topology::make(kind, sides), collective, algorithm, {}, {}});
  };
  const Plan schedule = planned("torus", {4, 4}, "gossip", "scheduled");
  const std::string rom = contents(emit_files(schedule, "sv"), "gsm_plan_pkg.sv");
  // Four steps of eight fields; step 1 sends the own packet by all four ports.
  const auto& program = schedule.program.as<gossamer::TimetableProgram>();
  CHECK(rom.find("localparam int Words = 4;") != std::string::npos);
  CHECK(rom.find("localparam int Slots = " + std::to_string(program.slots()) + ";") !=
        std::string::npos);
  CHECK(rom.find("function automatic logic [" +
                 std::to_string(program.format().rom_bits(program.ports())) + "-1:0] timetable") !=
        std::string::npos);
  const Plan folded = planned("mesh", {3, 3}, "gossip", "folded");
  const std::string tables = contents(emit_files(folded, "sv"), "gsm_plan_pkg.sv");
  CHECK(tables.find("localparam int Frame = 2;") != std::string::npos);
  // docs/plan-format.md: node 0 of a line sends nothing towards its border.
  CHECK(contents(emit_files(folded, "csv"), "tables.csv").find("\n0,x+/1,") != std::string::npos);
  CHECK(contents(emit_files(folded, "csv"), "network.csv").find("\nframe,2\n") !=
        std::string::npos);
  const std::string roms = contents(emit_files(schedule, "csv"), "roms.csv");
  CHECK(lines(roms) == 1 + 4 * program.steps());
  CHECK(roms.find("rom,step,port,send,store\n0,1,x-,own 0,") == 0);
  CHECK(lines(contents(emit_files(schedule, "memh"), "roms.memh")) == 4 + program.steps());
  for (const char* format : {"dot", "graphml"}) {
    CHECK_THROWS_AS(emit_files(schedule, format), InputError);
    CHECK_THROWS_AS(emit_files(folded, format), InputError);
  }
  for (const Plan& plan : {schedule, folded}) {
    CHECK(contents(emit_files(plan, "systemc"), "gsm_network.hpp").find("gsm_routers.hpp") !=
          std::string::npos);
  }
  // A ROM of more bits than a literal may have, and routers of another kind.
  CHECK_THROWS_AS(emit_files(planned("torus", {100, 100}, "gossip", "scheduled"), "sv"),
                  InfeasibleError);
  CHECK_THROWS_AS(emit_files(planned("torus", {8, 8}, "broadcast", "eye"), "memh"), InputError);
}

TEST_CASE("a broadcast's header is as narrow as its plan allows", "[emit][rtl]") {
  const auto package = [](const char* kind, std::vector<std::uint32_t> sides, const char* algorithm,
                          std::map<std::string, gossamer::ParameterValue> options) {
    const Plan plan = gossamer::make_plan(
        {gossamer::Topology::make(kind, sides), "broadcast", algorithm, std::move(options), {}});
    return contents(emit_files(plan, "sv"), "gsm_plan_pkg.sv");
  };
  const auto has = [](const std::string& text, const std::string& name, int value) {
    return text.find("localparam int " + name + " = " + std::to_string(value) + ";") !=
           std::string::npos;
  };
  // docs/spec/broadcast.md, section 9: 3 bits of step; links less one, 0..2, and two side bits on a
  // torus.
  const std::string mesh = package("mesh", {8, 8}, "eye", {{"source", std::string("2,2")}});
  CHECK_FALSE(has(mesh, "EntriesMax", 1));
  CHECK(has(mesh, "StepBits", 3));
  CHECK(has(mesh, "HopBits", 2));
  CHECK(has(mesh, "HeaderBits", 5));
  CHECK(has(package("torus", {8, 8}, "eye", {}), "HeaderBits", 7));
  CHECK(has(package("torus", {16, 16}, "eye", {}), "StepBits", 3));
  // Only the source has a list, of one send a step.
  const std::string corner = package("mesh", {8, 8}, "eye", {});
  CHECK(has(corner, "EntriesMax", 6));
  CHECK(package("mesh", {5, 3}, "tree", {}).find("HeaderBits") == std::string::npos);

  Plan plan =
      gossamer::make_plan({gossamer::Topology::make("mesh", std::vector<std::uint32_t>{4, 4}),
                           "broadcast",
                           "eye",
                           {},
                           {}});
  plan.expected.analytic_cycles.reset();
  CHECK_THROWS_AS(emit_files(plan, "sv"), InfeasibleError);
}

TEST_CASE("a name prefixes all modules of the plan and none of the library", "[emit][rtl]") {
  const Plan plan = even_even_plan(4, 4);
  const auto own = emit_files(plan, "sv");
  const auto named = emit_files(plan, "sv", {.name = "left_2"});
  REQUIRE(own.size() == named.size());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == named[i]) continue;
    ++changed;
    CHECK(named[i].name == "left_2" + own[i].name.substr(3));
    CHECK(named[i].contents.find("gsm_fabric") == std::string::npos);
    CHECK(named[i].contents.find("gsm_plan_pkg") == std::string::npos);
  }
  // Package, tile, fabric, testbench, its expected values, file list.
  CHECK(changed == 6);
  CHECK(emit_files(plan, "csv", {.name = "left"})[0].name == "left_tables.csv");
  for (const char* bad : {"1st", "a-b", "_a", "a b", "a/b"}) {
    CHECK_THROWS_AS(emit_files(plan, "sv", {.name = bad}), InputError);
  }
}

TEST_CASE("a network too large to simulate is emitted without a testbench", "[emit][rtl]") {
  const auto has_testbench = [](const Plan& plan) {
    for (const EmittedFile& file : emit_files(plan, "sv")) {
      if (file.name == "gsm_fabric_tb.sv") return true;
    }
    return false;
  };
  CHECK(has_testbench(even_even_plan(16, 16)));
  // 1998 cycles, of 4000 links and deliveries each.
  const std::vector<std::uint32_t> line{1000};
  CHECK_FALSE(has_testbench(gossamer::make_plan(
      {gossamer::Topology::make("mesh", line), "gossip", "array", {{"packets", 2}}, {}})));
}

TEST_CASE("files appear in full or not at all", "[emit][rtl]") {
  const std::filesystem::path directory = "emit_test_files";
  std::filesystem::remove_all(directory);
  const std::vector<EmittedFile> files{{"a", "one\n"}, {"b", "two\n"}};
  CHECK(gossamer::write_files(files, directory).size() == 2);
  std::stringstream text;
  text << std::ifstream(directory / "b").rdbuf();
  CHECK(text.str() == "two\n");

  // The second file cannot be written: it has the name of a folder below the first one.
  const std::vector<EmittedFile> impossible{{"a", "one\n"}, {"a/b", "two\n"}};
  std::filesystem::remove(directory / "a");
  std::filesystem::remove(directory / "b");
  CHECK_THROWS_AS(gossamer::write_files(impossible, directory), InputError);
  CHECK(std::filesystem::is_empty(directory));
  CHECK_THROWS_AS(gossamer::write_files(impossible, directory / "new" / "one"), InputError);
  CHECK(std::filesystem::is_empty(directory));
  CHECK_THROWS_AS(gossamer::write_files(files, "/dev/null/here"), InputError);
  std::filesystem::remove_all(directory);
}
