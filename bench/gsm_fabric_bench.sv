// SPDX-License-Identifier: Apache-2.0

// gsm_fabric running all-gathers back to back, for rtl_network. Start and own packets come from registers, as in a
// design; Verilator evaluates logic that depends on a top-level input twice more per cycle.
module gsm_fabric_bench (
    // Clock, rising edge.
    input  logic        clk_i,
    // Asynchronous reset, active low.
    input  logic        rst_ni,
    // A round is over.
    output logic        done_o,
    // A packet was lost.
    output logic        error_o,
    // The arrival at in-port 0 of node 0.
    output logic [31:0] data_o
);

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Total = gsm_plan_pkg::Nodes * gsm_plan_pkg::Packets;

  // One start after reset, then one in every cycle of done.
  logic [1:0] wake_q;
  logic [Total*32-1:0] own_data_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wake_q <= 2'd0;
      for (int i = 0; i < Total; i++) own_data_q[i*32+:32] <= i;
    end else if (wake_q != 2'd2) begin
      wake_q <= wake_q + 2'd1;
    end
  end

  logic unused_busy;
  logic [Nodes*Ports-1:0] unused_link_valid;
  logic [Nodes*Ports*32-1:0] unused_link_data;
  logic [Nodes*Ports-1:0] deliver_valid;
  logic [Nodes*Ports*32-1:0] deliver_data;
  gsm_fabric u_fabric (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .node_clk_i     ('0),
      .node_rst_ni    ('0),
      .clear_i        (1'b0),
      .start_i        (wake_q == 2'd1 || done_o),
      .table_write_i  (1'b0),
      .table_address_i('0),
      .table_data_i   ('0),
      .own_data_i     (own_data_q),
      .own_valid_i    ('0),
      .own_ready_o    (),
      .own_last_i     ('0),
      .deliver_valid_o(deliver_valid),
      .deliver_ready_i('0),
      .deliver_data_o (deliver_data),
      .link_valid_o   (unused_link_valid),
      .link_data_o    (unused_link_data),
      .link_open_i    ('0),
      .busy_o         (unused_busy),
      .done_o         (done_o),
      .error_o        (error_o),
      .flags_o        ()
  );

  assign data_o = deliver_valid[0] ? deliver_data[31:0] : 32'd0;

endmodule
