// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Reduces the vectors of own.hex on an emitted network and writes the final vector of each node to
// result.hex, one word per line, node by node; it does not depend on the operation.
module float_bench;
  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Words = gsm_plan_pkg::Words;
  localparam int Width = gsm_plan_pkg::Width;
  localparam int Delivers = gsm_plan_pkg::Delivers;
  localparam int AddressBits = gsm_plan_pkg::DeliverExtra;
  localparam int DeliverBits = Width + AddressBits;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic [gsm_plan_pkg::OwnTotal*Width-1:0] own = '0;
  logic [Nodes*Delivers-1:0] deliver_valid;
  logic [Nodes*Delivers*DeliverBits-1:0] deliver_data;
  logic done;
  logic error;
  always #5 clk = !clk;

  gsm_fabric dut (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .clear_i        (1'b0),
      .start_i        (start),
      .table_write_i  (1'b0),
      .table_address_i(32'd0),
      .table_data_i   ('0),
      .own_data_i     (own),
      .deliver_valid_o(deliver_valid),
      .deliver_data_o (deliver_data),
      .link_valid_o   (),
      .link_data_o    (),
      .busy_o         (),
      .done_o         (done),
      .error_o        (error)
  );

  logic [Width-1:0] vector[Nodes*Words];
  logic [DeliverBits-1:0] delivery;
  initial begin
    $readmemh("own.hex", vector);
    for (int n = 0; n < Nodes; n++) begin
      for (int a = 0; a < Words; a++) begin
        own[(n*gsm_plan_pkg::OwnStride+a)*Width+:Width] = vector[n*Words+a];
      end
    end
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    write_deliveries();
    while (!done) begin
      @(negedge clk);
      write_deliveries();
    end
    if (error) $fatal(1, "error_o");
    $writememh("result.hex", vector);
    $finish;
  end

  task automatic write_deliveries;
    for (int i = 0; i < Nodes * Delivers; i++) begin
      if (deliver_valid[i]) begin
        delivery = deliver_data[i*DeliverBits+:DeliverBits];
        vector[i/Delivers*Words+int'(delivery[Width+:AddressBits])] = delivery[Width-1:0];
      end
    end
  endtask

endmodule

// Sums of pairs.hex, two numbers per line, without a network: to sums.hex.
module pairs_bench;
  localparam int Width = gsm_plan_pkg::Width;
  localparam int Pairs = 4000;
  logic [2*Width-1:0] pairs[Pairs];
  logic [Width-1:0] sums[Pairs];
  logic [Width-1:0] a;
  logic [Width-1:0] b;
  logic [Width-1:0] sum;
  gsm_combine #(
      .Width(Width)
  ) u_combine (
      .a_valid_i(1'b1),
      .a_data_i (a),
      .b_valid_i(1'b1),
      .b_data_i (b),
      .valid_o  (),
      .data_o   (sum)
  );
  initial begin
    $readmemh("pairs.hex", pairs);
    for (int i = 0; i < Pairs; i++) begin
      {a, b} = pairs[i];
      #1 sums[i] = sum;
    end
    $writememh("sums.hex", sums);
    $finish;
  end
endmodule

`default_nettype wire
