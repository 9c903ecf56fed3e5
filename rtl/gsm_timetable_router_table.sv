// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The router of timetables without its ROM: a memory of words, an adder before it, and the out
// registers. The fields of the ROM word are inputs, so that one simulation model runs every timetable.
//
// In the cycle of step s, write_i, add_i and hand_over_i say what becomes of the arrivals of step s,
// and read_i what the out-ports send in step s + 1: the content of a slot with the writes of step s
// already in it, or nothing where the slot is empty. One cycle a hop. Arrivals that are stored come
// before those that are added, each kind in ascending order of in-ports; what is added to an empty
// slot is stored. Two arrivals that are stored to one slot raise error_o, the higher in-port's stays.
// The node's own words are loaded before the round, one a cycle.
module gsm_timetable_router_table #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Bits of a word's tag, which a sum keeps from what was in the slot; 1 or more.
    parameter int TagWidth = 1,
    // Bits of a word that are added, below the tag; 1 or more.
    parameter int Width = 32,
    // Slots of the memory, 1..65535.
    parameter int Slots = 1,
    // Bits of a field, which holds 0..Slots: leave it at $clog2(Slots + 1).
    parameter int FieldWidth = $clog2(Slots + 1)
) (
    // Clock, rising edge.
    input  logic                              clk_i,
    // Asynchronous reset, active low.
    input  logic                              rst_ni,
    // Synchronous clear: memory and registers empty, error_o low.
    input  logic                              clear_i,
    // An own word for slot load_slot_i - 1, while nothing arrives.
    input  logic                              load_valid_i,
    input  logic [            FieldWidth-1:0] load_slot_i,
    input  logic [        TagWidth+Width-1:0] load_data_i,
    // Bits p*FieldWidth +: FieldWidth: 0, or 1 more than the slot that out-port p sends in the
    // coming step.
    input  logic [      Ports*FieldWidth-1:0] read_i,
    // Bits q*FieldWidth +: FieldWidth: 0, or 1 more than the slot that the arrival on in-port q goes
    // to.
    input  logic [      Ports*FieldWidth-1:0] write_i,
    // The arrival is added to the slot; else it takes its place.
    input  logic [                 Ports-1:0] add_i,
    // The slot behind the writes (without one: the arrival) is a finished output.
    input  logic [                 Ports-1:0] hand_over_i,
    // Arrivals.
    input  logic [                 Ports-1:0] in_valid_i,
    input  logic [Ports*(TagWidth+Width)-1:0] in_data_i,
    // The out registers: what crosses the links in this cycle.
    output logic [                 Ports-1:0] out_valid_o,
    output logic [Ports*(TagWidth+Width)-1:0] out_data_o,
    // By in-port: the outputs of the step before.
    output logic [                 Ports-1:0] handed_valid_o,
    output logic [Ports*(TagWidth+Width)-1:0] handed_data_o,
    // Sticky: two arrivals were stored to one slot in one step.
    output logic                              error_o
);

  localparam int WordWidth = TagWidth + Width;
  localparam int AddressWidth = Slots > 1 ? $clog2(Slots) : 1;

  logic [Slots-1:0] filled_q;
  logic [WordWidth-1:0] word_q[Slots];

  // Where the arrivals go, and how.
  logic [Ports-1:0] write;
  logic [Ports*AddressWidth-1:0] address;
  logic conflict;
  always_comb begin
    write    = '0;
    address  = '0;
    conflict = 1'b0;
    for (int q = 0; q < Ports; q++) begin
      write[q] = in_valid_i[q] && write_i[q*FieldWidth+:FieldWidth] != '0;
      address[q*AddressWidth+:AddressWidth] =
          AddressWidth'(write_i[q*FieldWidth+:FieldWidth] - 1'b1);
      for (int low = 0; low < Ports; low++) begin
        if (low < q && write[q] && write[low] && !add_i[q] && !add_i[low] &&
            address[q*AddressWidth+:AddressWidth] ==
            address[low*AddressWidth+:AddressWidth]) begin
          conflict = 1'b1;
        end
      end
    end
  end

  // The sum of two words; what is beyond it in a word stays.
  function automatic logic [WordWidth-1:0] plus(input logic [WordWidth-1:0] word,
                                                input logic [Width-1:0] added);
    plus = word;
    plus[Width-1:0] = Width'(word) + added;
  endfunction

  // By in-port: the word of its slot behind all writes of the step.
  logic [Ports*WordWidth-1:0] after;
  for (genvar q = 0; q < Ports; q++) begin : gen_after
    logic [AddressWidth-1:0] place;
    logic [Ports-1:0] same;
    logic filled;
    logic [WordWidth-1:0] word;
    assign place = address[q*AddressWidth+:AddressWidth];
    always_comb begin
      same   = '0;
      filled = filled_q[place];
      word   = word_q[place];
      for (int r = 0; r < Ports; r++) begin
        same[r] = write[r] && address[r*AddressWidth+:AddressWidth] == place;
        if (same[r] && !add_i[r]) begin
          filled = 1'b1;
          word   = in_data_i[r*WordWidth+:WordWidth];
        end
      end
      for (int r = 0; r < Ports; r++) begin
        if (same[r] && add_i[r]) begin
          if (filled) word = plus(word, in_data_i[r*WordWidth+:Width]);
          else word = in_data_i[r*WordWidth+:WordWidth];
          filled = 1'b1;
        end
      end
    end
    assign after[q*WordWidth+:WordWidth] = word;

    gsm_link #(
        .Width(WordWidth)
    ) u_handed (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .clear_i(clear_i),
        .valid_i(in_valid_i[q] && hand_over_i[q]),
        .data_i (write[q] ? word : in_data_i[q*WordWidth+:WordWidth]),
        .valid_o(handed_valid_o[q]),
        .data_o (handed_data_o[q*WordWidth+:WordWidth])
    );
  end

  logic [AddressWidth-1:0] load_address;
  assign load_address = AddressWidth'(load_slot_i - 1'b1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q <= '0;
    end else if (clear_i) begin
      filled_q <= '0;
    end else begin
      if (load_valid_i) filled_q[load_address] <= 1'b1;
      for (int q = 0; q < Ports; q++) begin
        if (write[q]) filled_q[address[q*AddressWidth+:AddressWidth]] <= 1'b1;
      end
    end
  end
  // All writers of a slot write the same.
  always_ff @(posedge clk_i) begin
    if (load_valid_i) word_q[load_address] <= load_data_i;
    for (int q = 0; q < Ports; q++) begin
      if (write[q]) word_q[address[q*AddressWidth+:AddressWidth]] <= after[q*WordWidth+:WordWidth];
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    logic [FieldWidth-1:0] field;
    logic [AddressWidth-1:0] from;
    logic valid;
    logic [WordWidth-1:0] data;
    assign field = read_i[p*FieldWidth+:FieldWidth];
    assign from  = AddressWidth'(field - 1'b1);
    always_comb begin
      valid = 1'b0;
      data  = word_q[from];
      if (field != '0) begin
        valid = filled_q[from];
        for (int q = 0; q < Ports; q++) begin
          if (write[q] && address[q*AddressWidth+:AddressWidth] == from) begin
            valid = 1'b1;
            data  = after[q*WordWidth+:WordWidth];
          end
        end
      end
    end

    gsm_link #(
        .Width(WordWidth)
    ) u_link (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .clear_i(clear_i),
        .valid_i(valid),
        .data_i (data),
        .valid_o(out_valid_o[p]),
        .data_o (out_data_o[p*WordWidth+:WordWidth])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_o <= 1'b0;
    else if (clear_i) error_o <= 1'b0;
    else if (conflict) error_o <= 1'b1;
  end

  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")
  `GSM_PARAMETER(SlotsLegal_A, Slots >= 1 && Slots <= 65535, "Slots must be 1..65535")
  `GSM_PARAMETER(FieldWidthLegal_A, FieldWidth == $clog2(Slots + 1),
                 "FieldWidth must be $clog2(Slots + 1)")

endmodule

`default_nettype wire
