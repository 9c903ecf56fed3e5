// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/network_interface.hpp"

#include <stdexcept>
#include <utility>

namespace gossamer::systemc {

NetworkInterface::NetworkInterface(const sc_core::sc_module_name& name,
                                   std::vector<std::vector<std::uint16_t>> preload,
                                   std::uint32_t packets, std::uint64_t steps)
    : sc_core::sc_module(name),
      own_data_i("own_data_i", packets),
      inject_valid_o("inject_valid_o", preload.size()),
      inject_data_o("inject_data_o", preload.size()),
      in_valid_i("in_valid_i", preload.size()),
      in_data_i("in_data_i", preload.size()),
      deliver_valid_o("deliver_valid_o", preload.size()),
      deliver_data_o("deliver_data_o", preload.size()),
      preload_(std::move(preload)),
      steps_(steps) {
  if (preload_.empty() || preload_.size() > kMaxPorts) {
    throw std::invalid_argument("a network interface has 1 to 16 ports");
  }
  for (const std::vector<std::uint16_t>& list : preload_) {
    for (const std::uint16_t packet : list) {
      if (packet >= packets) throw std::invalid_argument("a preload list names no own packet");
    }
  }

  SC_HAS_PROCESS(NetworkInterface);
  SC_METHOD(drive);
  sensitive << start_i << step_;
  for (auto& port : own_data_i) sensitive << port;
  for (auto& port : in_valid_i) sensitive << port;
  for (auto& port : in_data_i) sensitive << port;
  SC_METHOD(clock);
  dont_initialize();
  sensitive << clk_i.pos() << rst_ni.neg();
}

void NetworkInterface::drive() {
  // 0 in the cycle of start_i, the step while a round is running: the index into the lists.
  const std::uint64_t index = step_.read();
  const bool running = index != 0;
  for (std::size_t port = 0; port < preload_.size(); ++port) {
    const bool injects = (running || start_i.read()) && index < preload_[port].size();
    inject_valid_o[port].write(injects);
    if (injects) inject_data_o[port].write(own_data_i[preload_[port][index]].read());
    deliver_valid_o[port].write(running && in_valid_i[port].read());
    deliver_data_o[port].write(in_data_i[port].read());
  }
}

void NetworkInterface::clock() {
  std::uint64_t next = 0;
  bool done = false;
  if (rst_ni.read() && !clear_i.read()) {
    const std::uint64_t step = step_.read();
    done = step != 0 && step == steps_;
    if (!done && (start_i.read() || step != 0)) next = step + 1;
  }
  step_.write(next);
  busy_o.write(next != 0);
  done_o.write(done);
}

}  // namespace gossamer::systemc
