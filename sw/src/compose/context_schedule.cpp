// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compose/context_schedule.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "members.hpp"
#include "shared_registers.hpp"

namespace gossamer {

/// Runs the plan of the present round in order to know the packets of each step.
class ContextSchedule::State {
 public:
  State(const Plan& plan, const Arithmetic& arithmetic, bool first_mask)
      : topology_(plan.topology),
        rounds_(members_of(plan)),
        first_mask_(first_mask),
        registers_(topology_.link_slots()) {
    options_.arithmetic = arithmetic;
    for (std::size_t i = 0; i < rounds_.size(); ++i) add_context(i);
  }

  void next() {
    deliveries_.clear();
    kept_.clear();
    collects_ = false;
    first_ = !run_;
    if (run_) inner_edge();
    if (first_ && round_ < rounds_.size()) first_edge();
  }

  [[nodiscard]] std::span<const RegisterControl> registers() const { return registers_; }
  [[nodiscard]] std::span<const WordDelivery> deliveries() const { return deliveries_; }
  [[nodiscard]] std::span<const KeptArrival> kept() const { return kept_; }
  [[nodiscard]] bool collects(NodeId node) const {
    return collects_ && delivering_own_->rank(node) == delivering_->demand.root;
  }
  [[nodiscard]] RegisterWord own(NodeId node, PacketId packet) const {
    return delivering_own_->of(node, packet);
  }
  [[nodiscard]] std::size_t wirings() const { return wirings_.size(); }
  [[nodiscard]] Port feed(std::size_t wiring, LinkId link) const {
    return wirings_.feed(wiring, link, topology_.link_port(link));
  }
  [[nodiscard]] std::size_t wiring() const { return wiring_; }
  [[nodiscard]] bool is_first() const { return first_; }
  [[nodiscard]] std::uint32_t round() const { return static_cast<std::uint32_t>(round_); }
  [[nodiscard]] const Arithmetic& arithmetic() const { return options_.arithmetic; }
  [[nodiscard]] RegisterWord combined(const RegisterWord& one, const RegisterWord& other) const {
    return gossamer::combined(options_.arithmetic, one, other);
  }

 private:
  struct Context {
    std::size_t wiring = 0;
    /// By link slot: registers of the others take nothing.
    std::vector<bool> used;
    /// Registers take words from the memory of their node.
    bool memory = false;
  };

  /// Rounds of equal plans share their context.
  void add_context(std::size_t round) {
    const Plan& own = rounds_[round].plan;
    for (std::size_t before = 0; before < round; ++before) {
      if (rounds_[before].plan != own) continue;
      context_of_.push_back(context_of_[before]);
      return;
    }
    RegisterPlan registers = registers_of(own);
    const std::size_t wiring = wirings_.add(registers);
    context_of_.push_back(contexts_.size());
    contexts_.push_back({wiring, std::move(registers.used), registers.memory});
  }

  [[nodiscard]] const Plan& plan() const { return rounds_[round_].plan; }
  [[nodiscard]] const Context& context() const { return contexts_[context_of_[round_]]; }
  [[nodiscard]] Port feed(LinkId link) const {
    return wirings_.feed(context().wiring, link, topology_.link_port(link));
  }

  /// The edge into step 1 of a round.
  void first_edge() {
    run_.emplace(plan(), options_);
    own_words_.emplace(plan(), options_.arithmetic);
    run_->next();
    for (LinkId link = 0; link < registers_.size(); ++link) {
      const bool unmasked = !first_mask_ && context().used[link] && !context().memory;
      registers_[link] = {unmasked ? RegisterSource::kArrival : RegisterSource::kNothing,
                          feed(link)};
      if (run_->now()[link].terms != 0) registers_[link] = own_control(link);
    }
  }
  /// The register takes the own word of the present planned step.
  [[nodiscard]] RegisterControl own_control(LinkId link) const {
    const Carried& wanted = run_->now()[link];
    const NodeId node = topology_.link_from(link);
    if (plan().demand.combines()) {
      return {RegisterSource::kOwn, feed(link), own_words_->of(node, wanted.packet)};
    }
    const auto values = run_->values();
    return {
        RegisterSource::kOwn, feed(link), {wanted.packet, values.empty() ? 0 : values[link], 1}};
  }

  /// An edge after a step of a round; is_first() afterwards, if the step was the last one.
  void inner_edge() {
    run_->next();
    first_ = run_->step() > run_->steps();
    for (LinkId link = 0; link < registers_.size(); ++link) {
      registers_[link] = first_ ? RegisterControl{} : control(link);
    }
    if (context().memory) keep_arrivals();
    collects_ = collects_at_roots(plan().demand);
    wiring_ = context().wiring;
    delivering_ = &plan();
    delivering_own_ = own_words_;
    for (const Result& planned : run_->results()) add_delivery(planned);
    std::stable_sort(
        deliveries_.begin(), deliveries_.end(),
        [](const WordDelivery& one, const WordDelivery& other) { return one.node < other.node; });
    if (first_) ++round_;
  }
  void keep_arrivals() {
    for (LinkId link = 0; link < registers_.size(); ++link) {
      const Carried& sent = run_->before()[link];
      if (sent.terms == 0) continue;
      const Port port = topology_.link_port(link);
      kept_.push_back(
          {topology_.neighbor(topology_.link_from(link), port), sent.packet, opposite(port)});
    }
    std::sort(kept_.begin(), kept_.end(), [](const KeptArrival& one, const KeptArrival& other) {
      return std::pair(one.node, one.port) < std::pair(other.node, other.port);
    });
  }
  [[nodiscard]] RegisterControl control(LinkId link) const {
    const Carried& wanted = run_->now()[link];
    const NodeId node = topology_.link_from(link);
    if (!context().used[link]) return {};
    if (context().memory) {
      if (wanted.terms == 0) return {};
      if (run_->is_own(node, wanted)) return own_control(link);
      return {RegisterSource::kMemory, feed(link), {wanted.packet, 0, wanted.terms}};
    }
    if (wanted.terms == 0) {
      // The root and the nodes at the end of a stream take nothing; others any arrival.
      const LinkId from = topology_.link_into(node, feed(link));
      const bool open =
          from != kNoLink && run_->before()[from].terms == 0 && !run_->leads_out(node, feed(link));
      return {open ? RegisterSource::kArrival : RegisterSource::kNothing, feed(link)};
    }
    if (run_->is_own(node, wanted)) return own_control(link);
    return made(link, wanted);
  }
  [[nodiscard]] RegisterControl made(LinkId link, const Carried& wanted) const {
    RegisterControl control{run_->source(link, feed(link), wanted), feed(link)};
    if (control.source == RegisterSource::kArrivalAndOwn ||
        control.source == RegisterSource::kArrivalsAndOwn) {
      control.own = own_words_->of(topology_.link_from(link), wanted.packet);
    }
    return control;
  }

  void add_delivery(const Result& planned) {
    WordDelivery delivery{planned.node, planned.packet, static_cast<std::uint32_t>(round_)};
    if (collects_ || context().memory) {
      delivery.place = WordDelivery::Place::kMemory;
      deliveries_.push_back(delivery);
      return;
    }
    const Carried wanted{planned.packet, planned.terms};
    for (const Port port : all_ports(topology_.ports())) {
      if (first_ || run_->now()[topology_.link(planned.node, port)] != wanted) continue;
      delivery.port = port;
      deliveries_.push_back(delivery);
      return;
    }
    delivery.place = WordDelivery::Place::kBeside;
    for (const bool sends : {true, false}) {
      for (const Port port : all_ports(topology_.ports())) {
        const LinkId link = topology_.link(planned.node, port);
        // Another port's feed may bring a sum of as many terms, but not the right ones.
        if (sends ? !context().used[link]
                  : !run_->leads_out(planned.node, port) || feed(link) != opposite(port)) {
          continue;
        }
        delivery.port = port;
        delivery.beside = made(link, wanted);
        if (delivery.beside.source == RegisterSource::kNothing) continue;
        deliveries_.push_back(delivery);
        return;
      }
    }
  }

  const Topology& topology_;
  std::span<const PlanMember> rounds_;
  EngineOptions options_;
  bool first_mask_;
  Wirings wirings_;
  std::vector<Context> contexts_;
  /// By round.
  std::vector<std::size_t> context_of_;
  std::size_t round_ = 0;
  bool first_ = false;
  std::size_t wiring_ = 0;
  std::optional<PlannedRun> run_;
  std::optional<OwnWords> own_words_;
  /// The plan of the step that the edge ends.
  const Plan* delivering_ = nullptr;
  std::optional<OwnWords> delivering_own_;
  bool collects_ = false;
  std::vector<RegisterControl> registers_;
  std::vector<WordDelivery> deliveries_;
  std::vector<KeptArrival> kept_;
};

namespace {

/// The entries of a node in a list that is in the order of nodes.
template <typename Entry>
std::span<const Entry> entries_of(std::span<const Entry> all, NodeId node) {
  const auto before = [](const Entry& one, NodeId at) { return one.node < at; };
  const auto first = std::lower_bound(all.begin(), all.end(), node, before);
  const auto last = std::lower_bound(first, all.end(), node + 1, before);
  return {first, last};
}

}  // namespace

ContextSchedule::ContextSchedule(const Plan& plan, const Arithmetic& arithmetic, bool first_mask)
    : state_(std::make_unique<State>(plan, arithmetic, first_mask)) {}
ContextSchedule::~ContextSchedule() = default;

void ContextSchedule::next() { state_->next(); }
std::span<const RegisterControl> ContextSchedule::registers() const { return state_->registers(); }
std::span<const WordDelivery> ContextSchedule::deliveries() const { return state_->deliveries(); }
std::span<const WordDelivery> ContextSchedule::deliveries(NodeId node) const {
  return entries_of(state_->deliveries(), node);
}
std::span<const KeptArrival> ContextSchedule::kept() const { return state_->kept(); }
std::span<const KeptArrival> ContextSchedule::kept(NodeId node) const {
  return entries_of(state_->kept(), node);
}
bool ContextSchedule::collects(NodeId node) const { return state_->collects(node); }
RegisterWord ContextSchedule::own(NodeId node, PacketId packet) const {
  return state_->own(node, packet);
}
std::size_t ContextSchedule::wirings() const { return state_->wirings(); }
Port ContextSchedule::feed(std::size_t wiring, LinkId link) const {
  return state_->feed(wiring, link);
}
std::size_t ContextSchedule::wiring() const { return state_->wiring(); }
bool ContextSchedule::is_first() const { return state_->is_first(); }
std::uint32_t ContextSchedule::round() const { return state_->round(); }
const Arithmetic& ContextSchedule::arithmetic() const { return state_->arithmetic(); }
RegisterWord ContextSchedule::combined(const RegisterWord& one, const RegisterWord& other) const {
  return state_->combined(one, other);
}

bool some_round_combines(const Plan& plan) {
  const auto rounds = members_of(plan);
  return std::any_of(rounds.begin(), rounds.end(),
                     [](const PlanMember& round) { return round.plan.demand.combines(); });
}

namespace {

/// A function's: registrations are static objects of other files.
std::map<std::string_view, ContextEngineMaker>& context_engines() {
  static std::map<std::string_view, ContextEngineMaker> makers;
  return makers;
}

}  // namespace

ContextEngineRegistration::ContextEngineRegistration(std::string_view engine,
                                                     ContextEngineMaker maker) {
  context_engines().emplace(engine, maker);
}

ContextEngineMaker find_context_engine(std::string_view engine) {
  const auto found = context_engines().find(engine);
  return found == context_engines().end() ? nullptr : found->second;
}

}  // namespace gossamer
