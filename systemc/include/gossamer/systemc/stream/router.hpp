// SPDX-License-Identifier: Apache-2.0
/// The stream router with its network interface as a module of the fabric: `gsm_router` and
/// `gsm_network_interface` in SystemC.
#pragma once

#include <array>
#include <vector>

#include "gossamer/systemc/fabric.hpp"
#include "gossamer/systemc/out_port.hpp"
#include "gossamer/systemc/stream/router_table.hpp"

namespace gossamer::systemc {

/// Streams, in frames of one or more slots. Every out-port has an OutPort for each slot; what
/// arrives, and what the node injects, goes through them as out_port.hpp says.
class StreamRouter : public PacketRouter {
 public:
  /// Throws std::invalid_argument when the table has no ports or names one that it does not have.
  StreamRouter(const sc_core::sc_module_name& name, RouterTable table);

  /// Other tables, from the next start on; as many ports as before. Throws as the constructor, and
  /// then nothing has changed.
  void load(RouterTable table);

  void clear() override;
  std::uint64_t clock(const PacketEdge& edge) override {
    if (!wired_) return clock_queues(edge);
    if (edge.cycle() == 0) return start(edge);
    for (std::size_t port = 0; port < ports_; ++port) edge.drive(port, edge.at(source_[port]));
    return kUntilArrival;
  }
  void clock_run(RouterRun<PacketId>& run) override;
  [[nodiscard]] bool error() const override { return conflicts() != 0; }
  [[nodiscard]] std::uint64_t conflicts() const override;
  [[nodiscard]] std::uint64_t max_queue() const override;

  /// What the node injects as its own packet `index`, from the next start on.
  void set_own(std::size_t index, PacketId data) { table_.own.set(index, data); }

 private:
  // Edges by value, so that clock()'s can stay in registers.
  std::uint64_t start(PacketEdge edge);
  std::uint64_t clock_queues(PacketEdge edge);

  /// Nothing can ever wait in this router: each out-port has one feed at most, for good, and one
  /// own packet at most. It then is its wiring, and has no queues.
  bool wired_ = true;
  std::uint8_t ports_ = 0;
  bool has_own_ = false;
  /// A wired router's feeds, by out-port: the slot of an in-port, or of the one that is always
  /// idle.
  std::array<LinkId, kMaxPorts> source_{};
  RouterTable table_;
  std::uint64_t injections_end_ = 0;
  /// Out-port p's queue of slot t at p * frame + t.
  std::vector<OutPort> queues_;
};

}  // namespace gossamer::systemc
