// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fast_engines.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kBufferLimitBytes = std::uint64_t{8} << 30;

class ScheduledEngine final : public Engine {
 public:
  ScheduledEngine(const Plan& plan, const Topology& topology, const ScheduleProgram& program)
      : plan_(plan),
        program_(program),
        nodes_(topology.nodes()),
        ports_(static_cast<std::size_t>(topology.ports())),
        incoming_(topology.link_slots()),
        buffers_(program.slots() * nodes_, kNoPacket),
        links_(topology.link_slots() + 1, kNoPacket),
        occupied_(nodes_, 0) {
    for (NodeWalk walk(topology); !walk.done(); walk.next()) {
      for (std::size_t p = 0; p < ports_; ++p) {
        const auto in_port = static_cast<Port>(p);
        const NodeId from = walk.sender(in_port);
        // Nothing ever crosses the link behind the last one.
        incoming_[walk.node() * ports_ + p] = from == kNoNode
                                                  ? static_cast<LinkId>(topology.link_slots())
                                                  : topology.link(from, opposite(in_port));
        // What leaves by a port may be dead where what comes in by it is not.
        if (walk.neighbor(in_port) == kNoNode) {
          absent_.push_back(static_cast<LinkId>(walk.node() * ports_ + p));
        }
      }
    }
    send(1);
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }

  [[nodiscard]] LinkView links() override {
    return {.cycle = statistics_.cycles,
            .step = statistics_.steps + 1,
            .begins = true,
            .packets = std::span<const PacketId>(links_).first(nodes_ * ports_)};
  }

  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      const std::uint64_t step = ++statistics_.steps;
      ++statistics_.cycles;
      if (step <= program_.steps()) store(step);
      send(step + 1);
    }
  }

  [[nodiscard]] EngineStatistics statistics() const override { return statistics_; }
  void force(LinkId link, PacketId packet) override { links_[link] = packet; }

 private:
  void send(std::uint64_t step) {
    if (step > program_.steps()) {
      std::fill(links_.begin(), links_.end(), kNoPacket);
      return;
    }
    for (std::size_t p = 0; p < ports_; ++p) {
      const auto port = static_cast<Port>(p);
      PacketSource source = program_.source(step, port);
      for (std::size_t node = 0; node < nodes_; ++node) {
        if (!program_.classes().empty()) {
          source = program_.source(step, port, program_.class_of(static_cast<NodeId>(node)));
        }
        const PacketId* slot = buffers_.data() + source.index * nodes_;
        PacketId packet = kNoPacket;
        if (source.kind == PacketSource::Kind::kOwn) {
          packet = own_piece(plan_, static_cast<NodeId>(node), source.index);
        } else if (source.kind == PacketSource::Kind::kSlot) {
          packet = slot[node];
        }
        links_[node * ports_ + p] = packet;
      }
    }
    for (const LinkId link : absent_) links_[link] = kNoPacket;
  }

  void store(std::uint64_t step) {
    std::array<std::optional<std::uint32_t>, kMaxPorts> slots;
    const auto read = [&](std::uint32_t rom) {
      for (std::size_t p = 0; p < ports_; ++p) {
        slots[p] = program_.store(step, static_cast<Port>(p), rom);
      }
    };
    read(0);
    for (std::size_t node = 0; node < nodes_; ++node) {
      if (!program_.classes().empty()) read(program_.class_of(static_cast<NodeId>(node)));
      for (std::size_t p = 0; p < ports_; ++p) {
        if (!slots[p]) continue;
        const PacketId packet = links_[incoming_[node * ports_ + p]];
        if (packet == kNoPacket) continue;
        if (stored_before(node, p, slots)) ++statistics_.link_conflicts;
        PacketId& slot = buffers_[*slots[p] * nodes_ + node];
        if (slot == kNoPacket) {
          statistics_.max_queue = std::max<std::uint64_t>(statistics_.max_queue, ++occupied_[node]);
        }
        slot = packet;
      }
    }
  }

  /// True when a lower in-port has written the slot of in-port `p` in this step.
  [[nodiscard]] bool stored_before(
      std::size_t node, std::size_t p,
      const std::array<std::optional<std::uint32_t>, kMaxPorts>& slots) const {
    for (std::size_t q = 0; q < p; ++q) {
      if (slots[q] == slots[p] && links_[incoming_[node * ports_ + q]] != kNoPacket) return true;
    }
    return false;
  }

  const Plan& plan_;
  const ScheduleProgram& program_;
  std::size_t nodes_;
  std::size_t ports_;
  /// The link that enters by each (node, in-port); behind the last one where there is none.
  std::vector<LinkId> incoming_;
  /// Link slots without a link: those of sides of 1, and at borders.
  std::vector<LinkId> absent_;
  /// Slot-major, so that an out-port's read runs through memory in order.
  std::vector<PacketId> buffers_;
  std::vector<PacketId> links_;
  /// Slots of each node that have been written.
  std::vector<std::uint32_t> occupied_;
  EngineStatistics statistics_;
};

}  // namespace

std::unique_ptr<Engine> make_scheduled_engine(const Plan& plan) {
  const Topology& topology = plan.topology;
  const auto& program = std::get<ScheduleProgram>(plan.program);
  require_rom_for_all(plan);
  const std::uint64_t bytes = std::uint64_t{program.slots()} * topology.nodes() * sizeof(PacketId);
  if (bytes > kBufferLimitBytes) {
    throw InputError(
        fmt::format("simulate: {} nodes with {} buffer slots each would take {} MiB, {} allowed; "
                    "gossamer verify proves the plan without them",
                    topology.nodes(), program.slots(), bytes >> 20U, kBufferLimitBytes >> 20U));
  }
  return std::make_unique<ScheduledEngine>(plan, topology, program);
}

}  // namespace gossamer
