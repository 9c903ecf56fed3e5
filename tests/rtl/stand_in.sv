// SPDX-License-Identifier: Apache-2.0
// Executes script.txt (one line per cycle: rst_ni, clear_i, start_i) and prints a line for each cycle: busy_o,
// done_o, error_o, and every delivery, - for none. stand_in.cpp is the same for SystemC.
module stand_in;
  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Links = Nodes * gsm_plan_pkg::Ports;
  localparam int Width = gsm_plan_pkg::Width;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic clear = 1'b0;
  logic start = 1'b0;
  logic [gsm_plan_pkg::OwnTotal*Width-1:0] own;
  logic [Links-1:0] valid;
  logic [Links*Width-1:0] data;
  logic busy, done, error;

  gsm_fabric u_fabric (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .node_clk_i     ({Nodes{1'b0}}),
      .node_rst_ni    ({Nodes{1'b0}}),
      .clear_i        (clear),
      .start_i        (start),
      .table_write_i  (1'b0),
      .table_address_i(32'd0),
      .table_data_i   (1'b0),
      .own_data_i     (own),
      .own_valid_i    ({Nodes * gsm_plan_pkg::OwnStreams{1'b0}}),
      .own_ready_o    (),
      .own_last_i     ({Nodes * gsm_plan_pkg::OwnStreams{1'b0}}),
      .deliver_valid_o(valid),
      .deliver_ready_i({Nodes * gsm_plan_pkg::Delivers{1'b0}}),
      .deliver_data_o (data),
      .link_valid_o   (),
      .link_data_o    (),
      .link_open_i    ({Links{1'b0}}),
      .busy_o         (busy),
      .done_o         (done),
      .error_o        (error),
      .flags_o        ()
  );

  int file;
  initial begin
    for (int i = 0; i < gsm_plan_pkg::OwnTotal; i++) own[i*Width+:Width] = Width'(i);
    file = $fopen("script.txt", "r");
    while ($fscanf(file, "%b %b %b", rst_n, clear, start) == 3) begin
      #1 clk = 1'b1;
      #1 clk = 1'b0;
      $write("%b %b %b", busy, done, error);
      for (int i = 0; i < Links; i++) begin
        if (valid[i]) $write(" %0d", data[i*Width+:Width]);
        else $write(" -");
      end
      $write("\n");
    end
    $finish;
  end
endmodule
