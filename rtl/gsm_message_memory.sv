// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The message at a node of a broadcast: what the relay router sends on.
//
// The source's is given; a node that relays keeps the flits that it is delivered; one that only
// receives has no memory. Flit flit_i is on data_o in the same cycle; a delivered flit can be read
// from the next cycle on.
module gsm_message_memory #(
    // Data bits of a flit, 1 or more.
    parameter int Width = 32,
    // Flits of a message, 1..65535.
    parameter int Flits = 1,
    // Bits of a flit's number, 1..32: Flits - 1 fits.
    parameter int TimeBits = 8,
    // 1: the node is the source. Else 1: it sends the message on.
    parameter bit Source = 1'b0,
    parameter bit Relays = 1'b1
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // The message at the source, flit i in bits i*Width +: Width; stable while it is sent.
    input  logic [Flits*Width-1:0] message_i,
    // What the node is delivered: flits in consecutive cycles, the first with the head bit.
    input  logic                   deliver_valid_i,
    input  logic                   deliver_head_i,
    input  logic [      Width-1:0] deliver_data_i,
    // The router asks for a flit, below Flits.
    input  logic [   TimeBits-1:0] flit_i,
    output logic [      Width-1:0] data_o
);

  if (!Source && Relays) begin : gen_memory
    localparam int AddressBits = Flits > 1 ? $clog2(Flits) : 1;
    logic [Width-1:0] flit_q[Flits];
    logic [AddressBits-1:0] next_q;
    logic [AddressBits-1:0] at;
    assign at = deliver_head_i ? '0 : next_q;
    always_ff @(posedge clk_i) begin
      if (deliver_valid_i) begin
        flit_q[at] <= deliver_data_i;
        next_q     <= at + 1'b1;
      end
    end
    assign data_o = flit_q[flit_i[AddressBits-1:0]];

    logic unused_message;
    assign unused_message = ^{message_i, flit_i};
  end else begin : gen_given
    if (Source) begin : gen_source
      assign data_o = message_i[flit_i*Width+:Width];
    end else begin : gen_none
      assign data_o = '0;
      logic unused_message;
      assign unused_message = ^{message_i, flit_i};
    end
    logic unused_delivery;
    assign unused_delivery = ^{clk_i, deliver_valid_i, deliver_head_i, deliver_data_i};
  end

  `GSM_PARAMETER(FlitsLegal_A, Flits >= 1 && Flits <= 65535, "Flits must be 1..65535")

endmodule

`default_nettype wire
