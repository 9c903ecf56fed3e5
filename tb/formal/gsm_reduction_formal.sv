// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A ring of combining nodes, for yosys. In every step the registers hold exactly the contributions that the
// invariant of docs/spec/reductions.md lists, each once. A word that is written to a vector is complete and
// has the right address. Proved by induction for all times; start and clear are free.
//
// A word counts contributions: two bits for each node, for one free but constant block, and a field above
// them for all other blocks. So a contribution that is dropped, doubled, or of another block changes the
// number.
module gsm_reduction_formal #(
    // Nodes of the ring, 3..6.
    parameter int Nodes = 4,
    // 1: both lanes carry one part, in both directions; 0: each lane carries a part, in one direction.
    parameter bit TwoWay = 1'b1,
    // 1: every node gets every word; 0: only the owner.
    parameter bit All = 1'b1
) (
    input logic clk_i,
    input logic rst_ni,
    input logic clear_i,
    input logic start_i
);

  localparam int Half = Nodes / 2;
  localparam bit Even = Nodes % 2 == 0;
  localparam int Turn = TwoWay ? Half + 1 : Nodes;
  localparam int Steps = All ? (TwoWay ? Nodes - 1 : 2 * (Nodes - 1)) : Turn - 1;
  localparam int StepBits = 4;
  localparam int BlockBits = 3;
  localparam int AddressBits = 4;
  localparam int OtherBits = 4;
  localparam int Width = 2 * Nodes + OtherBits;
  localparam int LaneBits = 4 + StepBits + BlockBits + AddressBits;
  localparam int LegBits = 2 * StepBits + 4 * (StepBits + 3) + 2 * LaneBits;

  // Offsets of the counters, forward and backward, modulo the ring.
  localparam int Offset0 = TwoWay ? Half : Nodes - 1;
  localparam int Offset1 = TwoWay ? (Nodes + 1 - (Nodes + 1) / 2) % Nodes : 1;
  // Even rings: the word that the backward lane completes in the owner's step belongs to the next rank.
  localparam bit Writes1 = All || !TwoWay;
  localparam logic [LegBits-1:0] Leg = {
    AddressBits'(TwoWay ? 0 : Nodes), BlockBits'(Offset1), StepBits'(Steps), 1'b0, 1'b1, Writes1,
    1'b1,
    AddressBits'(0), BlockBits'(Offset0), StepBits'(Steps), 1'b1, 1'b0, 1'b1, 1'b1,
    3'd2, StepBits'(15),
    TwoWay ? (Even ? 3'd3 : 3'd4) : 3'd1, StepBits'(Turn),
    3'd1, StepBits'(Turn - 1),
    3'd0, StepBits'(1),
    StepBits'(Turn), StepBits'(Steps)
  };

  (* anyconst *) logic [2:0] chosen;
  (* anyconst *) logic chosen_part;
  always @(*) assume (chosen < Nodes && (!TwoWay || !chosen_part));

  logic [2*Nodes-1:0] out_valid;
  logic [2*Nodes*Width-1:0] out_data;

  // Contributions of `count` ranks, starting at `first`, to block `block` of part `part`.
  function automatic logic [Width-1:0] counted(input int first, input int count, input int block,
                                               input logic part, input logic [2:0] at,
                                               input logic at_part);
    counted = '0;
    if (block == 32'(at) && part == at_part) begin
      for (int u = 0; u < Nodes; u++) begin
        if ((u - first + 2 * Nodes) % Nodes < count) counted[2*u] = 1'b1;
      end
    end else begin
      counted[2*Nodes+:OtherBits] = OtherBits'(count);
    end
  endfunction

  logic started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  always @(*) if (!started) assume (!rst_ni);

  logic [Nodes*StepBits-1:0] steps;
  logic [StepBits-1:0] step;
  assign step = steps[StepBits-1:0];
  always @(*) if (step != '0) assume (!start_i);

  for (genvar r = 0; r < Nodes; r++) begin : gen_node
    localparam int Before = (r + Nodes - 1) % Nodes;
    localparam int After = (r + 1) % Nodes;
    logic [15:0] leg;
    logic [15:0] next_leg;
    logic first;
    logic [2*AddressBits-1:0] operand_address;
    logic [2*AddressBits-1:0] first_address;
    logic [2*AddressBits-1:0] write_address;
    logic [2*Width-1:0] operand;
    logic [1:0] write_valid;
    logic [2*Width-1:0] write_data;
    logic busy;
    logic last;
    logic done;
    logic fault;
    for (genvar l = 0; l < 2; l++) begin : gen_operand
      logic [AddressBits-1:0] address;
      logic part;
      assign address = operand_address[l*AddressBits+:AddressBits];
      assign part = address >= Nodes;
      assign operand[l*Width+:Width] =
          counted(r, 1, 32'(address) - (part ? Nodes : 0), part, chosen, chosen_part);
    end
    // Lane 0 arrives from the previous node at port 0 and leaves at port 1.
    gsm_combining_node #(
        .Ports      (2),
        .Lanes      (2),
        .Width      (Width),
        .Cross      (TwoWay && Even),
        .Join       (TwoWay && !Even),
        .Apart      (1'b0),
        .StepBits   (StepBits),
        .BlockBits  (BlockBits),
        .AddressBits(AddressBits),
        .Runs       (4)
    ) u_node (
        .clk_i            (clk_i),
        .rst_ni           (rst_ni),
        .clear_i          (clear_i),
        .start_i          (start_i),
        .lane_in_i        (4'b1001),
        .lane_out_i       (4'b0110),
        .relay_i          (4'b0000),
        .blocks_i         (BlockBits'(Nodes)),
        .ranks_i          (BlockBits'(r)),
        .legs_i           (16'd1),
        .flits_i          (16'd1),
        .step_cycles_i    (16'd1),
        .adder_cycles_i   (4'd0),
        .result_cycles_i  (5'd0),
        .leg_o            (leg),
        .next_leg_o       (next_leg),
        .leg_i            (Leg),
        .next_leg_i       (Leg),
        .first_o          (first),
        .operand_address_o(operand_address),
        .operand_data_i   (operand),
        .first_address_o  (first_address),
        .first_data_i     ({2 * Width{1'b0}}),
        .write_valid_o    (write_valid),
        .write_address_o  (write_address),
        .write_data_o     (write_data),
        .step_o           (steps[r*StepBits+:StepBits]),
        .in_valid_i       ({out_valid[2*After], out_valid[2*Before+1]}),
        .in_data_i        ({out_data[2*After*Width+:Width], out_data[(2*Before+1)*Width+:Width]}),
        .out_valid_o      (out_valid[2*r+:2]),
        .out_data_o       (out_data[2*r*Width+:2*Width]),
        .busy_o           (busy),
        .last_o           (last),
        .done_o           (done),
        .fault_o          (fault)
    );

    always @(posedge clk_i) begin
      if (started && rst_ni) begin
        // All nodes are in the same step, which is at most the last.
        assert (steps[r*StepBits+:StepBits] == step);
        assert (step <= Steps);
        assert (leg == 16'd0);
        assert (busy == (step != '0));
        assert (!fault);
        assert (last == (32'(step) == Steps));
        if (step == '0) assert (out_valid[2*r+:2] == 2'b00 && write_valid == 2'b00);
        // A round ends as planned.
        if ($past(rst_ni)) assert (done == ($past(last) && !$past(clear_i)));
      end
    end
    for (genvar s = 1; s <= Steps; s++) begin : gen_step
      // Forward: s ranks up to the own one; backward: s ranks from the own one on; after the turn: all.
      localparam int Count = s < Turn ? s : Nodes;
      // The blocks of this step and of the coming one.
      localparam int Block0 = (r + Offset0 + 2 * Nodes - (s - 1)) % Nodes;
      localparam int Block1 = (r + Offset1 + s - 1) % Nodes;
      localparam int Coming0 = (r + Offset0 + 2 * Nodes - s) % Nodes;
      localparam int Coming1 = (r + Offset1 + s) % Nodes;
      localparam bit Writes = s + 1 >= Turn;
      always @(posedge clk_i) begin
        if (started && rst_ni && 32'(step) == s) begin
          assert (out_valid[2*r+:2] == 2'b11);
          assert (out_data[(2*r+1)*Width+:Width] ==
                  counted(r - Count + 1, Count, Block0, 1'b0, chosen, chosen_part));
          assert (out_data[2*r*Width+:Width] ==
                  counted(r, Count, Block1, !TwoWay, chosen, chosen_part));
          assert (write_address[0+:AddressBits] == Coming0);
          assert (write_address[AddressBits+:AddressBits] == Coming1 + (TwoWay ? 0 : Nodes));
          // A written word has each contribution once.
          assert (write_valid == {Writes && Writes1, Writes});
          if (Writes) begin
            assert (write_data[0+:Width] == counted(0, Nodes, Coming0, 1'b0, chosen, chosen_part));
          end
          if (Writes && Writes1) begin
            assert (write_data[Width+:Width] ==
                    counted(0, Nodes, Coming1, !TwoWay, chosen, chosen_part));
          end
        end
      end
    end
    logic unused;
    assign unused = ^{next_leg, first, first_address};
  end

endmodule

`default_nettype wire
