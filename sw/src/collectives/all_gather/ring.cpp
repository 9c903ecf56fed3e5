// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/ring.hpp"

#include <utility>

#include "gossamer/bounds/comparison.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/machines/stream/cost.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// A step of a walk on a 2-D torus of rows.
enum class Leg : std::uint8_t { kForward, kBackward, kNextRow };

/// The moves of a Hamiltonian cycle on `rows` rows of `length` nodes, one row whole after the
/// other, from (0, 0). Either rows is even, or both are odd and rows >= length.
std::vector<Leg> walk_rows(std::uint64_t rows, std::uint64_t length) {
  // Rows that alternate in direction shift the entry to and fro. Both odd: the first `length` rows
  // all go forward and shift it once round; an even number of rows is left.
  const std::uint64_t one_way = rows % 2 == 0 ? 0 : length;
  std::vector<Leg> moves;
  moves.reserve(rows * length);
  for (std::uint64_t row = 0; row < rows; ++row) {
    const bool forward = row < one_way || (row - one_way) % 2 == 0;
    moves.insert(moves.end(), length - 1, forward ? Leg::kForward : Leg::kBackward);
    moves.push_back(Leg::kNextRow);
  }
  return moves;
}

/// The directions of a closed walk from node 0 over the first dimensions of a torus.
using Walk = std::vector<Port>;

/// A Hamiltonian cycle of (cycle) x (ring of `side` nodes in dimension `dim`).
Walk times_ring(const Walk& cycle, int dim, std::uint64_t side) {
  const Port up = make_port(dim, true);
  Walk product;
  product.reserve(cycle.size() * side);
  // The lines that are walked whole are copies of the cycle, or of the new dimension's ring.
  const bool cycle_is_row = side % 2 == 0 || (cycle.size() % 2 != 0 && side >= cycle.size());
  std::size_t at = 0;  // position on the cycle
  const auto ahead = [&] {
    product.push_back(cycle[at]);
    at = at + 1 == cycle.size() ? 0 : at + 1;
  };
  const auto back = [&] {
    at = (at == 0 ? cycle.size() : at) - 1;
    product.push_back(opposite(cycle[at]));
  };
  if (cycle_is_row) {
    for (const Leg move : walk_rows(side, cycle.size())) {
      if (move == Leg::kForward) ahead();
      if (move == Leg::kBackward) back();
      if (move == Leg::kNextRow) product.push_back(up);
    }
  } else {
    for (const Leg move : walk_rows(cycle.size(), side)) {
      if (move == Leg::kForward) product.push_back(up);
      if (move == Leg::kBackward) product.push_back(opposite(up));
      if (move == Leg::kNextRow) ahead();
    }
  }
  return product;
}

/// An output port that sends the own packet and then all arrivals of `in_port`.
StreamPort straight_on(Port in_port) {
  StreamPort entry;
  entry.feed = PortSet::of(in_port);
  entry.preload = {0};
  return entry;
}

}  // namespace

std::vector<Port> torus_hamiltonian_cycle(const Topology& torus) {
  Walk walk(torus.side(0), make_port(0, true));
  for (int dim = 1; dim < torus.dimensions(); ++dim) walk = times_ring(walk, dim, torus.side(dim));
  std::vector<Port> successor(torus.nodes());
  NodeId node = 0;
  for (const Port out_port : walk) {
    successor[node] = out_port;
    node = torus.neighbor(node, out_port);
  }
  return successor;
}

Plan plan_ring(const Topology& topology, const RingOptions& options) {
  if (!topology.is_torus()) {
    throw InfeasibleError(
        "ring: requires wraparound links, which a mesh does not have; nearest feasible: "
        "--topology torus");
  }
  const std::vector<Port> successor = torus_hamiltonian_cycle(topology);
  StreamProgram program(topology.nodes(), topology.ports(), 1);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    // Both ends of the cycle's link to the next node: where the next node receives, and sends back.
    const NodeId next = topology.neighbor(node, successor[node]);
    const Port from_node = opposite(successor[node]);
    program.set(next, successor[next], straight_on(from_node));
    if (options.two_way) program.set(next, from_node, straight_on(successor[next]));
  }
  Plan plan{topology,
            "gossip",
            options.two_way ? "ring-two-way" : "ring",
            {{"packets", std::int64_t{1}}},
            Demand::all_gather(1),
            std::move(program),
            {}};
  plan.expected.analytic_steps = options.two_way ? bounds::two_way_ring_steps(topology.nodes())
                                                 : bounds::ring_steps(topology.nodes());
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, 1);
  return plan;
}

Plan plan_shared_cycles(const Topology& topology) {
  const HamiltonianDecomposition cycles = hamiltonian_decomposition(topology);
  StreamProgram program(topology.nodes(), topology.ports(), 1);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (int out = 0; out < topology.ports(); ++out) {
      for (int in = 0; in < topology.ports(); ++in) {
        const auto out_port = static_cast<Port>(out);
        const auto in_port = static_cast<Port>(in);
        const bool same_cycle =
            cycles[topology.link(node, out_port)] == cycles[topology.link(node, in_port)];
        if (in != out && same_cycle) program.set(node, out_port, straight_on(in_port));
      }
    }
  }
  Plan plan{topology,
            "gossip",
            "shared-cycles",
            {{"packets", std::int64_t{1}}},
            Demand::all_gather(1),
            std::move(program),
            {}};
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, 1);
  return plan;
}

bool runs_on_two_hamiltonian_cycles(const Plan& plan) {
  if (!plan.program.is<StreamProgram>()) return false;
  const auto& program = plan.program.as<StreamProgram>();
  if (!plan.topology.is_torus() || !plan.topology.is_healthy() || plan.topology.dimensions() != 2 ||
      program.packets_per_node() != 1 || !program.is_plain() || !all_routers_pair_ports(program)) {
    return false;
  }
  // The two pairs of node 0 start one closed walk each; a Hamiltonian one meets every node once.
  const Port first = 0;
  const Port partner = program.at(0, first).feed.front();
  const Port second = partner == 1 ? Port{2} : Port{1};
  for (const Port start : {first, second}) {
    std::vector<bool> visited(plan.topology.nodes(), false);
    NodeId node = 0;
    Port out = start;
    std::uint64_t length = 0;
    do {
      if (visited[node]) return false;
      visited[node] = true;
      ++length;
      const Port in = opposite(out);
      node = plan.topology.neighbor(node, out);
      out = program.at(node, in).feed.front();
    } while (node != 0);
    if (length != plan.topology.nodes()) return false;
  }
  return true;
}

}  // namespace gossamer
