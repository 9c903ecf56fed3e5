// SPDX-License-Identifier: Apache-2.0
/// The fast engine: link contents in flat arrays, one gather a link and step.
///
/// A link's FIFO is split into what it sends now (`now_[link]`) and what waits behind it. Plain
/// programs (one feed, at most one preload) never have anything waiting, so a step is a pure gather
/// next[link] = now[source[link]]; the others take the general path with explicit queues.
#include <algorithm>
#include <deque>

#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/queued_engine.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Where each link's packets come from, for programs without fan-in and switch.
class PlainStreamEngine final : public Engine {
 public:
  PlainStreamEngine(const Topology& topology, const StreamProgram& program)
      : slots_(topology.link_slots()),
        source_(slots_),
        now_(slots_ + 1, kNoPacket),
        next_(slots_ + 1, kNoPacket) {
    // Slot `slots_` stays idle for ever: the source of links that nothing feeds.
    const auto idle = static_cast<LinkId>(slots_);
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      for (int p = 0; p < topology.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        const LinkId link = topology.link(walk.node(), port);
        source_[link] = idle;
        if (walk.neighbor(port) == kNoNode) continue;
        const PortProgram& at = program.at(walk.node(), port);
        if (!at.feed.empty()) {
          const Port in_port = at.feed.front();
          const NodeId from = walk.neighbor(in_port);
          if (from != kNoNode) source_[link] = topology.link(from, opposite(in_port));
        }
        if (!at.preload.empty()) {
          now_[link] = PacketId{walk.node()} * program.packets_per_node() + at.preload.front();
          statistics_.max_queue = 1;
        }
      }
    }
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }

  void run(std::uint64_t max_steps, StepObserver* observer) override {
    for (std::uint64_t i = 0; i < max_steps; ++i) {
      ++statistics_.steps;
      ++statistics_.cycles;
      const bool go_on =
          observer == nullptr ||
          observer->on_step(statistics_.steps, std::span<const PacketId>(now_.data(), slots_));
      const LinkId* source = source_.data();
      const PacketId* now = now_.data();
      PacketId* next = next_.data();
      for (std::size_t link = 0; link < slots_; ++link) next[link] = now[source[link]];
      now_.swap(next_);
      if (!go_on) return;
    }
  }

  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }

 private:
  std::size_t slots_;
  std::vector<LinkId> source_;
  std::vector<PacketId> now_;
  std::vector<PacketId> next_;
  EngineStatistics statistics_;
};

/// Any stream program: FIFOs of the plan's queue depth, fan-in, one switch an out-port.
class QueuedStreamEngine final : public Engine {
 public:
  QueuedStreamEngine(const Topology& topology, const StreamProgram& program, std::uint32_t depth)
      : topology_(topology),
        program_(program),
        depth_(depth),
        queues_(topology.link_slots()),
        now_(topology.link_slots(), kNoPacket) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (int p = 0; p < topology.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        if (topology.neighbor(node, port) == kNoNode) continue;
        for (const std::uint16_t packet : program.at(node, port).preload) {
          push(topology.link(node, port), PacketId{node} * program.packets_per_node() + packet);
        }
      }
    }
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }

  void run(std::uint64_t max_steps, StepObserver* observer) override {
    for (std::uint64_t i = 0; i < max_steps; ++i) {
      ++statistics_.steps;
      ++statistics_.cycles;
      for (std::size_t link = 0; link < queues_.size(); ++link) {
        statistics_.max_queue =
            std::max<std::uint64_t>(statistics_.max_queue, queues_[link].size());
        now_[link] = kNoPacket;
        if (queues_[link].empty()) continue;
        now_[link] = queues_[link].front();
        queues_[link].pop_front();
      }
      const bool go_on = observer == nullptr || observer->on_step(statistics_.steps, now_);
      for (NodeId node = 0; node < topology_.nodes(); ++node) forward(node);
      if (!go_on) return;
    }
  }

  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }

 private:
  void push(LinkId link, PacketId packet) {
    if (queues_[link].size() >= depth_) {
      ++statistics_.link_conflicts;
      return;
    }
    queues_[link].push_back(packet);
  }

  void forward(NodeId node) {
    for (int p = 0; p < topology_.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      if (topology_.neighbor(node, port) == kNoNode) continue;
      for (const Port in_port : program_.at(node, port).feed_at(statistics_.steps)) {
        const LinkId arriving = topology_.link_into(node, in_port);
        if (arriving == kNoLink || now_[arriving] == kNoPacket) continue;
        push(topology_.link(node, port), now_[arriving]);
      }
    }
  }

  const Topology& topology_;
  const StreamProgram& program_;
  std::size_t depth_;
  std::vector<std::deque<PacketId>> queues_;
  std::vector<PacketId> now_;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<Engine> make_fast_engine(const Plan& plan) {
  if (std::holds_alternative<QueuedProgram>(plan.program)) return make_fast_queued_engine(plan);
  if (std::holds_alternative<DynamicProgram>(plan.program)) {
    throw InputError("a dynamic-broadcast plan is many runs: it has no single engine");
  }
  const auto& program = std::get<StreamProgram>(plan.program);
  if (program.is_plain()) {
    return std::make_unique<PlainStreamEngine>(plan.topology, program);
  }
  return std::make_unique<QueuedStreamEngine>(plan.topology, program, plan.expected.queue_depth);
}

}  // namespace gossamer
