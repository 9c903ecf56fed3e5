// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Moves a vector between a node's memory and the streams of its tile, for one collective of a torus of two
// dimensions: an all-gather (Reduce = 0) or an all-reduce in place (Reduce = 2).
//
// The vector has two halves, one for each cycle; word slot*Flits + f of a half is flit f of the packet of
// the node at place `slot` of the cycle. Counters compute all addresses: gsm_elastic_read for each
// out-port, gsm_elastic_write for each in-port. In an all-reduce the first partial sums of the own words
// are added to them (forward, backward, own word, in this order), and the sums are sent from memory.
module clocks_dma #(
    parameter int Nodes = 16,
    parameter int Chunk = 4,
    parameter int Rounds = 8,
    parameter int Reduce = 0,
    parameter int AddressBits = 11,
    // Bit p*4 + q: in-port q feeds out-port p.
    parameter logic [15:0] Feed = 16'h4812,
    // Cycle of each in-port.
    parameter logic [15:0] Cycle = 16'h1100,
    localparam int SlotBits = $clog2(Nodes),
    localparam int FlitBits = $clog2(Chunk * Rounds),
    localparam int DeliverBits = 32 + FlitBits + SlotBits + 3
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // The node's place on both cycles, and which in-ports are on a backward ring.
    input  logic [   2*SlotBits-1:0] rank_i,
    input  logic [              3:0] backward_i,
    // Pulse while done_o is high; the vector's first word.
    input  logic                     start_i,
    input  logic [  AddressBits-1:0] base_i,
    output logic                     done_o,
    // Memory: 0 to 3 for out-ports, 4 and 5 for the own words of both cycles; writes 0 to 3 of in-ports, 4
    // and 5 of sums.
    output logic [6*AddressBits-1:0] read_address_o,
    input  logic [         6*32-1:0] read_data_i,
    output logic [              5:0] write_o,
    output logic [6*AddressBits-1:0] write_address_o,
    output logic [         6*32-1:0] write_data_o,
    // The tile's streams, as gsm_fabric has them.
    output logic [              3:0] own_valid_o,
    input  logic [              3:0] own_ready_i,
    output logic [            127:0] own_data_o,
    output logic [              3:0] own_last_o,
    input  logic [              3:0] deliver_valid_i,
    output logic [              3:0] deliver_ready_o,
    input  logic [4*DeliverBits-1:0] deliver_data_i
);

  localparam int Flits = Chunk * Rounds;

  assign own_data_o = read_data_i[127:0];
  logic [3:0] read_done;
  logic [3:0] write_done;
  assign done_o = (read_done & write_done) == '1;
  // By cycle: number of sums in memory.
  logic [2*(FlitBits+1)-1:0] complete;

  function automatic logic [AddressBits-1:0] base_of(input logic [AddressBits-1:0] base, input int cycle);
    base_of = base + AddressBits'(cycle * Nodes * Flits);
  endfunction

  function automatic int feeding(input int p);
    feeding = 0;
    for (int q = 0; q < 4; q++) if (Feed[p*4+q]) feeding = q;
  endfunction

  for (genvar p = 0; p < 4; p++) begin : gen_out_port
    localparam int From = feeding(p);
    localparam int Of = 32'(Cycle[From*4+:4]);
    logic [FlitBits-1:0] flit;
    logic own;
    logic [AddressBits-1:0] address;
    assign read_address_o[p*AddressBits+:AddressBits] = address;
    gsm_elastic_read #(
        .Nodes      (Nodes),
        .Chunk      (Chunk),
        .Rounds     (Rounds),
        .Reduce     (Reduce),
        .AddressBits(AddressBits)
    ) u_read (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .rank_i    (rank_i[Of*SlotBits+:SlotBits]),
        .backward_i(backward_i[From]),
        .start_i   (start_i),
        .base_i    (base_of(base_i, Of)),
        .go_i      ((FlitBits + 1)'(flit) < complete[Of*(FlitBits+1)+:FlitBits+1]),
        .address_o (address),
        .flit_o    (flit),
        .own_o     (own),
        .s_valid_o (own_valid_o[p]),
        .s_ready_i (own_ready_i[p]),
        .s_last_o  (own_last_o[p]),
        .done_o    (read_done[p])
    );
    logic unused_own;
    assign unused_own = own;
  end

  // Partial sums of the own words, by in-port: number of arrivals.
  logic [4*(FlitBits+1)-1:0] come;
  logic [31:0] partial[4];
  for (genvar q = 0; q < 4; q++) begin : gen_in_port
    localparam int Of = 32'(Cycle[q*4+:4]);
    logic [31:0] data;
    logic [FlitBits-1:0] flit;
    logic [SlotBits-1:0] slot;
    logic [AddressBits-1:0] address;
    logic done;
    logic wrong;
    logic last;
    assign {wrong, done, last, slot, flit, data} = deliver_data_i[q*DeliverBits+:DeliverBits];
    // Packets of other nodes have other slots.
    logic sum;
    logic ready;
    assign sum = Reduce != 0 && slot == rank_i[Of*SlotBits+:SlotBits];
    gsm_elastic_write #(
        .Nodes      (Nodes),
        .Flits      (Flits),
        .AddressBits(AddressBits)
    ) u_write (
        .clk_i        (clk_i),
        .rst_ni       (rst_ni),
        .start_i      (start_i),
        .base_i       (base_of(base_i, Of)),
        .m_valid_i    (deliver_valid_i[q] && !sum),
        .m_ready_o    (ready),
        .m_slot_i     (slot),
        .m_flit_i     (flit),
        .m_done_i     (done),
        .write_o      (write_o[q]),
        .write_ready_i(1'b1),
        .address_o    (address),
        .done_o       (write_done[q])
    );
    assign deliver_ready_o[q] = ready;
    assign write_address_o[q*AddressBits+:AddressBits] = address;
    assign write_data_o[q*32+:32] = data;
    // They arrive in order, and are stored until those of the other direction have arrived.
    logic [31:0] kept[Flits];
    logic [FlitBits:0] come_q;
    assign come[q*(FlitBits+1)+:FlitBits+1] = come_q;
    assign partial[q] = kept[FlitBits'(complete[Of*(FlitBits+1)+:FlitBits+1])];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) come_q <= '0;
      else if (start_i) come_q <= '0;
      else if (deliver_valid_i[q] && ready && sum) come_q <= come_q + 1'b1;
    end
    always_ff @(posedge clk_i) if (deliver_valid_i[q] && ready && sum) kept[flit] <= data;
    logic unused_flags;
    assign unused_flags = wrong ^ last;
  end

  // Two in-ports are on a cycle: forward and backward.
  for (genvar c = 0; c < 2; c++) begin : gen_cycle
    logic [FlitBits:0] complete_q;
    logic [3:0] both;
    logic [31:0] term[4];
    logic [31:0] sum;
    logic [AddressBits-1:0] address;
    logic add;
    for (genvar q = 0; q < 4; q++) begin : gen_side
      if (32'(Cycle[q*4+:4]) == c) begin : gen_here
        assign both[q] = come[q*(FlitBits+1)+:FlitBits+1] > complete_q;
        assign term[q] = partial[q];
      end else begin : gen_elsewhere
        assign both[q] = 1'b1;
        assign term[q] = '0;
      end
    end
    assign add = both == '1;
    assign sum = ((term[0] + term[1]) + (term[2] + term[3])) + read_data_i[(4+c)*32+:32];
    assign complete[c*(FlitBits+1)+:FlitBits+1] = complete_q;
    assign address = base_of(base_i, c) +
        AddressBits'(rank_i[c*SlotBits+:SlotBits]) * AddressBits'(Flits) + AddressBits'(complete_q);
    assign write_o[4+c] = add;
    assign read_address_o[(4+c)*AddressBits+:AddressBits] = address;
    assign write_address_o[(4+c)*AddressBits+:AddressBits] = address;
    assign write_data_o[(4+c)*32+:32] = sum;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) complete_q <= '0;
      else if (start_i) complete_q <= '0;
      else if (add) complete_q <= complete_q + 1'b1;
    end
  end

endmodule

`default_nettype wire
