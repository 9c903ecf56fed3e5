// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/run.hpp"
#include "stream_proofs.hpp"

namespace gossamer {

namespace {

Verdict strongest(const Plan& plan, const Progress& progress) {
  const auto& program = plan.program.as<StreamProgram>();
  const std::uint64_t limit = step_limit(plan);
  if (plan.demand.from == Origin::kRoot) return prove_trees(plan, program, limit);
  if (auto verdict = prove_on_hamiltonian_cycles(plan, limit)) return *std::move(verdict);
  if (auto verdict = prove_on_spanning_tree(plan, limit)) return *std::move(verdict);
  if (auto verdict = prove_by_windows(plan, limit, progress)) return *std::move(verdict);
  const TranslationLattice lattice(plan.topology, program);
  const bool all_cores = plan.topology.faults().dead_cores.empty();
  if (program.is_plain() && all_cores && lattice.classes() == plan.topology.nodes()) {
    return prove_by_feed_walk(plan.topology, program, limit, progress);
  }
  return prove_by_classes(plan, lattice, limit, progress);
}

}  // namespace

Verdict prove_stream(const Plan& plan, const Progress& progress) {
  Verdict verdict = strongest(plan, progress);
  verdict.cycles = verdict.steps;
  compare_with_promises(plan, verdict);
  return verdict;
}

}  // namespace gossamer
