// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Sixteen nodes on an emitted elastic network, each with its own clock, a memory and a DMA: the links cross between
// the clocks. The collective of the plan moves a vector of 4 KiB from memory to memory. bench.py drives the signals
// with initial values.
module clocks;

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int DeliverBits = gsm_plan_pkg::Width + gsm_plan_pkg::DeliverExtra;
  localparam int AddressBits = 10;

  // Asynchronous, active low.
  logic rst_n = 1'b1;
  logic [Nodes-1:0] node_clk;
  logic [Nodes-1:0] node_rst_n;
  logic [Nodes*4-1:0] own_valid;
  logic [Nodes*4-1:0] own_ready;
  logic [Nodes*4*32-1:0] own_data;
  logic [Nodes*4-1:0] own_last;
  logic [Nodes*4-1:0] deliver_valid;
  logic [Nodes*4-1:0] deliver_ready;
  logic [Nodes*4*DeliverBits-1:0] deliver_data;
  logic error;
  gsm_fabric #(
      .Crossings(1)
  ) u_fabric (
      .clk_i          (1'b0),
      .rst_ni         (rst_n),
      .node_clk_i     (node_clk),
      .node_rst_ni    (node_rst_n),
      .clear_i        (1'b0),
      .start_i        (1'b0),
      .table_write_i  (1'b0),
      .table_address_i(32'd0),
      .table_data_i   (1'b0),
      .own_data_i     (own_data),
      .own_valid_i    (own_valid),
      .own_ready_o    (own_ready),
      .own_last_i     (own_last),
      .deliver_valid_o(deliver_valid),
      .deliver_ready_i(deliver_ready),
      .deliver_data_o (deliver_data),
      .link_valid_o   (),
      .link_data_o    (),
      .link_open_i    ({Nodes * 4{1'b1}}),
      .busy_o         (),
      .done_o         (),
      .error_o        (error),
      .flags_o        ()
  );

  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    localparam int Class = gsm_plan_pkg::node_class(n);
    localparam int Place0 = gsm_plan_pkg::coordinate(n, 0);
    localparam int Place1 = gsm_plan_pkg::coordinate(n, 1);
    logic clk = 1'b0;
    logic start = 1'b0;
    logic done;
    // The node's places on both cycles.
    wire [7:0] places = {4'(Place1), 4'(Place0)};
    // Reset ends with an edge of the node's clock.
    logic [1:0] awake_q;
    always_ff @(posedge clk or negedge rst_n) begin
      if (!rst_n) awake_q <= '0;
      else awake_q <= {awake_q[0], 1'b1};
    end
    assign node_clk[n]   = clk;
    assign node_rst_n[n] = awake_q[1];

    logic [6*AddressBits-1:0] read_address;
    logic [6*32-1:0] read_data;
    logic [5:0] write;
    logic [6*AddressBits-1:0] write_address;
    logic [6*32-1:0] write_data;
    clocks_dma #(
        .Nodes      (Nodes),
        .Chunk      (gsm_plan_pkg::Chunk),
        .Rounds     (gsm_plan_pkg::Rounds),
        .Reduce     (gsm_plan_pkg::Reduce),
        .AddressBits(AddressBits),
        .Feed       (gsm_plan_pkg::feed(Class)),
        .Cycle      (gsm_plan_pkg::cycle(Class))
    ) u_dma (
        .clk_i          (clk),
        .rst_ni         (awake_q[1]),
        .rank_i         (places),
        .backward_i     ({2'(Place1 >> 14), 2'(Place0 >> 14)}),
        .start_i        (start),
        .base_i         ('0),
        .done_o         (done),
        .read_address_o (read_address),
        .read_data_i    (read_data),
        .write_o        (write),
        .write_address_o(write_address),
        .write_data_o   (write_data),
        .own_valid_o    (own_valid[n*4+:4]),
        .own_ready_i    (own_ready[n*4+:4]),
        .own_data_o     (own_data[n*4*32+:4*32]),
        .own_last_o     (own_last[n*4+:4]),
        .deliver_valid_i(deliver_valid[n*4+:4]),
        .deliver_ready_o(deliver_ready[n*4+:4]),
        .deliver_data_i (deliver_data[n*4*DeliverBits+:4*DeliverBits])
    );
    soc_memory #(
        .Words (2 ** AddressBits),
        .Reads (6),
        .Writes(6)
    ) u_memory (
        .clk_i          (clk),
        .read_address_i (read_address),
        .read_data_o    (read_data),
        .write_i        (write),
        .write_address_i(write_address),
        .write_data_i   (write_data)
    );
  end

endmodule

`default_nettype wire
