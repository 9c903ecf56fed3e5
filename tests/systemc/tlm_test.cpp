// SPDX-License-Identifier: Apache-2.0
/// The network as a TLM-2.0 device: its behaviour on the bus, and inside the network.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <map>
#include <systemc>
#include <vector>

#include "gossamer/plan/link_words.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/simulation_context.hpp"
#include "gossamer/systemc/tlm_collective.hpp"
#include "gossamer/verify/proof.hpp"

using namespace gossamer;
using namespace gossamer::systemc;
namespace reg = gossamer::systemc::tlm_register;

namespace {

/// Bus master and memory in one: the device's writes are stored word by word.
struct Platform : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Platform> bus{"bus"};
  tlm_utils::simple_target_socket<Platform> memory{"memory"};
  sc_core::sc_clock clk{"clk", 1, sc_core::SC_NS, 0.5, 0.5, sc_core::SC_NS, true};
  sc_core::sc_signal<bool> rst_n{"rst_n"};
  sc_core::sc_signal<bool> irq{"irq"};
  TlmCollective device;
  std::map<std::uint64_t, std::uint64_t> written;
  sc_core::sc_time spent;

  Platform(const sc_core::sc_module_name& name, const Plan& plan)
      : sc_core::sc_module(name), device("device", plan, sc_core::sc_time(3, sc_core::SC_NS)) {
    device.clk_i(clk);
    device.rst_ni(rst_n);
    device.irq_o(irq);
    bus.bind(device.target);
    device.memory.bind(memory);
    memory.register_b_transport(this, &Platform::store);
  }
  void power_on() {
    cycles(1);
    rst_n.write(true);
    cycles(1);
  }
  void store(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    CHECK(transaction.is_write());
    CHECK(transaction.get_data_length() == 8);
    CHECK(written.count(transaction.get_address()) == 0);
    std::memcpy(&written[transaction.get_address()], transaction.get_data_ptr(), 8);
    delay += sc_core::sc_time(1, sc_core::SC_NS);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  static void cycles(int n) { sc_core::sc_start(n, sc_core::SC_NS); }

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                  unsigned bytes, unsigned streaming_width = ~0U) {
    tlm::tlm_generic_payload transaction;
    transaction.set_command(command);
    transaction.set_address(address);
    transaction.set_data_ptr(static_cast<unsigned char*>(data));
    transaction.set_data_length(bytes);
    transaction.set_streaming_width(std::min(bytes, streaming_width));
    spent = sc_core::SC_ZERO_TIME;
    bus->b_transport(transaction, spent);
    return transaction.get_response_status();
  }
  void write(std::uint64_t address, std::uint64_t value) {
    REQUIRE(access(tlm::TLM_WRITE_COMMAND, address, &value, 8) == tlm::TLM_OK_RESPONSE);
  }
  std::uint64_t read(std::uint64_t address) {
    std::uint64_t value = 0;
    REQUIRE(access(tlm::TLM_READ_COMMAND, address, &value, 8) == tlm::TLM_OK_RESPONSE);
    return value;
  }
};

Plan plan_of(const Topology& topology, const char* algorithm) {
  PlanRequest request{topology, "gossip", algorithm, {}, {}};
  return make_plan(request);
}

}  // namespace

TEST_CASE("a bus master's rounds deliver every packet to every node, twice", "[systemc][tlm]") {
  const auto [topology, algorithm] =
      GENERATE(table<Topology, const char*>({{Topology::torus(std::array{4U, 3U}), "hamiltonian"},
                                             {Topology::torus(std::array{6U, 3U}), "two-packet"},
                                             {Topology::mesh(std::array{3U, 3U}), "array"},
                                             {Topology::mesh(std::array{4U, 3U}), "folded"}}));
  const Plan plan = plan_of(topology, algorithm);
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Platform platform("platform", plan);
  platform.power_on();
  const std::uint64_t nodes = topology.nodes();
  const std::uint64_t packets = nodes * packets_per_node(plan);
  CHECK(platform.read(reg::kNodes) == nodes);
  CHECK(platform.read(reg::kPackets) * nodes == packets);
  CHECK(platform.read(reg::kSteps) == plan.expected.analytic_steps);
  CHECK(platform.spent == sc_core::sc_time(3, sc_core::SC_NS));

  for (std::uint64_t round = 1; round <= 2; ++round) {
    std::vector<std::uint64_t> own(packets);
    for (std::uint64_t i = 0; i < packets; ++i) own[i] = round << 40U | i * i;
    REQUIRE(platform.access(tlm::TLM_WRITE_COMMAND, reg::kOwn, own.data(),
                            static_cast<unsigned>(8 * packets)) == tlm::TLM_OK_RESPONSE);
    platform.write(reg::kInterruptEnable, round - 1);
    platform.write(reg::kMemoryEnable, round - 1);
    platform.write(reg::kMemoryBase, 0x10000);
    platform.write(reg::kControl, reg::kStart);
    CHECK(platform.read(reg::kStatus) == reg::kBusy);
    // Clear and start take an edge each; a second start is ignored.
    Platform::cycles(3);
    platform.write(reg::kControl, reg::kStart);
    Platform::cycles(static_cast<int>(*plan.expected.analytic_steps) - 2);
    CHECK(platform.read(reg::kStatus) == reg::kBusy);
    if (round == 2) Platform::cycles(static_cast<int>(nodes * packets));
    Platform::cycles(2);
    CHECK(platform.read(reg::kStatus) == reg::kDone);
    CHECK(platform.irq.read() == (round == 2));
    std::vector<std::uint64_t> got(packets);
    for (std::uint64_t node = 0; node < nodes; ++node) {
      REQUIRE(platform.access(tlm::TLM_READ_COMMAND,
                              platform.device.received() + 8 * node * packets, got.data(),
                              static_cast<unsigned>(8 * packets)) == tlm::TLM_OK_RESPONSE);
      CHECK(got == own);
    }
    CHECK(platform.written.size() == (round == 2 ? nodes * packets : 0));
    for (const auto& [address, value] : platform.written) {
      CHECK(value == own[(address - 0x10000) / 8 % packets]);
    }
  }
  platform.write(reg::kControl, reg::kClear);
  Platform::cycles(1);
  CHECK(platform.read(reg::kStatus) == 0);
  CHECK_FALSE(platform.irq.read());
}

TEST_CASE("a bus master's vectors are reduced at the nodes that need the result",
          "[systemc][tlm][reduction]") {
  struct Row {
    Topology topology;
    const char* collective;
    const char* algorithm;
    const char* operation;
    std::int64_t bits;
  };
  const auto row = GENERATE(values<Row>(
      {{Topology::torus(std::array{4U, 3U}), "all-reduce", "hamiltonian", "sum", 32},
       {Topology::torus(std::array{3U, 3U}), "all-reduce", "rings", "max", 16},
       {Topology::torus(std::array{5U, 3U}), "reduce-scatter", "hamiltonian", "xor", 64},
       {Topology::torus(std::array{3U, 3U}), "all-reduce", "hamiltonian", "sum", 64},
       {Topology::mesh(std::array{3U, 3U}), "all-reduce", "folded", "sum", 7},
       {Topology::mesh(std::array{3U, 4U}), "reduce", "line-sum", "saturating-sum", 9},
       {with_named_faults(Topology::torus(std::array{5U, 3U}), "node:2,1"), "all-reduce",
        "degraded", "sum", 24},
       {Topology::torus(std::array{2U, 3U}), "barrier", "line-sum", "and", 1}}));
  PlanRequest request{row.topology, row.collective, row.algorithm, {}, {}};
  if (request.collective != "barrier") {
    request.parameters["operation"] = std::string(row.operation);
    request.parameters["link-bits"] = row.bits;
  }
  if (request.collective == "reduce") request.parameters["source"] = std::string("1,2");
  const Plan plan = make_plan(request);
  INFO(row.collective << " " << row.algorithm << " " << row.topology.dims_text());
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Platform platform("platform", plan);
  platform.power_on();
  const std::uint64_t nodes = row.topology.nodes();
  const std::uint64_t words = platform.read(reg::kPackets);
  CHECK(words == plan.demand.pieces);
  CHECK(platform.read(reg::kSteps) == plan.expected.analytic_steps);
  CHECK(platform.device.size() == platform.device.received() + 8 * nodes * words);

  const Arithmetic arithmetic = hardware_arithmetic(plan);
  for (std::uint64_t round = 1; round <= 2; ++round) {
    std::vector<std::uint64_t> own(nodes * words);
    // Bits above a word are ignored.
    for (std::uint64_t i = 0; i < own.size(); ++i) {
      own[i] = (round * 77 + i) * 0x9e3779b97f4a7c15U;
      if (request.collective == "barrier") own[i] |= round == 1 || i != 3 ? 1U : 0U;
      if (request.collective == "barrier" && round == 2 && i == 3) own[i] &= ~std::uint64_t{1};
    }
    REQUIRE(platform.access(tlm::TLM_WRITE_COMMAND, reg::kOwn, own.data(),
                            static_cast<unsigned>(8 * own.size())) == tlm::TLM_OK_RESPONSE);
    platform.write(reg::kMemoryEnable, round - 1);
    platform.write(reg::kMemoryBase, 0x10000);
    platform.write(reg::kControl, reg::kStart);
    // Packets written now belong to the next round.
    Platform::cycles(2);
    platform.write(reg::kOwn, ~own[0]);
    Platform::cycles(static_cast<int>(*plan.expected.analytic_steps + nodes * words) + 4);
    CHECK(platform.read(reg::kStatus) == reg::kDone);
    std::size_t wanted = 0;
    for (std::uint64_t word = 0; word < words; ++word) {
      std::uint64_t right = 0;
      for (int lane = 0; lane < link_words(plan).lanes(); ++lane) {
        const auto lsb = static_cast<unsigned>(lane * arithmetic.bits);
        std::uint64_t sum = own[word] >> lsb & arithmetic.mask();
        for (NodeId node = 1; node < nodes; ++node) {
          if (!row.topology.has_core(node)) continue;
          sum = arithmetic.combine(sum, own[node * words + word] >> lsb & arithmetic.mask());
        }
        right |= sum << lsb;
      }
      for (NodeId node = 0; node < nodes; ++node) {
        if (!row.topology.has_core(node)) continue;
        if (plan.demand.to == Destination::kRoot && node != plan.demand.root) continue;
        if (plan.demand.to == Destination::kOwner && word / (words / nodes) != node) continue;
        ++wanted;
        const std::uint64_t at = 8 * (node * words + word);
        CHECK(platform.read(platform.device.received() + at) == right);
        if (round == 2) CHECK(platform.written.at(0x10000 + at) == right);
      }
    }
    CHECK(platform.written.size() == (round == 2 ? wanted : 0));
  }
}

TEST_CASE("an elastic network's round takes the cycles of the recursion",
          "[systemc][tlm][elastic]") {
  struct Row {
    Topology topology;
    const char* collective;
    const char* algorithm;
    const char* chunk;
    const char* slots;
    const char* latency;
  };
  // Full rate; queues that are too short for it; forks; sums of one leg and two.
  const auto row = GENERATE(values<Row>(
      {{Topology::torus(std::array{4U, 4U}), "gossip", "hamiltonian", "auto", "auto",
        "x=1,wrap-x=3"},
       {Topology::torus(std::array{3U, 4U}), "gossip", "hamiltonian", "3", "2", "2"},
       {Topology::torus(std::array{8U, 6U}), "gossip", "zigzag", "2", "3", "1"},
       {Topology::mesh(std::array{4U, 3U}), "gossip", "array", "auto", "auto", "2"},
       {Topology::torus(std::array{3U, 5U}), "reduce-scatter", "hamiltonian", "2", "3", "1"},
       {Topology::torus(std::array{4U, 4U}), "all-reduce", "hamiltonian", "2", "4", "2"}}));
  PlanRequest request{row.topology, row.collective, row.algorithm, {}, {}};
  request.parameters = {{"elastic", true},
                        {"flits", std::int64_t{6}},
                        {"chunk", std::string(row.chunk)},
                        {"slots", std::string(row.slots)},
                        {"link-latency", std::string(row.latency)}};
  if (request.algorithm == "zigzag") request.parameters["packets"] = std::int64_t{1};
  const bool reduces = request.collective != "gossip";
  if (reduces) request.parameters["operation"] = std::string("max");
  const Plan plan = proved(make_plan(request), "plan", {});
  INFO(row.collective << " " << row.algorithm << " " << row.topology.dims_text());
  const auto recursion = make_fast_engine(plan);
  while (!recursion->done()) recursion->clock(1 + recursion->quiet());
  const std::uint64_t cycles = recursion->statistics().cycles;

  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Platform platform("platform", plan);
  platform.power_on();
  const std::uint64_t nodes = row.topology.nodes();
  const std::uint64_t words = platform.read(reg::kPackets);
  CHECK(words == 6 * (reduces ? plan.demand.pieces : packets_per_node(plan)));
  // The first of them is cycle 0.
  CHECK(platform.read(reg::kSteps) == cycles + 1);
  const std::uint64_t each = reduces ? words : nodes * words;
  const Arithmetic arithmetic = reduces ? hardware_arithmetic(plan) : Arithmetic{};
  for (std::uint64_t round = 1; round <= 2; ++round) {
    std::vector<std::uint64_t> own(nodes * words);
    for (std::uint64_t i = 0; i < own.size(); ++i) own[i] = (round * 77 + i) * 0x9e3779b97f4a7c15U;
    REQUIRE(platform.access(tlm::TLM_WRITE_COMMAND, reg::kOwn, own.data(),
                            static_cast<unsigned>(8 * own.size())) == tlm::TLM_OK_RESPONSE);
    const auto wrong = [&] {
      std::uint64_t count = 0;
      std::vector<std::uint64_t> got(nodes * each);
      REQUIRE(platform.access(tlm::TLM_READ_COMMAND, platform.device.received(), got.data(),
                              static_cast<unsigned>(8 * got.size())) == tlm::TLM_OK_RESPONSE);
      for (NodeId node = 0; node < nodes; ++node) {
        for (std::uint64_t word = 0; word < each; ++word) {
          if (plan.demand.to == Destination::kOwner && word / (words / nodes) != node) continue;
          std::uint64_t right = own[word];
          if (reduces) {
            right &= arithmetic.mask();
            for (NodeId other = 1; other < nodes; ++other) {
              right = arithmetic.combine(right, own[other * words + word] & arithmetic.mask());
            }
          }
          if (got[node * each + word] != right) ++count;
        }
      }
      return count;
    };
    platform.write(reg::kControl, reg::kStart);
    // Clear, start, and all cycles but the last.
    Platform::cycles(static_cast<int>(3 + cycles));
    CHECK(platform.read(reg::kStatus) == reg::kBusy);
    // Zigzag's last flits come a second time.
    if (request.algorithm != "zigzag") CHECK(wrong() > 0);
    Platform::cycles(1);
    CHECK(platform.read(reg::kStatus) == reg::kDone);
    CHECK(wrong() == 0);
  }
}

TEST_CASE("an elastic plan that deadlocks cannot be a TLM device", "[systemc][tlm][elastic]") {
  PlanRequest request{Topology::torus(std::array{4U, 4U}), "gossip", "hamiltonian", {}, {}};
  request.parameters = {{"elastic", true},
                        {"flits", std::int64_t{2}},
                        {"chunk", std::string("2")},
                        {"slots", std::string("2")}};
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  CHECK_THROWS_AS(TlmCollective("device", make_plan(request)), std::invalid_argument);
}

TEST_CASE("a damaged network's round delivers all packets of live nodes",
          "[systemc][tlm][faults]") {
  const Topology topology =
      with_named_faults(Topology::torus(std::array{4U, 4U}), "node:1,1 link:2,2:x+");
  const Plan plan = plan_of(topology, "degraded");
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Platform platform("platform", plan);
  platform.power_on();
  const std::uint64_t nodes = topology.nodes();
  const std::uint64_t packets = nodes * packets_per_node(plan);
  std::vector<std::uint64_t> own(packets);
  for (std::uint64_t i = 0; i < packets; ++i) own[i] = i + 1;
  REQUIRE(platform.access(tlm::TLM_WRITE_COMMAND, reg::kOwn, own.data(),
                          static_cast<unsigned>(8 * packets)) == tlm::TLM_OK_RESPONSE);
  platform.write(reg::kControl, reg::kStart);
  Platform::cycles(static_cast<int>(*plan.expected.analytic_steps) + 4);
  CHECK(platform.read(reg::kStatus) == reg::kDone);
  for (NodeId node = 0; node < nodes; ++node) {
    for (std::uint64_t id = 0; id < packets; ++id) {
      const auto origin = static_cast<NodeId>(id / packets_per_node(plan));
      const bool comes = topology.has_core(node) && topology.has_core(origin);
      CHECK(platform.read(platform.device.received() + 8 * (node * packets + id)) ==
            (comes ? own[id] : 0));
    }
  }
}

TEST_CASE("a round that is cleared or reset half-way leaves no state", "[systemc][tlm]") {
  const auto topology = Topology::torus(std::array{5U, 4U});
  const Plan plan = plan_of(topology, "hamiltonian");
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Platform platform("platform", plan);
  platform.power_on();
  const std::uint64_t packets = 40;
  for (const bool reset : {false, true}) {
    platform.write(reg::kControl, reg::kStart);
    Platform::cycles(6);
    REQUIRE(platform.read(reg::kStatus) == reg::kBusy);
    if (reset) {
      platform.rst_n.write(false);
      Platform::cycles(1);
      platform.rst_n.write(true);
    } else {
      platform.write(reg::kControl, reg::kClear);
    }
    Platform::cycles(3);
    REQUIRE(platform.read(reg::kStatus) == 0);
    std::vector<std::uint64_t> own(packets, reset ? 7 : 9);
    platform.access(tlm::TLM_WRITE_COMMAND, reg::kOwn, own.data(), 8 * packets);
    platform.write(reg::kControl, reg::kStart);
    Platform::cycles(20);
    REQUIRE(platform.read(reg::kStatus) == reg::kDone);
    for (std::uint64_t i = 0; i < 20 * packets; ++i) {
      REQUIRE(platform.read(platform.device.received() + 8 * i) == own[0]);
    }
  }
}

TEST_CASE("illegal bus accesses get the response of TLM-2.0 and have no effect", "[systemc][tlm]") {
  const Plan plan = plan_of(Topology::torus(std::array{4U, 3U}), "hamiltonian");
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  Platform platform("platform", plan);
  platform.power_on();
  std::array<std::uint64_t, 4> data = {1, 2, 3, 4};
  const auto write = [&](std::uint64_t address, unsigned bytes) {
    return platform.access(tlm::TLM_WRITE_COMMAND, address, data.data(), bytes);
  };
  const auto read = [&](std::uint64_t address, unsigned bytes) {
    return platform.access(tlm::TLM_READ_COMMAND, address, data.data(), bytes);
  };
  CHECK(write(reg::kStatus, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(read(reg::kControl, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(read(0x40, 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(write(platform.device.received(), 8) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(write(platform.device.received() - 8, 16) == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(platform.read(platform.device.received() - 8) == 0);
  CHECK(read(platform.device.size(), 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(read(platform.device.size() - 8, 16) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(read(~std::uint64_t{7}, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(read(reg::kNodes + 4, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(read(reg::kNodes, 4) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(platform.access(tlm::TLM_READ_COMMAND, reg::kNodes, data.data(), 16, 8) ==
        tlm::TLM_BURST_ERROR_RESPONSE);
  tlm::tlm_generic_payload peek;
  peek.set_command(tlm::TLM_READ_COMMAND);
  peek.set_address(reg::kNodes);
  peek.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
  peek.set_data_length(24);
  CHECK(platform.bus->transport_dbg(peek) == 24);
  CHECK(data[0] == 12);
  CHECK(data[1] == 2);
  CHECK(data[2] == 6);
}

TEST_CASE("plans that are not a round of streams cannot be a TLM device", "[systemc][tlm]") {
  SimulationContext context;
  const SimulationContext::Scope scope(context);
  const Plan scheduled = plan_of(Topology::torus(std::array{4U, 3U}), "scheduled");
  CHECK_THROWS_AS(TlmCollective("device", scheduled), std::invalid_argument);
}
