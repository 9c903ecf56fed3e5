// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The tile of the queued machine: a prefix, steps of packets, or a prefix and then packets.
//
// "prefix"    Ranks and sums: one gsm_prefix_unit per class.
// "line"      All broadcasts of a line or ring at once: one gsm_line_stage per direction.
// "classes"   Packing, monotone routing, partial broadcast: a prefix ranks the packets, then one
//             gsm_class_unit per class moves them.
// "ranked"    The same without a prefix: ranks are an input.
// "exchange"  Each active node of a 2-D network has a packet for every other one (gsm_exchange_unit). A
//             prefix counts the active nodes of row and column; packets take the emptier dimension first.
// "gather"    Each node has a packet for every active one. The gatherer sent its sums along with its
//             request, so the first dimension is an input.
//
// A step is a cycle. start_i in cycle t makes cycle t+1 the first step. The first step of the packets
// follows the last step of the prefix. In each step at most one class uses a dimension, so one register
// per link is enough. A link carries a message of the prefix as a count and above it a total. It carries a
// packet as its data and above them: the links left ("line"); key and links left ("classes", "ranked");
// the destination, y above x, and whether x comes first ("exchange", "gather").
module gsm_queued_node #(
    // The configuration. At most eight letters: yosys 0.23 does not support `string`.
    parameter logic [8*8-1:0] Router = "prefix",
    // Ports, two for each dimension: 2..16, even; "line" 2, "exchange" and "gather" 4.
    parameter int Ports = 4,
    // Data bits of a packet, or of a part of one, 1 or more; "prefix": CountBits.
    parameter int Width = 32,
    // Steps of packets, 1..2^30.
    parameter int Steps = 1,
    // Capacity in packets or parts: of a stage ("line"), of a class ("classes", "ranked"), of each of the
    // two FIFOs of an out-port ("exchange", "gather").
    parameter int Entries = 1,
    // The prefix: steps, 1..2^30; bits of a count, 1..32; classes; phases per class; steps per phase. With
    // Deal the first class ranks all packets and deals them to the other classes, rank modulo their number;
    // these begin after the last step of the first class.
    parameter int PrefixSteps = 1,
    parameter int CountBits = Router == "prefix" ? Width : 4,
    parameter int PrefixClasses = Router == "exchange" || Router == "gather" ? 2 : 1,
    parameter int PrefixPhases = 1,
    parameter int PrefixPhaseSteps = 1,
    parameter bit Deal = 1'b0,
    // By class*PrefixPhases + phase: its first step, 32 bits each; 0 tree forward, 1 tree backward, 2
    // two-way, 3 sum along the line; its dimension; the digit that this is in the class's order of nodes.
    parameter logic [PrefixClasses*PrefixPhases*32-1:0] PrefixStart = {PrefixClasses * PrefixPhases{32'd1}},
    parameter logic [PrefixClasses*PrefixPhases*2-1:0] PrefixKind = '0,
    parameter logic [PrefixClasses*PrefixPhases*3-1:0] PrefixDimension = '0,
    parameter logic [PrefixClasses*PrefixPhases*3-1:0] PrefixLevel = '0,
    // Line, classes: bits of a number of links, 1..16.
    parameter int HopBits = 1,
    // Line, exchange: own packets, 1 or more.
    parameter int Own = 1,
    // Line: bit p: port p leads to a neighbour, port 0 to the previous node, port 1 to the next one. Bits
    // p*16 +: 16: number of own packets that leave by port p. List of these packets in order: number of the
    // packet, then the links that it crosses.
    parameter logic [1:0] Linked = 2'b11,
    parameter logic [2*16-1:0] ListLength = '0,
    localparam int NumberBits = Own > 1 ? $clog2(Own) : 1,
    localparam int EntryBits = NumberBits + HopBits,
    parameter logic [2*Entries*EntryBits-1:0] List = '0,
    // Classes: nodes per line or ring, 2 or more; 1: rings.
    parameter int Side = 2,
    parameter bit Torus = 1'b1,
    // Classes, 1 or more; parts that a packet of a class consists of, 1 or 2; 1: every class has a part of
    // each packet, 0: a packet belongs to one class; packets per class in the whole network; bits of a key,
    // 1..16.
    parameter int Classes = 1,
    parameter int Halves = 1,
    parameter bit Split = 1'b1,
    parameter int Ranks = 1,
    parameter int KeyBits = 1,
    // Phases per class, 1 or more. By phase: first and last step, 32 bits each; it broadcasts; a later
    // phase sends on its arrivals; packets take the shorter direction around the ring; alternate_i and
    // hops_i of gsm_class_unit.
    parameter int Phases = 1,
    parameter logic [Phases*32-1:0] PhaseStart = {Phases{32'd1}},
    parameter logic [Phases*32-1:0] PhaseLast = {Phases{32'd1}},
    parameter logic [Phases-1:0] PhaseBroadcast = '0,
    parameter logic [Phases-1:0] PhaseKeep = '0,
    parameter logic [Phases-1:0] PhaseWrap = '0,
    parameter logic [Phases-1:0] PhaseAlternate = '0,
    parameter logic [Phases*2*HopBits-1:0] PhaseHops = '0,
    // By class*Phases + phase: dimension. By class*Phases + phase and rank: the coordinate to which a phase
    // without a broadcast moves the packet, GoalBits each.
    parameter logic [Classes*Phases*3-1:0] PhaseDimension = '0,
    parameter int GoalBits = 1,
    parameter logic [Classes*Phases*Ranks*GoalBits-1:0] Goal = '0,
    // Exchange: bits of a coordinate, 1..16; bit i: own packet i exists; its destination, y above x.
    // "exchange", 1: if both sums are equal, packets with x + y even take x first.
    parameter int CoordinateBits = 1,
    parameter logic [Own-1:0] Listed = {Own{1'b1}},
    parameter logic [Own*2*CoordinateBits-1:0] To = '0,
    parameter bit Balanced = 1'b0,
    // Follow from the others. Own words: the packets or parts; then, with a prefix, flags: the node is
    // active, and in "gather" one bit per packet, which takes x first.
    localparam bit ByClass = Router == "classes" || Router == "ranked",
    localparam bit Personal = Router == "exchange" || Router == "gather",
    localparam bit Prefix = Router != "line" && Router != "ranked",
    localparam int Parts = Router == "prefix" ? 0 : ByClass ? (Split ? Classes * Halves : Halves) : Own,
    localparam int Flags = Router == "prefix" ? Width : Router == "gather" ? Own + 1 : Prefix ? 1 : 0,
    localparam int OwnWords = Parts + (Flags + Width - 1) / Width,
    localparam int PlaceBits =
        Prefix ? PrefixClasses * PrefixPhases * 6 : Router == "ranked" ? Classes * 17 : 1,
    localparam int ToBits = 2 * CoordinateBits,
    localparam int MessageBits = 2 * CountBits,
    localparam int LinkBits = Router == "prefix" ? MessageBits :
        Width + (ByClass ? KeyBits + HopBits : Personal ? ToBits + 1 : HopBits),
    localparam int Delivers = Router == "prefix" ? PrefixClasses : Personal ? Ports + 1 :
        ByClass && PhaseBroadcast == '0 ? 1 : Ports,
    localparam int DeliverBits = Router == "prefix" ? MessageBits :
        Width + (ByClass ? KeyBits : Personal ? MessageBits : 0)
) (
    // Clock, rising edge.
    input  logic                                   clk_i,
    // Asynchronous reset, active low.
    input  logic                                   rst_ni,
    // Synchronous clear: ends the round, empties the tile, lowers error_o.
    input  logic                                   clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                                   start_i,
    // Constant: the node's coordinates, 16 bits per dimension; ignored in "prefix" and "line".
    input  logic [                 Ports/2*16-1:0] coordinates_i,
    // Constant. With a prefix, by class*PrefixPhases + phase, from bit 0 on: first_i, last_i, below_i,
    // above_i, root_level_i and on_tree_i of gsm_prefix_unit. "ranked": by class, the rank of the node's
    // packet, 16 bits, and above it whether there is such a packet.
    input  logic [                  PlaceBits-1:0] place_i,
    // "prefix": the node's count, taken with start_i. Otherwise its own words, stable during the round.
    input  logic [             OwnWords*Width-1:0] own_data_i,
    // Links.
    input  logic [                      Ports-1:0] in_valid_i,
    input  logic [             Ports*LinkBits-1:0] in_data_i,
    output logic [                      Ports-1:0] out_valid_o,
    output logic [             Ports*LinkBits-1:0] out_data_o,
    // "prefix": by class, in the cycle of done_o, the number of packets at lower nodes and above it the
    // total. "line": by in-port, every arrival. "classes", "ranked": if a phase broadcasts, by in-port, data
    // and key of its arrivals; otherwise, in the cycle of done_o, those of the packet of class 0 at this
    // node. "exchange", "gather": by in-port, the data of packets for this node; and as a last delivery,
    // above zero data in the first cycle of packets, the sum of the row and above it that of the column.
    output logic [                   Delivers-1:0] deliver_valid_o,
    output logic [       Delivers*DeliverBits-1:0] deliver_data_o,
    // This is the cycle of a step.
    output logic                                   busy_o,
    // It is the last.
    output logic                                   last_o,
    // The cycle after the last step.
    output logic                                   done_o,
    // Since the last clear, reset or start a packet was lost, or a message of the prefix is missing. Without
    // it ranks and sums are invalid, and the node sends none of the packets that depend on them.
    output logic                                   error_o
);

  // The prefix. Wires and functions, no processes: Icarus 11 never settles on some that loop over vectors.
  logic prefix_busy;
  logic prefix_last;
  logic prefix_done;
  logic [Ports-1:0] prefix_valid;
  logic [Ports*MessageBits-1:0] prefix_data;
  // By class, packets at lower nodes and above them the total: valid from prefix_done on; one cycle earlier.
  logic [PrefixClasses*MessageBits-1:0] counts;
  logic [PrefixClasses*MessageBits-1:0] next_counts;
  // A message is missing, so these counts are invalid: at the same times.
  logic missing;
  logic next_missing;
  if (Prefix) begin : gen_prefix
    localparam int StepWidth = $clog2(PrefixSteps + 1);
    // The next edge begins step + 1.
    logic [StepWidth-1:0] step;
    logic active;
    assign active = (start_i || prefix_busy) && !prefix_last;
    gsm_round #(
        .StepWidth(StepWidth)
    ) u_round (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .clear_i(clear_i),
        .start_i(start_i),
        .steps_i(StepWidth'(PrefixSteps)),
        .step_o (step),
        .busy_o (prefix_busy),
        .last_o (prefix_last),
        .done_o (prefix_done)
    );

    // Packets of the node.
    logic [CountBits-1:0] count;
    if (Router == "prefix") assign count = own_data_i;
    else assign count = CountBits'(own_data_i[Parts*Width]);

    // The one element that is not 0: of phases, of messages by class, of messages by dimension.
    function automatic logic [10:0] any_phase(input logic [PrefixPhases*11-1:0] phases);
      any_phase = '0;
      for (int i = 0; i < PrefixPhases; i++) any_phase = any_phase | phases[i*11+:11];
    endfunction
    function automatic logic [MessageBits-1:0] any_class(
        input logic [PrefixClasses*MessageBits-1:0] messages);
      any_class = '0;
      for (int c = 0; c < PrefixClasses; c++) any_class = any_class | messages[c*MessageBits+:MessageBits];
    endfunction
    function automatic logic [MessageBits-1:0] any_port(input logic [Ports/2*MessageBits-1:0] messages);
      any_port = '0;
      for (int i = 0; i < Ports / 2; i++) any_port = any_port | messages[i*MessageBits+:MessageBits];
    endfunction

    // By class: the registers of its unit; by class and dimension: the class uses the dimension now.
    logic [PrefixClasses-1:0] up_valid;
    logic [PrefixClasses*MessageBits-1:0] up_message;
    logic [PrefixClasses-1:0] down_valid;
    logic [PrefixClasses*MessageBits-1:0] down_message;
    logic [PrefixClasses*Ports/2-1:0] along;
    logic [PrefixClasses-1:0] lost;
    logic [PrefixClasses-1:0] next_lost;
    assign missing = lost != '0;
    assign next_missing = next_lost != '0;

    for (genvar c = 0; c < PrefixClasses; c++) begin : gen_class
      // By phase: it begins at the coming edge; it runs in this cycle; this is its last step. Later
      // arrivals along its dimension belong to another class.
      logic [PrefixPhases-1:0] begins;
      logic [PrefixPhases-1:0] runs_q;
      logic [PrefixPhases-1:0] ends;
      // Of the phase that begins: kind, digit, and place of the node on its line.
      logic [PrefixPhases*11-1:0] phases;
      logic [1:0] kind;
      logic [2:0] level;
      logic [5:0] place;
      for (genvar i = 0; i < PrefixPhases; i++) begin : gen_phase
        localparam logic [31:0] First = PrefixStart[(c*PrefixPhases+i)*32+:32];
        assign begins[i] = active && step == StepWidth'(First - 32'd1);
        assign ends[i] = step == StepWidth'(First + 32'(PrefixPhaseSteps) - 32'd1);
        assign phases[i*11+:11] = {11{begins[i]}} & {
          place_i[(c*PrefixPhases+i)*6+:6],
          PrefixLevel[(c*PrefixPhases+i)*3+:3],
          PrefixKind[(c*PrefixPhases+i)*2+:2]
        };
      end
      assign {place, level, kind} = any_phase(phases);
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) runs_q <= '0;
        else if (clear_i) runs_q <= '0;
        else runs_q <= begins | (runs_q & ~ends);
      end

      // Arrivals along the dimension of the phase that runs.
      logic [Ports/2-1:0] up_in;
      logic [Ports/2-1:0] down_in;
      logic [Ports/2*MessageBits-1:0] up_messages;
      logic [Ports/2*MessageBits-1:0] down_messages;
      for (genvar i = 0; i < Ports / 2; i++) begin : gen_dimension
        logic [PrefixPhases-1:0] mine;
        logic here;
        for (genvar j = 0; j < PrefixPhases; j++) begin : gen_phase
          assign mine[j] = runs_q[j] && PrefixDimension[(c*PrefixPhases+j)*3+:3] == 3'(i);
        end
        assign here = mine != '0;
        assign along[c*Ports/2+i] = here;
        assign up_in[i] = here && in_valid_i[2*i];
        assign down_in[i] = here && in_valid_i[2*i+1];
        assign up_messages[i*MessageBits+:MessageBits] =
            {MessageBits{here}} & in_data_i[2*i*LinkBits+:MessageBits];
        assign down_messages[i*MessageBits+:MessageBits] =
            {MessageBits{here}} & in_data_i[(2*i+1)*LinkBits+:MessageBits];
      end
      // A class that packets are dealt to starts with its first phase.
      logic starts;
      logic [CountBits-1:0] own;
      logic own_lost;
      if (Deal && c > 0) begin : gen_dealt
        assign starts = begins[0];
        assign own_lost = next_lost[0];
        assign own = 32'(next_counts[CountBits-1:0]) % (PrefixClasses - 1) == c - 1 ? count : '0;
      end else begin : gen_all
        assign starts = start_i;
        assign own = count;
        assign own_lost = 1'b0;
      end

      logic [MessageBits-1:0] up;
      logic [MessageBits-1:0] down;
      assign up = any_port(up_messages);
      assign down = any_port(down_messages);

      gsm_prefix_unit #(
          .Levels   (Ports / 2),
          .CountBits(CountBits)
      ) u_unit (
          .clk_i         (clk_i),
          .rst_ni        (rst_ni),
          .clear_i       (clear_i),
          .start_i       (starts),
          .own_i         (own),
          .lost_i        (own_lost),
          .begin_i       (begins != '0),
          .kind_i        (kind),
          .first_i       (place[0]),
          .last_i        (place[1]),
          .below_i       (place[2]),
          .above_i       (place[3]),
          .level_i       (level),
          .root_level_i  (place[4]),
          .on_tree_i     (place[5]),
          .up_valid_i    (up_in != '0),
          .up_count_i    (up[CountBits-1:0]),
          .down_valid_i  (down_in != '0),
          .down_count_i  (down[CountBits-1:0]),
          .down_total_i  (down[MessageBits-1:CountBits]),
          .up_valid_o    (up_valid[c]),
          .up_count_o    (up_message[c*MessageBits+:CountBits]),
          .down_valid_o  (down_valid[c]),
          .down_count_o  (down_message[c*MessageBits+:CountBits]),
          .down_total_o  (down_message[c*MessageBits+CountBits+:CountBits]),
          .before_o      (counts[c*MessageBits+:CountBits]),
          .total_o       (counts[c*MessageBits+CountBits+:CountBits]),
          .next_before_o (next_counts[c*MessageBits+:CountBits]),
          .next_total_o  (next_counts[c*MessageBits+CountBits+:CountBits]),
          .missing_o     (lost[c]),
          .next_missing_o(next_lost[c])
      );
      // A message upwards has no total.
      assign up_message[c*MessageBits+CountBits+:CountBits] = '0;
      logic unused_total;
      assign unused_total = ^up[MessageBits-1:CountBits];
    end

    // At most one class uses a link.
    for (genvar p = 0; p < Ports; p++) begin : gen_out_port
      logic [PrefixClasses-1:0] valid;
      logic [PrefixClasses*MessageBits-1:0] messages;
      for (genvar c = 0; c < PrefixClasses; c++) begin : gen_class
        logic mine;
        assign mine = along[c*Ports/2+p/2];
        assign valid[c] = mine && (p % 2 == 1 ? up_valid[c] : down_valid[c]);
        assign messages[c*MessageBits+:MessageBits] = {MessageBits{mine}} &
            (p % 2 == 1 ? up_message[c*MessageBits+:MessageBits] : down_message[c*MessageBits+:MessageBits]);
      end
      assign prefix_valid[p] = valid != '0 && prefix_busy;
      assign prefix_data[p*MessageBits+:MessageBits] = any_class(messages);
    end
  end else begin : gen_no_prefix
    assign prefix_busy = 1'b0;
    assign prefix_last = 1'b0;
    assign prefix_done = 1'b0;
    assign prefix_valid = '0;
    assign prefix_data = '0;
    assign counts = '0;
    assign next_counts = '0;
    assign missing = 1'b0;
    assign next_missing = 1'b0;
  end

  // The steps of packets; the next edge begins step + 1.
  localparam int StepWidth = $clog2(Steps + 1);
  logic start;
  logic [StepWidth-1:0] step;
  logic packets_busy;
  logic packets_last;
  logic active;
  assign start = Prefix ? prefix_last : start_i;
  assign active = (start || packets_busy) && !packets_last;
  // Packets on the links; a packet is lost or a message is missing.
  logic [Ports-1:0] packet_valid;
  logic [Ports*LinkBits-1:0] packet_data;
  logic fault;
  if (Router == "prefix") begin : gen_no_packets
    assign step = '0;
    assign packets_busy = 1'b0;
    assign packets_last = 1'b0;
    assign busy_o = prefix_busy;
    assign last_o = prefix_last;
    assign done_o = prefix_done;
    assign packet_valid = '0;
    assign packet_data = '0;
    assign fault = done_o && missing;
    assign deliver_valid_o = {PrefixClasses{done_o}};
    assign deliver_data_o = counts;
  end else begin : gen_packets
    gsm_round #(
        .StepWidth(StepWidth)
    ) u_round (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .clear_i(clear_i),
        .start_i(start),
        .steps_i(StepWidth'(Steps)),
        .step_o (step),
        .busy_o (packets_busy),
        .last_o (packets_last),
        .done_o (done_o)
    );
    assign busy_o = prefix_busy || packets_busy;
    assign last_o = packets_last;
  end

  if (Router == "line") begin : gen_line
    // The one part that is not 0.
    function automatic logic [Width-1:0] any_part(input logic [Own*Width-1:0] words);
      any_part = '0;
      for (int c = 0; c < Own; c++) any_part = any_part | words[c*Width+:Width];
    endfunction
    logic [1:0] overflow;
    assign fault = overflow != '0;
    for (genvar p = 0; p < 2; p++) begin : gen_port
      assign deliver_valid_o[p] = in_valid_i[p];
      assign deliver_data_o[p*Width+:Width] = in_data_i[p*LinkBits+:Width];

      if (!Linked[p]) begin : gen_border
        assign packet_valid[p] = 1'b0;
        assign packet_data[p*LinkBits+:LinkBits] = '0;
        assign overflow[p] = 1'b0;
      end else begin : gen_stage
        // In cycle t + i the i-th own packet joins the queue, if there is one: number and links.
        localparam int Length = 32'(ListLength[p*16+:16]);
        function automatic logic [EntryBits:0] named(input logic [StepWidth-1:0] number);
          named = '0;
          for (int i = 0; i < Entries; i++) begin
            if (32'(number) == i) named = {i < Length, List[(p*Entries+i)*EntryBits+:EntryBits]};
          end
        endfunction
        logic own_listed;
        logic [EntryBits-1:0] entry;
        assign {own_listed, entry} = named(step);
        logic [Own*Width-1:0] parts;
        for (genvar c = 0; c < Own; c++) begin : gen_part
          assign parts[c*Width+:Width] = entry[NumberBits-1:0] == NumberBits'(c) ?
                                         own_data_i[c*Width+:Width] : '0;
        end

        // A stage receives from the opposite port.
        gsm_line_stage #(
            .Width  (Width),
            .HopBits(HopBits),
            .Entries(Entries)
        ) u_stage (
            .clk_i      (clk_i),
            .rst_ni     (rst_ni),
            .clear_i    (clear_i || !active),
            .active_i   (active),
            .begin_i    (start_i),
            .own_valid_i(active && own_listed),
            .own_data_i (any_part(parts)),
            .own_hops_i (entry[NumberBits+:HopBits]),
            .in_valid_i (in_valid_i[1-p]),
            .in_data_i  (in_data_i[(1-p)*LinkBits+:Width]),
            .in_hops_i  (in_data_i[(1-p)*LinkBits+Width+:HopBits]),
            .valid_o    (packet_valid[p]),
            .data_o     (packet_data[p*LinkBits+:Width]),
            .hops_o     (packet_data[p*LinkBits+Width+:HopBits]),
            .overflow_o (overflow[p])
        );
      end
    end
  end else if (ByClass) begin : gen_by_class
    localparam int Dimensions = Ports / 2;

    // By class: the node has a packet of it, with this rank.
    logic [Classes-1:0] member;
    logic [Classes*KeyBits-1:0] rank;
    for (genvar c = 0; c < Classes; c++) begin : gen_member
      if (Prefix) begin : gen_counted
        localparam int From = Deal ? c + 1 : c;
        assign rank[c*KeyBits+:KeyBits] = KeyBits'(next_counts[From*MessageBits+:CountBits]);
        assign member[c] = own_data_i[Parts*Width] && !next_missing &&
            (Split || 32'(next_counts[CountBits-1:0]) % Classes == c);
      end else begin : gen_told
        assign rank[c*KeyBits+:KeyBits] = KeyBits'(place_i[c*17+:16]);
        assign member[c] = place_i[c*17+16];
      end
    end

    // By phase: the coming step is its first; it is one of its steps; this one is.
    logic [Phases-1:0] begins;
    logic [Phases-1:0] comes;
    logic [Phases-1:0] runs;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) runs <= '0;
      else if (clear_i) runs <= '0;
      else runs <= comes;
    end
    // The half that moves in the coming step; hops_i of the phase.
    logic [Phases-1:0] halves;
    logic [Phases*2*HopBits-1:0] hops_of;
    for (genvar i = 0; i < Phases; i++) begin : gen_phase
      localparam logic [31:0] First = PhaseStart[i*32+:32];
      localparam logic [31:0] Last = PhaseLast[i*32+:32];
      assign begins[i] = active && 32'(step) + 32'd1 == First;
      assign comes[i] = active && 32'(step) + 32'd1 >= First && 32'(step) + 32'd1 <= Last;
      assign halves[i] = comes[i] && (step[0] == First[0]);
      assign hops_of[i*2*HopBits+:2*HopBits] = {2 * HopBits{comes[i]}} & PhaseHops[i*2*HopBits+:2*HopBits];
    end
    // By class: bit r: the packet of rank r has to go downwards; bit Ranks + r: upwards. At most one phase
    // moves packets at a time.
    function automatic logic [Classes*2*Ranks-1:0] ways_of(input logic [Phases-1:0] moving,
                                                           input logic [Ports/2*16-1:0] coordinates);
      logic [15:0] at;
      logic [15:0] to;
      logic [15:0] way;
      logic up;
      ways_of = '0;
      for (int c = 0; c < Classes; c++) begin
        for (int j = 0; j < Phases; j++) begin
          if (moving[j]) begin
            at = coordinates[PhaseDimension[(c*Phases+j)*3+:3]*16+:16];
            for (int r = 0; r < Ranks; r++) begin
              to  = 16'(Goal[((c*Phases+j)*Ranks+r)*GoalBits+:GoalBits]);
              way = to >= at ? to - at : to - at + 16'(Side);
              up  = PhaseWrap[j] ? way <= 16'(Side / 2) : to > at;
              ways_of[c*2*Ranks+r]       = to != at && !up;
              ways_of[c*2*Ranks+Ranks+r] = to != at && up;
            end
          end
        end
      end
    endfunction
    // The one element that is not 0: of hops_i by phase, of words by dimension, of words by class.
    function automatic logic [2*HopBits-1:0] any_hops(input logic [Phases*2*HopBits-1:0] all);
      any_hops = '0;
      for (int i = 0; i < Phases; i++) any_hops = any_hops | all[i*2*HopBits+:2*HopBits];
    endfunction
    function automatic logic [LinkBits-1:0] any_of_dimensions(input logic [Dimensions*LinkBits-1:0] all);
      any_of_dimensions = '0;
      for (int i = 0; i < Dimensions; i++) any_of_dimensions = any_of_dimensions | all[i*LinkBits+:LinkBits];
    endfunction
    function automatic logic [LinkBits-1:0] any_of_classes(input logic [Classes*LinkBits-1:0] all);
      any_of_classes = '0;
      for (int c = 0; c < Classes; c++) any_of_classes = any_of_classes | all[c*LinkBits+:LinkBits];
    endfunction

    // In the coming step.
    logic [Classes*2*Ranks-1:0] ways;
    assign ways = ways_of(comes & ~PhaseBroadcast, coordinates_i);

    logic [Classes-1:0] class_fault;
    assign fault = class_fault != '0 || start && next_missing;
    logic [Classes*2-1:0] valid;
    logic [Classes*2*LinkBits-1:0] data;
    // By class and dimension: the class uses the dimension in this step.
    logic [Classes*Dimensions-1:0] along;
    logic [Classes-1:0] held_valid;
    logic [Classes*DeliverBits-1:0] held;
    for (genvar c = 0; c < Classes; c++) begin : gen_class
      // By dimension: the class uses it in the coming step; a link leads on; arrivals.
      logic [Dimensions-1:0] next;
      logic [Dimensions-1:0] lower;
      logic [Dimensions-1:0] upper;
      logic [Dimensions-1:0] downs;
      logic [Dimensions-1:0] ups;
      logic [Dimensions*LinkBits-1:0] down_words;
      logic [Dimensions*LinkBits-1:0] up_words;
      for (genvar i = 0; i < Dimensions; i++) begin : gen_dimension
        logic [Phases-1:0] mine;
        logic here;
        for (genvar j = 0; j < Phases; j++) begin : gen_phase
          assign mine[j] = PhaseDimension[(c*Phases+j)*3+:3] == 3'(i);
        end
        assign next[i]  = (comes & mine) != '0;
        assign lower[i] = Torus || coordinates_i[i*16+:16] != 16'd0;
        assign upper[i] = Torus || coordinates_i[i*16+:16] != 16'(Side - 1);
        assign here = (runs & mine) != '0;
        assign along[c*Dimensions+i] = here;
        assign downs[i] = here && in_valid_i[2*i+1];
        assign ups[i] = here && in_valid_i[2*i];
        assign down_words[i*LinkBits+:LinkBits] = {LinkBits{here}} & in_data_i[(2*i+1)*LinkBits+:LinkBits];
        assign up_words[i*LinkBits+:LinkBits] = {LinkBits{here}} & in_data_i[2*i*LinkBits+:LinkBits];
      end
      logic [LinkBits-1:0] down_word;
      logic [LinkBits-1:0] up_word;
      assign down_word = any_of_dimensions(down_words);
      assign up_word   = any_of_dimensions(up_words);

      localparam int FirstPart = Split ? c * Halves : 0;
      logic [31:0] unused_waiting;
      gsm_class_unit #(
          .Width    (Width),
          .KeyBits  (KeyBits),
          .HopBits  (HopBits),
          .Ranks    (Ranks),
          .Entries  (Entries),
          .Alternate(PhaseAlternate != '0)
      ) u_unit (
          .clk_i       (clk_i),
          .rst_ni      (rst_ni),
          .clear_i     (clear_i),
          .load_i      (start),
          .load_valid_i({member[c] && Halves == 2, member[c]}),
          .load_key_i  (KeyBits'(Halves * 32'(rank[c*KeyBits+:KeyBits]))),
          .load_data_i ((2 * Width)'(own_data_i[FirstPart*Width+:Halves*Width])),
          .active_i    (comes != '0),
          .begin_i     (begins != '0),
          .broadcast_i ((comes & PhaseBroadcast) != '0),
          .keep_i      ((comes & PhaseKeep) != '0),
          .halves_i    (Halves == 2),
          .half_i      (halves != '0),
          .linked_i    ({(next & upper) != '0, (next & lower) != '0}),
          .wants_i     (ways[c*2*Ranks+:2*Ranks]),
          .hops_i      (any_hops(hops_of)),
          .alternate_i ((comes & PhaseAlternate) != '0),
          .in_valid_i  ({ups != '0, downs != '0}),
          .in_data_i   ({up_word[Width-1:0], down_word[Width-1:0]}),
          .in_key_i    ({up_word[Width+:KeyBits], down_word[Width+:KeyBits]}),
          .in_hops_i   ({up_word[Width+KeyBits+:HopBits], down_word[Width+KeyBits+:HopBits]}),
          .out_valid_o (valid[c*2+:2]),
          .out_data_o  ({data[(c*2+1)*LinkBits+:Width], data[c*2*LinkBits+:Width]}),
          .out_key_o   ({data[(c*2+1)*LinkBits+Width+:KeyBits], data[c*2*LinkBits+Width+:KeyBits]}),
          .out_hops_o  ({
            data[(c*2+1)*LinkBits+Width+KeyBits+:HopBits], data[c*2*LinkBits+Width+KeyBits+:HopBits]
          }),
          .held_valid_o(held_valid[c]),
          .held_data_o (held[c*DeliverBits+:Width]),
          .held_key_o  (held[c*DeliverBits+Width+:KeyBits]),
          .waiting_o   (unused_waiting),
          .fault_o     (class_fault[c])
      );
    end

    // At most one class uses a link.
    for (genvar p = 0; p < Ports; p++) begin : gen_out_port
      logic [Classes-1:0] mine;
      logic [Classes*LinkBits-1:0] words;
      for (genvar c = 0; c < Classes; c++) begin : gen_class
        assign mine[c] = along[c*Dimensions+p/2] && valid[c*2+p%2];
        assign words[c*LinkBits+:LinkBits] = {LinkBits{mine[c]}} & data[(c*2+p%2)*LinkBits+:LinkBits];
      end
      assign packet_valid[p] = mine != '0;
      assign packet_data[p*LinkBits+:LinkBits] = any_of_classes(words);
    end

    if (PhaseBroadcast != '0) begin : gen_copies
      for (genvar p = 0; p < Ports; p++) begin : gen_port
        logic [Classes-1:0] mine;
        for (genvar c = 0; c < Classes; c++) begin : gen_class
          logic [Phases-1:0] here;
          for (genvar j = 0; j < Phases; j++) begin : gen_phase
            assign here[j] =
                runs[j] && PhaseBroadcast[j] && PhaseDimension[(c*Phases+j)*3+:3] == 3'(p / 2);
          end
          assign mine[c] = here != '0;
        end
        assign deliver_valid_o[p] = in_valid_i[p] && mine != '0;
        assign deliver_data_o[p*DeliverBits+:DeliverBits] = in_data_i[p*LinkBits+:DeliverBits];
      end
    end else begin : gen_result
      assign deliver_valid_o = done_o && held_valid[0];
      assign deliver_data_o  = held[DeliverBits-1:0];
    end
    logic unused_held;
    assign unused_held = ^{held_valid, held};

    `GSM_ASSERT(OnePhase_A, (comes & (comes - 1'b1)) == '0, "two phases at once")
  end else if (Personal) begin : gen_personal
    // Totals of the row and of the column.
    logic [4*CountBits-1:0] sums;
    logic [CountBits-1:0] row;
    logic [CountBits-1:0] column;
    assign sums   = start ? next_counts : counts;
    assign row    = sums[2*CountBits-1:CountBits];
    assign column = sums[4*CountBits-1:3*CountBits];
    logic unused_before;
    assign unused_before = ^sums;

    logic [Own-1:0] x_first;
    for (genvar i = 0; i < Own; i++) begin : gen_own
      localparam logic Even = To[i*ToBits] == To[i*ToBits+CoordinateBits];
      if (Router == "gather") assign x_first[i] = own_data_i[Own*Width+1+i];
      else assign x_first[i] = Balanced && row == column ? Even : row <= column;
    end

    logic [Ports-1:0] in_x_first;
    logic [Ports*ToBits-1:0] in_to;
    logic [Ports*Width-1:0] in_data;
    logic [Ports-1:0] out_x_first;
    logic [Ports*ToBits-1:0] out_to;
    logic [Ports*Width-1:0] out_data;
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      assign {in_x_first[p], in_to[p*ToBits+:ToBits], in_data[p*Width+:Width]} =
          in_data_i[p*LinkBits+:LinkBits];
      assign packet_data[p*LinkBits+:LinkBits] =
          {out_x_first[p], out_to[p*ToBits+:ToBits], out_data[p*Width+:Width]};
      assign deliver_data_o[p*DeliverBits+:DeliverBits] = DeliverBits'(in_data[p*Width+:Width]);
    end
    assign deliver_valid_o[Ports] = prefix_done;
    assign deliver_data_o[Ports*DeliverBits+:DeliverBits] = {column, row, Width'(0)};

    logic [63:0] unused_waiting;
    logic overflow;
    assign fault = overflow || start && next_missing;
    gsm_exchange_unit #(
        .Width         (Width),
        .CoordinateBits(CoordinateBits),
        .Own           (Own),
        .Entries       (Entries)
    ) u_unit (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .clear_i        (clear_i),
        .load_i         (start),
        .load_valid_i   (Listed & {Own{Router == "gather" || own_data_i[Own*Width] && !next_missing}}),
        .own_x_first_i  (x_first),
        .own_to_i       (To),
        .own_data_i     (own_data_i[Own*Width-1:0]),
        .here_i         ({coordinates_i[16+:CoordinateBits], coordinates_i[0+:CoordinateBits]}),
        .active_i       (active),
        .in_valid_i     (in_valid_i & {Ports{packets_busy}}),
        .in_x_first_i   (in_x_first),
        .in_to_i        (in_to),
        .in_data_i      (in_data),
        .out_valid_o    (packet_valid),
        .out_x_first_o  (out_x_first),
        .out_to_o       (out_to),
        .out_data_o     (out_data),
        .deliver_valid_o(deliver_valid_o[Ports-1:0]),
        .waiting_o      (unused_waiting),
        .fault_o        (overflow)
    );
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    assign out_valid_o[p] = prefix_valid[p] || packet_valid[p];
    assign out_data_o[p*LinkBits+:LinkBits] = Router == "prefix" || prefix_busy ?
        LinkBits'(prefix_data[p*MessageBits+:MessageBits]) : packet_data[p*LinkBits+:LinkBits];
  end

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(fault),
      .error_o(error_o)
  );

  // Each configuration reads only some of these.
  logic unused;
  assign unused = ^{coordinates_i, place_i, own_data_i, in_data_i, prefix_last, prefix_done,
                    prefix_data, counts, next_counts, missing, next_missing, step, active};

  `GSM_PARAMETER(RouterLegal_A, Prefix ? ByClass || Personal || Router == "prefix" : ByClass || Router == "line",
                 "Router must be prefix, line, classes, ranked, exchange or gather")
  `GSM_PARAMETER(PortsLegal_A, Router == "line" ? Ports == 2 : Personal ? Ports == 4 : Ports % 2 == 0,
                 "Ports must be even, 2 of a line and 4 of an exchange")
  `GSM_PARAMETER(StepsLegal_A, Steps >= 1 && Steps <= 1073741824 && PrefixSteps >= 1 && PrefixSteps <= 1073741824,
                 "Steps must be 1..2^30")
  `GSM_PARAMETER(PhasesLegal_A, PrefixClasses >= (Deal ? 2 : 1) && PrefixPhases >= 1,
                 "PrefixClasses and PrefixPhases must be 1 or more, with Deal 2 classes or more")
  `GSM_PARAMETER(CountsFit_A, !Prefix || MessageBits <= LinkBits,
                 "a link is narrower than a message of the prefix: Width is too small")
  `GSM_PARAMETER(SideLegal_A, Side >= 2, "Side must be at least 2")
  `GSM_PARAMETER(HalvesLegal_A, Halves == 1 || Halves == 2, "Halves must be 1 or 2")
  `GSM_PARAMETER(OwnLegal_A, Own >= 1, "Own must be at least 1")
  `GSM_PARAMETER(EntriesLegal_A, Entries >= 1 && Entries <= 65535, "Entries must be 1..65535")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a packet leaves outside a round")

endmodule

`default_nettype wire
