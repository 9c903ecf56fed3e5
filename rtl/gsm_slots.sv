// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The memory of a router that keeps words in slots, with an adder before it where words are added.
//
// In the cycle of step s, write_i and add_i say what becomes of the arrivals of step s, and read_i which
// slots the coming step sends: their content with this cycle's writes and loads already in it, or
// nothing where a slot is empty. Arrivals that are stored come before those that are added, each kind
// in ascending order of in-ports; what is added to an empty slot is stored. A slot keeps its word until
// another one is stored. Two arrivals that are stored to one slot raise error_o, the higher in-port's
// stays. Reset and clear leave all slots empty.
module gsm_slots #(
    // Ports of the router, 1 or more.
    parameter int Ports = 4,
    // Bits of a word, 1 or more.
    parameter int Width = 32,
    // Its low bits that are added, modulo 2^SumWidth; a sum has the others from what was in the slot.
    // 0: nothing is added, and there is no adder.
    parameter int SumWidth = 0,
    // Slots, 1..65535.
    parameter int Slots = 1,
    // Words that are loaded at once, 0..Slots; 0: none ever.
    parameter int Loads = 0,
    // Bits of a field, which holds 0..Slots: leave it at $clog2(Slots + 1).
    parameter int FieldWidth = $clog2(Slots + 1)
) (
    // Clock, rising edge.
    input  logic                        clk_i,
    // Asynchronous reset, active low.
    input  logic                        rst_ni,
    // Synchronous clear: all slots empty, error_o low.
    input  logic                        clear_i,
    // Bit i: word i of load_data_i is for slot load_slot_i - 1 + i. Only while nothing arrives; with Loads = 0
    // tied to 0.
    input  logic [(Loads > 0 ? Loads : 1)-1:0] load_valid_i,
    input  logic [FieldWidth-1:0] load_slot_i,
    input  logic [(Loads > 0 ? Loads : 1)*Width-1:0] load_data_i,
    // Bits p*FieldWidth +: FieldWidth: 0, or 1 more than the slot that out-port p sends in the
    // coming step.
    input  logic [Ports*FieldWidth-1:0] read_i,
    // Bits q*FieldWidth +: FieldWidth: 0, or 1 more than the slot that the arrival on in-port q goes
    // to.
    input  logic [Ports*FieldWidth-1:0] write_i,
    // The arrival is added to the slot; else it takes its place.
    input  logic [           Ports-1:0] add_i,
    // Arrivals.
    input  logic [           Ports-1:0] in_valid_i,
    input  logic [     Ports*Width-1:0] in_data_i,
    // By out-port: what read_i names.
    output logic [           Ports-1:0] read_valid_o,
    output logic [     Ports*Width-1:0] read_data_o,
    // By in-port, where something arrives: its slot behind all writes of the step; without a slot, the
    // arrival.
    output logic [     Ports*Width-1:0] after_data_o,
    // Sticky: two arrivals were stored to one slot in one step.
    output logic                        error_o
);

  localparam int AddressWidth = Slots > 1 ? $clog2(Slots) : 1;

  logic [Slots-1:0] filled_q;
  logic [Width-1:0] word_q[Slots];

  // Where the arrivals go.
  logic [Ports-1:0] write;
  logic [Ports*AddressWidth-1:0] write_address;
  for (genvar q = 0; q < Ports; q++) begin : gen_write
    logic [FieldWidth-1:0] field;
    assign field = write_i[q*FieldWidth+:FieldWidth];
    assign write[q] = in_valid_i[q] && field != '0;
    assign write_address[q*AddressWidth+:AddressWidth] = AddressWidth'(field - 1'b1);
  end
  logic conflict;
  assign conflict = any_equal(write & ~add_i, write_address);

  // Two of those that are marked have the same address.
  function automatic logic any_equal(input logic [Ports-1:0] marked,
                                     input logic [Ports*AddressWidth-1:0] address);
    any_equal = 1'b0;
    for (int q = 1; q < Ports; q++) begin
      for (int low = 0; low < q; low++) begin
        if (marked[q] && marked[low] &&
            address[q*AddressWidth+:AddressWidth] == address[low*AddressWidth+:AddressWidth]) begin
          any_equal = 1'b1;
        end
      end
    end
  endfunction

  logic [AddressWidth-1:0] load_address;
  assign load_address = AddressWidth'(load_slot_i - 1'b1);
  logic unused_load;
  assign unused_load = ^{load_valid_i, load_address, load_data_i};

  // The sum of two words; what is beyond it in a word stays.
  localparam int SumBits = SumWidth > 0 ? SumWidth : 1;
  function automatic logic [Width-1:0] plus(input logic [Width-1:0] word,
                                            input logic [SumBits-1:0] added);
    plus = word;
    plus[SumBits-1:0] = SumBits'(word) + added;
  endfunction

  // A slot behind what is stored to it and what is added to it.
  function automatic logic [Width-1:0] after(input logic filled, input logic [Width-1:0] word,
                                             input logic [Ports-1:0] stored,
                                             input logic [Ports-1:0] added,
                                             input logic [Ports*Width-1:0] data);
    logic full;
    full  = filled || stored != '0;
    after = word;
    for (int r = 0; r < Ports; r++) begin
      if (stored[r]) after = data[r*Width+:Width];
    end
    for (int r = 0; r < Ports; r++) begin
      if (added[r]) begin
        after = full ? plus(after, data[r*Width+:SumBits]) : data[r*Width+:Width];
        full  = 1'b1;
      end
    end
  endfunction

  if (SumWidth > 0) begin : gen_sum
    for (genvar q = 0; q < Ports; q++) begin : gen_in_port
      logic [AddressWidth-1:0] place;
      logic [Ports-1:0] same;
      assign place = write_address[q*AddressWidth+:AddressWidth];
      for (genvar r = 0; r < Ports; r++) begin : gen_same
        assign same[r] = write[r] && write_address[r*AddressWidth+:AddressWidth] == place;
      end
      assign after_data_o[q*Width+:Width] =
          write[q] ? after(filled_q[place], word_q[place], same & ~add_i, same & add_i, in_data_i)
                   : in_data_i[q*Width+:Width];
    end
  end else begin : gen_copy
    assign after_data_o = in_data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q <= '0;
    end else if (clear_i) begin
      filled_q <= '0;
    end else begin
      for (int i = 0; i < Loads; i++) begin
        if (load_valid_i[i]) filled_q[load_address+AddressWidth'(i)] <= 1'b1;
      end
      for (int q = 0; q < Ports; q++) begin
        if (write[q]) filled_q[write_address[q*AddressWidth+:AddressWidth]] <= 1'b1;
      end
    end
  end
  // The last assignment counts: the higher in-port stays; all that is added to a slot gives one word.
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Loads; i++) begin
      if (load_valid_i[i]) word_q[load_address+AddressWidth'(i)] <= load_data_i[i*Width+:Width];
    end
    for (int q = 0; q < Ports; q++) begin
      if (write[q]) begin
        word_q[write_address[q*AddressWidth+:AddressWidth]] <= after_data_o[q*Width+:Width];
      end
    end
  end

  // All that can come to a slot: what is loaded, and over it what arrives.
  localparam int Inputs = Loads + Ports;
  logic [Inputs*Width-1:0] inputs;
  if (Loads > 0) begin : gen_loads
    assign inputs[Loads*Width-1:0] = load_data_i;
  end
  assign inputs[Loads*Width+:Ports*Width] = after_data_o;
  function automatic logic [Width-1:0] last_of(input logic [Inputs-1:0] valid,
                                               input logic [Inputs*Width-1:0] data,
                                               input logic [Width-1:0] without);
    last_of = without;
    for (int i = 0; i < Inputs; i++) begin
      if (valid[i]) last_of = data[i*Width+:Width];
    end
  endfunction

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    logic [FieldWidth-1:0] field;
    logic [AddressWidth-1:0] address;
    assign field   = read_i[p*FieldWidth+:FieldWidth];
    assign address = AddressWidth'(field - 1'b1);
    // What comes to the slot in this cycle.
    logic [Inputs-1:0] comes;
    for (genvar i = 0; i < Loads; i++) begin : gen_load
      assign comes[i] = load_valid_i[i] && load_address + AddressWidth'(i) == address;
    end
    for (genvar q = 0; q < Ports; q++) begin : gen_write
      assign comes[Loads+q] = write[q] && write_address[q*AddressWidth+:AddressWidth] == address;
    end
    assign read_valid_o[p] = field != '0 && (filled_q[address] || comes != '0);
    assign read_data_o[p*Width+:Width] = last_of(comes, inputs, word_q[address]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_o <= 1'b0;
    else if (clear_i) error_o <= 1'b0;
    else if (conflict) error_o <= 1'b1;
  end

  `GSM_PARAMETER(SumWidthLegal_A, SumWidth >= 0 && SumWidth <= Width, "SumWidth must be 0..Width")
  `GSM_PARAMETER(SlotsLegal_A, Slots >= 1 && Slots <= 65535, "Slots must be 1..65535")
  `GSM_PARAMETER(LoadsLegal_A, Loads >= 0 && Loads <= Slots, "Loads must be 0..Slots")
  `GSM_PARAMETER(FieldWidthLegal_A, FieldWidth == $clog2(Slots + 1),
                 "FieldWidth must be $clog2(Slots + 1)")

endmodule

`default_nettype wire
