// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A user's element at every node of an emitted network, and what a system does with them: several
// collectives in a row, a reset and a clear in the middle of a round, and, under Icarus, a flipped
// bit on a link. Prints PASS and ends with status 0, or says what is wrong and ends with $fatal.
`define LINK u_collective.u_fabric.gen_row[0].gen_node[0].gen_tile.u_tile.u_node.gen_constant.u_router \
  .u_table.gen_out_port[0].gen_plain.u_out_port.u_link
module example_tb;

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Packets = gsm_plan_pkg::Packets;
  localparam int Width = 24;
  localparam int Length = 3;
  localparam int NumberWidth = $clog2(Nodes * Packets);

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic clear = 1'b0;
  logic start = 1'b0;
  logic restart = 1'b0;
  logic [Width-1:0] base = '0;
  logic busy;
  logic done;
  logic parity_error;
  logic error;
  logic [Nodes-1:0] s_valid;
  logic [Nodes-1:0] s_ready;
  logic [Nodes*Width-1:0] s_data;
  logic [Nodes-1:0] m_valid;
  logic [Nodes-1:0] m_ready;
  logic [Nodes*Width-1:0] m_data;
  logic [Nodes*NumberWidth-1:0] m_packet;
  logic [Nodes*32-1:0] sum;
  logic [Nodes*32-1:0] count;
  logic [Nodes-1:0] order_error;

  always #5 clk = !clk;

  gsm_collective #(
      .Width (Width),
      .Length(Length),
      .Parity(1)
  ) u_collective (
      .clk_i         (clk),
      .rst_ni        (rst_n),
      .clear_i       (clear),
      .start_i       (start),
      .busy_o        (busy),
      .done_o        (done),
      .parity_error_o(parity_error),
      .error_o       (error),
      .s_valid_i     (s_valid),
      .s_ready_o     (s_ready),
      .s_data_i      (s_data),
      .m_valid_o     (m_valid),
      .m_ready_i     (m_ready),
      .m_data_o      (m_data),
      .m_packet_o    (m_packet)
  );

  for (genvar n = 0; n < Nodes; n++) begin : gen_element
    user_element #(
        .Node       (n),
        .Nodes      (Nodes),
        .Packets    (Packets),
        .Width      (Width),
        .NumberWidth(NumberWidth)
    ) u_element (
        .clk_i        (clk),
        .rst_ni       (rst_n),
        .restart_i    (restart),
        .base_i       (base),
        .s_valid_o    (s_valid[n]),
        .s_ready_i    (s_ready[n]),
        .s_data_o     (s_data[n*Width+:Width]),
        .m_valid_i    (m_valid[n]),
        .m_ready_o    (m_ready[n]),
        .m_data_i     (m_data[n*Width+:Width]),
        .m_packet_i   (m_packet[n*NumberWidth+:NumberWidth]),
        .sum_o        (sum[n*32+:32]),
        .count_o      (count[n*32+:32]),
        .order_error_o(order_error[n])
    );
  end

  // What every element has to add up in `collectives` collectives after a restart.
  function automatic int expected(input int collectives);
    int total;
    total = 0;
    for (int beat = 0; beat < collectives * Length; beat++) begin
      for (int node = 0; node < Nodes; node++) begin
        for (int c = 0; c < Packets; c++) total = total + 1000 * beat + 10 * node + c + 32'(base);
      end
    end
    expected = total;
  endfunction

  task fail(input string what);
    begin
      $display("FAIL %s", what);
      $fatal;
    end
  endtask

  // A flit on a link.
  logic [Width+NumberWidth:0] damaged;
  int cycles;
  task collective;
    begin
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      cycles = 0;
      while (!done) begin
        @(negedge clk);
        cycles = cycles + 1;
        if (cycles > 100000) fail("never done");
        if (error || parity_error) fail("an error is reported");
      end
    end
  endtask

  task check(input int collectives);
    begin
      for (int n = 0; n < Nodes; n++) begin
        if (count[n*32+:32] != 32'(collectives * Length * Nodes * Packets)) fail("count");
        if (sum[n*32+:32] != 32'(expected(collectives))) fail("sum");
      end
      if (order_error != '0) fail("order");
      if (busy) fail("busy after done");
    end
  endtask

  initial begin
    @(negedge clk);
    @(negedge clk);
    rst_n = 1'b1;
    // Three in a row, each started in the cycle in which the one before is done.
    collective;
    check(1);
    collective;
    check(2);
    collective;
    check(3);
    // A reset, then a clear, at every cycle of a round; what follows must not notice.
    for (int at = 1; at < 40; at++) begin
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      repeat (at) @(negedge clk);
      if (at % 2 == 0) begin
        rst_n = 1'b0;
        @(negedge clk);
        rst_n = 1'b1;
      end else begin
        clear   = 1'b1;
        restart = 1'b1;
        @(negedge clk);
        clear   = 1'b0;
        restart = 1'b0;
      end
      base = Width'(7 * at);
      collective;
      check(1);
      restart = 1'b1;
      clear   = 1'b1;
      @(negedge clk);
      restart = 1'b0;
      clear   = 1'b0;
    end
`ifdef __ICARUS__
    // A bit of a link's register flips: parity tells, and the collective stops.
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    while (!`LINK.valid_o) @(negedge clk);
    damaged = `LINK.data_o ^ 1;
    force `LINK.data_o = damaged;
    @(negedge clk);
    release `LINK.data_o;
    cycles = 0;
    while (!parity_error && cycles < 1000) begin
      @(negedge clk);
      cycles = cycles + 1;
    end
    if (!parity_error) fail("the damage was not noticed");
    repeat (200) @(negedge clk);
    if (done || !busy) fail("a damaged collective ended");
    clear   = 1'b1;
    restart = 1'b1;
    @(negedge clk);
    clear   = 1'b0;
    restart = 1'b0;
    if (parity_error || error) fail("clear leaves an error");
    collective;
    check(1);
`endif
    $display("PASS %0d elements, %0d cycles for the last collective", Nodes, cycles);
    $finish;
  end

endmodule

`default_nettype wire
