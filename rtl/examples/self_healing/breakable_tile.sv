// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The plan's tile behind wires that can break: loop_tb says which. In its directory the emitted gsm_tile
// is called whole_tile.
module gsm_tile #(
    parameter int Width = 32,
    parameter int Class = 0
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  logic                                    clear_i,
    input  logic                                    start_i,
    input  logic [ gsm_plan_pkg::Ports/2*16-1:0]    coordinates_i,
    input  logic [ gsm_plan_pkg::Ports+1:0]         table_write_i,
    input  logic [ gsm_plan_pkg::TableBits-1:0]     table_data_i,
    input  logic [ gsm_plan_pkg::OwnWords*Width-1:0] own_data_i,
    input  logic [ gsm_plan_pkg::OwnStreams-1:0]    own_valid_i,
    output logic [ gsm_plan_pkg::OwnStreams-1:0]    own_ready_o,
    input  logic [ gsm_plan_pkg::OwnStreams-1:0]    own_last_i,
    input  logic [ gsm_plan_pkg::Ports-1:0]         in_valid_i,
    output logic [ gsm_plan_pkg::Ports-1:0]         in_ready_o,
    input  logic [ gsm_plan_pkg::Ports*Width-1:0]   in_data_i,
    output logic [ gsm_plan_pkg::Ports-1:0]         out_valid_o,
    input  logic [ gsm_plan_pkg::Ports-1:0]         out_ready_i,
    output logic [ gsm_plan_pkg::Ports*Width-1:0]   out_data_o,
    output logic [ gsm_plan_pkg::Ports-1:0]         deliver_valid_o,
    input  logic [ gsm_plan_pkg::Ports-1:0]         deliver_ready_i,
    output logic [ gsm_plan_pkg::Ports*Width-1:0]   deliver_data_o,
    output logic                                    busy_o,
    output logic                                    last_o,
    output logic                                    done_o,
    output logic                                    error_o,
    output logic [ gsm_plan_pkg::Flags-1:0]         flags_o
);

  localparam int Ports = gsm_plan_pkg::Ports;

  logic [Ports-1:0] broken;
  logic [Ports-1:0] noisy;
  logic [Ports-1:0] in_valid;
  logic [Ports*Width-1:0] in_data;

  // This node's share of what loop_tb breaks; 2-D.
  int node;
  assign node = 32'(coordinates_i[15:0]) + gsm_plan_pkg::NodesPerRow * 32'(coordinates_i[31:16]);
  assign broken = loop_tb.broken[node*Ports+:Ports];
  assign noisy = loop_tb.noisy[node*Ports+:Ports];

  // A broken wire brings nothing, or in every cycle of a round a word that nobody has sent.
  assign in_valid = (in_valid_i & ~broken) | (noisy & {Ports{busy_o}});
  for (genvar q = 0; q < Ports; q++) begin : gen_wire
    assign in_data[q*Width+:Width] = noisy[q] ? '1 : in_data_i[q*Width+:Width];
  end

  whole_tile #(
      .Width(Width),
      .Class(Class)
  ) u_tile (
      .in_valid_i(in_valid),
      .in_data_i (in_data),
      .*
  );

endmodule

`default_nettype wire
