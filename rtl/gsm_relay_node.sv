// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of the relay discipline: a router of broadcasts (gsm_relay_plan_router) with the message's
// memory.
//
// start_i in cycle t puts the source's first flit on its links in cycle t+1, the first of Cycles;
// done_o is high in the cycle after them. On a link and in a delivery a flit has the head bit above its
// data. Outside a broadcast the router is held clear.
module gsm_relay_node #(
    // "rule" for gsm_relay_router, "list" for gsm_relay_router_table with a list of sends, "tree" for
    // gsm_fan_out_router. Four letters each: yosys 0.23 knows no `string`.
    parameter logic [8*4-1:0] Router = "rule",
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit, more than the header's.
    parameter int Width = 32,
    // Flits of a message, 1..65535; cycles between having it and sending it on.
    parameter int Flits = 1,
    parameter int RelayCycles = 0,
    // Clock cycles of a broadcast, 1..2^30.
    parameter int Cycles = 1,
    // Bits of a number of flits and relay cycles, of a number of links, of a step.
    parameter int TimeBits = 8,
    parameter int HopBits = 2,
    parameter int StepBits = 3,
    // The node is the source. Otherwise: it sends the message on.
    parameter bit Source = 1'b0,
    parameter bit Relays = 1'b1,
    // The parity rule: log2 of the sides, 4 bits each; parities of the coordinates; side bits at the
    // source; whether headers have side bits.
    parameter logic [Ports/2*4-1:0] Levels = '0,
    parameter logic [Ports/2-1:0] Parity = '0,
    parameter logic [Ports/2-1:0] StartSide = '0,
    parameter bit Torus = 1'b0,
    // Lists: stretches of a path; whether this node has one (otherwise it obeys the rule); its sends,
    // each out-port, links less one, step, tag and further stretches.
    parameter int Segments = 2,
    parameter bit ByList = 1'b1,
    parameter int ListLength = 0,
    parameter int EntriesMax = 1,
    parameter int EntryBits = $clog2(Ports) + HopBits + StepBits + Ports / 2 + 2 +
                              (Segments - 1) * ($clog2(Ports) + HopBits),
    parameter logic [EntriesMax*EntryBits-1:0] List = '0,
    // Rule, lists: sends wait for their step, and the steps, each with the cycles since start_i at which its
    // first flits leave; all ones: it has no sends.
    parameter bit StepSync = 1'b0,
    parameter int Steps = 1,
    parameter int StartBits = $clog2(Cycles + 2),
    parameter logic [Steps*StartBits-1:0] StepStarts = '0,
    // Tree: the in-port that the message comes by, and its out-ports.
    parameter int FanIn = 0,
    parameter logic [Ports-1:0] FanOut = '0
) (
    // Clock, rising edge.
    input  logic                       clk_i,
    // Asynchronous reset, active low.
    input  logic                       rst_ni,
    // Synchronous clear: ends the broadcast, empties the router, lowers error_o.
    input  logic                       clear_i,
    // Pulse of one cycle: begin a broadcast. Only while busy_o is low.
    input  logic                       start_i,
    // At the source the message, flit i in bits i*Width +: Width; stable until done_o. The header
    // replaces low bits of flit 0.
    input  logic [    Flits*Width-1:0] own_data_i,
    // Links.
    input  logic [          Ports-1:0] in_valid_i,
    input  logic [Ports*(Width+1)-1:0] in_data_i,
    output logic [          Ports-1:0] out_valid_o,
    output logic [Ports*(Width+1)-1:0] out_data_o,
    // What arrives for this node; the source gets nothing.
    output logic                       deliver_valid_o,
    output logic [            Width:0] deliver_data_o,
    // This is a cycle of a broadcast.
    output logic                       busy_o,
    // It is the last.
    output logic                       last_o,
    // The cycle after the last.
    output logic                       done_o,
    // Two messages met since the last clear, reset or start.
    output logic                       error_o
);

  localparam int CycleWidth = $clog2(Cycles + 1);

  // Cycles since start_i.
  logic [CycleWidth-1:0] cycle;
  gsm_round #(
      .StepWidth(CycleWidth)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i        (clear_i),
      .start_i        (start_i),
      .steps_i(CycleWidth'(Cycles)),
      .step_o (cycle),
      .busy_o (busy_o),
      .last_o (last_o),
      .done_o (done_o)
  );
  logic clear;
  logic start;
  assign clear = clear_i || last_o || !(start_i || busy_o);
  assign start = Source && start_i;

  logic [Ports-1:0] in_head;
  logic [Ports*Width-1:0] in_data;
  logic [Ports-1:0] out_head;
  logic [Ports*Width-1:0] out_data;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign {in_head[p], in_data[p*Width+:Width]} = in_data_i[p*(Width+1)+:Width+1];
    assign out_data_o[p*(Width+1)+:Width+1] = {out_head[p], out_data[p*Width+:Width]};
  end

  logic [TimeBits-1:0] flit;
  logic [Width-1:0] flit_data;
  logic deliver_head;
  logic [Width-1:0] deliver_data;
  assign deliver_data_o = {deliver_head, deliver_data};
  gsm_message_memory #(
      .Width   (Width),
      .Flits   (Flits),
      .TimeBits       (TimeBits),
      .Source  (Source),
      .Relays  (Relays)
  ) u_memory (
      .clk_i          (clk_i),
      .message_i      (own_data_i),
      .deliver_valid_i(deliver_valid_o),
      .deliver_head_i (deliver_head),
      .deliver_data_i (deliver_data),
      .flit_i         (flit),
      .data_o         (flit_data)
  );

  // The step whose sends start at the coming edge.
  logic step_start;
  logic [StepBits-1:0] step;
  if (StepSync) begin : gen_step_sync
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
  end else begin : gen_self_timed
    assign step_start = 1'b0;
    assign step = '0;
  end

  logic error;
  gsm_relay_plan_router #(
      .Router         (Router),
      .Ports          (Ports),
      .Width          (Width),
      .Flits          (Flits),
      .RelayCycles    (RelayCycles),
      .TimeBits       (TimeBits),
      .HopBits        (HopBits),
      .StepBits       (StepBits),
      .Source         (Source),
      .Levels         (Levels),
      .Parity         (Parity),
      .StartSide      (StartSide),
      .Torus          (Torus),
      .Segments       (Segments),
      .ByList         (ByList),
      .ListLength     (ListLength),
      .EntriesMax     (EntriesMax),
      .EntryBits      (EntryBits),
      .List           (List),
      .StepSync       (StepSync),
      .FanIn          (FanIn),
      .FanOut         (FanOut)
  ) u_router (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear),
      .step_start_i   (step_start),
      .step_i         (step),
      .start_i        (start),
      .flit_o         (flit),
      .own_data_i     (flit_data),
      .in_valid_i     (in_valid_i),
      .in_head_i      (in_head),
      .in_data_i      (in_data),
      .out_valid_o    (out_valid_o),
      .out_head_o     (out_head),
      .out_data_o     (out_data),
      .deliver_valid_o(deliver_valid_o),
      .deliver_head_o (deliver_head),
      .deliver_data_o (deliver_data),
      .error_o        (error)
  );
  logic unused_cycle;
  assign unused_cycle = ^cycle;

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i        (clear_i),
      .start_i        (start_i),
      .fault_i(error),
      .error_o        (error_o)
  );

  `GSM_PARAMETER(CyclesLegal_A, Cycles >= 1 && Cycles <= 1073741824, "Cycles must be 1..2^30")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a broadcast is running")
  `GSM_ASSERT(LinksKnown_A, (^{out_valid_o, deliver_valid_o}) !== 1'bx,
              "a link or the delivery is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a flit leaves outside a broadcast")

endmodule

`default_nettype wire
