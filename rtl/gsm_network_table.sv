// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// A whole torus or mesh whose tables can be loaded: gsm_network with its tables in registers.
//
// The registers begin with the image TableFile and are written one word a cycle, so that one
// netlist runs every stream plan of its shape. The package gsm_plan_pkg, which `gossamer emit
// --format sv-table` writes next to this file, has the shape alone. Timing of a round is
// gsm_network's.
//
// A word describes one out-port; its address is node*Ports + out-port. From bit 0:
//   feed [Ports], early_feed [Ports], switch_step [32], preload_length [16], preload [16] each.
module gsm_network_table #(
    // Data bits of a packet, 1 or more.
    parameter int Width = gsm_plan_pkg::Width,
    // The $readmemh image that the tables begin with.
    parameter TableFile = "tables.memh",
    // Bits of a word and of an address.
    localparam int TableWidth = 2 * gsm_plan_pkg::Ports + 48 + 16 * gsm_plan_pkg::PreloadMax,
    localparam int AddressWidth = $clog2(gsm_plan_pkg::Nodes * gsm_plan_pkg::Ports)
) (
    // Clock, rising edge.
    input logic clk_i,
    // Asynchronous reset, active low.
    input logic rst_ni,
    // Synchronous clear: ends the round, empties the network, lowers error_o.
    input logic clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input logic start_i,
    // Write a word of the tables. Only while busy_o is low.
    input logic table_write_i,
    input logic [AddressWidth-1:0] table_address_i,
    input logic [TableWidth-1:0] table_data_i,
    // Steps of a round, 1..2^30; stable while a round is running.
    input logic [31:0] steps_i,
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
  localparam int PreloadMax = gsm_plan_pkg::PreloadMax;

  logic [TableWidth-1:0] table_q[Nodes*Ports];
  initial $readmemh(TableFile, table_q, 0, Nodes * Ports - 1);
  always_ff @(posedge clk_i) begin
    if (table_write_i) table_q[table_address_i] <= table_data_i;
  end

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

      logic [Ports*Ports-1:0] feed;
      logic [Ports*Ports-1:0] early_feed;
      logic [Ports*32-1:0] switch_step;
      logic [Ports*16-1:0] preload_length;
      logic [Ports*PreloadMax*16-1:0] preload;
      for (genvar p = 0; p < Ports; p++) begin : gen_table
        logic [TableWidth-1:0] word;
        assign word                                     = table_q[Node*Ports+p];
        assign feed[p*Ports+:Ports]                     = word[0+:Ports];
        assign early_feed[p*Ports+:Ports]               = word[Ports+:Ports];
        assign switch_step[p*32+:32]                    = word[2*Ports+:32];
        assign preload_length[p*16+:16]                 = word[2*Ports+32+:16];
        assign preload[p*PreloadMax*16+:PreloadMax*16]  = word[2*Ports+48+:PreloadMax*16];
      end

      gsm_router_table #(
          .Ports(Ports),
          .Width(Width),
          .Depth(gsm_plan_pkg::Depth)
      ) u_router (
          .clk_i         (clk_i),
          .rst_ni        (rst_ni),
          .clear_i       (clear_i || last[Node] || !(start_i || busy[Node])),
          .feed_i        (feed),
          .early_feed_i  (early_feed),
          .switch_step_i (switch_step),
          .frame_i       (5'd1),
          .depth_i       (16'(gsm_plan_pkg::Depth)),
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
          .PreloadMax(PreloadMax)
      ) u_network_interface (
          .clk_i           (clk_i),
          .rst_ni          (rst_ni),
          .clear_i         (clear_i),
          .start_i         (start_i),
          .steps_i         (steps_i),
          .preload_length_i(preload_length),
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
  `GSM_ASSERT(WriteWhenIdle_A, !table_write_i || busy == '0, "table_write_i while a round is running")

endmodule
