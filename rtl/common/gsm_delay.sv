// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A delay line: a word that enters in a cycle leaves cycles_i cycles later; 0: in the same cycle. A ring of words
// with one address, which is read before it is written. With a constant delay of one cycle it is a register.
// Clear and reset make the flags on their way 0; data have no reset.
module gsm_delay #(
    // Bits that are cleared, and data bits; 1 or more each.
    parameter int Flags = 1,
    parameter int Width = 32,
    // The longest delay, 0..65565.
    parameter int Most = 1
) (
    // Clock, rising edge.
    input  logic             clk_i,
    // Asynchronous reset, active low.
    input  logic             rst_ni,
    // Synchronous clear: all flags on their way are 0 in the next cycle.
    input  logic             clear_i,
    // The delay, 0..Most; it changes only while clear_i is high.
    input  logic [     16:0] cycles_i,
    input  logic [Flags-1:0] flags_i,
    input  logic [Width-1:0] data_i,
    output logic [Flags-1:0] flags_o,
    output logic [Width-1:0] data_o
);

  if (Most == 0) begin : gen_wires
    assign flags_o = flags_i;
    assign data_o  = data_i;
    logic unused;
    assign unused = ^{clk_i, rst_ni, clear_i, cycles_i};
  end else begin : gen_line
    localparam int AddressBits = Most > 1 ? $clog2(Most) : 1;
    logic [Most*Flags-1:0] flags_q;
    logic [Width-1:0] data_q[Most];
    logic [AddressBits-1:0] address_q;
    logic ends;
    assign ends = 17'(address_q) + 17'd1 >= cycles_i;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        flags_q   <= '0;
        address_q <= '0;
      end else if (clear_i) begin
        flags_q   <= '0;
        address_q <= '0;
      end else begin
        flags_q[32'(address_q)*Flags+:Flags] <= flags_i;
        address_q                            <= ends ? '0 : address_q + 1'b1;
      end
    end
    always_ff @(posedge clk_i) data_q[address_q] <= data_i;
    assign flags_o = cycles_i == '0 ? flags_i : flags_q[32'(address_q)*Flags+:Flags];
    assign data_o  = cycles_i == '0 ? data_i : data_q[address_q];
  end

  `GSM_PARAMETER(FlagsLegal_A, Flags >= 1 && Width >= 1, "Flags and Width must be at least 1")
  `GSM_PARAMETER(MostLegal_A, Most >= 0 && Most <= 65565, "Most must be 0..65565")

endmodule

`default_nettype wire
