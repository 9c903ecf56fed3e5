// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/unequal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/schedule_builder.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kMostUnequalWork = std::uint64_t{1} << 24U;
constexpr std::uint64_t kBitsPerWord = 64;
constexpr std::uint32_t kSeedsTried = 4;

/// How a slow arc ranks packets.
enum class ArcKey : std::uint8_t {
  /// Few holders on the receiver's side of arcs of this period.
  kInside,
  /// First those without any; then those in few clusters.
  kClusters,
};

struct GreedyRule {
  ArcKey key = ArcKey::kInside;
  /// Slow arcs start nothing that ends after this step; 0: no limit.
  std::uint64_t target = 0;
  std::uint64_t seed = 1;
};

/// The arcs, and the components that arcs faster than each period connect.
class ArcLevels {
 public:
  explicit ArcLevels(const Topology& topology)
      : periods_(periods_by_link(topology)), ports_(topology.ports()) {
    std::vector<std::uint32_t> rates;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (const Port port : all_ports(ports_)) {
        if (topology.neighbor(node, port) == kNoNode) continue;
        rates.push_back(periods_[topology.link(node, port)]);
      }
    }
    std::sort(rates.begin(), rates.end());
    rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
    level_of_.assign(kMaxLinkPeriod + 1, 0);
    for (std::size_t level = 0; level < rates.size(); ++level) {
      level_of_[rates[level]] = static_cast<std::uint32_t>(level);
      components_.push_back(components(topology, rates[level]));
    }
  }

  [[nodiscard]] std::uint32_t period(LinkId link) const { return periods_[link]; }
  [[nodiscard]] std::size_t levels() const { return components_.size(); }
  /// The level of an arc, 0 for the fastest.
  [[nodiscard]] std::uint32_t level(LinkId link) const { return level_of_[periods_[link]]; }
  /// By node, the component that arcs faster than the level's connect; level 0 has none.
  [[nodiscard]] const std::vector<std::uint32_t>& component(std::size_t level) const {
    return components_[level];
  }
  [[nodiscard]] std::uint32_t slowest() const {
    return *std::max_element(periods_.begin(), periods_.end());
  }

 private:
  std::vector<std::uint32_t> components(const Topology& topology, std::uint32_t rate) const {
    constexpr std::uint32_t kNoComponent = ~std::uint32_t{0};
    std::vector<std::uint32_t> component(topology.nodes(), kNoComponent);
    std::uint32_t count = 0;
    std::vector<NodeId> open;
    for (NodeId first = 0; first < topology.nodes(); ++first) {
      if (component[first] != kNoComponent) continue;
      component[first] = count;
      open.push_back(first);
      while (!open.empty()) {
        const NodeId node = open.back();
        open.pop_back();
        for (const Port port : all_ports(ports_)) {
          const NodeId next = topology.neighbor(node, port);
          if (next == kNoNode || component[next] != kNoComponent) continue;
          if (periods_[topology.link(node, port)] >= rate) continue;
          component[next] = count;
          open.push_back(next);
        }
      }
      ++count;
    }
    return component;
  }

  std::vector<std::uint32_t> periods_;
  int ports_;
  std::vector<std::uint32_t> level_of_;
  /// By level.
  std::vector<std::vector<std::uint32_t>> components_;
};

/// One run of the greedy.
class ReceiverGreedy {
 public:
  ReceiverGreedy(const Topology& topology, const NodeOrbits& orbits, const ArcLevels& levels,
                 std::uint32_t k, const GreedyRule& rule)
      : topology_(topology),
        orbits_(orbits),
        levels_(levels),
        k_(k),
        rule_(rule),
        random_(rule.seed),
        packets_(std::size_t{topology.nodes()} * k),
        words_((packets_ + kBitsPerWord - 1) / kBitsPerWord),
        has_(topology.nodes() * words_, 0),
        wants_(topology.nodes() * words_, 0),
        free_from_(topology.link_slots(), 1),
        holders_(packets_, 1),
        clusters_(packets_, 1),
        tie_(packets_),
        missing_(orbits.count() * (packets_ - k)),
        arriving_(levels.slowest() + std::size_t{1}) {
    std::iota(tie_.begin(), tie_.end(), 0U);
    for (std::size_t level = 0; level < levels.levels(); ++level) {
      const auto& component = levels.component(level);
      const std::size_t count =
          level == 0 ? 0 : *std::max_element(component.begin(), component.end()) + std::size_t{1};
      inside_.emplace_back(count * packets_, 0);
    }
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (std::size_t packet = 0; packet < packets_; ++packet) {
        const bool own = packet / k == node;
        set(own ? has_ : wants_, node, packet);
        if (own) count_inside(node, packet);
      }
    }
    for (const NodeId node : orbits.representatives()) {
      auto& arcs = arcs_.emplace_back();
      for (const Port port : all_ports(topology.ports())) {
        const NodeId from = topology.sender(node, port);
        if (from == kNoNode) continue;
        const LinkId link = topology.link(from, opposite(port));
        arcs.push_back({from, port, link, levels.period(link), levels.level(link)});
      }
    }
    order_.resize(orbits.count());
    std::iota(order_.begin(), order_.end(), 0U);
  }

  /// The transfers; empty if it takes more than `most` steps.
  std::optional<std::vector<PacketHop>> run(std::uint64_t most) {
    std::vector<PacketHop> hops;
    for (std::uint64_t step = 1; missing_ != 0; ++step) {
      if (step > most || stuck_) return std::nullopt;
      land(step - 1);
      shuffle(random_, order_);
      shuffle(random_, tie_);
      const std::size_t before = hops.size();
      for (const std::uint32_t orbit : order_) receive(orbit, step, hops);
      stuck_ = hops.size() == before && under_way_ == 0;
    }
    if (last_ > most) return std::nullopt;
    return hops;
  }
  [[nodiscard]] std::uint64_t steps() const { return last_; }

 private:
  struct Arc {
    NodeId from;
    Port in_port;
    LinkId link;
    std::uint32_t period;
    std::uint32_t level;
  };
  struct Offer {
    std::uint64_t key;
    std::uint32_t tie;
    std::uint32_t packet;

    bool operator<(const Offer& other) const {
      return key != other.key ? key < other.key : tie < other.tie;
    }
  };
  using Offers = std::array<Offer, kMaxPorts>;

  void set(std::vector<std::uint64_t>& bits, NodeId node, std::size_t packet) const {
    bits[node * words_ + packet / kBitsPerWord] |= std::uint64_t{1} << (packet % kBitsPerWord);
  }
  void clear(std::vector<std::uint64_t>& bits, NodeId node, std::size_t packet) const {
    bits[node * words_ + packet / kBitsPerWord] &= ~(std::uint64_t{1} << (packet % kBitsPerWord));
  }
  /// The node holds the packet or has it under way. True if it is the first of its cluster.
  bool count_inside(NodeId node, std::size_t packet) {
    bool first = false;
    for (std::size_t level = 1; level < inside_.size(); ++level) {
      std::uint16_t& count = inside_[level][levels_.component(level)[node] * packets_ + packet];
      first = count++ == 0;
    }
    return first;
  }

  /// Packets that arrived at the end of `step` are held.
  void land(std::uint64_t step) {
    auto& here = arriving_[step % arriving_.size()];
    for (const auto& [node, packet] : here) set(has_, node, packet);
    under_way_ -= here.size();
    here.clear();
  }

  [[nodiscard]] std::uint64_t key_of(const Arc& arc, NodeId node, std::size_t packet) const {
    constexpr unsigned kField = 24;
    std::uint64_t key = holders_[packet];
    if (arc.level == 0) return key;
    const std::uint64_t inside =
        inside_[arc.level][levels_.component(arc.level)[node] * packets_ + packet];
    if (rule_.key == ArcKey::kInside) return key | inside << kField;
    return key | std::uint64_t{clusters_[packet]} << kField |
           std::uint64_t{inside != 0 ? 1U : 0U} << (2 * kField);
  }

  /// The packets that the sender holds and the node wants: the first `most` of them, in order.
  std::size_t find_offers(const Arc& arc, NodeId node, std::size_t most, Offers& offers) const {
    std::size_t count = 0;
    const std::uint64_t* sender = has_.data() + arc.from * words_;
    const std::uint64_t* wanted = wants_.data() + node * words_;
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t bits = sender[w] & wanted[w]; bits != 0; bits &= bits - 1) {
        const std::size_t packet =
            w * kBitsPerWord + static_cast<std::size_t>(std::countr_zero(bits));
        const Offer offer{key_of(arc, node, packet), tie_[packet],
                          static_cast<std::uint32_t>(packet)};
        if (count == most && !(offer < offers[count - 1])) continue;
        std::size_t at = count < most ? count++ : count - 1;
        for (; at > 0 && offer < offers[at - 1]; --at) offers[at] = offers[at - 1];
        offers[at] = offer;
      }
    }
    return count;
  }

  /// The transfers to one node that start in this step, and their images.
  void receive(std::uint32_t orbit, std::uint64_t step, std::vector<PacketHop>& hops) {
    constexpr std::uint32_t kNotTaken = ~std::uint32_t{0};
    struct Open {
      const Arc* arc = nullptr;
      std::size_t count = 0;
      std::uint32_t taken = kNotTaken;
      Offers offers{};
    };
    const NodeId node = orbits_.representatives()[orbit];
    const std::size_t degree = arcs_[orbit].size();
    std::array<Open, kMaxPorts> open;
    std::size_t opened = 0;
    for (const Arc& arc : arcs_[orbit]) {
      if (free_from_[arc.link] > step) continue;
      if (rule_.target != 0 && arc.period > 1 && step + arc.period - 1 > rule_.target) continue;
      Open& here = open[opened];
      here.count = find_offers(arc, node, degree, here.offers);
      if (here.count == 0) continue;
      here.arc = &arc;
      here.taken = kNotTaken;
      ++opened;
    }
    const std::span<Open> arcs(open.data(), opened);
    std::stable_sort(arcs.begin(), arcs.end(),
                     [](const Open& a, const Open& b) { return a.count < b.count; });
    std::vector<std::uint32_t> seen;
    const auto augment = [&](auto&& self, Open& arc) -> bool {
      for (std::size_t i = 0; i < arc.count; ++i) {
        const std::uint32_t packet = arc.offers[i].packet;
        if (std::find(seen.begin(), seen.end(), packet) != seen.end()) continue;
        seen.push_back(packet);
        const auto other = std::find_if(arcs.begin(), arcs.end(), [packet](const Open& rival) {
          return rival.taken == packet;
        });
        if (other != arcs.end() && !self(self, *other)) continue;
        arc.taken = packet;
        return true;
      }
      return false;
    };
    for (Open& arc : arcs) {
      seen.clear();
      (void)augment(augment, arc);
    }
    for (const Open& arc : arcs) {
      if (arc.taken != kNotTaken) start(*arc.arc, node, arc.taken, step, hops);
    }
  }

  void start(const Arc& arc, NodeId node, std::uint32_t packet, std::uint64_t step,
             std::vector<PacketHop>& hops) {
    const std::uint64_t end = step + arc.period - 1;
    hops.push_back(
        {static_cast<std::uint32_t>(step), arc.from, opposite(arc.in_port), node, packet});
    last_ = std::max(last_, end);
    --missing_;
    auto& there = arriving_[end % arriving_.size()];
    for (std::uint32_t translation = 0; translation < orbits_.translations(); ++translation) {
      const NodeId to = orbits_.moved(node, translation);
      const NodeId from = orbits_.moved(arc.from, translation);
      const std::size_t image =
          std::size_t{orbits_.moved(packet / k_, translation)} * k_ + packet % k_;
      free_from_[topology_.link(from, opposite(arc.in_port))] = end + 1;
      clear(wants_, to, image);
      ++holders_[image];
      if (count_inside(to, image)) ++clusters_[image];
      there.emplace_back(to, static_cast<std::uint32_t>(image));
      ++under_way_;
    }
  }

  const Topology& topology_;
  const NodeOrbits& orbits_;
  const ArcLevels& levels_;
  std::uint32_t k_;
  GreedyRule rule_;
  Random random_;
  std::size_t packets_;
  std::size_t words_;
  /// By node and packet: held at the end of the step before; neither held nor under way.
  std::vector<std::uint64_t> has_;
  std::vector<std::uint64_t> wants_;
  /// By link.
  std::vector<std::uint64_t> free_from_;
  /// By packet: nodes, and clusters, that hold it or have it under way.
  std::vector<std::uint32_t> holders_;
  std::vector<std::uint32_t> clusters_;
  std::vector<std::uint32_t> tie_;
  /// By level, then component and packet; components have fewer than 2^16 nodes (kMostUnequalWork).
  std::vector<std::vector<std::uint16_t>> inside_;
  /// By orbit.
  std::vector<std::vector<Arc>> arcs_;
  std::vector<std::uint32_t> order_;
  /// Deliveries to representatives that have not started.
  std::uint64_t missing_;
  /// By the step in which they end, modulo its size.
  std::vector<std::vector<std::pair<NodeId, std::uint32_t>>> arriving_;
  std::uint64_t under_way_ = 0;
  bool stuck_ = false;
  std::uint64_t last_ = 0;
};

std::string rule_text(const GreedyRule& rule) {
  return fmt::format("{}{}", rule.key == ArcKey::kInside ? "inside" : "clusters",
                     rule.target == 0 ? "" : fmt::format(", target {}", rule.target));
}

/// Throws InfeasibleError for a network, or steps, too large for the greedy.
void check_work(const Topology& topology, std::uint32_t k, std::uint64_t bound) {
  const std::uint64_t width =
      std::uint64_t{topology.nodes()} * static_cast<std::uint64_t>(topology.ports());
  if (bound * width <= kMostUnequalWork) return;
  std::uint32_t fitting = k;
  while (fitting > 1 && bounds::gossip_lower_bound(topology, fitting) * width > kMostUnequalWork) {
    fitting /= 2;
  }
  const bool fits =
      fitting < k && bounds::gossip_lower_bound(topology, fitting) * width <= kMostUnequalWork;
  throw InfeasibleError(fmt::format(
      "scheduled: {} nodes with {} ports for {} steps are too many for timetables; nearest "
      "feasible: {}",
      topology.nodes(), topology.ports(), bound,
      fits ? fmt::format("--block {}, or as many --packets", fitting) : "--pace slowest"));
}

/// Adds the rows of a gather of `k` packets of each node.
void add_gather_moves(TimetableBuilder& builder, const Topology& topology,
                      const UnequalGather& gather, std::uint32_t k) {
  const NodeOrbits& orbits = gather.orbits;
  const std::uint64_t words = std::uint64_t{topology.nodes()} * k;
  const auto held = [&](NodeId node, std::uint32_t packet) {
    const NodeId origin = orbits.seen_from(node, packet / k);
    return orbits.orbit(node) * words + std::uint64_t{origin} * k + packet % k;
  };
  for (const PacketHop& hop : gather.hops) {
    TimetableMove move;
    move.step = hop.step;
    move.period = topology.period(hop.from, hop.out_port);
    move.out_port = hop.out_port;
    move.from_rom = orbits.orbit(hop.from);
    move.to_rom = orbits.orbit(hop.to);
    move.from = held(hop.from, hop.packet);
    move.to = held(hop.to, hop.packet);
    builder.add(move);
  }
}

}  // namespace

NodeOrbits::NodeOrbits(const Topology& topology) : topology_(topology) {
  const LinkPeriods& periods = topology.link_periods();
  bool two_rates = false;
  for (std::size_t axis = 0; axis < periods.chiplets.size(); ++axis) {
    two_rates = two_rates || (periods.chiplets[axis] < topology.sides()[axis] &&
                              periods.between[axis] != periods.inside[axis]);
  }
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const std::uint32_t pitch = two_rates ? periods.chiplets[static_cast<std::size_t>(dim)] : 1;
    pitch_.push_back(topology.wraps(dim) ? pitch : topology.side(dim));
  }
  orbit_.resize(topology.nodes());
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    Coordinates at = walk.coordinates();
    bool lowest = true;
    for (std::size_t axis = 0; axis < pitch_.size(); ++axis) {
      lowest = lowest && at[axis] < pitch_[axis];
      at[axis] %= pitch_[axis];
    }
    if (lowest) {
      orbit_[walk.node()] = count();
      representatives_.push_back(walk.node());
    } else {
      orbit_[walk.node()] = orbit_[topology.node(at)];
    }
  }
}

NodeId NodeOrbits::moved(NodeId node, std::uint32_t translation) const {
  if (translation == 0) return node;
  Coordinates at = topology_.coordinates(node);
  for (std::size_t axis = 0; axis < pitch_.size(); ++axis) {
    const std::uint32_t side = topology_.sides()[axis];
    const std::uint32_t choices = side / pitch_[axis];
    at[axis] = (at[axis] + translation % choices * pitch_[axis]) % side;
    translation /= choices;
  }
  return topology_.node(at);
}

NodeId NodeOrbits::seen_from(NodeId reference, NodeId node) const {
  const Coordinates from = topology_.coordinates(reference);
  Coordinates at = topology_.coordinates(node);
  for (std::size_t axis = 0; axis < pitch_.size(); ++axis) {
    const std::uint32_t side = topology_.sides()[axis];
    at[axis] = (at[axis] + side - from[axis] / pitch_[axis] * pitch_[axis]) % side;
  }
  return topology_.node(at);
}

UnequalGather unequal_gather(const Topology& topology, const UnequalOptions& options) {
  const std::uint32_t k = options.packets_per_node;
  const std::uint64_t bound = bounds::gossip_lower_bound(topology, k);
  check_work(topology, k, bound);
  UnequalGather best{NodeOrbits(topology), {}, 0, {}, options.seed};
  const ArcLevels levels(topology);
  const std::uint64_t width =
      std::uint64_t{topology.nodes()} * static_cast<std::uint64_t>(topology.ports());
  std::uint64_t most = std::max(bound, kMostUnequalWork / width);
  const auto try_rule = [&](const GreedyRule& rule) {
    ReceiverGreedy greedy(topology, best.orbits, levels, k, rule);
    auto hops = greedy.run(most);
    if (!hops) return;
    best.hops = *std::move(hops);
    best.steps = static_cast<std::uint32_t>(greedy.steps());
    best.rule = rule_text(rule);
    best.seed = rule.seed;
    most = greedy.steps() - 1;
  };
  constexpr std::uint32_t kRuns = kSeedsTried * 2 * 3;
  std::uint32_t run = 0;
  for (std::uint32_t seed = 0; seed < kSeedsTried; ++seed) {
    for (const std::uint64_t target : {std::uint64_t{0}, bound, bound + 1}) {
      for (const ArcKey key : {ArcKey::kInside, ArcKey::kClusters}) {
        if (options.progress) options.progress("plan", run, kRuns);
        ++run;
        if (best.steps != bound) try_rule({key, target, options.seed + seed});
      }
    }
  }
  if (best.steps == 0) check_work(topology, k, kMostUnequalWork);
  return best;
}

UnequalGather unequal_gather_in_blocks(const Topology& topology, const UnequalOptions& options,
                                       std::uint32_t block) {
  const std::uint32_t all = options.packets_per_node;
  UnequalOptions part = options;
  part.packets_per_node = block;
  UnequalGather whole = unequal_gather(topology, part);
  const std::vector<PacketHop> hops = std::exchange(whole.hops, {});
  const std::uint32_t steps = std::exchange(whole.steps, 0);
  const auto append = [&](const std::vector<PacketHop>& more, std::uint32_t k,
                          std::uint32_t first) {
    for (PacketHop hop : more) {
      hop.step += whole.steps;
      hop.packet = hop.packet / k * all + first + hop.packet % k;
      whole.hops.push_back(hop);
    }
  };
  std::uint32_t done = 0;
  for (; done + block <= all; done += block) {
    append(hops, block, done);
    whole.steps += steps;
  }
  if (done == all) return whole;
  part.packets_per_node = all - done;
  const UnequalGather last = unequal_gather(topology, part);
  append(last.hops, part.packets_per_node, done);
  whole.steps += last.steps;
  return whole;
}

Plan plan_unequal(const Topology& topology, const UnequalOptions& options, std::uint32_t blocks,
                  std::uint32_t remainder) {
  const std::uint32_t k = options.packets_per_node;
  const std::uint32_t packets = blocks * k + remainder;
  // With a remainder the program is listed in full and has the packets of all blocks.
  const std::uint32_t own = remainder == 0 ? k : packets;
  UnequalOptions listed = options;
  listed.packets_per_node = own;
  const UnequalGather block = unequal_gather_in_blocks(topology, listed, k);
  const NodeOrbits& orbits = block.orbits;
  TimetableBuilder builder(orbits.count(), std::uint64_t{orbits.count()} * topology.nodes() * own);
  for (std::uint32_t orbit = 0; orbit < orbits.count(); ++orbit) {
    const std::uint64_t node = orbits.representatives()[orbit];
    for (std::uint32_t c = 0; c < own; ++c) {
      builder.start_with((std::uint64_t{orbit} * topology.nodes() + node) * own + c, c);
    }
  }
  add_gather_moves(builder, topology, block, own);
  const std::uint64_t steps = std::uint64_t{remainder == 0 ? blocks : 1} * block.steps;
  TimetableProgram program(topology.nodes(), topology.ports(), own, DeliveryRule::kAll);
  std::vector<std::uint32_t> numbers;
  for (TimetableRom& rom : builder.build()) numbers.push_back(program.intern(std::move(rom)));
  if (orbits.count() != 1) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      program.assign(node, numbers[orbits.orbit(node)]);
    }
  }
  if (remainder == 0 && blocks > 1) program = repeated(program, block.steps, blocks);
  Plan plan = schedule_plan(topology, "scheduled", std::move(program));
  plan.demand = Demand::all_gather(packets);
  plan.parameters["packets"] = std::int64_t{packets};
  plan.expected.lower_bound_steps = bounds::gossip_lower_bound(topology, packets);
  plan.parameters["seed"] = static_cast<std::int64_t>(block.seed);
  plan.parameters["rule"] = block.rule;
  if (blocks > 1 || remainder != 0) {
    plan.parameters["block"] = std::int64_t{k};
    plan.parameters["blocks"] = std::int64_t{blocks} + (remainder != 0 ? 1 : 0);
  }
  plan.expected.analytic_steps = steps;
  plan.expected.analytic_cycles = steps;
  return plan;
}

}  // namespace gossamer
