// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// gsm_network with valid/ready streams for every node: what a system instantiates.
//
// Every element loads its packets; when all have (ready_o), a pulse of start_i begins. The network
// runs one round for each flit of a packet, back to back, Flits * (Steps + 1) cycles in all; done_o
// is high in the cycle after. In that cycle start_i may come again. Meanwhile the elements load the
// next packets and take what has arrived.
module gsm_collective #(
    // Data bits of a flit, 1 or more.
    parameter int Width = 32,
    // Flits of a packet, 1..65535.
    parameter int Flits = 1,
    // Entries of the receiving queue of each in-port; the default is what a whole round brings.
    parameter int Depth = Flits * gsm_plan_pkg::Steps,
    // 1: each flit travels with an even parity bit, checked on arrival.
    parameter int Parity = 0,
    // Bits of a step's and of a flit's number.
    parameter int StepWidth = $clog2(gsm_plan_pkg::Steps + 1),
    parameter int FlitWidth = $clog2(Flits + 1)
) (
    // Clock, rising edge.
    input  logic                                                        clk_i,
    // Asynchronous reset, active low.
    input  logic                                                        rst_ni,
    // Synchronous clear: ends everything, forgets what was loaded and received, lowers the errors.
    input  logic                                                        clear_i,
    // Pulse: begin. Only while ready_o is high.
    input  logic                                                        start_i,
    // All elements have loaded their packets and nothing is running.
    output logic                                                        ready_o,
    // From start_i to done_o.
    output logic                                                        busy_o,
    // Pulse: everything has arrived.
    output logic                                                        done_o,
    // Since the last start or clear: a receiving queue was full; a flit came with wrong parity; the
    // network lost a packet.
    output logic                                                        overflow_o,
    output logic                                                        parity_error_o,
    output logic                                                        network_error_o,
    // Node n: bit n, or bits n*Width +: Width.
    input  logic [                           gsm_plan_pkg::Nodes-1:0] tx_valid_i,
    output logic [                           gsm_plan_pkg::Nodes-1:0] tx_ready_o,
    input  logic [                     gsm_plan_pkg::Nodes*Width-1:0] tx_data_i,
    // In-port q of node n: index n*Ports + q.
    output logic [        gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports-1:0] rx_valid_o,
    input  logic [        gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports-1:0] rx_ready_i,
    output logic [  gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*Width-1:0] rx_data_o,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*StepWidth-1:0] rx_step_o,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*FlitWidth-1:0] rx_flit_o
);

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Packets = gsm_plan_pkg::Packets;
  localparam int LinkWidth = Width + Parity;

  logic [Nodes-1:0] loaded;
  logic [Nodes-1:0] overflow;
  logic [Nodes-1:0] parity_error;
  logic [Nodes*Packets*LinkWidth-1:0] own_data;
  logic [Nodes*Ports-1:0] deliver_valid;
  logic [Nodes*Ports*LinkWidth-1:0] deliver_data;
  logic network_start;
  logic network_busy;
  logic network_done;
  logic network_error;

  // High in the cycle after start_i, when the packets stand at the network.
  logic first_q;
  logic running_q;
  logic [FlitWidth-1:0] flit_q;
  logic [StepWidth-1:0] step_q;
  logic last_flit;
  // The flit whose round runs in this cycle or begins with it.
  logic [FlitWidth-1:0] flit;
  logic error_q;

  assign last_flit = flit_q == FlitWidth'(Flits - 1);
  assign flit = flit_q + FlitWidth'(network_done && !last_flit);
  assign network_start = first_q || (network_done && !last_flit);
  assign done_o = running_q && network_done && last_flit;
  assign busy_o = running_q;
  assign ready_o = loaded == '1 && (!running_q || done_o);
  assign overflow_o = overflow != '0;
  assign parity_error_o = parity_error != '0;
  assign network_error_o = error_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q   <= 1'b0;
      running_q <= 1'b0;
      flit_q    <= '0;
      step_q    <= '0;
      error_q   <= 1'b0;
    end else if (clear_i) begin
      first_q   <= 1'b0;
      running_q <= 1'b0;
      flit_q    <= '0;
      step_q    <= '0;
      error_q   <= 1'b0;
    end else begin
      first_q <= start_i;
      if (start_i) running_q <= 1'b1;
      else if (done_o) running_q <= 1'b0;
      if (start_i) flit_q <= '0;
      else flit_q <= flit;
      step_q <= network_start ? StepWidth'(1) : step_q + 1'b1;
      if (start_i) error_q <= 1'b0;
      else if (network_error) error_q <= 1'b1;
    end
  end

  gsm_network #(
      .Width(LinkWidth)
  ) u_network (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i),
      .start_i        (network_start),
      .own_data_i     (own_data),
      .deliver_valid_o(deliver_valid),
      .deliver_data_o (deliver_data),
      .busy_o         (network_busy),
      .done_o         (network_done),
      .error_o        (network_error)
  );

  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    gsm_endpoint #(
        .Ports    (Ports),
        .Width    (Width),
        .Packets  (Packets),
        .Flits    (Flits),
        .Depth    (Depth),
        .Parity   (Parity),
        .StepWidth(StepWidth),
        .FlitWidth(FlitWidth)
    ) u_endpoint (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .tx_valid_i     (tx_valid_i[n]),
        .tx_ready_o     (tx_ready_o[n]),
        .tx_data_i      (tx_data_i[n*Width+:Width]),
        .rx_valid_o     (rx_valid_o[n*Ports+:Ports]),
        .rx_ready_i     (rx_ready_i[n*Ports+:Ports]),
        .rx_data_o      (rx_data_o[n*Ports*Width+:Ports*Width]),
        .rx_step_o      (rx_step_o[n*Ports*StepWidth+:Ports*StepWidth]),
        .rx_flit_o      (rx_flit_o[n*Ports*FlitWidth+:Ports*FlitWidth]),
        .loaded_o       (loaded[n]),
        .take_i         (start_i),
        .flit_i         (flit),
        .step_i         (step_q),
        .own_data_o     (own_data[n*Packets*LinkWidth+:Packets*LinkWidth]),
        .deliver_valid_i(deliver_valid[n*Ports+:Ports]),
        .deliver_data_i (deliver_data[n*Ports*LinkWidth+:Ports*LinkWidth]),
        .overflow_o     (overflow[n]),
        .parity_error_o (parity_error[n])
    );
  end

  logic unused_busy;
  assign unused_busy = network_busy;

  `GSM_ASSERT(StartWhenReady_A, !start_i || ready_o, "start_i while not ready_o")

endmodule
