// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/array.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// A mesh seen as a grid: rows along one dimension, columns along a snake through all the others.
/// The snake sweeps its fastest dimension to and fro.
class SnakeGrid {
 public:
  enum Direction : std::uint8_t { kUp, kDown, kLeft, kRight };

  SnakeGrid(const Topology& mesh, int row_dimension)
      : mesh_(&mesh), row_dimension_(row_dimension) {}

  [[nodiscard]] std::uint32_t rows() const { return mesh_->side(row_dimension_); }
  [[nodiscard]] std::uint32_t columns() const { return mesh_->nodes() / rows(); }

  /// A node's place and the ports that lead up, down (row - 1, + 1), left and right (column - 1,
  /// + 1); a port beyond the border is meaningless.
  struct Place {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    std::array<Port, 4> ports{};
  };
  [[nodiscard]] Place place(const Coordinates& at) const {
    Place place;
    place.row = at[static_cast<std::size_t>(row_dimension_)];
    place.ports[kUp] = make_port(row_dimension_, false);
    place.ports[kDown] = make_port(row_dimension_, true);
    for (int dim = mesh_->dimensions() - 1; dim >= 0; --dim) {
      if (dim == row_dimension_) continue;
      // A sweep runs backward when an odd number of sweeps came before it.
      const bool backward = place.column % 2 != 0;
      const std::uint32_t last = mesh_->side(dim) - 1;
      const std::uint32_t x = at[static_cast<std::size_t>(dim)];
      const std::uint32_t along = backward ? last - x : x;
      place.column = place.column * (last + 1) + along;
      // The fastest dimension that can still move is the one that the snake moves along.
      if (along > 0) place.ports[kLeft] = make_port(dim, backward);
      if (along < last) place.ports[kRight] = make_port(dim, !backward);
    }
    return place;
  }

 private:
  const Topology* mesh_;
  int row_dimension_;
};

using Direction = SnakeGrid::Direction;

/// Predecessor and successor of a node on the cycle.
struct Turn {
  Direction back;
  Direction on;
};

/// The Hamiltonian cycle of a grid with an even number of rows: to and fro through columns 1.. of
/// every row, and home up column 0.
Turn even_grid_turn(std::uint32_t row, std::uint32_t column, std::uint32_t rows,
                    std::uint32_t columns) {
  using enum SnakeGrid::Direction;
  if (column == 0) return {row == rows - 1 ? kRight : kDown, row == 0 ? kRight : kUp};
  if (row % 2 == 0) {
    const Direction back = column > 1 || row == 0 ? kLeft : kUp;
    return {back, column < columns - 1 ? kRight : kDown};
  }
  const Direction on = column > 1 || row == rows - 1 ? kLeft : kDown;
  return {column == columns - 1 ? kUp : kRight, on};
}

/// The cycle of a grid with odd numbers of rows and columns through all nodes except (0, 0): that
/// of the rows from 1 on, with a detour through row 0 between columns 1 and 2, 3 and 4, ... Empty
/// for the excluded node.
std::optional<Turn> odd_grid_turn(std::uint32_t row, std::uint32_t column, std::uint32_t rows,
                                  std::uint32_t columns) {
  using enum SnakeGrid::Direction;
  const bool leaves = column % 2 != 0;
  if (row == 0) {
    if (column == 0) return std::nullopt;
    return leaves ? Turn{kDown, kRight} : Turn{kLeft, kDown};
  }
  Turn turn = even_grid_turn(row - 1, column, rows - 1, columns);
  if (row == 1 && column > 0) (leaves ? turn.on : turn.back) = kUp;
  return turn;
}

std::vector<std::uint16_t> packets(std::uint32_t first, std::uint32_t end) {
  std::vector<std::uint16_t> list(end - first);
  std::iota(list.begin(), list.end(), static_cast<std::uint16_t>(first));
  return list;
}

StreamPort port_program(std::initializer_list<Port> feed, std::vector<std::uint16_t> preload) {
  StreamPort program;
  for (const Port port : feed) program.feed.insert(port);
  program.preload = std::move(preload);
  return program;
}

/// Programs "fed by this in-port, preloading this list", interned once each.
class StreamCodes {
 public:
  StreamCodes(StreamProgram& program, std::vector<std::uint16_t> preload)
      : program_(&program), preload_(std::move(preload)) {}
  std::uint32_t operator()(Port in_port) {
    std::uint32_t& code = codes_[in_port];
    if (code == 0) code = program_->intern(port_program({in_port}, preload_));
    return code;
  }

 private:
  StreamProgram* program_;
  std::vector<std::uint16_t> preload_;
  std::array<std::uint32_t, kMaxPorts> codes_{};
};

void plan_line(const Topology& mesh, std::uint32_t k, StreamProgram& program) {
  const Port left = make_port(0, false);
  const Port right = make_port(0, true);
  const std::uint32_t to_right = program.intern(port_program({left}, packets(0, k)));
  const std::uint32_t to_left = program.intern(port_program({right}, packets(0, k)));
  for (NodeId node = 0; node < mesh.nodes(); ++node) {
    if (node > 0) program.set_code(node, left, to_left);
    if (node + 1 < mesh.nodes()) program.set_code(node, right, to_right);
  }
}

void plan_even(const Topology& mesh, int row_dimension, std::uint32_t k, StreamProgram& program) {
  const SnakeGrid grid(mesh, row_dimension);
  std::vector<std::uint16_t> forward = packets(0, k % 2 == 0 ? k / 2 : k);
  std::vector<std::uint16_t> backward = packets(k % 2 == 0 ? k / 2 : 0, k);
  // The same packets in both directions: the backward list is the reverse of the forward one.
  if (k % 2 != 0) std::reverse(backward.begin(), backward.end());
  StreamCodes on_codes(program, std::move(forward));
  StreamCodes back_codes(program, std::move(backward));
  for (NodeWalk walk(mesh); !walk.done(); walk.next()) {
    const SnakeGrid::Place at = grid.place(walk.coordinates());
    const Turn turn = even_grid_turn(at.row, at.column, grid.rows(), grid.columns());
    const Port back = at.ports[turn.back];
    const Port on = at.ports[turn.on];
    program.set_code(walk.node(), on, on_codes(back));
    program.set_code(walk.node(), back, back_codes(on));
  }
}

void plan_odd(const Topology& mesh, std::uint32_t k, StreamProgram& program) {
  using enum SnakeGrid::Direction;
  const SnakeGrid grid(mesh, 0);
  const std::vector<std::uint16_t> forward = packets(0, k);
  const std::vector<std::uint16_t> backward(forward.rbegin(), forward.rend());
  StreamCodes on_codes(program, forward);
  StreamCodes back_codes(program, backward);
  for (NodeWalk walk(mesh); !walk.done(); walk.next()) {
    const SnakeGrid::Place at = grid.place(walk.coordinates());
    const auto turn = odd_grid_turn(at.row, at.column, grid.rows(), grid.columns());
    if (!turn) {
      // Node 0 hands its own packets to its right neighbour.
      program.set(walk.node(), at.ports[kRight], port_program({}, forward));
      continue;
    }
    const Port back = at.ports[turn->back];
    const Port on = at.ports[turn->on];
    if (at.row == 0 && at.column == 1) {
      // It puts node 0's packets on both directions and hands it the forward stream ...
      const Port corner = at.ports[kLeft];
      program.set(walk.node(), on, port_program({back, corner}, forward));
      program.set(walk.node(), back, port_program({on, corner}, backward));
      program.set(walk.node(), corner, port_program({back}, forward));
      continue;
    }
    program.set_code(walk.node(), on, on_codes(back));
    program.set_code(walk.node(), back, back_codes(on));
    if (at.row == 1 && at.column == 0) {
      // ... and the node below node 0, two links earlier on the cycle, the backward one.
      program.set(walk.node(), at.ports[kUp], port_program({on}, backward));
    }
  }
}

}  // namespace

Plan plan_array(const Topology& topology, const ArrayOptions& options) {
  if (topology.is_torus()) {
    throw InfeasibleError(
        "array: supports meshes only; a torus has better plans; "
        "nearest feasible: --topology mesh, or --algorithm hamiltonian");
  }
  const std::uint32_t k = options.packets_per_node;
  StreamProgram program(topology.nodes(), topology.ports(), k);
  const auto& sides = topology.sides();
  const auto even_side =
      std::find_if(sides.begin(), sides.end(), [](std::uint32_t side) { return side % 2 == 0; });
  if (topology.dimensions() == 1) {
    plan_line(topology, k, program);
  } else if (even_side != sides.end()) {
    plan_even(topology, static_cast<int>(even_side - sides.begin()), k, program);
  } else {
    plan_odd(topology, k, program);
  }

  Plan plan{
      topology,           "gossip", "array", {{"packets", std::int64_t{k}}}, Demand::all_gather(k),
      std::move(program), {}};
  plan.expected.analytic_steps = bounds::array_steps(topology, k);
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, k);
  plan.expected.queue_depth = bounds::array_queue_depth(topology, k);
  return plan;
}

}  // namespace gossamer
