// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// One direction of a node on a line or ring where everybody broadcasts at once (Varvarigos &
// Bertsekas, Theorem 2): what passes goes before own packets, which wait in a queue.
//
// Own packets are loaded before run_i rises, each with the hops that it is to go. The register that
// drives the link takes, at every edge, the arrival if it has hops left, else an own packet. A hop
// takes one cycle; with run_i high from cycle t on, cycle t+1 is step 1.
module gsm_line_stage #(
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Bits of a number of hops, 1..32.
    parameter int HopBits = 8,
    // Own packets that can wait, 1..65536.
    parameter int Depth = 16,
    // 1: the last node of a line in this direction, which has nobody to send to.
    parameter int Border = 0
) (
    // Clock, rising edge.
    input  logic               clk_i,
    // Asynchronous reset, active low.
    input  logic               rst_ni,
    // Synchronous clear: forgets everything, lowers error_o.
    input  logic               clear_i,
    // An own packet and its hops, 1 or more.
    input  logic               load_valid_i,
    input  logic [HopBits-1:0] load_hops_i,
    input  logic [  Width-1:0] load_data_i,
    // Own packets may go.
    input  logic               run_i,
    // What arrives, with the hops that it still has to go; 0: this node is its last.
    input  logic               in_valid_i,
    input  logic [HopBits-1:0] in_hops_i,
    input  logic [  Width-1:0] in_data_i,
    // The link to the next node.
    output logic               out_valid_o,
    output logic [HopBits-1:0] out_hops_o,
    output logic [  Width-1:0] out_data_o,
    // Every arrival, for the processing element.
    output logic               deliver_valid_o,
    output logic [  Width-1:0] deliver_data_o,
    // Own packets wait.
    output logic               busy_o,
    // An own packet was lost because the queue was full (sticky).
    output logic               error_o
);

  assign deliver_valid_o = in_valid_i;
  assign deliver_data_o  = in_data_i;

  if (Border != 0) begin : gen_border
    assign out_valid_o = 1'b0;
    assign out_hops_o  = '0;
    assign out_data_o  = '0;
    assign busy_o      = 1'b0;
    assign error_o     = 1'b0;
    logic unused;
    assign unused = run_i ^ load_valid_i ^ (^load_hops_i) ^ (^load_data_i) ^ (^in_hops_i) ^ clk_i ^
        rst_ni ^ clear_i;
  end else begin : gen_stage
    logic passes;
    logic own_valid;
    logic [HopBits-1:0] own_hops;
    logic [Width-1:0] own_data;
    logic [HopBits-1:0] hops;
    logic [Width-1:0] data;
    logic overflow;

    assign passes = in_valid_i && in_hops_i != '0;
    assign hops   = (passes ? in_hops_i : own_hops) - 1'b1;
    assign data   = passes ? in_data_i : own_data;

    gsm_fifo #(
        .Width(HopBits + Width),
        .Depth(Depth)
    ) u_own (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .clear_i   (clear_i),
        .push_i    (load_valid_i),
        .data_i    ({load_hops_i, load_data_i}),
        .overflow_o(overflow),
        .valid_o   (own_valid),
        .ready_i   (run_i && !passes),
        .data_o    ({own_hops, own_data})
    );

    gsm_link #(
        .Width(HopBits + Width)
    ) u_link (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .clear_i(clear_i),
        .valid_i(passes || (run_i && own_valid)),
        .data_i ({hops, data}),
        .valid_o(out_valid_o),
        .data_o ({out_hops_o, out_data_o})
    );

    assign busy_o = own_valid;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) error_o <= 1'b0;
      else if (clear_i) error_o <= 1'b0;
      else if (overflow) error_o <= 1'b1;
    end

    `GSM_ASSERT(HopsToGo_A, !load_valid_i || load_hops_i != '0, "an own packet has no hops to go")
  end

  `GSM_PARAMETER(HopBitsLegal_A, HopBits >= 1 && HopBits <= 32, "HopBits must be 1..32")

endmodule
