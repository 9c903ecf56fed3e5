// SPDX-License-Identifier: Apache-2.0
/// Your own processing element at every node of a fabric.
///
/// Every node of a 4x4 torus has two readings. Each tile, a stream router and an element, offers
/// its own readings to the network. The all-gather delivers the readings of all other nodes, and
/// after the round the element adds them all up.
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <systemc>
#include <vector>

#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/systemc/stream/router.hpp"

namespace {

using gossamer::NodeId;
using gossamer::PacketId;

constexpr std::uint32_t kReadings = 2;

/// A flit carries the node (upper 32 bits) and its reading (lower 32 bits).
constexpr PacketId flit(std::uint32_t reading_number, std::uint32_t value) {
  return PacketId{reading_number} << 32U | value;
}

/// A node: the router that the plan requires, and an element that observes arrivals.
class Tile : public gossamer::systemc::StreamRouter {
 public:
  /// A round lasts `steps` cycles.
  Tile(const sc_core::sc_module_name& name, const gossamer::Plan& plan, NodeId node,
       std::uint64_t steps)
      : StreamRouter(name, gossamer::systemc::router_table(plan, node)),
        ports_(static_cast<std::size_t>(plan.topology.ports())),
        steps_(steps) {
    for (std::uint32_t i = 0; i < kReadings; ++i) {
      const std::uint32_t number = node * kReadings + i;
      values_[number] = 100 + number;
      set_own(i, flit(number, values_[number]));
    }
  }

  std::uint64_t clock(const gossamer::systemc::PacketEdge& edge) override {
    for (std::size_t port = 0; port < ports_; ++port) {
      const PacketId data = edge.in(port);
      if (data == gossamer::kNoPacket) continue;
      values_[static_cast<std::uint32_t>(data >> 32U)] = static_cast<std::uint32_t>(data);
    }
    if (edge.cycle() < steps_) return StreamRouter::clock(edge);
    // The round is over: packets are no longer sent on.
    sum_ = 0;
    for (const auto& [number, value] : values_) sum_ += value;
    return gossamer::systemc::kUntilArrival;
  }

  [[nodiscard]] std::size_t readings() const { return values_.size(); }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  std::size_t ports_;
  std::uint64_t steps_;
  std::map<std::uint32_t, std::uint32_t> values_;
  std::uint64_t sum_ = 0;
};

}  // namespace

int sc_main(int /*argc*/, char** /*argv*/) {
  const auto torus = gossamer::Topology::torus(std::array{4U, 4U});
  const gossamer::Plan plan = gossamer::plan_hamiltonian(torus, {});
  const std::uint32_t nodes = plan.topology.nodes();
  const std::uint64_t steps = *plan.expected.analytic_steps;

  const sc_core::sc_clock clk("clk", 1, sc_core::SC_NS, 0.5, 0.5, sc_core::SC_NS, true);
  sc_core::sc_signal<bool> rst_n("rst_n");
  sc_core::sc_signal<bool> clear("clear");
  sc_core::sc_signal<bool> start("start");
  std::vector<const Tile*> tiles;
  gossamer::systemc::PacketFabric fabric(
      "fabric", plan.topology, [&](const char* name, NodeId node) {
        auto tile = std::make_unique<Tile>(name, plan, node, steps);
        tiles.push_back(tile.get());
        return tile;
      });
  fabric.clk_i(clk);
  fabric.rst_ni(rst_n);
  fabric.clear_i(clear);
  fabric.start_i(start);

  const auto cycle = [] { sc_core::sc_start(1, sc_core::SC_NS); };
  cycle();
  rst_n.write(true);
  start.write(true);
  cycle();
  start.write(false);
  std::uint64_t cycles = 0;
  while (!fabric.idle() && cycles < 100) {
    cycle();
    ++cycles;
  }

  std::uint32_t complete = 0;
  for (const Tile* tile : tiles) {
    if (tile->readings() == std::size_t{nodes} * kReadings && tile->sum() == tiles[0]->sum())
      ++complete;
  }
  std::cout << complete << " of " << nodes << " elements have all " << nodes * kReadings
            << " readings after " << cycles << " cycles; they add up to " << tiles[0]->sum()
            << "\n";
  return complete == nodes ? 0 : 1;
}
