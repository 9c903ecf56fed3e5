// SPDX-License-Identifier: Apache-2.0
/// The fast engine of contexts: one register per output port for all rounds. Its operations are
/// those of the present round's plan, and its operands are the present contents of registers and
/// links, whichever round has left them there.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "gossamer/compose/context_schedule.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "members.hpp"

namespace gossamer {

namespace {

class ContextEngine final : public Engine {
 public:
  ContextEngine(const Plan& plan, const EngineOptions& options, bool first_mask)
      : topology_(plan.topology),
        end_(plan.expected.analytic_steps.value_or(0)),
        combine_(some_round_combines(plan)),
        schedule_(plan, options.arithmetic, first_mask),
        registers_(topology_.link_slots()),
        next_(registers_.size()),
        numbers_(registers_.size(), kNoMember),
        shown_(registers_.size()) {
    edge();
    show();
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }

  [[nodiscard]] LinkView links() override {
    LinkView view = shown_.in(cycle_ + 1);
    if (!combine_) view.values = {};
    if (!combine_) view.terms = {};
    view.members = numbers_;
    return view;
  }
  void clock(std::uint64_t cycles) override {
    for (; cycles != 0; --cycles) {
      shown_.results.clear();
      if (cycle_ < end_) edge();
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
  [[nodiscard]] RegisterWord arrival(NodeId node, Port port) const {
    const LinkId from = topology_.link_into(node, port);
    return from == kNoLink ? RegisterWord{} : registers_[from];
  }

  void edge() {
    schedule_.next();
    keep();
    const auto controls = schedule_.registers();
    for (LinkId link = 0; link < next_.size(); ++link) next_[link] = taken(link, controls[link]);
    collect();
    write_results();
    if (schedule_.is_first()) memories_.clear();
    registers_.swap(next_);
  }

  [[nodiscard]] RegisterWord taken(LinkId link, const RegisterControl& control) const {
    const NodeId node = topology_.link_from(link);
    switch (control.source) {
      case RegisterSource::kNothing:
        return {};
      case RegisterSource::kOwn:
        return control.own;
      case RegisterSource::kArrival:
        return arrival(node, control.feed);
      case RegisterSource::kArrivalAndOwn:
        return schedule_.combined(arrival(node, control.feed), control.own);
      case RegisterSource::kArrivalAndPartner:
        return schedule_.combined(arrival(node, control.feed),
                                  registers_[topology_.link(node, control.feed)]);
      case RegisterSource::kArrivalsAndOwn:
        return schedule_.combined(schedule_.combined(arrival(node, control.feed),
                                                     arrival(node, topology_.link_port(link))),
                                  control.own);
      case RegisterSource::kMemory:
        return from_memory(node, control.own.packet);
    }
    return {};
  }
  [[nodiscard]] RegisterWord from_memory(NodeId node, PacketId packet) const {
    const auto word = memories_.find({node, packet});
    return word == memories_.end() ? RegisterWord{} : word->second;
  }

  /// Memories keep what arrives.
  void keep() {
    for (const KeptArrival& kept : schedule_.kept()) {
      const RegisterWord word = arrival(kept.node, kept.port);
      if (word.terms != 0) memories_[{kept.node, kept.packet}] = word;
    }
  }

  /// The memories of roots add what arrives.
  void collect() {
    for (LinkId link = 0; link < registers_.size(); ++link) {
      const RegisterWord& sent = registers_[link];
      if (sent.terms == 0) continue;
      const NodeId to = topology_.neighbor(topology_.link_from(link), topology_.link_port(link));
      if (!schedule_.collects(to)) continue;
      const auto [word, added] = memories_.try_emplace({to, sent.packet});
      if (added) word->second = schedule_.own(to, sent.packet);
      word->second = schedule_.combined(word->second, sent);
    }
  }

  void write_results() {
    for (const WordDelivery& delivery : schedule_.deliveries()) {
      const RegisterWord word = delivered(delivery);
      if (word.terms == 0) continue;
      shown_.results.push_back(
          {delivery.node, delivery.packet, word.value, word.terms, delivery.round});
    }
  }
  [[nodiscard]] RegisterWord delivered(const WordDelivery& delivery) const {
    const LinkId link = topology_.link(delivery.node, delivery.port);
    if (delivery.place == WordDelivery::Place::kRegister) return next_[link];
    if (delivery.place == WordDelivery::Place::kBeside) return taken(link, delivery.beside);
    return from_memory(delivery.node, delivery.packet);
  }

  void show() {
    for (LinkId link = 0; link < registers_.size(); ++link) {
      const RegisterWord& word = registers_[link];
      shown_.put(link, word.terms == 0 ? kNoPacket : word.packet, word.value, word.terms);
      numbers_[link] = word.terms == 0 ? kNoMember : schedule_.round();
    }
  }

  const Topology& topology_;
  /// Steps of all rounds.
  std::uint64_t end_;
  bool combine_;
  ContextSchedule schedule_;
  /// By link slot.
  std::vector<RegisterWord> registers_;
  std::vector<RegisterWord> next_;
  /// Words of roots, and kept packets.
  std::map<std::pair<NodeId, PacketId>, RegisterWord> memories_;
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
