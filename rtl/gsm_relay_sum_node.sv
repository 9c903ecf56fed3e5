// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of a reduction by relays: router with adder (gsm_relay_sum_router), list of sends and message.
//
// Timing of a round is gsm_relay_node's. The own words are taken with start_i. On a link a flit is the
// header, above it a word, and above that the head bit; in a delivery it is a word and the head bit.
module gsm_relay_sum_node #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Bits of a word, and the operation that combines two of them: gsm_combine.
    parameter int Width = 32,
    parameter int Operation = 0,
    // Words of a message, 1..65535; cycles between having it and sending it on.
    parameter int Flits = 1,
    parameter int RelayCycles = 0,
    // Clock cycles of a round, 1..2^30.
    parameter int Cycles = 1,
    // Bits of a number of flits and relay cycles, of a number of links, of a step.
    parameter int TimeBits = 8,
    parameter int HopBits = 2,
    parameter int StepBits = 3,
    // Nodes may send and receive at once.
    parameter bit Duplex = 1'b1,
    // Steps, from the first on, whose messages are combined with what the node has; others replace it.
    parameter int AddingSteps = 1,
    // The step, from 1, whose message completes this node's result, which is delivered as it comes; 0: the
    // node has none.
    parameter int ResultStep = 0,
    // Stretches of a path, 1..16; the node's sends, each out-port, links less one, step and further stretches.
    parameter int Segments = 2,
    parameter int ListLength = 0,
    parameter int EntriesMax = 1,
    parameter int EntryBits = $clog2(Ports) + HopBits + StepBits +
                              (Segments - 1) * ($clog2(Ports) + HopBits),
    parameter logic [EntriesMax*EntryBits-1:0] List = '0,
    // The steps, each with the cycles since start_i at which its first flits leave; all ones: it has no
    // sends.
    parameter int Steps = 1,
    parameter int StartBits = $clog2(Cycles + 2),
    parameter logic [Steps*StartBits-1:0] StepStarts = '0,
    // Follow from the others.
    localparam int HeaderBits = HopBits + StepBits + (Segments - 1) * ($clog2(Ports) + HopBits),
    localparam int FlitBits = HeaderBits + Width
) (
    // Clock, rising edge.
    input  logic                          clk_i,
    // Asynchronous reset, active low.
    input  logic                          rst_ni,
    // Synchronous clear: ends the round, empties the router, lowers error_o.
    input  logic                          clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                          start_i,
    // The own words, word i in bits i*Width +: Width, in the cycle of start_i.
    input  logic [       Flits*Width-1:0] own_data_i,
    // Links.
    input  logic [             Ports-1:0] in_valid_i,
    input  logic [Ports*(FlitBits+1)-1:0] in_data_i,
    output logic [             Ports-1:0] out_valid_o,
    output logic [Ports*(FlitBits+1)-1:0] out_data_o,
    // The node's result, word by word in consecutive cycles.
    output logic                          deliver_valid_o,
    output logic [               Width:0] deliver_data_o,
    // This is a cycle of a round.
    output logic                          busy_o,
    // It is the last.
    output logic                          last_o,
    // The cycle after the last.
    output logic                          done_o,
    // Two messages met since the last clear, reset or start.
    output logic                          error_o
);

  localparam int PortBits = $clog2(Ports);
  localparam int MoreBits = (Segments - 1) * (PortBits + HopBits);
  localparam int MoreWidth = Segments > 1 ? MoreBits : 1;
  localparam int CycleWidth = $clog2(Cycles + 1);

  // Cycles since start_i.
  logic [CycleWidth-1:0] cycle;
  gsm_round #(
      .StepWidth(CycleWidth)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .steps_i(CycleWidth'(Cycles)),
      .step_o (cycle),
      .busy_o (busy_o),
      .last_o (last_o),
      .done_o (done_o)
  );
  logic clear;
  assign clear = clear_i || last_o || !(start_i || busy_o);

  logic step_start;
  logic [StepBits-1:0] step;
  gsm_relay_steps #(
      .Steps     (Steps),
      .StepBits  (StepBits),
      .CycleBits (CycleWidth),
      .StartBits (StartBits),
      .StepStarts(StepStarts)
  ) u_steps (
      .running_i   (start_i || busy_o),
      .cycle_i     (cycle),
      .step_start_o(step_start),
      .step_o      (step)
  );

  logic [StepBits-1:0] number;
  logic entry_valid;
  logic [EntryBits-1:0] entry;
  gsm_relay_list #(
      .EntryBits (EntryBits),
      .NumberBits(StepBits),
      .ListLength(ListLength),
      .EntriesMax(EntriesMax),
      .List      (List)
  ) u_list (
      .number_i(number),
      .valid_o (entry_valid),
      .entry_o (entry)
  );

  // The further stretches of a path; where all are straight there are none.
  logic [MoreWidth-1:0] more;
  if (Segments > 1) begin : gen_more
    assign more = entry[PortBits+HopBits+StepBits+:MoreBits];
  end else begin : gen_straight
    assign more = 1'b0;
  end

  logic [TimeBits-1:0] flit;
  logic [TimeBits-1:0] store;
  logic [Width-1:0] own;
  logic [Width-1:0] stored;
  logic deliver_valid;
  logic deliver_head;
  logic [FlitBits-1:0] deliver_data;
  gsm_sum_memory #(
      .Width   (Width),
      .Flits   (Flits),
      .TimeBits(TimeBits)
  ) u_memory (
      .clk_i        (clk_i),
      .start_i      (start_i),
      .own_data_i   (own_data_i),
      .flit_i       (flit),
      .data_o       (own),
      .store_i      (store),
      .stored_o     (stored),
      .store_valid_i(deliver_valid),
      .store_data_i (deliver_data[HeaderBits+:Width])
  );

  logic [Ports-1:0] in_head;
  logic [Ports*FlitBits-1:0] in_data;
  logic [Ports-1:0] out_head;
  logic [Ports*FlitBits-1:0] out_data;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign {in_head[p], in_data[p*FlitBits+:FlitBits]} = in_data_i[p*(FlitBits+1)+:FlitBits+1];
    assign out_data_o[p*(FlitBits+1)+:FlitBits+1] = {out_head[p], out_data[p*FlitBits+:FlitBits]};
  end

  logic error;
  logic unused_busy;
  gsm_relay_sum_router #(
      .Ports    (Ports),
      .Width    (FlitBits),
      .SumWidth (Width),
      .Operation(Operation),
      .Segments (Segments),
      .HopBits  (HopBits),
      .StepBits (StepBits),
      .TimeBits (TimeBits)
  ) u_router (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear),
      .flits_i        (TimeBits'(Flits)),
      .relay_cycles_i (TimeBits'(RelayCycles)),
      .duplex_i       (Duplex),
      .adding_steps_i (StepBits'(AddingSteps)),
      .step_start_i   (step_start),
      .step_i         (step),
      .start_i        (start_i),
      .entry_o        (number),
      .entry_valid_i  (entry_valid),
      .entry_port_i   (entry[PortBits-1:0]),
      .entry_hops_i   (entry[PortBits+:HopBits]),
      .entry_step_i   (entry[PortBits+HopBits+:StepBits]),
      .entry_more_i   (more),
      .flit_o         (flit),
      .own_data_i     ({own, {HeaderBits{1'b0}}}),
      .store_o        (store),
      .stored_i       (stored),
      .in_valid_i     (in_valid_i),
      .in_head_i      (in_head),
      .in_data_i      (in_data),
      .out_valid_o    (out_valid_o),
      .out_head_o     (out_head),
      .out_data_o     (out_data),
      .deliver_valid_o(deliver_valid),
      .deliver_head_o (deliver_head),
      .deliver_data_o (deliver_data),
      .busy_o         (unused_busy),
      .error_o        (error)
  );

  // The message whose words are the result.
  if (ResultStep > 0) begin : gen_result
    logic result;
    logic result_q;
    assign result = deliver_head ? deliver_data[HopBits+:StepBits] == StepBits'(ResultStep - 1) : result_q;
    always_ff @(posedge clk_i) begin
      if (deliver_head) result_q <= result;
    end
    assign deliver_valid_o = deliver_valid && result;
  end else begin : gen_no_result
    assign deliver_valid_o = 1'b0;
  end
  assign deliver_data_o = {deliver_head, deliver_data[HeaderBits+:Width]};
  logic unused_header;
  assign unused_header = ^deliver_data[HeaderBits-1:0];

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(error),
      .error_o(error_o)
  );

  `GSM_PARAMETER(CyclesLegal_A, Cycles >= 1 && Cycles <= 1073741824, "Cycles must be 1..2^30")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_ASSERT(LinksKnown_A, (^{out_valid_o, deliver_valid_o}) !== 1'bx,
              "a link or the delivery is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a flit leaves outside a round")

endmodule

`default_nettype wire
