// SPDX-License-Identifier: Apache-2.0
/// The part of a node of contexts around its router, and the engine around a fabric of such nodes.
#include <algorithm>
#include <vector>

#include "gossamer/systemc/compose/context_router.hpp"

namespace gossamer::systemc {

RegisterWord arrival_at(const Edge<CombinedWord>& edge, Port port) {
  const CombinedWord& word = edge.in(port);
  return word.packet == kNoPacket ? RegisterWord{}
                                  : RegisterWord{word.packet, word.value, word.terms};
}

ContextNode::ContextNode(const sc_core::sc_module_name& name,
                         std::shared_ptr<const ContextSchedule> schedule, const Topology& topology,
                         NodeId node)
    : CombiningModule(name),
      schedule_(std::move(schedule)),
      ports_(static_cast<std::size_t>(topology.ports())),
      node_(node),
      first_link_(topology.link(node, 0)) {}

void ContextNode::clear() {
  clear_registers();
  memory_.clear();
  results_.clear();
  written_at_ = 0;
}

RegisterControl ContextNode::from_memory(const RegisterControl& control) const {
  const auto found = memory_.find(control.own.packet);
  if (found == memory_.end()) return {RegisterSource::kNothing, control.feed};
  return {RegisterSource::kOwn, control.feed, found->second};
}

std::uint64_t ContextNode::clock(const Edge<CombinedWord>& edge) {
  const auto deliveries = schedule_->deliveries(node_);
  besides_.clear();
  for (const WordDelivery& delivery : deliveries) {
    if (delivery.place == WordDelivery::Place::kBeside) {
      besides_.emplace_back(delivery.port, delivery.beside);
    }
  }
  beside_.assign(besides_.size(), {});
  for (const KeptArrival& kept : schedule_->kept(node_)) {
    const RegisterWord arrival = arrival_at(edge, kept.port);
    if (arrival.terms != 0) memory_[kept.packet] = arrival;
  }
  const auto controls = schedule_->registers().subspan(first_link_, ports_);
  controls_.assign(controls.begin(), controls.end());
  for (RegisterControl& control : controls_) {
    if (control.source == RegisterSource::kMemory) control = from_memory(control);
  }
  clock_registers(edge, controls_, besides_, beside_);

  if (schedule_->collects(node_)) {
    for (std::size_t port = 0; port < ports_; ++port) {
      const RegisterWord arrival = arrival_at(edge, static_cast<Port>(port));
      if (arrival.terms == 0) continue;
      const auto [word, added] = memory_.try_emplace(arrival.packet);
      if (added) word->second = schedule_->own(node_, arrival.packet);
      word->second = schedule_->combined(word->second, arrival);
    }
  }
  results_.clear();
  written_at_ = edge.cycle();
  std::size_t next_beside = 0;
  for (const WordDelivery& delivery : deliveries) {
    RegisterWord word;
    if (delivery.place == WordDelivery::Place::kBeside) {
      word = beside_[next_beside++];
    } else if (delivery.place == WordDelivery::Place::kRegister) {
      word = register_word(delivery.port);
    } else if (const auto found = memory_.find(delivery.packet); found != memory_.end()) {
      word = found->second;
    }
    if (word.terms == 0) continue;
    results_.push_back({node_, delivery.packet, word.value, word.terms, delivery.round});
  }
  if (schedule_->is_first()) memory_.clear();

  for (std::size_t port = 0; port < ports_; ++port) {
    const RegisterWord word = register_word(static_cast<Port>(port));
    if (word.terms != 0) edge.drive(port, {word.packet, word.value, word.terms});
  }
  return edge.cycle() + 1;
}

namespace {

class ContextFabricEngine final : public Engine {
 public:
  ContextFabricEngine(const Plan& plan, std::string name, ContextNodeMaker make_node,
                      const EngineOptions& options)
      : end_(plan.expected.analytic_steps.value_or(0)),
        combine_(some_round_combines(plan)),
        schedule_(std::make_shared<ContextSchedule>(plan, options.arithmetic)),
        numbers_(plan.topology.link_slots()) {
    // The fabric begins with the edge into step 1.
    schedule_->next();
    const Topology& topology = plan.topology;
    inner_ = make_combining_fabric_engine(
        plan, std::move(name),
        [this, &topology, make_node](const char* node_name, NodeId node) {
          return make_node(node_name, schedule_, topology, node);
        },
        options);
  }

  [[nodiscard]] std::string_view name() const override { return inner_->name(); }
  [[nodiscard]] LinkView links() override {
    LinkView view = inner_->links();
    std::fill(numbers_.begin(), numbers_.end(), schedule_->round());
    view.members = numbers_;
    // Copies have a word as well: it shows a damage.
    if (!combine_) view.terms = {};
    return view;
  }
  void clock(std::uint64_t cycles) override {
    for (; cycles != 0; --cycles) {
      if (cycle_++ < end_) schedule_->next();
      inner_->clock(1);
    }
  }
  /// The results of the last step are shown after it.
  [[nodiscard]] bool done() const override { return cycle_ >= end_; }
  [[nodiscard]] EngineStatistics statistics() const override { return inner_->statistics(); }
  [[nodiscard]] bool error(NodeId node) const override { return inner_->error(node); }
  bool upset(LinkId link, const Upset& upset) override { return inner_->upset(link, upset); }
  void force(LinkId link, PacketId packet) override { inner_->force(link, packet); }

 private:
  /// Steps of all rounds.
  std::uint64_t end_;
  bool combine_;
  std::shared_ptr<ContextSchedule> schedule_;
  std::vector<std::uint32_t> numbers_;
  std::unique_ptr<Engine> inner_;
  std::uint64_t cycle_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_context_fabric_engine(const Plan& plan, std::string name,
                                                   ContextNodeMaker make_node,
                                                   const EngineOptions& options) {
  return std::make_unique<ContextFabricEngine>(plan, std::move(name), make_node, options);
}

}  // namespace gossamer::systemc
