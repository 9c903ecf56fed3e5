// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/verify.hpp"

#include <array>
#include <catch2/catch.hpp>
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
          "[verify][mutation]") {
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
