// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A clock that has an edge only if enable_i was high in the previous cycle. An ASIC replaces this module by
// a library cell, an FPGA by a clock buffer with an enable.
module gsm_clock_gate (
    // Clock, rising edge.
    input  logic clk_i,
    // The edge at the end of this cycle passes.
    input  logic enable_i,
    // The gated clock.
    output logic clk_o
);

  // A change while the clock is high affects the next edge.
  logic enable_q;
  always_latch begin
    if (!clk_i) enable_q = enable_i;
  end
  assign clk_o = clk_i && enable_q;

endmodule

`default_nettype wire
