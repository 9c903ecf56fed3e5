// SPDX-License-Identifier: Apache-2.0

// The body of a tile with wires that can break; loop_tb controls them. `run` prepends the header of the
// emitted gsm_tile, which is called whole_tile in its directory.

  localparam int Ports = gsm_plan_pkg::Ports;

  logic [Ports-1:0] broken;
  logic [Ports-1:0] noisy;
  logic [Ports-1:0] in_valid;
  logic [Ports*Width-1:0] in_data;

  // This node's share of the breaks in loop_tb; 2-D.
  int node;
  assign node = 32'(coordinates_i[15:0]) + gsm_plan_pkg::NodesPerRow * 32'(coordinates_i[31:16]);
  assign broken = loop_tb.broken[node*Ports+:Ports];
  assign noisy = loop_tb.noisy[node*Ports+:Ports];

  // A broken wire delivers nothing, or in every cycle of a round a word that was never sent.
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
