// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// gsm_float_add equals a plain model for all pairs of words: the exact sum in fixed point, and of all words the
// nearest one, the even one of two. With register stages the sum of a pair appears Stages cycles later.
module gsm_float_add_formal #(
    parameter int ExponentBits = 3,
    parameter int FractionBits = 2,
    parameter int Stages = 0
) (
    input logic clk_i,
    input logic [ExponentBits+FractionBits:0] a_i,
    input logic [ExponentBits+FractionBits:0] b_i
);

  localparam int E = ExponentBits;
  localparam int F = FractionBits;
  localparam int W = 1 + E + F;
  localparam int Infinity = (2 ** E - 1) * 2 ** F;
  // Numbers are multiples of the smallest one; the exact sum needs one bit more than the word after the last
  // finite one.
  localparam int X = 2 ** E + F + 1;

  logic [W-1:0] sum;
  gsm_float_add #(
      .ExponentBits(E),
      .FractionBits(F),
      .Stages(Stages)
  ) u_add (
      .clk_i,
      .a_i,
      .b_i,
      .sum_o(sum)
  );

  function automatic logic [X-1:0] multiple(input logic [E+F-1:0] size);
    if (size[F+:E] == '0) multiple = X'(size[F-1:0]);
    else multiple = X'({1'b1, size[F-1:0]}) << (size[F+:E] - 1'b1);
  endfunction

  // The nearest word for an exact size.
  function automatic logic [E+F-1:0] nearest(input logic [X-1:0] exact);
    logic [X-1:0] least, off, value;
    nearest = '0;
    least   = exact;
    for (int word = 1; word <= Infinity; word++) begin
      value = multiple(word[E+F-1:0]);
      off   = value > exact ? value - exact : exact - value;
      if (off < least || (off == least && !word[0])) begin
        least   = off;
        nearest = word[E+F-1:0];
      end
    end
  endfunction

  logic a_nan, b_nan, a_infinite, b_infinite, a_first;
  assign a_nan      = &a_i[F+:E] && a_i[F-1:0] != '0;
  assign b_nan      = &b_i[F+:E] && b_i[F-1:0] != '0;
  assign a_infinite = &a_i[F+:E] && a_i[F-1:0] == '0;
  assign b_infinite = &b_i[F+:E] && b_i[F-1:0] == '0;
  assign a_first    = multiple(a_i[W-2:0]) >= multiple(b_i[W-2:0]);
  logic [X-1:0] more, less, exact;
  assign more  = a_first ? multiple(a_i[W-2:0]) : multiple(b_i[W-2:0]);
  assign less  = a_first ? multiple(b_i[W-2:0]) : multiple(a_i[W-2:0]);
  assign exact = a_i[W-1] == b_i[W-1] ? more + less : more - less;
  logic sign;
  assign sign = exact == '0 ? a_i[W-1] && b_i[W-1] : a_first ? a_i[W-1] : b_i[W-1];

  logic [W-1:0] model;
  always_comb begin
    if (a_nan || b_nan || (a_infinite && b_infinite && a_i[W-1] != b_i[W-1])) begin
      model = {1'b0, {E{1'b1}}, 1'b1, {(F - 1) {1'b0}}};
    end else if (a_infinite) begin
      model = a_i;
    end else if (b_infinite) begin
      model = b_i;
    end else begin
      model = {sign, nearest(exact)};
    end
  end

  if (Stages == 0) begin : gen_now
    always @(posedge clk_i) assert (sum == model);
  end else begin : gen_later
    logic [Stages-1:0] started;
    logic [Stages*W-1:0] models;
    initial started = '0;
    always @(posedge clk_i) begin
      started <= Stages'({started, 1'b1});
      models  <= (Stages * W)'({models, model});
      if (started[Stages-1]) assert (sum == models[(Stages-1)*W+:W]);
    end
  end

endmodule

`default_nettype wire
