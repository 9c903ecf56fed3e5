// SPDX-License-Identifier: Apache-2.0
/// The RTL router as a module of the arena-backed SystemC network.
#pragma once

#include <memory>
#include <vector>

#include "gossamer/systemc/arena.hpp"
#include "gossamer/tb/queue_monitor.hpp"
#include "gossamer/tb/verilated_router.hpp"

namespace gossamer::tb {

/// Same bindings and same timing as a ModelRouter. It is clocked at every edge, for its step
/// counter is a register that nobody else keeps.
class VerilatedRouterModule final : public systemc::ArenaRouter {
 public:
  VerilatedRouterModule(const sc_core::sc_module_name& name, const systemc::RouterTable& table);

  void clear() override;
  void clock(std::uint64_t step, std::span<const PacketId> injected,
             std::span<const PacketId> arrivals, std::span<PacketId> taken) override;
  [[nodiscard]] bool drained() const override { return false; }
  [[nodiscard]] std::uint64_t conflicts() const override;
  [[nodiscard]] bool error() const override { return router_->pins().error_o; }
  [[nodiscard]] std::uint32_t max_queue() const override;

 private:
  std::unique_ptr<VerilatedRouter> router_;
  systemc::RouterTable table_;
  /// By out-port and slot; none when the table is such that nothing ever waits.
  std::vector<QueueMonitor> monitors_;
  /// Without monitors: an out-port has an own packet, which makes a queue of one.
  bool has_own_ = false;
  /// Own packets beyond the queue depth: lost before the start.
  std::uint64_t refused_ = 0;
};

}  // namespace gossamer::tb
