// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The two Hamiltonian cycles of a 2-D torus at one node, from its coordinates: no table.
//
// Combinational. Initially rows form cycle 0 and columns cycle 1. In some unit squares the two horizontal
// and the two vertical links change cycles, which joins all rows into one cycle and all columns into
// another. A link's cycle is its initial one, changed once for each such square among the two that it
// borders. Along a side of 2 the cycles alternate down the columns instead. An in-port feeds the other port
// of its cycle. With constant inputs all of it folds to constants.
module gsm_pairing (
    // The node's coordinates, below the sides.
    input  logic [15:0] x_i,
    input  logic [15:0] y_i,
    // The sides: 3 or more each, or one of them 2 and the other even.
    input  logic [15:0] nx_i,
    input  logic [15:0] ny_i,
    // Bit p*4 + q: in-port q feeds out-port p; ports x-, x+, y-, y+.
    output logic [15:0] feed_o,
    // Bit p: the cycle of port p.
    output logic [ 3:0] cycle_o
);

  // Rows are the shorter side.
  logic transposed;
  logic [15:0] rows;
  logic [15:0] columns;
  logic [15:0] row;
  logic [15:0] column;
  logic [15:0] row_before;
  logic [15:0] column_before;
  assign transposed    = ny_i > nx_i;
  assign rows          = transposed ? nx_i : ny_i;
  assign columns       = transposed ? ny_i : nx_i;
  assign row           = transposed ? x_i : y_i;
  assign column        = transposed ? y_i : x_i;
  assign row_before    = row == 16'd0 ? rows - 16'd1 : row - 16'd1;
  assign column_before = column == 16'd0 ? columns - 16'd1 : column - 16'd1;

  // The links of the unit square at (r, c), r + 1, c + 1 change cycles.
  function automatic logic flipped(input logic [15:0] r, input logic [15:0] c,
                                   input logic [15:0] rs, input logic [15:0] cs);
    logic        diagonal;
    logic        closing;
    logic [15:0] first;
    closing = rs[0] && !cs[0];
    if (!rs[0] && cs[0]) begin
      // Rows even, columns odd: the diagonal stops one early, and a square at the border closes it.
      first    = rs - 16'd2;
      diagonal = (r == c && r + 16'd2 < rs) || (r == rs - 16'd2 && c == cs - 16'd1);
    end else begin
      first    = rs - 16'd1 + 16'(closing);
      diagonal = r == c && (r + 16'd1 < rs || closing);
    end
    // After the diagonal the squares alternate between two rows.
    flipped = diagonal || (c >= first && c + 16'd1 < cs && r == {15'd0, c[0] != first[0]});
  endfunction

  logic here;
  logic beside;
  logic below;
  logic below_beside;
  assign here         = flipped(row, column, rows, columns);
  assign beside       = flipped(row, column_before, rows, columns);
  assign below        = flipped(row_before, column, rows, columns);
  assign below_beside = flipped(row_before, column_before, rows, columns);

  // By the squares: {column plus, column minus, row plus, row minus}.
  logic [3:0] by_square;
  assign by_square = {!(here != beside), !(below != below_beside), here != below,
                      beside != below_beside};

  // Along a side of 2: {top, right, left}, where the bottom is the top's opposite.
  logic last_column;
  logic top;
  logic right;
  assign last_column = x_i == nx_i - 16'd1;
  assign top         = y_i[0] != last_column;
  assign right       = !x_i[0] || last_column ? top : !top;

  assign cycle_o = rows == 16'd2 ? {!top, top, right, !right}
                 : transposed ? {by_square[1:0], by_square[3:2]} : by_square;

  for (genvar p = 0; p < 4; p++) begin : gen_out_port
    for (genvar q = 0; q < 4; q++) begin : gen_in_port
      assign feed_o[p*4+q] = p == q ? 1'b0 : cycle_o[p] == cycle_o[q];
    end
  end

endmodule

`default_nettype wire
