// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of the queued discipline for packets that go by classes, each along another dimension:
// packing, monotone routing, and partial broadcasts. A prefix, then a packet unit for each class.
//
// A step is a cycle. start_i in cycle t makes cycle t+1 the first step of the prefix, which tells the
// node the ranks of its packet; behind its last step follow those of the packets, with no cycle between.
// Without a prefix ranks are told. Classes have the same phases at the same times, and no two the
// same dimension at once: a link is one register wide. On a link a packet's data has its key above
// it (gsm_class_unit), and above that the links that it has left; a prefix message has a count and above
// it a total.
module gsm_class_node #(
    // Ports, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a packet, or of a part of one, 1 or more.
    parameter int Width = 32,
    // Nodes of a line or ring, 2 or more; 1: they are rings.
    parameter int Side = 2,
    parameter bit Torus = 1'b1,
    // Classes, 1 or more; parts that a class's packet goes in, 1 or 2; 1: a packet is split into as many
    // parts as there are classes, 0: it belongs to one class.
    parameter int Classes = 1,
    parameter int Halves = 1,
    parameter bit Split = 1'b1,
    // Packets of a class in all nodes, 1 or more; parts that a node has room for, 1..4096.
    parameter int Ranks = 1,
    parameter int Entries = 1,
    // Bits of a key and of a number of links, 1..16.
    parameter int KeyBits = 1,
    parameter int HopBits = 1,
    // The prefix: its steps, or 0 for none, and what else gsm_prefix_round is told. With Deal its first
    // class deals packets to classes.
    parameter int PrefixSteps = 0,
    parameter int CountBits = 1,
    parameter int PrefixClasses = 1,
    parameter int PrefixPhases = 1,
    parameter bit Deal = 1'b0,
    parameter int PrefixPhaseSteps = 1,
    parameter logic [PrefixClasses*PrefixPhases*32-1:0] PrefixStart = {PrefixClasses * PrefixPhases{32'd1}},
    parameter logic [PrefixClasses*PrefixPhases*2-1:0] PrefixKind = '0,
    parameter logic [PrefixClasses*PrefixPhases*3-1:0] PrefixDimension = '0,
    parameter logic [PrefixClasses*PrefixPhases*3-1:0] PrefixLevel = '0,
    // Phases of a class, 1 or more, and steps of them all, 1..2^30.
    parameter int Phases = 1,
    parameter int Steps = 1,
    // By phase: first and last step, 32 bits each; it broadcasts; what arrives in it is sent on by a
    // later one; packets go the shorter way round; alternate and the links that own packets go downwards
    // and upwards, as gsm_class_unit has them.
    parameter logic [Phases*32-1:0] PhaseStart = {Phases{32'd1}},
    parameter logic [Phases*32-1:0] PhaseLast = {Phases{32'd1}},
    parameter logic [Phases-1:0] PhaseBroadcast = '0,
    parameter logic [Phases-1:0] PhaseKeep = '0,
    parameter logic [Phases-1:0] PhaseWrap = '0,
    parameter logic [Phases-1:0] PhaseAlternate = '0,
    parameter logic [Phases*2*HopBits-1:0] PhaseHops = '0,
    // By class*Phases + phase: its dimension, and for packets that it moves, by rank, the coordinate that
    // they go to in it, GoalBits each.
    parameter logic [Classes*Phases*3-1:0] PhaseDimension = '0,
    parameter int GoalBits = 1,
    parameter logic [Classes*Phases*Ranks*GoalBits-1:0] Goal = '0,
    // Own words: the parts of the own packet, then with a prefix a word with bit 0 set where there is one.
    // Leave both as they are.
    parameter int Parts = Split ? Classes * Halves : Halves,
    parameter int OwnWords = PrefixSteps > 0 ? Parts + 1 : Parts,
    // Deliveries: where there are broadcasts, one an in-port; else one.
    parameter int Delivers = PhaseBroadcast != '0 ? Ports : 1
) (
    // Clock, rising edge.
    input  logic                                clk_i,
    // Asynchronous reset, active low.
    input  logic                                rst_ni,
    // Synchronous clear: ends the round, empties the tile, lowers error_o.
    input  logic                                clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                                start_i,
    // Constant: the node's coordinates, 16 bits a dimension; its places on lines, as gsm_prefix_round has them;
    // without a prefix, by class, that it has a packet of it, and its rank, 16 bits each.
    input  logic [              Ports/2*16-1:0] coordinates_i,
    input  logic [PrefixClasses*PrefixPhases*6-1:0] place_i,
    input  logic [                 Classes-1:0] member_i,
    input  logic [              Classes*16-1:0] rank_i,
    // Own words; stable until the prefix is over.
    input  logic [          OwnWords*Width-1:0] own_data_i,
    // Links.
    input  logic [                   Ports-1:0] in_valid_i,
    input  logic [Ports*(Width+KeyBits+HopBits)-1:0] in_data_i,
    output logic [                   Ports-1:0] out_valid_o,
    output logic [Ports*(Width+KeyBits+HopBits)-1:0] out_data_o,
    // Data and key, by in-port what arrives in a broadcast; without broadcasts, in the cycle of done_o, what
    // the node of the first class has got.
    output logic [                Delivers-1:0] deliver_valid_o,
    output logic [Delivers*(Width+KeyBits)-1:0] deliver_data_o,
    // This is the cycle of a step.
    output logic                                busy_o,
    // It is the last.
    output logic                                last_o,
    // The cycle after the last step.
    output logic                                done_o,
    // A packet was lost since the last clear, reset or start, or a message of the prefix did not come:
    // then the node sends no packet of its own, for it does not know its rank.
    output logic                                error_o
);

  localparam int StepWidth = $clog2(Steps + 1);
  localparam int LinkBits = Width + KeyBits + HopBits;
  localparam int Dimensions = Ports / 2;

  // The prefix, and by class: the node has a packet of it, with this rank.
  logic start;
  logic prefix_busy;
  logic [Ports-1:0] prefix_valid;
  logic [Ports*LinkBits-1:0] prefix_data;
  logic [Classes-1:0] member;
  logic [Classes*KeyBits-1:0] rank;
  // With start: a message of the prefix did not come.
  logic missing;
  if (PrefixSteps > 0) begin : gen_prefix
    logic unused_done;
    logic unused_missing;
    logic [PrefixClasses*2*CountBits-1:0] unused_found;
    logic [PrefixClasses*2*CountBits-1:0] found;
    logic [Ports*2*CountBits-1:0] in_data;
    logic [Ports*2*CountBits-1:0] out_data;
    for (genvar p = 0; p < Ports; p++) begin : gen_port
      assign in_data[p*2*CountBits+:2*CountBits] = in_data_i[p*LinkBits+:2*CountBits];
      assign prefix_data[p*LinkBits+:LinkBits] = LinkBits'(out_data[p*2*CountBits+:2*CountBits]);
    end
    gsm_prefix_round #(
        .Ports         (Ports),
        .Width         (CountBits),
        .Classes       (PrefixClasses),
        .Phases        (PrefixPhases),
        .Deal          (Deal),
        .PhaseSteps    (PrefixPhaseSteps),
        .Steps         (PrefixSteps),
        .PhaseStart    (PrefixStart),
        .PhaseKind     (PrefixKind),
        .PhaseDimension(PrefixDimension),
        .PhaseLevel    (PrefixLevel)
    ) u_prefix (
        .clk_i       (clk_i),
        .rst_ni      (rst_ni),
        .clear_i     (clear_i),
        .start_i     (start_i),
        .place_i     (place_i),
        .own_data_i  (CountBits'(own_data_i[Parts*Width])),
        .in_valid_i  (in_valid_i & {Ports{prefix_busy}}),
        .in_data_i   (in_data),
        .out_valid_o (prefix_valid),
        .out_data_o  (out_data),
        .found_o     (unused_found),
        .next_found_o(found),
        .missing_o   (unused_missing),
        .next_missing_o(missing),
        .busy_o      (prefix_busy),
        .last_o      (start),
        .done_o      (unused_done)
    );
    for (genvar c = 0; c < Classes; c++) begin : gen_class
      localparam int From = Deal ? c + 1 : c;
      assign rank[c*KeyBits+:KeyBits] = KeyBits'(found[From*2*CountBits+:CountBits]);
      assign member[c] = own_data_i[Parts*Width] && !missing &&
          (Split || 32'(found[CountBits-1:0]) % Classes == c);
    end
    if (Width > 1) begin : gen_rest
      logic unused_own;
      assign unused_own = ^own_data_i[OwnWords*Width-1:Parts*Width+1];
    end
    logic unused_rest;
    assign unused_rest = ^{found, member_i, rank_i};
  end else begin : gen_ranked
    assign start = start_i;
    assign missing = 1'b0;
    assign prefix_busy = 1'b0;
    assign prefix_valid = '0;
    assign prefix_data = '0;
    assign member = member_i;
    logic unused_rest;
    assign unused_rest = ^{place_i, rank_i};
    for (genvar c = 0; c < Classes; c++) begin : gen_class
      assign rank[c*KeyBits+:KeyBits] = KeyBits'(rank_i[c*16+:16]);
    end
  end

  // The steps of packets: the next edge begins step + 1.
  logic [StepWidth-1:0] step;
  logic packets_busy;
  logic active;
  assign active = (start || packets_busy) && !last_o;
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
      .last_o (last_o),
      .done_o (done_o)
  );
  assign busy_o = prefix_busy || packets_busy;

  // By phase: the coming step is its first; it is one of its steps; this one is.
  logic [Phases-1:0] begins;
  logic [Phases-1:0] comes;
  logic [Phases-1:0] runs;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) runs <= '0;
    else if (clear_i) runs <= '0;
    else runs <= comes;
  end
  // The half whose turn it is in the coming step, and what the phase says.
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
  // By class, where the packet of each rank is to go: who goes downwards, and above that upwards, in a phase that
  // moves packets, of which at most one comes.
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
  // Of numbers of links, one at most is not 0.
  function automatic logic [2*HopBits-1:0] any_hops(input logic [Phases*2*HopBits-1:0] all);
    any_hops = '0;
    for (int i = 0; i < Phases; i++) any_hops = any_hops | all[i*2*HopBits+:2*HopBits];
  endfunction
  // Of what the ports have.
  function automatic logic [LinkBits-1:0] any_of_dimensions(input logic [Dimensions*LinkBits-1:0] all);
    any_of_dimensions = '0;
    for (int i = 0; i < Dimensions; i++) any_of_dimensions = any_of_dimensions | all[i*LinkBits+:LinkBits];
  endfunction
  // Of what the classes have.
  function automatic logic [LinkBits-1:0] any_of_classes(input logic [Classes*LinkBits-1:0] all);
    any_of_classes = '0;
    for (int c = 0; c < Classes; c++) any_of_classes = any_of_classes | all[c*LinkBits+:LinkBits];
  endfunction

  // In the coming step.
  logic [Classes*2*Ranks-1:0] ways;
  assign ways = ways_of(comes & ~PhaseBroadcast, coordinates_i);

  logic [Classes-1:0] fault;
  logic [Classes*2-1:0] valid;
  logic [Classes*2*LinkBits-1:0] data;
  // By class: it runs along dimension i in this step.
  logic [Classes*Dimensions-1:0] along;
  logic [Classes-1:0] held_valid;
  logic [Classes*(Width+KeyBits)-1:0] held;
  for (genvar c = 0; c < Classes; c++) begin : gen_class
    // By dimension: the coming step is along it. A link leads on from here.
    logic [Dimensions-1:0] next;
    logic [Dimensions-1:0] lower;
    logic [Dimensions-1:0] upper;
    logic [1:0] in_valid;
    logic [Dimensions*LinkBits-1:0] down_words;
    logic [Dimensions*LinkBits-1:0] up_words;
    for (genvar i = 0; i < Dimensions; i++) begin : gen_dimension
      logic [Phases-1:0] mine;
      for (genvar j = 0; j < Phases; j++) begin : gen_phase
        assign mine[j] = PhaseDimension[(c*Phases+j)*3+:3] == 3'(i);
      end
      assign next[i]  = (comes & mine) != '0;
      assign lower[i] = Torus || coordinates_i[i*16+:16] != 16'd0;
      assign upper[i] = Torus || coordinates_i[i*16+:16] != 16'(Side - 1);
      assign along[c*Dimensions+i] = (runs & mine) != '0;
      assign down_words[i*LinkBits+:LinkBits] =
          {LinkBits{along[c*Dimensions+i]}} & in_data_i[(2*i+1)*LinkBits+:LinkBits];
      assign up_words[i*LinkBits+:LinkBits] =
          {LinkBits{along[c*Dimensions+i]}} & in_data_i[2*i*LinkBits+:LinkBits];
    end
    logic [Dimensions-1:0] downs;
    logic [Dimensions-1:0] ups;
    for (genvar i = 0; i < Dimensions; i++) begin : gen_arrival
      assign downs[i] = along[c*Dimensions+i] && in_valid_i[2*i+1];
      assign ups[i]   = along[c*Dimensions+i] && in_valid_i[2*i];
    end
    assign in_valid = {ups != '0, downs != '0};
    logic [LinkBits-1:0] down_word;
    logic [LinkBits-1:0] up_word;
    assign down_word = any_of_dimensions(down_words);
    assign up_word   = any_of_dimensions(up_words);

    // The own packet, or the class's part of it.
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
        .in_valid_i  (in_valid),
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
        .held_data_o (held[c*(Width+KeyBits)+:Width]),
        .held_key_o  (held[c*(Width+KeyBits)+Width+:KeyBits]),
        .waiting_o   (unused_waiting),
        .fault_o     (fault[c])
    );
  end

  // At most one class is on a link.
  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    logic [Classes-1:0] mine;
    logic [Classes*LinkBits-1:0] words;
    for (genvar c = 0; c < Classes; c++) begin : gen_class
      assign mine[c] = along[c*Dimensions+p/2] && valid[c*2+p%2];
      assign words[c*LinkBits+:LinkBits] = {LinkBits{mine[c]}} & data[(c*2+p%2)*LinkBits+:LinkBits];
    end
    assign out_valid_o[p] = prefix_valid[p] || mine != '0;
    assign out_data_o[p*LinkBits+:LinkBits] =
        prefix_busy ? prefix_data[p*LinkBits+:LinkBits] : any_of_classes(words);
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
      assign deliver_data_o[p*(Width+KeyBits)+:Width+KeyBits] = in_data_i[p*LinkBits+:Width+KeyBits];
    end
    logic unused_held;
    assign unused_held = ^{held_valid, held};
  end else begin : gen_result
    assign deliver_valid_o = done_o && held_valid[0];
    assign deliver_data_o  = held[Width+KeyBits-1:0];
    if (Classes > 1) begin : gen_others
      logic unused_held;
      assign unused_held = ^{held_valid[Classes-1:1], held[Classes*(Width+KeyBits)-1:Width+KeyBits]};
    end
  end

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(fault != '0 || start && missing),
      .error_o(error_o)
  );

  `GSM_PARAMETER(StepsLegal_A, Steps >= 1 && Steps <= 1073741824, "Steps must be 1..2^30")
  `GSM_PARAMETER(SideLegal_A, Side >= 2, "Side must be at least 2")
  `GSM_PARAMETER(HalvesLegal_A, Halves == 1 || Halves == 2, "Halves must be 1 or 2")
  `GSM_PARAMETER(CountsFit_A, PrefixSteps == 0 || 2 * CountBits <= Width + KeyBits + HopBits,
                 "a link is narrower than a prefix message: Width is too small")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_ASSERT(OnePhase_A, (comes & (comes - 1'b1)) == '0, "two phases at once")
  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a packet leaves outside a round")

endmodule

`default_nettype wire
