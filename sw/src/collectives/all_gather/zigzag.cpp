// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/zigzag.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "feed_table.hpp"
#include "gossamer/bounds/one_packet.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// A 2-D torus viewed as rows of columns, in either orientation.
struct Grid {
  /// Columns run along this dimension's axis: 0, or 1 when transposed.
  int across;
  std::uint32_t columns;
  std::uint32_t rows;
  Port left;
  Port right;
  Port down;
  Port up;

  Grid(const Topology& topology, bool transposed)
      : across(transposed ? 1 : 0),
        columns(topology.side(across)),
        rows(topology.side(1 - across)),
        left(make_port(across, false)),
        right(make_port(across, true)),
        down(make_port(1 - across, false)),
        up(make_port(1 - across, true)) {}
  [[nodiscard]] std::uint32_t column(const Coordinates& at) const {
    return at[static_cast<std::size_t>(across)];
  }
  [[nodiscard]] std::uint32_t row(const Coordinates& at) const {
    return at[static_cast<std::size_t>(1 - across)];
  }
};

[[noreturn]] void refuse_zigzag(const Topology& topology) {
  if (!topology.is_torus()) {
    throw InfeasibleError(
        "zigzag: the two cycles require wraparound links; nearest feasible: --topology torus");
  }
  if (topology.dimensions() != 2) {
    throw InfeasibleError(fmt::format(
        "zigzag: 2 dimensions are required, not {}; nearest feasible: --algorithm strands",
        topology.dimensions()));
  }
  // The nearest sides: one raised to a multiple of 4, the other to an even number, whichever way
  // adds less.
  const std::uint32_t nx = topology.side(0);
  const std::uint32_t ny = topology.side(1);
  const auto raise = [](std::uint32_t side, std::uint32_t unit) {
    return std::max(4U, (side + unit - 1) / unit * unit);
  };
  std::array<std::uint32_t, 2> nearest{raise(nx, 4), raise(ny, 2)};
  const std::array<std::uint32_t, 2> other{raise(nx, 2), raise(ny, 4)};
  if (other[0] + other[1] < nearest[0] + nearest[1]) nearest = other;
  throw InfeasibleError(fmt::format(
      "zigzag: one side must be a multiple of 4 and the other even, at least 4 (2 only with a "
      "4), unlike {}x{}; nearest feasible: {}x{}",
      nx, ny, nearest[0], nearest[1]));
}

[[noreturn]] void refuse_rows(const Topology& topology) {
  if (!topology.is_torus()) {
    throw InfeasibleError(
        "rows: the cycle requires wraparound links; nearest feasible: --topology torus");
  }
  if (topology.dimensions() != 2) {
    throw InfeasibleError(fmt::format(
        "rows: 2 dimensions are required, not {}; nearest feasible: --algorithm strands",
        topology.dimensions()));
  }
  const std::uint32_t nx = topology.side(0);
  const std::uint32_t ny = topology.side(1);
  const std::uint32_t columns = std::max(3U, std::min(nx, ny) / 2 * 2 + 1);
  const std::uint32_t multiple = (std::max(nx, ny) + columns - 1) / columns / 2 * 2 + 1;
  const std::uint32_t rows = columns * multiple;
  throw InfeasibleError(
      fmt::format("rows: both sides must be odd and one an odd multiple of the other, unlike "
                  "{}x{}; nearest feasible: {}x{}",
                  nx, ny, nx <= ny ? columns : rows, nx <= ny ? rows : columns));
}

}  // namespace

Plan plan_zigzag(const Topology& topology, const ZigzagOptions& options) {
  const std::uint32_t k = options.packets_per_node;
  const auto steps = bounds::zigzag_steps(topology, k);
  if (!steps) refuse_zigzag(topology);
  // Four columns save a step; else columns run along the side that is a multiple of 4.
  const std::uint32_t nx = topology.side(0);
  const std::uint32_t ny = topology.side(1);
  const Grid grid(topology, nx != 4 && (ny == 4 || nx % 4 != 0));

  // Every strand moves one column sideways in every row: with the row's direction +1 or -1. The
  // directions add up to 4 (0 on four columns), so that the strands close into two cycles.
  const std::uint32_t alternating = grid.rows - (grid.columns == 4 ? 0 : 4);
  const auto moves_right = [&](std::uint32_t row) { return row % 2 == 0 || row >= alternating; };

  FeedTable table(topology, k);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const std::uint32_t x = grid.column(walk.coordinates());
    const std::uint32_t y = grid.row(walk.coordinates());
    const bool right = moves_right(y);
    const Port ahead = right ? grid.right : grid.left;
    const Port behind = opposite(ahead);
    const bool up_alike = moves_right(y + 1 == grid.rows ? 0 : y + 1) == right;
    const bool down_alike = moves_right(y == 0 ? grid.rows - 1 : y - 1) == right;
    const NodeId node = walk.node();
    // First the two links of the node's own cycle, then the two that relay its streams. A stream
    // from the cycle's later side runs backward; where the strand bends, a node relays one of the
    // other cycle's streams instead of handing its own over.
    if ((x + y) % 2 == 1) {
      // The strand enters from below and leaves sideways.
      table.set(node, ahead, {grid.down, false});
      table.set(node, grid.down, {ahead, true});
      table.set(node, behind, down_alike ? Feed{grid.down, false} : Feed{ahead, true});
      table.set(node, grid.up, up_alike ? Feed{ahead, true} : Feed{behind, false});
    } else {
      // The strand enters sideways and leaves upwards.
      table.set(node, grid.up, {behind, false});
      table.set(node, behind, {grid.up, true});
      table.set(node, ahead, up_alike ? Feed{grid.up, true} : Feed{behind, false});
      table.set(node, grid.down, down_alike ? Feed{behind, false} : Feed{ahead, true});
    }
  }
  return feed_plan(topology, "zigzag", std::move(table), k, *steps);
}

Plan plan_rows(const Topology& topology, const RowsOptions& options) {
  const std::uint32_t k = options.packets_per_node;
  const auto steps = bounds::rows_steps(topology, k);
  if (!steps) refuse_rows(topology);
  const Grid grid(topology, topology.side(0) > topology.side(1));
  const std::uint32_t length = grid.columns;

  // The cycle goes right in the classes 0 .. L-3 of (x + y) mod L and up in the last two: L cells
  // per round, the last of them in the next row, then two rows above the start. Rounds start in
  // class 0, round j in row 2j mod R (R is odd).
  const auto position = [&](std::uint32_t x, std::uint32_t y) -> std::uint64_t {
    const std::uint32_t c = (x + y) % length;
    const std::uint32_t row = c == length - 1 ? (y == 0 ? grid.rows - 1 : y - 1) : y;
    const std::uint64_t round = row % 2 == 0 ? row / 2 : (std::uint64_t{row} + grid.rows) / 2;
    return round * length + c;
  };
  const auto goes_up = [&](std::uint32_t c) { return c >= length - 2; };

  FeedTable table(topology, k);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    const std::uint32_t x = grid.column(walk.coordinates());
    const std::uint32_t y = grid.row(walk.coordinates());
    const NodeId node = walk.node();
    const std::uint32_t c = (x + y) % length;
    // Both the cell on the left and the one below are one class lower: they reach this cell along
    // the direction of that class.
    const bool enters_from_below = goes_up(c == 0 ? length - 1 : c - 1);
    const Port in = enters_from_below ? grid.down : grid.left;
    const Port out = goes_up(c) ? grid.up : grid.right;
    table.set(node, out, {in, false});
    table.set(node, in, {out, true});
    // The neighbour across a link off the cycle needs the forward stream if this node is the later
    // of its two suppliers, counted from the neighbour along the cycle; otherwise it needs the
    // backward stream.
    const auto ahead_of = [&](std::uint32_t fx, std::uint32_t fy, std::uint32_t tx,
                              std::uint32_t ty) {
      const std::uint64_t all = topology.nodes();
      return (position(tx, ty) + all - position(fx, fy)) % all;
    };
    const auto step = [&](std::uint32_t at, std::uint32_t side, bool positive) {
      return positive ? (at + 1 == side ? 0 : at + 1) : (at == 0 ? side - 1 : at - 1);
    };
    for (const Port port : {grid.left, grid.right, grid.down, grid.up}) {
      if (port == in || port == out) continue;
      const bool sideways = port == grid.left || port == grid.right;
      const std::uint32_t nx = sideways ? step(x, grid.columns, is_positive(port)) : x;
      const std::uint32_t ny = sideways ? y : step(y, grid.rows, is_positive(port));
      const std::uint32_t nc = (nx + ny) % length;
      // The neighbour's other supplier: it enters from below or the left, so the unused one of the
      // two; it leaves upwards or to the right, so the unused one of those.
      const bool n_from_below = goes_up(nc == 0 ? length - 1 : nc - 1);
      const std::uint32_t lower_x = n_from_below ? step(nx, grid.columns, false) : nx;
      const std::uint32_t lower_y = n_from_below ? ny : step(ny, grid.rows, false);
      const std::uint32_t upper_x = goes_up(nc) ? step(nx, grid.columns, true) : nx;
      const std::uint32_t upper_y = goes_up(nc) ? ny : step(ny, grid.rows, true);
      const bool we_are_lower = lower_x == x && lower_y == y;
      const std::uint64_t ours = ahead_of(nx, ny, x, y);
      const std::uint64_t theirs =
          we_are_lower ? ahead_of(nx, ny, upper_x, upper_y) : ahead_of(nx, ny, lower_x, lower_y);
      table.set(node, port, ours > theirs ? Feed{in, false} : Feed{out, true});
    }
  }
  return feed_plan(topology, "rows", std::move(table), k, *steps);
}

}  // namespace gossamer
