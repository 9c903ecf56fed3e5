// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The cut-through part of a relay router: passing messages, deliveries, and the start of the node's own
// sends.
//
// A message is flits_i flits in consecutive cycles. Its first flit, the head, carries the header in its low
// bits, from bit 0: links left on this stretch (HopBits), step (StepBits), tag (TagBits), and Segments - 1
// further stretches. Each further stretch is an out-port (PortBits) and a number of links (HopBits); 0
// links means no stretch. A head with links left goes straight on. Without links left it turns into the
// next stretch; without a next stretch it is delivered. Its body follows. A hop takes one cycle, in the out
// register.
//
// A node that has the message sends it, entry after entry. Self-timed, the first entry starts
// relay_cycles_i after the last flit has arrived, each further one flits_i + relay_cycles_i after the
// previous one. Otherwise step_start_i starts each entry. There is no queue, arbitration or back-pressure:
// plans with disjoint paths need none, and two messages for one out-port are an error.
//
// With Stream = 1 the same registers and multiplexers carry streams while stream_i is high: packets of one
// flit, all without a head, that follow feed_i, and own packets by inject_valid_i.
module gsm_relay_switch #(
    // Ports of the router, two per dimension: 2..16, even.
    parameter int Ports = 4,
    // Data bits of a flit, more than the header's.
    parameter int Width = 32,
    // Largest number of stretches of a path, 1..16. With 1 every message goes straight.
    parameter int Segments = 1,
    // Bits of a number of links, 1..16.
    parameter int HopBits = 2,
    // Bits of the step number, 1..32.
    parameter int StepBits = 3,
    // Bits that the header carries along, 0..16.
    parameter int TagBits = 0,
    // Bits of a time, 1..32: flits_i + relay_cycles_i fits.
    parameter int TimeBits = 8,
    // 1: also streams, and an own word for each out-port.
    parameter bit Stream = 1'b0,
    // Follow from the others.
    localparam int PortBits = $clog2(Ports),
    localparam int SegmentBits = PortBits + HopBits,
    localparam int MoreBits = (Segments - 1) * SegmentBits,
    localparam int HeaderBits = HopBits + StepBits + TagBits + MoreBits,
    // Width, unless the header does not fit: elaboration must reach the message about that error.
    localparam int FlitBits = Width > HeaderBits ? Width : HeaderBits + 1,
    localparam int OwnWords = Stream ? Ports : 1
) (
    // Clock, rising edge.
    input  logic                        clk_i,
    // Asynchronous reset, active low.
    input  logic                        rst_ni,
    // Synchronous clear: no message anywhere in the next cycle, error_o low.
    input  logic                        clear_i,
    // Streams, no messages; constant while not clear.
    input  logic                        stream_i,
    // Bit p*Ports + q: in-port q feeds out-port p; one in-port each. Constant.
    input  logic [     Ports*Ports-1:0] feed_i,
    // Own packets enter these out-ports at the coming edge.
    input  logic [           Ports-1:0] inject_valid_i,
    // Flits of a message, 1 or more; constant while not clear.
    input  logic [        TimeBits-1:0] flits_i,
    // Cycles between the arrival of the message and its first send, and between two sends; constant.
    input  logic [        TimeBits-1:0] relay_cycles_i,
    // The node may send and receive at once; constant. Without it the node still does, but an assertion
    // fails.
    input  logic                        duplex_i,
    // Pulse: the node has the message from now on; its first send enters a link in the next cycle.
    input  logic                        start_i,
    // Sends wait for step_start_i; constant.
    input  logic                        step_sync_i,
    // The sends of step step_i (from 0) enter their links in the next cycle.
    input  logic                        step_start_i,
    input  logic [        StepBits-1:0] step_i,
    // The node has a further send: its out-port, and above it its header.
    input  logic                        entry_valid_i,
    input  logic [PortBits+HeaderBits-1:0] entry_i,
    // The send's head enters the out register at the coming edge.
    output logic                        send_o,
    // Flit number flit_o of the message, from the node's memory; in the head the header replaces the low
    // bits. With Stream = 1: while stream_i is high, the own packet of each out-port; otherwise the flit
    // once per out-port.
    output logic [        TimeBits-1:0] flit_o,
    // That flit is sent in this cycle.
    output logic                        flit_valid_o,
    input  logic [  OwnWords*Width-1:0] own_data_i,
    // Arrivals.
    input  logic [           Ports-1:0] in_valid_i,
    input  logic [           Ports-1:0] in_head_i,
    input  logic [     Ports*Width-1:0] in_data_i,
    // The out registers: the content of the links in this cycle.
    output logic [           Ports-1:0] out_valid_o,
    output logic [           Ports-1:0] out_head_o,
    output logic [     Ports*Width-1:0] out_data_o,
    // Arrivals for this node: the in-ports; the flit, which is meaningful for messages only.
    output logic [           Ports-1:0] deliver_o,
    output logic                        deliver_valid_o,
    output logic                        deliver_head_o,
    output logic [           Width-1:0] deliver_data_o,
    // The delivered flit is also the message's last one, and may be sent at this edge.
    output logic                        deliver_now_o,
    // The node will act without an arrival: its next send or flit is due in some cycles.
    output logic                        busy_o,
    // Sticky: two messages met.
    output logic                        error_o
);

  // Bit q*Ports + p: a message on in-port q goes on by out-port p.
  logic [Ports*Ports-1:0] pass;
  // The flits as they are sent on.
  logic [Ports*FlitBits-1:0] next_data;

  for (genvar q = 0; q < Ports; q++) begin : gen_in_port
    localparam int Opposite = q % 2 == 0 ? q + 1 : q - 1;
    logic in_head;
    logic head;
    logic [FlitBits-1:0] in_data;
    logic [HopBits-1:0] hops;
    logic straight;
    assign in_head = in_head_i[q];
    assign head = in_valid_i[q] && in_head;
    assign in_data = FlitBits'(in_data_i[q*Width+:Width]);
    assign hops = in_data[HopBits-1:0];
    assign straight = hops != '0;

    if (Segments == 1) begin : gen_straight
      // The arriving message goes on.
      logic pass_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) pass_q <= 1'b0;
        else if (head) pass_q <= straight;
      end
      logic passes;
      assign passes = in_head ? straight : pass_q;
      assign pass[q*Ports+:Ports] = passes ? Ports'(1 << Opposite) : '0;
      assign deliver_o[q] = in_valid_i[q] && (stream_i || !passes);

      assign next_data[q*FlitBits+:FlitBits] = {
        in_data[FlitBits-1:HopBits], in_head ? hops - 1'b1 : hops
      };
    end else begin : gen_turn
      localparam int More = HopBits + StepBits + TagBits;
      logic [MoreBits-1:0] more;
      logic [PortBits-1:0] next_port;
      logic [HopBits-1:0] next_hops;
      assign more = in_data[More+:MoreBits];
      assign next_port = more[PortBits-1:0];
      assign next_hops = more[PortBits+:HopBits];

      logic pass_q;
      logic [PortBits-1:0] port_q;
      logic passes;
      logic [PortBits-1:0] port;
      assign passes = in_head ? straight || next_hops != '0 : pass_q;
      assign port   = !in_head ? port_q : straight ? PortBits'(Opposite) : next_port;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          pass_q <= 1'b0;
          port_q <= '0;
        end else if (head) begin
          pass_q <= passes;
          port_q <= port;
        end
      end
      assign pass[q*Ports+:Ports] = passes ? Ports'(32'd1 << port) : '0;
      assign deliver_o[q] = in_valid_i[q] && (stream_i || !passes);

      logic turns;
      assign turns = in_head && !straight;
      assign next_data[q*FlitBits+:HopBits] = !in_head ? hops :
                                           straight ? hops - 1'b1 : next_hops - 1'b1;
      assign next_data[q*FlitBits+HopBits+:More-HopBits] = in_data[More-1:HopBits];
      assign next_data[q*FlitBits+More+:MoreBits] =
          turns ? MoreBits'({{SegmentBits{1'b0}}, more} >> SegmentBits) : more;
      assign next_data[q*FlitBits+HeaderBits+:FlitBits-HeaderBits] = in_data[FlitBits-1:HeaderBits];
    end
  end

  // Delivery: one message at a time. In-port 0 is taken without a condition: without a delivery the value
  // does not matter.
  function automatic logic [Width-1:0] delivered(input logic [Ports-1:0] valid,
                                                 input logic [Ports*Width-1:0] data);
    delivered = data[Width-1:0];
    for (int q = 1; q < Ports; q++) begin
      if (valid[q]) delivered = data[q*Width+:Width];
    end
  endfunction
  assign deliver_data_o = delivered(deliver_o, in_data_i);
  assign deliver_valid_o = deliver_o != '0;
  assign deliver_head_o = (deliver_o & in_head_i) != '0;

  // The node's own time. timer_q counts the cycles to the next send; its first flits_i values after a send
  // belong to the flits.
  logic [TimeBits-1:0] period;
  logic [TimeBits-1:0] timer_q;
  logic held_q;
  logic sends_q;
  logic [PortBits-1:0] port_q;
  logic ripe;
  // The next send belongs to the step that starts.
  logic starts;
  logic sending;
  assign period = flits_i + relay_cycles_i;
  assign deliver_now_o = deliver_head_o && !held_q && period == TimeBits'(1);
  assign ripe = start_i || timer_q == TimeBits'(1) || deliver_now_o;
  assign starts = step_start_i && entry_valid_i && entry_i[PortBits+HopBits+:StepBits] == step_i;
  assign send_o = !clear_i && (step_sync_i ? starts && (ripe || (held_q && timer_q == '0)) :
                                             entry_valid_i && ripe);
  assign busy_o = timer_q != '0;
  assign sending = sends_q && timer_q > relay_cycles_i + 1'b1;
  assign flit_o = sending ? period + 1'b1 - timer_q : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      timer_q <= '0;
      held_q  <= 1'b0;
      sends_q <= 1'b0;
    end else if (clear_i) begin
      timer_q <= '0;
      held_q  <= 1'b0;
      sends_q <= 1'b0;
    end else begin
      if (send_o) timer_q <= period;
      else if (deliver_head_o && !held_q) timer_q <= period - 1'b1;
      else if (timer_q != '0) timer_q <= timer_q - 1'b1;
      if (start_i || deliver_head_o) held_q <= 1'b1;
      if (send_o) sends_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (send_o) port_q <= entry_i[PortBits-1:0];
  end

  // The own flit. A message of one flit that is sent on without delay has not been stored in the memory.
  logic [OwnWords*Width-1:0] own_data;
  for (genvar i = 0; i < OwnWords; i++) begin : gen_own_word
    logic [FlitBits-1:0] payload;
    assign payload = FlitBits'(deliver_now_o ? deliver_data_o : own_data_i[i*Width+:Width]);
    assign own_data[i*Width+:Width] =
        Width'(send_o ? {payload[FlitBits-1:HeaderBits], entry_i[PortBits+:HeaderBits]} : payload);
  end
  logic own;
  logic [PortBits-1:0] own_port;
  assign own = send_o || sending;
  assign flit_valid_o = own;
  assign own_port = send_o ? entry_i[PortBits-1:0] : port_q;

  logic [Ports-1:0] conflict;
  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    localparam int Unasked = Segments > 1 ? Ports - 1 : p % 2 == 0 ? p + 1 : p - 1;
    logic own_here;
    logic [Ports-1:0] candidates;
    logic head;
    logic [Width-1:0] own_word;
    logic [Width-1:0] data;
    assign own_word = own_data[p%OwnWords*Width+:Width];
    assign own_here = inject_valid_i[p] || (own && own_port == PortBits'(p));
    for (genvar q = 0; q < Ports; q++) begin : gen_candidate
      assign candidates[q] = in_valid_i[q] && (stream_i ? feed_i[p*Ports+q] : pass[q*Ports+p]);
    end
    assign conflict[p] = (candidates & (candidates - 1'b1)) != '0 ||
                         (own_here && candidates != '0);
    // The lowest in-port goes first, the own message last; in a correct plan there is no choice. The first
    // candidate is taken without a condition: without an arrival the value does not matter.
    for (genvar i = 0; i < Ports; i++) begin : gen_choice
      localparam int From = Ports - 1 - i;
      logic [Width:0] other;
      logic [Width:0] choice;
      if (i == 0) begin : gen_last
        assign other = {in_head_i[Unasked], Width'(next_data[Unasked*FlitBits+:FlitBits])};
      end else begin : gen_lower
        assign other = gen_choice[i-1].choice;
      end
      assign choice = (stream_i ? feed_i[p*Ports+From] : candidates[From]) ?
          {in_head_i[From], Width'(next_data[From*FlitBits+:FlitBits])} : other;
    end
    assign {head, data} = candidates != '0 ? gen_choice[Ports-1].choice : {send_o, own_word};
    gsm_link #(
        .Width(Width + 1)
    ) u_link (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .clear_i(clear_i),
        .valid_i(own_here || candidates != '0),
        .data_i ({head, data}),
        .valid_o(out_valid_o[p]),
        .data_o ({out_head_o[p], out_data_o[p*Width+:Width]})
    );
  end

  // More than one message for this node.
  logic crowded;
  logic met;
  assign crowded = !stream_i && (deliver_o & (deliver_o - 1'b1)) != '0;
  assign met = conflict != '0 || crowded;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_o <= 1'b0;
    else if (clear_i) error_o <= 1'b0;
    else if (met) error_o <= 1'b1;
  end

  // Only an assertion reads duplex_i.
  logic unused_duplex;
  assign unused_duplex = duplex_i;

  `GSM_ASSERT(OneMessageALink_A, clear_i || conflict == '0, "two messages on one link at once")
  `GSM_ASSERT(OneDelivery_A, clear_i || !crowded, "two messages for one node at once")
  `GSM_ASSERT(NoHead_A, clear_i || !stream_i || (in_valid_i & in_head_i) == '0,
              "a message arrives among streams")
  `GSM_ASSERT(OnePort_A, clear_i || duplex_i || !(deliver_valid_o && sending),
              "the node receives while it sends")
  `GSM_ASSERT(NoStall_A, clear_i || !(step_sync_i && starts && held_q) || send_o,
              "a step starts before the node is ready to send")
  `GSM_PARAMETER(PortsLegal_A, Ports >= 2 && Ports <= 16 && Ports % 2 == 0,
                 "Ports must be even, 2..16")
  `GSM_PARAMETER(WidthLegal_A, Width > HeaderBits, "the header does not fit a flit")
  `GSM_PARAMETER(SegmentsLegal_A, Segments >= 1 && Segments <= 16, "Segments must be 1..16")
  `GSM_PARAMETER(TimeBitsLegal_A, TimeBits >= 1 && TimeBits <= 32, "TimeBits must be 1..32")

endmodule

`default_nettype wire
