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

/// Streams, in frames of one or more slots. Every out-port has an OutPort for each slot, which
/// handles arrivals and own packets as described in out_port.hpp.
class StreamRouter : public PacketRouter {
 public:
  /// Throws std::invalid_argument if the table has no ports or names a port that it does not have.
  StreamRouter(const sc_core::sc_module_name& name, RouterTable table);

  /// Replaces the tables, from the next start on; the number of ports must not change. Throws like
  /// the constructor, without any change.
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

  /// Sets the data of own packet `index`, from the next start on.
  void set_own(std::size_t index, PacketId data) { table_.own.set(index, data); }

 private:
  // Passed by value, so that the edge of clock() can stay in registers.
  std::uint64_t start(PacketEdge edge);
  std::uint64_t clock_queues(PacketEdge edge);

  /// True if no packet can ever wait in this router: each out-port has at most one feed, which
  /// never changes, and at most one own packet. The router then consists of wires and link
  /// registers, without queues.
  bool wired_ = true;
  std::uint8_t ports_ = 0;
  bool has_own_ = false;
  /// The feeds of a router that is only wires, by out-port: the slot of an in-port, or of the one
  /// that is always idle.
  std::array<LinkId, kMaxPorts> source_{};
  RouterTable table_;
  std::uint64_t injections_end_ = 0;
  /// Out-port p's queue of slot t at p * frame + t.
  std::vector<OutPort> queues_;
};

}  // namespace gossamer::systemc
