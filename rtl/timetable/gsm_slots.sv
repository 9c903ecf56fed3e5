// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The memory of a timetable router: words in slots, and an adder at every in-port where words are
// combined.
//
// In the cycle of step s, with_i, own_* and write_i describe the treatment of the arrivals of step s, and
// read_i names the slots that the coming step sends: their content after this cycle's writes, or nothing
// where a slot is empty. Arrivals are handled in ascending order of in-ports: a slot that a lower in-port
// writes in this cycle counts with its new content. An arrival that is combined with an empty slot is unchanged. A
// slot keeps its word until another one is written. When two arrivals replace the same slot, the higher in-port's
// stays and error_o rises. Reset and clear leave all slots empty.
module gsm_slots #(
    // Ports of the router, 1 or more.
    parameter int Ports = 4,
    // Bits of a word, 1 or more.
    parameter int Width = 32,
    // Low bits of a word that are combined; the other bits come from the word that the arrival is combined
    // with. 0: nothing is combined, and there is no adder.
    parameter int SumWidth = 0,
    // How they are combined, as gsm_combine has it.
    parameter int Operation = 0,
    // Slots, 1..65535.
    parameter int Slots = 1
) (
    // Clock, rising edge.
    input  logic                        clk_i,
    // Asynchronous reset, active low.
    input  logic                        rst_ni,
    // Synchronous clear: all slots empty, error_o low.
    input  logic                        clear_i,
    // By out-port, a field that holds 0..Slots: 0, or 1 more than the slot that the coming step sends.
    input  logic [Ports*$clog2(Slots+1)-1:0] read_i,
    // By in-port, a field: 0, or 1 more than the slot that the arrival is combined with.
    input  logic [Ports*$clog2(Slots+1)-1:0] with_i,
    // By in-port: the arrival is combined with this word instead.
    input  logic [           Ports-1:0] own_valid_i,
    input  logic [     Ports*Width-1:0] own_data_i,
    // By in-port, a field: 0, or 1 more than the slot that takes the result.
    input  logic [Ports*$clog2(Slots+1)-1:0] write_i,
    // Arrivals.
    input  logic [           Ports-1:0] in_valid_i,
    input  logic [     Ports*Width-1:0] in_data_i,
    // By out-port: the content of the slot that read_i names.
    output logic [           Ports-1:0] read_valid_o,
    output logic [     Ports*Width-1:0] read_data_o,
    // By in-port with an arrival: the arrival, combined.
    output logic [     Ports*Width-1:0] result_data_o,
    // Sticky: two arrivals of one step replaced the same slot.
    output logic                        error_o
);

  localparam int FieldWidth = $clog2(Slots + 1);
  localparam int AddressWidth = Slots > 1 ? $clog2(Slots) : 1;

  logic [Slots-1:0] filled_q;
  logic [Width-1:0] word_q[Slots];

  // Where results go, and which of them replace a slot rather than update it.
  logic [Ports-1:0] write;
  logic [Ports-1:0] replace;
  logic [Ports*AddressWidth-1:0] write_address;
  for (genvar q = 0; q < Ports; q++) begin : gen_write
    logic [FieldWidth-1:0] field;
    assign field = write_i[q*FieldWidth+:FieldWidth];
    assign write[q] = in_valid_i[q] && field != '0;
    assign replace[q] = write[q] && field != with_i[q*FieldWidth+:FieldWidth];
    assign write_address[q*AddressWidth+:AddressWidth] = AddressWidth'(field - 1'b1);
  end

  // The marked ports whose slot is `address`.
  function automatic logic [Ports-1:0] writers(input logic [Ports-1:0] marked,
                                               input logic [Ports*AddressWidth-1:0] addresses,
                                               input logic [AddressWidth-1:0] address);
    for (int r = 0; r < Ports; r++) begin
      writers[r] = marked[r] && addresses[r*AddressWidth+:AddressWidth] == address;
    end
  endfunction
  // The word of the highest marked port, `without` when none is marked.
  function automatic logic [Width-1:0] last_of(input logic [Ports-1:0] marked,
                                               input logic [Ports*Width-1:0] words,
                                               input logic [Width-1:0] without);
    last_of = without;
    for (int r = 0; r < Ports; r++) begin
      if (marked[r]) last_of = words[r*Width+:Width];
    end
  endfunction

  logic [Ports-1:0] conflicts;
  for (genvar q = 0; q < Ports; q++) begin : gen_in_port
    // Ports below this one.
    localparam logic [Ports-1:0] Below = (Ports'(1) << q) - 1'b1;
    assign conflicts[q] =
        replace[q] &&
        writers(replace & Below, write_address, write_address[q*AddressWidth+:AddressWidth]) != '0;
    logic [Width-1:0] result;
    if (SumWidth > 0) begin : gen_sum
      logic [FieldWidth-1:0] field;
      logic [AddressWidth-1:0] address;
      assign field   = with_i[q*FieldWidth+:FieldWidth];
      assign address = AddressWidth'(field - 1'b1);
      // Results of lower in-ports, which may update the slot.
      logic [Ports*Width-1:0] lower;
      for (genvar r = 0; r < Ports; r++) begin : gen_lower
        if (r < q) begin : gen_result
          assign lower[r*Width+:Width] = gen_in_port[r].result;
        end else begin : gen_none
          assign lower[r*Width+:Width] = '0;
        end
      end
      logic [Ports-1:0] updates;
      assign updates = writers(write & Below, write_address, address);
      logic operand_valid;
      logic [Width-1:0] operand;
      assign operand_valid = own_valid_i[q] || (field != '0 && (filled_q[address] || updates != '0));
      assign operand = own_valid_i[q] ? own_data_i[q*Width+:Width]
                                      : last_of(updates, lower, word_q[address]);
      logic [Width-1:0] sum;
      logic unused_valid;
      gsm_combine #(
          .Width    (SumWidth),
          .Operation(Operation),
          .Ripple   (1'b0)
      ) u_combine (
          .a_valid_i(1'b1),
          .a_data_i (operand[SumWidth-1:0]),
          .b_valid_i(1'b1),
          .b_data_i (in_data_i[q*Width+:SumWidth]),
          .valid_o  (unused_valid),
          .data_o   (sum[SumWidth-1:0])
      );
      if (SumWidth < Width) begin : gen_rest
        assign sum[Width-1:SumWidth] = operand[Width-1:SumWidth];
      end
      assign result = operand_valid ? sum : in_data_i[q*Width+:Width];
    end else begin : gen_copy
      assign result = in_data_i[q*Width+:Width];
    end
    assign result_data_o[q*Width+:Width] = result;
  end
  if (SumWidth == 0) begin : gen_unused
    logic unused_own;
    assign unused_own = ^{own_valid_i, own_data_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q <= '0;
    end else if (clear_i) begin
      filled_q <= '0;
    end else begin
      for (int q = 0; q < Ports; q++) begin
        if (write[q]) filled_q[write_address[q*AddressWidth+:AddressWidth]] <= 1'b1;
      end
    end
  end
  // The last assignment counts: the higher in-port's result stays.
  always_ff @(posedge clk_i) begin
    for (int q = 0; q < Ports; q++) begin
      if (write[q]) begin
        word_q[write_address[q*AddressWidth+:AddressWidth]] <= result_data_o[q*Width+:Width];
      end
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    logic [FieldWidth-1:0] field;
    logic [AddressWidth-1:0] address;
    // Results that come to the slot in this cycle.
    logic [Ports-1:0] comes;
    assign field   = read_i[p*FieldWidth+:FieldWidth];
    assign address = AddressWidth'(field - 1'b1);
    assign comes   = writers(write, write_address, address);
    assign read_valid_o[p] = field != '0 && (filled_q[address] || comes != '0);
    assign read_data_o[p*Width+:Width] = last_of(comes, result_data_o, word_q[address]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_o <= 1'b0;
    else if (clear_i) error_o <= 1'b0;
    else if (conflicts != '0) error_o <= 1'b1;
  end

  `GSM_PARAMETER(SumWidthLegal_A, SumWidth >= 0 && SumWidth <= Width, "SumWidth must be 0..Width")
  `GSM_PARAMETER(SlotsLegal_A, Slots >= 1 && Slots <= 65535, "Slots must be 1..65535")

endmodule

`default_nettype wire
