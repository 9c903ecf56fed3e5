// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/hamiltonian.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/array.hpp"
#include "gossamer/collectives/all_gather/hamiltonian_lift.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Cycle by cycle, which way each node's two ports face: true in forward[node * ports + port] when
/// leaving by the port follows the cycle's own direction (fixed at node 0).
std::vector<bool> forward_ports(const Topology& topology, const HamiltonianDecomposition& cycles) {
  const auto ports = static_cast<std::size_t>(topology.ports());
  std::vector<bool> forward(cycles.size(), false);
  for (int cycle = 0; cycle < topology.dimensions(); ++cycle) {
    const auto leaves_by = [&](NodeId node, int except) {
      for (int port = 0; port < topology.ports(); ++port) {
        const std::size_t at = std::size_t{node} * ports + static_cast<std::size_t>(port);
        if (cycles[at] == cycle && port != except) return static_cast<Port>(port);
      }
      throw std::logic_error("a node is not on its Hamiltonian cycle");
    };
    NodeId node = 0;
    Port out = leaves_by(0, -1);
    do {
      forward[std::size_t{node} * ports + out] = true;
      node = topology.neighbor(node, out);
      out = leaves_by(node, opposite(out));
    } while (node != 0);
  }
  return forward;
}

/// Interns port programs once per (feed, cycle, direction) instead of once per out-port.
class CodeCache {
 public:
  CodeCache(StreamProgram& program, std::vector<std::vector<std::uint16_t>> lists)
      : program_(&program), lists_(std::move(lists)) {
    codes_.assign(static_cast<std::size_t>(program.ports()) * lists_.size(), 0);
  }
  /// The code of an out-port fed by `in_port` that preloads lists[list].
  std::uint32_t code(Port in_port, std::size_t list) {
    std::uint32_t& code = codes_[in_port * lists_.size() + list];
    if (code == 0) {
      StreamPort entry;
      entry.feed = PortSet::of(in_port);
      entry.preload = lists_[list];
      code = program_->intern(entry);
    }
    return code;
  }

 private:
  StreamProgram* program_;
  std::vector<std::vector<std::uint16_t>> lists_;
  std::vector<std::uint32_t> codes_;
};

}  // namespace

HamiltonianDecomposition hamiltonian_decomposition(const Topology& topology) {
  if (!topology.is_torus()) {
    throw InfeasibleError(
        "hamiltonian: a mesh's corners have too few links for d Hamiltonian cycles; "
        "nearest feasible: --topology torus");
  }
  if (topology.dimensions() > 2) return lifted_decomposition(topology);
  HamiltonianDecomposition decomposition(topology.link_slots(), 0);
  if (topology.dimensions() == 1) return decomposition;
  const HamiltonianPair pair(topology.side(0), topology.side(1));
  auto out = decomposition.begin();
  for (std::uint32_t y = 0; y < topology.side(1); ++y) {
    for (std::uint32_t x = 0; x < topology.side(0); ++x) {
      const auto cycles = pair.cycles(x, y);
      out = std::copy(cycles.begin(), cycles.end(), out);
    }
  }
  return decomposition;
}

namespace {

Plan hamiltonian_plan(const Topology& topology, std::uint32_t k, StreamProgram program,
                      std::uint32_t depth) {
  Plan plan{topology,
            "gossip",
            "hamiltonian",
            {{"packets", std::int64_t{k}}},
            Demand::all_gather(k),
            std::move(program),
            {}};
  plan.expected.analytic_steps = bounds::hamiltonian_steps(topology, k);
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, k);
  plan.expected.bound_steps = bounds::hamiltonian_paper_bound(topology, k);
  plan.expected.queue_depth = depth;
  return plan;
}

std::vector<StreamLine> lines_of(const Topology& topology, const HamiltonianDecomposition& cycles) {
  std::vector<StreamLine> lines(static_cast<std::size_t>(topology.dimensions()));
  for (std::size_t c = 0; c < lines.size(); ++c) {
    NodeId node = 0;
    auto came = static_cast<Port>(topology.ports());
    do {
      Port out = 0;
      while (out == came || cycles[topology.link(node, out)] != c) ++out;
      lines[c].nodes.push_back(node);
      lines[c].out.push_back(out);
      node = topology.neighbor(node, out);
      came = opposite(out);
    } while (node != 0);
  }
  return lines;
}

/// The cycle of the `array` all-gather.
StreamLine array_cycle(const Topology& topology) {
  if (topology.dimensions() < 2 || topology.nodes() % 2 != 0) {
    throw InfeasibleError(
        "hamiltonian: a mesh has a cycle through all nodes with two dimensions and an even number "
        "of nodes only; nearest feasible: --topology torus, or an even side");
  }
  const Plan gossip = plan_array(topology, {});
  const auto& wiring = gossip.program.as<StreamProgram>();
  StreamLine line;
  NodeId node = 0;
  // Backward is the lane of the lower port, as on a torus.
  Port out = 0;
  for (const Port port : all_ports(topology.ports())) {
    if (!wiring.at(0, port).feed.empty()) out = port;
  }
  do {
    line.nodes.push_back(node);
    line.out.push_back(out);
    node = topology.neighbor(node, out);
    const PortSet came = PortSet::of(opposite(out));
    for (out = 0; wiring.at(node, out).feed != came; ++out) {
    }
  } while (node != 0);
  return line;
}

/// floor(k / d) packets of every node on every cycle, the rest where the most are wanted.
Plan plan_uneven(const Topology& topology, std::uint32_t k,
                 const HamiltonianDecomposition& cycles) {
  const std::vector<StreamLine> lines = lines_of(topology, cycles);
  const Dealing dealing = *deal(topology, lines, k);
  std::uint16_t depth = 1;
  for (const auto& counts : dealing.counts) {
    depth = std::max(depth, *std::max_element(counts.begin(), counts.end()));
  }
  return hamiltonian_plan(topology, k, lines_program(topology, lines, dealing.counts, k), depth);
}

}  // namespace

std::vector<StreamLine> hamiltonian_cycles(const Topology& topology, NodeId first) {
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    if (topology.side(dim) > 1) continue;
    throw InfeasibleError(
        "hamiltonian: does not support sides of 1; nearest feasible: the same torus without them");
  }
  std::vector<StreamLine> cycles;
  if (topology.is_torus()) {
    cycles = lines_of(topology, hamiltonian_decomposition(topology));
  } else {
    cycles.push_back(array_cycle(topology));
  }
  for (StreamLine& cycle : cycles) {
    const auto at = std::find(cycle.nodes.begin(), cycle.nodes.end(), first);
    std::rotate(cycle.out.begin(), cycle.out.begin() + (at - cycle.nodes.begin()), cycle.out.end());
    std::rotate(cycle.nodes.begin(), at, cycle.nodes.end());
  }
  return cycles;
}

Plan plan_hamiltonian(const Topology& topology, const HamiltonianOptions& options) {
  const auto d = static_cast<std::uint32_t>(topology.dimensions());
  const std::uint32_t k = options.packets_per_node.value_or(d);
  const HamiltonianDecomposition cycles = hamiltonian_decomposition(topology);

  // Lists 2c and 2c + 1: the packets of cycle c backward and forward.
  std::vector<std::vector<std::uint16_t>> lists(2 * std::size_t{d});
  std::uint32_t depth = 1;
  bool directed = false;
  for (std::uint32_t c = 0; c < d; ++c) {
    std::vector<std::uint16_t> packets;
    for (std::uint32_t i = c; i < k; i += d) packets.push_back(static_cast<std::uint16_t>(i));
    std::vector<std::uint16_t>& backward = lists[2 * std::size_t{c}];
    std::vector<std::uint16_t>& forward = lists[2 * std::size_t{c} + 1];
    if (packets.size() % 2 == 0) {
      const auto half = packets.begin() + static_cast<std::ptrdiff_t>(packets.size()) / 2;
      forward.assign(packets.begin(), half);
      backward.assign(half, packets.end());
    } else {
      forward.assign(packets.begin(), packets.end());
      backward.assign(packets.rbegin(), packets.rend());
    }
    depth = std::max(depth, static_cast<std::uint32_t>(forward.size()));
    directed = directed || forward != backward;
  }

  // k > d, not a multiple: with equal dealing the last packets would take one more round. Unequal
  // dealing: docs/spec/faults.md, section 3.
  if (k > d && k % d != 0) return plan_uneven(topology, k, cycles);

  StreamProgram program(topology.nodes(), topology.ports(), k);
  CodeCache codes(program, lists);
  // The direction of a port on its cycle only matters when the two directions carry different
  // lists.
  const std::vector<bool> forward =
      directed ? forward_ports(topology, cycles) : std::vector<bool>();
  const auto ports = static_cast<std::size_t>(topology.ports());
  std::array<Port, kMaxDimensions> unpaired{};
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const std::size_t first = std::size_t{node} * ports;
    std::uint32_t seen = 0;
    for (std::size_t p = 0; p < ports; ++p) {
      const std::uint8_t cycle = cycles[first + p];
      const auto port = static_cast<Port>(p);
      if (((seen >> cycle) & 1U) == 0) {
        seen |= 1U << cycle;
        unpaired[cycle] = port;
        continue;
      }
      const Port other = unpaired[cycle];
      const auto list = [&](Port out) {
        return 2 * std::size_t{cycle} + (directed && forward[first + out] ? 1 : 0);
      };
      program.set_code(node, port, codes.code(other, list(port)));
      program.set_code(node, other, codes.code(port, list(other)));
    }
  }

  return hamiltonian_plan(topology, k, std::move(program), depth);
}

}  // namespace gossamer
