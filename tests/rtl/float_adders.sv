// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// gsm_float_add, and gsm_combine for larger and smaller words, in the formats of float_add_test.cpp, which gives all
// of them the same bits.
module float_adders (
    input  logic        clk_i,
    input  logic [63:0] a_i,
    input  logic [63:0] b_i,
    // By adder in the order below, then by larger and smaller word.
    output logic [63:0] sum_o[18]
);

  localparam int Count = 12;
  localparam int Exponent[Count] = '{4, 5, 3, 5, 8, 11, 8, 8, 8, 8, 8, 4};
  localparam int Fraction[Count] = '{3, 2, 4, 10, 7, 52, 23, 23, 23, 23, 23, 3};
  localparam int Registers[Count] = '{0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 4};

  for (genvar i = 0; i < Count; i++) begin : gen_adders
    localparam int W = 1 + Exponent[i] + Fraction[i];
    logic [W-1:0] sum;
    gsm_float_add #(
        .ExponentBits(Exponent[i]),
        .FractionBits(Fraction[i]),
        .Stages(Registers[i])
    ) u_add (
        .clk_i,
        .a_i(a_i[W-1:0]),
        .b_i(b_i[W-1:0]),
        .sum_o(sum)
    );
    assign sum_o[i] = 64'(sum);
  end

  // Of the first formats.
  for (genvar i = 0; i < 6; i++) begin : gen_extremes
    localparam int W = 1 + Exponent[i/2] + Fraction[i/2];
    logic [W-1:0] extreme;
    logic unused_valid;
    gsm_combine #(
        .Width(W),
        .Operation(16 * Exponent[i/2] + 3 + i % 2)
    ) u_combine (
        .a_valid_i(1'b1),
        .a_data_i(a_i[W-1:0]),
        .b_valid_i(1'b1),
        .b_data_i(b_i[W-1:0]),
        .valid_o(unused_valid),
        .data_o(extreme)
    );
    assign sum_o[Count+i] = 64'(extreme);
  end

endmodule

`default_nettype wire
