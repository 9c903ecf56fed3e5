// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// Personal packets at one node of a 2-D mesh or torus: exchange and gather.
//
// A packet goes along one dimension, then along the other; it carries a bit for the order, x first or y
// first. At an out-port, waiting packets on their first leg go before those on their second leg. On each
// leg the node's own packets go before arrivals, in the order of their list. Arrivals wait in a FIFO, which
// they join in ascending order of their in-ports. Own packets stay with the processing element until they
// are sent. At every edge the unit takes the arrivals, then selects the contents of the link registers for
// the coming step. Ports are x-, x+, y-, y+.
module gsm_exchange_unit #(
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Bits of a coordinate, 1..16.
    parameter int CoordinateBits = 4,
    // Number of own packets in the list, 1 or more.
    parameter int Own = 3,
    // Capacity of a FIFO for arrivals in packets, 1..65535; there are two FIFOs per out-port.
    parameter int Entries = 4
) (
    // Clock, rising edge.
    input  logic                            clk_i,
    // Asynchronous reset, active low.
    input  logic                            rst_ni,
    // Synchronous clear: holds nothing, and no link register is in use.
    input  logic                            clear_i,
    // A round begins: previous contents are dropped, and the own packets with a bit in load_valid_i are to
    // be sent.
    input  logic                            load_i,
    input  logic [                 Own-1:0] load_valid_i,
    // Own packets, stable until they have been sent: whether they go along x first; the destination, y
    // above x, never this node; data.
    input  logic [                 Own-1:0] own_x_first_i,
    input  logic [Own*2*CoordinateBits-1:0] own_to_i,
    input  logic [           Own*Width-1:0] own_data_i,
    // The node's own coordinates, y above x, constant.
    input  logic [    2*CoordinateBits-1:0] here_i,
    // Packets leave in the coming step.
    input  logic                            active_i,
    // Links.
    input  logic [                     3:0] in_valid_i,
    input  logic [                     3:0] in_x_first_i,
    input  logic [  4*2*CoordinateBits-1:0] in_to_i,
    input  logic [             4*Width-1:0] in_data_i,
    output logic [                     3:0] out_valid_o,
    output logic [                     3:0] out_x_first_o,
    output logic [  4*2*CoordinateBits-1:0] out_to_o,
    output logic [             4*Width-1:0] out_data_o,
    // Arrivals for this node.
    output logic [                     3:0] deliver_valid_o,
    // At the coming edge: number of packets that wait at each out-port, 16 bits each, including the one
    // that leaves.
    output logic [                    63:0] waiting_o,
    // At the coming edge a packet is lost: its FIFO is full.
    output logic                            fault_o
);

  localparam int ToBits = 2 * CoordinateBits;
  localparam int WordBits = 1 + ToBits + Width;

  // The queue in which a packet for `to` waits: bit p: at out-port p on its first leg; bit 4 + p: on its
  // second.
  function automatic logic [7:0] leg_of(input logic x_first, input logic [ToBits-1:0] to,
                                        input logic [ToBits-1:0] here);
    logic x_right;
    logic y_right;
    logic first;
    logic up;
    x_right = to[CoordinateBits-1:0] == here[CoordinateBits-1:0];
    y_right = to[ToBits-1:CoordinateBits] == here[ToBits-1:CoordinateBits];
    first   = x_first ? !x_right : !y_right;
    leg_of  = '0;
    if (first == x_first) begin
      up                             = to[CoordinateBits-1:0] > here[CoordinateBits-1:0];
      leg_of[{!first, 1'b0, up}]     = 1'b1;
    end else begin
      up                             = to[ToBits-1:CoordinateBits] > here[ToBits-1:CoordinateBits];
      leg_of[{!first, 1'b1, up}]     = 1'b1;
    end
  endfunction
  // Own packets by queue, Own bits per queue.
  function automatic logic [8*Own-1:0] own_legs(input logic [Own-1:0] x_first,
                                                input logic [Own*ToBits-1:0] to,
                                                input logic [ToBits-1:0] here);
    logic [7:0] leg;
    own_legs = '0;
    for (int i = 0; i < Own; i++) begin
      leg = leg_of(x_first[i], to[i*ToBits+:ToBits], here);
      for (int j = 0; j < 8; j++) own_legs[j*Own+i] = leg[j];
    end
  endfunction
  // The first set bit.
  function automatic logic [Own-1:0] first_own(input logic [Own-1:0] among);
    first_own = among & (~among + 1'b1);
  endfunction
  function automatic logic [3:0] first_port(input logic [3:0] among);
    first_port = among & (~among + 4'd1);
  endfunction
  function automatic logic [WordBits-1:0] own_word(
      input logic [Own-1:0] one, input logic [Own-1:0] x_first, input logic [Own*ToBits-1:0] to,
      input logic [Own*Width-1:0] data);
    own_word = '0;
    for (int i = 0; i < Own; i++) begin
      if (one[i]) own_word = own_word | {x_first[i], to[i*ToBits+:ToBits], data[i*Width+:Width]};
    end
  endfunction
  function automatic logic [WordBits-1:0] in_word(input logic [3:0] one,
                                                  input logic [4*WordBits-1:0] words);
    in_word = '0;
    for (int q = 0; q < 4; q++) begin
      if (one[q]) in_word = in_word | words[q*WordBits+:WordBits];
    end
  endfunction
  function automatic logic [15:0] number_of(input logic [Own-1:0] among);
    number_of = '0;
    for (int i = 0; i < Own; i++) begin
      if (among[i]) number_of = number_of + 16'd1;
    end
  endfunction

  // Own packets that are still here.
  logic [Own-1:0] pending_q;
  logic [Own-1:0] pending;
  logic [4*Own-1:0] gone;
  logic [8*Own-1:0] legs;
  assign pending = load_i ? load_valid_i : pending_q;
  assign legs    = own_legs(own_x_first_i, own_to_i, here_i);

  // Arrivals, and the queues of arrivals for other nodes, one byte per in-port.
  logic [4*WordBits-1:0] words;
  logic [31:0] joins;
  for (genvar q = 0; q < 4; q++) begin : gen_in_port
    logic [ToBits-1:0] to;
    assign to = in_to_i[q*ToBits+:ToBits];
    assign deliver_valid_o[q] = in_valid_i[q] && to == here_i;
    assign words[q*WordBits+:WordBits] = {in_x_first_i[q], to, in_data_i[q*Width+:Width]};
    assign joins[q*8+:8] =
        in_valid_i[q] && !deliver_valid_o[q] ? leg_of(in_x_first_i[q], to, here_i) : 8'd0;
  end

  logic [3:0] overflow;
  for (genvar p = 0; p < 4; p++) begin : gen_out_port
    // First legs and second legs.
    logic [Own-1:0] first_legs;
    logic [Own-1:0] second_legs;
    logic [3:0] first_joins;
    logic [3:0] second_joins;
    assign first_legs  = pending & legs[p*Own+:Own];
    assign second_legs = pending & legs[(4+p)*Own+:Own];
    for (genvar q = 0; q < 4; q++) begin : gen_join
      assign first_joins[q]  = joins[q*8+p];
      assign second_joins[q] = joins[q*8+4+p];
    end

    // Candidates: own packets on their first leg, others on their first leg, own on their second, others on
    // their second.
    logic first_waits;
    logic second_waits;
    logic [WordBits-1:0] first_head;
    logic [WordBits-1:0] second_head;
    logic [1:0] lost;
    logic own_first;
    logic in_first;
    logic own_second;
    logic in_second;
    assign own_first  = active_i && first_legs != '0;
    assign in_first   = active_i && !own_first && (first_waits || first_joins != '0);
    assign own_second = active_i && !own_first && !in_first && second_legs != '0;
    assign in_second  = active_i && !own_first && !in_first && !own_second &&
        (second_waits || second_joins != '0);
    gsm_queue #(
        .Ports  (4),
        .Width  (WordBits),
        .Entries(Entries)
    ) u_first (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .clear_i   (clear_i || load_i),
        .limit_i   (16'(Entries)),
        .take_i    (in_first),
        .arrive_i  (first_joins),
        .in_data_i (words),
        .valid_o   (first_waits),
        .data_o    (first_head),
        .overflow_o(lost[0])
    );
    gsm_queue #(
        .Ports  (4),
        .Width  (WordBits),
        .Entries(Entries)
    ) u_second (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .clear_i   (clear_i || load_i),
        .limit_i   (16'(Entries)),
        .take_i    (in_second),
        .arrive_i  (second_joins),
        .in_data_i (words),
        .valid_o   (second_waits),
        .data_o    (second_head),
        .overflow_o(lost[1])
    );
    assign overflow[p] = lost != '0;

    logic [Own-1:0] leaves;
    assign leaves = own_first ? first_own(first_legs) : own_second ? first_own(second_legs) : '0;
    assign gone[p*Own+:Own] = leaves;
    logic [WordBits-1:0] word;
    assign word =
        own_first || own_second ? own_word(leaves, own_x_first_i, own_to_i, own_data_i) :
        in_first ? (first_waits ? first_head : in_word(first_port(first_joins), words)) :
        second_waits ? second_head : in_word(first_port(second_joins), words);
    gsm_link #(
        .Width(WordBits)
    ) u_link (
        .clk_i(clk_i),
        .rst_ni(rst_ni),
        .clear_i(clear_i),
        .valid_i(own_first || in_first || own_second || in_second),
        .data_i(word),
        .valid_o(out_valid_o[p]),
        .data_o({out_x_first_o[p], out_to_o[p*ToBits+:ToBits], out_data_o[p*Width+:Width]})
    );

    // Arrivals that are still at this node.
    logic [15:0] count_q;
    logic [15:0] count;
    assign count = (load_i ? 16'd0 : count_q) + number_of_ports(first_joins | second_joins);
    assign waiting_o[p*16+:16] = count + number_of(first_legs | second_legs);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q <= '0;
      else if (clear_i) count_q <= '0;
      else count_q <= count - 16'(in_first || in_second);
    end
  end
  function automatic logic [15:0] number_of_ports(input logic [3:0] among);
    number_of_ports = 16'(among[0]) + 16'(among[1]) + 16'(among[2]) + 16'(among[3]);
  endfunction
  assign fault_o = overflow != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pending_q <= '0;
    else if (clear_i) pending_q <= '0;
    else begin
      pending_q <= pending & ~(gone[Own-1:0] | gone[2*Own-1:Own] | gone[3*Own-1:2*Own] | gone[4*Own-1:3*Own]);
    end
  end

  `GSM_PARAMETER(OwnLegal_A, Own >= 1, "Own must be at least 1")
  `GSM_PARAMETER(CoordinateBitsLegal_A, CoordinateBits >= 1 && CoordinateBits <= 16,
                 "CoordinateBits must be 1..16")

endmodule

`default_nettype wire
