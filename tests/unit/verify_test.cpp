// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/verify.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

#include "gossamer/gossip/hamiltonian.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

Plan hamiltonian(std::initializer_list<std::uint32_t> sides, std::uint32_t k) {
  HamiltonianOptions options;
  options.packets_per_node = k;
  return plan_hamiltonian(Topology::torus(std::vector<std::uint32_t>(sides)), options);
}

/// Longer than any program of these sizes needs to repeat itself.
std::uint64_t horizon(const Plan& plan) {
  const auto& program = std::get<StreamProgram>(plan.program);
  return plan.topology.link_slots() * (program.packets_per_node() + 2);
}

/// Every way to rewrite one table entry: each single in-port or none as feed, with each list of at
/// most one packet, the entry's own list reversed and with a packet more.
std::vector<PortProgram> rewrites(const PortProgram& entry, int ports, std::uint32_t k) {
  std::vector<std::vector<std::uint16_t>> lists = {{}, entry.preload};
  for (std::uint32_t c = 0; c < k; ++c) lists.push_back({static_cast<std::uint16_t>(c)});
  lists.emplace_back(entry.preload.rbegin(), entry.preload.rend());
  lists.push_back(entry.preload);
  lists.back().push_back(0);
  std::vector<PortProgram> all;
  for (int feed = -1; feed < ports; ++feed) {
    for (const auto& list : lists) {
      PortProgram rewritten;
      if (feed >= 0) rewritten.feed = PortSet::of(static_cast<Port>(feed));
      rewritten.preload = list;
      if (rewritten != entry) all.push_back(rewritten);
    }
  }
  PortProgram two_feeds = entry;
  two_feeds.feed = PortSet(3);
  all.push_back(two_feeds);
  PortProgram switched = entry;
  switched.switch_step = 2;
  all.push_back(switched);
  return all;
}

/// Which mutants must be refused.
enum class Refuse {
  /// All that send anything else than the plan does.
  kAllThatDiffer,
  /// All that break a promise: with idle cycles or longer lists some changes do no harm.
  kAllThatAreWorse,
};

void check_mutants(const Plan& plan, Refuse refuse) {
  const std::uint64_t limit = horizon(plan);
  std::ostringstream original;
  const testing::Outcome right = testing::simulate_fast(plan, limit, &original);
  REQUIRE(verify(plan).ok());
  REQUIRE(verify(plan).method == ProofMethod::kHamiltonianCycles);
  REQUIRE(verify(plan).steps == right.steps);

  const auto& program = std::get<StreamProgram>(plan.program);
  std::size_t rejected = 0;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    for (int p = 0; p < plan.topology.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      const auto mutations =
          rewrites(program.at(node, port), plan.topology.ports(), program.packets_per_node());
      for (std::size_t i = 0; i < mutations.size(); ++i) {
        Plan mutant = plan;
        std::get<StreamProgram>(mutant.program).set(node, port, mutations[i]);
        std::ostringstream trace;
        const testing::Outcome simulated = testing::simulate_fast(mutant, limit, &trace);
        const Verdict verdict = verify(mutant);
        CAPTURE(plan.topology.dims_text(), program.packets_per_node(), node, p, i);
        REQUIRE(verdict.complete == simulated.complete);
        if (simulated.complete) {
          REQUIRE(verdict.steps == simulated.steps);
          REQUIRE(verdict.link_conflicts == simulated.conflicts);
        }
        REQUIRE(verdict.ok() ==
                (simulated.complete && simulated.steps == plan.expected.analytic_steps &&
                 simulated.conflicts == 0));
        if (refuse == Refuse::kAllThatDiffer && trace.str() != original.str()) {
          REQUIRE_FALSE(verdict.ok());
        }
        if (!verdict.ok()) ++rejected;
      }
    }
  }
  REQUIRE(rejected > plan.topology.link_slots());
}

TEST_CASE("the verdict on a plan with any one entry rewritten equals exhaustive simulation",
          "[verify][mutation][slow]") {
  SECTION("3x3, two packets") { check_mutants(hamiltonian({3, 3}, 2), Refuse::kAllThatDiffer); }
  SECTION("4x3, two packets") { check_mutants(hamiltonian({4, 3}, 2), Refuse::kAllThatDiffer); }
  SECTION("4x4, two packets") { check_mutants(hamiltonian({4, 4}, 2), Refuse::kAllThatDiffer); }
  SECTION("2x4, two packets") { check_mutants(hamiltonian({2, 4}, 2), Refuse::kAllThatDiffer); }
  SECTION("3x3, one packet a port") {
    check_mutants(hamiltonian({3, 3}, 4), Refuse::kAllThatDiffer);
  }
  SECTION("3x4, one packet") { check_mutants(hamiltonian({3, 4}, 1), Refuse::kAllThatAreWorse); }
  SECTION("3x3, six packets") { check_mutants(hamiltonian({3, 3}, 6), Refuse::kAllThatAreWorse); }
  SECTION("ring of 7") { check_mutants(hamiltonian({7}, 1), Refuse::kAllThatDiffer); }
}

TEST_CASE("the proof counts what the simulation counts on every 2-D torus 3..20 x 3..20",
          "[verify]") {
  for (std::uint32_t nx = 3; nx <= 20; ++nx) {
    for (std::uint32_t ny = 3; ny <= 20; ++ny) {
      const Plan plan = hamiltonian({nx, ny}, 2);
      const Verdict verdict = verify(plan);
      const testing::Outcome simulated = testing::simulate_fast(plan, horizon(plan));
      CAPTURE(nx, ny, verdict.problems);
      REQUIRE(verdict.ok());
      REQUIRE(verdict.method == ProofMethod::kHamiltonianCycles);
      REQUIRE(verdict.steps == simulated.steps);
      REQUIRE(verdict.duplicates == simulated.duplicates);
      REQUIRE(verdict.link_transfers == simulated.transfers);
      REQUIRE(verdict.max_queue == simulated.max_queue);
    }
  }
}

TEST_CASE("the proof covers any number of packets a node", "[verify]") {
  for (std::uint32_t k = 1; k <= 13; ++k) {
    for (const Plan& plan : {hamiltonian({5, 4}, k), hamiltonian({3, 7}, k)}) {
      const Verdict verdict = verify(plan);
      CAPTURE(k, verdict.problems);
      REQUIRE(verdict.ok());
      REQUIRE(verdict.steps == testing::simulate_fast(plan, horizon(plan)).steps);
    }
  }
}

/// 0 .. n-1.
std::uint32_t below(std::mt19937& random, std::uint32_t n) {
  return static_cast<std::uint32_t>(random()) % n;
}

/// Arbitrary fixed feeds: a right plan with some out-ports given other in-ports, lists of `k`.
Plan scrambled(std::mt19937& random, std::uint32_t k) {
  const Topology topology = Topology::torus(std::array{3 + below(random, 4), 3 + below(random, 4)});
  HamiltonianOptions options;
  options.packets_per_node = 4;
  const Plan right = plan_hamiltonian(topology, options);
  const auto& program = std::get<StreamProgram>(right.program);
  StreamProgram changed(topology.nodes(), 4, k);
  std::vector<std::uint16_t> list(k);
  std::iota(list.begin(), list.end(), std::uint16_t{0});
  const std::uint32_t changes_in_100 = below(random, 12);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (Port port = 0; port < 4; ++port) {
      PortProgram entry;
      entry.feed = program.at(node, port).feed;
      entry.preload = list;
      if (below(random, 2) != 0) std::reverse(entry.preload.begin(), entry.preload.end());
      if (below(random, 100) < changes_in_100) {
        entry.feed = PortSet::of(static_cast<Port>(below(random, 4)));
        if (k == 1 && below(random, 2) != 0) entry.preload.clear();
      }
      changed.set(node, port, entry);
    }
  }
  Plan plan{topology, "gossip", "scrambled", {}, Demand::all_gather(k), std::move(changed), {}};
  plan.expected.queue_depth = k;
  return plan;
}

TEST_CASE("the verdict on arbitrary fixed feeds equals exhaustive simulation", "[verify][slow]") {
  std::mt19937 random(20);
  std::map<ProofMethod, int> methods;
  std::map<bool, int> completes;
  for (int round = 0; round < 3000; ++round) {
    const Plan plan = scrambled(random, 1 + below(random, 3));
    const testing::Outcome simulated = testing::simulate_fast(plan, horizon(plan));
    const Verdict verdict = verify(plan);
    CAPTURE(round, plan.topology.dims_text(), method_name(verdict.method));
    REQUIRE(verdict.complete == simulated.complete);
    ++methods[verdict.method];
    ++completes[simulated.complete];
    if (!simulated.complete) continue;
    REQUIRE(verdict.steps == simulated.steps);
    REQUIRE(verdict.max_queue == simulated.max_queue);
    if (verdict.duplicates) REQUIRE(verdict.duplicates == simulated.duplicates);
    if (verdict.link_transfers) REQUIRE(verdict.link_transfers == simulated.transfers);
  }
  // Each way of proving has met both right and wrong plans.
  REQUIRE(methods[ProofMethod::kWindows] > 100);
  REQUIRE(methods[ProofMethod::kFeedWalk] > 100);
  REQUIRE(methods[ProofMethod::kReplay] > 100);
  REQUIRE(completes[true] > 300);
  REQUIRE(completes[false] > 300);
}

TEST_CASE("a plan that promises other figures than it keeps is rejected", "[verify]") {
  Plan plan = hamiltonian({4, 4}, 2);
  SECTION("steps") { plan.expected.analytic_steps = 7; }
  SECTION("lower bound") { plan.expected.lower_bound_steps = 7; }
  SECTION("paper's bound") { plan.expected.bound_steps = 7; }
  REQUIRE_FALSE(verify(plan).ok());
}

TEST_CASE("a queue deeper than the plan's buffer is a conflict", "[verify]") {
  Plan plan = hamiltonian({4, 4}, 6);
  plan.expected.queue_depth = 2;
  const Verdict verdict = verify(plan);
  REQUIRE_FALSE(verdict.ok());
  REQUIRE(verdict.link_conflicts > 0);
}

}  // namespace
}  // namespace gossamer
