// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The memory addresses of the own flits of one out-port of gsm_elastic_node, from counters only.
// Counterpart of gsm_elastic_write.
//
// Flit f of the packet of slot s is word base_i + s*Flits + f. A message begins with start_i. Without
// Reduce it is the node's own packet. With Reduce each round has a chunk of the slots L, L - 1, .. 1 places
// ahead (in the opposite direction on a backward ring), which the tile adds to passing arrivals. With
// Reduce = 2 the own packet follows, which must be the sum by then. The module waits until go_i
// indicates that the word may be read; go_i is never withdrawn before that.
//
// start_i in cycle t raises s_valid_o in t + 1. The last flit's handshake in cycle t raises done_o in t + 1.
module gsm_elastic_read #(
    // Nodes of the ring, 3 or more, and flits of a chunk and rounds of a message, 1 or more.
    parameter int Nodes = 16,
    parameter int Chunk = 1,
    parameter int Rounds = 4,
    // As in gsm_elastic_node. With its Halves both rings of a cycle carry the same packet.
    parameter int Reduce = 0,
    parameter bit Halves = 1'b1,
    // Bits of a word's address.
    parameter int AddressBits = 16,
    // Bits of a slot, of a flit's number, and of the number of a chunk in its round.
    localparam int SlotBits = $clog2(Nodes),
    localparam int FlitBits = Chunk * Rounds > 1 ? $clog2(Chunk * Rounds) : 1
) (
    // Clock, rising edge.
    input  logic                   clk_i,
    // Asynchronous reset, active low.
    input  logic                   rst_ni,
    // Constant pins: the node's place on the ring, and that the ring runs backward.
    input  logic [   SlotBits-1:0] rank_i,
    input  logic                   backward_i,
    // Pulse of one cycle while done_o is high: the next message.
    input  logic                   start_i,
    // The first word of the packets of this cycle; constant while done_o is low.
    input  logic [AddressBits-1:0] base_i,
    // The word at address_o, flit flit_o, may be read. Needed only for own packets (own_o) with Reduce = 2.
    input  logic                   go_i,
    output logic [AddressBits-1:0] address_o,
    output logic [   FlitBits-1:0] flit_o,
    output logic                   own_o,
    // To the tile, together with the word that is read in the same cycle.
    output logic                   s_valid_o,
    input  logic                   s_ready_i,
    output logic                   s_last_o,
    // No message is under way.
    output logic                   done_o
);

  localparam int Flits = Chunk * Rounds;
  localparam int ChunkBits = Chunk > 1 ? $clog2(Chunk) : 1;

  // Distance of the chunk's slot ahead of this node, 0 for the own packet; chunks of a round on this ring.
  logic [SlotBits-1:0] ahead_q;
  logic [SlotBits-1:0] chunks;
  // Flit of the chunk, and the first flit of the round.
  logic [ChunkBits-1:0] place_q;
  logic [FlitBits-1:0] first_q;
  logic done_q;
  assign chunks = !Halves ? SlotBits'(Nodes - 1) :
      Nodes % 2 == 0 && backward_i ? SlotBits'(Nodes / 2 - 1) : SlotBits'(Nodes / 2);

  logic [SlotBits:0] sum;
  logic [SlotBits-1:0] slot;
  assign sum = (SlotBits + 1)'(rank_i) +
      (backward_i && ahead_q != '0 ? (SlotBits + 1)'(Nodes) - (SlotBits + 1)'(ahead_q) : (SlotBits + 1)'(ahead_q));
  assign slot = SlotBits'(sum >= (SlotBits + 1)'(Nodes) ? sum - (SlotBits + 1)'(Nodes) : sum);
  assign flit_o    = first_q + FlitBits'(place_q);
  assign address_o = base_i + AddressBits'(slot) * AddressBits'(Flits) + AddressBits'(flit_o);
  assign own_o     = Reduce != 1 && ahead_q == '0;
  assign s_valid_o = !done_q && (Reduce != 2 || !own_o || go_i);
  assign s_last_o  = place_q == ChunkBits'(Chunk - 1);
  assign done_o    = done_q;

  logic last_round;
  assign last_round = first_q == FlitBits'((Rounds - 1) * Chunk);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q  <= 1'b1;
      ahead_q <= '0;
      place_q <= '0;
      first_q <= '0;
    end else if (start_i) begin
      done_q  <= 1'b0;
      ahead_q <= Reduce == 0 ? '0 : chunks;
    end else if (s_valid_o && s_ready_i) begin
      place_q <= s_last_o ? '0 : place_q + 1'b1;
      // A round of sums ends with the slot next to this one.
      if (s_last_o && ahead_q > SlotBits'(1)) ahead_q <= ahead_q - 1'b1;
      else if (s_last_o) begin
        first_q <= last_round ? '0 : first_q + FlitBits'(Chunk);
        if (ahead_q != '0) ahead_q <= Reduce == 2 && last_round ? '0 : chunks;
        if (last_round && (Reduce != 2 || ahead_q == '0)) done_q <= 1'b1;
      end
    end
  end

  `GSM_ASSERT(StartWhenDone_A, !start_i || done_q, "start_i before the message has been sent")
  `GSM_PARAMETER(NodesLegal_A, Nodes >= 3, "Nodes must be at least 3")

endmodule

`default_nettype wire
