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
      arrivals_(table_.size(), kNoPacket),
      links_("link", table_.size()),
      next_valid_("next_valid", table_.size()),
      next_data_("next_data", table_.size()) {
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
  for (std::size_t port = 0; port < table_.size(); ++port) {
    Link& link = links_[port];
    link.clk_i(clk_i);
    link.rst_ni(rst_ni);
    link.clear_i(clear_i);
    link.valid_i(next_valid_[port]);
    link.data_i(next_data_[port]);
    link.valid_o(out_valid_o[port]);
    link.data_o(out_data_o[port]);
  }

  SC_HAS_PROCESS(Router);
  SC_METHOD(select);
  for (std::size_t port = 0; port < table_.size(); ++port) {
    sensitive << inject_valid_i[port] << inject_data_i[port] << in_valid_i[port] << in_data_i[port];
  }
  sensitive << state_changed_;
  SC_METHOD(clock);
  dont_initialize();
  sensitive << clk_i.pos() << rst_ni.neg();
}

void Router::read_arrivals() {
  for (std::size_t port = 0; port < arrivals_.size(); ++port) {
    arrivals_[port] = in_valid_i[port].read() ? in_data_i[port].read() : kNoPacket;
  }
}

void Router::select() {
  read_arrivals();
  for (std::size_t port = 0; port < out_ports_.size(); ++port) {
    const PacketId next = out_ports_[port].next(step_, injected(port), arrivals_);
    next_valid_[port].write(next != kNoPacket);
    if (next != kNoPacket) next_data_[port].write(next);
  }
}

void Router::clock() {
  state_changed_.notify(sc_core::SC_ZERO_TIME);
  if (!rst_ni.read() || clear_i.read()) {
    step_ = 0;
    for (OutPort& out_port : out_ports_) out_port.clear();
    error_o.write(false);
    return;
  }
  read_arrivals();
  bool lost = false;
  for (std::size_t port = 0; port < out_ports_.size(); ++port) {
    out_ports_[port].clock(step_, injected(port), arrivals_);
    lost = lost || out_ports_[port].conflicts() != 0;
  }
  ++step_;
  error_o.write(lost);
}

}  // namespace gossamer::systemc
