// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// A whole 2-D torus with Hamiltonian gossip and no table anywhere: every router computes its
// pairing from its coordinates (gsm_pairing).
//
// Sides, packets and steps come from the package gsm_plan_pkg, which `gossamer emit --format
// sv-rule` writes next to this file. Two packets a node; packet c goes both ways round cycle c.
// Timing of a round is gsm_network's.
module gsm_network_rule #(
    // Data bits of a packet, 1 or more.
    parameter int Width = gsm_plan_pkg::Width
) (
    // Clock, rising edge.
    input logic clk_i,
    // Asynchronous reset, active low.
    input logic rst_ni,
    // Synchronous clear: ends the round, empties the network, lowers error_o.
    input logic clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input logic start_i,
    // Own packets: packet c of node n in bits (n*Packets + c)*Width +: Width; stable while they are
    // injected.
    input logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Packets*Width-1:0] own_data_i,
    // Arrivals: in-port q of node n is bit n*Ports + q.
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports-1:0] deliver_valid_o,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*Width-1:0] deliver_data_o,
    // This is the cycle of a step of a round.
    output logic busy_o,
    // The cycle after the last step.
    output logic done_o,
    // A router lost a packet since the last clear, reset or start of a round.
    output logic error_o
);

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Packets = gsm_plan_pkg::Packets;
  localparam int NodesPerRow = gsm_plan_pkg::NodesPerRow;

  // n*Ports + p: out-port p of node n. An array, since simulators look at a vector as a whole.
  logic link_valid[Nodes*Ports];
  logic [Width-1:0] link_data[Nodes*Ports];
  logic [Nodes-1:0] busy;
  logic [Nodes-1:0] last;
  logic [Nodes-1:0] done;
  logic [Nodes-1:0] error;

  // Two loops, since tools limit the length of one.
  for (genvar row = 0; row < Nodes / NodesPerRow; row++) begin : gen_row
    for (genvar column = 0; column < NodesPerRow; column++) begin : gen_node
      localparam int Node = row * NodesPerRow + column;

      logic [      Ports-1:0] inject_valid;
      logic [Ports*Width-1:0] inject_data;
      logic [      Ports-1:0] in_valid;
      logic [Ports*Width-1:0] in_data;
      logic [      Ports-1:0] out_valid;
      logic [Ports*Width-1:0] out_data;

      for (genvar p = 0; p < Ports; p++) begin : gen_out_port
        assign link_valid[Node*Ports+p] = out_valid[p];
        assign link_data[Node*Ports+p]  = out_data[p*Width+:Width];
      end

      for (genvar q = 0; q < Ports; q++) begin : gen_in_port
        localparam int From = gsm_plan_pkg::neighbor(Node, q);
        if (From < 0) begin : gen_border
          assign in_valid[q] = 1'b0;
          assign in_data[q*Width+:Width] = '0;
        end else begin : gen_link
          localparam int Link = From * Ports + (q % 2 == 0 ? q + 1 : q - 1);
          assign in_valid[q] = link_valid[Link];
          assign in_data[q*Width+:Width] = link_data[Link];
        end
      end

      logic [15:0] feed;
      logic [3:0] cycle;
      logic [63:0] preload;

      gsm_pairing u_pairing (
          .x_i    (16'(column)),
          .y_i    (16'(row)),
          .nx_i   (16'(NodesPerRow)),
          .ny_i   (16'(Nodes / NodesPerRow)),
          .feed_o (feed),
          .cycle_o(cycle)
      );
      for (genvar p = 0; p < 4; p++) begin : gen_preload
        assign preload[p*16+:16] = 16'(cycle[p]);
      end

      gsm_router_table #(
          .Ports    (4),
          .Width    (Width),
          .Depth    (1),
          .StepWidth(1)
      ) u_router (
          .clk_i         (clk_i),
          .rst_ni        (rst_ni),
          .clear_i       (clear_i || last[Node] || !(start_i || busy[Node])),
          .feed_i        (feed),
          .early_feed_i  (16'd0),
          .switch_step_i (128'd0),
          .frame_i       (5'd1),
          .depth_i       (16'd1),
          .inject_valid_i(inject_valid),
          .inject_data_i (inject_data),
          .in_valid_i    (in_valid),
          .in_data_i     (in_data),
          .out_valid_o   (out_valid),
          .out_data_o    (out_data),
          .error_o       (error[Node])
      );

      gsm_network_interface_table #(
          .Ports     (Ports),
          .Width     (Width),
          .Packets   (Packets),
          .PreloadMax(1)
      ) u_network_interface (
          .clk_i           (clk_i),
          .rst_ni          (rst_ni),
          .clear_i         (clear_i),
          .start_i         (start_i),
          .steps_i         (32'(gsm_plan_pkg::Steps)),
          .preload_length_i({4{16'd1}}),
          .preload_i       (preload),
          .own_data_i      (own_data_i[Node*Packets*Width+:Packets*Width]),
          .inject_valid_o  (inject_valid),
          .inject_data_o   (inject_data),
          .in_valid_i      (in_valid),
          .in_data_i       (in_data),
          .deliver_valid_o (deliver_valid_o[Node*Ports+:Ports]),
          .deliver_data_o  (deliver_data_o[Node*Ports*Width+:Ports*Width]),
          .busy_o          (busy[Node]),
          .last_o          (last[Node]),
          .done_o          (done[Node])
      );
    end
  end

  assign busy_o = busy != '0;
  assign done_o = done == '1;

  // The routers forget with their clear; the network keeps the error until the next round.
  logic error_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else if (clear_i || start_i) error_q <= 1'b0;
    else if (error != '0) error_q <= 1'b1;
  end
  assign error_o = error_q || (error != '0);

  `GSM_ASSERT(InterfacesAgree_A, (busy == '0 || busy == '1) && (done == '0 || done == '1),
              "the network interfaces are not in the same step")
  `GSM_PARAMETER(ShapeLegal_A, Ports == 4 && Packets == 2, "the rule is for 2-D tori and two packets")

endmodule
