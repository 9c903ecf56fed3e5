// SPDX-License-Identifier: Apache-2.0
/// Executes script.txt (one line per cycle: rst_ni, clear_i, start_i) and prints a line for each
/// cycle: busy_o, done_o, error_o, and every delivery, - for none. stand_in.sv is the same for RTL.
#include <fstream>
#include <iostream>
#include <systemc>

#include "gsm_network.hpp"

int sc_main(int, char**) {
  constexpr std::size_t kLinks = std::size_t{gsm_plan::kNodes} * gsm_plan::kPorts;
  constexpr std::size_t kOwn = std::size_t{gsm_plan::kNodes} * gsm_plan::kPackets;
  const sc_core::sc_clock clk("clk", 2, sc_core::SC_NS, 0.5, 1, sc_core::SC_NS, true);
  sc_core::sc_signal<bool> rst_n("rst_n"), clear("clear"), start("start");
  sc_core::sc_signal<bool> busy("busy"), done("done"), error("error");
  sc_core::sc_vector<sc_core::sc_signal<std::uint64_t>> own("own", kOwn), data("data", kLinks);
  sc_core::sc_vector<sc_core::sc_signal<bool>> valid("valid", kLinks);
  gsm_network<> network("network");
  network.clk_i(clk);
  network.rst_ni(rst_n);
  network.clear_i(clear);
  network.start_i(start);
  network.own_data_i.bind(own);
  network.deliver_valid_o.bind(valid);
  network.deliver_data_o.bind(data);
  network.busy_o.bind(busy);
  network.done_o.bind(done);
  network.error_o.bind(error);
  for (std::size_t i = 0; i < kOwn; ++i) own[i].write(i);

  std::ifstream script("script.txt");
  bool reset_off = false;
  bool clears = false;
  bool starts = false;
  while (script >> reset_off >> clears >> starts) {
    rst_n.write(reset_off);
    clear.write(clears);
    start.write(starts);
    sc_core::sc_start(2, sc_core::SC_NS);
    std::cout << busy.read() << ' ' << done.read() << ' ' << error.read();
    for (std::size_t i = 0; i < kLinks; ++i) {
      std::cout << ' ';
      if (valid[i].read()) {
        std::cout << data[i].read();
      } else {
        std::cout << '-';
      }
    }
    std::cout << '\n';
  }
  return 0;
}
