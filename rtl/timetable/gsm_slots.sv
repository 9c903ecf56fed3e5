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
//
// With Late, adders take several cycles. Arrivals of a cycle that are added to one word pass through adders in
// series, in ascending order of in-ports. A result of a additions is there a * adder_cycles_i cycles after its
// arrival, and leaves in-port p waits_i[p] * adder_cycles_i cycles after it: in that cycle its slot is written and
// result_* shows it. An adder sees the slots as they were at the start of the cycle, and results of lower in-ports of
// the cycle where it updates their slot, or where steps wait for their additions. A result that a higher in-port
// updates is not written. When two results come to a slot in one cycle, the higher in-port's stays and error_o rises.
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
    parameter int Slots = 1,
    // Adders take several cycles; SumWidth is then 1 or more.
    parameter bit Late = 1'b0,
    // Registers inside an adder (gsm_adder), and the most cycles of one.
    parameter int Stages = 0,
    parameter int MostAdderCycles = 15,
    // The most additions in series, 1..Ports.
    parameter int Depth = Ports,
    // Bit p*Ports + k: in-port p has an adder for the (k+1)th addition of a result.
    parameter logic [Ports*Ports-1:0] Adders = '1
) (
    // Clock, rising edge.
    input  logic                        clk_i,
    // Asynchronous reset, active low.
    input  logic                        rst_ni,
    // Synchronous clear: all slots empty, error_o low.
    input  logic                        clear_i,
    // With Late only: cycles of an adder, Stages..MostAdderCycles; steps wait for their additions, otherwise rows are
    // executed while additions of earlier steps last; by in-port, a field that holds 0..Depth: the additions of a
    // result, or more.
    input  logic [                 3:0] adder_cycles_i,
    input  logic                        steps_wait_i,
    input  logic [Ports*$clog2(Ports+1)-1:0] waits_i,
    // By out-port, a field that holds 0..Slots: 0, or 1 more than the slot that the coming step sends.
    input  logic [Ports*$clog2(Slots+1)-1:0] read_i,
    // By in-port, a field: 0, or 1 more than the slot that the arrival is combined with.
    input  logic [Ports*$clog2(Slots+1)-1:0] with_i,
    // By in-port: the arrival is combined with this word instead.
    input  logic [           Ports-1:0] own_valid_i,
    input  logic [     Ports*Width-1:0] own_data_i,
    // By in-port, a field: 0, or 1 more than the slot that takes the result.
    input  logic [Ports*$clog2(Slots+1)-1:0] write_i,
    // By in-port: the result is for the processing element.
    input  logic [           Ports-1:0] deliver_i,
    // Arrivals.
    input  logic [           Ports-1:0] in_valid_i,
    input  logic [     Ports*Width-1:0] in_data_i,
    // By out-port: the content of the slot that read_i names.
    output logic [           Ports-1:0] read_valid_o,
    output logic [     Ports*Width-1:0] read_data_o,
    // By in-port: the arrival, combined, in the cycle in which it leaves it; valid if it is for the processing element.
    output logic [           Ports-1:0] result_valid_o,
    output logic [     Ports*Width-1:0] result_data_o,
    // Sticky: two results of one cycle replaced the same slot.
    output logic                        error_o
);

  localparam int FieldWidth = $clog2(Slots + 1);
  localparam int AddressWidth = Slots > 1 ? $clog2(Slots) : 1;
  localparam int WaitWidth = $clog2(Ports + 1);

  logic [Slots-1:0] filled_q;
  logic [Width-1:0] word_q[Slots];

  // The marked ports whose slot is `address`.
  function automatic logic [Ports-1:0] writers(input logic [Ports-1:0] marked,
                                               input logic [Ports*AddressWidth-1:0] addresses,
                                               input logic [AddressWidth-1:0] address);
    for (int r = 0; r < Ports; r++) begin
      writers[r] = marked[r] && addresses[r*AddressWidth+:AddressWidth] == address;
    end
  endfunction
  // The highest marked port alone.
  function automatic logic [Ports-1:0] highest(input logic [Ports-1:0] marked);
    highest = '0;
    for (int r = 0; r < Ports; r++) begin
      if (marked[r]) highest = Ports'(1) << r;
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

  // The arrivals' rows: operands, and the slots of the results.
  logic [Ports-1:0] stores;
  logic [Ports-1:0] has_operand;
  logic [Ports-1:0] same_slot;
  logic [Ports*AddressWidth-1:0] store_address;
  logic [Ports*AddressWidth-1:0] with_address;
  for (genvar q = 0; q < Ports; q++) begin : gen_row
    logic [FieldWidth-1:0] write;
    logic [FieldWidth-1:0] operand;
    assign write = write_i[q*FieldWidth+:FieldWidth];
    assign operand = with_i[q*FieldWidth+:FieldWidth];
    assign stores[q] = in_valid_i[q] && write != '0;
    assign has_operand[q] = operand != '0;
    assign same_slot[q] = write == operand;
    assign store_address[q*AddressWidth+:AddressWidth] = AddressWidth'(write - 1'b1);
    assign with_address[q*AddressWidth+:AddressWidth] = AddressWidth'(operand - 1'b1);
  end

  // Results by in-port, in the cycle in which they leave it; which of them replace a slot rather than update it.
  logic [Ports-1:0] lands;
  logic [Ports-1:0] replaces;
  logic [Ports*AddressWidth-1:0] land_address;
  if (Late) begin : gen_late
    logic [Ports-1:0] with_slot;
    logic [Ports-1:0] updates;
    assign with_slot = has_operand & ~own_valid_i;
    assign updates   = stores & with_slot & same_slot;
    // Updates of lower in-ports' results take the place of those.
    assign replaces  = lands;
    for (genvar q = 0; q < Ports; q++) begin : gen_in_port
      localparam logic [Ports-1:0] Below = (Ports'(1) << q) - 1'b1;
      localparam logic [Ports-1:0] Above = ~(Below | (Ports'(1) << q));
      // The most additions of its results.
      localparam int Most = q < Depth ? q + 1 : Depth;
      logic [AddressWidth-1:0] address;
      assign address = with_address[q*AddressWidth+:AddressWidth];
      // The lower in-port to whose result it adds.
      logic [Ports-1:0] lower;
      assign lower = with_slot[q] && (steps_wait_i || updates[q])
                     ? highest(writers(stores & Below, store_address, address)) : '0;
      // Bit k: its result has k additions.
      logic [Most:0] additions;
      logic added;
      assign added = own_valid_i[q] || with_slot[q];
      for (genvar k = 0; k <= Most; k++) begin : gen_additions
        // As bits of their own, which have no order in common.
        logic has;
        assign additions[k] = has;
        logic [Ports-1:0] fits;
        for (genvar r = 0; r < Ports; r++) begin : gen_lower
          if (r < q && k >= 1 && k <= r + 2) begin : gen_result
            assign fits[r] = lower[r] && gen_in_port[r].gen_additions[k-1].has;
          end else begin : gen_none
            assign fits[r] = 1'b0;
          end
        end
        assign has = k == 0 ? !added : fits != '0 || (k == 1 && added && lower == '0);
      end

      // Stage k: its k-th adder, k * adder_cycles_i cycles after the arrival. Words that are not added in it go round
      // it, so that the word of stage k is a result of up to k additions.
      logic passed_up;
      assign passed_up = writers(updates & Above, store_address,
                                 store_address[q*AddressWidth+:AddressWidth]) != '0;
      for (genvar k = 0; k <= Most; k++) begin : gen_stage
        // The control of the arrival, which travels with it, and the arrival itself.
        logic [1:0] flags;
        logic [AddressWidth-1:0] slot;
        logic [Ports-1:0] from;
        logic [Most:0] sums;
        logic [Width-1:0] came;
        logic [Width-1:0] data;
        if (k == 0) begin : gen_arrival
          assign flags = {in_valid_i[q] && deliver_i[q], stores[q] && !passed_up};
          assign slot  = store_address[q*AddressWidth+:AddressWidth];
          assign from  = lower;
          assign sums  = in_valid_i[q] ? additions : '0;
          assign came  = in_data_i[q*Width+:Width];
          assign data  = came;
        end else begin : gen_later
          gsm_delay #(
              .Flags(2 + Most + 1),
              .Width(AddressWidth + Ports + Width),
              .Most (MostAdderCycles)
          ) u_way (
              .clk_i   (clk_i),
              .rst_ni  (rst_ni),
              .clear_i (clear_i),
              .cycles_i(17'(adder_cycles_i)),
              .flags_i ({gen_stage[k-1].sums, gen_stage[k-1].flags}),
              .data_i  ({gen_stage[k-1].slot, gen_stage[k-1].from, gen_stage[k-1].came}),
              .flags_o ({sums, flags}),
              .data_o  ({slot, from, came})
          );
          logic [Width-1:0] round;
          logic unused_flag;
          gsm_delay #(
              .Flags(1),
              .Width(Width),
              .Most (MostAdderCycles)
          ) u_round (
              .clk_i   (clk_i),
              .rst_ni  (rst_ni),
              .clear_i (clear_i),
              .cycles_i(17'(adder_cycles_i)),
              .flags_i (1'b0),
              .data_i  (gen_stage[k-1].data),
              .flags_o (unused_flag),
              .data_o  (round)
          );
          if (Adders[q*Ports+k-1]) begin : gen_add
            // Of the first addition the operand is there with the arrival; later ones add to results of lower in-ports.
            logic operand_valid;
            logic [Width-1:0] operand;
            logic [Ports*Width-1:0] results;
            for (genvar r = 0; r < Ports; r++) begin : gen_lower
              if (r < q && k <= r + 2) begin : gen_result
                assign results[r*Width+:Width] = gen_in_port[r].gen_stage[k-1].data;
              end else begin : gen_none
                assign results[r*Width+:Width] = '0;
              end
            end
            if (k == 1) begin : gen_first
              assign operand_valid = own_valid_i[q] || lower != '0 || filled_q[address];
              assign operand = own_valid_i[q] ? own_data_i[q*Width+:Width]
                                              : last_of(lower, results, word_q[address]);
            end else begin : gen_next
              assign operand_valid = 1'b1;
              assign operand = last_of(gen_stage[k-1].from, results, '0);
            end
            logic sum_valid;
            logic [Width-1:0] sum;
            gsm_adder #(
                .Width    (SumWidth),
                .Operation(Operation),
                .Ripple   (1'b0),
                .Stages   (Stages),
                .Most     (MostAdderCycles)
            ) u_add (
                .clk_i    (clk_i),
                .rst_ni   (rst_ni),
                .clear_i  (clear_i),
                .cycles_i (adder_cycles_i),
                .a_valid_i(operand_valid && gen_stage[k-1].sums[k]),
                .a_data_i (operand[SumWidth-1:0]),
                .b_valid_i(gen_stage[k-1].sums[k]),
                .b_data_i (gen_stage[k-1].came[SumWidth-1:0]),
                .valid_o  (sum_valid),
                .data_o   (sum[SumWidth-1:0])
            );
            if (SumWidth < Width) begin : gen_rest
              logic unused_rest;
              gsm_delay #(
                  .Flags(1),
                  .Width(Width - SumWidth),
                  .Most (MostAdderCycles)
              ) u_rest (
                  .clk_i   (clk_i),
                  .rst_ni  (rst_ni),
                  .clear_i (clear_i),
                  .cycles_i(17'(adder_cycles_i)),
                  .flags_i (1'b0),
                  .data_i  (operand_valid ? operand[Width-1:SumWidth]
                                          : gen_stage[k-1].came[Width-1:SumWidth]),
                  .flags_o (unused_rest),
                  .data_o  (sum[Width-1:SumWidth])
              );
            end
            assign data = sum_valid ? sum : round;
          end else begin : gen_pass
            assign data = round;
          end
        end
      end

      // The stage after which its results leave.
      logic [WaitWidth-1:0] waits;
      assign waits = waits_i[q*WaitWidth+:WaitWidth];
      // Stages beyond its own adders delay only.
      for (genvar k = 0; k <= Depth; k++) begin : gen_leave
        logic [1:0] flags;
        logic [AddressWidth-1:0] slot;
        logic [Width-1:0] data;
        if (k <= Most) begin : gen_added
          assign flags = gen_stage[k].flags;
          assign slot  = gen_stage[k].slot;
          assign data  = gen_stage[k].data;
        end else begin : gen_delayed
          gsm_delay #(
              .Flags(2),
              .Width(AddressWidth + Width),
              .Most (MostAdderCycles)
          ) u_delay (
              .clk_i   (clk_i),
              .rst_ni  (rst_ni),
              .clear_i (clear_i),
              .cycles_i(17'(adder_cycles_i)),
              .flags_i (gen_leave[k-1].flags),
              .data_i  ({gen_leave[k-1].slot, gen_leave[k-1].data}),
              .flags_o (flags),
              .data_o  ({slot, data})
          );
        end
        // What leaves after this stage or an earlier one.
        logic [2+AddressWidth+Width-1:0] chosen;
        if (k == 0) begin : gen_first
          assign chosen = {flags, slot, data};
        end else begin : gen_next
          assign chosen = 32'(waits) >= k ? {flags, slot, data} : gen_leave[k-1].chosen;
        end
      end
      assign {result_valid_o[q], lands[q], land_address[q*AddressWidth+:AddressWidth],
              result_data_o[q*Width+:Width]} = gen_leave[Depth].chosen;
      logic unused_last;
      // Without an adder own words are not read.
      assign unused_last = ^{gen_stage[Most].from, gen_stage[Most].sums, gen_stage[Most].came,
                             own_data_i[q*Width+:Width]};
    end
  end else begin : gen_at_once
    assign lands          = stores;
    assign replaces       = stores & ~same_slot;
    assign land_address   = store_address;
    assign result_valid_o = in_valid_i & deliver_i;
    for (genvar q = 0; q < Ports; q++) begin : gen_in_port
      logic [Width-1:0] result;
      if (SumWidth > 0) begin : gen_sum
        localparam logic [Ports-1:0] Below = (Ports'(1) << q) - 1'b1;
        logic [AddressWidth-1:0] address;
        assign address = with_address[q*AddressWidth+:AddressWidth];
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
        assign updates = writers(stores & Below, store_address, address);
        logic operand_valid;
        logic [Width-1:0] operand;
        assign operand_valid = own_valid_i[q] || (has_operand[q] && (filled_q[address] || updates != '0));
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
    logic unused_late;
    assign unused_late = ^{adder_cycles_i, steps_wait_i, waits_i, own_valid_i, own_data_i, has_operand, with_address,
                           Stages, MostAdderCycles, Depth, Adders, WaitWidth};
  end

  logic [Ports-1:0] conflicts;
  for (genvar q = 0; q < Ports; q++) begin : gen_conflict
    localparam logic [Ports-1:0] Below = (Ports'(1) << q) - 1'b1;
    assign conflicts[q] =
        replaces[q] &&
        writers(replaces & Below, land_address, land_address[q*AddressWidth+:AddressWidth]) != '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q <= '0;
    end else if (clear_i) begin
      filled_q <= '0;
    end else begin
      for (int q = 0; q < Ports; q++) begin
        if (lands[q]) filled_q[land_address[q*AddressWidth+:AddressWidth]] <= 1'b1;
      end
    end
  end
  // The last assignment counts: the higher in-port's result stays.
  always_ff @(posedge clk_i) begin
    for (int q = 0; q < Ports; q++) begin
      if (lands[q]) begin
        word_q[land_address[q*AddressWidth+:AddressWidth]] <= result_data_o[q*Width+:Width];
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
    assign comes   = writers(lands, land_address, address);
    assign read_valid_o[p] = field != '0 && (filled_q[address] || comes != '0);
    assign read_data_o[p*Width+:Width] = last_of(comes, result_data_o, word_q[address]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_o <= 1'b0;
    else if (clear_i) error_o <= 1'b0;
    else if (conflicts != '0) error_o <= 1'b1;
  end

  `GSM_PARAMETER(SumWidthLegal_A, SumWidth >= (Late ? 1 : 0) && SumWidth <= Width,
                 "SumWidth must be 0..Width, with Late 1..Width")
  `GSM_PARAMETER(DepthLegal_A, Depth >= 1 && Depth <= Ports, "Depth must be 1..Ports")
  `GSM_PARAMETER(SlotsLegal_A, Slots >= 1 && Slots <= 65535, "Slots must be 1..65535")

endmodule

`default_nettype wire
