// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/link.hpp"

namespace gossamer::systemc {

Link::Link(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
  SC_HAS_PROCESS(Link);
  SC_METHOD(clock);
  dont_initialize();
  sensitive << clk_i.pos() << rst_ni.neg();
}

void Link::clock() {
  if (!rst_ni.read() || clear_i.read()) {
    valid_o.write(false);
    return;
  }
  const bool valid = valid_i.read();
  valid_o.write(valid);
  if (valid) data_o.write(data_i.read());
}

}  // namespace gossamer::systemc
