// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/reduce/forest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <vector>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Pairs of a node and a word.
constexpr std::uint64_t kMostForestPlaces = std::uint64_t{1} << 18U;
constexpr std::size_t kForestSetBits = 64;
/// Restarts for each form of a core and each number of steps.
constexpr std::uint32_t kForestEffort = 1500;

/// Of a node's distance from the core, in the order of words: near ones first, or far ones, or it
/// does not matter.
constexpr std::array<std::int64_t, 3> kWeights = {-1000, 1000, 0};

/// Sides of a core, 1 or 2, by dimension.
using CoreSides = std::array<std::uint32_t, kMaxDimensions>;

/// A word goes to a node in a step of the broadcast.
struct ForestHop {
  std::uint32_t step = 1;
  NodeId from = 0;
  Port out_port = 0;
  std::uint32_t word = 0;
};

/// One attempt: cores, and the broadcast from them.
struct Forest {
  std::vector<NodeId> origins;
  /// By dimension and word, the step of the exchange along it, from 0.
  std::vector<std::vector<std::uint32_t>> exchange_steps;
  /// By dimension, steps of its exchanges.
  std::vector<std::uint32_t> exchanges;
  std::vector<ForestHop> hops;
  /// Steps of the broadcast.
  std::uint32_t steps = 0;

  [[nodiscard]] std::uint32_t exchanged() const {
    std::uint32_t steps_of_all = 0;
    for (const std::uint32_t each : exchanges) steps_of_all += each;
    return steps_of_all;
  }
};

class ForestSearch {
 public:
  ForestSearch(const Topology& topology, const WordSearchOptions& options)
      : topology_(topology),
        options_(options),
        effort_(options.effort.value_or(kForestEffort)),
        words_(static_cast<std::uint32_t>(options.words)),
        d_(static_cast<std::size_t>(topology.dimensions())),
        sets_((words_ + kForestSetBits - 1) / kForestSetBits) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (const Port port : all_ports(topology.ports())) {
        senders_.push_back(topology.sender(node, port));
      }
      at_.push_back(topology.coordinates(node));
    }
    for (std::uint32_t bits = 0; bits < (1U << d_); ++bits) {
      CoreSides sides{};
      bool fits = true;
      for (std::size_t dim = 0; dim < d_; ++dim) {
        sides[dim] = (bits >> dim & 1U) != 0 ? 2 : 1;
        fits = fits && sides[dim] <= topology.side(static_cast<int>(dim));
      }
      if (fits) shapes_.push_back(sides);
    }
    // Of equal cores, the one that is longer along dimension 0 comes first.
    std::stable_sort(
        shapes_.begin(), shapes_.end(),
        [this](const CoreSides& a, const CoreSides& b) { return nodes_of(a) < nodes_of(b); });
  }

  Forest best(std::uint64_t lower_bound) {
    for (std::uint64_t steps = lower_bound;; ++steps) {
      if (options_.most_steps && steps > *options_.most_steps) {
        throw InfeasibleError(fmt::format(
            "forest: no plan of at most {} steps was found; nearest feasible: a larger --effort, "
            "or --algorithm scheduled",
            *options_.most_steps));
      }
      for (const CoreSides& shape : shapes_) {
        if (search(shape, static_cast<std::uint32_t>(steps))) return std::move(forest_);
      }
    }
  }

  [[nodiscard]] std::vector<NodeId> core(const Forest& forest, std::uint32_t word) const {
    return box(forest.origins[word]);
  }
  [[nodiscard]] const CoreSides& shape() const { return shape_; }

 private:
  [[nodiscard]] std::uint32_t nodes_of(const CoreSides& sides) const {
    std::uint32_t nodes = 1;
    for (std::size_t dim = 0; dim < d_; ++dim) nodes *= sides[dim];
    return nodes;
  }
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  [[nodiscard]] std::vector<NodeId> box(NodeId origin) const {
    std::vector<NodeId> nodes{origin};
    for (std::size_t dim = 0; dim < d_; ++dim) {
      if (shape_[dim] == 1) continue;
      const std::size_t count = nodes.size();
      for (std::size_t i = 0; i < count; ++i) {
        nodes.push_back(topology_.neighbor(nodes[i], make_port(static_cast<int>(dim), true)));
      }
    }
    return nodes;
  }

  [[nodiscard]] std::uint32_t distance(NodeId node, NodeId origin) const {
    std::uint32_t hops = 0;
    for (std::size_t dim = 0; dim < d_; ++dim) {
      const std::uint32_t n = topology_.side(static_cast<int>(dim));
      const std::uint32_t beyond = (at_[node][dim] + n - at_[origin][dim]) % n;
      if (beyond >= shape_[dim]) hops += std::min(beyond - shape_[dim] + 1, n - beyond);
    }
    return hops;
  }

  /// Fills forest_ if one of the restarts finds a broadcast.
  bool search(const CoreSides& shape, std::uint32_t steps) {
    shape_ = shape;
    std::uint32_t farthest = 0;
    std::uint32_t exchanges = 0;
    for (std::size_t dim = 0; dim < d_; ++dim) {
      farthest += (topology_.side(static_cast<int>(dim)) - shape[dim] + 1) / 2;
      exchanges += shape[dim] - 1;
    }
    const std::uint64_t others = topology_.nodes() - std::uint64_t{nodes_of(shape)};
    std::uint64_t least =
        std::max<std::uint64_t>(farthest, bounds::ceil_div(words_ * others, topology_.links()));
    if (exchanges == 0) least = std::max(least, bounds::owners_lower_bound(topology_, words_));
    if (steps < exchanges + 2 * least) return false;
    random_.seed(static_cast<std::uint32_t>(options_.seed * 0x9e3779b1U));
    for (std::uint32_t restart = 0; restart < effort_; ++restart) {
      if (options_.progress && restart % 64 == 0) {
        options_.progress(fmt::format("forests of {} steps", steps), restart, effort_);
      }
      place_cores();
      const std::uint32_t exchanged = forest_.exchanged();
      if (exchanged > steps || (steps - exchanged) % 2 != 0) continue;
      const std::uint32_t half = (steps - exchanged) / 2;
      if (half < least) continue;
      weight_ = kWeights[(restart / 4) % kWeights.size()];
      if (broadcast(half, 500 * (restart % 4))) return true;
    }
    return false;
  }

  /// Origins are multiples of a random vector; where a core is in the way, further random vectors
  /// lead on. After many failures cores may share origins and links.
  void place_cores() {
    forest_ = {};
    const Coordinates step = random_vector();
    Coordinates aside = random_vector();
    // By node, cores with this origin; by dimension and node, cores that use its link towards +.
    std::vector<std::uint32_t> uses((d_ + 1) * topology_.nodes(), 0);
    std::uint32_t allowed = 1;
    Coordinates at{};
    const auto advance = [&](const Coordinates& by) {
      for (std::size_t dim = 0; dim < d_; ++dim) {
        at[dim] = (at[dim] + by[dim]) % topology_.side(static_cast<int>(dim));
      }
    };
    std::uint32_t failures = 0;
    for (std::uint32_t word = 0; word < words_; ++word) {
      while (!place(topology_.node(at), allowed, uses)) {
        advance(aside);
        if (++failures % topology_.nodes() == 0) aside = random_vector();
        if (failures <= 4 * topology_.nodes()) continue;
        ++allowed;
        failures = 0;
      }
      forest_.origins.push_back(topology_.node(at));
      advance(step);
    }
    exchange();
  }

  Coordinates random_vector() {
    Coordinates vector{};
    for (std::size_t dim = 0; dim < d_; ++dim) {
      vector[dim] = below(topology_.side(static_cast<int>(dim)));
    }
    return vector;
  }

  /// Counts a core; false where its origin or a link has as many as allowed.
  bool place(NodeId origin, std::uint32_t allowed, std::vector<std::uint32_t>& uses) const {
    std::vector<std::size_t> used{origin};
    for (std::size_t dim = 0; dim < d_; ++dim) {
      if (shape_[dim] == 1) continue;
      for (const NodeId node : box(origin)) {
        if (at_[node][dim] == at_[origin][dim]) used.push_back((dim + 1) * at_.size() + node);
      }
    }
    const bool free = std::all_of(used.begin(), used.end(),
                                  [&](std::size_t place) { return uses[place] < allowed; });
    if (!free) return false;
    for (const std::size_t place : used) ++uses[place];
    return true;
  }

  /// Words whose cores use the same link of a dimension exchange in different steps.
  void exchange() {
    forest_.exchange_steps.assign(d_, std::vector<std::uint32_t>(words_, 0));
    forest_.exchanges.assign(d_, 0);
    for (std::size_t dim = 0; dim < d_; ++dim) {
      if (shape_[dim] == 1) continue;
      // By node, the steps in which its link towards + is in use.
      std::vector<std::uint64_t> busy(topology_.nodes(), 0);
      for (std::uint32_t word = 0; word < words_; ++word) {
        const std::uint32_t origin = at_[forest_.origins[word]][dim];
        std::uint64_t taken = 0;
        const std::vector<NodeId> nodes = box(forest_.origins[word]);
        for (const NodeId node : nodes) {
          if (at_[node][dim] == origin) taken |= busy[node];
        }
        const auto step = static_cast<std::uint32_t>(std::countr_one(taken));
        for (const NodeId node : nodes) {
          if (at_[node][dim] == origin) busy[node] |= std::uint64_t{1} << std::min(step, 63U);
        }
        forest_.exchange_steps[dim][word] = step;
        forest_.exchanges[dim] = std::max(forest_.exchanges[dim], step + 1);
      }
    }
  }

  [[nodiscard]] bool has(const std::vector<std::uint64_t>& sets, NodeId node,
                         std::uint32_t word) const {
    return (sets[node * sets_ + word / kForestSetBits] >> (word % kForestSetBits) & 1U) != 0;
  }

  struct Candidate {
    std::int64_t order = 0;
    std::uint32_t word = 0;
    /// In-ports by which it can come.
    std::uint32_t ports = 0;
  };

  /// Step by step every node takes as many missing words as its links can bring.
  bool broadcast(std::uint32_t steps, std::uint32_t noise) {
    const NodeId nodes = topology_.nodes();
    const auto ports = static_cast<std::uint32_t>(topology_.ports());
    std::vector<std::uint64_t> held(nodes * sets_, 0);
    std::vector<std::uint32_t> missing(nodes, words_);
    std::uint64_t missing_in_all = 0;
    for (std::uint32_t word = 0; word < words_; ++word) {
      for (const NodeId node : box(forest_.origins[word])) {
        held[node * sets_ + word / kForestSetBits] |= std::uint64_t{1} << (word % kForestSetBits);
        --missing[node];
      }
    }
    for (const std::uint32_t count : missing) missing_in_all += count;
    forest_.hops.clear();
    std::vector<Candidate> candidates;
    for (std::uint32_t step = 1; step <= steps && missing_in_all != 0; ++step) {
      const std::uint64_t left = steps - step + 1;
      if (missing_in_all > left * topology_.links()) return false;
      const std::vector<std::uint64_t> before = held;
      for (NodeId node = 0; node < nodes; ++node) {
        if (missing[node] > left * ports) return false;
        list_candidates(node, before, noise, candidates);
        const std::array<int, kMaxPorts> matched = match(candidates, ports);
        for (std::uint32_t port = 0; port < ports; ++port) {
          if (matched[port] < 0) continue;
          const std::uint32_t word = candidates[static_cast<std::size_t>(matched[port])].word;
          held[node * sets_ + word / kForestSetBits] |= std::uint64_t{1} << (word % kForestSetBits);
          --missing[node];
          --missing_in_all;
          forest_.hops.push_back(
              {step, senders_[node * ports + port], opposite(static_cast<Port>(port)), word});
        }
      }
      forest_.steps = step;
    }
    return missing_in_all == 0;
  }

  void list_candidates(NodeId node, const std::vector<std::uint64_t>& before, std::uint32_t noise,
                       std::vector<Candidate>& candidates) {
    candidates.clear();
    const auto ports = static_cast<std::uint32_t>(topology_.ports());
    for (std::size_t set = 0; set < sets_; ++set) {
      std::uint64_t offered = 0;
      for (std::uint32_t port = 0; port < ports; ++port) {
        const NodeId from = senders_[node * ports + port];
        if (from != kNoNode) offered |= before[from * sets_ + set];
      }
      offered &= ~before[node * sets_ + set];
      for (; offered != 0; offered &= offered - 1) {
        Candidate candidate;
        candidate.word = static_cast<std::uint32_t>(
            set * kForestSetBits + static_cast<std::size_t>(std::countr_zero(offered)));
        for (std::uint32_t port = 0; port < ports; ++port) {
          const NodeId from = senders_[node * ports + port];
          if (from != kNoNode && has(before, from, candidate.word)) candidate.ports |= 1U << port;
        }
        candidate.order = weight_ * distance(node, forest_.origins[candidate.word]) +
                          std::int64_t{100} * std::popcount(candidate.ports);
        if (noise != 0) candidate.order += below(noise);
        candidates.push_back(candidate);
      }
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.order, a.word) < std::pair(b.order, b.word);
    });
  }

  /// By in-port the candidate that comes by it, -1 for none; earlier candidates first.
  static std::array<int, kMaxPorts> match(const std::vector<Candidate>& candidates,
                                          std::uint32_t ports) {
    std::array<int, kMaxPorts> matched{};
    matched.fill(-1);
    std::uint32_t free = ports;
    for (std::size_t i = 0; i < candidates.size() && free != 0; ++i) {
      std::uint32_t tried = 0;
      if (augment(candidates, static_cast<int>(i), matched, tried)) --free;
    }
    return matched;
  }
  static bool augment(const std::vector<Candidate>& candidates, int candidate,
                      std::array<int, kMaxPorts>& matched, std::uint32_t& tried) {
    const std::uint32_t ports = candidates[static_cast<std::size_t>(candidate)].ports;
    for (std::uint32_t open = ports & ~tried; open != 0; open &= open - 1) {
      const auto port = static_cast<std::size_t>(std::countr_zero(open));
      if ((tried >> port & 1U) != 0) continue;
      tried |= 1U << port;
      if (matched[port] < 0 || augment(candidates, matched[port], matched, tried)) {
        matched[port] = candidate;
        return true;
      }
    }
    return false;
  }

  const Topology& topology_;
  const WordSearchOptions& options_;
  std::uint32_t effort_;
  std::uint32_t words_;
  std::size_t d_;
  /// Words of a set of words.
  std::size_t sets_;
  /// By node and in-port.
  std::vector<NodeId> senders_;
  std::vector<Coordinates> at_;
  std::vector<CoreSides> shapes_;
  CoreSides shape_{};
  std::int64_t weight_ = 0;
  std::mt19937 random_;
  Forest forest_;
};

/// The rows: the broadcast backward, the exchanges, the broadcast.
TimetableProgram forest_program(const Topology& topology, std::uint32_t words,
                                const ForestSearch& search, const Forest& forest) {
  TimetableBuilder builder(topology.nodes(), std::uint64_t{topology.nodes()} * words);
  const auto held = [words](NodeId node, std::uint32_t word) {
    return std::uint64_t{node} * words + word;
  };
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::uint32_t word = 0; word < words; ++word) builder.start_with(held(node, word), word);
  }
  const auto add = [&](std::uint32_t step, NodeId from, Port port, std::uint32_t word,
                       bool combines, bool delivers) {
    TimetableMove move = TimetableMove::across(topology, from, port);
    move.step = step;
    move.from = held(from, word);
    move.to = held(move.to_rom, word);
    move.combines = combines;
    move.delivers = delivers;
    builder.add(move);
  };
  const std::uint32_t exchanged = forest.exchanged();
  // A core of one node has its total with the last arrival, which mirrors its first send.
  std::vector<std::uint32_t> first_send(words, ~std::uint32_t{0});
  for (const ForestHop& hop : forest.hops) {
    if (hop.from != forest.origins[hop.word]) continue;
    first_send[hop.word] = std::min(first_send[hop.word], hop.step);
  }
  for (const ForestHop& hop : forest.hops) {
    const NodeId to = topology.neighbor(hop.from, hop.out_port);
    const bool completes =
        exchanged == 0 && hop.from == forest.origins[hop.word] && hop.step == first_send[hop.word];
    add(forest.steps + 1 - hop.step, to, opposite(hop.out_port), hop.word, true, completes);
    add(forest.steps + exchanged + hop.step, hop.from, hop.out_port, hop.word, false, true);
  }
  std::uint32_t before = forest.steps;
  const auto d = static_cast<std::size_t>(topology.dimensions());
  std::size_t last = 0;
  for (std::size_t dim = 0; dim < d; ++dim) {
    if (search.shape()[dim] == 2) last = dim;
  }
  for (std::size_t dim = 0; dim < d; ++dim) {
    if (search.shape()[dim] == 1) continue;
    for (std::uint32_t word = 0; word < words; ++word) {
      const std::uint32_t origin = topology.coordinates(forest.origins[word])[dim];
      for (const NodeId node : search.core(forest, word)) {
        const bool plus = topology.coordinates(node)[dim] == origin;
        add(before + forest.exchange_steps[dim][word] + 1, node,
            make_port(static_cast<int>(dim), plus), word, true, dim == last);
      }
    }
    before += forest.exchanges[dim];
  }
  return builder.program(topology, words, DeliveryRule::kMarked);
}

}  // namespace

Plan plan_forest(const Topology& topology, const WordSearchOptions& options) {
  if (!topology.is_torus() || !topology.is_healthy() || topology.nodes() == 1) {
    throw InfeasibleError(
        "forest: requires a torus of two or more nodes without faults; nearest feasible: "
        "--algorithm scheduled");
  }
  if (options.words * topology.nodes() > kMostForestPlaces) {
    throw InfeasibleError(fmt::format(
        "forest: {} words at {} nodes are too many to search; nearest feasible: --words {}, or "
        "--algorithm hamiltonian",
        options.words, topology.nodes(),
        std::max<std::uint64_t>(1, kMostForestPlaces / topology.nodes())));
  }
  const auto words = static_cast<std::uint32_t>(options.words);
  const Demand demand = Demand::combined(Destination::kEveryNode, options.operation, words);
  const std::uint64_t lower_bound = bounds::lower_bound(topology, demand);
  ForestSearch search(topology, options);
  const Forest forest = search.best(lower_bound);
  TimetableProgram program = forest_program(topology, words, search, forest);
  const std::uint32_t slots = program.slots();
  Plan plan{topology,
            "all-reduce",
            "forest",
            {{"words", std::int64_t{words}},
             {"seed", static_cast<std::int64_t>(options.seed)},
             {"effort", std::int64_t{options.effort.value_or(kForestEffort)}}},
            demand,
            std::move(program),
            {}};
  plan.expected.analytic_steps = 2 * std::uint64_t{forest.steps} + forest.exchanged();
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  plan.expected.lower_bound_steps = lower_bound;
  plan.expected.queue_depth = slots;
  return plan;
}

}  // namespace gossamer
