// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/broadcast/faulty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/machines/relay/clock.hpp"
#include "gossamer/topology/live_tree.hpp"
#include "gossamer/topology/side_order.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// A path of single hops with equal directions put together.
RelayPath in_stretches(const std::vector<Port>& hops) {
  RelayPath path;
  for (const Port port : hops) {
    if (path.empty() || path.back().port != port) path.push_back({port, 0});
    ++path.back().hops;
  }
  return path;
}

/// Two holders of the message whose ways to the source meet.
struct Pair {
  NodeId stays = 0;
  NodeId other = 0;
  NodeId meeting = 0;
};

/// Pairs the members where they meet on the way to the root, and leaves in `members` those that
/// stay: half of them, rounded up. Every tree link is on the way of one of a pair at most.
std::vector<Pair> pair_up(const Topology& topology, const LiveTree& tree,
                          const std::vector<std::uint32_t>& depth, std::vector<bool>& members) {
  std::vector<Pair> pairs;
  // By node: the node that waits there for a second one.
  std::vector<NodeId> waiting(topology.nodes(), kNoNode);
  const auto arrive = [&](NodeId member, NodeId at) {
    NodeId& first = waiting[at];
    if (first == kNoNode) {
      first = member;
      return;
    }
    const bool keeps_first = std::pair(depth[first], first) < std::pair(depth[member], member);
    const NodeId stays = keeps_first ? first : member;
    const NodeId other = keeps_first ? member : first;
    pairs.push_back({stays, other, at});
    members[other] = false;
    first = kNoNode;
  };
  for (auto at = tree.order.rbegin(); at != tree.order.rend(); ++at) {
    if (members[*at]) arrive(*at, *at);
    if (waiting[*at] == kNoNode || *at == tree.root) continue;
    arrive(waiting[*at], topology.beyond(*at, tree.towards_root[*at]));
  }
  return pairs;
}

RelayPath path_of(const Topology& topology, const LiveTree& tree, const Pair& pair) {
  std::vector<Port> hops;
  for (NodeId node = pair.stays; node != pair.meeting;) {
    hops.push_back(tree.towards_root[node]);
    node = topology.beyond(node, tree.towards_root[node]);
  }
  const auto up = static_cast<std::ptrdiff_t>(hops.size());
  for (NodeId node = pair.other; node != pair.meeting;) {
    hops.push_back(opposite(tree.towards_root[node]));
    node = topology.beyond(node, tree.towards_root[node]);
  }
  std::reverse(hops.begin() + up, hops.end());
  return in_stretches(hops);
}

bool self_timed_messages_meet(const Topology& topology, const RelayProgram& program) {
  return program.clock.timing == MessageTiming::kSelf && !relay_meetings(topology, program).empty();
}

/// The figures that follow from the sends; refuses a self-timed plan whose messages meet.
void settle(Plan& plan) {
  const auto& program = plan.program.as<RelayProgram>();
  if (self_timed_messages_meet(plan.topology, program)) {
    throw InfeasibleError(
        fmt::format("{}: self-timed messages would meet on a link; nearest feasible: --timing step",
                    plan.algorithm));
  }
  plan.expected.analytic_steps = program.steps();
  plan.expected.analytic_tcd = total_hops(plan);
  plan.expected.analytic_cycles = relay_cycles(plan.topology, program);
}

/// A shortest path of live arcs that are not `used`; empty without one.
std::vector<Port> free_path(const Topology& topology, NodeId from, NodeId to,
                            const std::vector<bool>& used) {
  std::vector<Port> came(topology.nodes(), kNoTreePort);
  std::vector<NodeId> order = {from};
  for (std::size_t i = 0; i < order.size() && came[to] == kNoTreePort; ++i) {
    for (const Port port : all_ports(topology.ports())) {
      const NodeId next = topology.neighbor(order[i], port);
      if (next == kNoNode || next == from || came[next] != kNoTreePort ||
          used[topology.link(order[i], port)]) {
        continue;
      }
      came[next] = port;
      order.push_back(next);
    }
  }
  std::vector<Port> hops;
  if (came[to] == kNoTreePort) return hops;
  for (NodeId node = to; node != from; node = topology.beyond(node, opposite(came[node]))) {
    hops.push_back(came[node]);
  }
  std::reverse(hops.begin(), hops.end());
  return hops;
}

}  // namespace

namespace {

RelayProgram paired_sends(const Topology& topology, const BroadcastOptions& options) {
  const LiveTree tree = live_tree(topology, options.source, TreeLinks::kBoth);
  if (tree.order.size() != topology.live_nodes()) {
    throw InfeasibleError(
        "pairing: two-way links do not connect the live nodes; nearest feasible: --algorithm tree");
  }
  const std::vector<std::uint32_t> depth = tree.depths(topology);
  std::vector<bool> members(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) members[node] = topology.has_core(node);
  std::vector<std::vector<Pair>> backward;
  for (auto pairs = pair_up(topology, tree, depth, members); !pairs.empty();
       pairs = pair_up(topology, tree, depth, members)) {
    backward.push_back(std::move(pairs));
  }
  RelayProgram program(options.source);
  program.clock = options.clock;
  for (auto step = backward.rbegin(); step != backward.rend(); ++step) {
    for (const Pair& pair : *step) program.add_send(pair.stays, path_of(topology, tree, pair));
    program.end_step();
  }
  return program;
}

/// The sends that `there`, planned with the sides in another order, makes in the given network.
RelayProgram brought_here(const RelayProgram& there, const SideOrder& order) {
  RelayProgram here(order.node_here(there.source()));
  here.clock = there.clock;
  for (std::uint32_t step = 1; step <= there.steps(); ++step) {
    std::vector<std::pair<NodeId, RelayPath>> sends;
    for (const RelaySend& send : there.sends(step)) {
      RelayPath path = there.path(send);
      for (RelaySegment& segment : path) segment.port = order.port_here(segment.port);
      sends.emplace_back(order.node_here(send.from), std::move(path));
    }
    std::sort(sends.begin(), sends.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [from, path] : sends) here.add_send(from, path);
    here.end_step();
  }
  return here;
}

}  // namespace

Plan plan_pairing(const Topology& topology, const BroadcastOptions& options) {
  RelayProgram program = paired_sends(topology, options);
  // Another order of the sides gives another tree, on which messages may not meet.
  if (self_timed_messages_meet(topology, program)) {
    for (const SideOrder& order : other_side_orders(topology)) {
      BroadcastOptions there = options;
      there.source = order.node_there(options.source);
      RelayProgram found = brought_here(paired_sends(order.there(), there), order);
      if (self_timed_messages_meet(topology, found)) continue;
      program = std::move(found);
      break;
    }
  }
  Plan plan = make_broadcast_plan(topology, "pairing", std::move(program));
  settle(plan);
  return plan;
}

Plan with_detours(Plan healthy, const Topology& topology) {
  const Topology whole = topology.healthy();
  const auto& planned = healthy.program.as<RelayProgram>();
  if (topology.cores() != topology.nodes()) {
    throw InfeasibleError(fmt::format(
        "{}: supports dead links, but every node must take part; nearest feasible: --algorithm "
        "pairing",
        healthy.algorithm));
  }
  RelayProgram program(planned.source());
  program.clock = planned.clock;
  bool changed = false;
  for (std::uint32_t step = 1; step <= planned.steps(); ++step) {
    std::vector<bool> used(topology.link_slots(), false);
    std::vector<RelaySend> blocked;
    for (const RelaySend& send : planned.sends(step)) {
      const RelayPath& path = planned.path(send);
      bool alive = true;
      walk_path(whole, send.from, path, [&](std::uint32_t, NodeId node, Port port) {
        alive = alive && topology.neighbor(node, port) != kNoNode;
      });
      if (!alive) {
        blocked.push_back(send);
        continue;
      }
      walk_path(whole, send.from, path, [&](std::uint32_t, NodeId node, Port port) {
        used[topology.link(node, port)] = true;
      });
      program.add_send(send.from, path);
    }
    for (const RelaySend& send : blocked) {
      const NodeId to = path_end(whole, send.from, planned.path(send));
      const std::vector<Port> hops = free_path(topology, send.from, to, used);
      if (hops.empty()) {
        throw InfeasibleError(fmt::format(
            "{}: step {} sends from {} to {} over a dead link, and no live path apart from the "
            "step's other sends is left; nearest feasible: --algorithm pairing",
            healthy.algorithm, step, node_text(topology, send.from), node_text(topology, to)));
      }
      NodeId node = send.from;
      for (const Port port : hops) {
        used[topology.link(node, port)] = true;
        node = topology.neighbor(node, port);
      }
      program.add_send(send.from, in_stretches(hops));
      changed = true;
    }
    program.end_step();
  }
  Plan plan = std::move(healthy);
  plan.topology = topology;
  if (!changed) return plan;
  plan.program = std::move(program);
  settle(plan);
  return plan;
}

std::uint64_t total_hops(const Plan& plan) {
  const auto& program = plan.program.as<RelayProgram>();
  std::uint64_t hops = 0;
  for (const RelaySend& send : program.sends()) hops += path_hops(program.path(send));
  return hops;
}

}  // namespace gossamer
