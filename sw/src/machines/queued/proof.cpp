// SPDX-License-Identifier: Apache-2.0
/// The proof of queued programs, phase by phase (docs/spec/proofs.md, section 5): the requirements,
/// results and times of a phase, from the parameters and the sources. No router is executed, except
/// in the exchange, whose queues have no closed form.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "exchange.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/partial.hpp"
#include "proof.hpp"

namespace gossamer {

namespace {

using PhaseKind = QueuedPhaseKind;

/// A packet of a class (all of its halves) by its rank there: where it is.
using Placement = std::vector<NodeId>;

class PhaseProof {
 public:
  PhaseProof(const Plan& plan, const Progress& progress)
      : plan_(plan),
        topology_(plan.topology),
        demand_(plan.demand),
        program_(plan.program.as<QueuedProgram>()),
        sources_(plan.demand.sources_in(plan.topology)),
        progress_(progress),
        d_(topology_.dimensions()),
        p_(topology_.side(0)) {
    verdict_.method = "phases";
    verdict_.link_transfers = 0;
    verdict_.duplicates = 0;
  }

  Verdict run() {
    check_numbers();
    check_phases();
    check_clashes();
    check_prefixes();
    if (verdict_.ok()) {
      if (demand_.is_counts()) {
        prove_ranks();
      } else if (demand_.is_ranked()) {
        prove_routing();
      } else if (demand_.is_personal()) {
        prove_exchange();
      } else {
        prove_broadcast();
      }
    }
    if (verdict_.ok()) {
      verdict_.complete = true;
      compare_figures();
    } else {
      // The proof does not define the behaviour of routers with an inconsistent program.
      verdict_.steps.reset();
      verdict_.link_transfers.reset();
      verdict_.duplicates.reset();
      verdict_.link_conflicts.reset();
      verdict_.max_queue.reset();
    }
    return std::move(verdict_);
  }

 private:
  void refuse(std::string text) { verdict_.problems.push_back(std::move(text)); }
  void refuse(const QueuedPhase& phase, std::string_view text) {
    refuse(fmt::format("phase {} ({}, class {}, step {}): {}", &phase - program_.phases.data(),
                       phase_kind_name(phase.kind), phase.class_index, phase.start, text));
  }
  void require(bool holds, std::string_view text) {
    if (!holds) refuse(std::string(text));
  }

  [[nodiscard]] std::uint32_t digit(NodeId node, int dim) const {
    return node / topology_.stride(dim) % p_;
  }
  [[nodiscard]] std::uint64_t halves() const { return program_.halves; }
  /// Whole packets that an active node starts with.
  [[nodiscard]] std::uint32_t packets_of(const DemandSource& source) const {
    return demand_.is_counts() || demand_.is_personal()
               ? source.pieces
               : source.pieces / program_.substeps_per_unit();
  }
  [[nodiscard]] bool is_broadcast() const { return demand_.to == Destination::kEveryNode; }
  [[nodiscard]] bool single_packets() const {
    return std::all_of(sources_.begin(), sources_.end(),
                       [this](const DemandSource& source) { return packets_of(source) == 1; });
  }
  /// Every node has one packet, and every node knows this.
  [[nodiscard]] bool all_active() const {
    return sources_.size() == topology_.nodes() && single_packets();
  }
  /// The class's ranks and its number of packets are known to all routers.
  [[nodiscard]] bool ranked(int class_index) const {
    return ranked_[static_cast<std::size_t>(class_index)] || all_active();
  }

  /// The numbers that the demand settles.
  void check_numbers() {
    if (is_broadcast()) {
      std::uint64_t most = program_.substeps_per_unit();
      for (const DemandSource& source : sources_) {
        most = std::max<std::uint64_t>(most, source.pieces);
        require(source.pieces % program_.substeps_per_unit() == 0,
                fmt::format("node {} has {} pieces, but packets have {} parts", source.node,
                            source.pieces, program_.substeps_per_unit()));
      }
      require(demand_.pieces == most,
              fmt::format("the demand states {} pieces per node, but the most are {}",
                          demand_.pieces, most));
      require(program_.halves == 1 || topology_.is_torus(),
              "halves: lines have no second direction; only rings do");
      return;
    }
    require(program_.halves == 1, "halves: only broadcasts send packets in halves");
    if (demand_.is_counts()) {
      require(demand_.pieces == program_.classes,
              "classes: their number differs from the number of orders to be counted");
      return;
    }
    require(demand_.pieces == 1 && single_packets(),
            "the demand has several pieces per node, but the routers send one packet");
    if (demand_.is_personal()) {
      require(program_.classes == 2 && d_ == 2,
              "classes: an exchange must have two, rows and columns");
    } else {
      require(program_.classes == 1, "classes: packing and routing must have one");
    }
  }

  /// Checks for parameters that have no meaning in their phase.
  void check_phases() {
    std::size_t exclusive = 0;
    std::size_t others = 0;
    for (const QueuedPhase& phase : program_.phases) {
      const bool broadcast = phase.kind == PhaseKind::kBroadcast;
      if (phase.class_index >= program_.classes) refuse(phase, "there is no such class");
      if (phase.dimension >= d_) refuse(phase, "there is no such dimension");
      if (phase.alternate && (!broadcast || !topology_.is_torus() || program_.halves != 1)) {
        refuse(phase, "alternate: only for whole packets on rings");
      }
      if (phase.wrap && (phase.kind != PhaseKind::kPack || !topology_.is_torus())) {
        refuse(phase, "wrap: only for packing on rings");
      }
      if (phase.class_round && (!phase.is_prefix() || phase.class_index != 0 || !is_broadcast() ||
                                program_.class_rule != QueuedClassRule::kRank)) {
        refuse(phase, "class_round: this phase does not deal packets to classes");
      }
      if (phase.kind == PhaseKind::kExchange) {
        ++exclusive;
        if (phase.class_index != 0 || phase.dimension != 0) {
          refuse(phase, "it applies to all classes and dimensions; both numbers must be 0");
        }
        if (phase.start != 1 || phase.length != 0) {
          refuse(phase, "an exchange must have start 1 and length 0");
        }
      } else if (!phase.is_prefix()) {
        ++others;
      }
    }
    if (exclusive > 1 || (exclusive != 0 && others != 0)) {
      refuse("an exchange must be the only phase that moves packets");
    }
  }

  /// No two phases are ever on the links of one dimension, and a class does one thing at a time:
  /// the classes cannot meet, and no phase begins before the barrier of the one before.
  void check_clashes() {
    const auto& phases = program_.phases;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const QueuedPhase& a = phases[j];
        const QueuedPhase& b = phases[i];
        if (a.is_prefix() != b.is_prefix() || a.last() < b.start || b.last() < a.start) continue;
        if (a.kind == PhaseKind::kExchange || b.kind == PhaseKind::kExchange) continue;
        if (a.dimension == b.dimension) {
          refuse(b, fmt::format("it uses the links of phase {} at the same time", j));
        } else if (a.class_index == b.class_index) {
          refuse(b, fmt::format("its class is still in phase {}", j));
        }
        if (verdict_.problems.size() > kMaxListedNodes) return;
      }
    }
  }

  /// The prefix phases of one round, in order of time.
  [[nodiscard]] std::vector<const QueuedPhase*> round(bool class_round, int class_index) const {
    std::vector<const QueuedPhase*> phases;
    for (const QueuedPhase& phase : program_.phases) {
      if (phase.is_prefix() && phase.class_round == class_round &&
          phase.class_index == class_index) {
        phases.push_back(&phase);
      }
    }
    std::stable_sort(phases.begin(), phases.end(),
                     [](const auto* a, const auto* b) { return a->start < b->start; });
    return phases;
  }

  /// True when the phases are exactly one prefix, lines in the right order and of the right length.
  /// Barriers are kept by check_clashes.
  [[nodiscard]] bool is_prefix(const std::vector<const QueuedPhase*>& phases,
                               int class_index) const {
    const bool lines_only = demand_.is_personal();
    std::vector<std::pair<PhaseKind, int>> tree;
    std::vector<std::pair<PhaseKind, int>> two_way;
    if (lines_only) {
      tree = {{PhaseKind::kLineSum, class_index}};
      two_way = {{PhaseKind::kPrefixTwoWay, class_index}};
    } else {
      for (int j = 0; j < d_; ++j) {
        const int dim = (j + class_index) % d_;
        tree.emplace_back(PhaseKind::kPrefixForward, dim);
        two_way.emplace_back(PhaseKind::kPrefixTwoWay, dim);
      }
      for (int j = d_ - 1; j >= 0; --j) {
        tree.emplace_back(PhaseKind::kPrefixReverse, (j + class_index) % d_);
      }
    }
    const auto matches = [&](const std::vector<std::pair<PhaseKind, int>>& wanted) {
      return std::equal(phases.begin(), phases.end(), wanted.begin(), wanted.end(),
                        [this](const QueuedPhase* phase, const std::pair<PhaseKind, int>& line) {
                          const std::uint64_t steps =
                              p_ - (phase->kind == PhaseKind::kLineSum ? 0U : 1U);
                          return phase->kind == line.first && phase->dimension == line.second &&
                                 phase->length == steps;
                        });
    };
    return matches(tree) || matches(two_way);
  }

  /// Which ranks and totals the prefix phases leave.
  void check_prefixes() {
    ranked_.assign(program_.classes, false);
    const auto deal = round(true, 0);
    if (!deal.empty() && !is_prefix(deal, 0)) {
      refuse(*deal.front(), "the round that deals packets to classes is not a complete prefix");
    }
    dealt_ = !deal.empty();
    for (int c = 0; c < program_.classes; ++c) {
      const auto phases = round(false, c);
      if (phases.empty()) continue;
      if (!is_prefix(phases, c)) {
        refuse(*phases.front(),
               "the phases of this class are not a complete prefix: lines missing, out of order, "
               "or along the wrong dimension");
      }
      if (dealt_ && phases.front()->start <= deal.back()->last()) {
        refuse(*phases.front(), "it counts a class before packets have been dealt to classes");
      }
      ranked_[static_cast<std::size_t>(c)] = true;
    }
  }

  void prove_ranks() {
    for (int c = 0; c < program_.classes; ++c) {
      require(ranked_[static_cast<std::size_t>(c)],
              fmt::format("no prefix computes the ranks of class {}", c));
    }
    verdict_.steps = program_.prefix_steps();
    verdict_.max_queue = 1;
    for (const QueuedPhase& phase : program_.phases) {
      // Lines that take part, p-1 messages each way that is used.
      std::uint64_t lines = topology_.nodes() / p_;
      std::uint64_t ways = 2;
      if (phase.kind != PhaseKind::kPrefixTwoWay) {
        ways = 1;
        // Lower digits are p-1 on the tree.
        const int level = (phase.dimension - phase.class_index + d_) % d_;
        for (int j = 0; j < level; ++j) lines /= p_;
      }
      *verdict_.link_transfers += lines * ways * (p_ - 1);
    }
  }

  /// The packets of a class in order of rank, where they start.
  [[nodiscard]] Placement start_of_class(int class_index) const {
    std::vector<DemandSource> members;
    std::uint32_t rank = 0;
    for (const DemandSource& source : sources_) {
      bool member = true;
      if (program_.class_rule == QueuedClassRule::kRank) {
        // Sources are in ascending order: the rank among all is the index in the list.
        member = static_cast<int>(rank % program_.classes) == class_index;
      } else if (program_.class_rule == QueuedClassRule::kDigitSum) {
        std::uint32_t sum = 0;
        for (const std::uint32_t at : topology_.coordinates(source.node)) sum += at;
        member = static_cast<int>(sum % program_.classes) == class_index;
      }
      ++rank;
      if (member) members.push_back(source);
    }
    std::sort(members.begin(), members.end(), [&](const auto& a, const auto& b) {
      return rotated_id(topology_, a.node, class_index) <
             rotated_id(topology_, b.node, class_index);
    });
    Placement at;
    for (const DemandSource& source : members) at.insert(at.end(), packets_of(source), source.node);
    return at;
  }

  /// The phases of a class that move packets, in order of time.
  [[nodiscard]] std::vector<const QueuedPhase*> packet_phases(int class_index) const {
    std::vector<const QueuedPhase*> phases;
    for (const QueuedPhase& phase : program_.phases) {
      if (!phase.is_prefix() && phase.class_index == class_index) phases.push_back(&phase);
    }
    std::sort(phases.begin(), phases.end(),
              [](const auto* a, const auto* b) { return a->start < b->start; });
    return phases;
  }

  /// Packing or routing along one dimension. All packets start together and move one hop per step,
  /// so two meet on a link only if they start at one node and move in the same direction.
  void move(const QueuedPhase& phase, Placement& at) {
    const int dim = phase.dimension;
    std::uint64_t longest = 0;
    std::vector<bool> leaves(topology_.nodes() * std::size_t{2}, false);
    for (std::size_t rank = 0; rank < at.size(); ++rank) {
      const NodeId goal =
          phase.kind == PhaseKind::kRoute
              ? demand_.targets[rank]
              : rotated_node(topology_, static_cast<NodeId>(rank), phase.class_index);
      const std::uint32_t is = digit(at[rank], dim);
      const std::uint32_t should = digit(goal, dim);
      if (is == should) continue;
      const std::uint32_t up = (should + p_ - is) % p_;
      bool positive = should > is;
      std::uint32_t hops = positive ? should - is : is - should;
      if (phase.wrap) {
        positive = up <= p_ / 2;
        hops = positive ? up : p_ - up;
      }
      const std::size_t way = std::size_t{2} * at[rank] + (positive ? 1 : 0);
      if (leaves[way]) {
        refuse(phase, fmt::format("two packets leave node {} by the same port at the same time",
                                  at[rank]));
        return;
      }
      leaves[way] = true;
      longest = std::max<std::uint64_t>(longest, hops);
      *verdict_.link_transfers += hops * halves();
      at[rank] = at[rank] + should * topology_.stride(dim) - is * topology_.stride(dim);
    }
    if (longest != 0) verdict_.max_queue = std::max(*verdict_.max_queue, halves());
    if (longest * halves() > phase.length) {
      refuse(phase,
             fmt::format("its barrier is after {} steps, but the last packet arrives after {}",
                         phase.length, longest * halves()));
    }
  }

  void prove_routing() {
    Placement at = start_of_class(0);
    require(demand_.to != Destination::kTarget || demand_.targets.size() == at.size(),
            "targets: their number differs from the number of packets");
    require(ranked(0), "no prefix computes the ranks of the packets");
    if (!verdict_.ok()) return;
    for (const QueuedPhase* phase : packet_phases(0)) {
      move(*phase, at);
      if (!verdict_.ok()) return;
    }
    for (std::size_t rank = 0; rank < at.size(); ++rank) {
      const NodeId goal =
          demand_.to == Destination::kTarget ? demand_.targets[rank] : static_cast<NodeId>(rank);
      if (at[rank] == goal) continue;
      refuse(
          fmt::format("the packet of rank {} ends at node {} instead of {}", rank, at[rank], goal));
      return;
    }
    // No node knows before the last barrier that nothing moves any more.
    verdict_.steps = program_.last_step(demand_);
  }

  void prove_broadcast() {
    const bool dealt = program_.class_rule != QueuedClassRule::kRank || program_.classes == 1 ||
                       dealt_ || sources_.empty();
    require(dealt, "no round of prefix phases deals the packets to classes");
    require(program_.class_rule == QueuedClassRule::kSplit || single_packets(),
            "sources: dealing packets to classes requires one packet per node");
    std::uint64_t last = 0;
    for (int c = 0; c < program_.classes && verdict_.ok(); ++c) {
      if (progress_) progress_("verify", static_cast<std::uint64_t>(c), program_.classes);
      last = std::max(last, prove_class(c));
    }
    verdict_.steps = last;
  }

  /// Packing and broadcasts of one class; the step of its last delivery.
  std::uint64_t prove_class(int class_index) {
    Placement at = start_of_class(class_index);
    if (at.empty()) return 0;
    const auto phases = packet_phases(class_index);
    // Only a single broadcast of own packets needs no ranks.
    const bool needs_ranks =
        phases.size() > 1 || (!phases.empty() && phases[0]->kind == PhaseKind::kPack);
    if (needs_ranks && !ranked(class_index)) {
      refuse(*phases[0], "no prefix computes the ranks and the number of this class's packets");
      return 0;
    }
    std::vector<std::uint64_t> held;
    std::uint32_t covered = 0;
    std::uint64_t last = 0;
    for (const QueuedPhase* phase : phases) {
      if (phase->kind == PhaseKind::kPack) {
        if (!held.empty())
          refuse(*phase, "it packs packets of a class that is already being broadcast");
        move(*phase, at);
      } else {
        if (held.empty()) {
          held.assign(topology_.nodes(), 0);
          for (const NodeId node : at) ++held[node];
        }
        if ((covered >> phase->dimension & 1U) != 0) {
          refuse(*phase, "its class has been broadcast along this dimension before");
        }
        covered |= 1U << phase->dimension;
        last = std::max(last, broadcast(*phase, held));
      }
      if (!verdict_.ok()) return last;
    }
    if (covered + 1 != std::uint32_t{1} << d_) {
      refuse(fmt::format("class {} is not broadcast along all dimensions", class_index));
    }
    return last;
  }

  /// On every line or ring every node receives the packets of all its nodes. The sets are disjoint:
  /// the nodes of a line differ in a dimension along which nothing has been broadcast before, and a
  /// packet starts at one node. So no node receives a packet twice. Returns the step of the last
  /// delivery.
  std::uint64_t broadcast(const QueuedPhase& phase, std::vector<std::uint64_t>& held) {
    const bool ring = topology_.is_torus();
    const bool to_the_ends = phase.hops_plus == p_ - 1 && phase.hops_minus == p_ - 1;
    if ((!ring || program_.halves == 2) && !to_the_ends) {
      refuse(phase, fmt::format("packets travel {} and {} hops, but a line requires {}",
                                phase.hops_minus, phase.hops_plus, p_ - 1));
    } else if (ring && program_.halves == 1 && phase.hops_plus + phase.hops_minus != p_ - 1) {
      refuse(phase, fmt::format("packets travel {} and {} hops, but a ring requires {} in total",
                                phase.hops_minus, phase.hops_plus, p_ - 1));
    }
    if (!verdict_.ok()) return 0;
    const int dim = phase.dimension;
    const std::uint32_t stride = topology_.stride(dim);
    std::uint64_t longest = 0;
    std::vector<std::uint32_t> counts(p_);
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (digit(node, dim) != 0) continue;
      std::uint64_t all = 0;
      for (std::uint32_t i = 0; i < p_; ++i) {
        const std::uint64_t count = held[node + i * stride];
        counts[i] = static_cast<std::uint32_t>(count);
        all += count;
        verdict_.max_queue = std::max(*verdict_.max_queue, backlog(phase, count));
      }
      for (std::uint32_t i = 0; i < p_; ++i) held[node + i * stride] = all;
      *verdict_.link_transfers += all * (p_ - 1) * halves();
      longest = std::max(longest, line_steps(phase, counts));
    }
    if (longest > phase.length) {
      refuse(phase,
             fmt::format("its barrier is after {} steps, but the last packet arrives after {}",
                         phase.length, longest));
    }
    return longest == 0 ? 0 : phase.start + longest - 1;
  }

  /// Own packets of a node that wait for one direction, the fuller one.
  [[nodiscard]] std::uint64_t backlog(const QueuedPhase& phase, std::uint64_t count) const {
    if (program_.halves == 2) return count;
    const std::uint64_t odd = count / 2;
    const std::uint64_t even = count - odd;
    const auto waiting = [&](std::uint32_t hops_even, std::uint32_t hops_odd) {
      return (hops_even != 0 ? even : 0) + (hops_odd != 0 ? odd : 0);
    };
    const std::uint32_t plus = phase.hops_plus;
    const std::uint32_t minus = phase.hops_minus;
    return std::max(waiting(plus, phase.alternate ? minus : plus),
                    waiting(minus, phase.alternate ? plus : minus));
  }

  /// Exact steps of all broadcasts on one line. Few placements occur, on very many lines.
  std::uint64_t line_steps(const QueuedPhase& phase, const std::vector<std::uint32_t>& counts) {
    if (!topology_.is_torus()) return bounds::line_steps(counts);
    const std::uint32_t plus = phase.hops_plus;
    const std::uint32_t minus = phase.hops_minus;
    const bool swap = phase.alternate;
    auto [known, added] = ring_steps_.try_emplace({plus, minus, swap, counts}, 0);
    if (added) {
      // Mirroring the ring turns the - direction into the + direction.
      const std::vector<std::uint32_t> mirrored(counts.rbegin(), counts.rend());
      known->second = std::max(bounds::ring_direction_steps(counts, plus, swap ? minus : plus),
                               bounds::ring_direction_steps(mirrored, minus, swap ? plus : minus));
    }
    return known->second;
  }

  void prove_exchange() {
    require(ranked_[0] && ranked_[1],
            "no prefix computes the number of active nodes in each row and column");
    require(
        std::any_of(program_.phases.begin(), program_.phases.end(),
                    [](const QueuedPhase& phase) { return phase.kind == PhaseKind::kExchange; }),
        "there is no phase that moves the packets");
    require(demand_.to == Destination::kEachNode || program_.rule == ExchangeRule::kPaper,
            "rule: a gather supports only the paper's rule");
    if (!verdict_.ok()) return;
    // Every packet goes at most once along x and once along y, and no port with a packet idles: all
    // arrive, once. Their times and queues require a replay.
    verdict_.method = "replay";
    const ExchangeCounts counts = replay_exchange(topology_, demand_, program_.rule, progress_);
    verdict_.steps = counts.steps;
    verdict_.link_transfers = counts.transfers;
    verdict_.max_queue = counts.max_queue;
  }

  /// The lower bound; empty where no bound is known.
  [[nodiscard]] std::optional<std::uint64_t> lower_bound() const {
    std::vector<NodeId> active;
    for (const DemandSource& source : sources_) active.push_back(source.node);
    // The last node's result depends on data from the farthest node.
    if (demand_.is_counts()) return topology_.diameter();
    if (demand_.is_personal()) return bounds::exchange_lower_bound(topology_, active);
    if (demand_.is_ranked()) return std::nullopt;
    if (demand_.from == Origin::kEveryNode) {
      return bounds::gossip_lower_bound(topology_, demand_.pieces);
    }
    if (plan_.collective == "line-broadcast") {
      std::vector<std::uint32_t> counts(topology_.nodes(), 0);
      for (const DemandSource& source : sources_) counts[source.node] = packets_of(source);
      if (!topology_.is_torus()) return bounds::line_steps(counts);
      return bounds::ring_lower_bound(
          counts, program_.halves == 2 ? bounds::RingMode::kSplit : bounds::RingMode::kWhole);
    }
    return bounds::partial_broadcast_lower_bound(bounds::EqualSides::of(topology_),
                                                 program_.class_rule == QueuedClassRule::kSplit,
                                                 active.size());
  }

  void compare_figures() {
    const ExpectedFigures& expected = plan_.expected;
    const std::uint64_t steps = *verdict_.steps;
    const std::uint64_t cycles = program_.cycles(steps, demand_);
    if (expected.analytic_steps && *expected.analytic_steps != steps) {
      refuse(fmt::format("the last packet arrives in step {}, the plan states {}", steps,
                         *expected.analytic_steps));
    }
    if (expected.analytic_cycles && *expected.analytic_cycles != cycles) {
      refuse(
          fmt::format("it takes {} cycles, the plan states {}", cycles, *expected.analytic_cycles));
    }
    if (expected.bound_steps && *expected.bound_steps < steps) {
      refuse(fmt::format("{} steps exceed the promised bound of {}", steps, *expected.bound_steps));
    }
    if (*verdict_.max_queue > expected.queue_depth) {
      refuse(fmt::format("a queue grows to {} packets, the plan states {}", *verdict_.max_queue,
                         expected.queue_depth));
    }
    if (!expected.lower_bound_steps) return;
    const std::optional<std::uint64_t> bound = lower_bound();
    if (!bound) {
      refuse(fmt::format("the plan states a lower bound of {} steps, but no bound is known",
                         *expected.lower_bound_steps));
    } else if (*bound != *expected.lower_bound_steps) {
      refuse(fmt::format("the lower bound is {} steps, the plan states {}", *bound,
                         *expected.lower_bound_steps));
    }
  }

  static constexpr std::size_t kMaxListedNodes = 5;

  /// Hops up and down, whether they take turns, and the counts of a ring.
  using RingCase = std::tuple<std::uint32_t, std::uint32_t, bool, std::vector<std::uint32_t>>;

  const Plan& plan_;
  const Topology& topology_;
  const Demand& demand_;
  const QueuedProgram& program_;
  /// Active nodes, with the numbers of pieces that they start with.
  std::vector<DemandSource> sources_;
  const Progress& progress_;
  int d_;
  std::uint32_t p_;
  /// By class: a prefix computes its ranks. Packets have been dealt to classes.
  std::vector<bool> ranked_;
  bool dealt_ = false;
  std::map<RingCase, std::uint64_t> ring_steps_;
  Verdict verdict_;
};

}  // namespace

Verdict prove_queued(const Plan& plan, const Progress& progress) {
  return PhaseProof(plan, progress).run();
}

}  // namespace gossamer
