// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of the stream machine: the stream router and its network interface.
//
// start_i in cycle t makes cycle t+1 step 1; done_o is high in the cycle after the last step. A step is a
// cycle. Outside a round the router is held clear: packets that would circulate further are dropped, and
// the next round can start in the cycle of done_o. The parameter Tables selects the source of the tables;
// timing and behaviour are the same.
module gsm_stream_node #(
    // Source of the tables. "constant": the parameters below; "loadable": registers that reset to them, one
    // word per out-port; "computed": gsm_pairing, which computes the tables of the Hamiltonian all-gather
    // on a 2-D torus from the coordinates. Eight letters each: yosys 0.23 does not support `string`.
    parameter logic [8*8-1:0] Tables = "constant",
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Own packets of the node, 1..1024.
    parameter int Packets = 1,
    // Steps of a round, 1..2^30.
    parameter int Steps = 1,
    // Capacity of each out-port in packets, including the out register, 1..65535.
    parameter int Depth = 1,
    // Slots of a frame, 1..16; 1 unless the tables are constant.
    parameter int Frame = 1,
    // The tables, as in gsm_router and gsm_network_interface.
    parameter logic [Ports*Frame*Ports*Frame-1:0] Feed = '0,
    parameter logic [Ports*Frame*Ports*Frame-1:0] EarlyFeed = '0,
    parameter logic [Ports*Frame*32-1:0] SwitchStep = '0,
    parameter logic [Ports-1:0] InjectMask = {Ports{1'b1}},
    parameter int PreloadMax = 1,
    parameter logic [Ports*Frame*16-1:0] PreloadLength = '0,
    parameter logic [Ports*Frame*PreloadMax*16-1:0] Preload = '0,
    // Sides of the torus, for "computed".
    parameter int SideX = 3,
    parameter int SideY = 3,
    // Bits of a word of the tables: feed [Ports], early feed [Ports], switch step [32], length [16] and
    // entries [16 each] of the list of own packets, from bit 0.
    parameter int TableBits = 2 * Ports + 48 + 16 * PreloadMax
) (
    // Clock, rising edge.
    input  logic                     clk_i,
    // Asynchronous reset, active low.
    input  logic                     rst_ni,
    // Synchronous clear: ends the round, empties the router, lowers error_o.
    input  logic                     clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                     start_i,
    // The node's coordinates, 16 bits each; constant.
    input  logic [   Ports/2*16-1:0] coordinates_i,
    // Loadable tables: the word of out-port p; bit Ports: the number of steps, in the low 32 bits; bit
    // Ports + 1: the enabled in-ports, in the low Ports bits, all of them after reset. Only while busy_o is
    // low.
    input  logic [        Ports+1:0] table_write_i,
    input  logic [    TableBits-1:0] table_data_i,
    // The own packets, packet c in bits c*Width +: Width; stable from start_i until the last one is
    // injected.
    input  logic [Packets*Width-1:0] own_data_i,
    // Links.
    input  logic [        Ports-1:0] in_valid_i,
    input  logic [  Ports*Width-1:0] in_data_i,
    output logic [        Ports-1:0] out_valid_o,
    output logic [  Ports*Width-1:0] out_data_o,
    // Every arrival, by in-port, for the processing element.
    output logic [        Ports-1:0] deliver_valid_o,
    output logic [  Ports*Width-1:0] deliver_data_o,
    // This is the cycle of a step.
    output logic                     busy_o,
    // It is the last.
    output logic                     last_o,
    // The cycle after the last step.
    output logic                     done_o,
    // A packet was lost since the last clear, reset or start.
    output logic                     error_o
);

  logic clear;
  assign clear = clear_i || last_o || !(start_i || busy_o);

  // Arrivals at enabled in-ports.
  logic [Ports-1:0] in_valid;
  logic [Ports-1:0] inject_valid;
  logic [Ports*Width-1:0] inject_data;
  logic error;

  if (Tables == "constant") begin : gen_constant
    assign in_valid = in_valid_i;
    gsm_router #(
        .Ports     (Ports),
        .Width     (Width),
        .Depth     (Depth),
        .Frame     (Frame),
        .Feed      (Feed),
        .EarlyFeed (EarlyFeed),
        .SwitchStep(SwitchStep),
        .InjectMask(InjectMask)
    ) u_router (
        .clk_i         (clk_i),
        .rst_ni        (rst_ni),
        .clear_i       (clear),
        .inject_valid_i(inject_valid),
        .inject_data_i (inject_data),
        .in_valid_i    (in_valid),
        .in_data_i     (in_data_i),
        .out_valid_o   (out_valid_o),
        .out_data_o    (out_data_o),
        .error_o       (error)
    );
    gsm_network_interface #(
        .Ports        (Ports),
        .Width        (Width),
        .Packets      (Packets),
        .Steps        (Steps),
        .Frame        (Frame),
        .PreloadMax   (PreloadMax),
        .PreloadLength(PreloadLength),
        .Preload      (Preload)
    ) u_network_interface (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .start_i        (start_i),
        .own_data_i     (own_data_i),
        .inject_valid_o (inject_valid),
        .inject_data_o  (inject_data),
        .in_valid_i     (in_valid),
        .in_data_i      (in_data_i),
        .deliver_valid_o(deliver_valid_o),
        .deliver_data_o (deliver_data_o),
        .busy_o         (busy_o),
        .last_o         (last_o),
        .done_o         (done_o)
    );
    logic unused_open;
    assign unused_open = ^{coordinates_i, table_write_i, table_data_i};
  end else begin : gen_open
    logic [Ports*Ports-1:0] feed;
    logic [Ports*Ports-1:0] early_feed;
    logic [Ports*32-1:0] switch_step;
    logic [Ports*16-1:0] preload_length;
    logic [Ports*PreloadMax*16-1:0] preload;
    logic [31:0] steps;

    if (Tables == "loadable") begin : gen_loadable
      for (genvar p = 0; p < Ports; p++) begin : gen_word
        localparam logic [TableBits-1:0] Initial = {
          Preload[p*PreloadMax*16+:PreloadMax*16],
          PreloadLength[p*16+:16],
          SwitchStep[p*32+:32],
          EarlyFeed[p*Ports+:Ports],
          Feed[p*Ports+:Ports]
        };
        logic [TableBits-1:0] word_q;
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) word_q <= Initial;
          else if (table_write_i[p]) word_q <= table_data_i;
        end
        assign feed[p*Ports+:Ports]                    = word_q[0+:Ports];
        assign early_feed[p*Ports+:Ports]              = word_q[Ports+:Ports];
        assign switch_step[p*32+:32]                   = word_q[2*Ports+:32];
        assign preload_length[p*16+:16]                = word_q[2*Ports+32+:16];
        assign preload[p*PreloadMax*16+:PreloadMax*16] = word_q[2*Ports+48+:PreloadMax*16];
      end
      logic [31:0] steps_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) steps_q <= Steps;
        else if (table_write_i[Ports]) steps_q <= table_data_i[31:0];
      end
      assign steps = steps_q;
      logic [Ports-1:0] enable_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) enable_q <= '1;
        else if (table_write_i[Ports+1]) enable_q <= table_data_i[Ports-1:0];
      end
      assign in_valid = in_valid_i & enable_q;
      logic unused_coordinates;
      assign unused_coordinates = ^coordinates_i;
    end else begin : gen_computed
      logic [3:0] cycle;
      gsm_pairing u_pairing (
          .x_i    (coordinates_i[15:0]),
          .y_i    (coordinates_i[31:16]),
          .nx_i   (16'(SideX)),
          .ny_i   (16'(SideY)),
          .feed_o (feed),
          .cycle_o(cycle)
      );
      for (genvar p = 0; p < 4; p++) begin : gen_preload
        assign preload[p*16+:16] = 16'(cycle[p]);
      end
      assign in_valid       = in_valid_i;
      assign early_feed     = '0;
      assign switch_step    = '0;
      assign preload_length = {4{16'd1}};
      assign steps          = Steps;
      logic unused_table;
      assign unused_table = ^{table_write_i, table_data_i};
    end

    gsm_router_table #(
        .Ports    (Ports),
        .Width    (Width),
        .Depth    (Depth),
        .StepWidth(Tables == "computed" ? 1 : 32)
    ) u_router (
        .clk_i         (clk_i),
        .rst_ni        (rst_ni),
        .clear_i       (clear),
        .feed_i        (feed),
        .early_feed_i  (early_feed),
        .switch_step_i (switch_step),
        .frame_i       (5'd1),
        .depth_i       (16'(Depth)),
        .inject_valid_i(inject_valid),
        .inject_data_i (inject_data),
        .in_valid_i    (in_valid),
        .in_data_i     (in_data_i),
        .out_valid_o   (out_valid_o),
        .out_data_o    (out_data_o),
        .error_o       (error)
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
        .steps_i         (steps),
        .preload_length_i(preload_length),
        .preload_i       (preload),
        .own_data_i      (own_data_i),
        .inject_valid_o  (inject_valid),
        .inject_data_o   (inject_data),
        .in_valid_i      (in_valid),
        .in_data_i       (in_data_i),
        .deliver_valid_o (deliver_valid_o),
        .deliver_data_o  (deliver_data_o),
        .busy_o          (busy_o),
        .last_o          (last_o),
        .done_o          (done_o)
    );
  end

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(error),
      .error_o(error_o)
  );

  `GSM_PARAMETER(TablesLegal_A, Tables == "constant" || Tables == "loadable" || Tables == "computed",
                 "Tables must be constant, loadable or computed")
  `GSM_PARAMETER(FrameLegal_A, Tables == "constant" || Frame == 1,
                 "only constant tables have frames")
  `GSM_PARAMETER(RuleLegal_A, Tables != "computed" || (Ports == 4 && Packets == 2 && PreloadMax == 1),
                 "the rule is for 2-D tori and two packets")
  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a packet leaves outside a round")

endmodule

`default_nettype wire
