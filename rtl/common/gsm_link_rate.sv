// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A link of fewer wires than a word has bits: a serialiser at the sender, a shift register at the
// receiver.
//
// A word that is on data_i in cycle t is complete on data_o in cycle t + Period - 1, and the next one can
// start in cycle t + Period. In between, ceil(Width / Period) wires carry its bits, lowest first. There is
// neither ready nor credit: a plan never starts a busy link. A word on a busy link is ignored.
module gsm_link_rate #(
    // Data bits of a word, 1 or more.
    parameter int Width  = 32,
    // Cycles that the link takes for a word, 2..255.
    parameter int Period = 4
) (
    // Clock, rising edge.
    input  logic             clk_i,
    // Asynchronous reset, active low.
    input  logic             rst_ni,
    // Synchronous clear: the link is idle in the next cycle, regardless of valid_i.
    input  logic             clear_i,
    // A word starts; it is on data_i in this cycle only.
    input  logic             valid_i,
    input  logic [Width-1:0] data_i,
    // A word is complete on data_o; the last of its bits cross the link in this cycle.
    output logic             valid_o,
    output logic [Width-1:0] data_o
);

  localparam int Wires = (Width + Period - 1) / Period;
  localparam int Rest = (Period - 1) * Wires;
  localparam int CountWidth = $clog2(Period);

  // Further cycles that the present word takes.
  logic [CountWidth-1:0] left;
  logic start;
  assign start = valid_i && left == '0;

  // The sender: the bits that have not crossed.
  logic [Rest-1:0] unsent;
  logic [Period*Wires-1:0] word;
  assign word = (Period * Wires)'(data_i);

  logic [Wires-1:0] wires;
  assign wires = left == '0 ? word[Wires-1:0] : unsent[Wires-1:0];

  // The receiver: the bits that have crossed, below those on the wires.
  logic [Rest-1:0] received;
  logic [Period*Wires-1:0] arrived;
  assign arrived = {wires, received};
  assign valid_o = left == CountWidth'(1);
  assign data_o  = arrived[Width-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left <= '0;
    else if (clear_i) left <= '0;
    else if (start) left <= CountWidth'(Period - 1);
    else if (left != '0) left <= left - CountWidth'(1);
  end

  always_ff @(posedge clk_i) begin
    if (start) unsent <= word[Period*Wires-1:Wires];
    else unsent <= unsent >> Wires;
    if (start || left != '0) received <= arrived[Period*Wires-1:Wires];
  end

  `GSM_PARAMETER(WidthLegal_A, Width >= 1, "Width must be at least 1")
  `GSM_PARAMETER(PeriodLegal_A, Period >= 2 && Period <= 255, "Period must be 2..255")
  `GSM_ASSERT(StartWhenIdle_A, !valid_i || left == '0, "a word starts on a busy link")

endmodule

`default_nettype wire
