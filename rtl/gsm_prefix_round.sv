// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A node's ranks and sums: a prefix unit for each class, and links of their messages.
//
// A step is a cycle. start_i in cycle t takes the node's count and makes cycle t+1 step 1. Classes see the
// dimensions in rotated orders, so that no two need a link at once: a link is one register wide. On a
// link a message is its count and above it a total.
//
// With Deal the first class counts all packets and so deals them to the others: a node belongs to the
// class, of Classes-1, that its rank says modulo their number, and only that one counts its packets. The
// others have to begin behind the first's last step.
module gsm_prefix_round #(
    // Ports, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Bits of a count, 1..32: the packets of all nodes together fit.
    parameter int Width = 16,
    // Classes, and phases of each, 1 or more.
    parameter int Classes = 1,
    parameter int Phases = 1,
    // The first class deals packets to the others; then there are 2 or more.
    parameter bit Deal = 1'b0,
    // Steps of a phase, 1 or more, and of a round, 1..2^30.
    parameter int PhaseSteps = 1,
    parameter int Steps = 1,
    // By class*Phases + phase: its first step, 32 bits each; 0 tree forward, 1 tree backward, 2 two-way, 3 sum
    // along the line; its dimension; the digit in the class's order of nodes that this dimension is.
    parameter logic [Classes*Phases*32-1:0] PhaseStart = {Classes * Phases{32'd1}},
    parameter logic [Classes*Phases*2-1:0] PhaseKind = '0,
    parameter logic [Classes*Phases*3-1:0] PhaseDimension = '0,
    parameter logic [Classes*Phases*3-1:0] PhaseLevel = '0
) (
    // Clock, rising edge.
    input  logic                       clk_i,
    // Asynchronous reset, active low.
    input  logic                       rst_ni,
    // Synchronous clear: ends the round; all counts are 0.
    input  logic                       clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                       start_i,
    // Constant, by class*Phases + phase: the node's place on the phase's line, as gsm_prefix_unit has it; from bit 0:
    // first, last, below, above, root level, on tree.
    input  logic [Classes*Phases*6-1:0] place_i,
    // Packets of the node; taken with start_i, with Deal stable during the whole round.
    input  logic [          Width-1:0] own_data_i,
    // Links.
    input  logic [          Ports-1:0] in_valid_i,
    input  logic [  Ports*2*Width-1:0] in_data_i,
    output logic [          Ports-1:0] out_valid_o,
    output logic [  Ports*2*Width-1:0] out_data_o,
    // By class: packets at nodes before this one, and above it those in all; from the cycle of done_o to
    // the next start.
    output logic [Classes*2*Width-1:0] found_o,
    // The same one cycle earlier.
    output logic [Classes*2*Width-1:0] next_found_o,
    // A message that was due has not come, and what is found is nothing; as found_o, and one cycle
    // earlier.
    output logic                       missing_o,
    output logic                       next_missing_o,
    // This is the cycle of a step.
    output logic                       busy_o,
    // It is the last.
    output logic                       last_o,
    // The cycle after the last step.
    output logic                       done_o
);

  localparam int StepWidth = $clog2(Steps + 1);

  // The next edge begins step + 1.
  logic [StepWidth-1:0] step;
  logic active;
  assign active = (start_i || busy_o) && !last_o;
  gsm_round #(
      .StepWidth(StepWidth)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .steps_i(StepWidth'(Steps)),
      .step_o (step),
      .busy_o (busy_o),
      .last_o (last_o),
      .done_o (done_o)
  );

  // Wires and functions, no processes: Icarus 11 never settles on some that loop over vectors.
  // The messages of the classes, of which one at most is not 0.
  function automatic logic [2*Width-1:0] any_class(input logic [Classes*2*Width-1:0] messages);
    any_class = '0;
    for (int c = 0; c < Classes; c++) any_class = any_class | messages[c*2*Width+:2*Width];
  endfunction
  // The same of the in-ports.
  function automatic logic [2*Width-1:0] any_port(input logic [Ports/2*2*Width-1:0] messages);
    any_port = '0;
    for (int i = 0; i < Ports / 2; i++) any_port = any_port | messages[i*2*Width+:2*Width];
  endfunction

  // By class: what the units have in their registers; {runs along dimension i} in this cycle.
  logic [Classes-1:0] up_valid;
  logic [Classes*2*Width-1:0] up_message;
  logic [Classes-1:0] down_valid;
  logic [Classes*2*Width-1:0] down_message;
  logic [Classes*Ports/2-1:0] along;
  logic [Classes-1:0] missing;
  logic [Classes-1:0] next_missing;
  assign missing_o = missing != '0;
  assign next_missing_o = next_missing != '0;

  for (genvar c = 0; c < Classes; c++) begin : gen_class
    // The i-th phase begins at the coming edge; it runs in this cycle; this is its last step. What
    // comes along its dimension behind that is another class's.
    logic [Phases-1:0] begins;
    logic [Phases-1:0] runs_q;
    logic [Phases-1:0] ends;
    // What the phase that begins says, bit by bit: a bit a phase.
    logic [2*Phases-1:0] kinds;
    logic [3*Phases-1:0] levels;
    logic [6*Phases-1:0] places;
    logic [1:0] kind;
    logic [2:0] level;
    logic [5:0] place;
    for (genvar i = 0; i < Phases; i++) begin : gen_phase
      assign begins[i] =
          active && step == StepWidth'(PhaseStart[(c*Phases+i)*32+:32] - 32'd1);
      assign ends[i] =
          step == StepWidth'(PhaseStart[(c*Phases+i)*32+:32] + 32'(PhaseSteps) - 32'd1);
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) runs_q <= '0;
      else if (clear_i) runs_q <= '0;
      else runs_q <= begins | (runs_q & ~ends);
    end
    for (genvar bit_of = 0; bit_of < 2; bit_of++) begin : gen_kind
      for (genvar i = 0; i < Phases; i++) begin : gen_phase
        assign kinds[bit_of*Phases+i] = PhaseKind[(c*Phases+i)*2+bit_of];
      end
      assign kind[bit_of] = (begins & kinds[bit_of*Phases+:Phases]) != '0;
    end
    for (genvar bit_of = 0; bit_of < 3; bit_of++) begin : gen_level
      for (genvar i = 0; i < Phases; i++) begin : gen_phase
        assign levels[bit_of*Phases+i] = PhaseLevel[(c*Phases+i)*3+bit_of];
      end
      assign level[bit_of] = (begins & levels[bit_of*Phases+:Phases]) != '0;
    end
    for (genvar bit_of = 0; bit_of < 6; bit_of++) begin : gen_place
      for (genvar i = 0; i < Phases; i++) begin : gen_phase
        assign places[bit_of*Phases+i] = place_i[(c*Phases+i)*6+bit_of];
      end
      assign place[bit_of] = (begins & places[bit_of*Phases+:Phases]) != '0;
    end

    // What comes in along the dimension of the phase that runs.
    logic [Ports/2-1:0] up_in;
    logic [Ports/2-1:0] down_in;
    logic [Ports/2*2*Width-1:0] up_messages;
    logic [Ports/2*2*Width-1:0] down_messages;
    for (genvar i = 0; i < Ports / 2; i++) begin : gen_dimension
      logic [Phases-1:0] mine;
      logic here;
      for (genvar j = 0; j < Phases; j++) begin : gen_phase
        assign mine[j] = runs_q[j] && PhaseDimension[(c*Phases+j)*3+:3] == 3'(i);
      end
      assign here = mine != '0;
      assign along[c*Ports/2+i] = here;
      assign up_in[i] = here && in_valid_i[2*i];
      assign down_in[i] = here && in_valid_i[2*i+1];
      assign up_messages[i*2*Width+:2*Width] =
          {2 * Width{here}} & in_data_i[2*i*2*Width+:2*Width];
      assign down_messages[i*2*Width+:2*Width] =
          {2 * Width{here}} & in_data_i[(2*i+1)*2*Width+:2*Width];
    end
    // A class that packets are dealt to starts with its first phase.
    logic starts;
    logic [Width-1:0] own;
    logic lost;
    if (Deal && c > 0) begin : gen_dealt
      assign starts = begins[0];
      assign lost = next_missing[0];
      assign own = 32'(next_found_o[Width-1:0]) % (Classes - 1) == c - 1 ? own_data_i : '0;
    end else begin : gen_all
      assign starts = start_i;
      assign own = own_data_i;
      assign lost = 1'b0;
    end

    logic [2*Width-1:0] up;
    logic [2*Width-1:0] down;
    assign up = any_port(up_messages);
    assign down = any_port(down_messages);

    gsm_prefix_unit #(
        .Levels   (Ports / 2),
        .CountBits(Width)
    ) u_unit (
        .clk_i       (clk_i),
        .rst_ni      (rst_ni),
        .clear_i     (clear_i),
        .start_i     (starts),
        .own_i       (own),
        .lost_i      (lost),
        .begin_i     (begins != '0),
        .kind_i      (kind),
        .first_i     (place[0]),
        .last_i      (place[1]),
        .below_i     (place[2]),
        .above_i     (place[3]),
        .level_i     (level),
        .root_level_i(place[4]),
        .on_tree_i   (place[5]),
        .up_valid_i  (up_in != '0),
        .up_count_i  (up[Width-1:0]),
        .down_valid_i(down_in != '0),
        .down_count_i(down[Width-1:0]),
        .down_total_i(down[2*Width-1:Width]),
        .up_valid_o  (up_valid[c]),
        .up_count_o  (up_message[c*2*Width+:Width]),
        .down_valid_o(down_valid[c]),
        .down_count_o(down_message[c*2*Width+:Width]),
        .down_total_o(down_message[c*2*Width+Width+:Width]),
        .before_o    (found_o[c*2*Width+:Width]),
        .total_o     (found_o[c*2*Width+Width+:Width]),
        .next_before_o(next_found_o[c*2*Width+:Width]),
        .next_total_o(next_found_o[c*2*Width+Width+:Width]),
        .missing_o   (missing[c]),
        .next_missing_o(next_missing[c])
    );
    // A message upwards has no total.
    assign up_message[c*2*Width+Width+:Width] = '0;
    logic unused_total;
    assign unused_total = ^up[2*Width-1:Width];
  end

  // At most one class is on a link: an OR of what each would send.
  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    logic [Classes-1:0] valid;
    logic [Classes*2*Width-1:0] messages;
    for (genvar c = 0; c < Classes; c++) begin : gen_class
      logic mine;
      assign mine = along[c*Ports/2+p/2];
      assign valid[c] = mine && (p % 2 == 1 ? up_valid[c] : down_valid[c]);
      assign messages[c*2*Width+:2*Width] = {2 * Width{mine}} &
          (p % 2 == 1 ? up_message[c*2*Width+:2*Width] : down_message[c*2*Width+:2*Width]);
    end
    assign out_valid_o[p] = valid != '0 && busy_o;
    assign out_data_o[p*2*Width+:2*Width] = any_class(messages);
  end

  `GSM_PARAMETER(StepsLegal_A, Steps >= 1 && Steps <= 1073741824, "Steps must be 1..2^30")
  `GSM_PARAMETER(DealLegal_A, !Deal || Classes >= 2, "with Deal there are 2 classes or more")
  `GSM_PARAMETER(PhasesLegal_A, Classes >= 1 && Phases >= 1, "Classes and Phases must be 1 or more")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")

endmodule

`default_nettype wire
