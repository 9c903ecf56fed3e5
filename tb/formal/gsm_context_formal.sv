// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// No word of one round enters the next, for yosys: every register of a router of contexts holds words of
// the present round only, in every step, for all wirings, operations and arrivals.
//
// Two bits of a word say whether it has operands of a round of even and of odd number; the adder is a
// bitwise or. A link carries the register of a neighbour, for which the same holds: arrivals have the
// number of the round whose step ends. So do own operands, except for those that registers take at the
// edge into step 1 of a round.
//
// With Slots own operands can also come from the slots of a context with memory, which any arrival enters. They
// are cleared at the edge into step 1, as in gsm_context_tile. The script connects their registers to `peek_*`.
// Their words also belong to the present round.
module gsm_context_formal #(
    parameter int Ports = 4,
    parameter int Wirings = 2,
    parameter bit Join = 1'b1,
    parameter bit Apart = 1'b1,
    // 0: no memory. Only with Apart.
    parameter int Slots = 0,
    localparam int SlotBits = Slots > 0 ? $clog2(Slots + 1) : 1
) (
    input logic                                           clk_i,
    input logic                                           rst_ni,
    input logic                                           clear_i,
    input logic [(Wirings > 1 ? $clog2(Wirings) : 1)-1:0] wiring_i,
    input logic [                Wirings*Ports*Ports-1:0] feed_i,
    input logic                                           first_i,
    input logic [                              Ports-1:0] first_valid_i,
    input logic [                              Ports-1:0] take_i,
    input logic [                              Ports-1:0] inject_valid_i,
    input logic [                              Ports-1:0] cross_i,
    input logic [                              Ports-1:0] join_i,
    input logic [                              Ports-1:0] end_i,
    input logic [                              Ports-1:0] in_valid_i,
    input logic [                     Ports*SlotBits-1:0] read_i,
    input logic [                     Ports*SlotBits-1:0] write_i
);

  // The parity of the round of the present step; the coming step's.
  logic odd = 1'b0;
  logic next_odd;
  assign next_odd = odd ^ first_i;
  always @(posedge clk_i) odd <= next_odd;

  // A word of the round.
  function automatic logic [1:0] of_round(input logic is_odd);
    of_round = is_odd ? 2'b10 : 2'b01;
  endfunction

  logic [Ports-1:0] slot_valid;
  logic [Ports*2-1:0] slot_data;
  logic [Ports*2-1:0] inject_data;
  for (genvar p = 0; p < Ports; p++) begin : gen_inject
    // Beside the registers the own operands of the old round are still in use.
    assign inject_data[2*p+:2] = slot_valid[p] ? slot_data[2*p+:2] : of_round(Apart ? odd : next_odd);
  end

  logic [Ports-1:0] taken_valid;
  logic [Ports*2-1:0] taken_data;
  logic [Ports-1:0] out_valid;
  logic [Ports*2-1:0] out_data;
  gsm_context_router #(
      .Ports    (Ports),
      .Wirings  (Wirings),
      .Width    (2),
      .Operation(6),
      .Join     (Join),
      .Apart    (Apart),
      .Ends     (1'b1)
  ) u_router (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .wiring_i      (wiring_i),
      .feed_i        (feed_i),
      .first_i       (first_i),
      .first_valid_i (first_valid_i),
      .first_data_i  ({Ports{of_round(next_odd)}}),
      .take_i        (take_i),
      .inject_valid_i(inject_valid_i | slot_valid),
      .inject_data_i (inject_data),
      .cross_i       (cross_i),
      .join_i        (join_i),
      .end_i         (end_i),
      .flag_i        (1'b0),
      .in_valid_i    (in_valid_i),
      .in_data_i     ({Ports{of_round(odd)}}),
      .taken_valid_o (taken_valid),
      .taken_data_o  (taken_data),
      .out_valid_o   (out_valid),
      .out_data_o    (out_data)
  );

  logic started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  always @(*) begin
    if (!started) assume (!rst_ni);
    assume ((cross_i & join_i) == '0);
    if (!Join) assume (join_i == '0);
    if (!Apart && first_i) assume ((cross_i | join_i) == '0);
  end

  if (Slots > 0) begin : gen_slots
    logic [Slots-1:0] peek_filled;
    logic [Slots*2-1:0] peek_words;
    logic [Ports-1:0] unused_valid;
    logic [Ports*2-1:0] unused_result;
    logic unused_error;
    gsm_slots #(
        .Ports(Ports),
        .Width(2),
        .Slots(Slots)
    ) u_slots (
        .clk_i         (clk_i),
        .rst_ni        (rst_ni),
        .clear_i       (clear_i || first_i),
        .adder_cycles_i(4'd0),
        .steps_wait_i  (1'b0),
        .waits_i       ({(Ports * $clog2(Ports + 1)) {1'b0}}),
        .read_i        (read_i),
        .with_i        ({(Ports * SlotBits) {1'b0}}),
        .own_valid_i   ({Ports{1'b0}}),
        .own_data_i    ({(Ports * 2) {1'b0}}),
        .write_i       (write_i),
        .deliver_i     ({Ports{1'b0}}),
        .in_valid_i    (in_valid_i),
        .in_data_i     ({Ports{of_round(odd)}}),
        .read_valid_o  (slot_valid),
        .read_data_o   (slot_data),
        .result_valid_o(unused_valid),
        .result_data_o (unused_result),
        .error_o       (unused_error)
    );
    for (genvar s = 0; s < Slots; s++) begin : gen_slot
      always @(posedge clk_i) begin
        if (started && rst_ni && peek_filled[s]) assert (peek_words[2*s+:2] == of_round(odd));
        cover (started && odd && peek_filled[s]);
      end
    end
    for (genvar p = 0; p < Ports; p++) begin : gen_field
      always @(*) assume (32'(read_i[p*SlotBits+:SlotBits]) <= Slots && 32'(write_i[p*SlotBits+:SlotBits]) <= Slots);
    end
  end else begin : gen_no_slots
    assign slot_valid = '0;
    assign slot_data  = '0;
  end

  // One feed for each out-port in each wiring.
  for (genvar r = 0; r < Wirings * Ports; r++) begin : gen_row
    logic [Ports-1:0] row;
    assign row = feed_i[r*Ports+:Ports];
    always @(*) assume (row != '0 && (row & (row - 1'b1)) == '0);
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    always @(posedge clk_i) begin
      if (started && rst_ni) begin
        if (out_valid[p]) assert (out_data[2*p+:2] == of_round(odd));
        // Results are those of the round whose step ends.
        if (Apart && taken_valid[p]) assert (taken_data[2*p+:2] == of_round(odd));
      end
      cover (started && odd && out_valid[p]);
    end
  end

endmodule

`default_nettype wire
