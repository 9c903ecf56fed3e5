// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A node of an elastic network: gsm_elastic_router, and counters that identify each arrival.
//
// The element's streams are AXI4-Streams, side by side in flat vectors: own_* has one for each out-port (its
// own packet, flit by flit), deliver_* one for each in-port. Nodes are on rings; a slot is a place on the ring, 0
// for node 0. On a forward ring, arrival n of a round comes from the node n places before this one, on a backward
// ring from the node n places after it. So slot and flit are counters, and no flit has a header.
//
// With Reduce the rings add up vectors. Let L be the number of arrivals of a round. In each round of a
// message the own flits of an out-port are, chunk by chunk, the words of the places L, L - 1, .. 1 ahead;
// all except the first are added to a passing arrival. The one arrival of a round that is delivered is the
// sum over L nodes of this node's own word. With Reduce = 2 the rounds are repeated with the sums as own
// flits, as in an all-gather; gsm_elastic_read counts for the element.
//
// The element must offer the own flits of a round without waiting for arrivals of that round or later ones.
// It must take arrivals without waiting for own flits of a later round. Apart from that it may stall at any
// time and for any length of time.
//
// coordinates_i carries the data that depend on the node's place, so that a torus needs few kinds of tile.
//
// With Status the node counts messages. It is busy from the first own flit or arrival of a message until all
// own flits have been offered, all arrivals taken and all queues emptied. While no node of a network is busy,
// no flit is under way, so that the collective can change. Messages that overlap end together.
module gsm_elastic_node #(
    // In-ports and out-ports, 2..16.
    parameter int Ports = 4,
    // Data bits of a flit, 1 or more.
    parameter int Width = 32,
    // Flits in the queue of an out-port. Together with the link's stages there must be room for Chunk + 1.
    parameter int Slots = 2,
    // Flits of a chunk and rounds of a message, 1 or more: a packet has Chunk*Rounds flits.
    parameter int Chunk = 1,
    parameter int Rounds = 1,
    // 0: own packets are copied. 1: words are added up and stay at their owners. 2: and are sent to all
    // nodes.
    parameter int Reduce = 0,
    // How words are added: as in gsm_combine.
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    // 1: one bit per link marks the sender's own flits, and the flag order_error checks it.
    parameter bit Mark = 1'b0,
    // 1: one parity bit per link, checked where the flit is delivered.
    parameter bit Parity = 1'b0,
    // The flag stall rises after 2^Stall cycles, at most twice that; 0: it stays low.
    parameter int Stall = 0,
    // 1: busy_o and done_o; 0: they stay low.
    parameter bit Status = 1'b0,
    // Nodes of a ring, 3 or more; 0: the nodes have no common ring, and a slot is the number of the
    // arrival in its round, from 0.
    parameter int RingNodes = 16,
    // 1: both rings of a cycle carry the same packet, each half of the way. 0: one packet per ring.
    parameter bit Halves = 1'b1,
    // Bit p*Ports + q: in-port q feeds out-port p; one at most for each p.
    parameter logic [Ports*Ports-1:0] Feed = (Ports * Ports)'(16'h4812),
    // Bits q*4 +: 4: the cycle of in-port q.
    parameter logic [Ports*4-1:0] Cycle = (Ports * 4)'(16'h1100),
    // Bit p: out-port p has an own packet.
    parameter logic [Ports-1:0] Own = {Ports{1'b1}},
    // Bits p*16 +: 16: arrivals that out-port p passes on in a round.
    parameter logic [Ports*16-1:0] Forward = {Ports{16'(Halves ? RingNodes / 2 - 1 : RingNodes - 2)}},
    // Bits q*16 +: 16: arrivals of in-port q in a round. A backward ring with an even number of nodes that
    // carries half of a packet's arrivals has one arrival less.
    parameter logic [Ports*16-1:0] Take = {Ports{16'(Halves ? RingNodes / 2 : RingNodes - 1)}},
    // Bits of a flit on a link, of a slot, of a flit's number, and of a delivery.
    localparam int LinkWidth = Width + (Chunk > 1 ? 1 : 0) + (Mark ? 1 : 0) + (Parity ? 1 : 0),
    localparam int SlotBits = RingNodes == 0 ? 16 : $clog2(RingNodes),
    localparam int FlitBits = Chunk * Rounds > 1 ? $clog2(Chunk * Rounds) : 1,
    localparam int DeliverBits = Width + FlitBits + SlotBits + 3
) (
    // Clock, rising edge.
    input  logic                         clk_i,
    // Asynchronous reset, active low, released in step with the clock. At some point in time all nodes of a
    // network must be in reset; they may leave it in any order, any time apart.
    input  logic                         rst_ni,
    // Constant pins: bits c*16 +: 14 are the node's place on cycle c. Bits 14 and 15 above it indicate that
    // in-ports 2c and 2c + 1 are on a backward ring.
    input  logic [       Ports/2*16-1:0] coordinates_i,
    // Own flits, by out-port. own_last_i marks the last flit of a chunk; without effect for Chunk = 1.
    input  logic [            Ports-1:0] own_valid_i,
    output logic [            Ports-1:0] own_ready_o,
    input  logic [      Ports*Width-1:0] own_data_i,
    input  logic [            Ports-1:0] own_last_i,
    // Arrivals, by in-port. A delivery, from bit 0: data, number of the flit in its packet, slot, and a bit each
    // for the last flit of the packet, the last flit of the message on this in-port, and wrong parity.
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
    // A message is under way at this node; the first cycle after one.
    output logic                         busy_o,
    output logic                         done_o,
    // Parity, order or length were wrong since reset.
    output logic                         error_o,
    // Since reset, from bit 0. parity_error: a flit was delivered with wrong parity; order_error, with Mark: a flit
    // was delivered out of order; length_error, with Chunk > 1: an own or a delivered chunk had a wrong length;
    // stall: an in-port took nothing for 2^Stall cycles within a round; stall_here: and it waited for the element
    // of this node.
    output logic [                  4:0] flags_o
);

  logic [Ports/2*SlotBits-1:0] rank;
  logic [Ports-1:0] backward;
  for (genvar c = 0; c < Ports / 2; c++) begin : gen_cycle
    if (RingNodes == 0) begin : gen_none
      assign rank[c*SlotBits+:SlotBits] = '0;
    end else begin : gen_rank
      assign rank[c*SlotBits+:SlotBits] = coordinates_i[c*16+:SlotBits];
    end
    assign backward[2*c+:2] = coordinates_i[c*16+14+:2];
  end
  // A place is narrower than its field.
  logic unused_coordinates;
  assign unused_coordinates = ^coordinates_i;

  logic [Ports*Width-1:0] data;
  logic [Ports-1:0] last;
  logic [Ports*SlotBits-1:0] slots;
  logic [Ports*FlitBits-1:0] flit;
  logic [Ports-1:0] done;
  logic [Ports-1:0] wrong_parity;
  for (genvar q = 0; q < Ports; q++) begin : gen_delivery
    assign deliver_data_o[q*DeliverBits+:DeliverBits] = {
      wrong_parity[q], done[q], last[q], slots[q*SlotBits+:SlotBits], flit[q*FlitBits+:FlitBits], data[q*Width+:Width]
    };
  end
  logic parity_error;
  logic order_error_seen;
  logic length_error;
  logic stall;
  logic stall_here;
  assign flags_o = {stall_here, stall, length_error, order_error_seen, parity_error};
  assign error_o = flags_o[2:0] != '0;

  logic [Ports-1:0] chunk_last;
  logic [Ports-1:0] round_end;
  logic [Ports*16-1:0] count;
  logic [Ports-1:0] order_error;
  logic [Ports-1:0] due;
  logic [Ports-1:0] taken;
  logic [Ports-1:0] fewer;
  // By in-port: nodes add in this round.
  logic [Ports-1:0] adding;
  assign taken = in_valid_i & in_ready_o;
  assign fewer = RingNodes != 0 && Halves && RingNodes % 2 == 0 ? backward : '0;

  gsm_elastic_router #(
      .Ports    (Ports),
      .Width    (Width),
      .Slots    (Slots),
      .Chunk    (Chunk),
      .Mark     (Mark),
      .Parity   (Parity),
      .Sum      (Reduce > 0 ? Width : 0),
      .Operation(Operation),
      .Ripple   (Ripple),
      .Feed     (Feed),
      .Own      (Own),
      .Forward  (Forward),
      .Take     (Take)
  ) u_router (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .fewer_i      (fewer),
      .slots_i      ({(Slots > 1 ? $clog2(Slots + 1) : 1){1'b0}}),
      .feed_i       ({(Ports * Ports) {1'b0}}),
      .own_i        ({Ports{1'b0}}),
      .pass_i       ({Ports{1'b0}}),
      .pass_last_i  ({(Ports * 16) {1'b0}}),
      .take_i       ({Ports{1'b0}}),
      .take_last_i  ({(Ports * 16) {1'b0}}),
      .add_i        (adding),
      .s_valid_i    (own_valid_i),
      .s_ready_o    (own_ready_o),
      .s_data_i     (own_data_i),
      .s_last_i     (own_last_i),
      .m_valid_o    (deliver_valid_o),
      .m_ready_i    (deliver_ready_i),
      .m_data_o     (data),
      .m_last_o     (chunk_last),
      .m_error_o    (wrong_parity),
      .m_count_o    (count),
      .m_end_o      (round_end),
      .order_error_o(order_error),
      .due_o        (due),
      .in_valid_i   (in_valid_i),
      .in_ready_o   (in_ready_o),
      .in_data_i    (in_data_i),
      .out_valid_o  (out_valid_o),
      .out_ready_i  (out_ready_i),
      .out_data_o   (out_data_o)
  );

  // The sender of an arrival's packet.
  for (genvar q = 0; q < Ports; q++) begin : gen_slot
    localparam int At = 32'(Cycle[q*4+:4]) % (Ports / 2);
    logic [SlotBits-1:0] slot;
    // The delivered sums belong to the node's own word.
    assign slots[q*SlotBits+:SlotBits] = adding[q] ? rank[At*SlotBits+:SlotBits] : slot;
    if (RingNodes == 0) begin : gen_number
      assign slot = SlotBits'(count[q*16+:16]);
    end else if (RingNodes == 1 << SlotBits) begin : gen_power
      // rank - count - 1 = rank + ~count.
      assign slot = rank[At*SlotBits+:SlotBits] +
          (count[q*16+:SlotBits] ^ {SlotBits{!backward[q]}}) + SlotBits'(backward[q]);
    end else begin : gen_modulo
      logic [SlotBits:0] sum;
      assign sum = (SlotBits + 1)'(rank[At*SlotBits+:SlotBits]) +
          (backward[q] ? (SlotBits + 1)'(count[q*16+:SlotBits]) + 1'b1
                         : (SlotBits + 1)'(RingNodes - 1) - (SlotBits + 1)'(count[q*16+:SlotBits]));
      assign slot =
          SlotBits'(sum >= (SlotBits + 1)'(RingNodes) ? sum - (SlotBits + 1)'(RingNodes) : sum);
    end
  end
  // Some counters are narrower.
  logic unused_place;
  assign unused_place = ^{rank, backward, count, taken, round_end};

  // The number of the flit in its packet.
  logic [Ports-1:0] wrong_arrival;
  // By in-port: a message has begun and not ended.
  logic [Ports-1:0] started;
  for (genvar q = 0; q < Ports; q++) begin : gen_flit
    logic last_round;
    logic [FlitBits-1:0] first;
    if (Rounds == 1) begin : gen_one_round
      assign last_round = 1'b1;
      assign first      = '0;
    end else begin : gen_rounds
      // The first flit of the round.
      logic [FlitBits-1:0] first_q;
      if (Chunk == 1 << $clog2(Chunk)) begin : gen_power
        // Its low bits are 0.
        localparam int RoundBits = $clog2(Rounds);
        logic [RoundBits-1:0] round_q;
        assign last_round = round_q == RoundBits'(Rounds - 1);
        assign first_q    = FlitBits'(round_q) << $clog2(Chunk);
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) round_q <= '0;
          else if (taken[q] && chunk_last[q] && round_end[q]) begin
            round_q <= last_round ? '0 : round_q + 1'b1;
          end
        end
      end else begin : gen_any
        assign last_round = first_q == FlitBits'((Rounds - 1) * Chunk);
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) first_q <= '0;
          else if (taken[q] && chunk_last[q] && round_end[q]) begin
            first_q <= last_round ? '0 : first_q + FlitBits'(Chunk);
          end
        end
      end
      assign first = first_q;
    end
    logic rounds_begun;
    assign rounds_begun = count[q*16+:16] != '0 || first != '0 || (Reduce == 2 && !adding[q]);
    if (Chunk == 1) begin : gen_single
      assign flit[q*FlitBits+:FlitBits] = first;
      assign wrong_arrival[q]               = 1'b0;
      assign started[q]                      = rounds_begun;
    end else begin : gen_chunk
      localparam int Bits = $clog2(Chunk);
      logic [Bits-1:0] place_q;
      assign started[q] = rounds_begun || place_q != '0;
      assign flit[q*FlitBits+:FlitBits] = first + FlitBits'(place_q);
      assign wrong_arrival[q] = taken[q] && chunk_last[q] != (place_q == Bits'(Chunk - 1));
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) place_q <= '0;
        else if (taken[q]) place_q <= chunk_last[q] ? '0 : place_q + 1'b1;
      end
    end
    assign last[q] = deliver_valid_o[q] && chunk_last[q] && last_round;
    assign done[q] = last[q] && round_end[q] && !(Reduce == 2 && adding[q]);
    if (Reduce == 2) begin : gen_leg
      // First all rounds that add up, then all rounds again to spread the sums.
      logic spread_q;
      assign adding[q] = !spread_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) spread_q <= 1'b0;
        else if (taken[q] && chunk_last[q] && round_end[q] && last_round) spread_q <= !spread_q;
      end
    end else begin : gen_one_leg
      assign adding[q] = Reduce != 0;
    end
  end

  // Lengths of own chunks.
  logic [Ports-1:0] wrong_own;
  for (genvar p = 0; p < Ports; p++) begin : gen_own_length
    if (Chunk == 1 || !Own[p]) begin : gen_single
      assign wrong_own[p] = 1'b0;
    end else begin : gen_chunk
      localparam int Bits = $clog2(Chunk);
      logic [Bits-1:0] place_q;
      logic given;
      assign given        = own_valid_i[p] && own_ready_o[p];
      assign wrong_own[p] = given && own_last_i[p] != (place_q == Bits'(Chunk - 1));
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) place_q <= '0;
        else if (given) place_q <= own_last_i[p] ? '0 : place_q + 1'b1;
      end
    end
  end

  // Flags stay until reset and do not stop the tile.
  if (Parity) begin : gen_parity
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) parity_error <= 1'b0;
      else if ((taken & wrong_parity) != '0) parity_error <= 1'b1;
    end
  end else begin : gen_no_parity
    assign parity_error = 1'b0;
  end
  if (Mark) begin : gen_mark
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) order_error_seen <= 1'b0;
      else if (order_error != '0) order_error_seen <= 1'b1;
    end
  end else begin : gen_no_mark
    assign order_error_seen = 1'b0;
    logic unused_order;
    assign unused_order = ^order_error;
  end
  if (Chunk > 1) begin : gen_length
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) length_error <= 1'b0;
      else if ((wrong_arrival | wrong_own) != '0) length_error <= 1'b1;
    end
  end else begin : gen_no_length
    assign length_error = 1'b0;
    logic unused_length;
    assign unused_length = ^{wrong_arrival, wrong_own};
  end
  if (Stall > 0) begin : gen_stall
    // One timer for all in-ports; when it expires, each in-port is checked for arrivals since the previous
    // time.
    logic [Stall-1:0] timer_q;
    logic [Ports-1:0] waits_q;
    logic [Ports-1:0] waits;
    logic [Ports-1:0] element;
    for (genvar q = 0; q < Ports; q++) begin : gen_in_port
      // The out-ports that pass on the arrivals of this in-port.
      logic [Ports-1:0] fed;
      logic busy;
      logic owed;
      for (genvar p = 0; p < Ports; p++) begin : gen_fed
        assign fed[p] = Feed[p*Ports+q];
      end
      // Within a round: a flit arrives, or has arrived, or own flits have been sent.
      assign busy = in_valid_i[q] || count[q*16+:16] != '0 || (fed & Own & ~due) != '0;
      // An arrival waits for own flits, and the element does not offer them.
      assign owed = in_valid_i[q] && !deliver_valid_o[q] && (fed & own_ready_o & ~own_valid_i) != '0;
      assign waits[q]   = busy && !taken[q];
      assign element[q] = owed || (deliver_valid_o[q] && !deliver_ready_i[q]);
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        timer_q      <= '0;
        waits_q      <= '0;
        stall      <= 1'b0;
        stall_here <= 1'b0;
      end else begin
        timer_q <= timer_q + 1'b1;
        waits_q <= timer_q == '1 ? waits : waits_q & waits;
        if (timer_q == '1 && (waits_q & waits) != '0) stall <= 1'b1;
        if (timer_q == '1 && (waits_q & waits & element) != '0) stall_here <= 1'b1;
      end
    end
  end else begin : gen_no_stall
    assign stall      = 1'b0;
    assign stall_here = 1'b0;
    logic unused_stall;
    assign unused_stall = ^due;
  end

  // Flits of a packet, and the most own flits of an out-port in a message.
  localparam int Flits = Chunk * Rounds;
  function automatic int most_own();
    most_own = 1;
    for (int p = 0; p < Ports; p++) begin
      if (32'(Forward[p*16+:16]) + 2 > most_own) most_own = 32'(Forward[p*16+:16]) + 2;
    end
    most_own = Reduce == 0 ? Flits : Flits * most_own;
  endfunction
  if (Status) begin : gen_status
    localparam int OwnBits = most_own() > 1 ? $clog2(most_own()) : 1;
    // By stream: an odd number of messages has ended; and, of own flits, one has begun.
    logic [Ports-1:0] own_odd;
    logic [Ports-1:0] in_odd_q;
    logic [Ports-1:0] begun;
    logic [Ports-1:0] own;
    logic [Ports-1:0] takes;
    for (genvar p = 0; p < Ports; p++) begin : gen_messages
      localparam int Passes = 32'(Forward[p*16+:16]);
      assign takes[p] = Take[p*16+:16] != '0;
      assign own[p]   = Own[p];
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) in_odd_q[p] <= 1'b0;
        else if (taken[p] && done[p]) in_odd_q[p] <= !in_odd_q[p];
      end
      if (Own[p]) begin : gen_own
        // With sums the own flits of a round are all words except those that others begin; sums follow once.
        localparam int Last = Flits * (Reduce == 0 ? 1 : Passes + Reduce) - 1;
        logic fewer_passes;
        logic odd_q;
        logic [OwnBits-1:0] final_flit;
        logic [OwnBits-1:0] given_q;
        assign fewer_passes = Reduce != 0 && Passes > 0 && (Feed[p*Ports+:Ports] & fewer) != '0;
        assign final_flit   = fewer_passes ? OwnBits'(Last - Flits) : OwnBits'(Last);
        assign begun[p]     = given_q != '0;
        assign own_odd[p]   = odd_q;
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) begin
            given_q <= '0;
            odd_q   <= 1'b0;
          end else if (own_valid_i[p] && own_ready_o[p]) begin
            given_q <= given_q == final_flit ? '0 : given_q + 1'b1;
            if (given_q == final_flit) odd_q <= !odd_q;
          end
        end
      end else begin : gen_none
        assign begun[p]   = 1'b0;
        assign own_odd[p] = 1'b0;
      end
    end
    logic busy_q;
    // All streams have ended the same messages.
    logic level;
    assign level  = ((own_odd & own) == '0 && (in_odd_q & takes) == '0) ||
                    ((own_odd | ~own) == '1 && (in_odd_q | ~takes) == '1);
    assign busy_o = !level || begun != '0 || started != '0 || out_valid_o != '0;
    assign done_o = busy_q && !busy_o;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) busy_q <= 1'b0;
      else busy_q <= busy_o;
    end
  end else begin : gen_no_status
    assign busy_o = 1'b0;
    assign done_o = 1'b0;
    logic unused_status;
    assign unused_status = ^started;
  end

  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports % 2 == 0, "Ports must be even")
  `GSM_PARAMETER(RoundsLegal_A, Rounds >= 1, "Rounds must be at least 1")
  `GSM_PARAMETER(ReduceLegal_A, Reduce == 0 || (Reduce <= 2 && RingNodes != 0), "Reduce must be 0..2, and 0 without rings")
  `GSM_PARAMETER(NodesLegal_A, RingNodes == 0 || RingNodes >= 3, "RingNodes must be 0 or at least 3")

endmodule

`default_nettype wire
