// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The tile of relay plans, broadcasts and reductions: router (gsm_relay_router), message
// (gsm_relay_memory), list of sends and the cycles in which steps begin.
//
// start_i in cycle t puts the first flits on their links in cycle t+1, the first of Cycles; done_o is
// high in the cycle after them. In a broadcast a flit on a link is a word of the message, and the header
// replaces low bits of the first one. In "sums" it is a header and above it a word. The head bit is above
// the flit. A delivery is a word and above it the head bit. Outside a round the router is held clear.
//
// With Streams no port grows with the message. Own words come by streams, in the cycle in which own_ready_o
// is high; own_valid_i must be high by then. Stream 0 has the words that the node sends before others have
// replaced them: at the source of a broadcast the message, once for each send; in "sums" the node's own
// words. Stream 1, in "sums" only, has the words that the first arriving message is combined with. Both
// begin at word 0 and are in order. A delivery is a word, and deliver_index_o is its number;
// deliver_ready_i must be high. A word that comes late, or is not taken, raises error_o.
module gsm_relay_node #(
    // "rule", "list", "sums" or "tree": gsm_relay_router.
    parameter logic [8*4-1:0] Router = "rule",
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Bits of a word; in a broadcast more than the header's.
    parameter int Width = 32,
    // Words of a message, 1..65535; cycles between having it and sending it on.
    parameter int Flits = 1,
    parameter int RelayCycles = 0,
    // Clock cycles of a round, 1..2^30.
    parameter int Cycles = 1,
    // Bits of a number of flits and relay cycles, of a number of links, of a step.
    parameter int TimeBits = 8,
    parameter int HopBits = 2,
    parameter int StepBits = 3,
    // Broadcast: the node is the source; it sends the message on.
    parameter bit Source = 1'b0,
    parameter bit Relays = 1'b1,
    // The parity rule: log2 of the sides, 4 bits each; parities of the coordinates; side bits at the
    // source; whether headers have side bits.
    parameter logic [Ports/2*4-1:0] Levels = '0,
    parameter logic [Ports/2-1:0] Parity = '0,
    parameter logic [Ports/2-1:0] StartSide = '0,
    parameter bit Torus = 1'b0,
    // Lists: stretches of a path; the node sends by its list, otherwise by the rule; its sends, each as
    // entry_i of gsm_relay_router.
    parameter int Segments = 1,
    parameter bit ByList = 1'b1,
    parameter int ListLength = 0,
    parameter int EntriesMax = 1,
    localparam int TagBits = Router == "list" ? Ports / 2 + 2 : Router == "rule" && Torus ? Ports / 2 : 0,
    localparam int HeaderBits = Segments * HopBits + (Segments - 1) * $clog2(Ports) + StepBits + TagBits,
    localparam int EntryBits = $clog2(Ports) + HeaderBits,
    parameter logic [EntriesMax*EntryBits-1:0] List = '0,
    // Rule, lists: sends wait for their step. By step, the cycles from start_i to the one before its first
    // flits are on their links; all ones: it has no sends.
    parameter bit StepSync = 1'b0,
    parameter int Steps = 1,
    parameter int StartBits = $clog2(Cycles + 2),
    parameter logic [Steps*StartBits-1:0] StepStarts = '0,
    // Sums: the operation that combines two words (gsm_combine); nodes may send and receive at once;
    // steps, from the first on, whose messages are combined with the node's; the step, from 1, whose
    // message completes the node's result, which is delivered as it comes, 0 without a result.
    parameter int Operation = 0,
    parameter bit Duplex = 1'b1,
    parameter int AddingSteps = 1,
    parameter int ResultStep = 0,
    // Cycles of an adder, and its inner registers (gsm_adder).
    parameter int AdderCycles = 0,
    parameter int Stages = 0,
    // Tree: the in-port of the message, and its out-ports.
    parameter int FanIn = 0,
    parameter logic [Ports-1:0] FanOut = '0,
    // 1: own words and results by streams, 0: on flat ports. Bits of the number of a word, 1..16.
    parameter bit Streams = 1'b0,
    parameter int IndexBits = 1,
    // Follow from the others.
    localparam int FlitBits = Router == "sums" ? HeaderBits + Width : Width,
    localparam int OwnStreams = Streams && Router == "sums" ? 2 : 1,
    localparam int OwnWords = Streams ? OwnStreams : Flits
) (
    // Clock, rising edge.
    input  logic                          clk_i,
    // Asynchronous reset, active low.
    input  logic                          rst_ni,
    // Synchronous clear: ends the round, empties the router, lowers error_o.
    input  logic                          clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                          start_i,
    // Word i in bits i*Width +: Width. At the source of a broadcast the message, stable until done_o; in
    // "sums" the node's own words, in the cycle of start_i. With Streams, the next word of each stream.
    input  logic [    OwnWords*Width-1:0] own_data_i,
    // Streams, by own stream: the word is there; it is taken; the number of the word. own_next_o is own_ready_o.
    input  logic [        OwnStreams-1:0] own_valid_i,
    output logic [        OwnStreams-1:0] own_ready_o,
    output logic [        OwnStreams-1:0] own_next_o,
    output logic [OwnStreams*IndexBits-1:0] own_index_o,
    // Links.
    input  logic [             Ports-1:0] in_valid_i,
    input  logic [Ports*(FlitBits+1)-1:0] in_data_i,
    output logic [             Ports-1:0] out_valid_o,
    output logic [Ports*(FlitBits+1)-1:0] out_data_o,
    // The message, except at the source; in "sums" the node's result. Words arrive in consecutive cycles.
    output logic                          deliver_valid_o,
    // Streams: the element takes it; the number of the word.
    input  logic                          deliver_ready_i,
    output logic [         IndexBits-1:0] deliver_index_o,
    output logic [Width-(Streams ? 1 : 0):0] deliver_data_o,
    // This is a cycle of a round.
    output logic                          busy_o,
    // It is the last.
    output logic                          last_o,
    // The cycle after the last.
    output logic                          done_o,
    // No round runs.
    output logic                          idle_o,
    // Two messages met since the last clear, reset or start.
    output logic                          error_o
);

  localparam int CycleBits = $clog2(Cycles + 1);
  localparam bit Sums = Router == "sums";

  // Cycles since start_i.
  logic [CycleBits-1:0] cycle;
  gsm_round #(
      .StepWidth(CycleBits)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .steps_i(CycleBits'(Cycles)),
      .step_o (cycle),
      .busy_o (busy_o),
      .last_o (last_o),
      .done_o (done_o)
  );
  logic clear;
  assign clear = clear_i || last_o || !(start_i || busy_o);

  // By step: its first flits enter their links at the coming edge.
  logic [Steps-1:0] starts;
  for (genvar s = 0; s < Steps; s++) begin : gen_step
    localparam logic [StartBits-1:0] Start = StepStarts[s*StartBits+:StartBits];
    assign starts[s] = StepSync && Start != '1 && (start_i || busy_o) && StartBits'(cycle) == Start;
  end
  function automatic logic [StepBits-1:0] number_of(input logic [Steps-1:0] one);
    number_of = '0;
    for (int s = 0; s < Steps; s++) begin
      if (one[s]) number_of = number_of | StepBits'(s);
    end
  endfunction

  logic [StepBits-1:0] number;
  logic listed;
  logic [EntryBits-1:0] entry;
  assign listed = ListLength > 0 && $signed(32'(number)) < ListLength;
  assign entry  = listed ? List[number*EntryBits+:EntryBits] : '0;

  logic [TimeBits-1:0] flit;
  logic flit_valid;
  logic [TimeBits-1:0] store;
  logic [TimeBits-1:0] write;
  logic [Width-1:0] own;
  logic [Width-1:0] stored;
  // As the memory has them.
  logic [Width-1:0] own_kept;
  logic [Width-1:0] stored_kept;
  logic deliver_valid;
  logic deliver_head;
  logic [FlitBits-1:0] deliver_data;
  localparam int MemoryWords = !Streams && (Sums || Source) ? Flits : 1;
  gsm_relay_memory #(
      .Memory  (Sums ? (Streams ? "keep" : "sums") : Source ? (Streams ? "none" : "give") : Relays ? "keep" : "none"),
      .Width   (Width),
      .Flits   (Flits),
      .TimeBits(TimeBits)
  ) u_memory (
      .clk_i        (clk_i),
      .start_i      (start_i),
      .own_data_i   (own_data_i[MemoryWords*Width-1:0]),
      .flit_i       (flit),
      .data_o       (own_kept),
      .store_i      (store),
      .stored_o     (stored_kept),
      .write_i      (write),
      .store_valid_i(deliver_valid),
      .store_data_i (deliver_data[FlitBits-1-:Width])
  );

  logic [Ports-1:0] in_head;
  logic [Ports*FlitBits-1:0] in_data;
  logic [Ports-1:0] out_head;
  logic [Ports*FlitBits-1:0] out_data;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign {in_head[p], in_data[p*FlitBits+:FlitBits]} = in_data_i[p*(FlitBits+1)+:FlitBits+1];
    assign out_data_o[p*(FlitBits+1)+:FlitBits+1] = {out_head[p], out_data[p*FlitBits+:FlitBits]};
  end

  logic unused_busy;
  logic error;
  gsm_relay_router #(
      .Router   (Router),
      .Ports    (Ports),
      .Width    (FlitBits),
      .SumWidth (Width),
      .Operation(Operation),
      .Stages   (Stages),
      .MostAdderCycles(AdderCycles),
      .Segments (Segments),
      .HopBits  (HopBits),
      .StepBits (StepBits),
      .Torus    (Torus),
      .TimeBits (TimeBits),
      .Source   (Source),
      .FanIn    (FanIn),
      .FanOut   (FanOut)
  ) u_router (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear),
      .levels_i       (Levels),
      .parity_i       (Parity),
      .flits_i        (TimeBits'(Flits)),
      .relay_cycles_i (TimeBits'(RelayCycles)),
      .list_i         (ByList),
      .duplex_i       (Duplex),
      .adding_steps_i (StepBits'(AddingSteps)),
      .adder_cycles_i (4'(AdderCycles)),
      .step_sync_i    (StepSync),
      .step_start_i   (starts != '0),
      .step_i         (number_of(starts)),
      .start_i        ((Sums || Source) && start_i),
      .start_side_i   (StartSide),
      .entry_o        (number),
      .entry_valid_i  (listed),
      .entry_i        (entry),
      .flit_o         (flit),
      .flit_valid_o   (flit_valid),
      .own_data_i     (FlitBits'(own) << (FlitBits - Width)),
      .store_o        (store),
      .stored_i       (stored),
      .write_o        (write),
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

  // The message of a reduction whose words are the result.
  if (Sums) begin : gen_result
    logic result;
    logic result_q;
    assign result = deliver_head ? 32'(deliver_data[HopBits+:StepBits]) + 1 == ResultStep : result_q;
    always_ff @(posedge clk_i) begin
      if (deliver_head) result_q <= result;
    end
    assign deliver_valid_o = deliver_valid && ResultStep > 0 && result;
  end else begin : gen_message
    assign deliver_valid_o = deliver_valid;
  end
  logic unused_header;
  assign unused_header = ^{deliver_data, deliver_head};

  // Words that come late, or are not taken.
  logic missed;
  assign idle_o = !busy_o;
  assign own_next_o = own_ready_o;
  if (Streams) begin : gen_streams
    assign deliver_data_o = deliver_data[FlitBits-1-:Width];
    assign deliver_index_o = IndexBits'(write);
    assign missed = (own_ready_o & ~own_valid_i) != '0 || (deliver_valid_o && !deliver_ready_i);
    assign own_index_o[0+:IndexBits] = IndexBits'(flit);
    if (Sums) begin : gen_sums
      // Words of the first message, which have replaced own ones.
      logic [TimeBits-1:0] kept_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) kept_q <= '0;
        else if (clear) kept_q <= '0;
        else if (deliver_valid && kept_q != TimeBits'(Flits)) kept_q <= kept_q + 1'b1;
      end
      logic adds;
      logic adds_q;
      assign adds = deliver_head ? 32'(deliver_data[HopBits+:StepBits]) < AddingSteps : adds_q;
      always_ff @(posedge clk_i) begin
        if (deliver_head) adds_q <= adds;
      end
      // A message of one flit that is sent on without delay has not been stored.
      logic passes;
      assign passes = deliver_valid && Flits == 1 && RelayCycles == 0;
      assign own_ready_o[0] = flit_valid && flit >= kept_q && !passes;
      assign own_ready_o[1] = deliver_valid && store >= kept_q && adds;
      assign own_index_o[IndexBits+:IndexBits] = IndexBits'(store);
      assign own = flit < kept_q ? own_kept : own_data_i[0+:Width];
      assign stored = store < kept_q ? stored_kept : own_data_i[Width+:Width];
    end else begin : gen_broadcast
      assign own_ready_o[0] = Source && flit_valid;
      assign own = Source ? own_data_i[0+:Width] : own_kept;
      assign stored = stored_kept;
    end
  end else begin : gen_flat
    assign deliver_data_o = {deliver_head, deliver_data[FlitBits-1-:Width]};
    assign deliver_index_o = '0;
    assign own_ready_o = '0;
    assign own_index_o = '0;
    assign missed = 1'b0;
    assign own = own_kept;
    assign stored = stored_kept;
    logic unused_streams;
    assign unused_streams = ^{own_valid_i, deliver_ready_i, flit_valid};
  end
  logic unused_own;
  assign unused_own = ^{own_data_i, own_kept, stored_kept, flit_valid};

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(error || missed),
      .error_o(error_o)
  );

  `GSM_PARAMETER(CyclesLegal_A, Cycles >= 1 && Cycles <= 1073741824, "Cycles must be 1..2^30")
  `GSM_PARAMETER(StartBitsLegal_A, StartBits >= CycleBits, "StartBits must be $clog2(Cycles + 1) or more")
  `GSM_PARAMETER(ListLegal_A, ListLength >= 0 && ListLength <= EntriesMax, "ListLength must be 0..EntriesMax")
  `GSM_PARAMETER(StreamsLegal_A, !Streams || AdderCycles == 0, "Streams requires AdderCycles 0")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_ASSERT(LinksKnown_A, (^{out_valid_o, deliver_valid_o}) !== 1'bx,
              "a link or the delivery is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a flit leaves outside a round")

endmodule

`default_nettype wire
