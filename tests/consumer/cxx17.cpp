// SPDX-License-Identifier: Apache-2.0
/// A C++17 program that uses a Gossamer network through its own interface.
#include <iostream>

#include "chip.hpp"

static_assert(__cplusplus == 201703L, "this file stands for a project that stays at C++17");

int sc_main(int, char**) {
  sc_core::sc_clock clk("clk", 2, sc_core::SC_NS, 0.5, 1, sc_core::SC_NS, true);
  sc_core::sc_signal<bool> rst_n("rst_n");
  sc_core::sc_signal<bool> clear("clear");
  sc_core::sc_signal<bool> start("start");
  const auto chip = make_chip(clk, rst_n, clear, start);
  const auto cycle = [] { sc_core::sc_start(2, sc_core::SC_NS); };
  cycle();
  rst_n.write(true);
  start.write(true);
  cycle();
  start.write(false);
  std::cout << chip->busy_links() << " busy links\n";
  return 0;
}
