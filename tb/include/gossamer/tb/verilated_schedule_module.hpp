// SPDX-License-Identifier: Apache-2.0
/// The RTL's scheduled router as a module of the SystemC fabric.
#pragma once

#include <memory>
#include <vector>

#include "gossamer/systemc/fabric.hpp"
#include "gossamer/systemc/router_table.hpp"
#include "gossamer/tb/verilated_schedule_router.hpp"

namespace gossamer::tb {

/// Same ports and same timing as a systemc::ScheduleRouter. The module reads the schedule and puts
/// its words and own packets on the router's inputs; the buffer is the RTL's.
class VerilatedScheduleModule final : public systemc::PacketRouter {
 public:
  /// The router of `node`. `program` must outlive the module.
  VerilatedScheduleModule(const sc_core::sc_module_name& name, const ScheduleProgram& program,
                          NodeId node);

  void clear() override;
  std::uint64_t clock(const systemc::PacketEdge& edge) override;
  [[nodiscard]] bool error() const override { return router_->pins().error_o; }
  /// Arrivals that were for the slot of a lower in-port's arrival; counted from the pins.
  [[nodiscard]] std::uint64_t conflicts() const override { return conflicts_; }
  /// Slots written, by what passed the pins.
  [[nodiscard]] std::uint64_t max_queue() const override { return occupied_; }

  /// What the node injects as its own packet `index`, from the next start on.
  void set_own(std::size_t index, PacketId data) { own_.set(index, data); }

 private:
  /// Puts the word's stores of `step` and sources of the next one on the router's inputs.
  void set_word(std::uint64_t step);
  void watch_writes();

  const ScheduleProgram* program_;
  std::uint32_t rom_;
  systemc::OwnPackets own_;
  std::unique_ptr<VerilatedScheduleRouter> router_;
  /// By slot: written since clear().
  std::vector<bool> written_;
  std::uint32_t occupied_ = 0;
  std::uint64_t conflicts_ = 0;
};

}  // namespace gossamer::tb
