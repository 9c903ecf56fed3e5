// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/hamiltonian.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/hamiltonian_lift.hpp"
#include "gossamer/collectives/all_gather/stream_lines.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

bool even(std::uint32_t n) { return n % 2 == 0; }

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

HamiltonianPair::HamiltonianPair(std::uint32_t nx, std::uint32_t ny)
    : transposed_(ny > nx), rows_(std::min(nx, ny)), columns_(std::max(nx, ny)) {
  if (rows_ == 2 && !even(columns_)) {
    throw InfeasibleError(fmt::format(
        "hamiltonian: a {}x{} torus has no two edge-disjoint Hamiltonian cycles: each would use "
        "one "
        "of the two parallel links at every position, {} in all, but a closed walk crosses an even "
        "number of times; nearest feasible: {} beside the 2, or 3 for the 2",
        nx, ny, columns_, columns_ + 1));
  }
}

bool HamiltonianPair::flipped(std::uint32_t row, std::uint32_t column) const {
  const std::uint32_t surplus = columns_ - rows_;
  if (!even(rows_) || even(columns_)) {
    if (row == column && row + 1 < rows_) return true;
    const bool closing_square = !even(rows_) && !even(surplus);
    if (closing_square && row == rows_ - 1 && column == rows_ - 1) return true;
    const std::uint32_t first = rows_ - 1 + (closing_square ? 1 : 0);
    return column >= first && column + 1 < columns_ && row == (column - first) % 2;
  }
  // Rows even, columns odd.
  if (row == column && row + 2 < rows_) return true;
  if (row == rows_ - 2 && column == columns_ - 1) return true;
  const std::uint32_t first = rows_ - 2;
  return column >= first && column - first <= surplus && row == (column - first) % 2;
}

std::array<std::uint8_t, 4> HamiltonianPair::cycles(std::uint32_t x, std::uint32_t y) const {
  if (rows_ == 2) return cycles_of_even_pair(x, y);
  const std::uint32_t row = transposed_ ? x : y;
  const std::uint32_t column = transposed_ ? y : x;
  const std::uint32_t row_before = row == 0 ? rows_ - 1 : row - 1;
  const std::uint32_t column_before = column == 0 ? columns_ - 1 : column - 1;
  // A link borders two unit squares; rows start as cycle 0, columns as cycle 1.
  const bool here = flipped(row, column);
  const bool left_of = flipped(row, column_before);
  const bool below = flipped(row_before, column);
  const bool below_left = flipped(row_before, column_before);
  const auto cycle = [](bool value) { return static_cast<std::uint8_t>(value); };
  const std::uint8_t row_minus = cycle(left_of != below_left);
  const std::uint8_t row_plus = cycle(here != below);
  const std::uint8_t column_minus = cycle(!(below != below_left));
  const std::uint8_t column_plus = cycle(!(here != left_of));
  if (transposed_) return {column_minus, column_plus, row_minus, row_plus};
  return {row_minus, row_plus, column_minus, column_plus};
}

std::array<std::uint8_t, 4> HamiltonianPair::cycles_of_even_pair(std::uint32_t x,
                                                                 std::uint32_t y) const {
  // The paper's rule, T = y-, B = y+: T with R and B with L in even columns and in the last one, T
  // with L and B with R in the other odd ones. T and B belong to different cycles, so the cycles
  // alternate down a column, and by the rule all columns but the last alternate in step.
  const std::uint32_t last = (transposed_ ? rows_ : columns_) - 1;
  const auto top = static_cast<std::uint8_t>((y + (x == last ? 1 : 0)) % 2);
  const auto bottom = static_cast<std::uint8_t>(1 - top);
  const bool top_turns_right = even(x) || x == last;
  const std::uint8_t right = top_turns_right ? top : bottom;
  const std::uint8_t left = top_turns_right ? bottom : top;
  return {left, right, top, bottom};
}

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

/// floor(k / d) packets of every node on every cycle, the rest where the most are wanted.
Plan plan_uneven(const Topology& topology, std::uint32_t k,
                 const HamiltonianDecomposition& cycles) {
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
  const Dealing dealing = *deal(topology, lines, k);
  std::uint16_t depth = 1;
  for (const auto& counts : dealing.counts) {
    depth = std::max(depth, *std::max_element(counts.begin(), counts.end()));
  }
  return hamiltonian_plan(topology, k, lines_program(topology, lines, dealing.counts, k), depth);
}

}  // namespace

Plan plan_hamiltonian(const Topology& topology, const HamiltonianOptions& options) {
  const auto d = static_cast<std::uint32_t>(topology.dimensions());
  const std::uint32_t k = options.packets_per_node.value_or(d);
  const HamiltonianDecomposition cycles = hamiltonian_decomposition(topology);

  // Lists 2c and 2c + 1: what cycle c carries backward and forward.
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

  // k > d, not a multiple: everybody the same on every cycle would be a round more for the last
  // ones. Dealt unevenly, see docs/spec/faults.md, section 3.
  if (k > d && k % d != 0) return plan_uneven(topology, k, cycles);

  StreamProgram program(topology.nodes(), topology.ports(), k);
  CodeCache codes(program, lists);
  // Which way round a cycle a port faces only matters when the two ways carry different lists.
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
