// SPDX-License-Identifier: Apache-2.0
/// A node of transactions with neighbours that are not nodes: the base protocol, phase by phase.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <systemc>
#include <tuple>
#include <vector>

#include "gossamer/planner/planner.hpp"
#include "gossamer/systemc/elastic/tlm.hpp"
#include "gossamer/systemc/simulation_context.hpp"

using namespace gossamer;
using namespace gossamer::systemc;

namespace {

/// Cycle, what was said, and with how many cycles of delay.
using Said = std::vector<std::tuple<std::uint64_t, std::string, std::uint64_t>>;

/// Both neighbours of node 0 on a ring of three: what comes by x- is pushed by hand, what leaves by
/// x+ is answered by hand, and the other way nothing comes and nothing is answered.
struct Neighbours : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Neighbours> to_x_minus{"to_x_minus"};
  tlm_utils::simple_initiator_socket<Neighbours> to_x_plus{"to_x_plus"};
  tlm_utils::simple_target_socket<Neighbours> from_x_plus{"from_x_plus"};
  tlm_utils::simple_target_socket<Neighbours> from_x_minus{"from_x_minus"};
  TlmElasticNode node;
  TlmFlitPool pool;
  Said said;
  std::vector<tlm::tlm_generic_payload*> received;

  Neighbours(const sc_core::sc_module_name& name, const std::shared_ptr<const ElasticTiles>& tiles)
      : sc_core::sc_module(name), node("node", tiles, 0, sc_core::sc_time(1, sc_core::SC_NS)) {
    const Topology& topology = tiles->plan.topology;
    REQUIRE(topology.ports() == 2);
    to_x_minus.bind(node.in[0]);
    to_x_plus.bind(node.in[1]);
    node.out[0].bind(from_x_minus);
    node.out[1].bind(from_x_plus);
    to_x_minus.register_nb_transport_bw(this, &Neighbours::told);
    from_x_plus.register_nb_transport_fw(this, &Neighbours::given);
    from_x_minus.register_nb_transport_fw(this, &Neighbours::ignored);
  }
  static std::uint64_t cycles(const sc_core::sc_time& time) {
    return time.value() / sc_core::sc_time(1, sc_core::SC_NS).value();
  }
  tlm::tlm_sync_enum told(tlm::tlm_generic_payload& flit, tlm::tlm_phase& phase,
                          sc_core::sc_time& delay) {
    said.emplace_back(cycles(sc_core::sc_time_stamp()),
                      std::string(phase.get_name()) + " " + std::to_string(flit.get_address()),
                      cycles(delay));
    return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum given(tlm::tlm_generic_payload& flit, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay) {
    CHECK(phase == tlm::BEGIN_REQ);
    CHECK(delay == sc_core::SC_ZERO_TIME);
    said.emplace_back(cycles(sc_core::sc_time_stamp()),
                      "gets " + std::to_string(flit.get_address()), 0);
    received.push_back(&flit);
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum ignored(tlm::tlm_generic_payload& /*flit*/, tlm::tlm_phase& /*phase*/,
                             sc_core::sc_time& /*delay*/) {
    return tlm::TLM_ACCEPTED;
  }
  /// In the middle of a cycle.
  void push(std::uint64_t address) {
    tlm::tlm_generic_payload& flit = pool.make(address, {});
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const auto answer = to_x_minus->nb_transport_fw(flit, phase, delay);
    said.emplace_back(cycles(sc_core::sc_time_stamp()),
                      answer == tlm::TLM_UPDATED    ? phase.get_name()
                      : answer == tlm::TLM_ACCEPTED ? "wait"
                                                    : "refused",
                      cycles(delay));
  }
};

Plan ring_of_three(const std::string& latency) {
  PlanRequest request{Topology::torus(std::array{3U}), "gossip", "hamiltonian", {}, {}};
  request.parameters["elastic"] = true;
  request.parameters["flits"] = std::int64_t{4};
  request.parameters["chunk"] = std::string("1");
  request.parameters["slots"] = std::string("2");
  request.parameters["link-latency"] = latency;
  return make_plan(request);
}

TEST_CASE("a node of transactions holds back the end of a request while its link is full",
          "[systemc][tlm][elastic]") {
  const Plan plan = ring_of_three("1");
  std::istringstream closed("m,0,-,0,10\n");
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Neighbours bench("bench", std::make_shared<const ElasticTiles>(
                                plan, StallScript::read(closed, "closed", plan.topology)));
  const auto go_on = [](int cycles) { sc_core::sc_start(cycles, sc_core::SC_NS); };
  bench.node.start();
  sc_core::sc_start(500, sc_core::SC_PS);
  // Two slots: room for the second, and then no more until the gate opens in cycle 10.
  const std::uint64_t first = PacketId{plan.topology.neighbor(0, 0)} * 4;
  bench.push(first);
  go_on(1);
  bench.push(first + 1);
  go_on(15);
  const std::string taken = std::to_string(first);
  const std::string next = std::to_string(first + 1);
  CHECK(bench.said == Said{{0, "gets 0", 0},
                           {0, "END_REQ", 1},
                           {1, "wait", 0},
                           {10, "END_REQ " + next, 1},
                           {10, "BEGIN_RESP " + taken, 1},
                           {11, "BEGIN_RESP " + next, 1}});
  // Its own second flit waits for an answer; a response ends the request as well.
  bench.said.clear();
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay(3500, sc_core::SC_PS);
  REQUIRE(bench.received.size() == 1);
  CHECK(bench.from_x_plus->nb_transport_bw(*bench.received[0], phase, delay) == tlm::TLM_COMPLETED);
  go_on(10);
  CHECK(bench.said == Said{{20, "gets 1", 0}});
}

}  // namespace
