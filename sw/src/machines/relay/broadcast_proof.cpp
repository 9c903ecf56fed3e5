// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/relay/broadcast_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/machines/relay/clock.hpp"

namespace gossamer {

namespace {

using Kind = RelayProblem::Kind;

class Verifier {
 public:
  explicit Verifier(const Plan& plan)
      : plan_(plan),
        topology_(plan.topology),
        program_(plan.program.as<RelayProgram>()),
        holds_since_(topology_.nodes(), kNever),
        busy_in_(topology_.nodes(), 0),
        used_in_(topology_.link_slots(), 0) {}

  RelayVerdict run() {
    if (program_.source() >= topology_.nodes()) {
      report(Kind::kNoSuchNode, 0, program_.source(), kNoLink, "the source is not a node");
      return verdict_;
    }
    if (!topology_.has_core(program_.source())) {
      report(Kind::kNoSuchNode, 0, program_.source(), kNoLink, "the source is dead");
      return verdict_;
    }
    holds_since_[program_.source()] = 0;
    for (std::uint32_t step = 1; step <= program_.steps(); ++step) check_step(step);
    check_coverage();
    if (tree_) {
      check_regions();
      verdict_.conflicts = verdict_.regions_disjoint ? 0 : count_timed_contention();
    }
    const bool timed = verdict_.complete && verdict_.ok();
    if (timed) {
      verdict_.cycles = relay_cycles(topology_, program_);
      check_rule();
      // Routers then follow the rule instead of these sends.
      if (!tree_) verdict_.conflicts.reset();
    }
    check_figures(timed);
    return std::move(verdict_);
  }

 private:
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};

  void report(Kind kind, std::uint32_t step, NodeId node, LinkId link, std::string_view what) {
    ++verdict_.problem_count;
    // The sends form no tree if a sender lacks the message, a send is repeated or leads nowhere, a
    // port is busy, or a send differs from the rule.
    if (kind == Kind::kNoSuchNode || kind == Kind::kLeavesMesh || kind == Kind::kNotHolder ||
        kind == Kind::kDuplicate || kind == Kind::kNotOnePort || kind == Kind::kNotAtOnce ||
        kind == Kind::kNotTheRule || (kind == Kind::kMissing && program_.rule)) {
      tree_ = false;
    }
    if (verdict_.problems.size() == RelayVerdict::kMaxProblems) return;
    std::string text = step == 0 ? std::string() : fmt::format("step {}: ", step);
    if (node != kNoNode) text += fmt::format("node {}: ", node);
    text += what;
    if (link != kNoLink) {
      text += fmt::format(" (link {} {})", topology_.link_from(link),
                          port_name(topology_.link_port(link)));
    }
    verdict_.problems.push_back({kind, step, node, link, std::move(text)});
  }

  void check_step(std::uint32_t step) {
    std::uint32_t longest = 0;
    std::uint32_t sends_of_node = 0;
    NodeId last_sender = kNoNode;
    for (const RelaySend& send : program_.sends(step)) {
      if (send.from >= topology_.nodes()) {
        report(Kind::kNoSuchNode, step, send.from, kNoLink, "the sender is not a node");
        continue;
      }
      sends_of_node = send.from == last_sender ? sends_of_node + 1 : 1;
      last_sender = send.from;
      verdict_.most_sends = std::max(verdict_.most_sends, sends_of_node);
      if (holds_since_[send.from] >= step) {
        report(Kind::kNotHolder, step, send.from, kNoLink,
               "sends a message that it does not hold yet");
      } else if (program_.ports == RelayPorts::kFanOut && holds_since_[send.from] + 1 != step) {
        report(Kind::kNotAtOnce, step, send.from, kNoLink,
               fmt::format("must copy a passing message immediately, in step {}",
                           holds_since_[send.from] + 1));
      }
      const RelayPath& path = program_.path(send);
      const NodeId to = path_end(topology_, send.from, path);
      if (to == kNoNode) {
        report(Kind::kLeavesMesh, step, send.from, kNoLink,
               topology_.is_healthy() ? "its path leaves the mesh"
                                      : "its path leaves the mesh or crosses a dead link");
        continue;
      }
      const std::uint32_t hops = path_hops(path);
      verdict_.tcd += hops;
      longest = std::max(longest, hops);
      if (program_.ports == RelayPorts::kOnePort) {
        occupy(step, send.from);
        occupy(step, to);
      }
      if (holds_since_[to] != kNever) {
        report(Kind::kDuplicate, step, to, kNoLink, "receives the message again");
      } else {
        holds_since_[to] = step;
      }
      if (hops > topology_.link_slots()) {
        // The path is not walked: some link must occur twice.
        report(Kind::kContention, step, send.from, kNoLink, "its path has more hops than links");
        tree_ = false;
        continue;
      }
      walk_path(topology_, send.from, path, [&](std::uint32_t, NodeId from, Port port) {
        const LinkId link = topology_.link(from, port);
        if (used_in_[link] == step) {
          report(Kind::kContention, step, send.from, link, "two sends use one link");
        }
        used_in_[link] = step;
      });
    }
    if (longest > 0) verdict_.steps = step;
    verdict_.longest_hops.push_back(longest);
  }

  /// One-port: a node takes part in one send of a step.
  void occupy(std::uint32_t step, NodeId node) {
    if (busy_in_[node] == step) {
      report(Kind::kNotOnePort, step, node, kNoLink, "takes part in two sends");
    }
    busy_in_[node] = step;
  }

  void check_coverage() {
    verdict_.complete = true;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (holds_since_[node] != kNever || !topology_.has_core(node)) continue;
      verdict_.complete = false;
      report(Kind::kMissing, 0, node, kNoLink, "never receives the message");
    }
  }

  /// Numbers the nodes so that the region of every send is an interval: a node first, then those it
  /// informs, the later the earlier. The sends in step order cut pieces off the sender's end.
  void check_regions() {
    const std::span<const RelaySend> sends = program_.sends();
    std::vector<NodeId> to(sends.size());
    std::vector<std::uint32_t> size(topology_.nodes(), 1);
    for (std::size_t i = sends.size(); i-- > 0;) {
      to[i] = path_end(topology_, sends[i].from, program_.path(sends[i]));
      size[sends[i].from] += size[to[i]];
    }
    std::vector<std::uint32_t> number(topology_.nodes(), 0);
    std::vector<std::uint32_t> extent = size;
    std::vector<std::uint32_t> region_size(sends.size());
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const NodeId from = sends[i].from;
      region_size[i] = extent[from];
      extent[from] -= size[to[i]];
      number[to[i]] = number[from] + extent[from];
    }
    verdict_.regions_disjoint = true;
    for (std::size_t i = 0; i < sends.size() && verdict_.regions_disjoint; ++i) {
      const std::uint32_t first = number[sends[i].from];
      walk_path(topology_, sends[i].from, program_.path(sends[i]),
                [&](std::uint32_t, NodeId node, Port) {
                  if (number[node] - first >= region_size[i]) verdict_.regions_disjoint = false;
                });
    }
  }

  /// The plain check, cycle by cycle: messages that meet another one.
  std::uint64_t count_timed_contention() {
    const auto meetings = relay_meetings(topology_, program_);
    for (const RelayMeeting& meeting : meetings) {
      report(Kind::kTimedContention, meeting.step, meeting.sender, meeting.link,
             fmt::format("meets another message in cycle {}", meeting.cycle));
    }
    return meetings.size();
  }

  void check_rule() {
    if (!program_.rule) return;
    const EyeRule& rule = *program_.rule;
    const auto d = static_cast<std::size_t>(topology_.dimensions());
    DimensionOrder ascending;
    std::iota(ascending.begin(), ascending.end(), std::uint8_t{0});
    int highest = 0;
    for (std::size_t i = 0; i < d; ++i) {
      if (bounds::exact_log2(topology_.side(static_cast<int>(i))) != int{rule.levels[i]}) {
        report(Kind::kNotTheRule, 0, kNoNode, kNoLink, "the rule's levels are not the sides");
        return;
      }
      highest = std::max(highest, int{rule.levels[i]});
    }
    for (const DimensionOrder& order : rule.source_orders) {
      if (!std::is_permutation(order.begin(), order.begin() + d, ascending.begin())) {
        report(Kind::kNotTheRule, 0, kNoNode, kNoLink, "the rule's orders are not permutations");
        return;
      }
    }
    std::uint32_t step = 0;
    for (int j = highest; j >= 1; --j) {
      std::size_t position = 0;
      for (std::size_t i = 0; i < d; ++i) {
        if (rule.levels[i] < j) continue;
        if (++step <= program_.steps()) check_rule_step(rule, step, j, i, highest, position);
        ++position;
      }
    }
    if (step != program_.steps()) {
      report(Kind::kNotTheRule, 0, kNoNode, kNoLink,
             fmt::format("the rule has {} steps, the plan {}", step, program_.steps()));
    }
  }

  void check_rule_step(const EyeRule& rule, std::uint32_t step, int j, std::size_t dim, int highest,
                       std::size_t position) {
    const Coordinates source = topology_.coordinates(program_.source());
    for (const RelaySend& send : program_.sends(step)) {
      std::size_t along = dim;
      if (!rule.source_orders.empty()) {
        if (send.from == program_.source()) continue;
        const Coordinates at = topology_.coordinates(send.from);
        bool beside = true;
        for (std::size_t i = 0; i < at.size(); ++i) beside &= at[i] >> j == source[i] >> j;
        const auto entry = static_cast<std::size_t>(highest - j);
        if (beside && entry < rule.source_orders.size())
          along = rule.source_orders[entry][position];
      }
      const std::uint32_t x = topology_.coordinates(send.from)[along];
      const bool up =
          ((x ^ std::uint32_t{rule.side_bits} >> along ^ static_cast<std::uint32_t>(j)) & 1U) != 0;
      const RelayPath wanted{{make_port(static_cast<int>(along), up),
                              static_cast<std::uint16_t>(bounds::eye_distance(j))}};
      if (program_.path(send) != wanted) {
        report(Kind::kNotTheRule, step, send.from, kNoLink, "does not send according to the rule");
      }
    }
  }

  void check_figure(std::string_view name, std::optional<std::uint64_t> expected,
                    std::uint64_t found) {
    if (!expected || *expected == found) return;
    report(Kind::kWrongFigure, 0, kNoNode, kNoLink,
           fmt::format("the plan expects {} {}, there are {}", *expected, name, found));
  }

  /// `timed`: the cycles have been counted, which is done of right plans only.
  void check_figures(bool timed) {
    const ExpectedFigures& expected = plan_.expected;
    check_figure("steps", expected.analytic_steps, verdict_.steps);
    check_figure("hops in all", expected.analytic_tcd, verdict_.tcd);
    if (timed) check_figure("cycles", expected.analytic_cycles, *verdict_.cycles);
    if (expected.bound_steps && verdict_.steps > *expected.bound_steps) {
      report(Kind::kWrongFigure, 0, kNoNode, kNoLink,
             fmt::format("the plan promises at most {} steps, there are {}", *expected.bound_steps,
                         verdict_.steps));
    }
    // One more holder for each holder and step, or the way to the farthest node.
    const std::uint64_t lower_bound =
        program_.ports == RelayPorts::kOnePort
            ? static_cast<std::uint64_t>(bounds::broadcast_steps(topology_))
            : bounds::eccentricity(topology_, program_.source());
    if (expected.lower_bound_steps && *expected.lower_bound_steps != lower_bound) {
      report(Kind::kWrongFigure, 0, kNoNode, kNoLink,
             fmt::format("the lower bound is {} steps, the plan states {}", lower_bound,
                         *expected.lower_bound_steps));
    }
  }

  const Plan& plan_;
  const Topology& topology_;
  const RelayProgram& program_;
  /// Step in which a node got the message, 0 for the source.
  std::vector<std::uint32_t> holds_since_;
  /// Last step in which a node took part in a send, or a link was used.
  std::vector<std::uint32_t> busy_in_;
  std::vector<std::uint32_t> used_in_;
  /// So far every send is by a holder to a node that is not one.
  bool tree_ = true;
  RelayVerdict verdict_;
};

}  // namespace

RelayVerdict verify_broadcast(const Plan& plan) { return Verifier(plan).run(); }

}  // namespace gossamer
