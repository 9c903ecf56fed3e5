// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/reduce/trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/collectives/broadcast/disjoint_trees.hpp"
#include "gossamer/collectives/reduce/packing.hpp"
#include "gossamer/machines/timetable/trees.hpp"
#include "gossamer/topology/live_tree.hpp"
#include "gossamer/topology/side_order.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

std::int32_t along(const Coordinates& at, int dim) {
  return static_cast<std::int32_t>(at[static_cast<std::size_t>(dim)]);
}

Plan tree_plan(const Topology& topology, std::string algorithm, const Demand& demand,
               const PackedTrees& trees, std::uint64_t steps, std::uint32_t adder_cycles = 0) {
  TimetableProgram program = timetable_of_trees(topology, trees, adder_cycles);
  const std::uint32_t slots = program.slots();
  Plan plan{topology,
            demand.to == Destination::kRoot ? "reduce" : "all-reduce",
            std::move(algorithm),
            {{"words", static_cast<std::int64_t>(demand.pieces)}},
            demand,
            std::move(program),
            {}};
  plan.expected.analytic_steps = steps;
  plan.expected.analytic_cycles = steps;
  plan.expected.lower_bound_steps = bounds::lower_bound(topology, demand);
  plan.expected.queue_depth = slots;
  return plan;
}

/// A word's tree follows from the steps in which the streams' first words are done and from the
/// frame. `first`: these steps.
void promise_fixed_trees(const std::vector<std::uint64_t>& first, Plan& plan) {
  plan.expected.length_invariant = true;
  const bool equal = std::all_of(first.begin(), first.end(),
                                 [&](std::uint64_t step) { return step == first.front(); });
  if (equal) plan.expected.sum_period = first.size();
}

/// Nodes with the data of their parents, nearest to the root first.
struct RootedTree {
  NodeId root = 0;
  /// By node.
  std::vector<Port> parent;
  /// All nodes, each after its parent.
  std::vector<NodeId> order;
  std::vector<std::uint32_t> depth;

  RootedTree(const Topology& topology, NodeId root_node,
             const std::function<Port(NodeId)>& parent_port)
      : root(root_node), parent(topology.nodes(), kTreeRoot), depth(topology.nodes(), 0) {
    order.push_back(root);
    std::vector<std::vector<NodeId>> children(topology.nodes());
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (node == root || !topology.is_live(node)) continue;
      parent[node] = parent_port(node);
      children[topology.neighbor(node, parent[node])].push_back(node);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const NodeId child : children[order[i]]) {
        depth[child] = depth[order[i]] + 1;
        order.push_back(child);
      }
    }
  }
};

/// Every node sends in the step before its parent, and totals follow one step later.
void fill_straight(const RootedTree& tree, std::uint32_t stream, std::uint32_t height, bool down,
                   PackedTrees& program) {
  for (const NodeId node : tree.order) {
    const std::uint32_t depth = tree.depth[node];
    TreePlace& place = program.at(node, stream);
    place.parent = tree.parent[node];
    place.up = node == tree.root ? height : height + 1 - depth;
    place.down = down && node != tree.root ? height + depth : 0;
  }
}

/// Position of a node relative to the middle of the network, and the ports towards it.
struct Offset {
  std::int32_t x;
  std::int32_t y;

  [[nodiscard]] Port h() const { return make_port(0, x < 0); }
  [[nodiscard]] Port v() const { return make_port(1, y < 0); }
};
constexpr Port kXMinus = make_port(0, false);
constexpr Port kXPlus = make_port(0, true);
constexpr Port kYMinus = make_port(1, false);
constexpr Port kYPlus = make_port(1, true);

Port parent_in_a(const Offset& at, bool odd) {
  if (at.y != 0) return at.x == 0 ? at.v() : at.h();
  if (at.x == 1) return kYPlus;
  if (odd && at.x == -1) return kYMinus;
  return at.h();
}

Port parent_in_b(const Offset& at, bool odd) {
  if (odd && at.x == 0 && at.y == -1) return kXPlus;
  if (odd && at.x == 0 && at.y == 1) return kXMinus;
  return at.x == 0 || at.y != 0 ? at.v() : at.h();
}

Port parent_in_c_even(const Offset& at) {
  if (at.y == 0) return at.x == 0 ? kXPlus : kYMinus;
  if (at.x == -1) return at.v();
  return at.x < -1 ? kXPlus : kXMinus;
}

Port parent_in_c_odd(const Offset& at) {
  if (std::abs(at.x) + std::abs(at.y) == 1) return at.x != 0 ? at.h() : at.v();
  if (at.y == 0) return at.x > 0 ? kYMinus : kYPlus;
  if (at.x == 0) return at.y < 0 ? kXMinus : kXPlus;
  if (at.x < 0 && at.y < 0) return at.y == -1 ? at.h() : at.v();
  if (at.x > 0 && at.y < 0) return at.x == 1 ? at.v() : at.h();
  if (at.x > 0) return at.y == 1 ? at.h() : at.v();
  return at.x == -1 ? at.v() : at.h();
}

/// The three trees with one choice of parities.
class ThreeTrees {
 public:
  ThreeTrees(const Topology& topology, std::uint64_t words)
      : topology_(topology),
        // Sides n x m' with n even, or both odd: x is the page's first dimension.
        x_(topology.side(0) % 2 != 0 && topology.side(1) % 2 == 0 ? 1 : 0),
        odd_(topology.side(0) % 2 != 0 && topology.side(1) % 2 != 0),
        program_(topology.nodes(), 2, 3, words) {}

  PackedTrees planned(std::uint32_t shift) {
    for (std::uint32_t stream = 0; stream < 3; ++stream) fill(stream, shift);
    return program_;
  }

 private:
  [[nodiscard]] Offset offset(const Coordinates& at) const {
    const auto half = [&](int dim) { return static_cast<std::int32_t>(topology_.side(dim) / 2); };
    return {along(at, x_) - half(x_), along(at, 1 - x_) - half(1 - x_)};
  }
  /// A port of the page's dimensions as one of the network's.
  [[nodiscard]] Port turned(Port port) const {
    return x_ == 0 ? port : static_cast<Port>(port ^ 2U);
  }
  [[nodiscard]] Port parent(std::uint32_t stream, const Coordinates& node) const {
    const Offset at = offset(node);
    if (stream == 0) return turned(parent_in_a(at, odd_));
    if (stream == 1) return turned(parent_in_b(at, odd_));
    return turned(odd_ ? parent_in_c_odd(at) : parent_in_c_even(at));
  }
  /// The class of the link to the parent.
  [[nodiscard]] std::uint32_t link_class(std::uint32_t stream, NodeId node) const {
    const Offset at = offset(topology_.coordinates(node));
    if (stream == 2) return 1;
    return (stream == 0 ? at.y : at.x) == 0 ? 1 : 0;
  }
  [[nodiscard]] std::uint32_t place_parity(NodeId node) const {
    const Coordinates at = topology_.coordinates(node);
    return at[0] + at[1];
  }

  void fill(std::uint32_t stream, std::uint32_t shift) {
    Coordinates middle{};
    for (int dim = 0; dim < 2; ++dim) {
      middle[static_cast<std::size_t>(dim)] = topology_.side(dim) / 2;
    }
    if (stream == 2 && !odd_) --middle[static_cast<std::size_t>(x_)];
    const RootedTree tree(topology_, topology_.node(middle),
                          [&](NodeId node) { return parent(stream, topology_.coordinates(node)); });
    // The latest step up to `from` in which links of the class into `to` are used, and the earliest
    // from it on. Steps are counted from far after the first one.
    const auto fits = [&](std::uint32_t step, std::uint32_t b, NodeId to) {
      return (step - b - place_parity(to) - shift) % 2 == 0;
    };
    const std::uint32_t most = 4 * topology_.nodes() + 4;
    std::uint32_t root_step = most;
    if (!fits(root_step, stream == 2 ? 1 : 0, tree.root)) ++root_step;
    std::uint32_t least = root_step;
    std::vector<std::uint32_t> up(topology_.nodes(), root_step);
    std::vector<std::uint32_t> down(topology_.nodes(), root_step);
    for (const NodeId node : tree.order) {
      if (node == tree.root) continue;
      const NodeId above = topology_.neighbor(node, tree.parent[node]);
      const std::uint32_t b = link_class(stream, node);
      up[node] = above == tree.root ? root_step : up[above] - 1;
      if (!fits(up[node], b, above)) --up[node];
      down[node] = down[above] + 1;
      if (!fits(down[node], b, node)) ++down[node];
      least = std::min(least, up[node]);
    }
    // The first step is 1 or 2.
    const std::uint32_t early = (least - 1) / 2 * 2;
    for (const NodeId node : tree.order) {
      const bool root = node == tree.root;
      program_.at(node, stream) = {tree.parent[node], up[node] - early,
                                   root ? 0 : down[node] - early};
    }
  }

  const Topology& topology_;
  int x_;
  bool odd_;
  PackedTrees program_;
};

void refuse_dead_cores(const Topology& topology, std::string_view algorithm,
                       std::string_view nearest = "--algorithm scheduled") {
  if (topology.faults().dead_cores.empty()) return;
  throw InfeasibleError(fmt::format(
      "{}: does not support dead cores, because every router adds a word; nearest feasible: {}",
      algorithm, nearest));
}

[[noreturn]] void throw_not_two_way(std::string_view algorithm) {
  throw InfeasibleError(fmt::format(
      "{}: two-way links do not connect the live nodes; nearest feasible: --algorithm scheduled",
      algorithm));
}

/// The tree of live links that lead to the root, of all-reduces in both directions.
Plan live_tree_plan(const Topology& topology, NodeId root, const Demand& demand,
                    std::uint32_t adder_cycles) {
  const bool down = demand.to == Destination::kEveryNode;
  refuse_dead_cores(topology, "tree",
                    down ? "--algorithm scheduled" : "all-reduce --algorithm scheduled");
  const LiveTree live = live_tree(topology, root, down ? TreeLinks::kBoth : TreeLinks::kInward);
  if (live.order.size() != topology.live_nodes()) throw_not_two_way("tree");
  const RootedTree tree(topology, root, [&](NodeId node) { return live.towards_root[node]; });
  const std::uint32_t height = std::max(1U, tree.depth[live.order.back()]);
  PackedTrees program(topology.nodes(), 1, 1, demand.pieces);
  fill_straight(tree, 0, height, down, program);
  if (adder_cycles != 0) program = planned_for_adders(topology, program, adder_cycles);
  const std::uint64_t steps = TreeWords(program).steps();
  Plan plan = tree_plan(topology, "tree", demand, program, steps, adder_cycles);
  promise_fixed_trees({height}, plan);
  return plan;
}

}  // namespace

Plan plan_tree(const Topology& topology, const TreeReductionOptions& options) {
  const Demand demand = Demand::combined(Destination::kEveryNode, options.operation, options.words);
  const std::uint32_t adder_cycles = options.adder_cycles;
  if (!topology.is_healthy()) {
    return live_tree_plan(topology, live_middle(topology), demand, adder_cycles);
  }
  Coordinates middle{};
  std::uint32_t height = 0;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    middle[static_cast<std::size_t>(dim)] = topology.side(dim) / 2;
    height += topology.side(dim) / 2;
  }
  const RootedTree tree(topology, topology.node(middle), [&](NodeId node) {
    const Coordinates at = topology.coordinates(node);
    int dim = 0;
    while (along(at, dim) == along(middle, dim)) ++dim;
    return make_port(dim, along(at, dim) < along(middle, dim));
  });
  PackedTrees program(topology.nodes(), 1, 1, options.words);
  fill_straight(tree, 0, height, true, program);
  if (adder_cycles != 0) program = planned_for_adders(topology, program, adder_cycles);
  Plan plan = tree_plan(topology, "tree", demand, program,
                        bounds::tree_steps(topology, options.words, adder_cycles), adder_cycles);
  promise_fixed_trees({height}, plan);
  return plan;
}

Plan plan_tree_reduction(const Topology& topology, NodeId root,
                         const TreeReductionOptions& options) {
  Plan plan = live_tree_plan(
      topology, root, Demand::combined(Destination::kRoot, options.operation, options.words, root),
      options.adder_cycles);
  plan.parameters["source"] = node_text(topology, root);
  return plan;
}

Plan plan_three_trees(const Topology& topology, const TreeReductionOptions& options) {
  if (topology.dimensions() != 2 || std::min(topology.side(0), topology.side(1)) < 3) {
    throw InfeasibleError(fmt::format(
        "three-trees: requires two dimensions with sides of 3 or more, unlike {}; nearest "
        "feasible: --algorithm tree",
        topology.dims_text()));
  }
  const auto first_words = [](const PackedTrees& program) {
    const TreeWords words(program);
    std::array<std::uint64_t, 3> first{};
    for (std::uint32_t stream = 0; stream < 3; ++stream) first[stream] = words.first_done(stream);
    std::sort(first.begin(), first.end(), std::greater<>());
    return first;
  };
  const PackedTrees even = ThreeTrees(topology, options.words).planned(0);
  const PackedTrees odd = ThreeTrees(topology, options.words).planned(1);
  const PackedTrees program = first_words(odd) < first_words(even) ? odd : even;
  Plan plan = tree_plan(
      topology, "three-trees",
      Demand::combined(Destination::kEveryNode, options.operation, options.words), program,
      bounds::packed_steps(bounds::three_trees_first(topology), 2, options.words));
  const auto first = first_words(program);
  promise_fixed_trees({first.begin(), first.end()}, plan);
  return plan;
}

namespace {

/// Trees that were found with the dimensions in another order.
PackedTrees laid_back(const PackedTrees& trees, const SideOrder& order) {
  PackedTrees here(trees.nodes(), trees.frame(), trees.streams(), trees.words());
  for (NodeId node = 0; node < trees.nodes(); ++node) {
    for (std::uint32_t stream = 0; stream < trees.streams(); ++stream) {
      TreePlace place = trees.at(node, stream);
      if (place.parent < order.there().ports()) place.parent = order.port_here(place.parent);
      here.at(order.node_here(node), stream) = place;
    }
  }
  return here;
}

/// By stream, the step at whose end its first word is done at every node.
std::vector<std::uint64_t> first_steps(const PackedTrees& trees) {
  const TreeWords words(trees);
  std::vector<std::uint64_t> first;
  for (std::uint32_t stream = 0; stream < trees.streams(); ++stream) {
    first.push_back(words.first_done(stream));
  }
  return first;
}

}  // namespace

Plan plan_packing(const Topology& topology, const TreeReductionOptions& options,
                  std::optional<std::uint32_t> frame) {
  constexpr std::uint32_t kLongestFrame = 4;
  if (topology.nodes() > kMostPackedNodes) {
    throw InfeasibleError(
        fmt::format("packing: its search supports up to {1} nodes, not {0}; nearest feasible: "
                    "--algorithm three-trees or tree",
                    topology.nodes(), kMostPackedNodes));
  }
  refuse_dead_cores(topology, "packing");
  const LiveTree reached = live_tree(topology, live_middle(topology), TreeLinks::kBoth);
  if (reached.order.size() != topology.live_nodes() || reached.order.size() == 1) {
    throw_not_two_way("packing");
  }
  std::optional<PackedTrees> best;
  const auto is_better = [&](const PackedTrees& program) {
    if (!best) return true;
    if (!options.length_invariant) return TreeWords(program).steps() < TreeWords(*best).steps();
    // Words per step, then the steps until the first words are done.
    const std::uint64_t rate = std::uint64_t{program.streams()} * best->frame();
    const std::uint64_t best_rate = std::uint64_t{best->streams()} * program.frame();
    return rate != best_rate ? rate > best_rate : first_steps(program) < first_steps(*best);
  };
  const auto offer = [&](PackedTrees program) {
    if (is_better(program)) best = std::move(program);
  };
  // Frames of whole periods of the slowest link waste none of its steps.
  const std::uint32_t slowest = topology.slowest_period();
  std::vector<std::uint32_t> frames;
  if (frame) frames.push_back(*frame);
  for (std::uint32_t p = 1; p <= kLongestFrame && !frame; ++p) {
    if (p * slowest <= kMostPackedFrame) frames.push_back(p * slowest);
  }
  for (const std::uint32_t p : frames) {
    offer(packed_program(topology, p, options.words));
    if (!topology.has_equal_links()) continue;
    // The search takes dimensions one after the other.
    for (const SideOrder& order : other_side_orders(topology)) {
      offer(laid_back(packed_program(order.there(), p, options.words), order));
    }
  }
  // There is no formula: the steps are those of the trees that were found.
  const std::vector<std::uint64_t> first = first_steps(*best);
  const std::uint32_t steps_of_frame = best->frame();
  Plan plan = tree_plan(topology, "packing",
                        Demand::combined(Destination::kEveryNode, options.operation, options.words),
                        *best, bounds::packed_steps(first, steps_of_frame, options.words));
  plan.parameters["frame"] = std::int64_t{steps_of_frame};
  plan.parameters["trees"] = static_cast<std::int64_t>(first.size());
  // Without a frame and without the rule the number of words chooses.
  if (options.length_invariant) promise_fixed_trees(first, plan);
  return plan;
}

Plan plan_disjoint_tree_reduction(const Topology& topology, NodeId root,
                                  const TreeReductionOptions& options) {
  const DisjointTrees trees(topology, root);
  PackedTrees program(topology.nodes(), 1, static_cast<std::uint32_t>(trees.size()), options.words);
  for (std::uint32_t stream = 0; stream < trees.size(); ++stream) {
    // Packets from the root by a port return to it by the same port.
    const RootedTree tree(topology, root, [&](NodeId node) { return trees.in_port(stream, node); });
    fill_straight(tree, stream, trees.depths()[stream], false, program);
  }
  const std::vector<std::uint64_t> first(trees.depths().begin(), trees.depths().end());
  Plan plan =
      tree_plan(topology, "disjoint-trees",
                Demand::combined(Destination::kRoot, options.operation, options.words, root),
                program, bounds::packed_steps(first, 1, options.words));
  plan.expected.bound_steps = bounds::disjoint_trees_steps(topology, root, options.words);
  promise_fixed_trees(first, plan);
  plan.parameters["source"] = node_text(topology, root);
  return plan;
}

}  // namespace gossamer
