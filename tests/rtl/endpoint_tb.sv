// SPDX-License-Identifier: Apache-2.0

// gsm_endpoint alone: what goes in comes out in order however the element hesitates, a full queue and
// wrong parity are flagged, loading and taking overlap, clear forgets. Prints PASS.
module endpoint_tb;

  localparam int Ports = 2;
  localparam int Width = 8;
  localparam int Packets = 2;
  localparam int Flits = 3;
  localparam int Depth = 3;
  localparam int Beats = Packets * Flits;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic clear = 1'b0;
  logic tx_valid = 1'b0;
  logic tx_ready;
  logic [Width-1:0] tx_data = '0;
  logic [Ports-1:0] rx_valid;
  logic [Ports-1:0] rx_ready = '0;
  logic [Ports*Width-1:0] rx_data;
  logic [Ports*8-1:0] rx_step;
  logic [Ports*2-1:0] rx_flit;
  logic loaded;
  logic take = 1'b0;
  logic [1:0] flit = '0;
  logic [7:0] step = '0;
  logic [Packets*(Width+1)-1:0] own_data;
  logic [Ports-1:0] deliver_valid = '0;
  logic [Ports*(Width+1)-1:0] deliver_data = '0;
  logic overflow;
  logic parity_error;

  gsm_endpoint #(
      .Ports    (Ports),
      .Width    (Width),
      .Packets  (Packets),
      .Flits    (Flits),
      .Depth    (Depth),
      .Parity   (1),
      .StepWidth(8),
      .FlitWidth(2)
  ) u_endpoint (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .clear_i        (clear),
      .tx_valid_i     (tx_valid),
      .tx_ready_o     (tx_ready),
      .tx_data_i      (tx_data),
      .rx_valid_o     (rx_valid),
      .rx_ready_i     (rx_ready),
      .rx_data_o      (rx_data),
      .rx_step_o      (rx_step),
      .rx_flit_o      (rx_flit),
      .loaded_o       (loaded),
      .take_i         (take),
      .flit_i         (flit),
      .step_i         (step),
      .own_data_o     (own_data),
      .deliver_valid_i(deliver_valid),
      .deliver_data_i (deliver_data),
      .overflow_o     (overflow),
      .parity_error_o (parity_error)
  );

  always #5 clk = !clk;

  task check(input logic condition, input int place);
    begin
      if (condition !== 1'b1) begin
        $display("FAIL at %0d", place);
        $fatal;
      end
    end
  endtask

  // Beats first, first + 1, ... with pauses.
  task load(input int first);
    begin
      for (int i = 0; i < Beats; i++) begin
        check(tx_ready && !loaded, 1);
        tx_valid = 1'b1;
        tx_data  = Width'(first + i);
        @(negedge clk);
        tx_valid = 1'b0;
        if (i % 2 == 1) @(negedge clk);
      end
      check(!tx_ready && loaded, 2);
    end
  endtask

  // One arrival on in-port 0, parity as given.
  task arrive(input int data, input logic parity);
    begin
      deliver_valid = 2'b01;
      deliver_data  = {9'd0, parity, Width'(data)};
      @(negedge clk);
      deliver_valid = '0;
    end
  endtask

  int seed;
  int sent;
  int got;
  int waiting;
  initial begin
    @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);

    // Loading, taking, and loading the next round's while this one's stand at the network.
    load(10);
    take = 1'b1;
    @(negedge clk);
    take = 1'b0;
    load(200);
    for (int f = 0; f < Flits; f++) begin
      flit = 2'(f);
      @(negedge clk);
      for (int c = 0; c < Packets; c++) begin
        check(own_data[c*(Width+1)+:Width] == Width'(10 + c * Flits + f), 3);
        check((^own_data[c*(Width+1)+:Width+1]) == 1'b0, 4);
      end
    end
    flit = 2'd0;

    // Order under random traffic that never overflows; step and flit go along.
    seed = 1;
    sent = 0;
    got = 0;
    for (int i = 0; i < 2000; i++) begin
      waiting = sent - got;
      deliver_valid = '0;
      if (waiting < Depth && $random(seed) % 2 == 0) begin
        deliver_valid = 2'b10;
        deliver_data = {^Width'(sent), Width'(sent), 9'd0};
        step = Width'(sent * 3);
        sent = sent + 1;
      end
      rx_ready = {$random(seed) % 2 == 0, 1'b0};
      #1;
      if (rx_valid[1] && rx_ready[1]) begin
        check(rx_data[Width+:Width] == Width'(got), 5);
        check(rx_step[8+:8] == Width'(got * 3), 6);
        got = got + 1;
      end
      @(negedge clk);
    end
    check(sent > 500 && !overflow && !parity_error, 7);
    deliver_valid = '0;
    rx_ready = '1;
    for (int i = 0; i < Depth + 1; i++) @(negedge clk);
    check(rx_valid == '0, 8);

    // The queue holds Depth, loses the next, and passes one on when another leaves.
    rx_ready = '0;
    for (int i = 0; i < Depth; i++) arrive(i, ^Width'(i));
    check(!overflow, 9);
    rx_ready = 2'b01;
    arrive(Depth, ^Width'(Depth));
    rx_ready = '0;
    check(!overflow, 10);
    arrive(99, ^Width'(99));
    check(overflow, 11);
    rx_ready = 2'b01;
    for (int i = 1; i <= Depth; i++) begin
      check(rx_valid[0] && rx_data[Width-1:0] == Width'(i), 12);
      @(negedge clk);
    end
    check(!rx_valid[0] && overflow, 13);
    take = 1'b1;
    @(negedge clk);
    take = 1'b0;
    check(!overflow && !loaded, 14);

    // Parity.
    arrive(6, 1'b0);
    check(!parity_error, 15);
    arrive(7, 1'b0);
    check(parity_error, 16);
    clear = 1'b1;
    @(negedge clk);
    clear = 1'b0;
    check(!parity_error && rx_valid == '0 && !loaded && tx_ready, 17);

    $display("PASS");
    $finish;
  end

endmodule
