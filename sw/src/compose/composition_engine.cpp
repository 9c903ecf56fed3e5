// SPDX-License-Identifier: Apache-2.0
/// One engine for several collectives at the same time: the members' engines, each between its
/// first and its last planned step, on the same links. Two packets on a link are a conflict.
#include <algorithm>
#include <utility>
#include <vector>

#include "gossamer/util/error.hpp"
#include "members.hpp"

namespace gossamer {

namespace {

class CompositionEngine final : public Engine {
 public:
  CompositionEngine(std::string_view engine, const Plan& plan, const EngineOptions& options)
      : members_(members_of(plan)),
        end_(plan.expected.analytic_steps.value_or(0)),
        together_(plan.demand.to == Destination::kPairs) {
    if (!options.wave.empty()) {
      throw InputError("--wave: plans of several collectives have no waves; simulate a member");
    }
    for (const PlanMember& member : members_) {
      engines_.push_back(make_engine(engine, member.plan, options));
      combine_ = combine_ || member.plan.demand.combines();
    }
    name_ = engines_.front()->name();
    packets_.resize(plan.topology.link_slots());
    numbers_.resize(packets_.size());
    // Engines of timetables also show the words of copies.
    const bool shows_values = std::any_of(engines_.begin(), engines_.end(), [](const auto& each) {
      return !each->links().values.empty();
    });
    if (shows_values) values_.resize(packets_.size());
    if (combine_) terms_.resize(packets_.size());
  }

  [[nodiscard]] std::string_view name() const override { return name_; }

  [[nodiscard]] LinkView links() override {
    show();
    LinkView view;
    view.cycle = cycle_;
    view.step = cycle_ + 1;
    view.begins = true;
    view.packets = packets_;
    view.values = values_;
    view.terms = terms_;
    view.members = numbers_;
    view.results = results_;
    return view;
  }

  void clock(std::uint64_t cycles) override {
    for (; cycles != 0; --cycles) {
      show();
      conflicts_ += collisions_;
      for (std::size_t i = 0; i < engines_.size(); ++i) {
        if (sends(i)) engines_[i]->clock(1);
      }
      ++cycle_;
      shown_ = false;
    }
  }
  /// The results of the last step are shown after it.
  [[nodiscard]] bool done() const override { return cycle_ >= end_; }

  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics all;
    all.steps = cycle_;
    all.cycles = cycle_;
    all.link_conflicts = conflicts_;
    for (const auto& engine : engines_) {
      const EngineStatistics own = engine->statistics();
      all.link_conflicts += own.link_conflicts;
      all.max_queue = std::max(all.max_queue, own.max_queue);
    }
    return all;
  }

  [[nodiscard]] bool error(NodeId node) const override {
    return std::any_of(engines_.begin(), engines_.end(),
                       [node](const auto& engine) { return engine->error(node); });
  }
  bool upset(LinkId link, const Upset& upset) override {
    show();
    if (numbers_[link] == kNoMember) return false;
    shown_ = false;
    return engines_[numbers_[link]]->upset(link, upset);
  }
  void force(LinkId link, PacketId packet) override {
    if (owners_.member.empty()) owners_ = link_owners(members_);
    const std::uint32_t owner = owners_.member[link];
    if (owner == kNoMember || !sends(owner)) return;
    shown_ = false;
    engines_[owner]->force(link, packet);
  }

 private:
  /// The present cycle is one of the member's steps.
  [[nodiscard]] bool sends(std::size_t number) const {
    const PlanMember& member = members_[number];
    return cycle_ + 1 >= member.first_step && cycle_ < last_step(member);
  }
  [[nodiscard]] std::uint64_t last_step(const PlanMember& member) const {
    return together_ ? end_ : member.last_step();
  }

  void show() {
    if (shown_) return;
    shown_ = true;
    collisions_ = 0;
    std::fill(packets_.begin(), packets_.end(), kNoPacket);
    std::fill(numbers_.begin(), numbers_.end(), kNoMember);
    std::fill(values_.begin(), values_.end(), 0);
    std::fill(terms_.begin(), terms_.end(), 0);
    results_.clear();
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      const PlanMember& member = members_[i];
      // The cycle after its last step still shows its results.
      if (cycle_ + 1 < member.first_step || cycle_ > last_step(member)) continue;
      const LinkView own = engines_[i]->links();
      const auto number = static_cast<std::uint32_t>(i);
      for (Result result : own.results) {
        result.member = number;
        results_.push_back(result);
      }
      if (!sends(i)) continue;
      for (std::size_t link = 0; link < own.packets.size(); ++link) {
        if (own.packets[link] == kNoPacket) continue;
        if (packets_[link] != kNoPacket) {
          ++collisions_;
          continue;
        }
        packets_[link] = own.packets[link];
        numbers_[link] = number;
        if (!own.values.empty()) values_[link] = own.values[link];
        if (combine_) terms_[link] = own.terms.empty() ? 1 : own.terms[link];
      }
    }
  }

  std::span<const PlanMember> members_;
  /// Steps of all together.
  std::uint64_t end_;
  /// All members send until then.
  bool together_;
  std::string_view name_;
  std::vector<std::unique_ptr<Engine>> engines_;
  bool combine_ = false;
  std::uint64_t cycle_ = 0;
  /// What follows is that of the present cycle.
  bool shown_ = false;
  std::vector<PacketId> packets_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> terms_;
  std::vector<Result> results_;
  /// Packets that found their link in use: in the present cycle, and in those before.
  std::uint64_t collisions_ = 0;
  std::uint64_t conflicts_ = 0;
  LinkOwners owners_;
};

}  // namespace

std::unique_ptr<Engine> make_composition_engine(std::string_view engine, const Plan& plan,
                                                const EngineOptions& options) {
  return std::make_unique<CompositionEngine>(engine, plan, options);
}

}  // namespace gossamer
