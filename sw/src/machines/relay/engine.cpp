// SPDX-License-Identifier: Apache-2.0
/// The fast relay engine: a queue of events, one for every hop of every message.
///
/// It uses no closed forms: links record how long they are held, nodes act after a reception, and
/// the cycles result.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "engine.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/plan/message_clock.hpp"
#include "gossamer/sim/every_word.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

class FastRelayEngine final : public Engine {
 public:
  /// Reductions: of message word `word` of `words`.
  FastRelayEngine(const Topology& topology, const RelayProgram& program,
                  const Arithmetic& arithmetic = {}, std::uint32_t word = 0,
                  std::uint32_t words = 1)
      : topology_(topology), program_(program), arithmetic_(arithmetic) {
    for (std::uint32_t step = 1; step <= program.steps(); ++step) {
      for (const RelaySend& send : program.sends(step)) {
        if (send.from < topology.nodes() &&
            path_end(topology, send.from, program.path(send)) != kNoNode) {
          continue;
        }
        throw InputError(fmt::format("plan: the send of node {} in step {} does not lead to a node",
                                     send.from, step));
      }
    }
    lists_ = sends_by_node(topology, program);
    held_until_.assign(topology.link_slots(), 0);
    next_send_.assign(lists_.begin.begin(), lists_.begin.end() - 1);
    informed_.assign(topology.nodes(), false);
    messages_.resize(lists_.entries.size());
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (std::uint32_t entry = lists_.begin[node]; entry < lists_.begin[node + 1]; ++entry) {
        messages_[entry].at = node;
      }
    }
    if (combines()) {
      informed_.assign(topology.nodes(), true);
      const bool every = dynamic_cast<EveryWordMaker*>(arithmetic.maker) != nullptr;
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        sums_.push_back({arithmetic.word(node, word, words, topology.nodes()), 1, {}});
        for (std::uint32_t flit = 1; every && flit < program.clock.flits; ++flit) {
          sums_.back().rest.push_back(arithmetic.maker->word(node, flit));
        }
      }
      busy_until_.assign(topology.nodes(), 0);
    } else {
      informed_[program.source()] = true;
    }
    broken_.assign(topology.link_slots(), false);
    if (!by_steps()) start_sends(program.source(), 0);
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }
  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }

  [[nodiscard]] LinkView links() override {
    begin();
    return {.cycle = cycle_,
            .begins = !heads_.empty() || !deliveries_.empty(),
            .results = results_,
            .heads = heads_,
            .deliveries = deliveries_};
  }

  void clock(std::uint64_t cycles) override {
    begin();
    const std::uint64_t end = cycle_ + cycles;
    while (!done() && next_cycle() < end) {
      cycle_ = next_cycle();
      act();
    }
    cycle_ = end;
    act();
  }

  [[nodiscard]] std::uint64_t quiet() const override {
    return done() ? 0 : next_cycle() - cycle_ - 1;
  }
  /// A step is begun as soon as the one before is over.
  [[nodiscard]] bool done() const override {
    return begun_ && events_.empty() && late_sums_.empty();
  }
  void force(LinkId link, PacketId packet) override {
    if (begun_ || packet != kNoPacket) {
      throw std::logic_error("links of relay plans break before the run, and deliver nothing");
    }
    broken_[link] = true;
  }

 private:
  /// A combination of contributions.
  struct Sum {
    std::uint64_t value = 0;
    std::uint32_t terms = 1;
    /// The other words of the message, for a maker that sees them all.
    std::vector<std::uint64_t> rest;
  };
  /// A send on its way.
  struct Message {
    /// The node whose out-port it takes next; its sender at first.
    NodeId at = 0;
    /// Links crossed.
    std::uint32_t hop = 0;
    /// Stretch of the path and hops done on it.
    std::uint32_t segment = 0;
    std::uint32_t hops_on_segment = 0;
    /// Reductions: the message's sum, i.e. its sender's sum at the start of its step.
    Sum sum;
  };
  /// A sum that leaves the adder.
  struct LateSum {
    Delivery delivery;
    std::vector<Result> results;
  };
  /// The head of message `entry` enters its next link, or (received) its tail has arrived.
  struct Event {
    std::uint64_t cycle = 0;
    std::uint32_t entry = 0;
    bool received = false;

    bool operator>(const Event& other) const {
      return std::tie(cycle, entry, received) > std::tie(other.cycle, other.entry, other.received);
    }
  };

  [[nodiscard]] bool self_timed() const { return program_.clock.timing == MessageTiming::kSelf; }
  [[nodiscard]] bool fan_out() const { return program_.ports == RelayPorts::kFanOut; }
  [[nodiscard]] bool combines() const { return program_.adding_steps != 0; }
  [[nodiscard]] bool by_steps() const { return !fan_out() && !self_timed(); }

  void begin() {
    if (std::exchange(begun_, true)) return;
    act();
  }

  /// The events of the present cycle.
  void act() {
    heads_.clear();
    deliveries_.clear();
    results_.clear();
    for (; !late_sums_.empty() && late_sums_.begin()->first == cycle_;
         late_sums_.erase(late_sums_.begin())) {
      const LateSum& sum = late_sums_.begin()->second;
      store(sum.delivery, sum.results);
    }
    while (true) {
      while (by_steps() && events_.empty() && steps_begun_ < program_.steps()) begin_step();
      if (events_.empty() || events_.top().cycle != cycle_) return;
      const Event event = events_.top();
      events_.pop();
      if (event.received) {
        receive(event);
      } else {
        hop(event);
      }
    }
  }

  /// The present cycle has none of these events.
  [[nodiscard]] std::uint64_t next_cycle() const {
    if (late_sums_.empty()) return events_.top().cycle;
    if (events_.empty()) return late_sums_.begin()->first;
    return std::min(events_.top().cycle, late_sums_.begin()->first);
  }

  void begin_step() {
    const std::uint64_t start = ready_;
    for (const RelaySend& send : program_.sends(++steps_begun_)) {
      if (!informed_[send.from]) continue;
      const std::uint32_t entry = next_send_[send.from]++;
      if (combines()) messages_[entry].sum = sums_[send.from];
      events_.push({start, entry, false});
    }
  }

  void start_sends(NodeId node, std::uint64_t cycle) {
    while (next_send_[node] < lists_.begin[node + 1]) {
      events_.push({cycle, next_send_[node]++, false});
      if (!fan_out()) return;
    }
  }

  void hop(const Event& event) {
    const MessageClock& clock = program_.clock;
    Message& message = messages_[event.entry];
    const SendsByNode::Entry& entry = lists_.entries[event.entry];
    const RelayPath& path = program_.paths()[entry.path];
    if (message.hop == 0 && self_timed() && !fan_out()) {
      start_sends(message.at, event.cycle + clock.flits + clock.relay_cycles);
    }
    const Port port = path[message.segment].port;
    const LinkId link = topology_.link(message.at, port);
    std::uint64_t& held_until = held_until_[link];
    if (held_until > event.cycle) ++statistics_.link_conflicts;
    held_until = std::max(held_until, event.cycle + clock.flits);
    // The flit enters the broken link and is lost.
    if (broken_[link]) return;
    heads_.push_back({link, entry.step, message.hop, 0, message.sum.terms});
    message.at = topology_.neighbor(message.at, port);
    ++message.hop;
    if (++message.hops_on_segment == path[message.segment].hops) {
      ++message.segment;
      message.hops_on_segment = 0;
    }
    const std::uint64_t head = event.cycle + clock.hop_cycles;
    if (message.segment < path.size()) {
      events_.push({head, event.entry, false});
      return;
    }
    if (fan_out() && !informed_[message.at]) start_sends(message.at, head);
    // The next step sends the first flit, or its sum, as soon as the node has it.
    if (entry.step <= program_.adding_steps) {
      ready_ = std::max(ready_, head + program_.adder_cycles);
    }
    events_.push({head + clock.flits - 1, event.entry, true});
  }

  void receive(const Event& event) {
    const NodeId node = messages_[event.entry].at;
    ready_ = std::max(ready_, event.cycle + program_.clock.relay_cycles);
    const std::uint32_t step = lists_.entries[event.entry].step;
    if (combines()) {
      keep(event.cycle, {node, step, 0}, messages_[event.entry].sum);
    } else {
      statistics_.cycles = std::max(statistics_.cycles, event.cycle);
      deliveries_.push_back({node, step, 0});
    }
    if (informed_[node]) return;
    informed_[node] = true;
    if (self_timed() && !fan_out()) start_sends(node, event.cycle + program_.clock.relay_cycles);
  }

  /// The memory has the sum when the adder is done with the last flit.
  void keep(std::uint64_t cycle, const Delivery& delivery, const Sum& sum) {
    const NodeId node = delivery.node;
    const bool adds = delivery.step <= program_.adding_steps;
    Sum& own = sums_[node];
    if (adds) {
      own.value = arithmetic_.combine(sum.value, own.value);
      own.terms += sum.terms;
      for (std::size_t i = 0; i < own.rest.size(); ++i) {
        own.rest[i] = arithmetic_.combine(sum.rest[i], own.rest[i]);
      }
    } else {
      own = sum;
    }
    std::vector<Result> results{{node, 0, own.value, own.terms}};
    for (std::size_t i = 0; i < own.rest.size(); ++i) {
      results.push_back({node, i + 1, own.rest[i], own.terms});
    }
    if (adds && program_.adder_cycles != 0) {
      busy_until_[node] = cycle + program_.adder_cycles;
      late_sums_.insert({busy_until_[node], {delivery, std::move(results)}});
      return;
    }
    if (!adds && cycle < busy_until_[node] + program_.clock.flits) {
      throw ModelAssertion(fmt::format("node {}: two words for its memory at once", node));
    }
    store(delivery, results);
  }

  void store(const Delivery& delivery, std::span<const Result> results) {
    statistics_.cycles = std::max(statistics_.cycles, cycle_);
    deliveries_.push_back(delivery);
    results_.insert(results_.end(), results.begin(), results.end());
  }

  const Topology& topology_;
  const RelayProgram& program_;
  Arithmetic arithmetic_;
  SendsByNode lists_;
  /// One message per entry of lists_.
  std::vector<Message> messages_;
  /// Per link slot: the first cycle in which it is free.
  std::vector<std::uint64_t> held_until_;
  std::vector<bool> broken_;
  bool begun_ = false;
  /// Per node: the entry that it sends next.
  std::vector<std::uint32_t> next_send_;
  std::vector<bool> informed_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  /// The present cycle, and its events.
  std::uint64_t cycle_ = 0;
  std::vector<Head> heads_;
  std::vector<Delivery> deliveries_;
  std::vector<Result> results_;
  /// Reductions: by node.
  std::vector<Sum> sums_;
  /// Sums in the adders, by the cycle in which their last flits are stored; by node, that of the
  /// latest one.
  std::multimap<std::uint64_t, LateSum> late_sums_;
  std::vector<std::uint64_t> busy_until_;
  /// Timing by steps only: steps so far, and the start of the next one.
  std::uint32_t steps_begun_ = 0;
  std::uint64_t ready_ = 0;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<Engine> make_relay_engine(const Plan& plan, const Arithmetic& arithmetic,
                                          std::uint32_t word, std::uint32_t words) {
  return std::make_unique<FastRelayEngine>(plan.topology, plan.program.as<RelayProgram>(),
                                           arithmetic, word, words);
}

}  // namespace gossamer
