// SPDX-License-Identifier: Apache-2.0
/// The scheduled router as a module of the fabric: `gsm_schedule_router` in SystemC.
#pragma once

#include <span>
#include <vector>

#include "gossamer/systemc/fabric.hpp"
#include "gossamer/systemc/router_table.hpp"

namespace gossamer::systemc {

/// What the buffer of a scheduled router goes through, without SystemC.
///
/// A step is that of ScheduleProgram's machine model. At the clock edge that ends step s the
/// arrivals are written as word s says, and then the out-ports' registers take what word s + 1
/// names, so a packet written in step s can be sent in step s + 1.
class PacketBuffer {
 public:
  /// The buffer of a node of class `rom`. `program` must outlive it.
  PacketBuffer(const ScheduleProgram& program, std::uint32_t rom)
      : program_(&program), rom_(rom), slots_(program.slots(), kNoPacket) {}

  /// Empties the buffer and forgets conflicts.
  void clear();
  /// The arrivals of `step` go to their slots; step 0 and those behind the schedule write nothing.
  void write(std::uint64_t step, std::span<const PacketId> arrivals);
  /// What `out_port` reads from the buffer for `step`: kNoPacket for an empty slot, and when it
  /// sends nothing or an own packet.
  [[nodiscard]] PacketId read(std::uint64_t step, Port out_port) const;

  /// Arrivals lost since clear() because another one was for the same slot in the same step.
  [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }
  /// Slots that have been written since clear().
  [[nodiscard]] std::uint32_t occupied() const { return occupied_; }

 private:
  const ScheduleProgram* program_;
  std::uint32_t rom_;
  std::vector<PacketId> slots_;
  std::uint32_t occupied_ = 0;
  std::uint64_t conflicts_ = 0;
};

/// The own packet that `out_port` of a node of class `rom` injects at the edge that ends `step`,
/// kNoPacket for none.
[[nodiscard]] PacketId scheduled_own(const ScheduleProgram& program, std::uint32_t rom,
                                     const OwnPackets& own, std::uint64_t step, Port out_port);

/// A router with a packet buffer, its ROM the plan's ScheduleProgram, and its network interface. It
/// is clocked at every edge until the schedule is over.
class ScheduleRouter final : public PacketRouter {
 public:
  /// The router of `node`. `program` must outlive it.
  ScheduleRouter(const sc_core::sc_module_name& name, const ScheduleProgram& program, NodeId node);

  void clear() override { buffer_.clear(); }
  std::uint64_t clock(const PacketEdge& edge) override;
  [[nodiscard]] bool error() const override { return buffer_.conflicts() != 0; }
  [[nodiscard]] std::uint64_t conflicts() const override { return buffer_.conflicts(); }
  /// Slots that have been written, as EngineStatistics::max_queue.
  [[nodiscard]] std::uint64_t max_queue() const override { return buffer_.occupied(); }

  /// What the node injects as its own packet `index`, from the next start on.
  void set_own(std::size_t index, PacketId data) { own_.set(index, data); }

 private:
  const ScheduleProgram* program_;
  std::uint32_t rom_;
  OwnPackets own_;
  PacketBuffer buffer_;
};

/// Gives a scheduled router the plan's numbers of its own packets, where they are not those of an
/// all-gather.
template <typename Router>
void set_own_pieces(const Plan& plan, NodeId node, Router& router) {
  const std::uint32_t count = std::get<ScheduleProgram>(plan.program).packets_per_node();
  for (std::uint32_t index = 0; plan.demand.is_personal() && index < count; ++index) {
    router.set_own(index, own_piece(plan, node, index));
  }
}

}  // namespace gossamer::systemc
