// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The memory addresses of the arrivals of one in-port of gsm_elastic_node.
//
// A message is laid out by slot: flit f of the packet of slot s is word base_i + s*Flits + f. A message
// begins with start_i; done_o is high when all of it has been written. Then the module takes no flit until
// the next start_i, so no flit of a later message is written into this message's memory. start_i in cycle t
// lowers done_o in t + 1, the first cycle in which a flit can be taken; all other outputs are combinational.
module gsm_elastic_write #(
    // Slots, and flits of a packet, 1 or more.
    parameter int Nodes = 16,
    parameter int Flits = 4,
    // Bits of a word's address.
    parameter int AddressBits = 16,
    // Bits of a slot and of a flit's number.
    localparam int SlotBits = Nodes > 1 ? $clog2(Nodes) : 1,
    localparam int FlitBits = Flits > 1 ? $clog2(Flits) : 1
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Pulse of one cycle while done_o is high: the next message may come.
    input  logic                   start_i,
    // The first word of the packets of this in-port's cycle; constant while done_o is low.
    input  logic [AddressBits-1:0] base_i,
    // From the tile.
    input  logic                   m_valid_i,
    output logic                   m_ready_o,
    input  logic [   SlotBits-1:0] m_slot_i,
    input  logic [   FlitBits-1:0] m_flit_i,
    input  logic                   m_done_i,
    // To the memory: a word is written at an edge with both.
    output logic                   write_o,
    input  logic                   write_ready_i,
    output logic [AddressBits-1:0] address_o,
    // No message is under way.
    output logic                   done_o
);

  logic done_q;
  assign done_o    = done_q;
  assign write_o   = m_valid_i && !done_q;
  assign m_ready_o = write_ready_i && !done_q;
  if (Flits == 1) begin : gen_single
    assign address_o = base_i + AddressBits'(m_slot_i);
    logic unused_flit;
    assign unused_flit = ^m_flit_i;
  end else if (Flits == 1 << FlitBits) begin : gen_power
    assign address_o = base_i + AddressBits'({m_slot_i, m_flit_i});
  end else begin : gen_any
    assign address_o = base_i + AddressBits'(m_slot_i) * AddressBits'(Flits) + AddressBits'(m_flit_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= 1'b1;
    else if (start_i) done_q <= 1'b0;
    else if (write_o && write_ready_i && m_done_i) done_q <= 1'b1;
  end

  `GSM_ASSERT(StartWhenDone_A, !start_i || done_q, "start_i before the message is complete")
  `GSM_PARAMETER(FlitsLegal_A, Flits >= 1, "Flits must be at least 1")

endmodule

`default_nettype wire
