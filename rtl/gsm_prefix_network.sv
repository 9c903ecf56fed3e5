// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"

// Ranks and sum over a network, hardwired for one plan: a prefix unit for each node and class, and
// links of their messages.
//
// The plan is the package gsm_plan_pkg, which `gossamer emit --format sv` writes next to this file:
// the phases, the same for all nodes. A step is a cycle. start_i in cycle t takes the nodes' counts
// and makes cycle t+1 step 1; done_o is high in the cycle after step Steps, and before_o and total_o
// then hold until the next start. Classes see the dimensions in rotated orders, so that no two need
// a link at once: a link is one register wide.
module gsm_prefix_network (
    // Clock, rising edge.
    input logic clk_i,
    // Asynchronous reset, active low.
    input logic rst_ni,
    // Synchronous clear: ends the round; all counts are 0.
    input logic clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input logic start_i,
    // Packets of node n, bits n*CountBits +: CountBits; together below 2^CountBits. Taken with
    // start_i.
    input logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::CountBits-1:0] own_i,
    // Node n in class c, bits (n*Classes + c)*CountBits +: CountBits: packets at nodes before it in
    // the order of the class, and in all.
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Classes*gsm_plan_pkg::CountBits-1:0] before_o,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Classes*gsm_plan_pkg::CountBits-1:0] total_o,
    // This is the cycle of a step 1..Steps.
    output logic busy_o,
    // The cycle after step Steps.
    output logic done_o
);

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Classes = gsm_plan_pkg::Classes;
  localparam int CountBits = gsm_plan_pkg::CountBits;
  localparam int Steps = gsm_plan_pkg::Steps;
  localparam int Phases = gsm_plan_pkg::Phases;
  localparam int Levels = Ports / 2;
  localparam int StepWidth = $clog2(Steps + 1);
  localparam int Units = Nodes * Classes;

  // The next edge begins step + 1.
  logic [StepWidth-1:0] step;
  logic last;
  logic active;
  assign active = (start_i || busy_o) && !last;
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
      .last_o (last),
      .done_o (done_o)
  );

  // c*Phases + i: the i-th phase of class c begins at the coming edge; it runs in this cycle.
  logic [Classes*Phases-1:0] begins;
  logic [Classes*Phases-1:0] runs_q;
  for (genvar c = 0; c < Classes; c++) begin : gen_class
    for (genvar i = 0; i < Phases; i++) begin : gen_phase
      localparam int Start = gsm_plan_pkg::phase_start(c * Phases + i);
      assign begins[c*Phases+i] = active && step == StepWidth'(Start - 1);
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) runs_q[c*Phases+:Phases] <= '0;
      else if (begins[c*Phases+:Phases] != '0) runs_q[c*Phases+:Phases] <= begins[c*Phases+:Phases];
    end
  end

  // (n*Classes + c): what the units have in their registers.
  logic [Units-1:0] up_valid;
  logic [Units*CountBits-1:0] up_count;
  logic [Units-1:0] down_valid;
  logic [Units*CountBits-1:0] down_count;
  logic [Units*CountBits-1:0] down_total;

  // Wires and functions, no processes: Icarus 11 never settles on some that loop over vectors.
  // The counts of the classes, of which one at most is not 0.
  function automatic logic [CountBits-1:0] any_of(input logic [Classes*CountBits-1:0] counts_of);
    any_of = '0;
    for (int c = 0; c < Classes; c++) any_of = any_of | counts_of[c*CountBits+:CountBits];
  endfunction

  // The same of the phases of a class.
  function automatic logic [CountBits-1:0] any_phase(input logic [Phases*CountBits-1:0] counts_of);
    any_phase = '0;
    for (int i = 0; i < Phases; i++) any_phase = any_phase | counts_of[i*CountBits+:CountBits];
  endfunction

  // n*Ports + p: the link from node n by port p. Its class is the one whose phase runs along it.
  logic link_valid[Nodes*Ports];
  logic [CountBits-1:0] link_count[Nodes*Ports];
  logic [CountBits-1:0] link_total[Nodes*Ports];
  for (genvar link = 0; link < Nodes * Ports; link++) begin : gen_link
    localparam int Node = link / Ports;
    localparam int Port = link % Ports;
    if (gsm_plan_pkg::neighbor(Node, Port) < 0) begin : gen_border
      assign link_valid[link] = 1'b0;
      assign link_count[link] = '0;
      assign link_total[link] = '0;
    end else begin : gen_wire
      logic [Classes-1:0] mine;
      for (genvar c = 0; c < Classes; c++) begin : gen_class
        logic [Phases-1:0] along;
        for (genvar i = 0; i < Phases; i++) begin : gen_phase
          assign along[i] = runs_q[c*Phases+i] &&
                            gsm_plan_pkg::phase_dimension(c * Phases + i) == Port / 2;
        end
        assign mine[c] = along != '0;
      end
      // At most one class is on the link: an OR of what each would send.
      logic [Classes-1:0] valid;
      logic [Classes*CountBits-1:0] counts;
      logic [Classes*CountBits-1:0] totals;
      for (genvar c = 0; c < Classes; c++) begin : gen_send
        localparam int Unit = Node * Classes + c;
        logic [CountBits-1:0] mask;
        assign mask = {CountBits{mine[c]}};
        if (Port % 2 == 1) begin : gen_up
          assign valid[c] = mine[c] && up_valid[Unit];
          assign counts[c*CountBits+:CountBits] = mask & up_count[Unit*CountBits+:CountBits];
          assign totals[c*CountBits+:CountBits] = '0;
        end else begin : gen_down
          assign valid[c] = mine[c] && down_valid[Unit];
          assign counts[c*CountBits+:CountBits] = mask & down_count[Unit*CountBits+:CountBits];
          assign totals[c*CountBits+:CountBits] = mask & down_total[Unit*CountBits+:CountBits];
        end
      end
      assign link_valid[link] = valid != '0 && busy_o;
      assign link_count[link] = any_of(counts);
      assign link_total[link] = any_of(totals);
    end
  end

  for (genvar unit = 0; unit < Units; unit++) begin : gen_unit
    localparam int Node = unit / Classes;
    localparam int Class = unit % Classes;

    // The node's place in the phase that begins.
    logic [Phases-1:0] first, last_one, below, above, root_level, on_tree;
    // Bit by bit of kind and level, a bit a phase.
    logic [2*Phases-1:0] kinds;
    logic [3*Phases-1:0] levels;
    logic [1:0] kind;
    logic [2:0] level;
    for (genvar i = 0; i < Phases; i++) begin : gen_place
      localparam int Dimension = gsm_plan_pkg::phase_dimension(Class * Phases + i);
      localparam int Digit = gsm_plan_pkg::coordinate(Node, Dimension);
      localparam int Level = (Dimension + Levels - Class) % Levels;
      localparam int Kind = gsm_plan_pkg::phase_kind(Class * Phases + i);
      for (genvar bit_of = 0; bit_of < 2; bit_of++) begin : gen_kind
        assign kinds[bit_of*Phases+i] = (Kind >> bit_of) % 2 == 1;
      end
      for (genvar bit_of = 0; bit_of < 3; bit_of++) begin : gen_level
        assign levels[bit_of*Phases+i] = (Level >> bit_of) % 2 == 1;
      end
      assign first[i] = Digit == 0;
      assign last_one[i] = Digit == gsm_plan_pkg::Side - 1;
      assign below[i] = Digit < gsm_plan_pkg::Side / 2;
      assign above[i] = Digit > gsm_plan_pkg::Side / 2;
      assign root_level[i] = Level == Levels - 1;
      assign on_tree[i] = gsm_plan_pkg::on_tree(Node, Class, Level) != 0;
    end
    logic [Phases-1:0] now;
    assign now = begins[Class*Phases+:Phases];
    for (genvar bit_of = 0; bit_of < 2; bit_of++) begin : gen_kind
      assign kind[bit_of] = (now & kinds[bit_of*Phases+:Phases]) != '0;
    end
    for (genvar bit_of = 0; bit_of < 3; bit_of++) begin : gen_level
      assign level[bit_of] = (now & levels[bit_of*Phases+:Phases]) != '0;
    end

    // What comes in along the dimension of the phase that runs.
    logic up_in;
    logic down_in;
    logic [CountBits-1:0] up_count_in;
    logic [CountBits-1:0] down_count_in;
    logic [CountBits-1:0] down_total_in;
    logic [Phases-1:0] up_valid_of;
    logic [Phases-1:0] down_valid_of;
    logic [Phases*CountBits-1:0] up_count_of;
    logic [Phases*CountBits-1:0] down_count_of;
    logic [Phases*CountBits-1:0] down_total_of;
    for (genvar i = 0; i < Phases; i++) begin : gen_in
      localparam int Dimension = gsm_plan_pkg::phase_dimension(Class * Phases + i);
      localparam int Below = gsm_plan_pkg::neighbor(Node, 2 * Dimension);
      localparam int Above = gsm_plan_pkg::neighbor(Node, 2 * Dimension + 1);
      logic runs;
      assign runs = runs_q[Class*Phases+i];
      if (Below < 0) begin : gen_no_below
        assign up_valid_of[i] = 1'b0;
        assign up_count_of[i*CountBits+:CountBits] = '0;
      end else begin : gen_below
        assign up_valid_of[i] = runs && link_valid[Below*Ports+2*Dimension+1];
        assign up_count_of[i*CountBits+:CountBits] =
            {CountBits{runs}} & link_count[Below*Ports+2*Dimension+1];
      end
      if (Above < 0) begin : gen_no_above
        assign down_valid_of[i] = 1'b0;
        assign down_count_of[i*CountBits+:CountBits] = '0;
        assign down_total_of[i*CountBits+:CountBits] = '0;
      end else begin : gen_above
        assign down_valid_of[i] = runs && link_valid[Above*Ports+2*Dimension];
        assign down_count_of[i*CountBits+:CountBits] =
            {CountBits{runs}} & link_count[Above*Ports+2*Dimension];
        assign down_total_of[i*CountBits+:CountBits] =
            {CountBits{runs}} & link_total[Above*Ports+2*Dimension];
      end
    end
    assign up_in = up_valid_of != '0;
    assign down_in = down_valid_of != '0;
    assign up_count_in = any_phase(up_count_of);
    assign down_count_in = any_phase(down_count_of);
    assign down_total_in = any_phase(down_total_of);

    gsm_prefix_unit #(
        .Levels   (Levels),
        .CountBits(CountBits)
    ) u_unit (
        .clk_i       (clk_i),
        .rst_ni      (rst_ni),
        .clear_i     (clear_i),
        .start_i     (start_i),
        .own_i       (own_i[Node*CountBits+:CountBits]),
        .begin_i     (now != '0),
        .kind_i      (kind),
        .first_i     ((now & first) != '0),
        .last_i      ((now & last_one) != '0),
        .below_i     ((now & below) != '0),
        .above_i     ((now & above) != '0),
        .level_i     (level),
        .root_level_i((now & root_level) != '0),
        .on_tree_i   ((now & on_tree) != '0),
        .up_valid_i  (up_in),
        .up_count_i  (up_count_in),
        .down_valid_i(down_in),
        .down_count_i(down_count_in),
        .down_total_i(down_total_in),
        .up_valid_o  (up_valid[unit]),
        .up_count_o  (up_count[unit*CountBits+:CountBits]),
        .down_valid_o(down_valid[unit]),
        .down_count_o(down_count[unit*CountBits+:CountBits]),
        .down_total_o(down_total[unit*CountBits+:CountBits]),
        .before_o    (before_o[unit*CountBits+:CountBits]),
        .total_o     (total_o[unit*CountBits+:CountBits])
    );
  end

  // Units at a border have nothing to send beyond it.
  logic unused_border;
  assign unused_border = ^{up_valid, up_count, down_valid, down_count, down_total};

  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")

endmodule
