// SPDX-License-Identifier: Apache-2.0
/// A processing element of one's own on a pin-level Network.
///
/// Every node of a 4x4 torus has two readings. Each element offers its own to the network, the
/// gossip brings it everybody else's, and when its network interface says that the round is over it
/// adds them all up.
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <systemc>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/systemc/network.hpp"

namespace {

using gossamer::NodeId;
using gossamer::PacketId;
using gossamer::Port;

constexpr std::uint32_t kReadings = 2;

/// A flit carries who measured and what: the upper and lower 32 bits.
constexpr PacketId flit(std::uint32_t reading_number, std::uint32_t value) {
  return PacketId{reading_number} << 32U | value;
}

class ProcessingElement : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_vector<sc_core::sc_out<PacketId>> own_data_o{"own_data_o", kReadings};
  sc_core::sc_vector<sc_core::sc_in<bool>> deliver_valid_i;
  sc_core::sc_vector<sc_core::sc_in<PacketId>> deliver_data_i;
  sc_core::sc_in<bool> done_i{"done_i"};

  ProcessingElement(const sc_core::sc_module_name& name, NodeId node, std::size_t ports)
      : sc_core::sc_module(name),
        deliver_valid_i("deliver_valid_i", ports),
        deliver_data_i("deliver_data_i", ports),
        node_(node) {
    SC_HAS_PROCESS(ProcessingElement);
    SC_METHOD(offer);
    SC_METHOD(receive);
    dont_initialize();
    sensitive << clk_i.pos();
  }

  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] std::size_t readings() const { return values_.size(); }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  /// Once, at the start of the simulation.
  void offer() {
    for (std::uint32_t i = 0; i < kReadings; ++i) {
      const std::uint32_t number = node_ * kReadings + i;
      const std::uint32_t value = 100 + number;
      values_[number] = value;
      own_data_o[i].write(flit(number, value));
    }
  }
  void receive() {
    for (std::size_t port = 0; port < deliver_valid_i.size(); ++port) {
      if (!deliver_valid_i[port].read()) continue;
      const PacketId data = deliver_data_i[port].read();
      values_[static_cast<std::uint32_t>(data >> 32U)] = static_cast<std::uint32_t>(data);
    }
    if (done_i.read() && !finished_) {
      finished_ = true;
      for (const auto& [number, value] : values_) sum_ += value;
    }
  }

  NodeId node_;
  std::map<std::uint32_t, std::uint32_t> values_;
  std::uint64_t sum_ = 0;
  bool finished_ = false;
};

/// Gossip on two Hamiltonian cycles of a torus with even sides: routers in even columns and in the
/// last one connect y- with x+ and y+ with x-, the others y- with x- and y+ with x+.
gossamer::Plan make_plan(std::uint32_t columns, std::uint32_t rows) {
  const auto torus = gossamer::Topology::torus(std::array{columns, rows});
  const auto partner = [&](NodeId node, Port port) {
    const std::uint32_t column = torus.coordinates(node)[0];
    const bool even = column % 2 == 0 || column == columns - 1;
    return static_cast<Port>(even ? 3 - port : port ^ 2U);
  };
  // The cycle through node 0's x+ port carries everybody's packet 0, the other one packet 1.
  std::vector<std::uint16_t> packet(torus.link_slots(), 1);
  NodeId node = 0;
  Port out = 1;
  do {
    packet[torus.link(node, out)] = 0;
    node = torus.neighbor(node, out);
    const Port in = gossamer::opposite(out);
    packet[torus.link(node, in)] = 0;
    out = partner(node, in);
  } while (node != 0 || out != 1);

  gossamer::StreamProgram program(torus.nodes(), torus.ports(), kReadings);
  for (node = 0; node < torus.nodes(); ++node) {
    for (Port port = 0; port < torus.ports(); ++port) {
      gossamer::PortProgram told;
      told.feed = gossamer::PortSet::of(partner(node, port));
      told.preload = {packet[torus.link(node, port)]};
      program.set(node, port, told);
    }
  }
  return {.topology = torus,
          .collective = "gossip",
          .algorithm = "example",
          .parameters = {},
          .program = std::move(program),
          .expected = {}};
}

}  // namespace

int sc_main(int /*argc*/, char** /*argv*/) {
  const gossamer::Plan plan = make_plan(4, 4);
  const std::uint32_t nodes = plan.topology.nodes();
  const auto ports = static_cast<std::size_t>(plan.topology.ports());
  const std::uint64_t steps = nodes / 2;

  const sc_core::sc_clock clk("clk", 1, sc_core::SC_NS, 0.5, 0.5, sc_core::SC_NS, true);
  sc_core::sc_signal<bool> rst_n("rst_n");
  sc_core::sc_signal<bool> clear("clear");
  sc_core::sc_signal<bool> start("start");
  sc_core::sc_vector<sc_core::sc_signal<PacketId>> own("own", nodes * kReadings);
  sc_core::sc_vector<sc_core::sc_signal<bool>> deliver_valid("deliver_valid", nodes * ports);
  sc_core::sc_vector<sc_core::sc_signal<PacketId>> deliver_data("deliver_data", nodes * ports);
  sc_core::sc_vector<sc_core::sc_signal<bool>> busy("busy", nodes);
  sc_core::sc_vector<sc_core::sc_signal<bool>> done("done", nodes);
  sc_core::sc_vector<sc_core::sc_signal<bool>> error("error", nodes);

  gossamer::systemc::Network network("network", plan, steps);
  network.clk_i(clk);
  network.rst_ni(rst_n);
  network.clear_i(clear);
  network.start_i(start);
  network.own_data_i.bind(own);
  network.deliver_valid_o.bind(deliver_valid);
  network.deliver_data_o.bind(deliver_data);
  network.busy_o.bind(busy);
  network.done_o.bind(done);
  network.error_o.bind(error);

  sc_core::sc_vector<ProcessingElement> elements("element");
  elements.init(nodes, [&](const char* name, std::size_t node) {
    return new ProcessingElement(name, static_cast<NodeId>(node), ports);
  });
  for (std::size_t node = 0; node < nodes; ++node) {
    ProcessingElement& element = elements[node];
    element.clk_i(clk);
    element.done_i(done[node]);
    for (std::size_t i = 0; i < kReadings; ++i) element.own_data_o[i](own[node * kReadings + i]);
    for (std::size_t port = 0; port < ports; ++port) {
      element.deliver_valid_i[port](deliver_valid[node * ports + port]);
      element.deliver_data_i[port](deliver_data[node * ports + port]);
    }
  }

  const auto cycle = [] { sc_core::sc_start(1, sc_core::SC_NS); };
  cycle();
  rst_n.write(true);
  clear.write(true);
  cycle();
  clear.write(false);
  start.write(true);
  cycle();
  start.write(false);
  std::uint64_t cycles = 0;
  while (!done[0].read() && cycles < 100) {
    cycle();
    ++cycles;
  }
  cycle();

  std::uint32_t finished = 0;
  for (const ProcessingElement& element : elements) {
    if (element.finished() && element.readings() == nodes * kReadings &&
        element.sum() == elements[0].sum()) {
      ++finished;
    }
  }
  std::cout << finished << " of " << nodes << " elements have all " << nodes * kReadings
            << " readings after " << cycles << " cycles; they add up to " << elements[0].sum()
            << "\n";
  return finished == nodes ? 0 : 1;
}
