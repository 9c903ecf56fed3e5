// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The router of elastic plans: routers that wait for each other with valid and ready.
//
// A message is sent in rounds, with one chunk of Chunk flits of each own packet per round. In every round
// an out-port first sends its own chunk (Own), then the first Forward arrivals of the in-port that feeds
// it, in order; an arrival is a chunk. An in-port's round has Take arrivals. The element and all out-ports
// that pass a flit on accept it in the same cycle; until all of them can, none does. A flit that no
// out-port passes on is accepted regardless of the state of the out-ports. Flits have no header and are
// never dropped: counters identify them.
//
// m_valid_o depends on in_valid_i and registers only, in_ready_o on m_ready_i and registers only,
// s_ready_o on registers only. valid never waits for ready. In reset, and until the first edge after it,
// every valid and ready is low.
//
// With Sum > 0 the router can add (add_i, by in-port). An arrival that is passed on is then combined with
// the own flit that the out-port's element offers, the arrival first. Both wait for each other, and the
// arrival is not delivered at the in-port. Arrivals that are not passed on are delivered as usual.
// s_ready_o then depends on in_valid_i, and in_ready_o on s_valid_i; each out-port needs an in-port of its
// own.
//
// With Table the plan's parameters are constant inputs: one netlist for every elastic plan with these ports, slots
// and kind of chunks.
//
// A flit on a link, from bit 0: data, `last` of its chunk (Chunk > 1), the mark of a sender's own flits
// (Mark), parity of data and `last` (Parity).
module gsm_elastic_router #(
    // In-ports and out-ports, 1..16.
    parameter int Ports = 4,
    // Data bits of a flit, 1 or more.
    parameter int Width = 32,
    // Flits in the queue of an out-port, 1 or more. Together with the link's stages there must be room for
    // Chunk + 1.
    parameter int Slots = 2,
    // Flits of a chunk, 1 or more.
    parameter int Chunk = 1,
    // 1: one bit per link marks the sender's own flits, and order_error_o checks it.
    parameter bit Mark = 1'b0,
    // 1: one parity bit per link, checked where the flit is delivered.
    parameter bit Parity = 1'b0,
    // Data bits, from bit 0, that are added where add_i is high; the others come from the own flit. 0: no
    // sums.
    parameter int Sum = 0,
    // The operation, and the structure of the adder: as in gsm_combine.
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    // Bit p*Ports + q: in-port q feeds out-port p; one at most for each p.
    parameter logic [Ports*Ports-1:0] Feed = (Ports * Ports)'(16'h4812),
    // Bit p: out-port p has an own packet.
    parameter logic [Ports-1:0] Own = {Ports{1'b1}},
    // Bits p*16 +: 16: arrivals that out-port p passes on in a round.
    parameter logic [Ports*16-1:0] Forward = {Ports{16'd7}},
    // Bits q*16 +: 16: arrivals of in-port q in a round; 0: it never has arrivals.
    parameter logic [Ports*16-1:0] Take = {Ports{16'd8}},
    // 1: inputs replace the four parameters above and fewer_i, and limit the queues. Chunk says only whether links carry
    // a bit that marks the end of a chunk.
    parameter bit Table = 1'b0,
    // Bits of a flit on a link.
    localparam int LinkWidth = Width + (Chunk > 1 ? 1 : 0) + (Mark ? 1 : 0) + (Parity ? 1 : 0),
    localparam int RoomBits = Slots > 1 ? $clog2(Slots + 1) : 1
) (
    // Clock, rising edge.
    input  logic                       clk_i,
    // Asynchronous reset, active low, released in step with the clock.
    input  logic                       rst_ni,
    // Constant pin, bit q: in-port q takes one arrival less than Take, and the out-ports that it feeds pass
    // on one less. Take is then 2 or more.
    input  logic [          Ports-1:0] fewer_i,
    // With Table only, constant outside reset. Flits in the queue of an out-port, 1..Slots.
    input  logic [       RoomBits-1:0] slots_i,
    // As Feed and Own.
    input  logic [    Ports*Ports-1:0] feed_i,
    input  logic [          Ports-1:0] own_i,
    // Bit p: out-port p passes on arrivals; the number of the last one of a round, from 0.
    input  logic [          Ports-1:0] pass_i,
    input  logic [       Ports*16-1:0] pass_last_i,
    // Bit q: in-port q has arrivals; the number of the last arrival of a round, from 0.
    input  logic [          Ports-1:0] take_i,
    input  logic [       Ports*16-1:0] take_last_i,
    // With Sum > 0, by in-port: arrivals of this round that are passed on are added to own flits.
    input  logic [          Ports-1:0] add_i,
    // Own flits, by out-port; last of a chunk (Chunk > 1).
    input  logic [          Ports-1:0] s_valid_i,
    output logic [          Ports-1:0] s_ready_o,
    input  logic [    Ports*Width-1:0] s_data_i,
    input  logic [          Ports-1:0] s_last_i,
    // Arrivals for the element, by in-port; last of a chunk; parity is wrong.
    output logic [          Ports-1:0] m_valid_o,
    input  logic [          Ports-1:0] m_ready_i,
    output logic [    Ports*Width-1:0] m_data_o,
    output logic [          Ports-1:0] m_last_o,
    output logic [          Ports-1:0] m_error_o,
    // The number of earlier arrivals in this round; this arrival is the last.
    output logic [       Ports*16-1:0] m_count_o,
    output logic [          Ports-1:0] m_end_o,
    // With Mark: the mark of a flit that is taken does not match its place in the round.
    output logic [          Ports-1:0] order_error_o,
    // By out-port: the own chunk of its round has not been sent completely.
    output logic [          Ports-1:0] due_o,
    // Links.
    input  logic [          Ports-1:0] in_valid_i,
    output logic [          Ports-1:0] in_ready_o,
    input  logic [Ports*LinkWidth-1:0] in_data_i,
    output logic [          Ports-1:0] out_valid_o,
    input  logic [          Ports-1:0] out_ready_i,
    output logic [Ports*LinkWidth-1:0] out_data_o
);

  // The in-port that feeds out-port p; Ports if no in-port does.
  function automatic int feeding(input int p);
    feeding = Ports;
    for (int q = 0; q < Ports; q++) begin
      if (Feed[p*Ports+q]) feeding = q;
    end
  endfunction
  // Bits of the number of an arrival.
  function automatic int count_bits();
    count_bits = 1;
    for (int q = 0; q < Ports; q++) begin
      for (int bits = 1; bits < 16; bits++) begin
        if (32'(Take[q*16+:16]) > 1 << bits && count_bits <= bits) count_bits = bits + 1;
      end
    end
  endfunction
  localparam int CountBits = Table ? 16 : count_bits();
  // Bit p: out-port p sends at some time.
  function automatic int sending();
    sending = 0;
    for (int p = 0; p < Ports; p++) begin
      if (Table || Own[p] || (Feed[p*Ports+:Ports] != 0 && Forward[p*16+:16] != 0)) begin
        sending = sending | (1 << p);
      end
    end
  endfunction
  localparam logic [Ports-1:0] Sends = Ports'(sending());

  // The plan, by out-port and in-port.
  logic [RoomBits-1:0] slots;
  logic [Ports*Ports-1:0] feeds;
  logic [Ports-1:0] owns;
  logic [Ports-1:0] pass;
  logic [Ports*CountBits-1:0] pass_last;
  logic [Ports-1:0] take;
  logic [Ports*CountBits-1:0] take_last;
  if (Table) begin : gen_table
    assign slots     = slots_i;
    assign feeds     = feed_i;
    assign owns      = own_i;
    assign pass      = pass_i;
    assign pass_last = pass_last_i;
    assign take      = take_i;
    assign take_last = take_last_i;
    logic unused_parameters;
    assign unused_parameters = ^{fewer_i, Feed, Own, Forward, Take};
  end else begin : gen_constant
    assign slots = RoomBits'(Slots);
    assign feeds = Feed;
    assign owns  = Own;
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      localparam int From = feeding(p);
      localparam int Passes = From < Ports ? 32'(Forward[p*16+:16]) : 0;
      localparam int Takes = 32'(Take[p*16+:16]);
      // Whether its in-port takes one arrival less.
      logic fewer;
      assign fewer   = Passes > 0 && fewer_i[From%Ports];
      assign pass[p] = Passes > 1 || (Passes == 1 && !fewer);
      assign take[p] = Takes > 0;
      // Numbered from 0.
      assign pass_last[p*CountBits+:CountBits] =
          fewer ? CountBits'(Passes < 2 ? 0 : Passes - 2) : CountBits'(Passes < 1 ? 0 : Passes - 1);
      assign take_last[p*CountBits+:CountBits] =
          fewer_i[p] && Takes > 1 ? CountBits'(Takes - 2) : CountBits'(Takes < 1 ? 0 : Takes - 1);
    end
    logic unused_table;
    assign unused_table = ^{slots_i, feed_i, own_i, pass_i, pass_last_i, take_i, take_last_i};
  end

  localparam int MarkAt = Width + (Chunk > 1 ? 1 : 0);
  localparam int ParityAt = MarkAt + (Mark ? 1 : 0);

  // From the in-port that feeds an out-port, or zero: data and `last`, parity, number of the arrival.
  function automatic logic [MarkAt-1:0] body_of(input logic [Ports*LinkWidth-1:0] data,
                                                input logic [Ports-1:0] feed);
    body_of = '0;
    for (int q = 0; q < Ports; q++) body_of = body_of | (data[q*LinkWidth+:MarkAt] & {MarkAt{feed[q]}});
  endfunction
  function automatic logic parity_of(input logic [Ports*LinkWidth-1:0] data, input logic [Ports-1:0] feed);
    parity_of = 1'b0;
    for (int q = 0; q < Ports; q++) parity_of = parity_of | (data[q*LinkWidth+LinkWidth-1] & feed[q]);
  endfunction
  function automatic logic [CountBits-1:0] count_of(input logic [Ports*CountBits-1:0] counts,
                                                    input logic [Ports-1:0] feed);
    count_of = '0;
    for (int q = 0; q < Ports; q++) begin
      count_of = count_of | (counts[q*CountBits+:CountBits] & {CountBits{feed[q]}});
    end
  endfunction

  // Neighbours leave their resets at other times: the tile accepts nothing before it has left its own
  // reset.
  logic live_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) live_q <= 1'b0;
    else live_q <= 1'b1;
  end

  // By in-port: number of the arrival, accepted, and the out-ports that would pass the flit on.
  logic [Ports*CountBits-1:0] count;
  logic [Ports-1:0] accept;
  logic [Ports-1:0] last;
  // By in-port: an arrival would be added to; there is one, and it waits only for the own flit.
  logic [Ports-1:0] adds;
  logic [Ports-1:0] arrives;
  // By out-port: it passes on the arrival of its in-port; this is the last arrival of the round; there is
  // room; the out-port keeps its in-port from accepting.
  logic [Ports-1:0] passes;
  logic [Ports-1:0] passes_last;
  logic [Ports-1:0] room;
  logic [Ports-1:0] closed;

  for (genvar q = 0; q < Ports; q++) begin : gen_in_port
    logic [LinkWidth-1:0] flit;
    logic [Ports-1:0] fed;
    logic open;
    logic [CountBits-1:0] count_q;
    assign flit                     = in_data_i[q*LinkWidth+:LinkWidth];
    assign m_data_o[q*Width+:Width] = flit[Width-1:0];
    assign m_last_o[q]              = last[q];
    if (Chunk > 1) begin : gen_last
      assign last[q] = flit[Width];
    end else begin : gen_single
      assign last[q] = 1'b1;
    end
    if (Parity) begin : gen_parity
      assign m_error_o[q] = m_valid_o[q] && (^flit[MarkAt-1:0] != flit[ParityAt]);
    end else begin : gen_no_parity
      assign m_error_o[q] = 1'b0;
    end
    if (Mark) begin : gen_mark
      assign order_error_o[q] = accept[q] && flit[MarkAt] != (count_q == '0);
    end else begin : gen_no_mark
      assign order_error_o[q] = 1'b0;
    end

    for (genvar p = 0; p < Ports; p++) begin : gen_fed
      assign fed[p] = feeds[p*Ports+q];
    end
    assign open          = live_q && take[q] && (closed & fed) == '0;
    if (Sum > 0) begin : gen_adds
      assign adds[q] = add_i[q] && (passes & fed) != '0;
    end else begin : gen_copies
      assign adds[q] = 1'b0;
      logic unused_add;
      assign unused_add = add_i[q];
    end
    assign m_valid_o[q]  = open && in_valid_i[q] && !adds[q];
    assign arrives[q]    = open && in_valid_i[q] && adds[q];
    assign in_ready_o[q] = open && (adds[q] ? (s_valid_i & fed) != '0 : m_ready_i[q]);
    assign accept[q]     = in_valid_i[q] && in_ready_o[q];

    assign count[q*CountBits+:CountBits] = count_q;
    assign m_count_o[q*16+:16] = 16'(count_q);
    assign m_end_o[q] = count_q == take_last[q*CountBits+:CountBits];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q <= '0;
      else if (accept[q] && last[q]) count_q <= m_end_o[q] ? '0 : count_q + 1'b1;
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    // From the in-port that feeds it: flit, number of the arrival, last of its chunk, accepted.
    logic [Ports-1:0] feed;
    logic [MarkAt-1:0] feed_body;
    logic feed_parity;
    logic [CountBits-1:0] feed_count;
    logic feed_last;
    logic feed_accept;
    assign feed        = feeds[p*Ports+:Ports];
    assign feed_last   = (last & feed) != '0;
    assign feed_accept = (accept & feed) != '0;
    assign feed_body   = body_of(in_data_i, feed);
    assign feed_parity = parity_of(in_data_i, feed);
    assign feed_count  = count_of(count, feed);

    // The flits from the element and from the in-port, in the format of the link.
    logic [LinkWidth-1:0] own;
    logic [LinkWidth-1:0] passed;
    logic own_push;
    logic own_last;
    logic pass_push;
    // Data and `last`.
    logic [MarkAt-1:0] own_body;
    logic [MarkAt-1:0] passed_body;
    assign own[MarkAt-1:0]    = own_body;
    assign passed[MarkAt-1:0] = passed_body;
    if (Sum > 0) begin : gen_sum
      logic feed_adds;
      assign feed_adds = (adds & feed) != '0;
      logic unused_valid;
      gsm_combine #(
          .Width    (Sum),
          .Operation(Operation),
          .Ripple   (Ripple)
      ) u_sum (
          .a_valid_i(1'b1),
          .a_data_i (feed_body[Sum-1:0]),
          .b_valid_i(feed_adds),
          .b_data_i (s_data_i[p*Width+:Sum]),
          .valid_o  (unused_valid),
          .data_o   (passed_body[Sum-1:0])
      );
      if (Width > Sum) begin : gen_rest
        assign passed_body[Width-1:Sum] = feed_adds ? own_body[Width-1:Sum] : feed_body[Width-1:Sum];
      end
      if (MarkAt > Width) begin : gen_end
        assign passed_body[MarkAt-1:Width] = feed_body[MarkAt-1:Width];
      end
    end else begin : gen_copy
      assign passed_body = feed_body;
    end
    if (Chunk > 1) begin : gen_last
      assign own_body = {s_last_i[p], s_data_i[p*Width+:Width]};
      assign own_last = s_last_i[p];
    end else begin : gen_single
      assign own_body = s_data_i[p*Width+:Width];
      assign own_last = 1'b1;
      logic unused_last;
      assign unused_last = s_last_i[p];
    end
    if (Mark) begin : gen_mark
      assign own[MarkAt]    = 1'b1;
      assign passed[MarkAt] = 1'b0;
    end
    if (Parity) begin : gen_parity
      assign own[ParityAt]    = ^own_body;
      // A flit with wrong parity is passed on with wrong parity.
      if (Sum > 0) begin : gen_sum_parity
        assign passed[ParityAt] = ^passed_body ^ ^feed_body ^ feed_parity;
      end else begin : gen_copy_parity
        assign passed[ParityAt] = feed_parity;
      end
    end else begin : gen_no_parity
      logic unused_parity;
      assign unused_parity = feed_parity;
    end

    assign passes[p]      = pass[p] && feed_count <= pass_last[p*CountBits+:CountBits];
    assign passes_last[p] = pass[p] && feed_last && feed_count == pass_last[p*CountBits+:CountBits];

    // If nothing is passed on, own chunks follow each other.
    logic due_q;
    assign due_o[p] = owns[p] && due_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) due_q <= 1'b1;
      else if (own_push && own_last) due_q <= !pass[p];
      else if (pass_push && passes_last[p]) due_q <= 1'b1;
    end
    assign s_ready_o[p] = (live_q && due_o[p] && room[p]) || (arrives & feed) != '0;
    assign own_push     = s_valid_i[p] && s_ready_o[p] && due_o[p];
    assign closed[p]    = passes[p] && (due_o[p] || !room[p]);
    assign pass_push    = feed_accept && passes[p];

    if (Sends[p]) begin : gen_queue
      gsm_elastic_queue #(
          .Width(LinkWidth),
          .Slots(Slots)
      ) u_queue (
          .clk_i      (clk_i),
          .rst_ni     (rst_ni),
          .slots_i    (slots),
          .in_valid_i (own_push || pass_push),
          .in_ready_o (room[p]),
          .in_data_i  (due_o[p] ? own : passed),
          .out_valid_o(out_valid_o[p]),
          .out_ready_i(out_ready_i[p]),
          .out_data_o (out_data_o[p*LinkWidth+:LinkWidth])
      );
    end else begin : gen_idle
      assign room[p]                            = 1'b0;
      assign out_valid_o[p]                     = 1'b0;
      assign out_data_o[p*LinkWidth+:LinkWidth] = '0;
      logic unused_out_port;
      assign unused_out_port = ^{out_ready_i[p], own, passed, own_push, pass_push, slots};
    end
  end

  `GSM_ASSERT(HandshakeKnown_A, (^{m_valid_o, in_ready_o, s_ready_o}) !== 1'bx || !live_q,
              "valid or ready is unknown")
  `GSM_PARAMETER(PortsLegal_A, Ports >= 1 && Ports <= 16, "Ports must be 1..16")
  `GSM_PARAMETER(ChunkLegal_A, Chunk >= 1, "Chunk must be at least 1")
  `GSM_PARAMETER(SumLegal_A, Sum >= 0 && Sum <= Width, "Sum must be 0..Width")

endmodule

`default_nettype wire
