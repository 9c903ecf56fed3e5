// SPDX-License-Identifier: Apache-2.0
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
// With Sum > 0 it can add (add_i, by in-port): an arrival that is passed on is then combined with the own
// flit that the out-port's element offers, the arrival first; both wait for each other, and the
// in-port's element sees nothing of it. What nobody passes on is delivered as ever. s_ready_o then
// depends on in_valid_i, in_ready_o on s_valid_i; out-ports need in-ports of their own.
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
    // Data bits, from bit 0 on, that are added where add_i says so; the others are the own flit's. 0: none.
    parameter int Sum = 0,
    // How, and how sums are added: as gsm_combine.
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
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

  // The in-port that feeds out-port p; Ports: none.
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
  localparam int CountBits = count_bits();
  localparam int RoomBits = Slots > 1 ? $clog2(Slots + 1) : 1;

  logic [Ports-1:0] pass;
  logic [Ports*CountBits-1:0] pass_last;
  logic [Ports-1:0] take;
  logic [Ports*CountBits-1:0] take_last;
  logic [Ports*CountBits-1:0] count;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    localparam int From = feeding(p);
    localparam int Passes = From < Ports ? 32'(Forward[p*16+:16]) : 0;
    localparam int Takes = 32'(Take[p*16+:16]);
    // Whether its in-port takes one arrival less.
    logic fewer;
    assign fewer   = Passes > 0 && fewer_i[From%Ports];
    assign pass[p] = Passes > 1 || (Passes == 1 && !fewer);
    assign take[p] = Takes > 0;
    // Numbers from 0 on.
    assign pass_last[p*CountBits+:CountBits] =
        fewer ? CountBits'(Passes < 2 ? 0 : Passes - 2) : CountBits'(Passes < 1 ? 0 : Passes - 1);
    assign take_last[p*CountBits+:CountBits] =
        fewer_i[p] && Takes > 1 ? CountBits'(Takes - 2) : CountBits'(Takes < 1 ? 0 : Takes - 1);
    assign m_count_o[p*16+:16] = 16'(count[p*CountBits+:CountBits]);
  end
  // Bit p: out-port p ever sends.
  function automatic int sending();
    sending = 0;
    for (int p = 0; p < Ports; p++) begin
      if (Own[p] || (Feed[p*Ports+:Ports] != 0 && Forward[p*16+:16] != 0)) sending = sending | (1 << p);
    end
  endfunction

  gsm_elastic_router_table #(
      .Ports    (Ports),
      .Width    (Width),
      .Slots    (Slots),
      .Chunk    (Chunk),
      .Mark     (Mark),
      .Parity   (Parity),
      .Sum      (Sum),
      .Operation(Operation),
      .Ripple   (Ripple),
      .CountBits(CountBits),
      .Sends    (Ports'(sending()))
  ) u_table (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .slots_i      (RoomBits'(Slots)),
      .feed_i       (Feed),
      .own_i        (Own),
      .pass_i       (pass),
      .pass_last_i  (pass_last),
      .take_i       (take),
      .take_last_i  (take_last),
      .add_i        (add_i),
      .s_valid_i    (s_valid_i),
      .s_ready_o    (s_ready_o),
      .s_data_i     (s_data_i),
      .s_last_i     (s_last_i),
      .m_valid_o    (m_valid_o),
      .m_ready_i    (m_ready_i),
      .m_data_o     (m_data_o),
      .m_last_o     (m_last_o),
      .m_error_o    (m_error_o),
      .m_count_o    (count),
      .m_end_o      (m_end_o),
      .order_error_o(order_error_o),
      .due_o        (due_o),
      .in_valid_i   (in_valid_i),
      .in_ready_o   (in_ready_o),
      .in_data_i    (in_data_i),
      .out_valid_o  (out_valid_o),
      .out_ready_i  (out_ready_i),
      .out_data_o   (out_data_o)
  );

endmodule

`default_nettype wire
