// SPDX-License-Identifier: Apache-2.0
/// The RTL router as a module of the SystemC fabric.
#pragma once

#include <memory>
#include <vector>

#include "gossamer/systemc/fabric.hpp"
#include "gossamer/systemc/stream/router_table.hpp"
#include "gossamer/tb/queue_monitor.hpp"
#include "gossamer/tb/verilated_router.hpp"

namespace gossamer::tb {

/// Same ports and same timing as a systemc::StreamRouter. It is clocked at every edge, since its
/// step counter is a register of its own. The module is the network interface: it injects own
/// packets.
class VerilatedRouterModule final : public systemc::PacketRouter {
 public:
  VerilatedRouterModule(const sc_core::sc_module_name& name, systemc::RouterTable table);

  void clear() override;
  std::uint64_t clock(const systemc::PacketEdge& edge) override;
  [[nodiscard]] bool error() const override { return router_->pins().error_o; }
  [[nodiscard]] std::uint64_t conflicts() const override;
  [[nodiscard]] std::uint64_t max_queue() const override;

 private:
  /// Counts the pins' traffic at the edge that ended `step`.
  void watch(std::uint64_t step);

  systemc::RouterTable table_;
  std::uint64_t injections_end_;
  std::unique_ptr<VerilatedRouter> router_;
  /// By out-port and slot; empty if the table never lets packets wait.
  std::vector<QueueMonitor> monitors_;
  /// Without monitors: an out-port has an own packet, so its queue length is one.
  bool has_own_ = false;
  /// Own packets beyond the queue depth, which are lost before the start.
  std::uint64_t refused_ = 0;
};

}  // namespace gossamer::tb
