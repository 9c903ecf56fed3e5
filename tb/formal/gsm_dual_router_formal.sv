// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// gsm_dual_router beside the two routers that it stands for, for yosys.
//
// The selection is free and changes with every clear; gsm_router is held clear during broadcasts,
// gsm_relay_router during gossip. What crosses the links, what is delivered and what is reported has
// to be what the one or the other says, in every cycle: so nothing of one collective is left in the
// other. After an error of gossip, which of two packets went out is left open. Injections, arrivals,
// starts, clear, and reset after the first cycle are free.
module gsm_dual_router_formal #(
    parameter int Width = 8,
    parameter int HopBits = 2,
    parameter int StepBits = 3,
    parameter int Torus = 1,
    parameter int TimeBits = 2,
    // Bit p*4 + q: in-port q feeds out-port p.
    parameter logic [15:0] Feed = 16'h4812,
    parameter logic [7:0] Levels = 8'h33,
    parameter logic [1:0] Parity = 2'b01,
    parameter int Flits = 2,
    parameter int RelayCycles = 1
) (
    input logic               clk_i,
    input logic               rst_ni,
    input logic               clear_i,
    input logic               gossip_i,
    input logic               start_i,
    input logic [        3:0] inject_valid_i,
    input logic [4*Width-1:0] own_data_i,
    input logic [        3:0] in_valid_i,
    input logic [        3:0] in_head_i,
    input logic [4*Width-1:0] in_data_i
);

  logic inject;
  logic start;
  logic [3:0] inject_valid;
  logic [4*Width-1:0] own_data;
  // In a broadcast all out-ports have the same own word.
  assign inject       = gossip_i;
  assign start        = start_i && !inject;
  assign inject_valid = inject ? inject_valid_i : 4'd0;
  assign own_data     = inject ? own_data_i : {4{own_data_i[Width-1:0]}};

  logic [3:0] dual_valid;
  logic [3:0] dual_head;
  logic [4*Width-1:0] dual_data;
  logic [3:0] dual_deliver;
  logic [TimeBits-1:0] dual_flit;
  logic dual_busy;
  logic dual_error;
  gsm_dual_router #(
      .Ports   (4),
      .Width   (Width),
      .HopBits (HopBits),
      .StepBits(StepBits),
      .Torus   (Torus),
      .TimeBits(TimeBits)
  ) u_dual (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i),
      .gossip_i       (gossip_i),
      .feed_i         (Feed),
      .levels_i       (Levels),
      .parity_i       (Parity),
      .flits_i        (TimeBits'(Flits)),
      .relay_cycles_i (TimeBits'(RelayCycles)),
      .start_i        (start),
      .inject_valid_i (inject_valid),
      .flit_o         (dual_flit),
      .own_data_i     (own_data),
      .in_valid_i     (in_valid_i),
      .in_head_i      (in_head_i),
      .in_data_i      (in_data_i),
      .out_valid_o    (dual_valid),
      .out_head_o     (dual_head),
      .out_data_o     (dual_data),
      .deliver_valid_o(dual_deliver),
      .busy_o         (dual_busy),
      .error_o        (dual_error)
  );

  logic [3:0] gossip_valid;
  logic [4*Width-1:0] gossip_data;
  logic gossip_error;
  gsm_router #(
      .Ports(4),
      .Width(Width),
      .Feed (Feed)
  ) u_gossip (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i || !gossip_i),
      .inject_valid_i(inject_valid),
      .inject_data_i (own_data),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (gossip_valid),
      .out_data_o    (gossip_data),
      .error_o       (gossip_error)
  );

  logic [3:0] relay_valid;
  logic [3:0] relay_head;
  logic [4*Width-1:0] relay_data;
  logic [TimeBits-1:0] relay_flit;
  logic relay_deliver;
  logic relay_deliver_head;
  logic [Width-1:0] relay_deliver_data;
  logic relay_busy;
  logic relay_error;
  gsm_relay_router #(
      .Ports   (4),
      .Width   (Width),
      .HopBits (HopBits),
      .StepBits(StepBits),
      .Torus   (Torus),
      .TimeBits(TimeBits)
  ) u_relay (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i || gossip_i),
      .levels_i       (Levels),
      .parity_i       (Parity),
      .flits_i        (TimeBits'(Flits)),
      .relay_cycles_i (TimeBits'(RelayCycles)),
      .step_sync_i    (1'b0),
      .step_start_i   (1'b0),
      .step_i         ({StepBits{1'b0}}),
      .list_i         (1'b0),
      .duplex_i       (1'b0),
      .adding_steps_i ({StepBits{1'b0}}),
      .start_i        (start),
      .start_side_i   (~(Parity ^ {Levels[4], Levels[0]})),
      .entry_o        (),
      .entry_valid_i  (1'b0),
      .entry_i        ('0),
      .flit_o         (relay_flit),
      .own_data_i     (own_data[Width-1:0]),
      .store_o        (),
      .stored_i       (1'b0),
      .in_valid_i     (gossip_i ? 4'd0 : in_valid_i),
      .in_head_i      (in_head_i),
      .in_data_i      (in_data_i),
      .out_valid_o    (relay_valid),
      .out_head_o     (relay_head),
      .out_data_o     (relay_data),
      .deliver_valid_o(relay_deliver),
      .deliver_head_o (relay_deliver_head),
      .deliver_data_o (relay_deliver_data),
      .busy_o         (relay_busy),
      .error_o        (relay_error)
  );

  // The first cycle is one of reset; the selection changes with a clear only; no head in gossip.
  logic started = 1'b0;
  logic clear_q;
  logic gossip_q;
  always @(posedge clk_i) begin
    started  <= 1'b1;
    clear_q  <= clear_i || !rst_ni;
    gossip_q <= gossip_i;
  end
  always @(*) begin
    if (!started) assume (!rst_ni);
    if (started && !clear_q && !clear_i) assume (gossip_i == gossip_q);
    if (gossip_i) assume ((in_valid_i & in_head_i) == 4'd0);
  end

  // What is seen from outside.
  always @(*) begin
    if (started && rst_ni) begin
      assert (dual_valid == (gossip_valid | relay_valid));
      assert (dual_error == (gossip_error || relay_error));
      assert (dual_busy == relay_busy);
      if (gossip_i) begin
        assert (dual_deliver == in_valid_i);
        if (!clear_i) assert (dual_flit == '0);
      end else begin
        assert ((dual_deliver != 4'd0) == relay_deliver);
        assert (((dual_deliver & in_head_i) != 4'd0) == relay_deliver_head);
        assert (dual_flit == relay_flit);
      end
    end
  end
  for (genvar p = 0; p < 4; p++) begin : gen_port
    always @(*) begin
      if (started && rst_ni) begin
        if (gossip_valid[p]) begin
          assert (!dual_head[p]);
          if (!gossip_error) begin
            assert (dual_data[p*Width+:Width] == gossip_data[p*Width+:Width]);
          end
        end
        if (relay_valid[p]) begin
          assert (dual_head[p] == relay_head[p]);
          assert (dual_data[p*Width+:Width] == relay_data[p*Width+:Width]);
        end
        if (!gossip_i && dual_deliver == 4'd1 << p) begin
          assert (relay_deliver_data == in_data_i[p*Width+:Width]);
        end
        cover (gossip_valid[p] && !gossip_error);
        cover (relay_valid[p] && relay_head[p] && !relay_error && step_dual != '0);
      end
    end
  end

  // What makes it inductive: the states of both relay parts, joined by the script that knows the
  // names of the registers.
  localparam int StateWidth = TimeBits + 2 + 4;
  (* keep *) logic [StateWidth-1:0] state_dual;
  (* keep *) logic [StateWidth-1:0] state_relay;
  localparam int SideBits = Torus != 0 ? 2 : 0;
  (* keep *) logic [StepBits+SideBits:0] step_dual;
  (* keep *) logic [StepBits+SideBits:0] step_relay;
  (* keep *) logic [1:0] port_dual;
  (* keep *) logic [1:0] port_relay;
  always @(*) begin
    if (started && rst_ni) begin
      assert (state_dual == state_relay);
      // Bits 4 to 6 are: it has sent, it has the message, the timer.
      assert (state_dual[5] || state_dual[StateWidth-1:4] == '0);
      if (clear_q || gossip_q) assert (state_relay[StateWidth-1:4] == '0 && relay_valid == 4'd0);
      if (clear_q || gossip_q) assert (!relay_error);
      if (clear_q || !gossip_q) assert (gossip_valid == 4'd0 && !gossip_error);
      if (dual_busy) assert (step_dual == step_relay);
      if (dual_busy && state_dual[4]) assert (port_dual == port_relay);
    end
  end

endmodule

`default_nettype wire
