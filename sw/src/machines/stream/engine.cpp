// SPDX-License-Identifier: Apache-2.0
/// The fast engine of streams: link contents in flat arrays, one gather per link and step.
///
/// A link's FIFO is split into the packet that it sends now (`now_[link]`) and the waiting packets.
/// Plain programs (one feed, at most one preload) never have waiting packets, so a step is a pure
/// gather next[link] = now[source[link]]. The other programs take the general path with explicit
/// queues.
#include <algorithm>
#include <deque>
#include <utility>

#include "engine.hpp"

namespace gossamer {

namespace {

/// The source of each link's packets, for programs without fan-in and switch.
class PlainStreamEngine final : public Engine {
 public:
  PlainStreamEngine(const Plan& plan, const StreamProgram& program)
      : slots_(plan.topology.link_slots()),
        source_(slots_),
        now_(slots_ + 1, kNoPacket),
        next_(slots_ + 1, kNoPacket) {
    const Topology& topology = plan.topology;
    // Slot `slots_` is always idle: the source of links without a feed.
    const auto idle = static_cast<LinkId>(slots_);
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      for (int p = 0; p < topology.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        const LinkId link = topology.link(walk.node(), port);
        source_[link] = idle;
        if (walk.neighbor(port) == kNoNode) continue;
        const StreamPort& at = program.at(walk.node(), port);
        if (!at.feed.empty()) {
          const Port in_port = at.feed.front();
          const NodeId from = walk.sender(in_port);
          if (from != kNoNode) source_[link] = topology.link(from, opposite(in_port));
        }
        if (!at.preload.empty()) {
          now_[link] = own_piece(plan, walk.node(), at.preload.front());
          statistics_.max_queue = 1;
        }
      }
    }
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }

  [[nodiscard]] LinkView links() override {
    return {.cycle = statistics_.cycles,
            .step = statistics_.steps + 1,
            .begins = true,
            .packets = std::span<const PacketId>(now_.data(), slots_)};
  }

  void clock(std::uint64_t cycles) override {
    statistics_.steps += cycles;
    statistics_.cycles += cycles;
    for (std::uint64_t i = 0; i < cycles; ++i) {
      const LinkId* source = source_.data();
      const PacketId* now = now_.data();
      PacketId* next = next_.data();
      for (std::size_t link = 0; link < slots_; ++link) next[link] = now[source[link]];
      now_.swap(next_);
    }
  }

  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }
  void force(LinkId link, PacketId packet) override { now_[link] = packet; }

 private:
  std::size_t slots_;
  std::vector<LinkId> source_;
  std::vector<PacketId> now_;
  std::vector<PacketId> next_;
  EngineStatistics statistics_;
};

/// Any stream program: FIFOs of the plan's queue depth, fan-in, one switch per output port, and one
/// FIFO per slot if steps come in frames. Queue link * frame + slot is the link's in that slot.
class QueuedStreamEngine final : public Engine {
 public:
  QueuedStreamEngine(const Plan& plan, const StreamProgram& program)
      : topology_(plan.topology),
        program_(program),
        frame_(program.frame()),
        depth_(plan.expected.queue_depth),
        queues_(topology_.link_slots() * program.frame()),
        now_(topology_.link_slots(), kNoPacket) {
    const Topology& topology = topology_;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (int p = 0; p < topology.ports(); ++p) {
        const auto port = static_cast<Port>(p);
        if (topology.neighbor(node, port) == kNoNode) continue;
        for (std::uint32_t slot = 0; slot < frame_; ++slot) {
          for (const std::uint16_t packet : in_slot(node, port, slot).preload) {
            push(queue(topology.link(node, port), slot), own_piece(plan, node, packet));
          }
        }
      }
    }
    send();
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }

  [[nodiscard]] LinkView links() override {
    return {.cycle = statistics_.cycles,
            .step = statistics_.steps + 1,
            .begins = true,
            .packets = now_};
  }

  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      statistics_.max_queue = std::max(statistics_.max_queue, longest_now_);
      const std::uint32_t slot = this_slot();
      ++statistics_.steps;
      ++statistics_.cycles;
      for (NodeId node = 0; node < topology_.nodes(); ++node) forward(node, slot);
      send();
    }
  }

  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }
  void force(LinkId link, PacketId packet) override { now_[link] = packet; }

 private:
  [[nodiscard]] const StreamPort& in_slot(NodeId node, Port port, std::uint32_t slot) const {
    return program_.at(node, static_cast<Port>(port * frame_ + slot));
  }
  [[nodiscard]] std::size_t queue(LinkId link, std::uint32_t slot) const {
    return std::size_t{link} * frame_ + slot;
  }

  /// The slot of the present step.
  [[nodiscard]] std::uint32_t this_slot() const {
    return static_cast<std::uint32_t>(statistics_.steps % frame_);
  }

  /// Puts the present step's packets on the links.
  void send() {
    longest_now_ = 0;
    for (std::size_t link = 0; link < now_.size(); ++link) {
      std::deque<PacketId>& waiting = queues_[link * frame_ + this_slot()];
      longest_now_ = std::max<std::uint64_t>(longest_now_, waiting.size());
      now_[link] = kNoPacket;
      if (waiting.empty()) continue;
      now_[link] = waiting.front();
      waiting.pop_front();
    }
  }

  void push(std::size_t queue, PacketId packet) {
    if (queues_[queue].size() >= depth_) {
      ++statistics_.link_conflicts;
      return;
    }
    queues_[queue].push_back(packet);
  }

  /// Takes the arrivals of the slot.
  void forward(NodeId node, std::uint32_t arrival_slot) {
    for (int p = 0; p < topology_.ports(); ++p) {
      const auto port = static_cast<Port>(p);
      if (topology_.neighbor(node, port) == kNoNode) continue;
      for (std::uint32_t slot = 0; slot < frame_; ++slot) {
        for (const Port feed : in_slot(node, port, slot).feed_at(statistics_.steps)) {
          if (feed % frame_ != arrival_slot) continue;
          const LinkId arriving = topology_.link_into(node, static_cast<Port>(feed / frame_));
          if (arriving == kNoLink || now_[arriving] == kNoPacket) continue;
          push(queue(topology_.link(node, port), slot), now_[arriving]);
        }
      }
    }
  }

  const Topology& topology_;
  const StreamProgram& program_;
  std::uint32_t frame_;
  std::size_t depth_;
  std::vector<std::deque<PacketId>> queues_;
  std::vector<PacketId> now_;
  /// The longest queue at the start of the present step.
  std::uint64_t longest_now_ = 0;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<Engine> make_stream_engine(const Plan& plan, const StreamProgram& program) {
  if (program.is_plain()) return std::make_unique<PlainStreamEngine>(plan, program);
  return std::make_unique<QueuedStreamEngine>(plan, program);
}

}  // namespace gossamer
