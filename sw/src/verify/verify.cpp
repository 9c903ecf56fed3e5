// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/overloaded.hpp"
#include "gossamer/machines/relay/proof.hpp"
#include "../machines/timetable/proof.hpp"
#include "queued_proof.hpp"
#include "relay_sums.hpp"
#include "stream_proofs.hpp"
#include "translation_lattice.hpp"

namespace gossamer {

namespace {

Verdict verify_stream(const Plan& plan, const Progress& progress) {
  const auto& program = std::get<StreamProgram>(plan.program);
  if (program.combine) return prove_combination(plan, program);
  const std::uint64_t limit = step_limit(plan);
  if (plan.demand.from == Origin::kRoot) return prove_trees(plan, program, limit);
  if (auto verdict = prove_on_hamiltonian_cycles(plan, limit)) return *std::move(verdict);
  if (auto verdict = prove_by_windows(plan, limit, progress)) return *std::move(verdict);
  const TranslationLattice lattice(plan.topology, program);
  const bool all_cores = plan.topology.faults().dead_cores.empty();
  if (program.is_plain() && all_cores && lattice.classes() == plan.topology.nodes()) {
    return prove_by_feed_walk(plan.topology, program, limit, progress);
  }
  return prove_by_classes(plan, lattice, limit, progress);
}

Verdict verify_relays(const Plan& plan) {
  if (plan.demand.combines()) return prove_relayed_sums(plan);
  const RelayVerdict relays = verify_broadcast(plan);
  Verdict verdict;
  verdict.method = ProofMethod::kRelaySends;
  verdict.link_conflicts = relays.conflicts;
  // Else it is for the routers what becomes of the sends.
  if (relays.conflicts) {
    verdict.complete = relays.complete;
    if (relays.complete) {
      verdict.steps = relays.steps;
      verdict.cycles = relays.cycles;
    }
    verdict.tcd = relays.tcd;
    verdict.longest_hops = relays.longest_hops;
    verdict.link_transfers = relays.tcd;
    verdict.duplicates = 0;
  }
  for (const RelayProblem& problem : relays.problems) verdict.problems.push_back(problem.text);
  if (relays.problem_count > relays.problems.size()) {
    verdict.problems.push_back(
        fmt::format("... and {} more", relays.problem_count - relays.problems.size()));
  }
  return verdict;
}

Verdict verify_elastic(const Plan& plan) {
  Verdict verdict = prove_elastic(plan);
  const ExpectedFigures& expected = plan.expected;
  if (verdict.cycles && expected.analytic_cycles && verdict.cycles != expected.analytic_cycles) {
    verdict.problems.push_back(fmt::format("the last flit is taken in cycle {}, the plan says {}",
                                           *verdict.cycles, *expected.analytic_cycles));
  }
  const std::uint32_t slots = elastic_of(plan)->slots;
  if (expected.queue_depth != slots) {
    verdict.problems.push_back(fmt::format("queues are of {} slots, the plan's queue_depth is {}",
                                           slots, expected.queue_depth));
  }
  if (expected.analytic_steps || expected.lower_bound_steps || expected.bound_steps) {
    verdict.problems.emplace_back("elastic streams have no steps, but the plan promises some");
  }
  return verdict;
}

/// Compares what was derived with what the plan promises.
void compare_with_promises(const Plan& plan, Verdict& verdict) {
  const ExpectedFigures& expected = plan.expected;
  if (verdict.link_conflicts.value_or(0) != 0) {
    verdict.problems.push_back(fmt::format("{} packets find a full queue of depth {}",
                                           *verdict.link_conflicts, expected.queue_depth));
  }
  if (verdict.link_conflicts == 0 && verdict.max_queue > expected.queue_depth) {
    verdict.problems.push_back(fmt::format("{} packets are held at once, the plan says {}",
                                           *verdict.max_queue, expected.queue_depth));
  }
  if (verdict.complete && expected.analytic_steps && verdict.steps != expected.analytic_steps) {
    verdict.problems.push_back(fmt::format("the last packet arrives in step {}, the plan says {}",
                                           *verdict.steps, *expected.analytic_steps));
  }
  if (verdict.complete && expected.analytic_cycles && verdict.cycles != expected.analytic_cycles) {
    verdict.problems.push_back(fmt::format("{} steps are {} cycles, the plan says {}",
                                           *verdict.steps, *verdict.cycles,
                                           *expected.analytic_cycles));
  }
  if (verdict.complete && expected.bound_steps && *verdict.steps > *expected.bound_steps) {
    verdict.problems.push_back(fmt::format("{} steps exceed the promised bound of {}",
                                           *verdict.steps, *expected.bound_steps));
  }
  const std::uint64_t lower_bound = bounds::lower_bound(plan.topology, plan.demand);
  if (expected.lower_bound_steps && *expected.lower_bound_steps != lower_bound) {
    verdict.problems.push_back(fmt::format("the lower bound is {} steps, the plan says {}",
                                           lower_bound, *expected.lower_bound_steps));
  }
}

}  // namespace

std::string_view method_name(ProofMethod method) {
  switch (method) {
    case ProofMethod::kHamiltonianCycles:
      return "hamiltonian cycles";
    case ProofMethod::kWindows:
      return "windows";
    case ProofMethod::kFeedWalk:
      return "feed walk";
    case ProofMethod::kRelaySends:
      return "relay sends";
    case ProofMethod::kTranslations:
      return "translations";
    case ProofMethod::kReplay:
      return "replay";
    case ProofMethod::kSchedule:
      return "schedule";
    case ProofMethod::kPhases:
      return "phases";
    case ProofMethod::kIntervals:
      return "intervals";
    case ProofMethod::kCombination:
      return "combination";
    case ProofMethod::kTrees:
      return "trees";
    case ProofMethod::kPackedTrees:
      return "packed trees";
    case ProofMethod::kElasticRings:
      return "elastic rings";
    case ProofMethod::kElasticStreams:
      return "elastic streams";
  }
  return "";
}

Verdict verify(const Plan& plan, const Progress& progress) {
  // Store and forward: a step is a clock cycle, or one for each flit.
  const auto stepped = [&](Verdict verdict, std::uint64_t flits = 1) {
    if (verdict.steps) verdict.cycles = *verdict.steps * flits;
    compare_with_promises(plan, verdict);
    return verdict;
  };
  return std::visit(
      Overloaded{
          [&](const StreamProgram& program) {
            return program.elastic ? verify_elastic(plan) : stepped(verify_stream(plan, progress));
          },
          [&](const RelayProgram&) { return verify_relays(plan); },
          [&](const QueuedProgram&) { return prove_queued(plan, progress); },
          [&](const TimetableProgram& program) {
            return stepped(prove_timetable(plan, program, step_limit(plan)), program.flits);
          },
      },
      plan.program);
}

}  // namespace gossamer
