// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A tile of the queued discipline for ranks and sums: a prefix unit for each class, and links of their
// messages.
//
// A step is a cycle. start_i in cycle t takes the node's count and makes cycle t+1 step 1; in the cycle
// after the last step done_o is high and every class delivers what it found, which then holds until
// the next start. Classes see the dimensions in rotated orders, so that no two need a link at once: a
// link is one register wide. On a link a message is its count and above it a total; a delivery is the
// number of packets at nodes before this one and above it that of all.
module gsm_prefix_node #(
    // Ports, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Bits of a count, 1..32: the packets of all nodes together fit.
    parameter int Width = 16,
    // Classes, and phases of each, 1 or more.
    parameter int Classes = 1,
    parameter int Phases = 1,
    // Steps of a phase, 1 or more, and of a round, 1..2^30.
    parameter int PhaseSteps = 1,
    parameter int Steps = 1,
    // By class*Phases + phase: its first step, 32 bits each; 0 tree forward, 1 tree backward, 2 two-way, 3 sum
    // along the line; its dimension; the digit in the class's order of nodes that this dimension is.
    parameter logic [Classes*Phases*32-1:0] PhaseStart = {Classes * Phases{32'd1}},
    parameter logic [Classes*Phases*2-1:0] PhaseKind = '0,
    parameter logic [Classes*Phases*3-1:0] PhaseDimension = '0,
    parameter logic [Classes*Phases*3-1:0] PhaseLevel = '0
) (
    // Clock, rising edge.
    input  logic                       clk_i,
    // Asynchronous reset, active low.
    input  logic                       rst_ni,
    // Synchronous clear: ends the round; all counts are 0.
    input  logic                       clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                       start_i,
    // Constant: the node's places on lines, as gsm_prefix_round has them.
    input  logic [Classes*Phases*6-1:0] place_i,
    // Packets of the node; taken with start_i.
    input  logic [          Width-1:0] own_data_i,
    // Links.
    input  logic [          Ports-1:0] in_valid_i,
    input  logic [  Ports*2*Width-1:0] in_data_i,
    output logic [          Ports-1:0] out_valid_o,
    output logic [  Ports*2*Width-1:0] out_data_o,
    // By class: packets before and in all; valid in the cycle of done_o.
    output logic [        Classes-1:0] deliver_valid_o,
    output logic [Classes*2*Width-1:0] deliver_data_o,
    // This is the cycle of a step.
    output logic                       busy_o,
    // It is the last.
    output logic                       last_o,
    // The cycle after the last step.
    output logic                       done_o,
    // A message that was due did not come, so what is delivered is nothing; from the cycle of done_o to
    // the next clear, reset or start.
    output logic                       error_o
);

  assign deliver_valid_o = {Classes{done_o}};
  logic missing;
  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(done_o && missing),
      .error_o(error_o)
  );

  logic [Classes*2*Width-1:0] unused_next;
  logic unused_next_missing;
  gsm_prefix_round #(
      .Ports         (Ports),
      .Width         (Width),
      .Classes       (Classes),
      .Phases        (Phases),
      .PhaseSteps    (PhaseSteps),
      .Steps         (Steps),
      .PhaseStart    (PhaseStart),
      .PhaseKind     (PhaseKind),
      .PhaseDimension(PhaseDimension),
      .PhaseLevel    (PhaseLevel)
  ) u_round (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .clear_i     (clear_i),
      .start_i     (start_i),
      .place_i     (place_i),
      .own_data_i  (own_data_i),
      .in_valid_i  (in_valid_i),
      .in_data_i   (in_data_i),
      .out_valid_o (out_valid_o),
      .out_data_o  (out_data_o),
      .found_o     (deliver_data_o),
      .next_found_o(unused_next),
      .missing_o   (missing),
      .next_missing_o(unused_next_missing),
      .busy_o      (busy_o),
      .last_o      (last_o),
      .done_o      (done_o)
  );

endmodule

`default_nettype wire
