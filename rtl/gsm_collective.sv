// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// gsm_fabric for a system: valid/ready streams at every node, packets of several flits, start,
// done and error flags.
//
// A collective is Length beats; in each beat every node hands over one flit of each of its packets
// and gets one flit of every packet of the network (gsm_node_port). start_i begins a collective and
// may come at any time that busy_o is low, also in the cycle of done_o. A beat begins by itself when
// every element has handed over its flits and taken those of the beat before; done_o is high for one
// cycle when the last flit of the last beat has been taken. Reset and clear_i may come at any time
// and leave nothing behind.
module gsm_collective #(
    // Data bits of a flit, 1 or more.
    parameter int Width = gsm_plan_pkg::Width,
    // Flits of a packet, 1..65535.
    parameter int Length = 1,
    // 1: each flit has a parity bit on the links.
    parameter bit Parity = 1'b0,
    // Bits of a packet's number.
    localparam int NumberWidth = $clog2(gsm_plan_pkg::Nodes * gsm_plan_pkg::Packets)
) (
    // Clock, rising edge.
    input logic clk_i,
    // Asynchronous reset, active low.
    input logic rst_ni,
    // Synchronous clear: as reset, at the next edge.
    input logic clear_i,
    // Pulse of one cycle: begin a collective. Only while busy_o is low.
    input logic start_i,
    // A collective is running.
    output logic busy_o,
    // The collective is over and every element has everything.
    output logic done_o,
    // Sticky until the next start, clear or reset: a flit had wrong parity; a packet was lost or is
    // missing. The collective goes no further then: clear or reset it.
    output logic parity_error_o,
    output logic error_o,
    // Node n's own flits: bit n and bits n*Width +: Width. Taken when valid and ready are high.
    input logic [gsm_plan_pkg::Nodes-1:0] s_valid_i,
    output logic [gsm_plan_pkg::Nodes-1:0] s_ready_o,
    input logic [gsm_plan_pkg::Nodes*Width-1:0] s_data_i,
    // What node n gets, with the number of the packet: origin*Packets + c, ascending in each beat.
    output logic [gsm_plan_pkg::Nodes-1:0] m_valid_o,
    input logic [gsm_plan_pkg::Nodes-1:0] m_ready_i,
    output logic [gsm_plan_pkg::Nodes*Width-1:0] m_data_o,
    output logic [gsm_plan_pkg::Nodes*NumberWidth-1:0] m_packet_o
);

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Packets = gsm_plan_pkg::Packets;
  localparam int LinkWidth = Width + NumberWidth + (Parity ? 1 : 0);

  logic [Nodes-1:0] loaded;
  logic [Nodes-1:0] drained;
  logic [Nodes-1:0] parity_error;
  logic [Nodes-1:0] missing;
  logic [Nodes*Packets*LinkWidth-1:0] own_data;
  logic [Nodes*Ports-1:0] deliver_valid;
  logic [Nodes*Ports*LinkWidth-1:0] deliver_data;
  logic network_busy;
  logic network_done;
  logic network_error;

  // Beats to come, the running one included; 0: idle.
  logic [15:0] beats_q;
  logic        running_q;
  logic        beat;
  assign busy_o = beats_q != '0;
  assign beat   = busy_o && !running_q && !network_busy && !network_done && loaded == '1 &&
                  drained == '1 && !error_o && !parity_error_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beats_q        <= '0;
      running_q      <= 1'b0;
      done_o         <= 1'b0;
      error_o        <= 1'b0;
      parity_error_o <= 1'b0;
    end else if (clear_i) begin
      beats_q        <= '0;
      running_q      <= 1'b0;
      done_o         <= 1'b0;
      error_o        <= 1'b0;
      parity_error_o <= 1'b0;
    end else begin
      done_o <= 1'b0;
      if (start_i && !busy_o) begin
        beats_q        <= 16'(Length);
        error_o        <= 1'b0;
        parity_error_o <= 1'b0;
      end
      if (beat) running_q <= 1'b1;
      // A beat ends when the network is done and all elements have taken what it brought.
      if (running_q && !network_busy && !beat && drained == '1) begin
        running_q <= 1'b0;
        beats_q   <= beats_q - 1'b1;
        done_o    <= beats_q == 16'd1;
      end
      if (parity_error != '0) parity_error_o <= 1'b1;
      if (network_error || missing != '0) error_o <= 1'b1;
    end
  end

  logic [Nodes*Ports-1:0] unused_link_valid;
  logic [Nodes*Ports*LinkWidth-1:0] unused_link_data;
  gsm_fabric #(
      .Width(LinkWidth)
  ) u_fabric (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i),
      .start_i        (beat),
      .table_write_i  (1'b0),
      .table_address_i('0),
      .table_data_i   ('0),
      .own_data_i     (own_data),
      .deliver_valid_o(deliver_valid),
      .deliver_data_o (deliver_data),
      .link_valid_o   (unused_link_valid),
      .link_data_o    (unused_link_data),
      .busy_o         (network_busy),
      .done_o         (network_done),
      .error_o        (network_error)
  );

  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    gsm_node_port #(
        .Node   (n),
        .Nodes  (Nodes),
        .Packets(Packets),
        .Ports  (Ports),
        .Width  (Width),
        .Parity (Parity)
    ) u_node_port (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .s_valid_i      (s_valid_i[n]),
        .s_ready_o      (s_ready_o[n]),
        .s_data_i       (s_data_i[n*Width+:Width]),
        .m_valid_o      (m_valid_o[n]),
        .m_ready_i      (m_ready_i[n]),
        .m_data_o       (m_data_o[n*Width+:Width]),
        .m_packet_o     (m_packet_o[n*NumberWidth+:NumberWidth]),
        .loaded_o       (loaded[n]),
        .drained_o      (drained[n]),
        .start_i        (beat),
        .done_i         (network_done),
        .own_data_o     (own_data[n*Packets*LinkWidth+:Packets*LinkWidth]),
        .deliver_valid_i(deliver_valid[n*Ports+:Ports]),
        .deliver_data_i (deliver_data[n*Ports*LinkWidth+:Ports*LinkWidth]),
        .parity_error_o (parity_error[n]),
        .missing_o      (missing[n])
    );
  end

  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a collective is running")
  `GSM_PARAMETER(LengthLegal_A, Length >= 1 && Length <= 65535, "Length must be 1..65535")

endmodule

`default_nettype wire
