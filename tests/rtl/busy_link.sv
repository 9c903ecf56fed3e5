// SPDX-License-Identifier: Apache-2.0
// Sends two words over gsm_link_rate, the second Gap cycles after the first, for many widths and periods.
module busy_link #(
    parameter int Width  = 8,
    parameter int Period = 3,
    parameter int Gap    = Period
);
  logic clk = 0;
  logic rst_n = 0;
  logic valid = 0;
  logic [Width-1:0] data = '0;
  logic arrives;
  logic [Width-1:0] arrived;
  int received = 0;
  always #1 clk = !clk;

  gsm_link_rate #(
      .Width (Width),
      .Period(Period)
  ) u_link (
      .clk_i  (clk),
      .rst_ni (rst_n),
      .clear_i(1'b0),
      .valid_i(valid),
      .data_i (data),
      .valid_o(arrives),
      .data_o (arrived)
  );

  function automatic logic [Width-1:0] word(input int number);
    word = Width'(64'h9e3779b97f4a7c15 >> (3 * number));
  endfunction

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1;
    @(negedge clk);
    for (int cycle = 0; cycle < Gap + Period + 2; cycle++) begin
      valid = cycle == 0 || cycle == Gap;
      data  = cycle == 0 ? word(0) : cycle == Gap ? word(1) : 'x;
      #0.5;
      if (arrives !== (cycle == Period - 1 || cycle == Gap + Period - 1)) begin
        $display("FAIL cycle %0d: valid_o is %b", cycle, arrives);
        $fatal;
      end
      if (arrives) begin
        if (arrived !== word(received)) begin
          $display("FAIL cycle %0d: %h arrives, not %h", cycle, arrived, word(received));
          $fatal;
        end
        received++;
      end
      @(negedge clk);
    end
    if (received == 2) $display("PASS");
    $finish;
  end
endmodule
