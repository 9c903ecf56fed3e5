// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/diagnosis.hpp"

#include <array>
#include <memory>
#include <utility>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Derives the cycles from the plan's tables, and the dead arcs from the received packets.
class Diagnostician {
 public:
  Diagnostician(const Plan& plan, const Received& received)
      : topology_(plan.topology), program_(plan.program.as<StreamProgram>()), received_(received) {}

  Topology find() {
    Faults faults;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (const Port port : all_ports(topology_.ports())) {
        if (!brings_own(node, port)) faults.dead_arcs.push_back(topology_.link(node, port));
      }
    }
    for (NodeId node = 0; node < topology_.nodes(); ++node) look_at(node, faults);
    return topology_.with_faults(std::move(faults));
  }

 private:
  [[nodiscard]] PacketId own(NodeId node, Port out) const {
    return PacketId{node} * program_.packets_per_node() + program_.at(node, out).preload.front();
  }
  /// The neighbour has the node's own packet of that output port.
  [[nodiscard]] bool brings_own(NodeId node, Port out) const {
    return received_.has(topology_.neighbor(node, out), own(node, out));
  }
  /// The neighbour has a packet from the node before this one on the cycle.
  [[nodiscard]] bool passes_on(NodeId node, Port out) const {
    const Port in = program_.at(node, out).feed.front();
    return received_.has(topology_.neighbor(node, out),
                         own(topology_.neighbor(node, in), opposite(in)));
  }

  void look_at(NodeId node, Faults& faults) const {
    bool any_out = false;
    bool any_in = false;
    bool any_passed = false;
    for (const Port port : all_ports(topology_.ports())) {
      any_out = any_out || brings_own(node, port);
      any_in = any_in || brings_own(topology_.neighbor(node, port), opposite(port));
      any_passed = any_passed || passes_on(node, port);
    }
    if (any_out || (any_in && !any_passed)) return;
    // No node has a packet of this node.
    if (!any_passed) {
      faults.dead_nodes.push_back(node);
      return;
    }
    faults.dead_cores.push_back(node);
    for (const Port port : all_ports(topology_.ports())) {
      if (!passes_on(node, port)) continue;
      // The paths to and from the dead core are alive, although it cannot report that.
      const Port in = program_.at(node, port).feed.front();
      std::erase(faults.dead_arcs, topology_.link(node, port));
      std::erase(faults.dead_arcs, topology_.link(topology_.neighbor(node, in), opposite(in)));
    }
  }

  const Topology& topology_;
  const StreamProgram& program_;
  const Received& received_;
};

bool is_self_test(const Plan& plan) {
  const Topology& topology = plan.topology;
  if (plan.algorithm != "hamiltonian" || !plan.program.is<StreamProgram>() ||
      !topology.is_torus() || !topology.is_healthy() || topology.nodes() < 3 ||
      plan.demand != Demand::all_gather(static_cast<std::uint64_t>(topology.dimensions()))) {
    return false;
  }
  const auto& program = plan.program.as<StreamProgram>();
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (const Port port : all_ports(topology.ports())) {
      const StreamPort& at = program.at(node, port);
      if (topology.neighbor(node, port) == kNoNode || at.preload.size() != 1 ||
          at.feed.size() != 1 || at.switch_step != 0) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

Diagnosis diagnose(const Plan& plan, const Received& received) {
  if (!is_self_test(plan)) {
    throw InputError(
        "diagnose: the self-test must be a hamiltonian all-gather on a healthy torus without sides "
        "of 1, with one packet per dimension");
  }
  Diagnosis diagnosis{Diagnostician(plan, received).find(), true};
  const Faults& found = diagnosis.found.faults();
  // The same run on a machine with these faults.
  Plan machine = plan;
  auto& program = machine.program.edit<StreamProgram>();
  Received expected(plan);
  for (const NodeId node : found.dead_cores) {
    for (const Port port : all_ports(program.ports())) {
      StreamPort entry = program.at(node, port);
      entry.preload.clear();
      program.set(node, port, entry);
    }
  }
  const std::unique_ptr<Engine> engine =
      make_broken_machine(machine, std::array{Break{.what = found}},
                          [](const Plan& broken) { return make_fast_engine(broken); });
  const std::uint64_t steps = plan.topology.nodes() / 2;
  for (std::uint64_t step = 0; step < steps; ++step) {
    (void)expected.on_links(engine->links());
    engine->clock(1);
  }
  const std::uint64_t packets = plan.topology.nodes() * plan.demand.pieces;
  for (NodeId node = 0; node < plan.topology.nodes() && diagnosis.explained; ++node) {
    const bool core = diagnosis.found.has_core(node);
    // A dead core's own packets count as missing; passing packets may be reported.
    if (!core && received.is_silent(node)) continue;
    for (PacketId packet = 0; packet < packets; ++packet) {
      if (!core && packet / plan.demand.pieces == node) continue;
      if (expected.has(node, packet) != received.has(node, packet)) diagnosis.explained = false;
    }
  }
  return diagnosis;
}

}  // namespace gossamer
