// SPDX-License-Identifier: Apache-2.0
/// A chip that continues after its links die.
///
/// An all-gather runs round after round on an 8x8 torus. A link dies silently between two rounds,
/// and a node dies during a round, with garbage on its links. An element reports done only when it
/// has all packets. If some do not, a round with the self-test's tables finds the dead links, a
/// plan that avoids them is made, its tables are loaded, and the collective continues.
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "gossamer/collectives/all_gather/diagnosis.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/broken_machine.hpp"
#include "gossamer/systemc/stream/router.hpp"
#include "gossamer/verify/verify.hpp"

namespace {

using gossamer::LinkId;
using gossamer::NodeId;
using gossamer::PacketId;
using gossamer::Plan;

/// A node: a router with loadable tables, and an element that stores its deliveries.
class Tile : public gossamer::systemc::StreamRouter {
 public:
  Tile(const sc_core::sc_module_name& name, const Plan& plan, NodeId node)
      : StreamRouter(name, gossamer::systemc::router_table(plan, node)),
        node_(node),
        ports_(static_cast<std::size_t>(plan.topology.ports())) {
    expect(plan);
  }

  /// Sets the tables and the expected packets, from the next round on. The plan must outlive them.
  void load_plan(const Plan& plan) {
    load(gossamer::systemc::router_table(plan, node_));
    expect(plan);
  }

  void clear() override {
    StreamRouter::clear();
    has_.assign(wanted_.size(), false);
    for (PacketId c = 0; c < packets_; ++c) has_[node_ * packets_ + c] = true;
  }

  std::uint64_t clock(const gossamer::systemc::PacketEdge& edge) override {
    for (std::size_t port = 0; port < ports_; ++port) {
      // Other numbers are not packets: garbage counts as missing.
      if (edge.in(port) < has_.size()) has_[edge.in(port)] = true;
    }
    return edge.cycle() < steps_ ? StreamRouter::clock(edge) : gossamer::systemc::kUntilArrival;
  }

  [[nodiscard]] bool has(PacketId packet) const { return has_[packet]; }
  /// The element has every expected packet.
  [[nodiscard]] bool is_done() const {
    for (PacketId packet = 0; packet < has_.size(); ++packet) {
      if (wanted_[packet] && !has_[packet]) return false;
    }
    return true;
  }

 private:
  void expect(const Plan& plan) {
    steps_ = *plan.expected.analytic_steps;
    packets_ = plan.demand.pieces;
    wanted_.assign(plan.topology.nodes() * packets_, false);
    for (PacketId packet = 0; packet < wanted_.size(); ++packet) {
      wanted_[packet] = plan.topology.has_core(static_cast<NodeId>(packet / packets_));
    }
    has_.assign(wanted_.size(), false);
  }

  NodeId node_;
  std::size_t ports_;
  std::uint64_t steps_ = 0;
  PacketId packets_ = 0;
  std::vector<bool> wanted_;
  std::vector<bool> has_;
};

/// The chip with its clock, its elements and its broken parts.
class Chip {
 public:
  explicit Chip(const Plan& plan)
      : plan_(&plan), fabric_("fabric", plan.topology, [this](const char* name, NodeId node) {
          auto tile = std::make_unique<Tile>(name, *plan_, node);
          tiles_.push_back(tile.get());
          return tile;
        }) {
    fabric_.clk_i(clk_);
    fabric_.rst_ni(rst_n_);
    fabric_.clear_i(clear_);
    fabric_.start_i(start_);
    cycle();
    rst_n_.write(true);
    cycle();
  }

  void load(const Plan& plan) {
    plan_ = &plan;
    for (Tile* const tile : tiles_) tile->load_plan(plan);
  }
  /// From cycle `since` of the next round on, and in all later rounds.
  void break_links(std::vector<LinkId> links, PacketId carry, std::uint64_t since) {
    broken_.push_back({std::move(links), carry, since});
  }
  void bury(NodeId node) { buried_.push_back(node); }

  /// Runs one round; true if every live element is done.
  bool round() {
    const std::uint64_t steps = *plan_->expected.analytic_steps;
    start_.write(true);
    cycle();
    start_.write(false);
    for (std::uint64_t step = 1; step <= steps; ++step) {
      for (const Broken& broken : broken_) {
        if (step < broken.since) continue;
        for (const LinkId link : broken.links) static_cast<void>(fabric_.force(link, broken.carry));
      }
      cycle();
    }
    for (Broken& broken : broken_) broken.since = 1;
    std::size_t done = 0;
    std::size_t alive = 0;
    for (NodeId node = 0; node < tiles_.size(); ++node) {
      if (is_buried(node)) continue;
      ++alive;
      if (tiles_[node]->is_done()) ++done;
    }
    std::cout << "  a round of " << steps << " steps: " << done << " of " << alive
              << " elements are done\n";
    return done == alive;
  }

  /// The reports of all elements after a round. Dead elements do not report.
  void report(gossamer::Received& received) const {
    for (NodeId node = 0; node < tiles_.size(); ++node) {
      for (PacketId p = 0; p < plan_->topology.nodes() * plan_->demand.pieces; ++p) {
        if (!is_buried(node) && tiles_[node]->has(p)) received.add(node, p);
      }
    }
  }

 private:
  struct Broken {
    std::vector<LinkId> links;
    PacketId carry;
    std::uint64_t since;
  };
  static void cycle() { sc_core::sc_start(1, sc_core::SC_NS); }
  [[nodiscard]] bool is_buried(NodeId node) const {
    for (const NodeId dead : buried_) {
      if (dead == node) return true;
    }
    return false;
  }

  const Plan* plan_;
  std::vector<Tile*> tiles_;
  std::vector<Broken> broken_;
  std::vector<NodeId> buried_;
  sc_core::sc_clock clk_{"clk", 1, sc_core::SC_NS, 0.5, 0.5, sc_core::SC_NS, true};
  sc_core::sc_signal<bool> rst_n_{"rst_n"};
  sc_core::sc_signal<bool> clear_{"clear"};
  sc_core::sc_signal<bool> start_{"start"};
  gossamer::systemc::PacketFabric fabric_;
};

/// All arcs into and out of a node.
std::vector<LinkId> links_of(const gossamer::Topology& torus, NodeId node) {
  std::vector<LinkId> links;
  for (int p = 0; p < torus.ports(); ++p) {
    const auto port = static_cast<gossamer::Port>(p);
    links.push_back(torus.link(node, port));
    links.push_back(torus.link_into(node, port));
  }
  return links;
}

/// Runs the self-test on the chip in its present state, and plans around the faults found. Empty if
/// no set of faults explains the run, or if the plan is not proved.
std::unique_ptr<Plan> replan(Chip& chip, const Plan& self_test) {
  chip.load(self_test);
  static_cast<void>(chip.round());
  gossamer::Received received(self_test, false);
  chip.report(received);
  const gossamer::Diagnosis diagnosis = gossamer::diagnose(self_test, received);
  if (!diagnosis.explained) return nullptr;
  std::cout << "  dead:";
  for (const std::string& line : gossamer::fault_lines(diagnosis.found)) std::cout << " " << line;
  std::cout << "\n";
  auto plan = std::make_unique<Plan>(gossamer::make_plan({diagnosis.found, "gossip", "", {}, {}}));
  if (!gossamer::verify(*plan).ok()) return nullptr;
  chip.load(*plan);
  return plan;
}

}  // namespace

int sc_main(int /*argc*/, char** /*argv*/) {
  const auto torus = gossamer::Topology::torus(std::array{8U, 8U});
  const Plan healthy = gossamer::make_plan({torus, "gossip", "hamiltonian", {}, {}});
  Chip chip(healthy);
  std::cout << "a healthy chip\n";
  if (!chip.round()) return 1;

  std::cout << "link 3,4:x+ dies between two rounds\n";
  const LinkId arc = gossamer::parse_arc(torus, "3,4:x+", "link");
  chip.break_links({arc, gossamer::reverse_arc(torus, arc)}, gossamer::kNoPacket, 1);
  if (chip.round()) return 1;
  const auto first = replan(chip, healthy);
  if (first == nullptr || !chip.round()) return 1;

  std::cout << "node 6,1 dies in the middle of a round, with garbage on its links\n";
  const NodeId node = gossamer::parse_node(torus, "6,1", "node");
  chip.break_links(links_of(torus, node), gossamer::kGarbage, 20);
  chip.bury(node);
  if (chip.round()) return 1;
  const auto second = replan(chip, healthy);
  if (second == nullptr || !chip.round() || !chip.round()) return 1;
  std::cout << "the collective goes on\n";
  return 0;
}
