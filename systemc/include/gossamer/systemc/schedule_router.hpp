// SPDX-License-Identifier: Apache-2.0
/// The scheduled router as a module of the arena-backed network: `gsm_schedule_router` in SystemC.
#pragma once

#include <vector>

#include "gossamer/systemc/arena.hpp"

namespace gossamer::systemc {

/// What the buffer of a scheduled router goes through, without SystemC.
///
/// A step is that of ScheduleProgram's machine model. At the clock edge that ends step s the
/// arrivals are written as word s says, and then the out-ports' registers take what word s + 1
/// names, so a packet written in step s can be sent in step s + 1.
class PacketBuffer {
 public:
  /// `program` must outlive the buffer.
  explicit PacketBuffer(const ScheduleProgram& program)
      : program_(&program), slots_(program.slots(), kNoPacket) {}

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
  std::vector<PacketId> slots_;
  std::uint32_t occupied_ = 0;
  std::uint64_t conflicts_ = 0;
};

/// A router with a packet buffer, its ROM the plan's ScheduleProgram. Own packets are what the
/// network injects.
class ScheduleRouter final : public ArenaRouter {
 public:
  /// `program` must outlive the router.
  ScheduleRouter(const sc_core::sc_module_name& name, const ScheduleProgram& program)
      : ArenaRouter(name), program_(&program), buffer_(program) {}

  void clear() override;
  void clock(std::uint64_t step, std::span<const PacketId> injected,
             std::span<const PacketId> arrivals, std::span<PacketId> taken) override;
  /// True when the schedule is over.
  [[nodiscard]] bool drained() const override { return next_step_ > program_->steps(); }
  [[nodiscard]] std::uint64_t conflicts() const override { return buffer_.conflicts(); }
  [[nodiscard]] bool error() const override { return buffer_.conflicts() != 0; }
  /// Slots that have been written, as EngineStatistics::max_queue.
  [[nodiscard]] std::uint32_t max_queue() const override { return buffer_.occupied(); }

 private:
  const ScheduleProgram* program_;
  PacketBuffer buffer_;
  /// The step that the registers were loaded for last.
  std::uint64_t next_step_ = 0;
};

}  // namespace gossamer::systemc
