// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/broadcast/figure2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/machines/relay/clock.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Costs of all cells of a level's block, side 2^j; a cell's number has j bits for each dimension,
/// dimension 0 lowest.
using Costs = std::vector<std::uint32_t>;

class BestTargets {
 public:
  BestTargets(int d, int k) : d_(d), levels_(static_cast<std::size_t>(k) + 1) {
    levels_[0].total = {0};
    for (int j = 1; j <= k; ++j) solve_level(j);
  }

  /// Least TCD within a block of side 2^j from each of its cells.
  [[nodiscard]] const Costs& total(int j) const { return level(j).total; }

  /// Adds all sends of the broadcast from `source` on the mesh of side 2^k.
  void build(const Topology& topology, int k, RelayProgram& program) const {
    std::vector<Coordinates> sources{topology.coordinates(program.source())};
    for (int j = k; j >= 1; --j) {
      // A level's block and its holders; the first is its source and decides the order.
      std::vector<std::vector<Coordinates>> blocks;
      for (const Coordinates& source : sources) blocks.push_back({source});
      for (int p = 0; p < d_; ++p) {
        for (std::vector<Coordinates>& holders : blocks) {
          const DimensionOrder order = bounds::eye_block(d_, j, holders.front()).order;
          const std::size_t before = holders.size();
          for (std::size_t i = 0; i < before; ++i) {
            const Coordinates target = best_target(j, order, p, holders[i]);
            const NodeId from = topology.node(holders[i]);
            program.add_send(from, ascending_path(topology, from, topology.node(target)));
            holders.push_back(target);
          }
        }
        program.end_step();
      }
      sources.clear();
      for (const auto& holders : blocks) {
        sources.insert(sources.end(), holders.begin(), holders.end());
      }
    }
  }

 private:
  struct Level {
    Costs total;
    /// For each order in use: entry p is the cost of serving, from a cell, all that the steps p ..
    /// d-1 of the level and the lower levels reach from it; entry d is the lower levels alone.
    std::map<DimensionOrder, std::vector<Costs>> remaining;
  };

  [[nodiscard]] const Level& level(int j) const { return levels_[static_cast<std::size_t>(j)]; }

  [[nodiscard]] std::uint32_t number(int j, const Coordinates& at) const {
    std::uint32_t cell = 0;
    for (int i = d_ - 1; i >= 0; --i) {
      cell = cell << j | (at[static_cast<std::size_t>(i)] & ((1U << j) - 1));
    }
    return cell;
  }
  [[nodiscard]] Coordinates place(int j, std::uint32_t cell) const {
    Coordinates at{};
    for (int i = 0; i < d_; ++i) {
      at[static_cast<std::size_t>(i)] = cell >> (i * j) & ((1U << j) - 1);
    }
    return at;
  }

  void solve_level(int j) {
    Level& level = levels_[static_cast<std::size_t>(j)];
    const std::uint32_t cells = 1U << (d_ * j);
    level.total.resize(cells);
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      const DimensionOrder order = bounds::eye_block(d_, j, place(j, cell)).order;
      auto found = level.remaining.find(order);
      if (found == level.remaining.end()) {
        found = level.remaining.emplace(order, remaining(j, order)).first;
      }
      level.total[cell] = found->second.front()[cell];
    }
  }

  [[nodiscard]] std::vector<Costs> remaining(int j, const DimensionOrder& order) const {
    const std::uint32_t cells = 1U << (d_ * j);
    std::vector<Costs> costs(static_cast<std::size_t>(d_) + 1, Costs(cells));
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      costs.back()[cell] = level(j - 1).total[number(j - 1, place(j, cell))];
    }
    for (int p = d_ - 1; p >= 0; --p) {
      const auto index = static_cast<std::size_t>(p);
      const Costs& after = costs[index + 1];
      const Costs reach = spread(j, after);
      const int shift = order[index] * j;
      const std::uint32_t mask = (1U << j) - 1;
      const std::uint32_t middle = 1U << (j - 1);
      for (std::uint32_t cell = 0; cell < cells; ++cell) {
        // The way into the other half crosses the middle at the cell opposite.
        const std::uint32_t x = cell >> shift & mask;
        const std::uint32_t border = x < middle ? middle : middle - 1;
        const std::uint32_t opposite = (cell & ~(mask << shift)) | border << shift;
        costs[index][cell] =
            after[cell] + std::max(x, border) - std::min(x, border) + reach[opposite];
      }
    }
    return costs;
  }

  /// The least cost[t] + |c - t| over the cells t in the same half as c in every dimension.
  [[nodiscard]] Costs spread(int j, Costs cost) const {
    const std::uint32_t half_mask = (1U << (j - 1)) - 1;
    const auto cells = static_cast<std::uint32_t>(cost.size());
    for (int i = 0; i < d_; ++i) {
      const std::uint32_t stride = 1U << (i * j);
      for (std::uint32_t cell = 0; cell < cells; ++cell) {
        if ((cell >> (i * j) & half_mask) == 0) continue;
        cost[cell] = std::min(cost[cell], cost[cell - stride] + 1);
      }
      for (std::uint32_t cell = cells; cell-- > 0;) {
        if ((cell >> (i * j) & half_mask) == half_mask) continue;
        cost[cell] = std::min(cost[cell], cost[cell + stride] + 1);
      }
    }
    return cost;
  }

  /// The lowest target that attains the cost of step p from `from`.
  [[nodiscard]] Coordinates best_target(int j, const DimensionOrder& order, int p,
                                        const Coordinates& from) const {
    const std::vector<Costs>& costs = level(j).remaining.at(order);
    const auto index = static_cast<std::size_t>(p);
    const std::uint32_t here = number(j, from);
    const std::uint32_t wanted = costs[index][here] - costs[index + 1][here];
    const std::uint32_t half = 1U << (j - 1);
    const std::uint32_t targets = 1U << (d_ * (j - 1));
    for (std::uint32_t t = 0; t < targets; ++t) {
      Coordinates target = place(j - 1, t);
      std::uint32_t distance = 0;
      for (int i = 0; i < d_; ++i) {
        const auto dim = static_cast<std::size_t>(i);
        const std::uint32_t origin = from[dim] & ~(half - 1);
        target[dim] += i == order[index] ? origin ^ half : origin;
        distance += std::max(target[dim], from[dim]) - std::min(target[dim], from[dim]);
      }
      if (distance + costs[index + 1][number(j, target)] == wanted) return target;
    }
    throw std::logic_error("figure2: no target attains the least cost");
  }

  int d_;
  std::vector<Level> levels_;
};

int level_or_refuse(const Topology& topology) {
  const auto levels = bounds::levels_of(topology);
  const bool equal = levels && std::all_of(levels->begin(), levels->end(),
                                           [&](int level) { return level == levels->front(); });
  if (topology.is_torus() || !equal) {
    throw InfeasibleError(
        fmt::format("figure2: requires a mesh with equal power-of-two sides, not {} {}; nearest "
                    "feasible: sides of {}, or --algorithm min-tcd",
                    topology.kind(), topology.dims_text(), std::bit_floor(topology.side(0))));
  }
  return levels->front();
}

}  // namespace

std::vector<std::uint64_t> figure2_map(const Topology& topology) {
  const int k = level_or_refuse(topology);
  const BestTargets best(topology.dimensions(), k);
  // With all sides 2^k a cell's number is its node id.
  return {best.total(k).begin(), best.total(k).end()};
}

Plan plan_figure2(const Topology& topology, const BroadcastOptions& options) {
  const int k = level_or_refuse(topology);
  const BestTargets best(topology.dimensions(), k);
  RelayProgram program(options.source);
  program.clock = options.clock;
  best.build(topology, k, program);
  Plan plan = make_broadcast_plan(topology, "figure2", std::move(program));
  plan.expected.analytic_steps = plan.expected.lower_bound_steps;
  plan.expected.bound_steps = plan.expected.lower_bound_steps;
  plan.expected.analytic_tcd = best.total(k)[options.source];
  plan.expected.analytic_cycles = relay_cycles(topology, plan.program.as<RelayProgram>());
  return plan;
}

}  // namespace gossamer
