// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The error of a round. Routers lose their error flag when they are cleared; a tile keeps it until the next
// round.
module gsm_error (
    // Clock, rising edge.
    input  logic clk_i,
    // Asynchronous reset, active low.
    input  logic rst_ni,
    // Synchronous clear.
    input  logic clear_i,
    // Pulse of one cycle: a round begins.
    input  logic start_i,
    // There is an error in this cycle.
    input  logic fault_i,
    // There has been an error since the last clear, reset or start; high in the cycle of the error also.
    output logic error_o
);

  logic error_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else if (clear_i || start_i) error_q <= 1'b0;
    else if (fault_i) error_q <= 1'b1;
  end
  assign error_o = error_q || fault_i;

  `GSM_ASSERT(ErrorKnown_A, error_o !== 1'bx, "the error is unknown")

endmodule

`default_nettype wire
