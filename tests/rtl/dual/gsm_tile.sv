// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The tile of gsm_fabric for tests of gsm_dual_node: the node with its memory, and a round of the
// fabric that is several of the node's, gossips and broadcasts, the next one started in the cycle of
// the other's done_o, without a reset between them.
module gsm_tile #(
    // Data bits of a flit.
    parameter int Width = gsm_plan_pkg::Width,
    // The node's number.
    parameter int Class = 0
) (
    // As gsm_fabric, of one tile. Own words are the two packets of gossip, then the message.
    input logic clk_i,
    input logic rst_ni,
    input logic clear_i,
    input logic start_i,
    input logic [31:0] coordinates_i,
    input logic [5:0] table_write_i,
    input logic [0:0] table_data_i,
    input logic [gsm_plan_pkg::OwnWords*Width-1:0] own_data_i,
    input logic [0:0] own_valid_i,
    output logic [0:0] own_ready_o,
    input logic [0:0] own_last_i,
    input logic [3:0] in_valid_i,
    output logic [3:0] in_ready_o,
    input logic [4*(Width+1)-1:0] in_data_i,
    output logic [3:0] out_valid_o,
    input logic [3:0] out_ready_i,
    output logic [4*(Width+1)-1:0] out_data_o,
    output logic [3:0] deliver_valid_o,
    input logic [3:0] deliver_ready_i,
    output logic [4*(Width+1)-1:0] deliver_data_o,
    output logic busy_o,
    output logic last_o,
    output logic done_o,
    output logic error_o,
    output logic [0:0] flags_o
);

  localparam int Flits = gsm_plan_pkg::Flits;
  localparam int RelayCycles = gsm_plan_pkg::RelayCycles;
  localparam int AddressWidth = $clog2(Flits + RelayCycles + 1);
  localparam int Rounds = gsm_plan_pkg::Rounds;
  localparam bit Source = Class == gsm_plan_pkg::Source;

  // The node's rounds: bit r of IsGossip says what round r is.
  logic [7:0] round_q;
  logic [7:0] round;
  logic node_start;
  logic node_busy;
  logic node_done;
  logic final_done;
  assign final_done = node_done && round_q == 8'(Rounds - 1);
  assign node_start = start_i || (node_done && !final_done);
  assign round      = start_i ? 8'd0 : node_start ? round_q + 8'd1 : round_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) round_q <= 8'd0;
    else round_q <= round;
  end
  logic gossip;
  assign gossip = gsm_plan_pkg::IsGossip[round[2:0]];
  assign busy_o = node_busy || (node_done && !final_done);
  assign done_o = final_done;
  assign last_o = 1'b0;

  logic [3:0] in_head;
  logic [4*Width-1:0] in_data;
  logic [3:0] out_head;
  logic [4*Width-1:0] out_data;
  logic [3:0] deliver_head;
  logic [4*Width-1:0] deliver_data;
  for (genvar p = 0; p < 4; p++) begin : gen_port
    assign in_head[p] = in_data_i[p*(Width+1)+Width];
    assign in_data[p*Width+:Width] = in_data_i[p*(Width+1)+:Width];
    assign out_data_o[p*(Width+1)+:Width+1] = {out_head[p], out_data[p*Width+:Width]};
    assign deliver_data_o[p*(Width+1)+:Width+1] = {deliver_head[p], deliver_data[p*Width+:Width]};
  end

  // The memory: packets, the message at the source, and what a broadcast has brought.
  logic [2*AddressWidth-1:0] address;
  logic [2*Width-1:0] own_data;
  logic [Width-1:0] memory[1<<AddressWidth];
  logic [AddressWidth-1:0] word;
  logic [AddressWidth-1:0] word_q;
  for (genvar i = 0; i < 2; i++) begin : gen_read_port
    logic [AddressWidth-1:0] from;
    logic [31:0] own;
    assign from = address[i*AddressWidth+:AddressWidth];
    assign own  = gossip ? 32'(from[0]) : 32'(from) < Flits ? 32'(from) + 32'd2 : 32'd2;
    assign own_data[i*Width+:Width] =
        gossip || Source ? own_data_i[own*Width+:Width] : memory[from];
  end
  assign word = (deliver_valid_o & deliver_head) != '0 ? '0 : word_q;
  logic [3:0] arrives;
  logic [Width-1:0] arrival;
  assign arrives = gossip ? '0 : deliver_valid_o;
  assign arrival = ({Width{arrives[0]}} & deliver_data[0*Width+:Width]) |
                   ({Width{arrives[1]}} & deliver_data[1*Width+:Width]) |
                   ({Width{arrives[2]}} & deliver_data[2*Width+:Width]) |
                   ({Width{arrives[3]}} & deliver_data[3*Width+:Width]);
  always_ff @(posedge clk_i) begin
    if (arrives != '0) begin
      memory[word] <= arrival;
      word_q       <= word + 1'b1;
    end
  end

  gsm_dual_node #(
      .LevelsX    (gsm_plan_pkg::LevelsX),
      .LevelsY    (gsm_plan_pkg::LevelsY),
      .X          (Class % (1 << gsm_plan_pkg::LevelsX)),
      .Y          (Class / (1 << gsm_plan_pkg::LevelsX)),
      .Torus      (1'(gsm_plan_pkg::Torus)),
      .Width      (Width),
      .Flits      (Flits),
      .RelayCycles(RelayCycles)
  ) u_node (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i),
      .start_i        (node_start),
      .gossip_i       (gossip),
      .source_i       (Source),
      .address_o      (address),
      .own_data_i     (own_data),
      .in_valid_i     (in_valid_i),
      .in_head_i      (in_head),
      .in_data_i      (in_data),
      .out_valid_o    (out_valid_o),
      .out_head_o     (out_head),
      .out_data_o     (out_data),
      .deliver_valid_o(deliver_valid_o),
      .deliver_head_o (deliver_head),
      .deliver_data_o (deliver_data),
      .busy_o         (node_busy),
      .done_o         (node_done),
      .error_o        (error_o)
  );
  logic unused;
  assign unused = ^{coordinates_i, table_write_i, table_data_i, own_valid_i, own_last_i, out_ready_i, deliver_ready_i};
  assign own_ready_o = '0;
  assign in_ready_o  = '0;
  assign flags_o     = '0;

endmodule

`default_nettype wire
