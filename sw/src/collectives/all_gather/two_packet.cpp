// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/two_packet.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// The paper's picture: columns left to right, rows top to bottom. `columns` is the odd side if
/// there is one.
struct Picture {
  bool transposed;
  std::uint32_t rows;
  std::uint32_t columns;
  Port left;
  Port right;
  Port top;
  Port bottom;

  explicit Picture(const Topology& topology)
      : transposed(topology.side(1) % 2 != 0 && topology.side(0) % 2 == 0),
        rows(topology.side(transposed ? 0 : 1)),
        columns(topology.side(transposed ? 1 : 0)),
        left(make_port(transposed ? 1 : 0, false)),
        right(opposite(left)),
        top(make_port(transposed ? 0 : 1, false)),
        bottom(opposite(top)) {}
};

StreamPort port_program(Port feed, std::vector<std::uint16_t> preload) {
  StreamPort program;
  program.feed = PortSet::of(feed);
  program.preload = std::move(preload);
  return program;
}

/// The program of all nodes of a column: the dictionary codes of their four output ports.
struct ColumnProgram {
  StreamProgram* program;
  std::array<std::uint32_t, 4> codes{};

  void set(Port out, const StreamPort& at) { codes[out] = program->intern(at); }
  /// Both directions between two ports: the packets of one cycle, or of the only one.
  void pass(Port a, Port b, const std::vector<std::uint16_t>& packets) {
    set(a, port_program(b, packets));
    // A cycle that carries several packets of a node carries them in reversed order backward.
    set(b, port_program(a, {packets.rbegin(), packets.rend()}));
  }
};

/// The column whose nodes lie on one cycle only, and support their neighbours above and below.
ColumnProgram special_column(StreamProgram& program, const Picture& picture,
                             bool time_independent) {
  ColumnProgram column{&program};
  column.pass(picture.left, picture.right, {0, 1});
  for (const bool down : {false, true}) {
    // The neighbour below gets the stream that moves left, the one above the stream that moves
    // right. These two first deliver the packets between the node's two supporters.
    const Port inner = down ? picture.right : picture.left;
    StreamPort support = port_program(inner, {0, 1});
    if (!time_independent) {
      // Half of the packets in between arrive while both streams queue; then only packets from
      // outside.
      support.early_feed.insert(picture.left);
      support.early_feed.insert(picture.right);
      support.feed = PortSet::of(opposite(inner));
      support.switch_step = picture.columns;
    }
    column.set(down ? picture.bottom : picture.top, support);
  }
  return column;
}

}  // namespace

Plan plan_two_packet(const Topology& topology, const TwoPacketOptions& options) {
  if (topology.dimensions() != 2 || !topology.is_torus()) {
    throw InfeasibleError(
        "two-packet: a 2-D torus is required; nearest feasible: --algorithm hamiltonian on a torus "
        "of "
        "more dimensions, array on a mesh");
  }
  const Picture picture(topology);
  if (picture.columns % 2 != 0 && picture.rows % 2 != 0) {
    Plan plan = plan_hamiltonian(topology, {.packets_per_node = 2});
    plan.algorithm = "two-packet";
    plan.parameters["construction"] = std::string("hamiltonian");
    plan.parameters["reason"] =
        std::string("the paper's rule for two odd sides gives no two cycles");
    plan.parameters["time-independent"] = options.time_independent;
    return plan;
  }
  const bool one_odd = picture.columns % 2 != 0;
  // With two rows both supporters are the same node, with no packets between them.
  const bool switched = one_odd && picture.rows > 2 && !options.time_independent;

  StreamProgram program(topology.nodes(), topology.ports(), 2);
  ColumnProgram even_column{&program};
  even_column.pass(picture.top, picture.right, {0});
  even_column.pass(picture.bottom, picture.left, {1});
  ColumnProgram odd_column{&program};
  odd_column.pass(picture.top, picture.left, {0});
  odd_column.pass(picture.bottom, picture.right, {1});
  const ColumnProgram special =
      one_odd ? special_column(program, picture, !switched) : ColumnProgram{&program};

  const std::size_t across = picture.transposed ? 1 : 0;
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const std::uint32_t column = walk.coordinates()[across];
    const bool as_even = column % 2 == 0 || column + 1 == picture.columns;
    const ColumnProgram& codes = one_odd && column + 2 == picture.columns ? special
                                 : as_even                                ? even_column
                                                                          : odd_column;
    for (Port port = 0; port < 4; ++port) {
      program.set_code(walk.node(), port, codes.codes[port]);
    }
  }

  Plan plan{topology, "gossip", "two-packet", {}, Demand::all_gather(2), std::move(program), {}};
  plan.parameters["construction"] = std::string(one_odd ? "one-odd" : "even-even");
  plan.parameters["time-independent"] = options.time_independent;
  plan.expected.analytic_steps = bounds::two_packet_steps(topology, options.time_independent);
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, 2);
  plan.expected.bound_steps = bounds::two_packet_paper_bound(topology, options.time_independent);
  plan.expected.queue_depth = !one_odd ? 1 : switched ? picture.columns + 1 : 2;
  return plan;
}

}  // namespace gossamer
