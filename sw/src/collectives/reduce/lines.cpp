// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/reduce/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "any_order.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/bounds/unequal.hpp"
#include "gossamer/collectives/reduce/cycles.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/util/error.hpp"
#include "lane_codes.hpp"

namespace gossamer {

namespace {

bool equal_sides(const Topology& topology) {
  const auto& sides = topology.sides();
  return std::all_of(sides.begin(), sides.end(),
                     [&sides](std::uint32_t side) { return side == sides.front(); });
}

/// Straight on in every dimension: lane 2i towards +, lane 2i + 1 towards -.
RingProgram straight(const Topology& topology) {
  RingProgram program(topology.nodes(), topology.ports());
  LaneCodes codes(program);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (const Port out : all_ports(topology.ports())) {
      if (walk.neighbor(out) == kNoNode) continue;
      const auto lane =
          static_cast<std::uint8_t>(2 * dimension_of(out) + (is_positive(out) ? 0 : 1));
      const Port in = opposite(out);
      const bool fed = walk.neighbor(in) != kNoNode;
      program.set_code(walk.node(), out, fed ? codes(in, lane) : codes.unfed(lane));
    }
  }
  return program;
}

Plan line_plan(const Topology& topology, std::string algorithm, const LineReductionOptions& options,
               std::uint64_t words, SharedProgram program, std::uint64_t steps) {
  const auto to = options.root ? Destination::kRoot : Destination::kEveryNode;
  Plan plan{topology,
            options.root ? "reduce" : "all-reduce",
            std::move(algorithm),
            {{"words", static_cast<std::int64_t>(words)}},
            Demand::combined(to, options.operation, words, options.root.value_or(0)),
            std::move(program),
            {}};
  plan.expected.analytic_steps = steps;
  plan.expected.analytic_cycles = steps;
  plan.expected.lower_bound_steps = bounds::lower_bound(topology, plan.demand);
  return plan;
}

/// Links that a word of a line of dimension `dim` has to go, towards + and towards -.
std::array<std::uint32_t, 2> line_reach(const Topology& topology, int dim,
                                        std::optional<NodeId> root) {
  const std::uint32_t n = topology.side(dim);
  // On an even ring the antipode is counted once, by the positive direction.
  if (topology.wraps(dim)) return {n / 2, (n - 1) / 2};
  if (!root) return {n - 1, n - 1};
  const std::uint32_t at = topology.coordinates(*root)[static_cast<std::size_t>(dim)];
  return {at, n - 1 - at};
}

/// An algorithm that supports the cases that line-sum does not.
std::string_view instead_of_line_sum(const Topology& topology, const LineReductionOptions& options,
                                     std::string_view on_torus) {
  if (options.root) return "disjoint-trees";
  return topology.is_torus() ? on_torus : "folded";
}

/// By coordinate, the steps from the lower end of a line of dimension `dim`.
std::vector<std::uint32_t> steps_along(const Topology& mesh, int dim) {
  std::vector<std::uint32_t> steps{0};
  for (std::uint32_t x = 0; x + 1 < mesh.side(dim); ++x) {
    steps.push_back(steps.back() + mesh.period(x * mesh.stride(dim), make_port(dim, true)));
  }
  return steps;
}

/// The moves of `word` of `lines`. Nodes at distance b from the outer end of their line send onward
/// in step first + b. Sums of both directions grow towards the middle and meet
/// there, and the line's total continues outward. A link has been used towards the middle before
/// the total returns on it. With adders of several cycles, nodes wait for their sums.
void add_line_moves(const Topology& mesh, std::uint32_t word, std::uint32_t words,
                    std::uint32_t classes, std::uint32_t adder_cycles, TimetableBuilder& builder) {
  const auto d = static_cast<std::uint32_t>(mesh.dimensions());
  std::uint32_t first = 1 + word / classes * mesh.slowest_period();
  for (std::uint32_t phase = 0; phase < d; ++phase) {
    const int dim = static_cast<int>((word % classes + phase) % d);
    const std::vector<std::uint32_t> along = steps_along(mesh, dim);
    const std::uint32_t length = along.back();
    const std::uint32_t n = mesh.side(dim);
    for (NodeWalk walk(mesh); !walk.done(); walk.next()) {
      const std::uint32_t x = walk.coordinates()[static_cast<std::size_t>(dim)];
      for (const bool plus : {false, true}) {
        const std::uint32_t behind = plus ? along[x] : length - along[x];
        if (behind == length) continue;
        TimetableMove move = TimetableMove::across(mesh, walk.node(), make_port(dim, plus));
        // Of an odd line, the middle adds twice.
        const std::uint32_t additions =
            2 * behind < length ? behind : static_cast<std::uint32_t>(bounds::ceil_div(n, 2));
        move.step = first + behind + additions * adder_cycles;
        move.from = std::uint64_t{move.from_rom} * words + word;
        move.to = std::uint64_t{move.to_rom} * words + word;
        // A sum does not contain those that come later from the other end.
        move.combines = 2 * behind < length;
        // The steps behind the receiver. In some lines the sums of both directions reach the middle
        // in one step.
        const std::uint32_t reached = behind + move.period;
        const bool completes = 2 * reached > length || (2 * reached == length && plus);
        move.delivers = phase + 1 == d && completes;
        builder.add(move);
      }
    }
    first += length + adder_cycles * static_cast<std::uint32_t>(bounds::ceil_div(n, 2));
  }
}

/// Words that classes can send side by side; others follow one another.
std::uint64_t words_side_by_side(const Topology& mesh, std::uint32_t adder_cycles) {
  if (mesh.has_equal_links()) return bounds::lines_most_words(mesh, adder_cycles);
  std::uint32_t shortest = ~std::uint32_t{0};
  for (int dim = 0; dim < mesh.dimensions(); ++dim) {
    shortest = std::min(shortest, steps_along(mesh, dim).back());
  }
  return std::max<std::uint64_t>(
      1, std::uint64_t{shortest / mesh.slowest_period()} * mesh.sides().size());
}

std::uint64_t steps_of_lines(const Topology& mesh, std::uint64_t words,
                             std::uint32_t adder_cycles) {
  if (mesh.has_equal_links()) return bounds::lines_steps(mesh, words, adder_cycles);
  return bounds::unequal_diameter(mesh) +
         (bounds::ceil_div(words, mesh.sides().size()) - 1) * mesh.slowest_period();
}

}  // namespace

Plan plan_line_sum(const Topology& topology, const LineReductionOptions& options) {
  if (!options.root) {
    require_any_order("line-sum", options.operation,
                      instead_of_line_sum(topology, options, "rings"));
  }
  const auto d = static_cast<std::uint32_t>(topology.dimensions());
  const std::uint32_t most = equal_sides(topology) ? d : 1;
  if (options.words > most) {
    throw InfeasibleError(fmt::format(
        "line-sum: {} words, but {} sides carry {} at a time; nearest feasible: --words "
        "{}, or --algorithm {}",
        options.words, most == 1 && d > 1 ? "unequal" : "these", most, most,
        instead_of_line_sum(topology, options, "hamiltonian")));
  }
  const auto words = static_cast<std::uint32_t>(options.words);
  RingProgram program = straight(topology);
  Combination combination;
  combination.parts = words;
  combination.ranks.assign(std::size_t{topology.nodes()} * d, 0);
  for (std::uint32_t phase = 0; phase < d; ++phase) {
    CombineLeg leg;
    leg.lanes.resize(2 * std::size_t{d});
    for (std::uint32_t part = 0; part < words; ++part) {
      const std::uint32_t dim = (part + phase) % d;
      const auto reach = line_reach(topology, static_cast<int>(dim), options.root);
      for (std::size_t way = 0; way < 2; ++way) {
        leg.steps = std::max(leg.steps, reach[way]);
        if (reach[way] == 0) continue;
        leg.lanes[2 * std::size_t{dim} + way] = CombineLane{part, 0, 0, reach[way], true};
      }
    }
    leg.operations.push_back({CombineStep::kLoad, 1});
    if (leg.steps > 1) leg.operations.push_back({CombineStep::kPass, leg.steps - 1});
    combination.legs.push_back(std::move(leg));
  }
  // The diameter, or how far the root is from the farthest node; with several words each leg waits
  // for the longest way.
  const std::uint64_t steps = combination.steps();
  program.combine = std::move(combination);
  return line_plan(topology, "line-sum", options, words, std::move(program), steps);
}

Plan plan_lines(const Topology& topology, const LineReductionOptions& options) {
  if (!topology.is_mesh()) {
    throw InfeasibleError(fmt::format(
        "lines: words meet in the middle of a line with two ends; nearest feasible: --topology "
        "mesh, or --algorithm {}",
        !topology.has_equal_links() ? "scheduled"
        : topology.is_torus()       ? "rings"
                                    : "tree"));
  }
  const std::uint64_t most = words_side_by_side(topology, options.adder_cycles);
  if (!topology.has_equal_links() && options.words > most) {
    throw InfeasibleError(
        fmt::format("lines: {} words exceed the {} of these links; nearest feasible: --words {}, "
                    "or --algorithm scheduled",
                    options.words, most, most));
  }
  std::uint64_t links = 0;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::uint64_t side = topology.side(dim);
    links += 2 * (side - 1) * (topology.nodes() / side);
  }
  if (options.words > kMaxTimetableSlots || options.words * links > kMostTimetableMoves) {
    throw InfeasibleError(
        fmt::format("lines: {} words at {} nodes exceed {} slots per node or {} sends; nearest "
                    "feasible: fewer --words, or --algorithm tree",
                    options.words, topology.nodes(), kMaxTimetableSlots, kMostTimetableMoves));
  }
  const auto words = static_cast<std::uint32_t>(options.words);
  const bool one_class = options.length_invariant || words > most;
  const std::uint32_t classes = one_class ? 1 : static_cast<std::uint32_t>(topology.dimensions());
  TimetableBuilder builder(topology.nodes(), std::uint64_t{topology.nodes()} * words,
                           options.adder_cycles);
  for (std::uint32_t word = 0; word < words; ++word) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      builder.start_with(std::uint64_t{node} * words + word, word);
    }
    add_line_moves(topology, word, words, classes, options.adder_cycles, builder);
  }
  TimetableProgram program = builder.program(topology, words, DeliveryRule::kMarked);
  const std::uint32_t slots = program.slots();
  Plan plan = line_plan(topology, "lines", options, words, std::move(program),
                        steps_of_lines(topology, words, options.adder_cycles));
  plan.expected.queue_depth = slots;
  if (options.length_invariant) {
    // One class: every word is sent a step after the one before.
    plan.expected.analytic_steps = steps_of_lines(topology, 1, options.adder_cycles) + words - 1;
    plan.expected.analytic_cycles = plan.expected.analytic_steps;
    plan.expected.length_invariant = true;
    plan.expected.sum_period = 1;
  }
  return plan;
}

Plan plan_rings(const Topology& topology, const LineReductionOptions& options) {
  if (!topology.is_torus() || !equal_sides(topology)) {
    throw InfeasibleError(
        fmt::format("rings: supports tori of equal sides only; nearest feasible: {}",
                    topology.is_torus() ? "equal sides, or --algorithm hamiltonian"
                                        : "--topology torus, or --algorithm folded"));
  }
  const auto d = static_cast<std::uint32_t>(topology.dimensions());
  const std::uint32_t n = topology.side(0);
  const std::uint64_t round = std::uint64_t{d} * n;
  const std::uint64_t parts = options.length_invariant ? bounds::ceil_div(options.words, round) * d
                                                       : bounds::ceil_div(options.words, n);
  if (parts > kMaxPacketsPerNode) {
    throw InfeasibleError(fmt::format(
        "rings: {} words exceed the {} of this torus; nearest feasible: --algorithm hamiltonian",
        options.words, std::uint64_t{kMaxPacketsPerNode} * n));
  }
  RingProgram program = straight(topology);
  Combination combination;
  combination.blocks = n;
  combination.parts = static_cast<std::uint32_t>(parts);
  combination.ranks.reserve(std::size_t{topology.nodes()} * d);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (std::uint32_t dim = 0; dim < d; ++dim)
      combination.ranks.push_back(walk.coordinates()[dim]);
  }
  // The two-way leg of one ring, for each dimension's two lanes.
  const CombineLeg ring = cycle_legs(n, 1, 1, ReduceTo::kEveryNode).front();
  for (std::uint32_t first = 0; first < parts; first += d) {
    for (std::uint32_t phase = 0; phase < d; ++phase) {
      CombineLeg leg = ring;
      leg.lanes.assign(2 * std::size_t{d}, std::nullopt);
      for (std::uint32_t part = first; part < std::min<std::uint64_t>(first + d, parts); ++part) {
        const std::size_t dim = (part - first + phase) % d;
        for (std::size_t way = 0; way < 2; ++way) {
          leg.lanes[2 * dim + way] = ring.lanes[way];
          leg.lanes[2 * dim + way]->part = part;
        }
      }
      combination.legs.push_back(std::move(leg));
    }
  }
  const std::uint64_t words = combination.words();
  if (options.length_invariant) combination.deal = Deal::kRounds;
  program.combine = std::move(combination);
  Plan plan = line_plan(topology, "rings", options, words, std::move(program),
                        bounds::rings_steps(n, d, words));
  if (options.length_invariant) {
    plan.expected.length_invariant = true;
    plan.expected.sum_period = round;
  }
  return plan;
}

}  // namespace gossamer
