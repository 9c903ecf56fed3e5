// SPDX-License-Identifier: Apache-2.0
/// The fast relay engine: a queue of events, one for every hop of every message.
///
/// It knows nothing of the closed forms: links remember until when they are held, nodes act when
/// they have received, and the cycles come out.
#include "gossamer/sim/relay_engine.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <queue>
#include <tuple>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::size_t kTraceBufferBytes = 1 << 16;

class FastRelayEngine final : public RelayEngine {
 public:
  FastRelayEngine(const Topology& topology, const RelayProgram& program)
      : topology_(topology), program_(program) {
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
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }
  [[nodiscard]] RelayStatistics statistics() const override { return statistics_; }

  void run(RelayObserver* observer) override {
    observer_ = observer;
    informed_[program_.source()] = true;
    if (program_.ports == RelayPorts::kOnePort && program_.clock.timing == RelayTiming::kStep) {
      run_step_by_step();
      return;
    }
    start_sends(program_.source(), 0);
    drain();
  }

 private:
  /// A send on its way.
  struct Message {
    /// The node whose out-port it takes next; its sender at first.
    NodeId at = 0;
    /// Links crossed.
    std::uint32_t hop = 0;
    /// Stretch of the path and hops done on it.
    std::uint32_t segment = 0;
    std::uint32_t hops_on_segment = 0;
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

  [[nodiscard]] bool self_timed() const { return program_.clock.timing == RelayTiming::kSelf; }
  [[nodiscard]] bool fan_out() const { return program_.ports == RelayPorts::kFanOut; }

  void run_step_by_step() {
    std::uint64_t start = 0;
    for (std::uint32_t step = 1; step <= program_.steps(); ++step) {
      for (const RelaySend& send : program_.sends(step)) {
        if (informed_[send.from]) events_.push({start, next_send_[send.from]++, false});
      }
      drain();
      start = statistics_.cycles + program_.clock.relay_cycles;
    }
  }

  void start_sends(NodeId node, std::uint64_t cycle) {
    while (next_send_[node] < lists_.begin[node + 1]) {
      events_.push({cycle, next_send_[node]++, false});
      if (!fan_out()) return;
    }
  }

  void drain() {
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.received) {
        receive(event);
      } else {
        hop(event);
      }
    }
  }

  void hop(const Event& event) {
    const RelayClock& clock = program_.clock;
    Message& message = messages_[event.entry];
    const SendsByNode::Entry& entry = lists_.entries[event.entry];
    const RelayPath& path = program_.paths()[entry.path];
    if (message.hop == 0 && self_timed() && !fan_out()) {
      start_sends(message.at, event.cycle + clock.flits + clock.relay_cycles);
    }
    const Port port = path[message.segment].port;
    std::uint64_t& held_until = held_until_[topology_.link(message.at, port)];
    if (held_until > event.cycle) ++statistics_.link_conflicts;
    held_until = std::max(held_until, event.cycle + clock.flits);
    if (observer_ != nullptr) {
      observer_->on_hop({entry.step, message.hop, message.at, port, event.cycle});
    }
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
    if (observer_ != nullptr) {
      observer_->on_receive(lists_.entries[event.entry].step, node, event.cycle);
    }
    if (informed_[node]) return;
    informed_[node] = true;
    if (self_timed() && !fan_out()) start_sends(node, event.cycle + program_.clock.relay_cycles);
  }

  const Topology& topology_;
  const RelayProgram& program_;
  SendsByNode lists_;
  /// One message per entry of lists_.
  std::vector<Message> messages_;
  /// Per link slot: the first cycle in which it is free.
  std::vector<std::uint64_t> held_until_;
  /// Per node: the entry that it sends next.
  std::vector<std::uint32_t> next_send_;
  std::vector<bool> informed_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  RelayObserver* observer_ = nullptr;
  RelayStatistics statistics_;
};

}  // namespace

std::unique_ptr<RelayEngine> make_fast_relay_engine(const Plan& plan) {
  return std::make_unique<FastRelayEngine>(plan.topology, std::get<RelayProgram>(plan.program));
}

RelayScoreboard::RelayScoreboard(const Plan& plan)
    : informed_(plan.topology.nodes(), false), missing_(plan.topology.nodes() - 1) {
  informed_.at(std::get<RelayProgram>(plan.program).source()) = true;
}

void RelayScoreboard::on_hop(const RelayHop& hop) {
  ++traversals_;
  if (longest_hops_.size() < hop.step) longest_hops_.resize(hop.step, 0);
  std::uint32_t& longest = longest_hops_[hop.step - 1];
  longest = std::max(longest, hop.hop + 1);
}

void RelayScoreboard::on_receive(std::uint32_t step, NodeId node, std::uint64_t cycle) {
  if (informed_[node]) {
    ++duplicates_;
    return;
  }
  informed_[node] = true;
  --missing_;
  steps_ = std::max(steps_, step);
  cycles_ = std::max(cycles_, cycle);
}

void RelayTraceWriter::write(std::ostream& out) {
  std::sort(hops_.begin(), hops_.end(), [](const RelayHop& a, const RelayHop& b) {
    return std::tie(a.step, a.hop, a.from, a.port) < std::tie(b.step, b.hop, b.from, b.port);
  });
  std::string buffer = "step,hop,from,port,packet\n";
  const auto flush = [&] {
    out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    buffer.clear();
  };
  for (const RelayHop& hop : hops_) {
    fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{},{},{},{},0\n"), hop.step, hop.hop,
                   hop.from, hop.port);
    if (buffer.size() >= kTraceBufferBytes) flush();
  }
  flush();
}

}  // namespace gossamer
