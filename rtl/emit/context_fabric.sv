// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A whole network of contexts: the tiles of a plan and the links between neighbours, nothing else.
//
// The package gsm_plan_pkg and the tile gsm_tile contain everything that depends on the plan. Out-port p of a
// tile is in-port p^1 of the neighbour in direction p; its register is the register of the link. Port p of
// node n has bit n*Ports + p of a vector, and packet and word of this number. docs/contexts.md shows the
// timing.
module gsm_fabric #(
    // Data bits of a word.
    parameter int Width = gsm_plan_pkg::Width
) (
    // Clock, rising edge.
    input logic clk_i,
    // Asynchronous reset, active low.
    input logic rst_ni,
    // Synchronous clear: ends the round without done_o, empties the network.
    input logic clear_i,
    // With start_i: the context, and the rank of the root of a broadcast or reduce. The rank is the node id,
    // or the member's number in each of the groups.
    input logic [gsm_plan_pkg::ChoiceBits-1:0] context_i,
    input logic [gsm_plan_pkg::RankBits-1:0] root_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low, or with last_o.
    input logic start_i,
    // Own words of step 1, in the cycle of start_i.
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports-1:0] first_valid_o,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*gsm_plan_pkg::PacketBits-1:0] first_packet_o,
    input logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*Width-1:0] first_data_i,
    // Own operands, in the cycles of steps.
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports-1:0] own_valid_o,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*gsm_plan_pkg::PacketBits-1:0] own_packet_o,
    input logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*Width-1:0] own_data_i,
    // Arrivals and results, in the cycles of steps.
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports-1:0] deliver_valid_o,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*gsm_plan_pkg::PacketBits-1:0] deliver_packet_o,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*Width-1:0] deliver_data_o,
    // Deliveries are added to the words of the elements; low: they replace them.
    output logic deliver_add_o,
    // For observation, otherwise left open: the registers of the links.
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports-1:0] link_valid_o,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*Width-1:0] link_data_o,
    // This is the cycle of a step; of the last step; the cycle after it.
    output logic busy_o,
    output logic last_o,
    output logic done_o
);

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int NodesPerRow = gsm_plan_pkg::NodesPerRow;
  localparam int PacketBits = gsm_plan_pkg::PacketBits;

  logic [Ports/2*gsm_plan_pkg::NumberBits-1:0] root;
  assign root = gsm_plan_pkg::root_places(32'(context_i), 32'(root_i));

  // n*Ports + p: out-port p of node n. An array, since simulators evaluate a vector as a whole.
  logic link_valid[Nodes*Ports];
  logic [Width-1:0] link_data[Nodes*Ports];
  logic [Nodes-1:0] busy;
  logic [Nodes-1:0] last;
  logic [Nodes-1:0] done;
  logic [Nodes-1:0] deliver_add;

  // Two loops, since tools limit the length of one.
  for (genvar row = 0; row < Nodes / NodesPerRow; row++) begin : gen_row
    for (genvar column = 0; column < NodesPerRow; column++) begin : gen_node
      localparam int Node = row * NodesPerRow + column;
      localparam int At = Node * Ports;
      logic [Ports-1:0] in_valid;
      logic [Ports*Width-1:0] in_data;
      logic [Ports-1:0] out_valid;
      logic [Ports*Width-1:0] out_data;
      assign link_valid_o[At+:Ports]            = out_valid;
      assign link_data_o[At*Width+:Ports*Width] = out_data;
      for (genvar p = 0; p < Ports; p++) begin : gen_port
        localparam int From = gsm_plan_pkg::neighbor(Node, p);
        localparam int Arc = (From < 0 ? 0 : From) * Ports + (p % 2 == 0 ? p + 1 : p - 1);
        assign link_valid[At+p] = out_valid[p];
        assign link_data[At+p]  = out_data[p*Width+:Width];
        if (From < 0) begin : gen_border
          assign in_valid[p]             = 1'b0;
          assign in_data[p*Width+:Width] = '0;
        end else begin : gen_link
          assign in_valid[p]             = link_valid[Arc];
          assign in_data[p*Width+:Width] = link_data[Arc];
        end
      end
      gsm_tile #(
          .Width(Width),
          .Class(gsm_plan_pkg::node_class(Node))
      ) u_tile (
          .clk_i           (clk_i),
          .rst_ni          (rst_ni),
          .clear_i         (clear_i),
          .start_i         (start_i),
          .context_i       (context_i),
          .root_i          (root),
          .first_valid_o   (first_valid_o[At+:Ports]),
          .first_packet_o  (first_packet_o[At*PacketBits+:Ports*PacketBits]),
          .first_data_i    (first_data_i[At*Width+:Ports*Width]),
          .own_valid_o     (own_valid_o[At+:Ports]),
          .own_packet_o    (own_packet_o[At*PacketBits+:Ports*PacketBits]),
          .own_data_i      (own_data_i[At*Width+:Ports*Width]),
          .deliver_valid_o (deliver_valid_o[At+:Ports]),
          .deliver_packet_o(deliver_packet_o[At*PacketBits+:Ports*PacketBits]),
          .deliver_data_o  (deliver_data_o[At*Width+:Ports*Width]),
          .deliver_add_o   (deliver_add[Node]),
          .in_valid_i      (in_valid),
          .in_data_i       (in_data),
          .out_valid_o     (out_valid),
          .out_data_o      (out_data),
          .busy_o          (busy[Node]),
          .last_o          (last[Node]),
          .done_o          (done[Node])
      );
    end
  end

  assign deliver_add_o = deliver_add != '0;
  assign busy_o = busy != '0;
  assign last_o = last != '0;
  assign done_o = done != '0;

  `GSM_ASSERT(TilesAgree_A, (busy == '0 || busy == '1) && (last == '0 || last == '1) && (done == '0 || done == '1),
              "the tiles are not in the same step")
  `GSM_ASSERT(StatusKnown_A, (^{busy_o, last_o, done_o}) !== 1'bx, "a status output is unknown")

endmodule

`default_nettype wire
