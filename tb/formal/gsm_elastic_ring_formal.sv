// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A ring of elastic routers, for yosys: endless rounds, one flit per chunk, two slots per link.
//
// Elements offer and accept at any time, and nodes leave a common reset at any time. Own flits carry their
// source and round, modulo 4. Every delivery is the planned one: arrival n of a round at node k comes from
// node k - n and belongs to that round. A link contains exactly the flits that were sent and not yet taken.
// There is no deadlock while all elements offer and accept. The script connects internal signals of the
// routers to `peek_*` for the induction.
module gsm_elastic_ring_formal #(
    parameter int Nodes = 3,
    // Arrivals of a round.
    localparam int Takes = Nodes - 1
) (
    input logic             clk_i,
    input logic [Nodes-1:0] rst_ni,
    input logic [Nodes-1:0] s_valid_i,
    input logic [Nodes-1:0] m_ready_i
);

  logic [Nodes-1:0] s_ready;
  logic [Nodes-1:0] m_valid;
  logic [Nodes*4-1:0] m_data;
  logic [Nodes-1:0] in_ready;
  logic [Nodes-1:0] out_valid;
  logic [Nodes*4-1:0] out_data;

  // Connected by the script.
  (* keep *) logic [Nodes-1:0] peek_live;
  (* keep *) logic [Nodes-1:0] peek_room;
  (* keep *) logic [Nodes*8-1:0] peek_entries;

  // All are in reset in the first cycle, and each leaves it once.
  logic started = 1'b0;
  logic [Nodes-1:0] out_of_reset_q;
  always @(posedge clk_i) begin
    started        <= 1'b1;
    out_of_reset_q <= rst_ni;
  end
  always @(*) begin
    if (!started) assume (rst_ni == '0);
    else assume ((out_of_reset_q & ~rst_ni) == '0);
  end

  // 4 overflows to 0, which is correct modulo 4 in two bits.
  localparam logic [1:0] Modulus = Nodes;

  // Round and place in it of the next flit that each node sends, and takes.
  logic [Nodes*2-1:0] sent_round;
  logic [Nodes*2-1:0] sent_place;
  logic [Nodes*2-1:0] taken_round;
  logic [Nodes*2-1:0] taken_place;
  logic [Nodes-1:0] sends;
  logic [Nodes-1:0] takes;

  // {round, source} of the flit at a place of a round of a node's out-port, and of the next flit.
  function automatic logic [3:0] content(input logic [1:0] round, input logic [1:0] place,
                                         input logic [1:0] node);
    logic [1:0] origin;
    origin = node - place;
    if (place > node) origin = origin + Modulus;
    content = {round, origin};
  endfunction
  function automatic logic [3:0] behind(input logic [3:0] flit, input logic [1:0] node);
    logic [1:0] round;
    logic [1:0] origin;
    logic [1:0] last;
    round  = flit[3:2];
    origin = flit[1:0];
    // The last flit of a round comes from the node two places before.
    last = node + 2'd2;
    if (node >= Modulus - 2'd2) last = last - Modulus;
    if (origin == last) begin
      round  = round + 2'd1;
      origin = node;
    end else if (origin == 2'd0) begin
      origin = Modulus - 2'd1;
    end else begin
      origin = origin - 2'd1;
    end
    behind = {round, origin};
  endfunction
  // For all links, and for all nodes; these two are always equal.
  logic [4:0] all_held;
  logic [4:0] all_leads;
  logic [Nodes*2-1:0] held;
  logic [Nodes*2-1:0] lead;
  always @(*) begin
    all_held  = 5'd0;
    all_leads = 5'd0;
    for (int i = 0; i < Nodes; i++) begin
      all_held  = all_held + 5'(held[i*2+:2]);
      all_leads = all_leads + 5'(lead[i*2+:2]);
    end
    if (started) assert (all_held == all_leads);
  end

  for (genvar i = 0; i < Nodes; i++) begin : gen_node
    localparam int Before = (i + Nodes - 1) % Nodes;
    localparam int Next = (i + 1) % Nodes;
    logic m_last;
    logic m_error;
    logic m_end;
    logic order_error;
    logic due;
    logic [15:0] count;

    gsm_elastic_router #(
        .Ports  (1),
        .Width  (4),
        .Feed   (1'b1),
        .Forward(16'(Takes - 1)),
        .Take   (16'(Takes))
    ) u_router (
        .clk_i        (clk_i),
        .rst_ni       (rst_ni[i]),
        .fewer_i      (1'b0),
        .slots_i      (2'd0),
        .feed_i       (1'b0),
        .own_i        (1'b0),
        .pass_i       (1'b0),
        .pass_last_i  (16'd0),
        .take_i       (1'b0),
        .take_last_i  (16'd0),
        .add_i        (1'b0),
        .s_valid_i    (s_valid_i[i]),
        .s_ready_o    (s_ready[i]),
        .s_data_i     ({sent_round[i*2+:2], 2'(i)}),
        .s_last_i     (1'b1),
        .m_valid_o    (m_valid[i]),
        .m_ready_i    (m_ready_i[i]),
        .m_data_o     (m_data[i*4+:4]),
        .m_last_o     (m_last),
        .m_error_o    (m_error),
        .m_count_o    (count),
        .m_end_o      (m_end),
        .order_error_o(order_error),
        .due_o        (due),
        .in_valid_i   (out_valid[Before]),
        .in_ready_o   (in_ready[i]),
        .in_data_i    (out_data[Before*4+:4]),
        .out_valid_o  (out_valid[i]),
        .out_ready_i  (in_ready[Next]),
        .out_data_o   (out_data[i*4+:4])
    );

    // The last arrival of a round is not sent on.
    assign takes[i] = m_valid[i] && m_ready_i[i];
    assign sends[i] = (s_valid_i[i] && s_ready[i]) ||
                      (takes[i] && taken_place[i*2+:2] != 2'(Takes - 1));
    always @(posedge clk_i or negedge rst_ni[i]) begin
      if (!rst_ni[i]) begin
        sent_round[i*2+:2]  <= 2'd0;
        sent_place[i*2+:2]  <= 2'd0;
        taken_round[i*2+:2] <= 2'd0;
        taken_place[i*2+:2] <= 2'd0;
      end else begin
        if (sends[i]) begin
          sent_place[i*2+:2] <= sent_place[i*2+:2] == 2'(Takes - 1) ? 2'd0 : sent_place[i*2+:2] + 2'd1;
          if (sent_place[i*2+:2] == 2'(Takes - 1)) sent_round[i*2+:2] <= sent_round[i*2+:2] + 2'd1;
        end
        if (takes[i]) begin
          taken_place[i*2+:2] <= taken_place[i*2+:2] == 2'(Takes - 1) ? 2'd0 : taken_place[i*2+:2] + 2'd1;
          if (taken_place[i*2+:2] == 2'(Takes - 1)) taken_round[i*2+:2] <= taken_round[i*2+:2] + 2'd1;
        end
      end
    end

    // Flits on the link to the next node; and the lead of sending over taking at this node, where the
    // number of an arrival increases by one when it is passed on.
    logic [1:0] sent;
    logic [1:0] taken;
    logic [3:0] next_taken;
    assign sent       = sent_place[i*2+:2];
    assign taken      = taken_place[i*2+:2];
    assign next_taken = content(taken_round[Next*2+:2], taken_place[Next*2+:2], 2'(i));
    assign held[i*2+:2] = !out_valid[i] ? 2'd0 : peek_room[i] ? 2'd1 : 2'd2;
    assign lead[i*2+:2] = taken == 2'd0 && sent == 2'd0 ? 2'd0 :
                          taken == 2'(Takes - 1) && sent == 2'd1 ? 2'd2 : 2'd1;
    logic live;
    always @(posedge clk_i) live <= rst_ni[i];
    always @(*) begin
      if (started) begin
        assert (sent < Takes && taken < Takes);
        assert (due == (sent == 2'd0));
        assert (count == 16'(taken));
        if (lead[i*2+:2] == 2'd0 || sent == taken + 2'd1) begin
          assert (sent_round[i*2+:2] == taken_round[i*2+:2]);
        end else begin
          assert (taken == 2'(Takes - 1) && sent <= 2'd1);
          assert (sent_round[i*2+:2] == taken_round[i*2+:2] + 2'd1);
        end
        assert (peek_live[i] == (live && rst_ni[i]));
        if (!rst_ni[i] || !live) begin
          assert ({sent_round[i*2+:2], sent, taken_round[i*2+:2], taken} == '0);
          assert ({s_ready[i], m_valid[i], in_ready[i], peek_room[i], out_valid[i]} == '0);
        end
        if (rst_ni[i] && live && !out_valid[i]) assert (peek_room[i]);
        // The content of the link, and the next flit to send.
        case (held[i*2+:2])
          2'd0: assert (content(sent_round[i*2+:2], sent, 2'(i)) == next_taken);
          2'd1: assert (content(sent_round[i*2+:2], sent, 2'(i)) == behind(next_taken, 2'(i)));
          default: begin
            assert (peek_entries[i*8+4+:4] == behind(next_taken, 2'(i)));
            assert (content(sent_round[i*2+:2], sent, 2'(i)) == behind(behind(next_taken, 2'(i)), 2'(i)));
          end
        endcase
        if (out_valid[i]) assert (out_data[i*4+:4] == next_taken);
        assert (peek_entries[i*8+:4] == out_data[i*4+:4]);
        // Deliveries.
        if (m_valid[i]) begin
          assert (m_data[i*4+:4] == content(taken_round[i*2+:2], taken, 2'(Before)));
        end
      end
    end
    always @(posedge clk_i) cover (takes[i] && taken_round[i*2+:2] == 2'd2);
  end

  // Not all nodes are blocked at once.
  always @(*) begin
    if (started && (peek_live & s_valid_i & m_ready_i) == {Nodes{1'b1}}) assert ((sends | takes) != '0);
  end

endmodule

`default_nettype wire
