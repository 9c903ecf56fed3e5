// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A whole node for Hamiltonian gossip and eye-directed broadcast on a 2-D torus with sides of powers
// of two: gsm_dual_router and its network interface. No table: pairing, parities and the length of
// both collectives follow from the node's place and the sides.
//
// start_i in cycle t, at all nodes with the same gossip_i, begins a round; busy_o is high in cycles
// t+1 .. t+L, done_o in cycle t+L+1, with L the steps of gossip or the cycles of the broadcast. The
// next round, of either kind, can start in the cycle of done_o. In gossip own packet c goes both
// ways round cycle c at the edge of start_i. A broadcast's source is the node with source_i; its
// message is read from the node's memory from then on.
//
// The node's memory has two read ports, as the two own packets of gossip enter their links at once:
// packet c is word c. A broadcast reads the same flit at both. Data comes in the cycle of its
// address. Arrivals are delivered in the cycle in which they come, in-port by in-port, without a
// register; of a broadcast there is one at most, the flits in order, the first marked as head.
module gsm_dual_node #(
    // log2 of the sides, 1..15 each.
    parameter int LevelsX = 2,
    parameter int LevelsY = 2,
    // The node's coordinates.
    parameter int X = 0,
    parameter int Y = 0,
    // 0: a mesh, which has no gossip; only its eyes can be sources.
    parameter bit Torus = 1'b1,
    // Data bits of a flit, more than the header's.
    parameter int Width = 32,
    // Flits of a broadcast's message, 1 or more.
    parameter int Flits = 4,
    // Cycles between having the message and sending it on, 0 or more.
    parameter int RelayCycles = 1,
    // Follow from the others.
    localparam int TimeBits = $clog2(Flits + RelayCycles + 1),
    // Bits of a word's number in the node's memory.
    localparam int AddressWidth = TimeBits
) (
    // Clock, rising edge.
    input  logic                      clk_i,
    // Asynchronous reset, active low.
    input  logic                      rst_ni,
    // Synchronous clear: ends the round without done_o and leaves nothing behind.
    input  logic                      clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                      start_i,
    // The round is a gossip, not a broadcast; constant from start_i until busy_o is low.
    input  logic                      gossip_i,
    // With start_i: this node is the broadcast's source.
    input  logic                      source_i,
    // The node's memory: read port i's address and data.
    output logic [2*AddressWidth-1:0] address_o,
    input  logic [       2*Width-1:0] own_data_i,
    // Ports x-, x+, y-, y+: what arrives.
    input  logic [               3:0] in_valid_i,
    input  logic [               3:0] in_head_i,
    input  logic [       4*Width-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [               3:0] out_valid_o,
    output logic [               3:0] out_head_o,
    output logic [       4*Width-1:0] out_data_o,
    // What arrives for this node.
    output logic [               3:0] deliver_valid_o,
    output logic [               3:0] deliver_head_o,
    output logic [       4*Width-1:0] deliver_data_o,
    // A round is running.
    output logic                      busy_o,
    // The cycle after a round.
    output logic                      done_o,
    // Sticky until the next start, clear or reset: two flits were for one link, or two messages for
    // this node.
    output logic                      error_o
);

  // Links of a send in the highest level K: (2^K - (-1)^K) / 3.
  localparam int Levels = LevelsX > LevelsY ? LevelsX : LevelsY;
  localparam int Stretch = ((1 << Levels) + 1) / 3;
  localparam int HopBits = Stretch > 2 ? $clog2(Stretch) : 1;
  localparam int StepBits = $clog2(LevelsX + LevelsY);

  // Gossip: both ways round a cycle of all nodes. Broadcast: step after step; the stretches of
  // levels 1..k add up to floor(2^(k+1) / 3).
  localparam int GossipSteps = 1 << (LevelsX + LevelsY - 1);
  localparam int BroadcastCycles = (2 << LevelsX) / 3 + (2 << LevelsY) / 3 +
      (LevelsX + LevelsY) * (Flits - 1 + RelayCycles) - RelayCycles;
  localparam int Longest = GossipSteps > BroadcastCycles ? GossipSteps : BroadcastCycles;
  localparam int CycleWidth = $clog2(Longest + 1);

  logic gossip;
  assign gossip = Torus && gossip_i;

  logic [CycleWidth-1:0] cycle;
  logic last;
  gsm_round #(
      .StepWidth(CycleWidth)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .steps_i(gossip ? CycleWidth'(GossipSteps) : CycleWidth'(BroadcastCycles)),
      .step_o (cycle),
      .busy_o (busy_o),
      .last_o (last),
      .done_o (done_o)
  );

  // The router forgets an error with its clear.
  logic error;
  logic error_q;
  assign error_o = error_q || error;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else if (clear_i || start_i) error_q <= 1'b0;
    else if (error) error_q <= 1'b1;
  end

  logic [15:0] feed;
  logic [3:0] cycle_of_port;
  gsm_pairing u_pairing (
      .x_i    (16'(X)),
      .y_i    (16'(Y)),
      .nx_i   (16'(1 << LevelsX)),
      .ny_i   (16'(1 << LevelsY)),
      .feed_o (feed),
      .cycle_o(cycle_of_port)
  );
  logic [4*Width-1:0] own_data;
  for (genvar p = 0; p < 4; p++) begin : gen_own_word
    assign own_data[p*Width+:Width] =
        cycle_of_port[p] ? own_data_i[Width+:Width] : own_data_i[Width-1:0];
  end

  logic [TimeBits-1:0] flit;
  assign address_o = {flit | AddressWidth'(gossip), flit};
  assign deliver_head_o = in_head_i;
  assign deliver_data_o = in_data_i;

  logic router_busy;
  gsm_dual_router #(
      .Ports   (4),
      .Width   (Width),
      .HopBits (HopBits),
      .StepBits(StepBits),
      .Torus   (Torus),
      .TimeBits(TimeBits)
  ) u_router (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i || last || !(start_i || busy_o)),
      .gossip_i       (gossip),
      .feed_i         (feed),
      .levels_i       ({4'(LevelsY), 4'(LevelsX)}),
      .parity_i       ({1'(Y), 1'(X)}),
      .flits_i        (TimeBits'(Flits)),
      .relay_cycles_i (TimeBits'(RelayCycles)),
      .start_i        (start_i && !gossip && source_i),
      .inject_valid_i ({4{start_i && gossip}}),
      .flit_o         (flit),
      .own_data_i     (own_data),
      .in_valid_i     (in_valid_i),
      .in_head_i      (in_head_i),
      .in_data_i      (in_data_i),
      .out_valid_o    (out_valid_o),
      .out_head_o     (out_head_o),
      .out_data_o     (out_data_o),
      .deliver_valid_o(deliver_valid_o),
      .busy_o         (router_busy),
      .error_o        (error)
  );
  logic unused;
  assign unused = ^{router_busy, cycle};

  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_PARAMETER(LevelsLegal_A, LevelsX >= 1 && LevelsX <= 15 && LevelsY >= 1 && LevelsY <= 15,
                 "the sides must be 2^1..2^15")
  `GSM_PARAMETER(PlaceLegal_A, X >= 0 && X < 1 << LevelsX && Y >= 0 && Y < 1 << LevelsY,
                 "the node must be within the sides")
  `GSM_PARAMETER(FlitsLegal_A, Flits >= 1, "Flits must be at least 1")
  `GSM_PARAMETER(RelayCyclesLegal_A, RelayCycles >= 0, "RelayCycles must be 0 or more")

endmodule

`default_nettype wire
