// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The tile of contexts: gsm_context_router with its control. It counts the steps of a round, and the
// numbers of the packets at each out-port; docs/contexts.md shows its timing.
//
// A *lane* is one direction of a cycle or line of a wiring: lane 2c + 1 goes to higher places on cycle c,
// lane 2c to lower ones. Each node has one out-port on each lane that its wiring uses. A packet is
// {number, piece}. Its number is the place of its owner on the out-port's cycle, modulo the length of the
// cycle, or counts the words of a root's message. At an out-port it goes up or down by one per step, so
// the tile has one counter per out-port. The numbers of a line do not wrap: own words enter while the
// number is the place of a node. The out-port at the end of a line delivers, and sends nothing.
//
// start_i in cycle t makes cycle t+1 step 1 of a round of context_i. It may be high while busy_o is low,
// and with last_o. In the cycle of start_i the tile reads the words of step 1 (first_*), and in the cycle
// of each step the own operands of the edge at its end (own_*). Data are needed in the cycle of their
// packet numbers. A result or arrival is delivered in the last cycle of its step (deliver_*), and written
// at the end of that cycle. With last_o and start_i both rounds read: first_* is of the new round, own_*
// and deliver_* of the old one.
//
// In a context with memory packets wait in slots, and a table names the sends and arrivals of each step. The
// words of slots are multiplexed with own words before the registers. The slots are empty at the beginning of
// each round.
module gsm_context_tile #(
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Wirings of all contexts: 1 or more.
    parameter int Wirings = 2,
    // Data bits of a word, 1 or more.
    parameter int Width = 32,
    // As in gsm_context_router.
    parameter int Operation = 0,
    parameter bit Ripple = 1'b1,
    parameter bit Cross = 1'b1,
    parameter bit Join = 1'b0,
    parameter bit Flag = 1'b0,
    // Contexts, and the runs of equal operations of a context: 1 or more.
    parameter int Contexts = 1,
    parameter int Runs = 1,
    // Bits of a step, of a packet's number and of its piece, and of a lane's number.
    parameter int StepBits = 8,
    parameter int NumberBits = 8,
    parameter int PieceBits = 1,
    parameter int LaneBits = 3,
    // Slots of contexts with memory (0: no such contexts), and rows of memory_i, 1 or more.
    parameter int Slots = 0,
    parameter int MemoryRows = 1,
    localparam int Cycles = Ports / 2,
    localparam int PacketBits = NumberBits + PieceBits,
    localparam int WiringBits = Wirings > 1 ? $clog2(Wirings) : 1,
    localparam int ChoiceBits = Contexts > 1 ? $clog2(Contexts) : 1,
    // A run, from bit 0: its last step; by lane its operation [3] (0 none, 1 own word, 2 arrival, 3 arrival
    // and own word, 4 arrival and partner, 5 both arrivals and own word), and whether it delivers [1].
    localparam int RunBits = StepBits + 4 * Ports,
    // A lane, from bit 0: used, loads in the cycle of start_i, counts up, counts down, its first number
    // grows with the distance, shrinks, the distance is that from the root's place (or 0) to the node's
    // [1 each]; the first number at distance 0, signed [NumberBits+1]; the number of words of a message, or
    // the length of the cycle [NumberBits+1]; piece [PieceBits].
    localparam int LaneRowBits = 7 + 2 * (NumberBits + 1) + PieceBits,
    // A row of memory_i by port, from bit 0: an own word is sent [1], its packet [PacketBits], or 1 more than the
    // slot that is sent, 0 for none [SlotBits]; for the arrival at the in-port 1 more than the slot that keeps it,
    // 0 for none [SlotBits], whether it is delivered [1], and its packet [PacketBits].
    localparam int SlotBits = Slots > 0 ? $clog2(Slots + 1) : 1,
    localparam int PortRowBits = 2 + 2 * PacketBits + 2 * SlotBits,
    localparam int MemoryBits = Slots > 0 ? MemoryRows * Ports * PortRowBits : 1,
    localparam int BaseBits = Slots > 0 ? $clog2(MemoryRows + 1) : 0,
    // A context, from bit 0: wiring [WiringBits], has a root, ends at the root, combines flags [1 each], steps
    // [StepBits], runs, lanes, 1 more than its first row of memory_i, 0 without memory [BaseBits].
    localparam int MemoryAt = WiringBits + 3 + StepBits + Runs * RunBits + Ports * LaneRowBits,
    localparam int RowBits = MemoryAt + BaseBits,
    parameter logic [Contexts*RowBits-1:0] Rows = '0,
    // As feed_i of gsm_context_router.
    parameter logic [Wirings*Ports*Ports-1:0] Feed = '0,
    // By wiring and out-port, its lane; Ports: none.
    parameter logic [Wirings*Ports*LaneBits-1:0] Lane = '0,
    // By wiring and cycle, its length; 0: a line.
    parameter logic [Wirings*Cycles*(NumberBits+1)-1:0] Length = '0,
    // By context and out-port: at the end of a line, the out-port sends nothing.
    parameter logic [Contexts*Ports-1:0] End = '0
) (
    // Clock, rising edge.
    input  logic                                 clk_i,
    // Asynchronous reset, active low.
    input  logic                                 rst_ni,
    // Synchronous clear: ends the round without done_o, empties the router.
    input  logic                                 clear_i,
    // By wiring and cycle, the node's place; constant.
    input  logic [Wirings*Cycles*NumberBits-1:0] places_i,
    // By row and port: contexts with memory; row s of a context is that of the edge at the end of step s, row 0
    // of the edge into step 1. Constant; ignored without slots.
    input  logic [              MemoryBits-1:0] memory_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low, or with last_o.
    input  logic                                 start_i,
    // With start_i: the context, and the place of the root on each cycle of its wiring (ignored by
    // contexts without a root).
    input  logic [               ChoiceBits-1:0] context_i,
    input  logic [        Cycles*NumberBits-1:0] root_i,
    // By out-port, own words of step 1: read in the cycle of start_i.
    output logic [                    Ports-1:0] first_valid_o,
    output logic [         Ports*PacketBits-1:0] first_packet_o,
    input  logic [              Ports*Width-1:0] first_data_i,
    // By out-port, own operands: read in the cycles of steps.
    output logic [                    Ports-1:0] own_valid_o,
    output logic [         Ports*PacketBits-1:0] own_packet_o,
    input  logic [              Ports*Width-1:0] own_data_i,
    // By out-port of the lane on which they come, with memory by in-port: arrivals and results.
    output logic [                    Ports-1:0] deliver_valid_o,
    output logic [         Ports*PacketBits-1:0] deliver_packet_o,
    output logic [              Ports*Width-1:0] deliver_data_o,
    // The element adds deliveries to its words; two can be of the same packet. Low: they replace its words.
    output logic                                 deliver_add_o,
    // Links.
    input  logic [                    Ports-1:0] in_valid_i,
    input  logic [              Ports*Width-1:0] in_data_i,
    output logic [                    Ports-1:0] out_valid_o,
    output logic [              Ports*Width-1:0] out_data_o,
    // This is the cycle of a step; of the last step; the cycle after it.
    output logic                                 busy_o,
    output logic                                 last_o,
    output logic                                 done_o
);

  localparam int RunsAt = WiringBits + 3 + StepBits;
  localparam int LanesAt = RunsAt + Runs * RunBits;
  localparam int StartAt = 7;
  localparam int LimitAt = StartAt + NumberBits + 1;
  localparam int PieceAt = LimitAt + NumberBits + 1;

  function automatic logic [RowBits-1:0] row_of(input logic [ChoiceBits-1:0] choice);
    row_of = '0;
    for (int c = 0; c < Contexts; c++) begin
      if (choice == ChoiceBits'(c)) row_of = row_of | Rows[c*RowBits+:RowBits];
    end
  endfunction
  function automatic logic [Ports-1:0] ends_of(input logic [ChoiceBits-1:0] choice);
    ends_of = '0;
    for (int c = 0; c < Contexts; c++) begin
      if (choice == ChoiceBits'(c)) ends_of = ends_of | End[c*Ports+:Ports];
    end
  endfunction
  // The operations of the edge at the end of the step.
  function automatic logic [4*Ports-1:0] operations_of(input logic [StepBits-1:0] step,
                                                       input logic [Runs*RunBits-1:0] runs);
    operations_of = '0;
    for (int r = Runs - 1; r >= 0; r--) begin
      if (step <= runs[r*RunBits+:StepBits]) operations_of = runs[r*RunBits+StepBits+:4*Ports];
    end
  endfunction

  // The round: its context, its step (0: none), and the numbers of the packets.
  logic [ChoiceBits-1:0] choice_q;
  logic [StepBits-1:0] step_q;
  logic done_q;
  logic [RowBits-1:0] row;
  logic [RowBits-1:0] next_row;
  logic begins;
  assign row      = row_of(choice_q);
  assign next_row = row_of(context_i);
  assign busy_o   = step_q != '0;
  assign last_o   = busy_o && step_q == row[WiringBits+3+:StepBits];
  assign done_o   = done_q;
  assign begins   = start_i && (!busy_o || last_o);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= '0;
      done_q <= 1'b0;
    end else if (clear_i) begin
      step_q <= '0;
      done_q <= 1'b0;
    end else begin
      done_q <= last_o;
      if (begins) step_q <= StepBits'(1);
      else if (last_o) step_q <= '0;
      else if (busy_o) step_q <= step_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (begins) choice_q <= context_i;

  logic [WiringBits-1:0] wiring;
  logic [WiringBits-1:0] next_wiring;
  logic has_root;
  logic to_root;
  logic flags;
  logic next_has_root;
  logic next_to_root;
  assign wiring        = row[0+:WiringBits];
  assign next_wiring   = next_row[0+:WiringBits];
  assign has_root      = row[WiringBits];
  assign to_root       = row[WiringBits+1];
  assign flags         = row[WiringBits+2];
  assign next_has_root = next_row[WiringBits];
  assign next_to_root  = next_row[WiringBits+1];

  logic [4*Ports-1:0] operations;
  assign operations = operations_of(step_q, row[RunsAt+:Runs*RunBits]);
  logic [Ports-1:0] ends;
  logic [Ports-1:0] next_ends;
  assign ends      = ends_of(choice_q);
  assign next_ends = ends_of(context_i);

  // Contexts with memory.
  logic waits;
  logic next_waits;
  logic [Ports-1:0] sends_first;
  logic [Ports-1:0] sends_own;
  logic [Ports-1:0] sends_slot;
  logic [Ports*Width-1:0] slot_data;
  logic [Ports-1:0] receives;
  logic [Ports*PacketBits-1:0] waiting_first_packet;
  logic [Ports*PacketBits-1:0] waiting_own_packet;
  logic [Ports*PacketBits-1:0] waiting_deliver_packet;
  if (Slots > 0) begin : gen_memory
    function automatic logic [Ports*PortRowBits-1:0] memory_row(input logic [BaseBits-1:0] index,
                                                                input logic [MemoryBits-1:0] rows);
      memory_row = '0;
      for (int r = 0; r < MemoryRows; r++) begin
        if (32'(index) == r + 1) memory_row = memory_row | rows[r*Ports*PortRowBits+:Ports*PortRowBits];
      end
    endfunction
    logic [BaseBits-1:0] base;
    logic [BaseBits-1:0] next_base;
    assign base       = row[MemoryAt+:BaseBits];
    assign next_base  = next_row[MemoryAt+:BaseBits];
    assign waits      = base != '0;
    assign next_waits = next_base != '0;
    // The row of the coming edge in this round, and the first of the next one.
    logic [Ports*PortRowBits-1:0] now;
    logic [Ports*PortRowBits-1:0] ahead;
    assign now   = busy_o && waits ? memory_row(BaseBits'(32'(base) + 32'(step_q)), memory_i) : '0;
    assign ahead = begins && next_waits ? memory_row(next_base, memory_i) : '0;
    logic [Ports*SlotBits-1:0] read;
    logic [Ports*SlotBits-1:0] write;
    for (genvar p = 0; p < Ports; p++) begin : gen_port_row
      localparam int At = p * PortRowBits;
      assign sends_first[p]                                    = ahead[At];
      assign waiting_first_packet[p*PacketBits+:PacketBits]   = ahead[At+1+:PacketBits];
      assign sends_own[p]                                      = now[At];
      assign waiting_own_packet[p*PacketBits+:PacketBits]     = now[At+1+:PacketBits];
      assign read[p*SlotBits+:SlotBits]                       = now[At+1+PacketBits+:SlotBits];
      assign write[p*SlotBits+:SlotBits]                      = now[At+1+PacketBits+SlotBits+:SlotBits];
      assign receives[p]                                       = now[At+1+PacketBits+2*SlotBits];
      assign waiting_deliver_packet[p*PacketBits+:PacketBits] = now[At+2+PacketBits+2*SlotBits+:PacketBits];
    end
    logic unused_ahead;
    assign unused_ahead = ^ahead;
    logic [Ports-1:0] unused_valid;
    logic [Ports*Width-1:0] unused_result;
    logic unused_error;
    gsm_slots #(
        .Ports(Ports),
        .Width(Width),
        .Slots(Slots)
    ) u_slots (
        .clk_i         (clk_i),
        .rst_ni        (rst_ni),
        // No word of the round stays.
        .clear_i       (clear_i || last_o || !busy_o),
        .adder_cycles_i(4'd0),
        .steps_wait_i  (1'b0),
        .waits_i       ({(Ports * $clog2(Ports + 1)) {1'b0}}),
        .read_i        (read),
        .with_i        ({(Ports * SlotBits) {1'b0}}),
        .own_valid_i   ({Ports{1'b0}}),
        .own_data_i    ({(Ports * Width) {1'b0}}),
        .write_i       (write),
        .deliver_i     ({Ports{1'b0}}),
        .in_valid_i    (in_valid_i),
        .in_data_i     (in_data_i),
        .read_valid_o  (sends_slot),
        .read_data_o   (slot_data),
        .result_valid_o(unused_valid),
        .result_data_o (unused_result),
        .error_o       (unused_error)
    );
  end else begin : gen_no_memory
    assign waits                  = 1'b0;
    assign next_waits             = 1'b0;
    assign sends_first            = '0;
    assign sends_own              = '0;
    assign sends_slot             = '0;
    assign slot_data              = '0;
    assign receives               = '0;
    assign waiting_first_packet   = '0;
    assign waiting_own_packet     = '0;
    assign waiting_deliver_packet = '0;
    logic unused_memory;
    assign unused_memory = memory_i;
  end

  // The root of a reduction collects: its registers take nothing.
  logic [Ports-1:0] collects;
  logic [Ports-1:0] take;
  logic [Ports-1:0] crosses;
  logic [Ports-1:0] joins;
  logic [Ports-1:0] first_valid;
  logic [Ports-1:0] taken_valid;
  logic [Ports*Width-1:0] taken_data;
  logic [Ports-1:0] inject_valid;
  logic [Ports*Width-1:0] inject_data;

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    // By wiring; then that of the round, and of the next one.
    logic [Wirings*LaneRowBits-1:0] wired_rows;
    logic [Wirings*LaneRowBits-1:0] wired_next_rows;
    logic [Wirings*4-1:0] wired_operations;
    logic [Wirings-1:0] wired_arrives;
    logic [Wirings*NumberBits-1:0] wired_places;
    logic [Wirings*NumberBits-1:0] wired_roots;
    logic [Wirings*(NumberBits+1)-1:0] wired_lengths;
    logic [Wirings-1:0] wired_lines;
    for (genvar w = 0; w < Wirings; w++) begin : gen_wiring
      localparam int At = 32'(Lane[(w*Ports+p)*LaneBits+:LaneBits]);
      assign wired_arrives[w] = (Feed[(w*Ports+p)*Ports+:Ports] & in_valid_i) != '0;
      if (At < Ports) begin : gen_lane
        assign wired_rows[w*LaneRowBits+:LaneRowBits]      = row[LanesAt+At*LaneRowBits+:LaneRowBits];
        assign wired_next_rows[w*LaneRowBits+:LaneRowBits] = next_row[LanesAt+At*LaneRowBits+:LaneRowBits];
        assign wired_operations[w*4+:4]                    = operations[4*At+:4];
        assign wired_places[w*NumberBits+:NumberBits]      = places_i[(w*Cycles+At/2)*NumberBits+:NumberBits];
        assign wired_roots[w*NumberBits+:NumberBits]       = root_i[At/2*NumberBits+:NumberBits];
        assign wired_lengths[w*(NumberBits+1)+:NumberBits+1] =
            Length[(w*Cycles+At/2)*(NumberBits+1)+:NumberBits+1];
        assign wired_lines[w] = Length[(w*Cycles+At/2)*(NumberBits+1)+:NumberBits+1] == '0;
      end else begin : gen_none
        assign wired_rows[w*LaneRowBits+:LaneRowBits]        = '0;
        assign wired_next_rows[w*LaneRowBits+:LaneRowBits]   = '0;
        assign wired_operations[w*4+:4]                      = '0;
        assign wired_places[w*NumberBits+:NumberBits]        = '0;
        assign wired_roots[w*NumberBits+:NumberBits]         = '0;
        assign wired_lengths[w*(NumberBits+1)+:NumberBits+1] = '0;
        assign wired_lines[w]                                = 1'b0;
      end
    end
    logic [LaneRowBits-1:0] lane;
    logic [LaneRowBits-1:0] next_lane;
    logic [3:0] operation;
    logic arrives;
    logic [NumberBits-1:0] place;
    logic [NumberBits-1:0] root;
    logic [NumberBits:0] length;
    logic on_line;
    logic next_on_line;
    if (Wirings == 1) begin : gen_only
      assign lane      = wired_rows;
      assign next_lane = wired_next_rows;
      assign operation = wired_operations;
      assign arrives   = wired_arrives;
      assign place     = wired_places;
      assign root      = next_has_root ? wired_roots : '0;
      assign length    = wired_lengths;
      assign on_line      = wired_lines;
      assign next_on_line = wired_lines;
    end else begin : gen_choice
      assign lane      = wired_rows[32'(wiring)*LaneRowBits+:LaneRowBits];
      assign next_lane = wired_next_rows[32'(next_wiring)*LaneRowBits+:LaneRowBits];
      assign operation = wired_operations[32'(wiring)*4+:4];
      assign arrives   = wired_arrives[wiring];
      assign place     = wired_places[32'(next_wiring)*NumberBits+:NumberBits];
      assign root      = next_has_root ? wired_roots[32'(next_wiring)*NumberBits+:NumberBits] : '0;
      assign length    = wired_lengths[32'(next_wiring)*(NumberBits+1)+:NumberBits+1];
      assign on_line      = wired_lines[wiring];
      assign next_on_line = wired_lines[next_wiring];
    end

    // The number in step 1: the distance round the cycle, added to the first number or subtracted. On a line
    // it is negative at nodes that the lane does not lead to.
    logic [NumberBits+1:0] difference;
    logic [NumberBits+1:0] distance;
    logic [NumberBits+1:0] sum;
    logic [NumberBits+1:0] wrapped;
    logic [NumberBits:0] first;
    assign difference = next_lane[6] ? {2'b0, place} - {2'b0, root} : {2'b0, root} - {2'b0, place};
    assign distance   = difference[NumberBits+1] ? difference + {1'b0, length} : difference;
    assign sum        = {next_lane[StartAt+NumberBits], next_lane[StartAt+:NumberBits+1]} +
                        (next_lane[4] ? distance : next_lane[5] ? -distance : '0);
    assign wrapped    = sum - {1'b0, length};
    assign first      = (NumberBits + 1)'(!next_has_root && next_lane[4] && !wrapped[NumberBits+1] ? wrapped : sum);

    logic [NumberBits:0] number_q;
    logic is_root_q;
    logic is_astray;
    logic is_astray_q;
    logic [NumberBits:0] number;
    logic [NumberBits:0] limit;
    logic up;
    logic down;
    logic wraps;
    logic [NumberBits:0] next_number;
    assign number = begins ? first : number_q;
    assign limit  = begins ? next_lane[LimitAt+:NumberBits+1] : lane[LimitAt+:NumberBits+1];
    assign up     = begins ? next_lane[2] : lane[2];
    assign down   = begins ? next_lane[3] : lane[3];
    assign wraps  = !(begins ? next_has_root || next_on_line : has_root || on_line);
    assign is_astray = next_has_root && next_on_line && distance[NumberBits+1];
    assign next_number = up ? (wraps && number + 1'b1 == limit ? '0 : number + 1'b1)
                       : down ? (wraps && number == '0 ? limit : number) - 1'b1 : number;
    always_ff @(posedge clk_i) begin
      number_q <= next_number;
      if (begins) begin
        is_root_q   <= next_has_root && distance == '0;
        is_astray_q <= is_astray;
      end
    end

    // A node without an own word of that number takes none. Below the limit: the difference is negative.
    logic used;
    logic is_word;
    logic is_first_word;
    logic [NumberBits+1:0] beyond;
    logic [NumberBits+1:0] first_beyond;
    assign used = busy_o && lane[0];
    assign beyond = {1'b0, number_q} - {1'b0, lane[LimitAt+:NumberBits+1]};
    assign first_beyond = {1'b0, first} - {1'b0, next_lane[LimitAt+:NumberBits+1]};
    assign is_word = (!(has_root || on_line) || beyond[NumberBits+1]) &&
                     (!has_root || (to_root != is_root_q && !is_astray_q));
    assign is_first_word = (!(next_has_root || next_on_line) || first_beyond[NumberBits+1]) &&
                           (!next_has_root || (next_to_root != (distance == '0) && !is_astray));
    logic unused_beyond;
    assign unused_beyond = ^{beyond, first_beyond};
    assign first_valid[p] = (begins && next_lane[0] && next_lane[1] && is_first_word && !next_ends[p]) ||
                            sends_first[p];
    assign own_valid_o[p] = (used && is_word &&
        (((operation[2:0] == 3'd1 || operation[2:0] == 3'd3) && !ends[p]) || operation[2:0] == 3'd5)) || sends_own[p];
    assign inject_valid[p] = own_valid_o[p] || sends_slot[p];
    assign inject_data[p*Width+:Width] = sends_slot[p] ? slot_data[p*Width+:Width] : own_data_i[p*Width+:Width];
    assign crosses[p] = used && operation[2:0] == 3'd4;
    assign joins[p] = used && operation[2:0] == 3'd5;
    assign take[p] = used && operation[2:0] >= 3'd2 && (!has_root || to_root || !is_root_q);
    assign collects[p] = used && to_root && is_root_q;
    assign deliver_valid_o[p] =
        (taken_valid[p] && take[p] && (arrives || (on_line && joins[p] && in_valid_i[p])) && operation[3] &&
         (!to_root || is_root_q)) ||
        (receives[p] && in_valid_i[p]);
    assign deliver_data_o[p*Width+:Width] = waits ? in_data_i[p*Width+:Width] : taken_data[p*Width+:Width];

    logic unused_lane;
    assign unused_lane = ^{lane, next_lane};

    assign first_packet_o[p*PacketBits+:PacketBits] =
        next_waits ? waiting_first_packet[p*PacketBits+:PacketBits]
                   : {first[NumberBits-1:0], next_lane[PieceAt+:PieceBits]};
    assign own_packet_o[p*PacketBits+:PacketBits] =
        waits ? waiting_own_packet[p*PacketBits+:PacketBits]
              : {number_q[NumberBits-1:0], lane[PieceAt+:PieceBits]};
    // A single word is number 0, whenever it comes.
    logic [NumberBits-1:0] delivered;
    assign delivered = on_line && lane[LimitAt+:NumberBits+1] == (NumberBits + 1)'(1) ? '0 : number_q[NumberBits-1:0];
    assign deliver_packet_o[p*PacketBits+:PacketBits] =
        waits ? waiting_deliver_packet[p*PacketBits+:PacketBits] : {delivered, lane[PieceAt+:PieceBits]};
  end
  assign first_valid_o = first_valid;
  assign deliver_add_o = to_root;
  // Ports without a lane read no operation and no place, tiles with one wiring do not choose.
  logic unused_lanes;
  assign unused_lanes = ^{operations, places_i, root_i, next_wiring};

  gsm_context_router #(
      .Ports    (Ports),
      .Wirings  (Wirings),
      .Width    (Width),
      .Operation(Operation),
      .Ripple   (Ripple),
      .Cross    (Cross),
      .Join     (Join),
      .Flag     (Flag),
      .Apart    (1'b1),
      .Ends     (End != '0)
  ) u_router (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .wiring_i      (wiring),
      .feed_i        (Feed),
      // The mask: no register takes a word of the round that ends.
      .first_i       (!busy_o || last_o || collects != '0),
      .first_valid_i (first_valid),
      .first_data_i  (first_data_i),
      .take_i        (take),
      .inject_valid_i(inject_valid),
      .inject_data_i (inject_data),
      .cross_i       (crosses),
      .join_i        (joins),
      .end_i         (ends),
      .flag_i        (flags),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .taken_valid_o (taken_valid),
      .taken_data_o  (taken_data),
      .out_valid_o   (out_valid_o),
      .out_data_o    (out_data_o)
  );

  `GSM_PARAMETER(ContextsLegal_A, Contexts >= 1 && Runs >= 1, "Contexts and Runs must be at least 1")
  `GSM_PARAMETER(BitsLegal_A, StepBits >= 1 && NumberBits >= 1 && PieceBits >= 1 && 2 ** LaneBits > Ports,
                 "StepBits, NumberBits, PieceBits must be at least 1, LaneBits hold Ports")
  `GSM_PARAMETER(SlotsLegal_A, Slots >= 0 && MemoryRows >= 1, "Slots must be at least 0, MemoryRows at least 1")
  `GSM_ASSERT(StartWhenReady_A, !start_i || !busy_o || last_o, "start_i before the last step of a round")
  `GSM_ASSERT(ContextExists_A, !start_i || 32'(context_i) < Contexts, "context_i is no context")
  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a word leaves outside a round")

endmodule

`default_nettype wire
