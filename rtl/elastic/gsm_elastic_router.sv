// SPDX-License-Identifier: Apache-2.0
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
    // Bits of a flit on a link.
    localparam int LinkWidth = Width + (Chunk > 1 ? 1 : 0) + (Mark ? 1 : 0) + (Parity ? 1 : 0)
) (
    // Clock, rising edge.
    input  logic                       clk_i,
    // Asynchronous reset, active low, released in step with the clock.
    input  logic                       rst_ni,
    // Constant pin, bit q: in-port q takes one arrival less than Take, and the out-ports that it feeds pass
    // on one less. Take is then 2 or more.
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
    // Numbered from 0.
    assign pass_last[p*CountBits+:CountBits] =
        fewer ? CountBits'(Passes < 2 ? 0 : Passes - 2) : CountBits'(Passes < 1 ? 0 : Passes - 1);
    assign take_last[p*CountBits+:CountBits] =
        fewer_i[p] && Takes > 1 ? CountBits'(Takes - 2) : CountBits'(Takes < 1 ? 0 : Takes - 1);
    assign m_count_o[p*16+:16] = 16'(count[p*CountBits+:CountBits]);
  end
  // Bit p: out-port p sends at some time.
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
