// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Properties of one elastic router in which each in-port feeds one out-port, for yosys.
//
// Independent counters of handshakes specify the state of each round, and the router follows them. It sends
// its own chunk first, then exactly the arrivals to be passed on. An arrival is delivered iff it is taken,
// unaltered. An out-port's queue contains the flits taken for it, in order. An arrival that no out-port
// passes on never waits for one. valid and data stay; all is low in reset and in the cycle after it.
// Everything is free: flits, chunk lengths, stalls, and resets after the first cycle. Only valid and data
// of the inputs stay until ready. The script connects internal signals of the router to `peek_*` for the
// induction.
module gsm_elastic_router_formal #(
    parameter int Ports = 1,
    parameter int Width = 2,
    parameter int Slots = 2,
    parameter int Chunk = 1,
    parameter int Takes = 3,
    parameter logic [Ports*Ports-1:0] Feed = {Ports * Ports{1'b1}},
    parameter logic [Ports-1:0] Fewer = {Ports{1'b0}},
    localparam int LinkWidth = Width + (Chunk > 1 ? 1 : 0)
) (
    input logic                       clk_i,
    input logic                       rst_ni,
    input logic [          Ports-1:0] s_valid_i,
    input logic [    Ports*Width-1:0] s_data_i,
    input logic [          Ports-1:0] s_last_i,
    input logic [          Ports-1:0] m_ready_i,
    input logic [          Ports-1:0] in_valid_i,
    input logic [Ports*LinkWidth-1:0] in_data_i,
    input logic [          Ports-1:0] out_ready_i
);

  logic [Ports-1:0] s_ready;
  logic [Ports-1:0] m_valid;
  logic [Ports*Width-1:0] m_data;
  logic [Ports-1:0] m_last;
  logic [Ports-1:0] m_error;
  logic [Ports*16-1:0] m_count;
  logic [Ports-1:0] m_end;
  logic [Ports-1:0] order_error;
  logic [Ports-1:0] due;
  logic [Ports-1:0] in_ready;
  logic [Ports-1:0] out_valid;
  logic [Ports*LinkWidth-1:0] out_data;

  gsm_elastic_router #(
      .Ports  (Ports),
      .Width  (Width),
      .Slots  (Slots),
      .Chunk  (Chunk),
      .Feed   (Feed),
      .Forward({Ports{16'(Takes - 1)}}),
      .Take   ({Ports{16'(Takes)}})
  ) u_router (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .fewer_i      (Fewer),
      .slots_i      ({(Slots > 1 ? $clog2(Slots + 1) : 1){1'b0}}),
      .feed_i       ({(Ports * Ports) {1'b0}}),
      .own_i        ({Ports{1'b0}}),
      .pass_i       ({Ports{1'b0}}),
      .pass_last_i  ({(Ports * 16) {1'b0}}),
      .take_i       ({Ports{1'b0}}),
      .take_last_i  ({(Ports * 16) {1'b0}}),
      .add_i        ('0),
      .s_valid_i    (s_valid_i),
      .s_ready_o    (s_ready),
      .s_data_i     (s_data_i),
      .s_last_i     (s_last_i),
      .m_valid_o    (m_valid),
      .m_ready_i    (m_ready_i),
      .m_data_o     (m_data),
      .m_last_o     (m_last),
      .m_error_o    (m_error),
      .m_count_o    (m_count),
      .m_end_o      (m_end),
      .order_error_o(order_error),
      .due_o        (due),
      .in_valid_i   (in_valid_i),
      .in_ready_o   (in_ready),
      .in_data_i    (in_data_i),
      .out_valid_o  (out_valid),
      .out_ready_i  (out_ready_i),
      .out_data_o   (out_data)
  );

  // Connected by the script.
  (* keep *) logic peek_live;
  (* keep *) logic [Ports-1:0] peek_room;
  (* keep *) logic [Ports*Slots*LinkWidth-1:0] peek_entries;

  // The first cycle is one of reset.
  logic started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  always @(*) if (!started) assume (!rst_ni);

  // High from the cycle after the first edge outside reset.
  logic live;
  always @(posedge clk_i) live <= rst_ni;
  logic on;
  assign on = live && rst_ni;
  always @(*) if (started && rst_ni) assert (peek_live == live);
  always @(*) if (started && !on) assert ({s_ready, m_valid, in_ready} == '0);
  always @(*) if (started && !rst_ni) assert (out_valid == '0);

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    for (genvar q = 0; q < Ports; q++) begin : gen_in_port
      if (Feed[p*Ports+q]) begin : gen_pair
        // Arrivals of a round at this in-port.
        logic [7:0] takes;
        assign takes = 8'(Takes) - 8'(Fewer[q]);

        // Chunks of the round that have arrived, and chunks that have been sent, including the own one.
        logic [7:0] arrived_q;
        logic [7:0] gone_q;
        // Flits in the queue.
        logic [7:0] count_q;
        logic [Slots*LinkWidth-1:0] entries_q;
        logic push;
        logic pop;
        logic [LinkWidth-1:0] flit;
        logic [LinkWidth-1:0] own;
        logic last;
        logic own_last;
        logic pass;
        logic own_push;
        logic taken;
        assign flit     = in_data_i[q*LinkWidth+:LinkWidth];
        assign own      = Chunk > 1 ? LinkWidth'({s_last_i[p], s_data_i[p*Width+:Width]})
                                    : LinkWidth'(s_data_i[p*Width+:Width]);
        assign last     = Chunk == 1 || flit[LinkWidth-1];
        assign own_last = Chunk == 1 || s_last_i[p];
        assign pass     = arrived_q + 8'd1 < takes;
        assign own_push = s_valid_i[p] && s_ready[p];
        assign taken    = m_valid[q] && m_ready_i[q];

        always @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) begin
            arrived_q <= 8'd0;
            gone_q    <= 8'd0;
          end else begin
            if (taken && last) arrived_q <= pass ? arrived_q + 8'd1 : 8'd0;
            if (own_push && own_last) gone_q <= takes == 8'd1 ? 8'd0 : 8'd1;
            else if (taken && pass && last) gone_q <= gone_q + 8'd1 == takes ? 8'd0 : gone_q + 8'd1;
          end
        end

        always @(*) begin
          if (started && rst_ni) begin
            // The counters of handshakes equal the router's state.
            assert (m_count[q*16+:16] == 16'(arrived_q));
            assert (m_end[q] == !pass);
            assert (due[p] == (gone_q == 8'd0));
            assert (arrived_q < takes && gone_q < takes);
            // The order of a round: own chunk, then arrivals; an out-port is at most one chunk ahead.
            if (gone_q == 8'd0) assert (takes == 8'd1 || arrived_q == 8'd0 || !pass);
            else assert (gone_q == arrived_q + 8'd1 || (gone_q == 8'd1 && !pass));
          end
          if (on) begin
            // Delivered iff taken, unaltered; all receivers accept or none.
            assert (taken == (in_valid_i[q] && in_ready[q]));
            if (m_valid[q]) assert (in_valid_i[q]);
            assert (m_data[q*Width+:Width] == flit[Width-1:0] && m_last[q] == last);
            if (taken && pass) assert (gone_q == arrived_q + 8'd1 && count_q < Slots);
            if (own_push) assert (gone_q == 8'd0 && !(taken && pass));
            // No port waits without a reason; an arrival that is not passed on waits for no out-port.
            assert (s_ready[p] == (gone_q == 8'd0 && count_q < Slots));
            if (!pass) assert (m_valid[q] == in_valid_i[q] && in_ready[q] == m_ready_i[q]);
            else assert (m_valid[q] == (in_valid_i[q] && gone_q == arrived_q + 8'd1 && count_q < Slots));
            if (pass) assert (in_ready[q] == (m_ready_i[q] && gone_q == arrived_q + 8'd1 && count_q < Slots));
          end
        end

        // The queue contains the taken flits, in order.
        assign push = own_push || (taken && pass);
        assign pop  = out_valid[p] && out_ready_i[p];
        always @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) count_q <= 8'd0;
          else count_q <= count_q + 8'(push) - 8'(pop);
        end
        for (genvar i = 0; i < Slots; i++) begin : gen_entry
          always @(posedge clk_i) begin
            if (push && count_q - 8'(pop) == i) begin
              entries_q[i*LinkWidth+:LinkWidth] <= own_push ? own : flit;
            end else if (pop && i + 1 < Slots) begin
              entries_q[i*LinkWidth+:LinkWidth] <= entries_q[((i+1)%Slots)*LinkWidth+:LinkWidth];
            end
          end
          always @(*) begin
            if (started && rst_ni && i < count_q) begin
              assert (entries_q[i*LinkWidth+:LinkWidth] ==
                      peek_entries[(p*Slots+i)*LinkWidth+:LinkWidth]);
            end
          end
        end
        always @(*) begin
          if (started && rst_ni) begin
            assert (count_q <= Slots);
            assert (out_valid[p] == (count_q != 8'd0));
            if (count_q != 8'd0) assert (out_data[p*LinkWidth+:LinkWidth] == entries_q[LinkWidth-1:0]);
            if (live) assert (peek_room[p] == (count_q < Slots));
            else assert (!peek_room[p] && count_q == 8'd0 && arrived_q == 8'd0 && gone_q == 8'd0);
          end
        end

        // Inputs stay until they are taken; then outputs also do.
        logic in_waits_q;
        logic m_waits_q;
        logic s_waits_q;
        logic out_waits_q;
        logic [LinkWidth-1:0] flit_q;
        logic [LinkWidth-1:0] own_q;
        logic [LinkWidth-1:0] out_q;
        always @(posedge clk_i) begin
          in_waits_q  <= in_valid_i[q] && !in_ready[q];
          m_waits_q   <= m_valid[q] && !m_ready_i[q];
          s_waits_q   <= s_valid_i[p] && !s_ready[p];
          out_waits_q <= out_valid[p] && !out_ready_i[p];
          flit_q      <= flit;
          own_q       <= own;
          out_q       <= out_data[p*LinkWidth+:LinkWidth];
        end
        always @(*) begin
          if (started && on) begin
            if (in_waits_q) assume (in_valid_i[q] && flit == flit_q);
            if (s_waits_q) assume (s_valid_i[p] && own == own_q);
            if (m_waits_q) assert (m_valid[q]);
            if (out_waits_q) assert (out_valid[p] && out_data[p*LinkWidth+:LinkWidth] == out_q);
          end
        end
        always @(posedge clk_i) begin
          if (on) begin
            cover (taken && pass && count_q != 8'd0);
            cover (taken && !pass && gone_q == 8'd0 && count_q == Slots);
          end
        end
      end
    end
  end

endmodule

`default_nettype wire
