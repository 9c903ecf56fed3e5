// SPDX-License-Identifier: Apache-2.0
/// The RTL's scheduled router as a module of the arena-backed SystemC network.
#pragma once

#include <memory>
#include <vector>

#include "gossamer/systemc/arena.hpp"
#include "gossamer/tb/verilated_schedule_router.hpp"

namespace gossamer::tb {

/// Same bindings and same timing as a systemc::ScheduleRouter. The module reads the schedule and
/// puts its words on the router's inputs; the buffer is the RTL's.
class VerilatedScheduleModule final : public systemc::ArenaRouter {
 public:
  /// `program` must outlive the module.
  VerilatedScheduleModule(const sc_core::sc_module_name& name, const ScheduleProgram& program);

  void clear() override;
  void clock(std::uint64_t step, std::span<const PacketId> injected,
             std::span<const PacketId> arrivals, std::span<PacketId> taken) override;
  [[nodiscard]] bool drained() const override { return next_step_ > program_->steps(); }
  /// Arrivals that were for the slot of a lower in-port's arrival; counted from the pins.
  [[nodiscard]] std::uint64_t conflicts() const override { return conflicts_; }
  [[nodiscard]] bool error() const override { return router_->pins().error_o; }
  /// Slots written, by what passed the pins.
  [[nodiscard]] std::uint32_t max_queue() const override { return occupied_; }

 private:
  /// Puts the word's stores of `step` and sources of the next one on the router's inputs.
  void set_word(std::uint64_t step);
  void watch_writes();

  const ScheduleProgram* program_;
  std::unique_ptr<VerilatedScheduleRouter> router_;
  /// The step that the registers were loaded for last.
  std::uint64_t next_step_ = 0;
  /// By slot: written since clear().
  std::vector<bool> written_;
  std::uint32_t occupied_ = 0;
  std::uint64_t conflicts_ = 0;
};

}  // namespace gossamer::tb
