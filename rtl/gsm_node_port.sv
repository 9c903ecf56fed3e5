// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// Between a processing element that speaks valid/ready and one node of the network.
//
// A beat is one round of the network with one flit of each packet. The element hands over the flits
// of its own packets (s_*, packet 0 first) and gets those of all packets of all nodes in ascending
// order (m_*), its own included, as soon as each has arrived; duplicates are dropped. Everything the
// element can get in a beat has a place here, so the network never waits for it: Nodes*Packets
// flits. The next beat begins when the element has taken all of them.
//
// On the links a flit is {parity, number of the packet, data}. With Parity, a flit whose number of
// ones is odd is dropped and reported.
module gsm_node_port #(
    // Number of this node, below Nodes.
    parameter int Node = 0,
    // Nodes of the network, and own packets of each.
    parameter int Nodes = 4,
    parameter int Packets = 1,
    // Ports of the router.
    parameter int Ports = 4,
    // Data bits of a flit, 1 or more.
    parameter int Width = 32,
    // 1: each flit has a parity bit on the links.
    parameter bit Parity = 1'b0,
    // Bits of a packet's number, and of a flit on a link.
    localparam int NumberWidth = $clog2(Nodes * Packets),
    localparam int LinkWidth = Width + NumberWidth + (Parity ? 1 : 0)
) (
    // Clock, rising edge.
    input  logic                         clk_i,
    // Asynchronous reset, active low.
    input  logic                         rst_ni,
    // Synchronous clear: forgets everything.
    input  logic                         clear_i,
    // From the element: a flit of its next own packet.
    input  logic                         s_valid_i,
    output logic                         s_ready_o,
    input  logic [            Width-1:0] s_data_i,
    // To the element: a flit and the number of its packet, node*Packets + c.
    output logic                         m_valid_o,
    input  logic                         m_ready_i,
    output logic [            Width-1:0] m_data_o,
    output logic [      NumberWidth-1:0] m_packet_o,
    // All own flits of the beat are here; all flits of the last beat have been taken.
    output logic                         loaded_o,
    output logic                         drained_o,
    // To and from the network: the beat begins; it is over.
    input  logic                         start_i,
    input  logic                         done_i,
    output logic [Packets*LinkWidth-1:0] own_data_o,
    input  logic [            Ports-1:0] deliver_valid_i,
    input  logic [  Ports*LinkWidth-1:0] deliver_data_i,
    // A flit arrived with wrong parity; at done_i: some flit is missing.
    output logic                         parity_error_o,
    output logic                         missing_o
);

  localparam int Total = Nodes * Packets;
  localparam int CountWidth = $clog2(Packets + 1);

  // Own flits, first handed over lowest.
  logic [Packets*Width-1:0] own_q;
  logic [CountWidth-1:0] own_count_q;
  assign loaded_o  = own_count_q == CountWidth'(Packets);
  assign s_ready_o = !loaded_o;
  for (genvar c = 0; c < Packets; c++) begin : gen_own
    logic [Width+NumberWidth-1:0] flit;
    assign flit = {NumberWidth'(Node * Packets + c), own_q[c*Width+:Width]};
    if (Parity) begin : gen_parity
      assign own_data_o[c*LinkWidth+:LinkWidth] = {^flit, flit};
    end else begin : gen_plain
      assign own_data_o[c*LinkWidth+:LinkWidth] = flit;
    end
    always_ff @(posedge clk_i) begin
      if (s_valid_i && s_ready_o && own_count_q == CountWidth'(c)) own_q[c*Width+:Width] <= s_data_i;
    end
  end
  // Own flits have to stay until the last is injected: until the end of the beat.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) own_count_q <= '0;
    else if (clear_i || done_i) own_count_q <= '0;
    else if (s_valid_i && s_ready_o) own_count_q <= own_count_q + 1'b1;
  end

  // What arrives in this cycle, by in-port.
  logic [Ports-1:0] good;
  logic [Ports-1:0] damaged;
  for (genvar q = 0; q < Ports; q++) begin : gen_in_port
    if (Parity) begin : gen_parity
      assign damaged[q] = deliver_valid_i[q] && (^deliver_data_i[q*LinkWidth+:LinkWidth]);
    end else begin : gen_plain
      assign damaged[q] = 1'b0;
    end
    assign good[q] = deliver_valid_i[q] && !damaged[q];
  end
  assign parity_error_o = damaged != '0;

  // A place for each packet of the network.
  logic [Total-1:0] here_q;
  logic [Total*Width-1:0] data_q;
  for (genvar i = 0; i < Total; i++) begin : gen_place
    logic [Ports-1:0] hits;
    logic [Width-1:0] data;
    for (genvar q = 0; q < Ports; q++) begin : gen_hit
      assign hits[q] = good[q] &&
                       deliver_data_i[q*LinkWidth+Width+:NumberWidth] == NumberWidth'(i);
    end
    always_comb begin
      data = '0;
      for (int q = 0; q < Ports; q++) begin
        if (hits[q]) data = deliver_data_i[q*LinkWidth+:Width];
      end
    end
    if (i / Packets == Node) begin : gen_mine
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) here_q[i] <= 1'b0;
        else if (clear_i) here_q[i] <= 1'b0;
        else if (start_i) here_q[i] <= 1'b1;
        else if (drained_o) here_q[i] <= 1'b0;
      end
      always_ff @(posedge clk_i) begin
        if (start_i) data_q[i*Width+:Width] <= own_q[(i%Packets)*Width+:Width];
      end
      logic unused_mine;
      assign unused_mine = ^{hits, data};
    end else begin : gen_other
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) here_q[i] <= 1'b0;
        else if (clear_i || start_i) here_q[i] <= 1'b0;
        else if (hits != '0) here_q[i] <= 1'b1;
      end
      always_ff @(posedge clk_i) begin
        if (hits != '0) data_q[i*Width+:Width] <= data;
      end
    end
  end
  assign missing_o = done_i && here_q != '1;

  // The packet that the element gets next; Total when it has all.
  logic [NumberWidth:0] next_q;
  assign drained_o  = next_q == (NumberWidth + 1)'(Total);
  assign m_packet_o = next_q[NumberWidth-1:0];
  always_comb begin
    m_valid_o = 1'b0;
    m_data_o  = '0;
    for (int i = 0; i < Total; i++) begin
      if (next_q == (NumberWidth + 1)'(i)) begin
        m_valid_o = here_q[i];
        m_data_o  = data_q[i*Width+:Width];
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_q <= (NumberWidth + 1)'(Total);
    else if (clear_i) next_q <= (NumberWidth + 1)'(Total);
    else if (start_i) next_q <= '0;
    else if (m_valid_o && m_ready_i) next_q <= next_q + 1'b1;
  end

  `GSM_ASSERT(StartWhenReady_A, !start_i || (loaded_o && drained_o),
              "start_i before everything is loaded and drained")
  `GSM_PARAMETER(NodeLegal_A, Node >= 0 && Node < Nodes, "Node must be below Nodes")

endmodule

`default_nettype wire
