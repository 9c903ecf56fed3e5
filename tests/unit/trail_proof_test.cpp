// SPDX-License-Identifier: Apache-2.0
/// Plans around faults at every size. The closed forms of closed trails, lines with gaps, nodes
/// without a core and spanning trees agree with runs on small networks, with seeded faults and
/// damaged lists. Networks of a million nodes are planned and proved.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "../simulate.hpp"
#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/degraded.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/verify/verify.hpp"

namespace gossamer {
namespace {

using Construct = Plan (*)(const Topology&, const DegradedOptions&);

/// The network with so many random faults: a link, an arc or a node each.
Topology damaged(Topology topology, Random& random, std::uint32_t faults) {
  Faults dead;
  for (std::uint32_t i = 0; i < faults; ++i) {
    const NodeId node = random.below(topology.nodes());
    const auto port = static_cast<Port>(random.below(static_cast<std::uint32_t>(topology.ports())));
    const NodeId other = topology.beyond(node, port);
    const std::uint32_t kind = random.below(4);
    if (kind == 0) {
      dead.dead_nodes.push_back(node);
    } else if (other != kNoNode) {
      dead.dead_arcs.push_back(topology.link(node, port));
      if (kind != 1) dead.dead_arcs.push_back(topology.link(other, opposite(port)));
    }
  }
  return topology.with_faults(dead);
}

/// How the plan was proved; a run has the same counts.
std::string proved(const Plan& plan) {
  const Verdict verdict = verify(plan);
  const testing::Outcome run = testing::simulate_fast(plan, step_limit(plan));
  INFO(plan.algorithm << " on " << plan.topology.dims_text() << ", proved by " << verdict.method);
  CHECK(verdict.complete == run.complete);
  if (verdict.complete) CHECK(verdict.steps == run.steps);
  CHECK(verdict.link_transfers == run.transfers);
  CHECK(verdict.duplicates == run.duplicates);
  CHECK(verdict.link_conflicts == run.conflicts);
  CHECK(verdict.max_queue == run.max_queue);
  return std::string(verdict.method);
}

TEST_CASE("the proofs of plans around random faults agree with their runs", "[verify]") {
  Random random(5);
  std::map<std::string, int> methods;
  for (int i = 0; i < 240; ++i) {
    const std::vector<std::uint32_t> sides = {3 + random.below(4), 3 + random.below(4)};
    const Topology healthy = random.below(2) == 0 ? Topology::torus(sides) : Topology::mesh(sides);
    const std::uint32_t k = 1 + random.below(4);
    const Construct construct = std::array<Construct, 4>{plan_trail, plan_cut, plan_walks,
                                                         plan_spanning_tree}[random.below(4)];
    try {
      ++methods[proved(construct(damaged(healthy, random, 1 + random.below(3)), {k, 1}))];
    } catch (const InfeasibleError&) {
      // Not on this network.
    } catch (const InputError&) {
      // Too little is left of it.
    }
  }
  CHECK(methods["closed trails"] >= 10);
  CHECK(methods["hamiltonian cycles"] > 10);
  CHECK(methods["spanning tree"] > 10);
}

TEST_CASE("the proofs of trails with damaged lists agree with their runs", "[verify]") {
  // Some node is visited twice.
  const Topology topology =
      Topology::torus(std::vector<std::uint32_t>{4, 4}).with_faults({{0}, {}, {}});
  for (const std::uint32_t k : {1U, 2U}) {
    const Plan plan = plan_trail(topology, {k, 1});
    CHECK(proved(plan) == "closed trails");
    std::set<std::string> methods;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (const Port port : all_ports(topology.ports())) {
        const StreamPort entry = plan.program.as<StreamProgram>().at(node, port);
        if (entry.feed.empty() && entry.preload.empty()) continue;
        const auto with_list = [&](const std::vector<std::uint16_t>& list) {
          Plan other = plan;
          StreamPort changed = entry;
          changed.preload = list;
          other.program.edit<StreamProgram>().set(node, port, changed);
          other.expected.queue_depth = 8;
          methods.insert(proved(other));
        };
        with_list({});
        with_list({0});
        with_list({static_cast<std::uint16_t>(k - 1), 0});
      }
    }
    CHECK(methods.count("closed trails") == 1);
  }
}

TEST_CASE("nodes without a core are passed by", "[verify]") {
  for (const NodeId dead : {0U, 7U, 20U}) {
    const Topology topology =
        Topology::torus(std::vector<std::uint32_t>{5, 5}).with_faults({{}, {dead}, {}});
    Plan plan = plan_cut(topology.healthy(), {2, 1});
    plan.topology = topology;
    for (const Port port : all_ports(topology.ports())) {
      StreamPort entry = plan.program.as<StreamProgram>().at(dead, port);
      entry.preload.clear();
      plan.program.edit<StreamProgram>().set(dead, port, entry);
    }
    plan.expected = {};
    plan.expected.queue_depth = 2;
    CHECK(proved(plan) == "hamiltonian cycles");
  }
}

Plan degraded(const Topology& topology) {
  return make_plan({topology, "gossip", "degraded", {}, {}});
}

// A node without a core leaves a gap on the whole cycle, which the next list of two packets fills.
TEST_CASE("a dead link beside nodes without a core has a closed form", "[verify]") {
  Random random(11);
  for (int i = 0; i < 60; ++i) {
    const Topology healthy =
        Topology::torus(std::vector<std::uint32_t>{4 + random.below(4), 4 + random.below(4)});
    Faults dead;
    const NodeId node = random.below(healthy.nodes());
    const Port port = make_port(static_cast<int>(random.below(2)), true);
    dead.dead_arcs = {healthy.link(node, port),
                      healthy.link(healthy.beyond(node, port), opposite(port))};
    for (std::uint32_t core = 0; core < 1 + random.below(3); ++core) {
      dead.dead_cores.push_back(random.below(healthy.nodes()));
    }
    CHECK(proved(degraded(healthy.with_faults(dead))) == "hamiltonian cycles");
  }
}

TEST_CASE("a million nodes with ten dead links are planned and proved", "[verify]") {
  const Topology healthy = Topology::torus(std::vector<std::uint32_t>{1000, 1000});
  Faults dead;
  for (std::uint32_t i = 1; i <= 10; ++i) {
    const NodeId node = healthy.node({i * 97 % 1000, i * 61 % 1000});
    const Port port = make_port(i % 2 == 0 ? 0 : 1, true);
    dead.dead_arcs.push_back(healthy.link(node, port));
    dead.dead_arcs.push_back(healthy.link(healthy.beyond(node, port), opposite(port)));
  }
  const Topology topology = healthy.with_faults(dead);
  const Plan plan = plan_degraded(topology, {});
  // One closed trail that visits every node once.
  CHECK(plan.expected.analytic_steps == 999'999U);
  const Verdict verdict = verify(plan);
  CHECK(verdict.complete);
  CHECK(verdict.problems.empty());
  CHECK(verdict.steps == 999'999U);
  CHECK(verify(plan_spanning_tree(topology, {1, 1})).steps == 999'999U);
}

TEST_CASE("a large mesh with an odd number of nodes has a trail", "[verify]") {
  const Topology healthy = Topology::mesh(std::vector<std::uint32_t>{49, 49});
  const Topology topology = healthy.with_faults({{}, {}, {healthy.link(50, make_port(0, true))}});
  // Two colours, one node more of one of them: one node is visited twice.
  const Plan plan = plan_trail(topology, {2, 1});
  CHECK(plan.expected.analytic_steps == 49U * 49U);
  CHECK(proved(plan) == "closed trails");
}

TEST_CASE("one dead link or arc is planned and proved at a million nodes", "[verify]") {
  const Topology healthy = Topology::torus(std::vector<std::uint32_t>{1000, 1000});
  const LinkId arc = healthy.link(4003, make_port(0, true));
  const LinkId back = healthy.link(4004, make_port(0, false));
  for (const bool both : {false, true}) {
    Faults dead;
    dead.dead_arcs = {arc};
    if (both) dead.dead_arcs.push_back(back);
    if (both) dead.dead_cores.push_back(700'700);
    const Plan plan = degraded(healthy.with_faults(dead));
    const Verdict verdict = verify(plan);
    CHECK(verdict.problems.empty());
    CHECK(verdict.steps == (both ? 750'000U : 666'666U));
  }
}

}  // namespace
}  // namespace gossamer
