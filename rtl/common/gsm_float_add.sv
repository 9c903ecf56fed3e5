// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The sum of two floating-point words, one pair per cycle, Stages cycles later. Words have a sign, an exponent
// and a fraction as in IEEE 754. The sum is rounded to nearest, ties to even; subnormal numbers are numbers.
// A result that is not a number always has sign 0 and only the highest fraction bit set. The sum of two zeros
// is -0 if both are.
module gsm_float_add #(
    // Bits of the exponent, 2 or more.
    parameter int ExponentBits = 8,
    // Bits of the fraction, 2 or more.
    parameter int FractionBits = 23,
    // Register stages, 0 to 4: after the alignment, after the normalisation, after the addition and after the
    // exchange of operands, added in this order.
    parameter int Stages = 0,
    // Bits of a word; not to be set.
    parameter int Width = 1 + ExponentBits + FractionBits
) (
    // Unused without register stages.
    input  logic             clk_i,
    // Two operands.
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    // Their sum.
    output logic [Width-1:0] sum_o
);

  localparam int E = ExponentBits;
  localparam int F = FractionBits;
  // A significand with its hidden bit, and guard, round and sticky bits.
  localparam int S = F + 4;
  // Shifts of S or more leave the sticky bit alone.
  localparam int ShiftBits = $clog2(S + 1);
  localparam logic [Width-1:0] Nan = {1'b0, {E{1'b1}}, 1'b1, {(F - 1) {1'b0}}};

  // The data that bypass the addition: the sign, whether magnitudes are subtracted, whether the sum is `special`,
  // that word, and the exponent of the larger operand.
  localparam int K = 3 + Width + E;

  // The operand of larger magnitude, and the other one.
  logic [Width-1:0] larger, larger_q, smaller, smaller_q;
  // Aligned significands.
  logic [K-1:0] aligned_known, aligned_known_q;
  logic [S-1:0] larger_aligned, larger_aligned_q, smaller_aligned, smaller_aligned_q;
  // Their sum or difference.
  logic [K-1:0] added_known_q;
  logic [S:0] added, added_q;
  // Exponent, 0 for subnormal numbers, and significand.
  logic [K-1:0] normal_known_q;
  logic [E+S-1:0] normal, normal_q;

  // Exchange.
  logic a_larger;
  assign a_larger = a_i[Width-2:0] >= b_i[Width-2:0];
  assign larger   = a_larger ? a_i : b_i;
  assign smaller  = a_larger ? b_i : a_i;

  // Alignment. A subnormal number has the exponent 1 and no hidden bit.
  logic [E-1:0] large_exponent, small_exponent;
  assign large_exponent = larger_q[F+:E];
  assign small_exponent = smaller_q[F+:E];
  logic large_normal, small_normal;
  assign large_normal = large_exponent != '0;
  assign small_normal = small_exponent != '0;
  logic [E-1:0] large_scale, small_scale, distance;
  assign large_scale = large_normal ? large_exponent : E'(1);
  assign small_scale = small_normal ? small_exponent : E'(1);
  assign distance    = large_scale - small_scale;
  logic [S-1:0] small_significand;
  assign small_significand = {small_normal, smaller_q[F-1:0], 3'b0};

  // Shifts right; bits that leave are collected in the lowest one.
  function automatic logic [S-1:0] aligned_right(input logic [S-1:0] value, input logic [E-1:0] by);
    logic [S-1:0] shifted;
    logic         lost;
    shifted = value;
    lost    = 1'b0;
    for (int i = 0; i < E; i++) begin
      if (by[i]) begin
        if (i >= ShiftBits) begin
          lost    = lost || shifted != '0;
          shifted = '0;
        end else begin
          for (int j = 0; j < S; j++) if (j < (1 << i)) lost = lost || shifted[j];
          shifted = shifted >> (1 << i);
        end
      end
    end
    aligned_right = {shifted[S-1:1], shifted[0] || lost};
  endfunction

  logic infinite, none, differ;
  assign differ   = larger_q[Width-1] != smaller_q[Width-1];
  assign infinite = &large_exponent;
  // NaN, or the difference of two infinities.
  assign none     = infinite && (larger_q[F-1:0] != '0 || (&small_exponent && differ));
  assign aligned_known   = {
    larger_q[Width-1], differ, infinite, none ? Nan : larger_q, large_scale
  };
  assign larger_aligned  = {large_normal, larger_q[F-1:0], 3'b0};
  assign smaller_aligned = aligned_right(small_significand, distance);

  // Addition.
  logic subtract;
  assign subtract = aligned_known_q[K-2];
  assign added    = subtract ? {1'b0, larger_aligned_q} - {1'b0, smaller_aligned_q}
                             : {1'b0, larger_aligned_q} + {1'b0, smaller_aligned_q};

  // Normalisation: right by one after a carry, left as far as the exponent allows otherwise.
  function automatic logic [E+S-1:0] normalised(input logic [S:0] sum, input logic [E-1:0] scale);
    logic [S-1:0] value;
    logic [E-1:0] left;
    if (sum[S]) begin
      normalised = {scale + 1'b1, sum[S:2], sum[1] || sum[0]};
    end else begin
      value = sum[S-1:0];
      left  = scale - 1'b1;
      for (int i = ShiftBits - 1; i >= 0; i--) begin
        if (i < E && (1 << i) < S) begin
          logic zeros;
          zeros = 1'b1;
          for (int j = 0; j < S; j++) if (j >= S - (1 << i)) zeros = zeros && !value[j];
          if (zeros && (left >> i) != '0) begin
            value = value << (1 << i);
            left  = left - E'(1 << i);
          end
        end
      end
      normalised = {value[S-1] ? left + 1'b1 : {E{1'b0}}, value};
    end
  endfunction
  assign normal = normalised(added_q, added_known_q[E-1:0]);

  // Rounding. The hidden bit is in the exponent.
  logic [E-1:0] exponent;
  logic [S-1:0] significand;
  assign {exponent, significand} = normal_q;
  logic up;
  assign up = significand[2] && (significand[3] || significand[1] || significand[0]);
  logic [E+F-1:0] rounded;
  assign rounded = {exponent, significand[3+:F]} + {{(E + F - 1) {1'b0}}, up};
  logic sign, subtracted, is_special;
  logic [Width-1:0] special;
  assign {sign, subtracted, is_special, special} = normal_known_q[K-1:E];
  logic beyond, cancelled;
  assign beyond    = &rounded[F+:E];
  assign cancelled = rounded == '0 && subtracted;
  assign sum_o     = is_special ? special :
      {sign && !cancelled, rounded[F+:E], rounded[F-1:0] & {F{!beyond}}};
  // The hidden bit, and the exponent before normalisation.
  logic unused_bits;
  assign unused_bits = &{1'b0, significand[S-1], normal_known_q[E-1:0]};

  if (Stages >= 4) begin : gen_exchanged
    always_ff @(posedge clk_i) begin
      larger_q  <= larger;
      smaller_q <= smaller;
    end
  end else begin : gen_no_exchanged
    assign larger_q  = larger;
    assign smaller_q = smaller;
  end
  if (Stages >= 1) begin : gen_aligned
    always_ff @(posedge clk_i) begin
      aligned_known_q   <= aligned_known;
      larger_aligned_q  <= larger_aligned;
      smaller_aligned_q <= smaller_aligned;
    end
  end else begin : gen_no_aligned
    assign aligned_known_q   = aligned_known;
    assign larger_aligned_q  = larger_aligned;
    assign smaller_aligned_q = smaller_aligned;
    logic unused_clock;
    assign unused_clock = clk_i;
  end
  if (Stages >= 3) begin : gen_added
    always_ff @(posedge clk_i) begin
      added_known_q <= aligned_known_q;
      added_q       <= added;
    end
  end else begin : gen_no_added
    assign added_known_q = aligned_known_q;
    assign added_q       = added;
  end
  if (Stages >= 2) begin : gen_normal
    always_ff @(posedge clk_i) begin
      normal_known_q <= added_known_q;
      normal_q       <= normal;
    end
  end else begin : gen_no_normal
    assign normal_known_q = added_known_q;
    assign normal_q       = normal;
  end

  `GSM_PARAMETER(ExponentLegal_A, ExponentBits >= 2, "ExponentBits must be at least 2")
  `GSM_PARAMETER(FractionLegal_A, FractionBits >= 2, "FractionBits must be at least 2")
  `GSM_PARAMETER(StagesLegal_A, Stages >= 0 && Stages <= 4, "Stages must be 0..4")

endmodule

`default_nettype wire
