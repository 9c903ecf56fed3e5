// SPDX-License-Identifier: Apache-2.0
/// Bytes, cycles, seconds and joules: the rules, the bounds, and the same bytes side by side.
#include "gossamer/report/physical.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "gossamer/compare/physical.hpp"
#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/proof.hpp"

namespace gossamer {
namespace {

using Parameters = std::map<std::string, ParameterValue>;

Plan plan_for(const Topology& topology, const char* collective, const Parameters& parameters,
              const char* algorithm = "") {
  return make_plan({topology, collective, algorithm, parameters, {}});
}

Topology torus(const std::vector<std::uint32_t>& sides) { return Topology::torus(sides); }
Topology mesh(const std::vector<std::uint32_t>& sides) { return Topology::mesh(sides); }

const PhysicalComparisonRow& row_of(const PhysicalComparison& comparison, const std::string& name,
                                    std::uint64_t packets) {
  for (const PhysicalComparisonRow& row : comparison.rows) {
    if (row.algorithm == name && row.packets_per_node == packets) return row;
  }
  throw std::out_of_range(name);
}

TEST_CASE("a message has the number of flits of its bytes", "[physical]") {
  CHECK(PhysicalQuantities{1, 32, 1}.flits() == 1);
  CHECK(PhysicalQuantities{4, 32, 1}.flits() == 1);
  CHECK(PhysicalQuantities{5, 32, 1}.flits() == 2);
  CHECK(PhysicalQuantities{5, 1, 1}.flits() == 40);
  CHECK(PhysicalQuantities{7, 24, 1}.flits() == 3);
}

TEST_CASE("an architect's example: 64 KiB per node on 8x8, 128 bits, 1 GHz", "[physical]") {
  Parameters asked{{"bytes", std::string("64KiB")},
                   {"link-bits", std::int64_t{128}},
                   {"clock", std::string("1GHz")},
                   {"packets", std::int64_t{4}}};
  const Report four = prove(plan_for(torus({8, 8}), "gossip", asked), {});
  REQUIRE(four.problems.empty());
  CHECK(four.steps == 63);
  CHECK(four.cycles == 64512);
  CHECK(four.analytic_cycles == 64512);
  const PhysicalFigures& figures = *four.physical;
  CHECK(figures.packet_flits == 1024);
  CHECK(figures.step_cycles == 1024);
  CHECK(figures.lower_bound_cycles == 64512);
  CHECK(figures.fraction_of_bound() == 1.0);
  CHECK(figures.utilization() == 1.0);
  CHECK(*figures.seconds() == Approx(64.512e-6));
  CHECK(*figures.node_bytes_per_second() == Approx(65536 / 64.512e-6));
  CHECK(figures.delivered_bytes == std::uint64_t{64} * 63 * 65536);
  // Every flit crosses one link for every node that it comes to, and goes through one router.
  CHECK(*figures.picojoules_per_bit() == Approx(0.110 + 0.029));
  asked["packets"] = std::int64_t{2};
  CHECK(prove(plan_for(torus({8, 8}), "gossip", asked), {}).cycles == 65536);
}

TEST_CASE("latency: a step is the longest link plus the flits after the first", "[physical]") {
  const Parameters asked{{"bytes", std::int64_t{64}},
                         {"link-bits", std::int64_t{32}},
                         {"link-latency", std::string("x=1,y=2,wrap-x=5")}};
  const Report report = prove(plan_for(torus({4, 4}), "gossip", asked), {});
  // 16 flits in two packets of 8, 8 steps.
  CHECK(report.steps == 8);
  CHECK(report.cycles == 8 * (5 + 8 - 1));
  Parameters wrong = asked;
  wrong["link-latency"] = std::string("z=2");
  CHECK_THROWS_AS(plan_for(torus({4, 4}), "gossip", wrong), InputError);
}

TEST_CASE("energy is that of counted events: a trace's rows, counted again", "[physical]") {
  struct Case {
    const char* collective;
    const char* algorithm;
    Topology topology;
    /// Writes and reads of a flit that is passed on.
    std::uint64_t accesses;
    Parameters more{};
  };
  const std::vector<Case> cases = {
      {"gossip", "hamiltonian", torus({4, 4}), 0},
      {"gossip", "two-packet", torus({4, 5}), 2},
      {"gossip", "scheduled", torus({5, 4}), 2},
      {"gossip", "folded", mesh({4, 4}), 0},
      {"gossip", "hamiltonian", torus({4, 4}), 2, {{"elastic", true}}},
      {"gossip", "multinode-whole", torus({4, 4}), 2},
      {"broadcast", "min-tcd", mesh({5, 3}), 0},
      {"broadcast", "tree", torus({4, 4}), 0},
      {"all-reduce", "hamiltonian", torus({4, 4}), 0},
      {"all-to-all", "isotropic", torus({4, 4}), 2},
  };
  for (const Case& at : cases) {
    Parameters asked = at.more;
    asked["bytes"] = std::int64_t{480};
    asked["link-bits"] = std::int64_t{64};
    asked["energy"] = std::string("link=7,router=5,buffer=3");
    const Plan plan = plan_for(at.topology, at.collective, asked, at.algorithm);
    std::ostringstream trace;
    RunOptions options;
    options.trace = &trace;
    const Report run = run_plan(plan, *make_fast_engine(plan), options);
    CAPTURE(at.collective, at.algorithm, at.topology.dims_text());
    REQUIRE(run.problems.empty());
    const std::string text = trace.str();
    const auto rows = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) - 1;
    // An elastic trace has a row a flit.
    const std::uint64_t flits =
        plan.program.is<ElasticProgram>() ? rows : rows * run.physical->packet_flits;
    const double expected =
        64.0 * static_cast<double>(flits) * static_cast<double>(7 + 5 + 3 * at.accesses);
    CHECK(run.physical->femtojoules() == expected);
    CHECK(run.physical->events == FlitEvents{flits, flits, flits * at.accesses});
    const Report proof = prove(plan, {});
    CHECK(proof.cycles == run.cycles);
    if (proof.link_transfers) CHECK(proof.physical->femtojoules() == expected);
    // Nobody is faster than the bound, or uses links more than always.
    if (const auto bound = run.physical->lower_bound_cycles) CHECK(*run.cycles >= *bound);
    CHECK(*run.physical->utilization() <= 1.0);
  }
}

TEST_CASE("a folded plan keeps its step on a mesh, and has the links of the mesh", "[physical]") {
  const Plan plan = plan_for(torus({4, 4}), "gossip",
                             {{"bytes", std::int64_t{480}},
                              {"link-bits", std::int64_t{64}},
                              {"packets", std::int64_t{2}}});
  std::ostringstream trace;
  RunOptions options;
  options.fold = true;
  options.trace = &trace;
  const Report run = run_plan(plan, *make_fast_engine(plan), options);
  REQUIRE(run.problems.empty());
  const std::string text = trace.str();
  const auto rows = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) - 1;
  // 60 flits in two packets of 30; the torus' 8 steps are 16 of the mesh.
  CHECK(run.cycles == 16 * 30);
  CHECK(run.physical->cycles == 16 * 30);
  CHECK(run.physical->events == FlitEvents{30 * rows, 30 * rows, 0});
  CHECK(run.physical->links == 48);
  // A corner takes the 15 others' 60 flits by two links.
  CHECK(run.physical->lower_bound_cycles == 15 * 60 / 2);
}

TEST_CASE("the storage of a router: registers, slots and programs, buffers", "[physical]") {
  PhysicalComparisonOptions options;
  options.quantities.bytes = 64;
  options.quantities.link_bits = 32;
  options.algorithms = {"hamiltonian", "scheduled"};
  const PhysicalComparison comparison = compare_physical(torus({4, 4}), "gossip", options);
  // Four output registers of 32 bits.
  CHECK(row_of(comparison, "hamiltonian", 2).router_bits == 4 * 32);
  // Own words stay with the node, and the router has slots for what it passes on.
  const Plan scheduled = plan_for(torus({4, 4}), "gossip", {}, "scheduled");
  const auto& program = scheduled.program.as<TimetableProgram>();
  CHECK(row_of(comparison, "scheduled", 1).router_bits ==
        program.slots() * 32 + program.format().rom_bits(4));
  // Five input ports with four channels of eight flits.
  CHECK(comparison.rows.back().router_bits == 5 * 4 * 8 * 32);
  // On longer links a router has the flits of a packet on their way.
  options.quantities.latency = 3;
  CHECK(row_of(compare_physical(torus({4, 4}), "gossip", options), "hamiltonian", 2).router_bits ==
        4 * 8 * 32);
}

TEST_CASE("plans with flits of their own are planned for the bytes, and hold to them",
          "[physical]") {
  const Parameters asked{{"bytes", std::int64_t{100}}, {"link-bits", std::int64_t{32}}};
  Plan broadcast = plan_for(mesh({4, 4}), "broadcast", asked, "eye");
  CHECK(broadcast.program.as<RelayProgram>().clock.flits == 25);
  CHECK_NOTHROW(set_message(broadcast, {{"clock", std::string("2GHz")}}));
  CHECK(quantities_of(broadcast)->hertz == 2'000'000'000);
  CHECK_THROWS_AS(set_message(broadcast, {{"bytes", std::int64_t{104}}}), InputError);
  CHECK_THROWS_AS(set_message(broadcast, {{"link-latency", std::string("2")}}), InfeasibleError);
  Parameters elastic = asked;
  elastic["elastic"] = true;
  CHECK(plan_for(torus({4, 4}), "gossip", elastic).program.as<ElasticProgram>().elastic.flits() ==
        13);
}

TEST_CASE("impossible quantities are refused", "[physical]") {
  const Topology at = torus({4, 4});
  const auto refused = [&](const Parameters& asked, const char* collective = "gossip") {
    CHECK_THROWS_AS(plan_for(at, collective, asked), InputError);
  };
  refused({{"bytes", std::string("0")}});
  refused({{"bytes", std::string("64 parrots")}});
  refused({{"bytes", std::string("64KiB")}, {"clock", std::string("0Hz")}});
  refused({{"bytes", std::string("64KiB")}, {"link-bits", std::int64_t{0}}});
  refused({{"bytes", std::string("64KiB")}, {"link-bits", std::int64_t{65537}}});
  refused({{"bytes", std::string("64KiB")}, {"energy", std::string("wire=3")}});
  refused({{"bytes", std::string("64KiB")}, {"energy", std::string("link=-3")}});
  refused({{"clock", std::string("2GHz")}});
  refused({{"bytes", std::string("4")}, {"flits", std::int64_t{2}}}, "broadcast");
  Plan hostile = plan_for(at, "gossip", {{"bytes", std::int64_t{64}}});
  hostile.parameters["clock"] = std::string("1GHz");
  CHECK_THROWS_AS(quantities_of(hostile), InputError);
}

TEST_CASE("bounds in flits: of a broadcast, a reduction, a total exchange", "[physical]") {
  const Topology square = torus({8, 8});
  // 8 hops to the far corner, then a quarter of the flits over each of its links.
  CHECK(flit_lower_bound(square, Demand::broadcast(0), 100) == 8 + 25 - 1);
  CHECK(flit_lower_bound(mesh({4, 4}), Demand::broadcast(0), 100) == 6 + 50 - 1);
  CHECK(flit_lower_bound(square, Demand::all_to_all(), 63) == 64);
  CHECK(flit_lower_bound(square, Demand::all_to_all(), 630) == 640);
  CHECK(flit_lower_bound(square, Demand::all_gather(1), 4096) == 64512);
}

TEST_CASE("four packets per node reach the bound, together with the other figures", "[physical]") {
  PhysicalComparisonOptions options;
  options.quantities.bytes = 65536;
  options.quantities.link_bits = 128;
  options.conventional = false;
  const PhysicalComparison all = compare_physical(torus({8, 8}), "gossip", options);
  CHECK(all.lower_bound_cycles == 64512);
  CHECK(row_of(all, "hamiltonian", 4).figures.cycles == 64512);
  CHECK(row_of(all, "hamiltonian", 2).figures.cycles == 65536);
}

TEST_CASE("trees have one word for every flit of a message", "[physical]") {
  // A quarter of 256 flits up each of four trees, and four steps more than a tree's root needs.
  const Plan reduce = plan_for(torus({4, 4}), "reduce",
                               {{"bytes", std::string("4KiB")}, {"link-bits", std::int64_t{128}}});
  CHECK(reduce.algorithm == "disjoint-trees");
  CHECK(prove(reduce, {}).cycles == 68);
  PhysicalComparisonOptions options;
  options.quantities.bytes = 4096;
  options.quantities.link_bits = 128;
  options.conventional = false;
  options.algorithms = {"tree", "three-trees"};
  const PhysicalComparison all = compare_physical(torus({4, 4}), "all-reduce", options);
  CHECK(all.rows[0].figures.cycles == 256 - 1 + 8);
  CHECK(all.rows[1].figures.cycles == 179);
}

TEST_CASE("collectives without a message refuse bytes", "[physical]") {
  CHECK_THROWS_WITH(plan_for(torus({4, 4}), "prefix",
                             {{"active", std::string("random:5:1")}, {"bytes", std::int64_t{64}}}),
                    Catch::Contains("prefix counts packets and moves none"));
  CHECK_THROWS_WITH(plan_for(torus({4, 4}), "barrier", {{"bytes", std::string("64KiB")}}),
                    Catch::Contains("a barrier is a bit of every node"));
  CHECK(plan_for(torus({4, 4}), "barrier", {{"bytes", std::string("1")}}).collective == "barrier");
}

TEST_CASE("the same bytes are compared, with the conventional network", "[physical]") {
  PhysicalComparisonOptions options;
  options.quantities.bytes = 240;
  options.quantities.link_bits = 32;
  for (const char* collective :
       {"gossip", "reduce-scatter", "all-reduce", "reduce", "broadcast", "all-to-all"}) {
    const PhysicalComparison comparison = compare_physical(torus({4, 4}), collective, options);
    std::size_t conventional = 0;
    for (const PhysicalComparisonRow& row : comparison.rows) {
      CAPTURE(collective, row.algorithm, row.refusal);
      if (row.algorithm.starts_with("wormhole ")) ++conventional;
      if (!row.refusal.empty()) continue;
      REQUIRE(row.figures.cycles.has_value());
      CHECK(*row.figures.cycles >= comparison.lower_bound_cycles.value());
      CHECK(*row.figures.utilization() <= 1.0);
      CHECK(*row.figures.picojoules_per_bit() > 0);
    }
    CHECK(conventional == wormhole::orders_of(collective).size());
  }
  CHECK_THROWS_AS(compare_physical(torus({4, 4}), "prefix", options), InputError);
}

}  // namespace
}  // namespace gossamer
