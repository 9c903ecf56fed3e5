// SPDX-License-Identifier: Apache-2.0
/// The fast engine of contexts: one register per output port for all rounds. Its operations are
/// those of the present round's plan, and its operands are the present contents of registers and
/// links, whatever a round before has left there.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "gossamer/util/error.hpp"
#include "members.hpp"
#include "shared_registers.hpp"

namespace gossamer {

namespace {

class ContextEngine final : public Engine {
 public:
  ContextEngine(const Plan& plan, const EngineOptions& options, bool first_mask)
      : topology_(plan.topology),
        rounds_(members_of(plan)),
        options_(options),
        first_mask_(first_mask),
        end_(plan.expected.analytic_steps.value_or(0)),
        registers_(topology_.link_slots()),
        next_(registers_.size()),
        numbers_(registers_.size(), kNoMember),
        shown_(registers_.size()) {
    if (!options.wave.empty()) {
      throw InputError("--wave: plans of several collectives have no waves; simulate a member");
    }
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      const Plan& own = rounds_[i].plan;
      combine_ = combine_ || own.demand.combines();
      const auto same =
          std::find_if(rounds_.begin(), rounds_.begin() + static_cast<std::ptrdiff_t>(i),
                       [&own](const PlanMember& each) { return each.plan == own; });
      context_of_.push_back(same - rounds_.begin() == static_cast<std::ptrdiff_t>(i)
                                ? contexts_.size()
                                : context_of_[static_cast<std::size_t>(same - rounds_.begin())]);
      if (context_of_.back() != contexts_.size()) continue;
      RegisterPlan registers = registers_of(own);
      const std::size_t wiring = wirings_.add(registers);
      contexts_.push_back({wiring, std::move(registers.used)});
    }
    begin_round();
    first_edge();
    registers_.swap(next_);
    show();
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }

  [[nodiscard]] LinkView links() override {
    LinkView view = shown_.in(cycle_ + 1);
    if (!combine_) view.values = view.values.first(0);
    if (!combine_) view.terms = view.terms.first(0);
    view.members = numbers_;
    return view;
  }
  void clock(std::uint64_t cycles) override {
    for (; cycles != 0; --cycles) {
      shown_.results.clear();
      if (round_ < rounds_.size()) edge();
      ++cycle_;
      show();
    }
  }
  /// The results of the last step are shown after it.
  [[nodiscard]] bool done() const override { return cycle_ >= end_; }
  [[nodiscard]] EngineStatistics statistics() const override {
    return {.steps = cycle_, .cycles = cycle_, .max_queue = 1, .link_conflicts = 0};
  }
  void force(LinkId link, PacketId packet) override {
    registers_[link] =
        packet == kNoPacket ? RegisterWord{} : RegisterWord{packet, kGarbageValue, 1};
    show();
  }

 private:
  struct Context {
    std::size_t wiring = 0;
    /// By link slot: the others take nothing.
    std::vector<bool> used;
  };

  [[nodiscard]] const Plan& plan() const { return rounds_[round_].plan; }
  [[nodiscard]] const Context& context() const { return contexts_[context_of_[round_]]; }
  [[nodiscard]] Port feed(LinkId link) const {
    return wirings_.feed(context().wiring, link, topology_.link_port(link));
  }
  [[nodiscard]] RegisterWord arrival(NodeId node, Port port) const {
    const LinkId from = topology_.link_into(node, port);
    return from == kNoLink ? RegisterWord{} : registers_[from];
  }
  [[nodiscard]] RegisterWord combined(const RegisterWord& one, const RegisterWord& other) const {
    return own_words_->combined(one, other);
  }

  void begin_round() {
    run_.emplace(plan(), options_);
    own_words_.emplace(plan(), options_.arithmetic);
    collected_.clear();
    run_->next();
  }

  /// The edge into step 1 of a round.
  void first_edge() {
    for (LinkId link = 0; link < next_.size(); ++link) {
      const NodeId node = topology_.link_from(link);
      next_[link] = own(link);
      const bool unmasked = !first_mask_ && context().used[link] && next_[link].terms == 0;
      if (unmasked) next_[link] = arrival(node, feed(link));
    }
  }
  /// The own word that the register is to hold in the present step of the planned run.
  [[nodiscard]] RegisterWord own(LinkId link) const {
    const Carried& wanted = run_->now()[link];
    if (wanted.terms == 0) return {};
    const NodeId node = topology_.link_from(link);
    if (plan().demand.combines()) return own_words_->of(node, wanted.packet);
    const auto values = run_->values();
    return {wanted.packet, values.empty() ? 0 : values[link], 1};
  }

  /// The edge at the end of a step.
  void edge() {
    run_->next();
    const bool ends = run_->step() > run_->steps();
    if (!ends) inner_edge();
    if (plan().demand.combines() && collects_at_roots(plan().demand)) collect();
    write_results(ends);
    if (ends) {
      ++round_;
      std::fill(next_.begin(), next_.end(), RegisterWord{});
      if (round_ < rounds_.size()) {
        begin_round();
        first_edge();
      }
    }
    registers_.swap(next_);
  }

  /// An edge inside a round.
  void inner_edge() {
    for (LinkId link = 0; link < next_.size(); ++link) {
      const Carried& wanted = run_->now()[link];
      const NodeId node = topology_.link_from(link);
      next_[link] = {};
      if (!context().used[link]) continue;
      if (wanted.terms == 0) {
        // The root and the nodes at the end of a stream take nothing; others whatever arrives.
        const LinkId from = topology_.link_into(node, feed(link));
        if (from != kNoLink && run_->before()[from].terms == 0) next_[link] = registers_[from];
      } else if (run_->is_own(node, wanted)) {
        next_[link] = own(link);
      } else {
        next_[link] = made(link, wanted);
      }
    }
  }

  /// The word that the register of `link`, or the interface beside it, forms for `wanted`.
  [[nodiscard]] RegisterWord made(LinkId link, const Carried& wanted) const {
    const NodeId node = topology_.link_from(link);
    const Port from = feed(link);
    const RegisterWord arrived = arrival(node, from);
    switch (run_->source(link, from, wanted)) {
      case RegisterSource::kArrival:
        return arrived;
      case RegisterSource::kArrivalAndOwn:
        return combined(arrived, own_words_->of(node, wanted.packet));
      case RegisterSource::kArrivalAndPartner:
        return combined(arrived, registers_[topology_.link(node, from)]);
      case RegisterSource::kArrivalsAndOwn:
        return combined(combined(arrived, arrival(node, topology_.link_port(link))),
                        own_words_->of(node, wanted.packet));
      default:
        return {};
    }
  }

  /// The memories of roots add what arrives.
  void collect() {
    for (LinkId link = 0; link < registers_.size(); ++link) {
      const RegisterWord& sent = registers_[link];
      if (sent.terms == 0) continue;
      const NodeId to = topology_.neighbor(topology_.link_from(link), topology_.link_port(link));
      if (own_words_->rank(to) != plan().demand.root) continue;
      const auto [word, added] = collected_.try_emplace({to, sent.packet});
      if (added) word->second = own_words_->of(to, sent.packet);
      word->second = combined(word->second, sent);
    }
  }

  void write_results(bool ends) {
    for (const Result& planned : run_->results()) {
      const RegisterWord word = delivered(planned, ends);
      if (word.terms == 0) continue;
      Result result = planned;
      result.value = word.value;
      result.terms = word.terms;
      result.member = static_cast<std::uint32_t>(round_);
      shown_.results.push_back(result);
    }
  }
  [[nodiscard]] RegisterWord delivered(const Result& planned, bool ends) const {
    if (collects_at_roots(plan().demand)) {
      const auto word = collected_.find({planned.node, planned.packet});
      return word == collected_.end() ? RegisterWord{} : word->second;
    }
    const Carried wanted{planned.packet, planned.terms};
    for (const Port port : all_ports(topology_.ports())) {
      const LinkId link = topology_.link(planned.node, port);
      if (!ends && run_->now()[link] == wanted) return next_[link];
    }
    for (const Port port : all_ports(topology_.ports())) {
      const LinkId link = topology_.link(planned.node, port);
      // Another port's feed may bring a sum of as many terms, but not the right ones.
      if (context().used[link] &&
          run_->source(link, feed(link), wanted) != RegisterSource::kNothing) {
        return made(link, wanted);
      }
    }
    return {};
  }

  void show() {
    for (LinkId link = 0; link < registers_.size(); ++link) {
      const RegisterWord& word = registers_[link];
      shown_.put(link, word.terms == 0 ? kNoPacket : word.packet, word.value, word.terms);
      numbers_[link] = word.terms == 0 ? kNoMember : static_cast<std::uint32_t>(round_);
    }
  }

  const Topology& topology_;
  std::span<const PlanMember> rounds_;
  EngineOptions options_;
  bool first_mask_;
  /// Steps of all rounds.
  std::uint64_t end_;
  bool combine_ = false;
  Wirings wirings_;
  std::vector<Context> contexts_;
  /// By round.
  std::vector<std::size_t> context_of_;
  /// By link slot.
  std::vector<RegisterWord> registers_;
  std::vector<RegisterWord> next_;
  std::size_t round_ = 0;
  std::optional<PlannedRun> run_;
  std::optional<OwnWords> own_words_;
  /// Words of roots.
  std::map<std::pair<NodeId, PacketId>, RegisterWord> collected_;
  std::uint64_t cycle_ = 0;
  std::vector<std::uint32_t> numbers_;
  ShownWords shown_;
};

}  // namespace

std::unique_ptr<Engine> make_context_engine(const Plan& plan, const EngineOptions& options,
                                            bool first_mask) {
  return std::make_unique<ContextEngine>(plan, options, first_mask);
}

}  // namespace gossamer
