// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/judge.hpp"

#include <algorithm>
#include <utility>

#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "judge_cases.hpp"

namespace gossamer {

namespace {

Judged judged_plan(const Plan& plan) {
  const RunFacts facts = plan.machine().run_facts(plan);
  Judged judged{plan.topology, plan.demand, facts.flits_per_piece, facts.hands_over};
  judged.demand.pieces *= judged.flits;
  return judged;
}

std::unique_ptr<Judge::Case> case_for(const Judged& judged, ArrivalRule rule) {
  const Demand& demand = judged.demand;
  if (demand.combines() || judged.hands_over) return judge_written(judged);
  if (demand.is_counts()) return judge_counts(judged);
  if (demand.is_personal() || demand.is_ranked()) return judge_moves(judged);
  return judge_copies(judged, std::move(rule));
}

}  // namespace

std::uint64_t Judge::memory_bytes(const Plan& plan) {
  const Judged judged = judged_plan(plan);
  if (judged.demand.combines() || judged.hands_over) return written_memory_bytes(judged);
  if (judged.demand.is_counts()) return 0;
  if (judged.demand.is_personal() || judged.demand.is_ranked()) return moves_memory_bytes(judged);
  return copies_memory_bytes(judged);
}

Judge::Judge(const Plan& plan)
    : case_(case_for(judged_plan(plan), plan.machine().arrivals(plan))) {}
Judge::Judge(const Topology& topology, const Demand& demand, ArrivalRule rule)
    : case_(case_for({topology, demand}, std::move(rule))) {}
Judge::~Judge() = default;

bool Judge::on_links(const LinkView& view) { return case_->on_links(view); }
void Judge::check_results(const Engine& engine) { case_->check_results(engine); }
bool Judge::complete() const { return missing() == 0 && misplaced() == 0; }
std::uint64_t Judge::completion_step() const { return case_->completion_step(); }
std::uint64_t Judge::completion_cycle() const { return case_->completion_cycle(); }
std::uint64_t Judge::duplicates() const { return case_->duplicates(); }
std::uint64_t Judge::misplaced() const { return case_->misplaced(); }
std::uint64_t Judge::missing() const { return case_->missing(); }
std::uint64_t Judge::missing(NodeId node) const { return case_->missing(node); }
NodeId Judge::location(PacketId piece) const { return case_->location(piece); }

}  // namespace gossamer
