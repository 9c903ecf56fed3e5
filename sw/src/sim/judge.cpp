// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/judge.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gossamer/plan/block_pairs.hpp"
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

/// A judge for each of the plan's collectives.
class MembersCase : public Judge::Case {
 public:
  explicit MembersCase(std::span<const PlanMember> members) {
    for (const PlanMember& member : members) {
      judges_.push_back({std::make_unique<Judge>(member.plan), member.first_step});
      missing_ += judges_.back().judge->missing();
    }
  }

  /// The engine ends the run: one collective may be over while others go on.
  bool on_links(const LinkView& view) override {
    missing_ = 0;
    misplaced_ = 0;
    for (std::size_t number = 0; number < judges_.size(); ++number) {
      auto& [judge, first_step] = judges_[number];
      if (view.step >= first_step) {
        show(view, static_cast<std::uint32_t>(number));
      } else if (std::find(view.members.begin(), view.members.end(), number) !=
                 view.members.end()) {
        ++early_;
      }
      missing_ += judge->missing();
      misplaced_ += judge->misplaced();
      completion_step_ = std::max(completion_step_, first_step - 1 + judge->completion_step());
    }
    misplaced_ += early_;
    return true;
  }

  [[nodiscard]] std::uint64_t missing(NodeId node) const override {
    std::uint64_t count = 0;
    for (const Member& member : judges_) count += member.judge->missing(node);
    return count;
  }
  [[nodiscard]] std::uint64_t duplicates() const override {
    std::uint64_t count = 0;
    for (const Member& member : judges_) count += member.judge->duplicates();
    return count;
  }
  [[nodiscard]] const Judge& member(std::size_t number) const override {
    return *judges_.at(number).judge;
  }

 private:
  struct Member {
    std::unique_ptr<Judge> judge;
    std::uint64_t first_step;
  };

  /// What belongs to one collective, in its own steps.
  void show(const LinkView& view, std::uint32_t number) {
    LinkView own = view;
    own.step = view.step - judges_[number].first_step + 1;
    own.members = {};
    packets_.assign(view.packets.size(), kNoPacket);
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.members[link] == number) packets_[link] = view.packets[link];
    }
    own.packets = packets_;
    results_.clear();
    std::copy_if(view.results.begin(), view.results.end(), std::back_inserter(results_),
                 [number](const Result& result) { return result.member == number; });
    own.results = results_;
    (void)judges_[number].judge->on_links(own);
  }

  std::vector<Member> judges_;
  /// Packets in steps before their collective's first.
  std::uint64_t early_ = 0;
  std::vector<PacketId> packets_;
  std::vector<Result> results_;
};

/// The same for the operands of a matrix product, whose blocks also have to arrive in the frames in
/// which they meet.
class PairsCase final : public MembersCase {
 public:
  PairsCase(const Topology& topology, std::span<const PlanMember> members)
      : MembersCase(members),
        topology_(topology),
        pairs_(topology),
        unmet_(topology.nodes(), 2 * (pairs_.side() - 1)),
        met_(std::size_t{topology.nodes()} * 2 * pairs_.side()) {
    unmet_in_all_ = std::uint64_t{topology.nodes()} * unmet_.front();
    missing_ += unmet_in_all_;
  }

  bool on_links(const LinkView& view) override {
    const bool go_on = MembersCase::on_links(view);
    for_each_send(topology_, view, [&](NodeId, NodeId to, PacketId packet, std::size_t link) {
      if (to != kNoNode && packet < topology_.nodes()) {
        meet(to, view.members[link], static_cast<NodeId>(packet), view.step);
      }
    });
    missing_ += unmet_in_all_;
    return go_on;
  }
  [[nodiscard]] std::uint64_t missing(NodeId node) const override {
    return MembersCase::missing(node) + unmet_.at(node);
  }

 private:
  void meet(NodeId node, std::uint32_t member, NodeId from, std::uint64_t step) {
    const std::optional<std::uint32_t> offset = pairs_.due(node, member, from, step);
    if (!offset) return;
    const std::size_t at = (std::size_t{node} * 2 + member) * pairs_.side() + *offset;
    if (met_[at]) return;
    met_[at] = true;
    --unmet_[node];
    --unmet_in_all_;
    completion_step_ = std::max(completion_step_, step);
  }

  const Topology& topology_;
  BlockPairs pairs_;
  /// Blocks that have not arrived when they were due: by node, and together.
  std::vector<std::uint64_t> unmet_;
  std::uint64_t unmet_in_all_;
  /// By node, member and offset.
  std::vector<bool> met_;
};

std::unique_ptr<Judge::Case> case_for(const Judged& judged, ArrivalRule rule) {
  const Demand& demand = judged.demand;
  if (demand.combines() || judged.hands_over) return judge_written(judged);
  if (demand.is_counts()) return judge_counts(judged);
  if (demand.is_personal() || demand.is_ranked()) return judge_moves(judged);
  return judge_copies(judged, std::move(rule));
}

}  // namespace

std::uint64_t Judge::memory_bytes(const Plan& plan) {
  std::uint64_t of_members = 0;
  for (const PlanMember& member : members_of(plan)) of_members += memory_bytes(member.plan);
  if (of_members != 0) return of_members;
  const Judged judged = judged_plan(plan);
  if (judged.demand.combines() || judged.hands_over) return written_memory_bytes(judged);
  if (judged.demand.is_counts()) return 0;
  if (judged.demand.is_personal() || judged.demand.is_ranked()) return moves_memory_bytes(judged);
  return copies_memory_bytes(judged);
}

Judge::Judge(const Plan& plan) : combines_(plan.demand.combines()) {
  if (const auto members = members_of(plan); !members.empty()) {
    if (plan.demand.to == Destination::kPairs) {
      case_ = std::make_unique<PairsCase>(plan.topology, members);
    } else {
      case_ = std::make_unique<MembersCase>(members);
    }
  } else {
    case_ = case_for(judged_plan(plan), plan.machine().arrivals(plan));
  }
}
Judge::Judge(const Topology& topology, const Demand& demand, ArrivalRule rule)
    : case_(case_for({topology, demand}, std::move(rule))), combines_(demand.combines()) {}
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
const Judge& Judge::member(std::size_t number) const { return case_->member(number); }
NodeId Judge::location(PacketId piece) const { return case_->location(piece); }

}  // namespace gossamer
