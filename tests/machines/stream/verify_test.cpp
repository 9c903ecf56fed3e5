// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/verify.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/sim/run.hpp"
#include "simulate.hpp"

namespace gossamer {
namespace {

Plan hamiltonian(std::initializer_list<std::uint32_t> sides, std::uint32_t k) {
  HamiltonianOptions options;
  options.packets_per_node = k;
  return plan_hamiltonian(Topology::torus(std::vector<std::uint32_t>(sides)), options);
}

/// Requires that the proof finds what a run to the plan's limit does, right or wrong; the proof.
Verdict require_agreement(const Plan& plan, const testing::Outcome& run) {
  const Verdict verdict = verify(plan);
  CAPTURE(plan.algorithm, plan.topology.dims_text(), verdict.method, verdict.problems);
  if (!verdict.link_conflicts) {
    // Routers may choose which packets are lost while own packets wait: no figures.
    REQUIRE_FALSE(verdict.ok());
    REQUIRE(run.conflicts > 0);
    REQUIRE_FALSE((verdict.complete || verdict.steps || verdict.max_queue || verdict.duplicates ||
                   verdict.link_transfers));
    return verdict;
  }
  REQUIRE(verdict.complete == run.complete);
  if (run.complete) REQUIRE(verdict.steps == run.steps);
  REQUIRE(verdict.steps.has_value() == run.complete);
  REQUIRE(verdict.link_transfers == run.transfers);
  REQUIRE(verdict.duplicates == run.duplicates);
  REQUIRE(verdict.link_conflicts == run.conflicts);
  REQUIRE(verdict.max_queue == run.max_queue);
  return verdict;
}
Verdict require_agreement(const Plan& plan) {
  return require_agreement(plan, testing::simulate_fast(plan, step_limit(plan)));
}

/// Every way to rewrite one table entry: each single in-port or none as feed, with each list of at
/// most one packet, the entry's own list reversed and with a packet more.
std::vector<StreamPort> rewrites(const StreamPort& entry, int ports, std::uint32_t k) {
  std::vector<std::vector<std::uint16_t>> lists = {{}, entry.preload};
  for (std::uint32_t c = 0; c < k; ++c) lists.push_back({static_cast<std::uint16_t>(c)});
  lists.emplace_back(entry.preload.rbegin(), entry.preload.rend());
  lists.push_back(entry.preload);
  lists.back().push_back(0);
  std::vector<StreamPort> all;
  for (int feed = -1; feed < ports; ++feed) {
    for (const auto& list : lists) {
      StreamPort rewritten;
      if (feed >= 0) rewritten.feed = PortSet::of(static_cast<Port>(feed));
      rewritten.preload = list;
      if (rewritten != entry) all.push_back(rewritten);
    }
  }
  StreamPort two_feeds = entry;
  two_feeds.feed = PortSet(3);
  all.push_back(two_feeds);
  StreamPort switched = entry;
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
  const std::uint64_t limit = step_limit(plan);
  std::ostringstream original;
  const testing::Outcome right = testing::simulate_fast(plan, limit, &original);
  REQUIRE(verify(plan).ok());
  REQUIRE(verify(plan).method == "hamiltonian cycles");
  REQUIRE(verify(plan).steps == right.steps);

  const auto& program = plan.program.as<StreamProgram>();
  std::size_t rejected = 0;
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    for (int p = 0; p < plan.topology.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      const auto mutations =
          rewrites(program.at(node, port), plan.topology.ports(), program.packets_per_node());
      for (std::size_t i = 0; i < mutations.size(); ++i) {
        Plan mutant = plan;
        mutant.program.edit<StreamProgram>().set(node, port, mutations[i]);
        std::ostringstream trace;
        const testing::Outcome simulated = testing::simulate_fast(mutant, limit, &trace);
        CAPTURE(program.packets_per_node(), node, p, i);
        const Verdict verdict = require_agreement(mutant, simulated);
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

TEST_CASE("the proof's figures equal those of the simulation on every 2-D torus 3..20 x 3..20",
          "[verify]") {
  for (std::uint32_t nx = 3; nx <= 20; ++nx) {
    for (std::uint32_t ny = 3; ny <= 20; ++ny) {
      const Plan plan = hamiltonian({nx, ny}, 2);
      const Verdict verdict = require_agreement(plan);
      REQUIRE(verdict.ok());
      REQUIRE(verdict.method == "hamiltonian cycles");
    }
  }
}

TEST_CASE("the proof covers any number of packets per node", "[verify]") {
  for (std::uint32_t k = 1; k <= 13; ++k) {
    for (const Plan& plan : {hamiltonian({5, 4}, k), hamiltonian({3, 7}, k)}) {
      CAPTURE(k);
      REQUIRE(require_agreement(plan).ok());
    }
  }
}

/// 0 .. n-1.
template <typename N>
std::uint32_t below(std::mt19937& random, N n) {
  return static_cast<std::uint32_t>(random()) % static_cast<std::uint32_t>(n);
}

/// Arbitrary fixed feeds: a right plan with some out-ports given other in-ports, lists of `k`.
Plan scrambled(std::mt19937& random, std::uint32_t k) {
  const Topology topology = Topology::torus(std::array{3 + below(random, 4), 3 + below(random, 4)});
  HamiltonianOptions options;
  options.packets_per_node = 4;
  const Plan right = plan_hamiltonian(topology, options);
  const auto& program = right.program.as<StreamProgram>();
  StreamProgram changed(topology.nodes(), 4, k);
  std::vector<std::uint16_t> list(k);
  std::iota(list.begin(), list.end(), std::uint16_t{0});
  const std::uint32_t changes_in_100 = below(random, 12);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (Port port = 0; port < 4; ++port) {
      StreamPort entry;
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
  std::map<std::string_view, int> methods;
  std::map<bool, int> completes;
  for (int round = 0; round < 3000; ++round) {
    const Plan plan = scrambled(random, 1 + below(random, 3));
    CAPTURE(round);
    const Verdict verdict = require_agreement(plan);
    ++methods[verdict.method];
    ++completes[verdict.complete];
  }
  // Each way of proving has met both right and wrong plans.
  REQUIRE(methods["windows"] > 100);
  REQUIRE(methods["feed walk"] > 100);
  REQUIRE(methods["replay"] > 100);
  REQUIRE(completes[true] > 300);
  REQUIRE(completes[false] > 300);
}

Plan gossip(std::string_view kind, const std::vector<std::uint32_t>& sides,
            const std::string& algorithm, std::map<std::string, ParameterValue> parameters = {}) {
  return make_plan({Topology::make(kind, sides), "gossip", algorithm, std::move(parameters), {}});
}

/// Plans of every stream algorithm that closed cycles alone do not prove.
std::vector<Plan> merging_plans() {
  const ParameterValue yes = true;
  const ParameterValue two = std::int64_t{2};
  const ParameterValue three = std::int64_t{3};
  return {gossip("torus", {8, 4}, "zigzag"),
          gossip("torus", {8, 6}, "zigzag", {{"packets", two}}),
          gossip("torus", {9, 3}, "rows"),
          gossip("torus", {8, 10}, "strands"),
          gossip("torus", {4, 5}, "two-packet"),
          gossip("torus", {6, 5}, "two-packet", {{"time-independent", yes}}),
          gossip("torus", {2, 5}, "two-packet"),
          gossip("torus", {6, 4}, "one-packet"),
          gossip("torus", {6, 6, 3}, "one-packet"),
          gossip("torus", {6, 4}, "one-packet", {{"time-independent", yes}}),
          gossip("torus", {3, 3, 3}, "one-packet"),
          gossip("torus", {5, 4}, "shared-cycles"),
          gossip("mesh", {5, 3}, "array"),
          gossip("mesh", {3, 5}, "array", {{"packets", three}}),
          gossip("mesh", {3, 3, 3}, "array"),
          gossip("mesh", {5, 4}, "folded"),
          gossip("mesh", {5, 5}, "folded"),
          gossip("mesh", {8, 4}, "folded", {{"torus-algorithm", std::string("zigzag")}})};
}

TEST_CASE("fan-in, switches and frames: correct plans are proved, with the figures of runs",
          "[verify]") {
  std::map<std::string_view, int> methods;
  for (const Plan& plan : merging_plans()) {
    CAPTURE(plan.algorithm, plan.topology.dims_text());
    const Verdict verdict = require_agreement(plan);
    REQUIRE(verdict.ok());
    ++methods[verdict.method];
    // None of these has to be replayed.
    REQUIRE(verdict.method != "replay");
  }
  REQUIRE(methods["windows"] > 5);
  REQUIRE(methods["translations"] > 1);
}

/// Another entry for an out-port (or slot of one): other feeds, another list, another switch.
StreamPort damaged(std::mt19937& random, StreamPort entry, int ports, std::uint32_t k) {
  const auto bits = [&] { return static_cast<std::uint16_t>(1U << below(random, ports)); };
  switch (below(random, 6)) {
    case 0:
      return {};
    case 1:
      entry.feed = PortSet(bits());
      break;
    case 2:
      entry.feed = PortSet(static_cast<std::uint16_t>(bits() | bits()));
      break;
    case 3:
      entry.switch_step = 1 + below(random, 6);
      entry.early_feed = PortSet(bits());
      break;
    case 4:
      entry.preload.push_back(static_cast<std::uint16_t>(below(random, k)));
      break;
    default:
      entry.preload.clear();
  }
  return entry;
}

TEST_CASE("fan-in, switches and frames: the verdict on damaged plans equals a run", "[verify]") {
  std::mt19937 random(11);
  std::map<std::string_view, std::array<int, 2>> met;
  for (const Plan& right : merging_plans()) {
    for (int round = 0; round < 150; ++round) {
      Plan plan = right;
      auto& program = plan.program.edit<StreamProgram>();
      for (std::uint32_t damages = 1 + below(random, 2); damages != 0; --damages) {
        const NodeId node = below(random, plan.topology.nodes());
        const auto port = static_cast<Port>(below(random, program.ports()));
        program.set(
            node, port,
            damaged(random, program.at(node, port), program.ports(), program.packets_per_node()));
      }
      // The queues may have to be deeper than before, or shallower than they are.
      plan.expected.queue_depth += below(random, 3);
      CAPTURE(round);
      const Verdict verdict = require_agreement(plan);
      ++met[verdict.method][verdict.complete ? 1 : 0];
    }
  }
  REQUIRE(met["windows"][0] > 50);
  REQUIRE(met["windows"][1] > 100);
  REQUIRE(met["replay"][0] > 50);
  REQUIRE(met["replay"][1] > 50);
}

TEST_CASE("periodic tables with the same damage everywhere are judged by one period", "[verify]") {
  std::mt19937 random(12);
  std::array<int, 2> met{};
  for (int round = 0; round < 400; ++round) {
    // Any program of a period of 1 to 3 columns, some of them slanted.
    const std::uint32_t period = 1 + below(random, 3);
    const std::uint32_t slant = below(random, period);
    const Topology topology =
        Topology::torus(std::array{2 * period, period * (1 + below(random, 2)) + period});
    const std::uint32_t k = 1 + below(random, 2);
    std::vector<StreamPort> entries(std::size_t{4} * period);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      // Straight on, in most ports.
      entries[i].feed = PortSet::of(opposite(static_cast<Port>(i % 4)));
      entries[i].preload = {static_cast<std::uint16_t>(below(random, k))};
      if (below(random, 3) != 0) entries[i] = damaged(random, entries[i], 4, k);
    }
    StreamProgram program(topology.nodes(), 4, k);
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const Coordinates at = topology.coordinates(node);
      const std::uint32_t column = (at[0] + slant * at[1]) % period;
      for (Port port = 0; port < 4; ++port) {
        program.set(node, port, entries[std::size_t{4} * column + port]);
      }
    }
    Plan plan{topology, "gossip", "periodic", {}, Demand::all_gather(k), std::move(program), {}};
    plan.expected.analytic_steps = 20;
    plan.expected.queue_depth = 1 + below(random, 4);
    CAPTURE(round, period, slant);
    const Verdict verdict = require_agreement(plan);
    if (verdict.method == "translations") ++met[verdict.complete ? 1 : 0];
  }
  REQUIRE(met[0] > 50);
  REQUIRE(met[1] > 10);
}

TEST_CASE("a plan with wrong promised figures is rejected", "[verify]") {
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

TEST_CASE("the proof does not state which packets are lost while own packets wait", "[verify]") {
  int unknown = 0;
  int known = 0;
  for (const std::int64_t packets : {3, 6}) {
    for (Plan plan : {gossip("mesh", {5, 3}, "array", {{"packets", packets}}),
                      gossip("mesh", {3, 3, 3}, "array", {{"packets", packets}}),
                      gossip("torus", {8, 6}, "zigzag", {{"packets", packets}})}) {
      while (--plan.expected.queue_depth > 0) {
        CAPTURE(plan.algorithm, packets, plan.expected.queue_depth);
        const Verdict verdict = require_agreement(plan);
        REQUIRE_FALSE(verdict.ok());
        ++(verdict.link_conflicts ? known : unknown);
      }
    }
  }
  REQUIRE(unknown > 3);
  REQUIRE(known > 3);
}

}  // namespace
}  // namespace gossamer
