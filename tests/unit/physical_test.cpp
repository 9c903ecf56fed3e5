// SPDX-License-Identifier: Apache-2.0
/// Bytes, cycles, seconds and joules: the rules, the bounds, and comparisons for the same bytes.
#include "gossamer/report/physical.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "gossamer/compare/physical.hpp"
#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/observers.hpp"
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
    asked["energy"] = std::string("link=7,router=5,buffer=3,add=0");
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
    FlitEvents events = *run.physical->events;
    events.additions = 0;
    CHECK(events == FlitEvents{flits, flits, flits * at.accesses});
    const Report proof = prove(plan, {});
    CHECK(proof.cycles == run.cycles);
    if (proof.link_transfers) CHECK(proof.physical->femtojoules() == expected);
    // Nobody is faster than the bound, or uses links more than always.
    if (const auto bound = run.physical->lower_bound_cycles) CHECK(*run.cycles >= *bound);
    CHECK(*run.physical->utilization() <= 1.0);
  }
}

/// Counts the additions of an engine.
class AdditionCounter final : public WordMaker {
 public:
  std::uint64_t word(NodeId, PacketId) override { return 1; }
  std::uint64_t combine(std::uint64_t a, std::uint64_t b) override {
    ++count;
    return a + b;
  }
  std::uint64_t count = 0;
};

TEST_CASE("every machine knows the additions that its routers make", "[physical]") {
  struct Case {
    const char* collective;
    const char* algorithm;
    Topology topology;
    Parameters more{};
    /// Partial sums meet in trees: one addition less than contributions, per piece.
    bool trees = true;
    /// Groups: the fast engine runs the additions of one of them.
    std::uint64_t groups = 1;
  };
  const Parameters words{{"words", std::int64_t{5}}};
  const auto dead = [](const Topology& shape, NodeId node) {
    Faults faults;
    faults.dead_nodes = {node};
    return shape.with_faults(std::move(faults));
  };
  const auto without_link = [](const Topology& shape) {
    Faults faults;
    faults.dead_arcs = {1, reverse_arc(shape, 1)};
    return shape.with_faults(std::move(faults));
  };
  const std::vector<Case> cases = {
      {"all-reduce", "hamiltonian", torus({4, 4}), {}, false},
      {"all-reduce", "hamiltonian", torus({3, 5}), words, false},
      {"all-reduce", "hamiltonian", torus({4, 4}), {{"elastic", true}}},
      {"all-reduce", "array", mesh({4, 3}), {}, false},
      {"all-reduce", "folded", mesh({4, 4}), {}, false},
      {"all-reduce", "degraded", without_link(torus({4, 4})), {}, false},
      {"all-reduce", "cores", torus({4, 4}), {}, false},
      {"all-reduce", "cores", torus({4, 4}), words, false},
      {"all-reduce", "cores", torus({6, 6}), {{"words", std::int64_t{7}}}, false},
      {"all-reduce", "cores", torus({5, 5}), {{"words", std::int64_t{10}}}, false},
      {"all-reduce", "forest", torus({4, 4}), {}, false},
      {"all-reduce", "line-sum", torus({4, 5}), {}, false},
      {"all-reduce", "line-sum", mesh({4, 4}), {}, false},
      {"all-reduce", "line-sum", torus({2, 6}), {}, false},
      {"all-reduce", "line-sum", mesh({4, 3, 5}), {}, false},
      {"all-reduce", "lines", mesh({4, 5}), words, false},
      {"all-reduce", "rings", torus({4, 4}), {}, false},
      {"all-reduce", "tree", mesh({4, 3}), words},
      {"all-reduce", "three-trees", torus({4, 4}), words},
      {"all-reduce", "packing", mesh({4, 4}), words},
      {"all-reduce", "packing", dead(mesh({4, 4}), 3), words},
      {"all-reduce", "scheduled", mesh({3, 3})},
      {"all-reduce", "partners", torus({4, 4}), {}, false},
      {"all-reduce", "min-tcd", mesh({3, 4}), {{"flits", std::int64_t{3}}}},
      {"reduce-scatter", "hamiltonian", torus({4, 4}), {}, false},
      {"reduce-scatter", "hamiltonian", torus({4, 4}), {{"elastic", true}}},
      {"reduce-scatter", "array", mesh({4, 3})},
      {"reduce-scatter", "scheduled", torus({4, 3})},
      {"reduce", "line-sum", mesh({4, 5}), {}, false},
      {"reduce", "disjoint-trees", torus({4, 4}), words},
      {"reduce", "hamiltonian", torus({4, 4}), words},
      {"reduce", "eye", mesh({4, 4})},
      {"barrier", "line-sum", torus({4, 4}), {}, false},
      {"barrier", "hamiltonian", torus({4, 4}), {}, false},
      {"all-reduce", "hamiltonian", torus({4, 4}), {{"groups", std::string("4x1")}}, false, 4},
  };
  for (const Case& at : cases) {
    CAPTURE(at.collective, at.algorithm, at.topology.dims_text(), at.topology.kind());
    const Plan plan = plan_for(at.topology, at.collective, at.more, at.algorithm);
    AdditionCounter counter;
    EngineOptions options;
    options.arithmetic = {.operation = Operation::kCopy, .bits = 64, .maker = &counter};
    const auto engine = make_fast_engine(plan, options);
    ObserverList nobody;
    watch(*engine, step_limit(plan), nobody);
    CHECK(plan.machine().additions(plan) == counter.count * at.groups);
    if (at.trees) {
      const std::uint64_t flits =
          plan.program.is<ElasticProgram>() ? plan.program.as<ElasticProgram>().elastic.flits() : 1;
      CHECK(counter.count == plan.demand.pieces * flits * (at.topology.cores() - 1));
    }
  }
  CHECK(plan_for(torus({4, 4}), "gossip", {})
            .machine()
            .additions(plan_for(torus({4, 4}), "gossip", {})) == 0);
}

TEST_CASE("a reduction's energy counts its additions, on both networks", "[physical]") {
  Parameters asked{{"bytes", std::int64_t{1024}}, {"link-bits", std::int64_t{32}}};
  const auto figures_of = [&](const char* energy) {
    if (*energy != 0) asked["energy"] = std::string(energy);
    return *prove(plan_for(torus({4, 4}), "all-reduce", asked, "hamiltonian"), {}).physical;
  };
  const PhysicalFigures standard = figures_of("");
  // 256 flits, and 16 additions of each: where both directions of a cycle meet, two registers take
  // the total.
  CHECK(standard.events->additions == 256 * 16);
  CHECK(*figures_of("add=1").femtojoules() == *standard.femtojoules() - 256 * 16 * 32 * 2);
  CHECK(*figures_of("add=0").femtojoules() == *standard.femtojoules() - 256 * 16 * 32 * 3);
  // Every node has the whole vector at the end.
  CHECK(standard.delivered_bytes == std::uint64_t{16} * 1024);
  asked.erase("energy");
  asked["type"] = std::string("float32");
  const Plan floats = plan_for(torus({4, 4}), "all-reduce", asked, "hamiltonian");
  CHECK(prove(floats, {}).physical->add_femtojoules == kFloatAddition);
  PhysicalComparisonOptions options;
  options.quantities.bytes = 1024;
  const PhysicalFigures software =
      conventional_figures(torus({4, 4}), "all-reduce", wormhole::Order::kRing, options);
  CHECK(software.events->additions == 256 * 15);
  CHECK(conventional_figures(torus({4, 4}), "gossip", wormhole::Order::kRing, options)
            .events->additions == 0);
}

TEST_CASE("energy of links between dies: counted in runs, in proofs and by software",
          "[physical]") {
  const Topology dies = with_link_rates(mesh({4, 4}), {{}, {}, "2x2", "1/2"});
  const Parameters asked{{"bytes", std::int64_t{64}},
                         {"packets", std::int64_t{2}},
                         {"energy", std::string("link=1,router=0,buffer=0,die=1000")}};
  const Plan plan = plan_for(dies, "gossip", asked);
  std::ostringstream trace;
  RunOptions options;
  options.trace = &trace;
  const Report run = run_plan(plan, *make_fast_engine(plan), options);
  REQUIRE(run.problems.empty());
  // Rows of the trace whose links cross x = 2 or y = 2.
  std::uint64_t between = 0;
  std::uint64_t inside = 0;
  std::istringstream rows(trace.str());
  std::string row;
  std::getline(rows, row);
  while (std::getline(rows, row)) {
    std::replace(row.begin(), row.end(), ',', ' ');
    std::istringstream fields(row);
    std::uint32_t step = 0, hop = 0, from = 0, port = 0;
    fields >> step >> hop >> from >> port;
    const std::uint32_t at = port < 2 ? from % 4 : from / 4;
    ++(at == (port % 2 == 0 ? 2U : 1U) ? between : inside);
  }
  CHECK(between > 0);
  const std::uint64_t flits = run.physical->packet_flits;
  CHECK(run.physical->events->dies == between * flits);
  CHECK(run.physical->femtojoules() ==
        32.0 * static_cast<double>(flits) * static_cast<double>(inside + 1000 * between));
  const Report proof = prove(plan, {});
  CHECK(proof.physical->events == run.physical->events);
  PhysicalComparisonOptions compared;
  compared.quantities.bytes = 64;
  compared.quantities.energy.die = 1000;
  const PhysicalFigures software =
      conventional_figures(dies, "gossip", wormhole::Order::kStaggered, compared);
  // Each of 16 nodes sends a packet of 16 flits and a head to 12 nodes in other chiplets: 8 are one
  // such link away, 4 are two.
  CHECK(software.events->dies == 16 * (8 + 4 * 2) * 17);
  Parameters wrong = asked;
  wrong.erase("packets");
  CHECK_THROWS_WITH(plan_for(mesh({4, 4}), "gossip", wrong), Catch::Contains("die= needs links"));
}

TEST_CASE("links of different rates: the slowest pace, ours, and the conventional network",
          "[physical][slow]") {
  const Topology dies = with_link_rates(mesh({4, 4}), {{}, {}, "2x2", "1/4"});
  PhysicalComparisonOptions options;
  options.quantities.bytes = 240;
  options.quantities.energy.die = 1000;
  for (const char* collective :
       {"gossip", "reduce-scatter", "all-reduce", "reduce", "broadcast", "all-to-all"}) {
    const PhysicalComparison comparison = compare_physical(dies, collective, options);
    const PhysicalComparisonRow* slowest = nullptr;
    std::size_t ours = 0;
    for (const PhysicalComparisonRow& row : comparison.rows) {
      CAPTURE(collective, row.algorithm, row.refusal);
      if (row.algorithm.starts_with("slowest (")) slowest = &row;
      if (!row.refusal.empty()) continue;
      REQUIRE(row.figures.cycles.has_value());
      CHECK(*row.figures.cycles >= comparison.lower_bound_cycles.value());
      CHECK(*row.figures.utilization() <= 1.0);
      CHECK(*row.figures.picojoules_per_bit() > 0);
      CHECK(row.figures.events->dies > 0);
      if (!row.algorithm.starts_with("slowest (") && !row.algorithm.starts_with("wormhole ")) {
        ++ours;
      }
    }
    REQUIRE(slowest != nullptr);
    CHECK(*slowest->figures.cycles % 4 == 0);
    // Plans at their own pace.
    const std::string_view name = collective;
    CHECK((ours > 0) == (name == "gossip" || name == "reduce-scatter" || name == "all-reduce"));
    if (ours > 0) CHECK(comparison.fastest_plan()->algorithm.find("slowest") == std::string::npos);
    if (ours == 0) CHECK(comparison.fastest_plan() == slowest);
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
  // Own words stay with the node, and the router has slots for the words that it passes on.
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
                    Catch::Contains("prefix only counts packets"));
  CHECK_THROWS_WITH(plan_for(torus({4, 4}), "barrier", {{"bytes", std::string("64KiB")}}),
                    Catch::Contains("a barrier is one bit per node"));
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

TEST_CASE("the crossover is the first size from which on the plan is faster", "[physical]") {
  PhysicalComparisonOptions options;
  options.quantities.bytes = 4096;
  // A store-and-forward plan of 8 steps beats the conventional network from one flit on.
  options.algorithms = {"hamiltonian"};
  PhysicalComparison comparison = compare_physical(torus({4, 4}), "gossip", options);
  REQUIRE(comparison.crossover.has_value());
  CHECK(comparison.crossover->algorithm == "hamiltonian");
  CHECK(comparison.crossover->flits == 1);
  CHECK(comparison.fastest_conventional()->algorithm.starts_with("wormhole "));
  CHECK(comparison.fastest_plan()->figures.cycles <
        comparison.fastest_conventional()->figures.cycles);
  const std::array<std::uint32_t, 2> sides{8, 8};
  const Topology mesh = Topology::make("mesh", sides);
  // Whole vectors line by line are faster for few flits only.
  options.algorithms = {"line-sum"};
  options.quantities.bytes = 8192;
  comparison = compare_physical(mesh, "all-reduce", options);
  REQUIRE(comparison.crossover.has_value());
  CHECK(!comparison.crossover->flits);
  CHECK_THAT(comparison_table(comparison), Catch::Contains("the conventional network is as fast"));
  options.quantities.bytes = 4;
  comparison = compare_physical(mesh, "all-reduce", options);
  CHECK(comparison.crossover->flits == 1);
  options.conventional = false;
  CHECK(!compare_physical(torus({4, 4}), "all-reduce", options).crossover);
}

TEST_CASE("an all-reduce by unicasts is a reduce and then a broadcast", "[physical]") {
  wormhole::Messages messages;
  messages.flits = 40;
  const wormhole::Router router = PhysicalComparisonOptions::default_router();
  const auto run = [&](const char* collective, wormhole::Order order) {
    return wormhole::run_unicasts(torus({4, 4}), router, collective, order, messages);
  };
  const auto all = run("all-reduce", wormhole::Order::kTree);
  const auto up = run("reduce", wormhole::Order::kHalving);
  const auto down = run("broadcast", wormhole::Order::kTree);
  CHECK(all.complete);
  CHECK(all.cycles == up.cycles + down.cycles);
  CHECK(all.flit_hops == up.flit_hops + down.flit_hops);
  CHECK(all.injected == up.injected + down.injected);
  // 40 flits in 16 parts of at most 3.
  const auto parts = run("reduce-scatter", wormhole::Order::kStaggered);
  messages.flits = 3;
  CHECK(parts.cycles == run("all-to-all", wormhole::Order::kStaggered).cycles);
}

}  // namespace
}  // namespace gossamer
