// SPDX-License-Identifier: Apache-2.0
/// The fast relay engine: a queue of events, one for every hop of every message.
///
/// It uses no closed forms: links record how long they are held, nodes act after a reception, and
/// the cycles result.
#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "engine.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/plan/message_clock.hpp"
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
        throw InputError(
            fmt::format("plan: the send of node {} in step {} leads nowhere", send.from, step));
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
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        sums_.push_back({arithmetic.word(node, word, words, topology.nodes()), 1});
      }
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
    while (!done() && events_.top().cycle < end) {
      cycle_ = events_.top().cycle;
      act();
    }
    cycle_ = end;
    act();
  }

  [[nodiscard]] std::uint64_t quiet() const override {
    return done() ? 0 : events_.top().cycle - cycle_ - 1;
  }
  /// A step is begun as soon as the one before is over.
  [[nodiscard]] bool done() const override { return begun_ && events_.empty(); }
  void force(LinkId link, PacketId packet) override {
    if (begun_ || packet != kNoPacket) {
      throw std::logic_error("a relay's links break before the run, and bring nothing");
    }
    broken_[link] = true;
  }

 private:
  /// A combination of contributions.
  struct Sum {
    std::uint64_t value = 0;
    std::uint32_t terms = 1;
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

  void begin_step() {
    const std::uint64_t start =
        steps_begun_ == 0 ? 0 : statistics_.cycles + program_.clock.relay_cycles;
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
    events_.push({head + clock.flits - 1, event.entry, true});
  }

  void receive(const Event& event) {
    const NodeId node = messages_[event.entry].at;
    statistics_.cycles = std::max(statistics_.cycles, event.cycle);
    const std::uint32_t step = lists_.entries[event.entry].step;
    deliveries_.push_back({node, step, 0});
    if (combines()) keep(node, messages_[event.entry].sum, step <= program_.adding_steps);
    if (informed_[node]) return;
    informed_[node] = true;
    if (self_timed() && !fan_out()) start_sends(node, event.cycle + program_.clock.relay_cycles);
  }

  void keep(NodeId node, const Sum& sum, bool adds) {
    Sum& own = sums_[node];
    own = adds ? Sum{arithmetic_.combine(sum.value, own.value), own.terms + sum.terms} : sum;
    results_.push_back({node, 0, own.value, own.terms});
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
  /// Timing by steps only.
  std::uint32_t steps_begun_ = 0;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<Engine> make_relay_engine(const Plan& plan, const Arithmetic& arithmetic,
                                          std::uint32_t word, std::uint32_t words) {
  return std::make_unique<FastRelayEngine>(plan.topology, plan.program.as<RelayProgram>(),
                                           arithmetic, word, words);
}

}  // namespace gossamer
