// SPDX-License-Identifier: Apache-2.0
/// Networks as modules with pins: rounds, resets, and networks side by side. The emitted
/// testbenches (check_emitted.py) compare their words with the plan's, machine by machine.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <systemc>

#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/systemc/pin_collective.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/util/error.hpp"

using namespace gossamer;
using namespace gossamer::systemc;

namespace {

Plan planned(const char* collective, const std::map<std::string, ParameterValue>& parameters = {}) {
  PlanRequest request{Topology::torus(std::array{4U, 3U}), collective, {}, {}, {}};
  request.parameters = parameters;
  return make_plan(request);
}

std::string document_of(const Plan& plan) {
  std::ostringstream out;
  write_plan(plan, out, PlanEncoding::kJson);
  return out.str();
}

PinCollectiveSizes sizes_of(const Plan& plan, std::uint64_t own_words) {
  return {.cycles = *plan.expected.analytic_cycles,
          .nodes = plan.topology.nodes(),
          .own_words = own_words,
          .places = 4,
          .lanes = 1};
}

/// A network with its signals.
struct Bench : sc_core::sc_module {
  Bench(const sc_core::sc_module_name& name, const Plan& plan, std::uint64_t own_words)
      : sc_core::sc_module(name),
        sizes(sizes_of(plan, own_words)),
        own("own", own_words),
        valid("valid", sizes.nodes * sizes.places),
        number("number", sizes.nodes * sizes.places),
        data("data", sizes.nodes * sizes.places),
        network("network", document_of(plan), sizes) {
    network.clk_i(clk);
    network.rst_ni(rst_n);
    network.clear_i(clear);
    network.start_i(start);
    network.own_data_i.bind(own);
    network.deliver_valid_o.bind(valid);
    network.deliver_number_o.bind(number);
    network.deliver_data_o.bind(data);
    network.busy_o.bind(busy);
    network.done_o.bind(done);
    network.error_o.bind(error);
  }
  /// The words of node 5 so far, by number; later words replace earlier ones.
  void note() {
    for (std::uint64_t place = 0; place < sizes.places; ++place) {
      const std::uint64_t at = 5 * sizes.places + place;
      if (valid[at].read()) words[number[at].read()] = data[at].read();
    }
  }

  PinCollectiveSizes sizes;
  sc_core::sc_clock clk{"clk", 2, sc_core::SC_NS, 0.5, 1, sc_core::SC_NS, true};
  sc_core::sc_signal<bool> rst_n{"rst_n"};
  sc_core::sc_signal<bool> clear{"clear"};
  sc_core::sc_signal<bool> start{"start"};
  sc_core::sc_vector<sc_core::sc_signal<std::uint64_t>> own;
  sc_core::sc_vector<sc_core::sc_signal<bool>> valid;
  sc_core::sc_vector<sc_core::sc_signal<std::uint64_t>> number;
  sc_core::sc_vector<sc_core::sc_signal<std::uint64_t>> data;
  sc_core::sc_signal<bool> busy{"busy"};
  sc_core::sc_signal<bool> done{"done"};
  sc_core::sc_signal<bool> error{"error"};
  PinCollective network;
  std::map<std::uint64_t, std::uint64_t> words;
};

void cycle() { sc_core::sc_start(2, sc_core::SC_NS); }

/// Cycles until done_o, after the start edge.
std::uint64_t round_of(Bench& bench) {
  bench.words.clear();
  bench.start.write(true);
  cycle();
  bench.start.write(false);
  std::uint64_t cycles = 0;
  while (!bench.done.read() && cycles < 1000) {
    CHECK(bench.busy.read());
    ++cycles;
    cycle();
    bench.note();
  }
  CHECK_FALSE(bench.busy.read());
  CHECK_FALSE(bench.error.read());
  return cycles;
}

}  // namespace

TEST_CASE("a network with pins reads its words at every start") {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  const Plan plan = planned("all-reduce");
  const std::uint64_t pieces = plan.demand.pieces;
  const std::uint64_t nodes = plan.topology.nodes();
  Bench bench("bench", plan, nodes * pieces);
  cycle();
  bench.rst_n.write(true);
  cycle();
  for (const std::uint64_t factor : {1U, 7U}) {
    for (std::uint64_t i = 0; i < nodes * pieces; ++i) bench.own[i].write(factor * i);
    CHECK(round_of(bench) == bench.sizes.cycles);
    REQUIRE(bench.words.size() == pieces);
    for (const auto& [word, value] : bench.words) {
      // Word w of node n is factor * (n * pieces + w).
      CHECK(value == factor * (pieces * nodes * (nodes - 1) / 2 + nodes * word));
    }
  }
}

TEST_CASE("a network with pins is reset within a round, and ignores a start while it is busy") {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  const Plan plan = planned("broadcast", {{"flits", std::int64_t{3}}});
  Bench bench("bench", plan, 1);
  bench.own[0].write(0x1234);
  cycle();
  bench.rst_n.write(true);
  cycle();
  bench.start.write(true);
  cycle();
  for (int i = 0; i < 3; ++i) cycle();
  CHECK(bench.busy.read());
  bench.start.write(false);
  bench.rst_n.write(false);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CHECK_FALSE(bench.busy.read());
  cycle();
  bench.rst_n.write(true);
  for (std::uint64_t i = 0; i < bench.sizes.cycles; ++i) {
    cycle();
    CHECK_FALSE(bench.done.read());
  }
  // The start stays high: only the first edge counts.
  bench.start.write(true);
  cycle();
  for (std::uint64_t i = 0; i < bench.sizes.cycles; ++i) {
    CHECK(bench.busy.read());
    CHECK_FALSE(bench.done.read());
    if (i + 1 == bench.sizes.cycles) bench.start.write(false);
    cycle();
    bench.note();
  }
  CHECK(bench.done.read());
  CHECK(bench.words == std::map<std::uint64_t, std::uint64_t>{{0, 0x1234}});
}

TEST_CASE("networks of several machines run side by side in one simulation") {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  const Plan sum = planned("all-reduce");
  const Plan message = planned("broadcast");
  Bench first("first", sum, sum.topology.nodes() * sum.demand.pieces);
  Bench second("second", message, 1);
  second.own[0].write(99);
  cycle();
  first.rst_n.write(true);
  second.rst_n.write(true);
  cycle();
  first.start.write(true);
  cycle();
  first.start.write(false);
  CHECK(round_of(second) == second.sizes.cycles);
  CHECK(second.words == std::map<std::uint64_t, std::uint64_t>{{0, 99}});
}

TEST_CASE("a network with pins refuses plans without pins, and sizes of another plan") {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  const Plan plan = planned("all-reduce");
  const std::string document = document_of(plan);
  const PinCollectiveSizes right = sizes_of(plan, plan.topology.nodes() * plan.demand.pieces);
  PinCollectiveSizes wrong = right;
  ++wrong.own_words;
  CHECK_THROWS_AS(PinCollective("a", document, wrong), InputError);
  wrong = right;
  wrong.cycles = 0;
  CHECK_THROWS_AS(PinCollective("b", document, wrong), InputError);
  CHECK_THROWS_AS(PinCollective("c", document.substr(0, 100), right), InputError);
}
