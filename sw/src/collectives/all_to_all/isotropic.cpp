// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_to_all/isotropic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/all_to_all/exchange_program.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer {

namespace {

/// From this side on, square tori use the closed form: the search for four slots takes too long.
constexpr std::uint32_t kClosedFormSide = 17;
/// Beginnings that the search keeps, and continuations that it tries for each.
constexpr std::size_t kBeam = 16;
constexpr int kTrials = 3;
constexpr std::uint64_t kSearches = 3;
/// Slots tried above the least possible number.
constexpr std::uint32_t kMoreSlots = 24;

constexpr NodeId kNobody = 0;

/// The hops that an offset's packet needs: in each dimension by which port, and how many.
struct Way {
  std::array<Port, kMaxDimensions> port{};
  std::array<std::uint16_t, kMaxDimensions> hops{};
  std::uint32_t length = 0;
};

/// Without `left_out`, which does not move.
std::vector<Way> ways_of(const Topology& torus, NodeId left_out = kNobody) {
  std::vector<Way> ways(torus.nodes());
  for (NodeWalk walk(torus); !walk.done(); walk.next()) {
    Way& way = ways[walk.node()];
    if (walk.node() == left_out) continue;
    for (int dim = 0; dim < torus.dimensions(); ++dim) {
      const auto i = static_cast<std::size_t>(dim);
      const std::uint32_t n = torus.side(dim);
      const std::uint32_t x = walk.coordinates()[i];
      bool positive = 2 * x < n;
      if (2 * x == n) {
        // Half of the offsets each way: by the parity of the offset's number without this digit.
        const std::uint32_t low = walk.node() % torus.stride(dim);
        const std::uint32_t high = walk.node() / (torus.stride(dim) * n);
        positive = (high * torus.stride(dim) + low) % 2 == 0;
      }
      way.port[i] = make_port(dim, positive);
      way.hops[i] = static_cast<std::uint16_t>(std::min(x, n - x));
      way.length += way.hops[i];
    }
  }
  return ways;
}

using Matching = std::array<NodeId, kMaxPorts>;

/// A partial program: the remaining hops.
struct Beginning {
  /// By offset, then dimension.
  std::vector<std::uint16_t> hops;
  /// By offset.
  std::vector<std::uint32_t> length;
  /// By port.
  std::array<std::uint64_t, kMaxPorts> load{};
  /// Offsets under way.
  std::vector<NodeId> begun;
  std::uint32_t waits = 0;
  /// Offsets whose hop by the halved dimension's ports also takes this step.
  std::array<NodeId, 2> shared{kNobody, kNobody};

  [[nodiscard]] bool is_shared(NodeId offset) const {
    return offset != kNobody && (offset == shared[0] || offset == shared[1]);
  }
};

/// The dimension whose half-side offset is sent in both directions, by the parity of its origin's
/// coordinate.
///
/// In the step of its hop each node sends it by one of the dimension's two ports, and has the other
/// one free. So two of its hops, in steps 2i - 1 and 2i, have room for one + hop of another offset
/// and one - hop of a third, half of the nodes in each step. A last hop of its own has room for
/// nothing.
struct Halved {
  std::size_t dimension = 0;
  /// Hops of half a side.
  std::uint64_t hops = 0;

  /// The first of two steps that share a hop, the second one, or the last hop of an odd number.
  [[nodiscard]] bool opens(std::uint64_t step) const { return step % 2 != 0 && step < hops; }
  [[nodiscard]] bool closes(std::uint64_t step) const { return step % 2 == 0 && step <= hops; }
  [[nodiscard]] bool blocks(std::uint64_t step) const { return step % 2 != 0 && step == hops; }
};

class Search {
 public:
  Search(const Topology& torus, std::vector<Way> ways, std::uint64_t steps,
         std::optional<Halved> halved = std::nullopt)
      : dimensions_(static_cast<std::size_t>(torus.dimensions())),
        ports_(2 * dimensions_),
        ways_(std::move(ways)),
        steps_(steps),
        halved_(halved) {}

  /// Slots that no program can do without: the hops after the first, spread over all steps.
  [[nodiscard]] std::uint32_t least_slots() const {
    std::uint64_t waiting = 0;
    for (std::size_t offset = 1; offset < ways_.size(); ++offset)
      waiting += std::max(ways_[offset].length, 1U) - 1;
    return steps_ < 2 ? 0 : static_cast<std::uint32_t>(bounds::ceil_div(waiting, steps_ - 1));
  }

  std::optional<std::vector<std::vector<ExchangeHop>>> run(std::uint32_t slots,
                                                           std::uint64_t seed) {
    slots_ = slots;
    random_ = SplitMix64(seed);
    std::vector<Beginning> beam{start()};
    std::vector<std::vector<Choice>> history;
    for (left_ = steps_; left_ > 0; --left_) {
      std::vector<Choice> choices;
      for (std::size_t parent = 0; parent < beam.size(); ++parent) {
        for (int trial = 0; trial < kTrials; ++trial) {
          if (auto choice = extend(beam[parent])) {
            choice->parent = parent;
            choices.push_back(*choice);
          }
        }
      }
      std::sort(choices.begin(), choices.end(),
                [](const Choice& a, const Choice& b) { return a.cost < b.cost; });
      choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
      if (choices.size() > kBeam) choices.resize(kBeam);
      if (choices.empty()) return std::nullopt;
      std::vector<Beginning> next;
      for (const Choice& choice : choices)
        next.push_back(moved(beam[choice.parent], choice.matching));
      beam = std::move(next);
      history.push_back(std::move(choices));
    }
    std::vector<std::vector<ExchangeHop>> program(history.size());
    std::size_t at = 0;
    for (std::size_t step = history.size(); step-- > 0;) {
      const Choice& choice = history[step][at];
      for (std::size_t port = 0; port < ports_; ++port) {
        if (choice.matching[port] == kNobody) continue;
        program[step].push_back({choice.matching[port], static_cast<Port>(port)});
      }
      at = choice.parent;
    }
    return program;
  }

 private:
  /// One way to continue a partial program.
  struct Choice {
    std::size_t parent = 0;
    /// By port: the offset that it serves, or kNobody.
    Matching matching{};
    std::int64_t cost = 0;

    bool operator==(const Choice& other) const {
      return parent == other.parent && matching == other.matching;
    }
  };

  [[nodiscard]] Beginning start() const {
    Beginning first;
    first.hops.resize(ways_.size() * dimensions_);
    first.length.resize(ways_.size());
    for (std::size_t offset = 1; offset < ways_.size(); ++offset) {
      const Way& way = ways_[offset];
      first.length[offset] = way.length;
      for (std::size_t dim = 0; dim < dimensions_; ++dim) {
        first.hops[offset * dimensions_ + dim] = way.hops[dim];
        first.load[way.port[dim]] += way.hops[dim];
      }
    }
    return first;
  }

  [[nodiscard]] Beginning moved(const Beginning& from, const Matching& matching) const {
    Beginning to = from;
    for (std::size_t port = 0; port < ports_; ++port) {
      const NodeId offset = matching[port];
      if (offset == kNobody) continue;
      --to.hops[offset * dimensions_ + port / 2];
      --to.load[port];
      if (to.length[offset]-- == ways_[offset].length) to.begun.push_back(offset);
    }
    std::erase_if(to.begun, [&to](NodeId offset) { return to.length[offset] == 0; });
    to.shared = {kNobody, kNobody};
    if (halved_ && halved_->opens(step())) {
      to.shared = {matching[2 * halved_->dimension], matching[2 * halved_->dimension + 1]};
    }
    to.waits += waiting(from, matching);
    return to;
  }

  [[nodiscard]] std::uint32_t waiting(const Beginning& from, const Matching& matching) const {
    return static_cast<std::uint32_t>(
        std::count_if(from.begun.begin(), from.begun.end(), [&](NodeId offset) {
          return std::find(matching.begin(), matching.end(), offset) == matching.end();
        }));
  }

  /// From 1.
  [[nodiscard]] std::uint64_t step() const { return steps_ + 1 - left_; }
  [[nodiscard]] bool is_halved(std::size_t port) const {
    return halved_ && port / 2 == halved_->dimension;
  }
  /// A port that begins a hop in this step.
  [[nodiscard]] bool is_open(std::size_t port) const {
    return !is_halved(port) || !(halved_->closes(step()) || halved_->blocks(step()));
  }
  /// The steps left in which a port can begin a hop, this one included.
  [[nodiscard]] std::uint64_t left_to(std::size_t port) const {
    if (!is_halved(port) || step() > halved_->hops) return left_;
    return left_ - (halved_->hops - step() + 1) + (halved_->hops / 2 - step() / 2);
  }
  /// A hop that takes two steps leaves one less for the others of its offset.
  [[nodiscard]] bool has_time(const Beginning& at, NodeId offset, std::size_t port) const {
    return at.length[offset] < left_ || !is_halved(port) || !halved_->opens(step());
  }

  /// Gives `offset` a port, moving others to another one where that is needed.
  bool augment(const Beginning& at, NodeId offset, Matching& matching, PortSet& visited) {
    const std::uint64_t first = random_.below(dimensions_);
    for (std::size_t i = 0; i < dimensions_; ++i) {
      const std::size_t dim = (first + i) % dimensions_;
      const Port port = ways_[offset].port[dim];
      if (at.hops[offset * dimensions_ + dim] == 0 || visited.contains(port) || !is_open(port) ||
          !has_time(at, offset, port)) {
        continue;
      }
      visited.insert(port);
      if (matching[port] == kNobody || augment(at, matching[port], matching, visited)) {
        matching[port] = offset;
        return true;
      }
    }
    return false;
  }

  std::optional<Choice> extend(const Beginning& at) {
    Choice choice;
    Matching& matching = choice.matching;
    // Packets under way first, those without a step to lose before the others.
    std::vector<NodeId> begun = at.begun;
    shuffle(random_, begun);
    std::stable_partition(begun.begin(), begun.end(),
                          [&](NodeId offset) { return at.length[offset] == left_; });
    for (const NodeId offset : begun) {
      if (at.is_shared(offset)) continue;
      PortSet visited;
      if (!augment(at, offset, matching, visited) && at.length[offset] == left_)
        return std::nullopt;
    }
    std::uint32_t held = 0;
    for (const NodeId offset : at.begun) {
      const bool moves = std::find(matching.begin(), matching.end(), offset) != matching.end();
      if (!moves || at.length[offset] > 1) ++held;
    }
    // Then new ones for the ports that are free, again those without a step to lose first.
    std::vector<Port> free;
    for (std::size_t port = 0; port < ports_; ++port) {
      if (matching[port] == kNobody && at.load[port] > 0 && is_open(port)) {
        free.push_back(static_cast<Port>(port));
      }
    }
    shuffle(random_, free);
    std::stable_partition(free.begin(), free.end(),
                          [&](Port port) { return at.load[port] == left_to(port); });
    for (const Port port : free) {
      const NodeId offset = new_offset(at, port, held < slots_, matching);
      if (offset == kNobody) {
        if (at.load[port] == left_to(port)) return std::nullopt;
        continue;
      }
      matching[port] = offset;
      if (at.length[offset] > 1) ++held;
    }
    if (held > slots_) return std::nullopt;
    for (std::size_t offset = 1; offset < ways_.size(); ++offset) {
      if (at.length[offset] != left_) continue;
      const auto served = static_cast<NodeId>(offset);
      if (std::find(matching.begin(), matching.end(), served) == matching.end())
        return std::nullopt;
    }
    choice.cost = cost(at, matching);
    return choice;
  }

  /// An unstarted offset for a free port: one that must start now, otherwise preferably a long one
  /// whose remaining hops differ from those of all offsets in flight, so packets end in different
  /// steps.
  NodeId new_offset(const Beginning& at, Port port, bool room, const Matching& matching) {
    const auto dim = static_cast<std::size_t>(dimension_of(port));
    NodeId best = kNobody;
    std::int64_t best_score = 0;
    for (std::size_t i = 1; i < ways_.size(); ++i) {
      const auto offset = static_cast<NodeId>(i);
      const std::uint32_t length = at.length[i];
      if (length != ways_[i].length || ways_[i].port[dim] != port ||
          at.hops[i * dimensions_ + dim] == 0 || (length > 1 && !room) ||
          !has_time(at, offset, port)) {
        continue;
      }
      if (std::find(matching.begin(), matching.end(), offset) != matching.end()) continue;
      std::int64_t score =
          500 * std::int64_t{length} + static_cast<std::int64_t>(random_.below(2000));
      if (length == left_) score += 1000000000;
      if (length == 1) score -= 5000;
      for (std::size_t other = 0; length > 1 && other < ports_; ++other) {
        if (matching[other] != kNobody && at.length[matching[other]] == length) score -= 2000;
      }
      if (best == kNobody || score > best_score) {
        best = offset;
        best_score = score;
      }
    }
    return best;
  }

  /// The lower the better: few waits, packets that end in different steps, long ways first.
  std::int64_t cost(const Beginning& at, const Matching& matching) {
    std::int64_t cost = 3000 * std::int64_t{at.waits + waiting(at, matching)};
    for (std::size_t port = 0; port < ports_; ++port) {
      if (matching[port] == kNobody) continue;
      const std::int64_t length = at.length[matching[port]];
      cost -= 20 * (2 * length - 1);
      for (std::size_t other = 0; length > 1 && other < port; ++other) {
        if (matching[other] != kNobody && at.length[matching[other]] == length) cost += 1000;
      }
    }
    return cost + static_cast<std::int64_t>(random_.below(1000));
  }

  std::size_t dimensions_;
  std::size_t ports_;
  std::vector<Way> ways_;
  std::uint64_t steps_;
  /// Steps left, the present one included.
  std::uint64_t left_ = 0;
  std::uint32_t slots_ = 0;
  SplitMix64 random_{1};
  std::optional<Halved> halved_;
};

/// The closed form for n x n, n odd or even and at least 6: the four images of an offset under the
/// rotation (a, b) -> (-b, a) at once, each a steps along the image of x+ and then b along that of
/// y+, so that all ports are busy for a + b steps.
class Rotations {
 public:
  explicit Rotations(std::uint32_t side) : side_(side) {}

  std::vector<std::vector<ExchangeHop>> run() {
    const std::uint32_t h = side_ / 2;
    if (side_ % 2 != 0) {
      for (std::uint32_t a = 1; a <= h; ++a) {
        for (std::uint32_t b = 0; b <= h; ++b) images(a, b);
      }
      return std::move(steps_);
    }
    for (std::uint32_t a = 1; a < h; ++a) {
      for (std::uint32_t b = 0; b < h; ++b) {
        const bool later = b == 0 && (a == 1 || a == h - 1);
        if (!later) images(a, b);
      }
    }
    for (std::uint32_t b = 1; b < h; ++b) images(h, b);
    last(h);
    return std::move(steps_);
  }

 private:
  // Ports in the order of the rotation: x+, y+, x-, y-.
  static constexpr std::array<Port, 4> kTurn{1, 3, 0, 2};

  [[nodiscard]] NodeId offset(std::int64_t x, std::int64_t y) const {
    const std::int64_t n = side_;
    return static_cast<NodeId>((x % n + n) % n + (y % n + n) % n * n);
  }
  /// `count` steps in which the four ports serve these offsets, in the order of kTurn.
  void serve(std::uint32_t count, const std::array<NodeId, 4>& offsets) {
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<ExchangeHop>& step = steps_.emplace_back();
      for (std::size_t port = 0; port < 4; ++port) step.push_back({offsets[port], kTurn[port]});
    }
  }
  void images(std::int64_t a, std::int64_t b) {
    const std::array<NodeId, 4> image{offset(a, b), offset(-b, a), offset(-a, -b), offset(b, -a)};
    serve(static_cast<std::uint32_t>(a), image);
    serve(static_cast<std::uint32_t>(b), {image[3], image[0], image[1], image[2]});
  }
  /// The offsets on the axes that are left over, in 2h steps.
  void last(std::int64_t h) {
    const auto half = static_cast<std::uint32_t>(h);
    const NodeId corner = offset(h, h);
    // First half, by x+, y+, x-, y-; y- serves (0,-1) and (0,-(h-1)).
    serve(1, {offset(h, 0), offset(0, h), corner, offset(0, -1)});
    serve(half - 1, {offset(h, 0), offset(0, h), corner, offset(0, -(h - 1))});
    // Second half: (j,0), (0,j), (-j,0) for j = 1 and h - 1, and the corner's second leg.
    serve(1, {offset(1, 0), offset(0, 1), offset(-1, 0), corner});
    serve(half - 1, {offset(h - 1, 0), offset(0, h - 1), offset(-(h - 1), 0), corner});
  }

  std::uint32_t side_;
  std::vector<std::vector<ExchangeHop>> steps_;
};

/// A program of few slots.
std::vector<std::vector<ExchangeHop>> fewest_slots(Search search, const Topology& torus,
                                                   std::string_view algorithm) {
  const std::uint32_t least = search.least_slots();
  for (std::uint32_t slots = least; slots <= least + kMoreSlots; ++slots) {
    for (std::uint64_t seed = 1; seed <= kSearches; ++seed) {
      if (auto hops = search.run(slots, seed)) return std::move(*hops);
    }
  }
  throw InfeasibleError(
      fmt::format("{}: no program with up to {} packets in flight was found for {}; nearest "
                  "feasible: other sides",
                  algorithm, least + kMoreSlots, torus.dims_text()));
}

void check_exchange_torus(const Topology& topology, std::string_view algorithm) {
  if (!topology.is_torus()) {
    throw InfeasibleError(fmt::format(
        "{}: all routers run one program, which is impossible at a mesh's border; nearest "
        "feasible: --algorithm scheduled, or --topology torus and simulate --fold",
        algorithm));
  }
  if (!topology.is_healthy()) {
    throw InfeasibleError(
        fmt::format("{}: all routers run one program, which is impossible with a dead link; "
                    "nearest feasible: --algorithm "
                    "scheduled",
                    algorithm));
  }
  if (topology.nodes() - 1 > kMaxPacketsPerNode) {
    throw InfeasibleError(fmt::format(
        "{}: {} nodes, but a node may have at most {} own packets; nearest feasible: at "
        "most {} nodes",
        algorithm, topology.nodes(), kMaxPacketsPerNode, kMaxPacketsPerNode + 1));
  }
}

Plan exchange_plan(const Topology& topology, std::string algorithm, TimetableProgram program,
                   std::uint64_t steps) {
  const std::uint32_t slots = program.slots();
  Plan plan{topology, "all-to-all",         std::move(algorithm),
            {},       Demand::all_to_all(), std::move(program),
            {}};
  const auto& made = plan.program.as<TimetableProgram>();
  plan.parameters["schedule_bits"] =
      static_cast<std::int64_t>(made.roms().size() * made.format().rom_bits(made.ports()));
  plan.parameters["buffer_packets"] = std::int64_t{slots};
  plan.expected.analytic_steps = steps;
  plan.expected.analytic_cycles = steps;
  plan.expected.lower_bound_steps = bounds::all_to_all_lower_bound(topology);
  plan.expected.queue_depth = slots;
  return plan;
}

}  // namespace

std::vector<std::vector<ExchangeHop>> isotropic_hops(const Topology& torus) {
  const bool square = torus.dimensions() == 2 && torus.side(0) == torus.side(1);
  if (square && torus.side(0) >= kClosedFormSide) return Rotations(torus.side(0)).run();
  return fewest_slots(Search(torus, ways_of(torus), bounds::isotropic_steps(torus)), torus,
                      "isotropic");
}

std::vector<std::vector<ExchangeHop>> strided_hops(const Topology& torus,
                                                   std::span<const std::uint32_t> strides) {
  std::vector<Way> ways = ways_of(torus);
  std::uint64_t steps = 0;
  std::array<std::uint64_t, kMaxPorts> load{};
  for (Way& way : ways) {
    way.length = 0;
    for (std::size_t dim = 0; dim < strides.size(); ++dim) {
      way.hops[dim] = static_cast<std::uint16_t>(way.hops[dim] * strides[dim]);
      way.length += way.hops[dim];
      load[way.port[dim]] += way.hops[dim];
      steps = std::max(steps, load[way.port[dim]]);
    }
    steps = std::max<std::uint64_t>(steps, way.length);
  }
  return fewest_slots(Search(torus, std::move(ways), steps), torus, "isotropic");
}

std::optional<int> halved_dimension(const Topology& torus) {
  if (bounds::isotropic_steps(torus) == bounds::all_to_all_lower_bound(torus)) return std::nullopt;
  int dim = 0;
  // Exactly one side is even: it decides, and the number of its lines is odd.
  while (torus.side(dim) % 2 != 0) ++dim;
  return dim;
}

std::vector<std::vector<ExchangeHop>> parity_hops(const Topology& torus, int dim) {
  const std::uint32_t half = torus.side(dim) / 2;
  const NodeId opposite_node = half * torus.stride(dim);
  const Halved halved{static_cast<std::size_t>(dim), half};
  auto hops = fewest_slots(
      Search(torus, ways_of(torus, opposite_node), bounds::all_to_all_lower_bound(torus), halved),
      torus, "parity");
  // Positions of the offset's packets along the dimension, relative to their origin.
  std::vector<NodeId> at(torus.nodes(), 0);
  // The previous step's hops of half of the nodes, for the others.
  std::vector<ExchangeHop> second;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    const std::uint64_t step = i + 1;
    const std::vector<ExchangeHop> first = std::exchange(second, {});
    for (ExchangeHop& hop : hops[i]) {
      const NodeId here = at[hop.offset];
      at[hop.offset] = torus.neighbor(here, hop.port);
      if (!halved.opens(step) || dimension_of(hop.port) != dim) continue;
      // In an odd step nodes of even coordinate have the - port free, those of odd the + port.
      const std::uint32_t parity = is_positive(hop.port) ? 1 : 0;
      const std::uint32_t along = torus.coordinates(here)[static_cast<std::size_t>(dim)];
      hop.origins = (parity + along) % 2 == 0 ? Origins::kEven : Origins::kOdd;
      second.push_back(hop);
      second.back().origins = hop.origins == Origins::kEven ? Origins::kOdd : Origins::kEven;
    }
    hops[i].insert(hops[i].end(), first.begin(), first.end());
    if (step <= half) {
      hops[i].push_back({opposite_node, make_port(dim, true), Origins::kEven});
      hops[i].push_back({opposite_node, make_port(dim, false), Origins::kOdd});
    }
  }
  return hops;
}

Plan plan_isotropic(const Topology& topology) {
  check_exchange_torus(topology, "isotropic");
  return exchange_plan(topology, "isotropic", exchange_program(topology, isotropic_hops(topology)),
                       bounds::isotropic_steps(topology));
}

Plan plan_parity(const Topology& topology) {
  check_exchange_torus(topology, "parity");
  const std::optional<int> dim = halved_dimension(topology);
  if (!dim) {
    throw InfeasibleError(
        fmt::format("parity: does not support {}, where one ROM for all nodes meets the lower "
                    "bound; nearest feasible: --algorithm isotropic",
                    topology.dims_text()));
  }
  return exchange_plan(topology, "parity",
                       exchange_program(topology, parity_hops(topology, *dim), dim),
                       bounds::all_to_all_lower_bound(topology));
}

}  // namespace gossamer
