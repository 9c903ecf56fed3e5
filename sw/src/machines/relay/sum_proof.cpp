// SPDX-License-Identifier: Apache-2.0
#include "sum_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/plan/combination_order.hpp"

namespace gossamer {

namespace {

constexpr std::size_t kMostProblems = 20;
constexpr std::uint64_t kMostNodesInBits = std::uint64_t{1} << 14U;

/// A set of nodes whose coordinates lie in an interval of every dimension; an interval may wrap
/// around the end of its dimension.
struct ContributorBox {
  std::array<std::uint32_t, kMaxDimensions> first{};
  std::array<std::uint32_t, kMaxDimensions> length{};

  static ContributorBox of(const Topology& topology, NodeId node) {
    ContributorBox box;
    const Coordinates at = topology.coordinates(node);
    for (std::size_t i = 0; i < static_cast<std::size_t>(topology.dimensions()); ++i) {
      box.first[i] = at[i];
      box.length[i] = 1;
      // All of a side begins at 0.
      if (topology.side(static_cast<int>(i)) == 1) box.first[i] = 0;
    }
    return box;
  }
  [[nodiscard]] std::uint64_t count(const Topology& topology) const {
    std::uint64_t nodes = 1;
    for (int i = 0; i < topology.dimensions(); ++i) nodes *= length[static_cast<std::size_t>(i)];
    return nodes;
  }
  /// Takes in `other`; false when the two are not disjoint, or no box together.
  bool join(const Topology& topology, const ContributorBox& other) {
    std::optional<std::size_t> along;
    for (std::size_t i = 0; i < static_cast<std::size_t>(topology.dimensions()); ++i) {
      if (first[i] == other.first[i] && length[i] == other.length[i]) continue;
      if (along) return false;
      along = i;
    }
    if (!along) return false;
    const std::size_t i = *along;
    const std::uint32_t side = topology.side(static_cast<int>(i));
    if (length[i] + other.length[i] > side) return false;
    const bool behind = (first[i] + length[i]) % side == other.first[i];
    const bool before = (other.first[i] + other.length[i]) % side == first[i];
    if (!behind && !before) return false;
    if (!behind) first[i] = other.first[i];
    length[i] += other.length[i];
    if (length[i] == side) first[i] = 0;
    return true;
  }
};

/// Any set of nodes.
struct ContributorBits {
  std::vector<std::uint64_t> words;

  static ContributorBits of(const Topology& topology, NodeId node) {
    ContributorBits bits;
    bits.words.assign((topology.nodes() + 63) / 64, 0);
    bits.words[node / 64] |= std::uint64_t{1} << node % 64;
    return bits;
  }
  [[nodiscard]] std::uint64_t count(const Topology& /*topology*/) const {
    std::uint64_t nodes = 0;
    for (const std::uint64_t word : words) nodes += static_cast<unsigned>(std::popcount(word));
    return nodes;
  }
  bool join(const Topology& /*topology*/, const ContributorBits& other) {
    bool disjoint = true;
    for (std::size_t i = 0; i < words.size(); ++i) {
      disjoint = disjoint && (words[i] & other.words[i]) == 0;
      words[i] |= other.words[i];
    }
    return disjoint;
  }
};

class RelayedSums {
 public:
  explicit RelayedSums(const Plan& plan)
      : plan_(plan),
        topology_(plan.topology),
        program_(plan.program.as<RelayProgram>()),
        sent_in_(topology_.nodes(), 0),
        received_in_(topology_.nodes(), 0),
        added_until_(topology_.nodes(), 0) {
    verdict_.method = "relay sends";
    verdict_.max_queue.reset();
  }

  Verdict run() {
    std::uint64_t cycle = 0;
    for (std::uint32_t step = 1; step <= program_.steps(); ++step) {
      cycle = check_step(step, cycle);
    }
    if (executable_) {
      verdict_.tcd = hops_;
      verdict_.link_conflicts = conflicts_;
      verdict_.link_transfers = hops_;
      follow_sums();
    } else {
      verdict_.longest_hops.clear();
      verdict_.link_conflicts.reset();
    }
    if (verdict_.complete) {
      verdict_.steps = program_.steps();
      verdict_.cycles = stored_;
      verdict_.duplicates = 0;
    }
    check_figures();
    if (problems_ > kMostProblems) {
      verdict_.problems.push_back(fmt::format("... and {} more", problems_ - kMostProblems));
    }
    return std::move(verdict_);
  }

 private:
  struct Hold {
    LinkId link;
    std::uint64_t cycle;
    NodeId sender;
  };

  void report(std::string text) {
    if (++problems_ <= kMostProblems) verdict_.problems.push_back(std::move(text));
  }

  /// The cycle in which the next step starts.
  std::uint64_t check_step(std::uint32_t step, std::uint64_t start) {
    const MessageClock& clock = program_.clock;
    std::uint32_t longest = 0;
    std::vector<Hold> holds;
    for (const RelaySend& send : program_.sends(step)) {
      const RelayPath& path = program_.path(send);
      const NodeId to =
          send.from < topology_.nodes() ? path_end(topology_, send.from, path) : kNoNode;
      if (to == kNoNode) {
        report(
            fmt::format("step {}: the send of node {} does not lead to a node", step, send.from));
        executable_ = false;
        continue;
      }
      const std::uint32_t hops = path_hops(path);
      longest = std::max(longest, hops);
      hops_ += hops;
      occupy(step, send.from, sent_in_, "sends twice");
      occupy(step, to, received_in_, "receives two messages");
      if (hops > topology_.link_slots()) {
        report(fmt::format("step {}: node {}: its path has more hops than links", step, send.from));
        executable_ = false;
        continue;
      }
      store(step, to, start + std::uint64_t{hops} * clock.hop_cycles);
      walk_path(topology_, send.from, path, [&](std::uint32_t hop, NodeId node, Port port) {
        holds.push_back(
            {topology_.link(node, port), start + std::uint64_t{hop} * clock.hop_cycles, send.from});
      });
    }
    verdict_.longest_hops.push_back(longest);
    count_meetings(step, holds);
    if (longest == 0) return start;
    return start + std::uint64_t{longest} * clock.hop_cycles + clock.flits - 1 +
           program_.pause_after(step);
  }

  /// Flits that arrive from `first` on are in the memory at once, their sums after the adder.
  void store(std::uint32_t step, NodeId to, std::uint64_t first) {
    const bool adds = step <= program_.adding_steps;
    const std::uint64_t last =
        first + program_.clock.flits - 1 + (adds ? program_.adder_cycles : 0);
    stored_ = std::max(stored_, last);
    if (adds) {
      added_until_[to] = last;
    } else if (first <= added_until_[to]) {
      executable_ = false;
      report(fmt::format("step {}: node {} receives a message while it stores a sum", step, to));
    }
  }

  void occupy(std::uint32_t step, NodeId node, std::vector<std::uint32_t>& busy_in,
              std::string_view what) {
    const bool again = busy_in[node] == step;
    busy_in[node] = step;
    if (again) {
      executable_ = false;
      report(fmt::format("step {}: node {} {}", step, node, what));
    } else if (program_.ports == RelayPorts::kOnePort && sent_in_[node] == received_in_[node]) {
      executable_ = false;
      report(fmt::format("step {}: node {} sends and receives, but has one port", step, node));
    }
  }

  void count_meetings(std::uint32_t step, std::vector<Hold>& holds) {
    std::sort(holds.begin(), holds.end(), [](const Hold& a, const Hold& b) {
      return std::pair(a.link, a.cycle) < std::pair(b.link, b.cycle);
    });
    for (std::size_t i = 1; i < holds.size(); ++i) {
      const Hold& hold = holds[i];
      if (hold.link != holds[i - 1].link ||
          hold.cycle >= holds[i - 1].cycle + program_.clock.flits) {
        continue;
      }
      ++conflicts_;
      report(
          fmt::format("step {}: the message of node {} meets another one on link {} {}, cycle {}",
                      step, hold.sender, topology_.link_from(hold.link),
                      port_name(topology_.link_port(hold.link)), hold.cycle));
    }
  }

  void follow_sums() {
    follow_orders();
    if (follow<ContributorBox>(topology_.nodes() <= kMostNodesInBits)) return;
    (void)follow<ContributorBits>(false);
  }

  /// All nodes must end with a sum of one order, where that matters.
  void follow_orders() {
    if (!plan_.demand.needs_one_order()) return;
    std::vector<std::uint64_t> orders;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      orders.push_back(own_order(node));
    }
    for (std::uint32_t step = 1; step <= program_.steps(); ++step) {
      const auto sends = program_.sends(step);
      std::vector<std::uint64_t> carried;
      carried.reserve(sends.size());
      for (const RelaySend& send : sends) carried.push_back(orders[send.from]);
      for (std::size_t i = 0; i < sends.size(); ++i) {
        std::uint64_t& own = orders[path_end(topology_, sends[i].from, program_.path(sends[i]))];
        own = step > program_.adding_steps ? carried[i] : combined_order(carried[i], own);
      }
    }
    for (NodeId node = 1; node < topology_.nodes(); ++node) {
      if (orders[node] == orders[0]) continue;
      return report(different_orders(0, node, 0));
    }
  }

  /// With `give_up`, false at the first wrong sum.
  template <typename Set>
  bool follow(bool give_up) {
    std::vector<Set> sums;
    sums.reserve(topology_.nodes());
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      sums.push_back(Set::of(topology_, node));
    }
    bool disjoint = true;
    for (std::uint32_t step = 1; step <= program_.steps(); ++step) {
      const auto sends = program_.sends(step);
      // A send carries the sender's sum at the beginning of the step.
      std::vector<Set> carried;
      carried.reserve(sends.size());
      for (const RelaySend& send : sends) carried.push_back(sums[send.from]);
      for (std::size_t i = 0; i < sends.size(); ++i) {
        const NodeId to = path_end(topology_, sends[i].from, program_.path(sends[i]));
        if (step > program_.adding_steps) {
          sums[to] = std::move(carried[i]);
        } else if (!sums[to].join(topology_, carried[i])) {
          if (give_up) return false;
          disjoint = false;
          report(fmt::format("step {}: node {} adds contributions that it already has", step, to));
        }
      }
    }
    verdict_.complete = disjoint;
    const Demand& demand = plan_.demand;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (demand.to == Destination::kRoot && node != demand.root) continue;
      const std::uint64_t count = sums[node].count(topology_);
      if (count == topology_.nodes()) continue;
      if (give_up) return false;
      verdict_.complete = false;
      report(fmt::format("node {} ends with the contributions of {} of {} nodes", node, count,
                         topology_.nodes()));
    }
    return true;
  }

  void check_figure(std::string_view name, std::optional<std::uint64_t> expected,
                    std::optional<std::uint64_t> found) {
    if (!expected || !found || *expected == *found) return;
    report(fmt::format("the plan expects {} {}, there are {}", *expected, name, *found));
  }

  void check_figures() {
    const ExpectedFigures& expected = plan_.expected;
    check_figure("steps", expected.analytic_steps, verdict_.steps);
    check_figure("hops in all", expected.analytic_tcd, verdict_.tcd);
    check_figure("cycles", expected.analytic_cycles, verdict_.cycles);
    if (expected.bound_steps && verdict_.steps && *verdict_.steps > *expected.bound_steps) {
      report(fmt::format("the plan promises at most {} steps, there are {}", *expected.bound_steps,
                         *verdict_.steps));
    }
    // A node takes in one message a step, so a sum's contributors at most double.
    const auto lower_bound = static_cast<std::uint64_t>(bounds::broadcast_steps(topology_));
    if (expected.lower_bound_steps && *expected.lower_bound_steps != lower_bound) {
      report(fmt::format("the lower bound is {} steps, the plan states {}", lower_bound,
                         *expected.lower_bound_steps));
    }
  }

  const Plan& plan_;
  const Topology& topology_;
  const RelayProgram& program_;
  /// Last step in which a node sent, and received.
  std::vector<std::uint32_t> sent_in_;
  std::vector<std::uint32_t> received_in_;
  /// The cycle in which the node's latest sum is stored, and that of the last word of all nodes.
  std::vector<std::uint64_t> added_until_;
  std::uint64_t stored_ = 0;
  /// Every send leads to a node through a free port; otherwise the result depends on the routers.
  bool executable_ = true;
  std::uint64_t hops_ = 0;
  std::uint64_t conflicts_ = 0;
  std::size_t problems_ = 0;
  Verdict verdict_;
};

}  // namespace

Verdict prove_relayed_sums(const Plan& plan) { return RelayedSums(plan).run(); }

}  // namespace gossamer
