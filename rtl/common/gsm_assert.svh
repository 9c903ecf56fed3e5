// SPDX-License-Identifier: Apache-2.0
// Assertions and parameter checks that every tool of the flow accepts.
//
// GSM_ASSERT(name, condition, text): in a module with clk_i and rst_ni, `condition` holds at every rising
// edge outside reset, starting with the first reset; registers have no value before it. Verilator
// (--assert) stops with `name` and `text`, and Icarus ends with $fatal. Synthesis and yosys ignore it.
// GSM_PARAMETER(name, condition, text): `condition` over parameters holds; otherwise elaboration
//   fails (Verilator, yosys) or the simulation ends at time 0 (Icarus, which has no elaboration
//   tasks).
`ifndef GSM_ASSERT_SVH
`define GSM_ASSERT_SVH

`ifdef __ICARUS__
`define GSM_ASSERT(name, condition, text) \
  always @(posedge clk_i or negedge rst_ni) begin : name \
    bit was_reset; \
    if (!rst_ni) was_reset <= 1'b1; \
    else if (rst_ni && was_reset && !(condition)) begin \
      $display("%m: %s", text); \
      $fatal; \
    end \
  end
`define GSM_PARAMETER(name, condition, text) \
  initial begin : name \
    if (!(condition)) begin \
      $display("%m: %s", text); \
      $fatal; \
    end \
  end
`else
`ifdef SYNTHESIS
`define GSM_ASSERT(name, condition, text)
`else
`define GSM_ASSERT(name, condition, text) \
  always_ff @(posedge clk_i or negedge rst_ni) begin : name \
    bit was_reset; \
    if (!rst_ni) was_reset <= 1'b1; \
    if (rst_ni && was_reset) assert (condition) else $error("%m: %s", text); \
  end
`endif
`define GSM_PARAMETER(name, condition, text) \
  if (!(condition)) begin : name \
    $error(text); \
  end
`endif

`endif
