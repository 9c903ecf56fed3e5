// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The tile of a node of contexts: gsm_context_tile as the plan configures a class of nodes. Nodes of a class
// have the same wirings and places.
module gsm_tile #(
    // Data bits of a word.
    parameter int Width = gsm_plan_pkg::Width,
    // gsm_plan_pkg::node_class(node).
    parameter int Class = 0
) (
    // As in gsm_context_tile.
    input logic clk_i,
    input logic rst_ni,
    input logic clear_i,
    input logic start_i,
    input logic [gsm_plan_pkg::ChoiceBits-1:0] context_i,
    // gsm_plan_pkg::root_places(context, rank of the root).
    input logic [gsm_plan_pkg::Ports/2*gsm_plan_pkg::NumberBits-1:0] root_i,
    output logic [gsm_plan_pkg::Ports-1:0] first_valid_o,
    output logic [gsm_plan_pkg::Ports*gsm_plan_pkg::PacketBits-1:0] first_packet_o,
    input logic [gsm_plan_pkg::Ports*Width-1:0] first_data_i,
    output logic [gsm_plan_pkg::Ports-1:0] own_valid_o,
    output logic [gsm_plan_pkg::Ports*gsm_plan_pkg::PacketBits-1:0] own_packet_o,
    input logic [gsm_plan_pkg::Ports*Width-1:0] own_data_i,
    output logic [gsm_plan_pkg::Ports-1:0] deliver_valid_o,
    output logic [gsm_plan_pkg::Ports*gsm_plan_pkg::PacketBits-1:0] deliver_packet_o,
    output logic [gsm_plan_pkg::Ports*Width-1:0] deliver_data_o,
    output logic deliver_add_o,
    input logic [gsm_plan_pkg::Ports-1:0] in_valid_i,
    input logic [gsm_plan_pkg::Ports*Width-1:0] in_data_i,
    output logic [gsm_plan_pkg::Ports-1:0] out_valid_o,
    output logic [gsm_plan_pkg::Ports*Width-1:0] out_data_o,
    output logic busy_o,
    output logic last_o,
    output logic done_o
);

  gsm_context_tile #(
      .Ports     (gsm_plan_pkg::Ports),
      .Wirings   (gsm_plan_pkg::Wirings),
      .Width     (Width),
      .Operation (gsm_plan_pkg::Operation),
      .Cross     (gsm_plan_pkg::Cross != 0),
      .Join      (gsm_plan_pkg::Join != 0),
      .Flag      (gsm_plan_pkg::Flag != 0),
      .Contexts  (gsm_plan_pkg::Contexts),
      .Runs      (gsm_plan_pkg::Runs),
      .StepBits  (gsm_plan_pkg::StepBits),
      .NumberBits(gsm_plan_pkg::NumberBits),
      .PieceBits (gsm_plan_pkg::PieceBits),
      .LaneBits  (gsm_plan_pkg::LaneBits),
      .Slots     (gsm_plan_pkg::Slots),
      .MemoryRows(gsm_plan_pkg::MemoryRows),
      .Rows      (gsm_plan_pkg::Rows),
      .Length    (gsm_plan_pkg::Length),
      .Feed      (gsm_plan_pkg::feed(Class)),
      .Lane      (gsm_plan_pkg::lane(Class)),
      .End       (gsm_plan_pkg::line_end(Class))
  ) u_node (
      .places_i(gsm_plan_pkg::places(Class)),
      .memory_i(gsm_plan_pkg::memory(Class)),
      .*
  );

endmodule

`default_nettype wire
