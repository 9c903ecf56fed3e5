// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The node of elastic plans in gsm_fabric: gsm_elastic_tile with each delivery in one word.
//
// A delivery, from bit 0: data, number of the flit in its packet, slot, and a bit each for the last flit of
// the packet, the last flit of the message on this in-port, and wrong parity. Flags, from bit 0:
// parity_error, order_error, length_error, stall, stall_here.
module gsm_elastic_node #(
    // As in gsm_elastic_tile; its Nodes is RingNodes here.
    parameter int Ports = 4,
    parameter int Width = 32,
    parameter int Slots = 2,
    parameter int Chunk = 1,
    parameter int Rounds = 1,
    parameter int Reduce = 0,
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    parameter bit Mark = 1'b0,
    parameter bit Parity = 1'b0,
    parameter int Stall = 0,
    parameter bit Status = 1'b0,
    parameter int RingNodes = 16,
    parameter bit Halves = 1'b1,
    parameter logic [Ports*Ports-1:0] Feed = (Ports * Ports)'(16'h4812),
    parameter logic [Ports*4-1:0] Cycle = (Ports * 4)'(16'h1100),
    parameter logic [Ports-1:0] Own = {Ports{1'b1}},
    parameter logic [Ports*16-1:0] Forward = {Ports{16'(Halves ? RingNodes / 2 - 1 : RingNodes - 2)}},
    parameter logic [Ports*16-1:0] Take = {Ports{16'(Halves ? RingNodes / 2 : RingNodes - 1)}},
    // Bits of a flit on a link, of a slot, of a flit's number, and of a delivery.
    localparam int LinkWidth = Width + (Chunk > 1 ? 1 : 0) + (Mark ? 1 : 0) + (Parity ? 1 : 0),
    localparam int SlotBits = RingNodes == 0 ? 16 : $clog2(RingNodes),
    localparam int FlitBits = Chunk * Rounds > 1 ? $clog2(Chunk * Rounds) : 1,
    localparam int DeliverBits = Width + FlitBits + SlotBits + 3
) (
    // Clock, rising edge.
    input  logic                         clk_i,
    // Asynchronous reset, active low.
    input  logic                         rst_ni,
    // Constant pins: bits c*16 +: 14 are the node's place on cycle c. Bits 14 and 15 above it indicate that
    // in-ports 2c and 2c + 1 are on a backward ring.
    input  logic [       Ports/2*16-1:0] coordinates_i,
    // Own flits, by out-port; last of a chunk.
    input  logic [            Ports-1:0] own_valid_i,
    output logic [            Ports-1:0] own_ready_o,
    input  logic [      Ports*Width-1:0] own_data_i,
    input  logic [            Ports-1:0] own_last_i,
    // Arrivals, by in-port.
    output logic [            Ports-1:0] deliver_valid_o,
    input  logic [            Ports-1:0] deliver_ready_i,
    output logic [Ports*DeliverBits-1:0] deliver_data_o,
    // Links.
    input  logic [            Ports-1:0] in_valid_i,
    output logic [            Ports-1:0] in_ready_o,
    input  logic [  Ports*LinkWidth-1:0] in_data_i,
    output logic [            Ports-1:0] out_valid_o,
    input  logic [            Ports-1:0] out_ready_i,
    output logic [  Ports*LinkWidth-1:0] out_data_o,
    // As in gsm_elastic_tile.
    output logic                         busy_o,
    output logic                         done_o,
    // Parity, order or length were wrong since reset; all flags.
    output logic                         error_o,
    output logic [                  4:0] flags_o
);

  logic [Ports/2*SlotBits-1:0] rank;
  logic [Ports-1:0] backward;
  logic [Ports*Width-1:0] data;
  logic [Ports-1:0] last;
  logic [Ports*SlotBits-1:0] slot;
  logic [Ports*FlitBits-1:0] flit;
  logic [Ports-1:0] done;
  logic [Ports-1:0] error;

  for (genvar c = 0; c < Ports / 2; c++) begin : gen_cycle
    if (RingNodes == 0) begin : gen_none
      assign rank[c*SlotBits+:SlotBits] = '0;
    end else begin : gen_rank
      assign rank[c*SlotBits+:SlotBits] = coordinates_i[c*16+:SlotBits];
    end
    assign backward[2*c+:2] = coordinates_i[c*16+14+:2];
  end
  for (genvar q = 0; q < Ports; q++) begin : gen_delivery
    assign deliver_data_o[q*DeliverBits+:DeliverBits] = {
      error[q], done[q], last[q], slot[q*SlotBits+:SlotBits], flit[q*FlitBits+:FlitBits], data[q*Width+:Width]
    };
  end
  assign error_o = flags_o[2:0] != '0;
  logic idle;
  // A place is narrower than its field.
  logic unused_place;
  assign unused_place = ^{coordinates_i, idle};

  gsm_elastic_tile #(
      .Ports    (Ports),
      .Width    (Width),
      .Slots    (Slots),
      .Chunk    (Chunk),
      .Rounds   (Rounds),
      .Reduce   (Reduce),
      .Operation(Operation),
      .Ripple   (Ripple),
      .Mark     (Mark),
      .Parity   (Parity),
      .Stall    (Stall),
      .Status   (Status),
      .Nodes    (RingNodes),
      .Halves   (Halves),
      .Feed     (Feed),
      .Cycle    (Cycle),
      .Own      (Own),
      .Forward  (Forward),
      .Take     (Take)
  ) u_tile (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .rank_i        (rank),
      .backward_i    (backward),
      .s_valid_i     (own_valid_i),
      .s_ready_o     (own_ready_o),
      .s_data_i      (own_data_i),
      .s_last_i      (own_last_i),
      .m_valid_o     (deliver_valid_o),
      .m_ready_i     (deliver_ready_i),
      .m_data_o      (data),
      .m_last_o      (last),
      .m_slot_o      (slot),
      .m_flit_o      (flit),
      .m_done_o      (done),
      .m_error_o     (error),
      .in_valid_i    (in_valid_i),
      .in_ready_o    (in_ready_o),
      .in_data_i     (in_data_i),
      .out_valid_o   (out_valid_o),
      .out_ready_i   (out_ready_i),
      .out_data_o    (out_data_o),
      .parity_error_o(flags_o[0]),
      .order_error_o (flags_o[1]),
      .length_error_o(flags_o[2]),
      .stall_o       (flags_o[3]),
      .stall_here_o  (flags_o[4]),
      .busy_o        (busy_o),
      .idle_o        (idle),
      .done_o        (done_o)
  );

endmodule

`default_nettype wire
