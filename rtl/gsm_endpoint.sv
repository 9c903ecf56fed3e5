// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// Valid/ready streams for one processing element, between it and the network's node.
//
// Sending: the element gives Packets * Flits beats for a round, packet by packet, flit by flit;
// loaded_o is high when they are all there. take_i hands them to the network and makes room for the
// next round's. A packet of several flits crosses the network as that many rounds, flit_i says
// which one is running.
//
// Receiving: one stream for each in-port. The network cannot be stopped, so every stream has a queue;
// an arrival that finds it full is lost and raises overflow_o until clear or take. A queue of
// Flits * Steps entries never overflows when the element empties it before the next round.
module gsm_endpoint #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit, 1 or more.
    parameter int Width = 32,
    // Own packets of the node, 1..1024.
    parameter int Packets = 1,
    // Flits of a packet, 1..65535.
    parameter int Flits = 1,
    // Entries of each receiving queue.
    parameter int Depth = 16,
    // 1: each flit travels with an even parity bit, checked on arrival.
    parameter int Parity = 0,
    // Bits of step_i and rx_step_o.
    parameter int StepWidth = 16,
    // Bits of flit_i and rx_flit_o.
    parameter int FlitWidth = 16
) (
    // Clock, rising edge.
    input  logic                               clk_i,
    // Asynchronous reset, active low.
    input  logic                               rst_ni,
    // Synchronous clear: forgets what was loaded and received, lowers the error flags.
    input  logic                               clear_i,
    // From the processing element.
    input  logic                               tx_valid_i,
    output logic                               tx_ready_o,
    input  logic [                  Width-1:0] tx_data_i,
    // To the processing element, one stream for each in-port, with the step and the flit's number in
    // which it came: the plan says whose packet that is.
    output logic [                  Ports-1:0] rx_valid_o,
    input  logic [                  Ports-1:0] rx_ready_i,
    output logic [            Ports*Width-1:0] rx_data_o,
    output logic [        Ports*StepWidth-1:0] rx_step_o,
    output logic [        Ports*FlitWidth-1:0] rx_flit_o,
    // All of the next round's beats are here.
    output logic                               loaded_o,
    // Pulse: they become this round's. Only while loaded_o is high.
    input  logic                               take_i,
    // Which flit's round is running or beginning, < Flits, and its step.
    input  logic [              FlitWidth-1:0] flit_i,
    input  logic [              StepWidth-1:0] step_i,
    // The node of the network.
    output logic [Packets*(Width+Parity)-1:0]  own_data_o,
    input  logic [                  Ports-1:0] deliver_valid_i,
    input  logic [Ports*(Width+Parity)-1:0]    deliver_data_i,
    // An arrival was lost, or came with wrong parity, since the last clear or take.
    output logic                               overflow_o,
    output logic                               parity_error_o
);

  localparam int Beats = Packets * Flits;
  localparam int BeatWidth = $clog2(Beats + 1);
  localparam int LinkWidth = Width + Parity;
  localparam int EntryWidth = Width + StepWidth + FlitWidth;

  // --- sending ---

  logic [Beats*Width-1:0] next_q;
  logic [Beats*Width-1:0] own_q;
  logic [BeatWidth-1:0] count_q;

  assign loaded_o   = count_q == BeatWidth'(Beats);
  assign tx_ready_o = !loaded_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (clear_i || take_i) count_q <= '0;
    else if (tx_valid_i && tx_ready_o) count_q <= count_q + 1'b1;
  end
  // No reset: beats mean something only once they are counted.
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Beats; i++) begin
      if (tx_valid_i && tx_ready_o && 32'(count_q) == i) next_q[i*Width+:Width] <= tx_data_i;
    end
    if (take_i) own_q <= next_q;
  end

  for (genvar c = 0; c < Packets; c++) begin : gen_packet
    logic [Width-1:0] flit;
    assign flit = own_q[(c*Flits+32'(flit_i))*Width+:Width];
    assign own_data_o[c*LinkWidth+:Width] = flit;
    if (Parity != 0) begin : gen_parity
      assign own_data_o[c*LinkWidth+Width] = ^flit;
    end
  end

  // --- receiving ---

  logic [Ports-1:0] lost;
  logic [Ports-1:0] odd;
  for (genvar q = 0; q < Ports; q++) begin : gen_in_port
    logic [EntryWidth-1:0] entry;
    gsm_fifo #(
        .Width(EntryWidth),
        .Depth(Depth)
    ) u_fifo (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .clear_i   (clear_i),
        .push_i    (deliver_valid_i[q]),
        .data_i    ({flit_i, step_i, deliver_data_i[q*LinkWidth+:Width]}),
        .overflow_o(lost[q]),
        .valid_o   (rx_valid_o[q]),
        .ready_i   (rx_ready_i[q]),
        .data_o    (entry)
    );
    assign {rx_flit_o[q*FlitWidth+:FlitWidth], rx_step_o[q*StepWidth+:StepWidth],
            rx_data_o[q*Width+:Width]} = entry;
    assign odd[q] = Parity != 0 && deliver_valid_i[q] && ^deliver_data_i[q*LinkWidth+:LinkWidth];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      overflow_o     <= 1'b0;
      parity_error_o <= 1'b0;
    end else if (clear_i || take_i) begin
      overflow_o     <= 1'b0;
      parity_error_o <= 1'b0;
    end else begin
      if (lost != '0) overflow_o <= 1'b1;
      if (odd != '0) parity_error_o <= 1'b1;
    end
  end

  `GSM_ASSERT(TakeWhenLoaded_A, !take_i || loaded_o, "take_i before all beats have come")
  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")
  `GSM_PARAMETER(PacketsLegal_A, Packets >= 1 && Packets <= 1024, "Packets must be 1..1024")
  `GSM_PARAMETER(FlitsLegal_A, Flits >= 1 && Flits <= 65535, "Flits must be 1..65535")
  `GSM_PARAMETER(ParityLegal_A, Parity == 0 || Parity == 1, "Parity must be 0 or 1")

endmodule
