// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The router of elastic plans: routers that wait for each other with valid and ready.
//
// A message is sent in rounds, a chunk of Chunk flits of each own packet a round. An out-port sends in
// every round its own chunk first (Own), then the first Forward arrivals of the in-port that feeds it,
// in order; an arrival is a chunk. An in-port's round has Take arrivals. A flit that arrives is accepted
// in one cycle by the element and by every out-port that passes it on, or by nobody; one that no
// out-port passes on is accepted whatever state the out-ports are in. No flit has a header and none is
// ever dropped: counters say which one it is.
//
// m_valid_o depends on in_valid_i and registers only, in_ready_o on m_ready_i and registers only,
// s_ready_o on registers only. valid never waits for ready. In reset, and until the first edge after it,
// every valid and ready is low.
//
// A flit on a link, from bit 0: data, `last` of its chunk (Chunk > 1), the mark of a sender's own flits
// (Mark), parity of data and `last` (Parity).
module gsm_elastic_router #(
    // In-ports and out-ports, 1..16.
    parameter int Ports = 4,
    // Data bits of a flit, 1 or more.
    parameter int Width = 32,
    // Flits behind an out-port, 1 or more. With the link's stages there has to be room for Chunk + 1.
    parameter int Slots = 2,
    // Flits of a chunk, 1 or more.
    parameter int Chunk = 1,
    // 1: a bit a link marks what its sender sent as its own, and order_error_o checks it.
    parameter bit Mark = 1'b0,
    // 1: a parity bit a link, checked where the flit is delivered.
    parameter bit Parity = 1'b0,
    // Bit p*Ports + q: in-port q feeds out-port p; one at most for each p.
    parameter logic [Ports*Ports-1:0] Feed = (Ports * Ports)'(16'h4812),
    // Bit p: out-port p has an own packet.
    parameter logic [Ports-1:0] Own = {Ports{1'b1}},
    // Bits p*16 +: 16: arrivals that out-port p passes on in a round.
    parameter logic [Ports*16-1:0] Forward = {Ports{16'd7}},
    // Bits q*16 +: 16: arrivals of in-port q in a round, 0: none ever comes.
    parameter logic [Ports*16-1:0] Take = {Ports{16'd8}},
    // Bits of a flit on a link.
    localparam int LinkWidth = Width + (Chunk > 1 ? 1 : 0) + (Mark ? 1 : 0) + (Parity ? 1 : 0)
) (
    // Clock, rising edge.
    input  logic                       clk_i,
    // Asynchronous reset, active low, released in step with the clock.
    input  logic                       rst_ni,
    // Constant pin, bit q: in-port q takes one arrival less than Take, and what it feeds passes on one
    // less. Take is then 2 or more.
    input  logic [          Ports-1:0] fewer_i,
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
    // Arrivals of this round before this one, and: this is the last.
    output logic [       Ports*16-1:0] m_count_o,
    output logic [          Ports-1:0] m_end_o,
    // With Mark: a flit is taken whose place in the round is not what its mark says.
    output logic [          Ports-1:0] order_error_o,
    // By out-port: the own chunk of its round is not yet out.
    output logic [          Ports-1:0] due_o,
    // Links.
    input  logic [          Ports-1:0] in_valid_i,
    output logic [          Ports-1:0] in_ready_o,
    input  logic [Ports*LinkWidth-1:0] in_data_i,
    output logic [          Ports-1:0] out_valid_o,
    input  logic [          Ports-1:0] out_ready_i,
    output logic [Ports*LinkWidth-1:0] out_data_o
);

  localparam int MarkAt = Width + (Chunk > 1 ? 1 : 0);
  localparam int ParityAt = MarkAt + (Mark ? 1 : 0);

  // The in-port that feeds out-port p; Ports: none.
  function automatic int feeding(input int p);
    feeding = Ports;
    for (int q = 0; q < Ports; q++) begin
      if (Feed[p*Ports+q]) feeding = q;
    end
  endfunction

  // Neighbours leave their resets at other times: nothing is taken before this tile has left its own.
  logic live_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) live_q <= 1'b0;
    else live_q <= 1'b1;
  end

  // By in-port: accepted, and by whom it would be passed on.
  logic [Ports-1:0] accept;
  logic [Ports-1:0] last;
  // By out-port: the arrival of its in-port is passed on, and is the last one of the round; there is
  // room; it keeps its in-port from accepting.
  logic [Ports-1:0] passes;
  logic [Ports-1:0] passes_last;
  logic [Ports-1:0] room;
  logic [Ports-1:0] closed;

  for (genvar q = 0; q < Ports; q++) begin : gen_in_port
    localparam int Takes = 32'(Take[q*16+:16]);
    localparam int CountBits = Takes > 1 ? $clog2(Takes) : 1;
    logic [LinkWidth-1:0] flit;
    logic [Ports-1:0] fed;
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
      assign order_error_o[q] = accept[q] && flit[MarkAt] != (m_count_o[q*16+:16] == '0);
    end else begin : gen_no_mark
      assign order_error_o[q] = 1'b0;
    end

    for (genvar p = 0; p < Ports; p++) begin : gen_fed
      assign fed[p] = Feed[p*Ports+q];
    end
    if (Takes == 0) begin : gen_none
      assign m_valid_o[q]        = 1'b0;
      assign in_ready_o[q]       = 1'b0;
      assign accept[q]           = 1'b0;
      assign m_count_o[q*16+:16] = '0;
      assign m_end_o[q]          = 1'b0;
      logic unused_in_port;
      assign unused_in_port = ^{in_valid_i[q], flit, m_ready_i[q], fewer_i[q], fed & closed};
    end else begin : gen_some
      logic open;
      assign open          = live_q && (closed & fed) == '0;
      assign m_valid_o[q]  = open && in_valid_i[q];
      assign in_ready_o[q] = open && m_ready_i[q];
      assign accept[q]     = open && in_valid_i[q] && m_ready_i[q];

      if (Takes == 1) begin : gen_one
        assign m_count_o[q*16+:16] = '0;
        assign m_end_o[q]          = 1'b1;
        logic unused_fewer;
        assign unused_fewer = fewer_i[q];
      end else begin : gen_count
        logic [CountBits-1:0] count_q;
        assign m_count_o[q*16+:16] = 16'(count_q);
        assign m_end_o[q] = count_q == (fewer_i[q] ? CountBits'(Takes - 2) : CountBits'(Takes - 1));
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) count_q <= '0;
          else if (accept[q] && last[q]) count_q <= m_end_o[q] ? '0 : count_q + 1'b1;
        end
      end
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    localparam int From = feeding(p);
    localparam int Forwards = From < Ports ? 32'(Forward[p*16+:16]) : 0;
    localparam int Takes = From < Ports ? 32'(Take[(From%Ports)*16+:16]) : 0;

    // What comes from the element and from the in-port, as it goes out.
    logic [LinkWidth-1:0] own;
    logic [LinkWidth-1:0] passed;
    logic own_push;
    logic own_last;
    logic pass_push;
    // Nothing is passed on in a round: own chunks follow each other.
    logic source;
    // Data and `last`.
    logic [MarkAt-1:0] own_body;
    assign own[MarkAt-1:0]    = own_body;
    assign passed[MarkAt-1:0] = in_data_i[(From%Ports)*LinkWidth+:MarkAt];
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
      assign passed[ParityAt] = in_data_i[(From%Ports)*LinkWidth+ParityAt];
    end

    if (Forwards == 0) begin : gen_source
      assign source         = 1'b1;
      assign passes[p]      = 1'b0;
      assign passes_last[p] = 1'b0;
    end else begin : gen_pass
      logic fewer;
      logic [15:0] count;
      assign fewer  = fewer_i[From];
      assign count  = m_count_o[From*16+:16];
      assign source = Forwards == 1 && fewer;
      if (Forwards >= Takes) begin : gen_all
        assign passes[p] = 1'b1;
      end else if (Forwards == Takes - 1) begin : gen_not_last
        assign passes[p] = !m_end_o[From];
      end else begin : gen_first
        assign passes[p] = count < (fewer ? 16'(Forwards - 1) : 16'(Forwards));
      end
      assign passes_last[p] =
          last[From] && count == (fewer ? 16'(Forwards - 2) : 16'(Forwards - 1)) && !source;
    end

    if (Own[p]) begin : gen_own
      logic due_q;
      assign due_o[p] = due_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) due_q <= 1'b1;
        else if (own_push && own_last) due_q <= source;
        else if (pass_push && passes_last[p]) due_q <= 1'b1;
      end
    end else begin : gen_no_own
      assign due_o[p] = 1'b0;
      logic unused_own;
      assign unused_own = ^{own_push, own_last, passes_last[p], source};
    end
    assign s_ready_o[p] = live_q && due_o[p] && room[p];
    assign own_push     = s_valid_i[p] && s_ready_o[p];
    assign closed[p]    = passes[p] && (due_o[p] || !room[p]);
    assign pass_push    = From < Ports && accept[From%Ports] && passes[p];

    if (Own[p] || Forwards != 0) begin : gen_queue
      gsm_elastic_queue #(
          .Width(LinkWidth),
          .Slots(Slots)
      ) u_queue (
          .clk_i      (clk_i),
          .rst_ni     (rst_ni),
          .in_valid_i (own_push || pass_push),
          .in_ready_o (room[p]),
          .in_data_i  (due_o[p] ? own : passed),
          .out_valid_o(out_valid_o[p]),
          .out_ready_i(out_ready_i[p]),
          .out_data_o (out_data_o[p*LinkWidth+:LinkWidth])
      );
    end else begin : gen_idle
      assign room[p]                                   = 1'b0;
      assign out_valid_o[p]                            = 1'b0;
      assign out_data_o[p*LinkWidth+:LinkWidth] = '0;
      logic unused_out_port;
      assign unused_out_port = ^{out_ready_i[p], own, passed, own_push, pass_push};
    end
  end

  `GSM_ASSERT(HandshakeKnown_A, (^{m_valid_o, in_ready_o, s_ready_o}) !== 1'bx || !live_q,
              "valid or ready is unknown")
  `GSM_PARAMETER(PortsLegal_A, Ports >= 1 && Ports <= 16, "Ports must be 1..16")
  `GSM_PARAMETER(ChunkLegal_A, Chunk >= 1, "Chunk must be at least 1")

endmodule

`default_nettype wire
