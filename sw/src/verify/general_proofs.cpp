// SPDX-License-Identifier: Apache-2.0
/// The proofs for programs that are not made of Hamiltonian cycles.
#include <fmt/format.h>

#include <algorithm>

#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/judge.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/run.hpp"
#include "stream_proofs.hpp"

namespace gossamer {

namespace {

constexpr std::size_t kMaxListed = 5;

void add_missing(Verdict& verdict, NodeId node, std::uint64_t missing, std::uint64_t packets) {
  if (verdict.problems.size() < kMaxListed) {
    verdict.problems.push_back(
        fmt::format("node {} never gets {} of {} packets", node, missing, packets));
  } else if (verdict.problems.size() == kMaxListed) {
    verdict.problems.emplace_back("... and more nodes like these");
  }
}

}  // namespace

Verdict prove_by_feed_walk(const Topology& topology, const StreamProgram& program,
                           const Progress& progress) {
  // Nothing ever waits, so what crosses a link in step s is what the link s - 1 feeds upstream
  // preloads. A walk along feeds repeats itself after as many links as there are.
  const std::uint64_t slots = topology.link_slots();
  const std::uint32_t k = program.packets_per_node();
  const std::uint64_t packets = std::uint64_t{topology.nodes()} * k;
  std::vector<LinkId> upstream(slots, kNoLink);
  std::vector<PacketId> preload(slots, kNoPacket);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    for (int p = 0; p < topology.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      if (walk.neighbor(port) == kNoNode) continue;
      const LinkId link = topology.link(walk.node(), port);
      const PortProgram& at = program.at(walk.node(), port);
      if (!at.feed.empty()) upstream[link] = topology.link_into(walk.node(), at.feed.front());
      if (!at.preload.empty()) preload[link] = PacketId{walk.node()} * k + at.preload.front();
    }
  }

  Verdict verdict;
  verdict.method = ProofMethod::kFeedWalk;
  verdict.complete = true;
  verdict.max_queue = std::any_of(preload.begin(), preload.end(),
                                  [](PacketId packet) { return packet != kNoPacket; })
                          ? 1
                          : 0;
  std::uint64_t steps = 0;
  // known[packet] == node + 1: the node whose walk is on knows the packet.
  std::vector<NodeId> known(packets, 0);
  std::vector<LinkId> at;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const NodeId mark = node + 1;
    for (std::uint32_t c = 0; c < k; ++c) known[std::size_t{node} * k + c] = mark;
    std::uint64_t missing = packets - k;
    at.clear();
    for (int p = 0; p < topology.ports(); ++p) {
      const LinkId link = topology.link_into(node, static_cast<Port>(p));
      if (link != kNoLink) at.push_back(link);
    }
    std::uint64_t step = 0;
    while (missing != 0 && step < slots && !at.empty()) {
      ++step;
      for (LinkId& link : at) {
        const PacketId packet = preload[link];
        if (packet != kNoPacket && known[packet] != mark) {
          known[packet] = mark;
          --missing;
        }
        link = upstream[link];
      }
      at.erase(std::remove(at.begin(), at.end(), kNoLink), at.end());
    }
    if (missing != 0) {
      verdict.complete = false;
      add_missing(verdict, node, missing, packets);
    }
    steps = std::max(steps, step);
    if (progress && node % 1024 == 0) progress("verify", node, topology.nodes());
  }
  if (verdict.complete) verdict.steps = steps;
  return verdict;
}

Verdict prove_by_replay(const Plan& plan, const Progress& progress) {
  Judge judge(plan);
  LinkCounter counter;
  ObserverList observers;
  observers.add(&judge);
  observers.add(&counter);
  const std::uint64_t horizon = settled_after(plan).value();
  const std::uint64_t expected = plan.expected.analytic_steps.value_or(horizon);
  ProgressObserver progress_observer(progress, expected);
  observers.add(&progress_observer);

  const std::unique_ptr<Engine> engine = make_fast_engine(plan);
  watch(*engine, horizon, observers);

  Verdict verdict;
  verdict.method = ProofMethod::kReplay;
  verdict.complete = judge.complete();
  verdict.link_conflicts = engine->statistics().link_conflicts;
  verdict.max_queue = engine->statistics().max_queue;
  if (verdict.complete) {
    verdict.steps = judge.completion_step();
    verdict.link_transfers = counter.transfers();
    verdict.duplicates = judge.duplicates();
    return verdict;
  }
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    if (judge.missing(node) != 0) {
      add_missing(verdict, node, judge.missing(node),
                  std::uint64_t{plan.topology.nodes()} * packets_per_node(plan));
    }
  }
  return verdict;
}

}  // namespace gossamer
