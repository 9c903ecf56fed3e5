// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The packets that wait at an out-port: a FIFO that several packets can join in one cycle.
//
// The link register that the queue feeds takes the head where take_i is high. If the queue is empty, it
// takes the first arrival instead, which then never enters the FIFO. All other arrivals are appended in
// ascending order of their in-ports, in the same cycle. Arrivals beyond the limit are lost and reported.
module gsm_queue #(
    // In-ports of the router, 1..16.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Capacity in packets, 1..65535.
    parameter int Entries = 1
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Synchronous clear: empty in the next cycle; nothing is reported lost.
    input  logic                   clear_i,
    // The packets that may wait after this edge, 0..Entries.
    input  logic [           15:0] limit_i,
    // The register takes a packet from here at the coming edge.
    input  logic                   take_i,
    // Arrivals for this queue.
    input  logic [      Ports-1:0] arrive_i,
    // Arrivals of all in-ports.
    input  logic [Ports*Width-1:0] in_data_i,
    // The head, as it was before this cycle's arrivals.
    output logic                   valid_o,
    output logic [      Width-1:0] data_o,
    // A packet is lost at the coming edge.
    output logic                   overflow_o
);

  localparam int AddressWidth = Entries > 1 ? $clog2(Entries) : 1;
  localparam int CountWidth = $clog2(Entries + 1);
  localparam logic [AddressWidth-1:0] Last = AddressWidth'(Entries - 1);

  logic [Width-1:0] entry_q[Entries];
  logic [AddressWidth-1:0] head_q;
  logic [AddressWidth-1:0] tail_q;
  logic [CountWidth-1:0] count_q;

  assign valid_o = count_q != '0;
  assign data_o  = entry_q[head_q];

  function automatic logic [AddressWidth-1:0] behind(input logic [AddressWidth-1:0] address);
    behind = address == Last ? '0 : address + 1'b1;
  endfunction

  // The destination of each arrival: the link register (open to the first arrival if the queue is empty),
  // an entry, or none; and the resulting tail and number of waiting packets.
  localparam int NextBits = 1 + Ports * (1 + AddressWidth) + AddressWidth + CountWidth;
  function automatic logic [NextBits-1:0] joined(input logic [Ports-1:0] arrivals, input logic first_passes,
                                                 input logic [15:0] limit,
                                                 input logic [AddressWidth-1:0] old_tail,
                                                 input logic [CountWidth-1:0] stay);
    logic open;
    logic full;
    logic [Ports-1:0] enters;
    logic [Ports*AddressWidth-1:0] address;
    logic [AddressWidth-1:0] tail;
    logic [CountWidth-1:0] count;
    open    = first_passes;
    full    = 1'b0;
    enters  = '0;
    address = '0;
    tail    = old_tail;
    count   = stay;
    for (int q = 0; q < Ports; q++) begin
      if (arrivals[q]) begin
        if (open) begin
          open = 1'b0;
        end else if (16'(count) < limit) begin
          enters[q]                             = 1'b1;
          address[q*AddressWidth+:AddressWidth] = tail;
          tail                                  = behind(tail);
          count                                 = count + 1'b1;
        end else begin
          full = 1'b1;
        end
      end
    end
    joined = {full, enters, address, tail, count};
  endfunction

  logic pop;
  logic lost;
  logic [Ports-1:0] push;
  logic [Ports*AddressWidth-1:0] push_address;
  logic [AddressWidth-1:0] head_d;
  logic [AddressWidth-1:0] tail_d;
  logic [CountWidth-1:0] count_d;
  logic [NextBits-1:0] next;
  assign pop    = take_i && valid_o;
  assign head_d = pop ? behind(head_q) : head_q;
  // In two steps: Verilator calls the function for each part of a concatenation.
  assign next   = joined(arrive_i, take_i && !valid_o, limit_i, tail_q, pop ? count_q - 1'b1 : count_q);
  assign {lost, push, push_address, tail_d, count_d} = next;
  assign overflow_o = lost && !clear_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else if (clear_i) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      head_q  <= head_d;
      tail_q  <= tail_d;
      count_q <= count_d;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int q = 0; q < Ports; q++) begin
      if (push[q]) begin
        entry_q[push_address[q*AddressWidth+:AddressWidth]] <= in_data_i[q*Width+:Width];
      end
    end
  end

  `GSM_ASSERT(CountInRange_A, 16'(count_q) <= 16'(Entries), "more packets wait than the queue can hold")
  `GSM_ASSERT(LimitInRange_A, clear_i || limit_i <= 16'(Entries), "limit_i is above Entries")
  `GSM_PARAMETER(PortsLegal_A, Ports >= 1 && Ports <= 16, "Ports must be 1..16")
  `GSM_PARAMETER(EntriesLegal_A, Entries >= 1 && Entries <= 65535, "Entries must be 1..65535")

endmodule

`default_nettype wire
