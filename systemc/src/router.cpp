// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/router.hpp"

#include <stdexcept>
#include <utility>

namespace gossamer::systemc {

Router::Router(const sc_core::sc_module_name& name, std::vector<PortProgram> table,
               std::uint32_t depth)
    : sc_core::sc_module(name),
      inject_valid_i("inject_valid_i", table.size()),
      inject_data_i("inject_data_i", table.size()),
      in_valid_i("in_valid_i", table.size()),
      in_data_i("in_data_i", table.size()),
      out_valid_o("out_valid_o", table.size()),
      out_data_o("out_data_o", table.size()),
      table_(std::move(table)),
      arrivals_(table_.size(), kNoPacket) {
  if (table_.empty() || table_.size() > kMaxPorts) {
    throw std::invalid_argument("a router has 1 to 16 ports");
  }
  if (depth == 0) throw std::invalid_argument("a router's queue depth is at least 1");
  for (const PortProgram& program : table_) {
    if (((program.feed.bits() | program.early_feed.bits()) >> table_.size()) != 0) {
      throw std::invalid_argument("a router's table names an in-port that it does not have");
    }
    out_ports_.emplace_back(program, depth);
  }

  SC_HAS_PROCESS(Router);
  SC_METHOD(clock);
  dont_initialize();
  sensitive << clk_i.pos() << rst_ni.neg();
}

void Router::clock() {
  if (!rst_ni.read() || clear_i.read()) {
    step_ = 0;
    for (OutPort& out_port : out_ports_) out_port.clear();
    for (auto& valid : out_valid_o) valid.write(false);
    error_o.write(false);
    return;
  }
  for (std::size_t port = 0; port < arrivals_.size(); ++port) {
    arrivals_[port] = in_valid_i[port].read() ? in_data_i[port].read() : kNoPacket;
  }
  bool lost = false;
  for (std::size_t port = 0; port < out_ports_.size(); ++port) {
    const PacketId injected = inject_valid_i[port].read() ? inject_data_i[port].read() : kNoPacket;
    const PacketId taken = out_ports_[port].clock(step_, injected, arrivals_);
    out_valid_o[port].write(taken != kNoPacket);
    if (taken != kNoPacket) out_data_o[port].write(taken);
    lost = lost || out_ports_[port].conflicts() != 0;
  }
  ++step_;
  error_o.write(lost);
}

void Router::upset(Port port, const Upset& upset) {
  if (!out_valid_o[port].read()) return;
  const PacketId damaged = upset.apply(out_data_o[port].read());
  out_valid_o[port].write(damaged != kNoPacket);
  if (damaged != kNoPacket) out_data_o[port].write(damaged);
}

}  // namespace gossamer::systemc
