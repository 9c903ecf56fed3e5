// SPDX-License-Identifier: Apache-2.0
#include "gossamer/gossip/folded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kFrame = 2;

/// A port in one slot, as StreamProgram numbers it.
Port in_slot(Port port, std::uint32_t slot) { return static_cast<Port>(port * kFrame + slot); }

/// Line position of a ring node of a ring of p.
std::uint32_t position_of(std::uint32_t ring_node, std::uint32_t p) {
  return ring_node <= (p - 1) / 2 ? 2 * ring_node : 2 * (p - 1 - ring_node) + 1;
}

/// A port of a torus node in one dimension, as the mesh has it.
struct Reach {
  /// The mesh port towards the ring neighbour.
  Port port;
  /// Two mesh links away, else one.
  bool two_links;
  /// Slots in which a packet leaves for the neighbour and arrives from it.
  std::uint32_t leaves;
  std::uint32_t arrives;
};

Reach reach(std::uint32_t ring_node, std::uint32_t p, Port torus_port) {
  const bool positive = is_positive(torus_port);
  const std::uint32_t here = position_of(ring_node, p);
  const std::uint32_t there = position_of((positive ? ring_node + 1 : ring_node + p - 1) % p, p);
  const Port port = make_port(dimension_of(torus_port), there > here);
  if (there == here + 2 || here == there + 2) return {port, true, 0, 1};
  if (p == 2) return {port, false, positive ? 0U : 1U, positive ? 1U : 0U};
  const auto is_end = [p](std::uint32_t at) { return at == 0 || at == p - 1; };
  return {port, false, is_end(here) ? 1U : 0U, is_end(there) ? 1U : 0U};
}

}  // namespace

Plan plan_folded(const Plan& torus_plan) {
  const Topology& torus = torus_plan.topology;
  if (!torus.is_torus()) throw std::logic_error("folded: the plan to fold is not on a torus");
  const auto* table = std::get_if<StreamProgram>(&torus_plan.program);
  if (table == nullptr || table->frame() != 1) {
    throw InfeasibleError(fmt::format(
        "folded: {} is no plan of hardwired streams, which alone can be folded; nearest "
        "feasible: --torus-algorithm hamiltonian",
        torus_plan.algorithm));
  }
  const StreamProgram& streams = *table;
  if (torus.dimensions() > 4) {
    throw InfeasibleError(
        fmt::format("folded: {} dimensions, and a table in two slots has room for 4; "
                    "nearest feasible: 4 dimensions, or --algorithm array",
                    torus.dimensions()));
  }
  for (const PortProgram& program : streams.dictionary()) {
    if (program.has_fan_in() || program.switch_step > 0) {
      throw InfeasibleError(fmt::format(
          "folded: {} joins or switches streams at an out-port, whose order two steps for one "
          "would change; nearest feasible: --torus-algorithm hamiltonian",
          torus_plan.algorithm));
    }
  }

  if (streams.combine && streams.combine->blocks != torus.nodes()) {
    throw InfeasibleError(
        fmt::format("folded: {} combines along straight lines, which folding bends; nearest "
                    "feasible: --torus-algorithm hamiltonian",
                    torus_plan.algorithm));
  }
  const Topology mesh = Topology::mesh(torus.sides());
  StreamProgram framed(mesh.nodes(), static_cast<int>(kFrame) * mesh.ports(),
                       streams.packets_per_node(), kFrame);
  framed.combine = streams.combine;
  const std::size_t cycles = streams.combine ? streams.combine->cycles() : 0;
  std::uint32_t depth = 1;
  // Programs are interned once for each kind, not once for each port. Straight on at the node in
  // between, by the mesh port that is left:
  std::vector<std::uint32_t> pass_codes;
  for (int p = 0; p < mesh.ports(); ++p) {
    PortProgram pass;
    pass.feed = PortSet::of(in_slot(opposite(static_cast<Port>(p)), 0));
    pass_codes.push_back(framed.intern(pass));
  }
  // A torus program with another feed, by the torus plan's code and the new feed; 0 until needed.
  const auto feeds = static_cast<std::size_t>(framed.ports());
  std::vector<std::uint32_t> codes(streams.dictionary().size() * feeds, 0);
  for (NodeWalk walk(torus); !walk.done(); walk.next()) {
    Coordinates at = walk.coordinates();
    std::array<Reach, kMaxPorts> reaches{};
    for (const Port port : all_ports(torus.ports())) {
      const int dim = dimension_of(port);
      reaches[port] =
          reach(walk.coordinates()[static_cast<std::size_t>(dim)], torus.side(dim), port);
    }
    for (int dim = 0; dim < torus.dimensions(); ++dim) {
      std::uint32_t& x = at[static_cast<std::size_t>(dim)];
      x = position_of(x, torus.side(dim));
    }
    const NodeId node = mesh.node(at);
    for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
      framed.combine->ranks[node * cycles + cycle] =
          streams.combine->ranks[walk.node() * cycles + cycle];
    }
    for (const Port port : all_ports(torus.ports())) {
      const Reach& out = reaches[port];
      if (out.two_links) {
        framed.set_code(mesh.neighbor(node, out.port), in_slot(out.port, 1), pass_codes[out.port]);
      }
      const std::uint32_t torus_code = streams.code(walk.node(), port);
      const PortProgram& program = streams.dictionary()[torus_code];
      auto waiting = static_cast<std::uint32_t>(program.preload.size()) + (program.lane ? 1 : 0);
      std::uint32_t code = 0;
      if (program.feed.empty()) {
        code = framed.intern(program);
      } else {
        const Reach& in = reaches[program.feed.front()];
        const Port feed = in_slot(in.port, in.arrives);
        std::uint32_t& known = codes[torus_code * feeds + feed];
        if (known == 0) {
          PortProgram moved = program;
          moved.feed = PortSet::of(feed);
          known = framed.intern(moved);
        }
        code = known;
        // What arrives in the first slot waits behind the preload when its turn is in the second.
        if (in.arrives == 0 && out.leaves == 1) ++waiting;
      }
      depth = std::max(depth, waiting);
      framed.set_code(node, in_slot(out.port, out.leaves), code);
    }
  }

  Plan plan{mesh,
            torus_plan.collective,
            "folded",
            torus_plan.parameters,
            torus_plan.demand,
            std::move(framed),
            {}};
  plan.parameters["torus-algorithm"] = torus_plan.algorithm;
  if (const auto steps = torus_plan.expected.analytic_steps) {
    plan.expected.bound_steps = bounds::folded_steps(*steps);
    // Where packets are dealt unevenly the last torus step may have nothing in its second half.
    const std::uint32_t packets = streams.packets_per_node();
    const auto d = static_cast<std::uint32_t>(torus.dimensions());
    const bool even = packets < d || packets % d == 0;
    const bool exact = even && std::all_of(torus.sides().begin(), torus.sides().end(),
                                           [](std::uint32_t side) { return side >= 3; });
    if (streams.combine) {
      // A combining register takes its next word at the end of a torus step.
      plan.expected.analytic_steps = plan.expected.bound_steps;
      plan.expected.analytic_cycles = plan.expected.analytic_steps;
    } else if (exact && torus_plan.algorithm == "hamiltonian") {
      // On a line the last torus step brings something new in its first half only, when k (P - 1)
      // is odd: the end's one link carries that many packets, one in every step.
      plan.expected.analytic_steps = mesh.dimensions() == 1
                                         ? bounds::array_steps(mesh, streams.packets_per_node())
                                         : *plan.expected.bound_steps;
      plan.expected.analytic_cycles = plan.expected.analytic_steps;
    }
  }
  plan.expected.lower_bound_steps = bounds::lower_bound(mesh, plan.demand);
  plan.expected.queue_depth = depth;
  return plan;
}

}  // namespace gossamer
