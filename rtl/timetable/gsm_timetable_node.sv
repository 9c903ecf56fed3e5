// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of the timetable machine.
//
// The timing of a round is that of gsm_stream_node. The ROM is that of gsm_timetable_rows. In a timetable of
// several frames, own word i becomes the own words of sequence i, one per frame in which its row is executed.
//
// With adders of several cycles, or steps of several, the router is Late. A step then moves packets of Flits words,
// every StepCycles cycles, and each word of a packet has a slot of its own.
//
// With Streams no port grows with the message. Own stream p feeds out-port p, and with Sums own stream
// Ports + q the adder of in-port q. The tile takes the next word of a stream in a cycle in which own_ready_o is
// high; the order of a stream is that of its rows. Ahead cycles before, own_next_o is high and own_index_o is the
// number of that word, so that a memory with synchronous read can supply it. A network is rigid and cannot wait:
// own_valid_i is high with own_ready_o, and deliver_ready_i with deliver_valid_o; otherwise a word is lost, and
// error_o rises. A round begins with Ahead cycles before step 1.
//
// The n-th packet of own sequence c begins with the word whose number is n * Stride + its base, and its first Ramp
// packets may have other numbers. Without Bases the base of sequence c is c * Flits. A packet is a word, unless steps
// last several cycles.
module gsm_timetable_node #(
    // Ports of the router, two for each dimension: 2..16, even.
    parameter int Ports = 4,
    // Bits of a word, 1 or more.
    parameter int Width = 32,
    // 1: own words come by streams, 0: all of them are at own_data_i.
    parameter bit Streams = 1'b0,
    // Own packets of the node, for own_data_i only, and sequences that they form; without frames, each packet is a
    // sequence.
    parameter int OwnPackets = 1,
    parameter int Own = OwnPackets,
    // Arrivals are combined, by the operation that gsm_combine gives this number.
    parameter bit Sums = 1'b0,
    parameter int Operation = 0,
    // Arrivals for the processing element: "all", "unstored" (no slot takes them), or "marked".
    parameter logic [8*8-1:0] Delivery = "all",
    // Slots of the memory, 1..65535.
    parameter int Slots = 1,
    // The router is Late, which requires Sums: cycles of an adder, registers inside it, the most additions in
    // series, the adders of each in-port, and by in-port the additions after which results leave it.
    parameter bit Late = 1'b0,
    parameter int AdderCycles = 0,
    parameter int Stages = 0,
    parameter int Depth = 1,
    parameter logic [Ports*Ports-1:0] Adders = '1,
    parameter logic [Ports*$clog2(Ports+1)-1:0] Waits = '0,
    // Words of a packet; cycles of a step that waits for its additions. 0: a step is a cycle and does not wait.
    parameter int Flits = 1,
    parameter int StepCycles = 0,
    // Cycles of a round; words of the ROM and frames, 1..2^30.
    parameter int Steps = 1,
    parameter int Words = Steps,
    parameter int Frames = 1,
    // Bits of the fields First, Before and delivery of a row, 0 or more. The delivery field, 1 bit or more with
    // "marked" and 0 otherwise, is 0 for none. With $clog2(Own + 1) bits it is 1 more than the sequence that is
    // delivered.
    parameter int FirstBits = 0,
    parameter int BeforeBits = 0,
    parameter int DeliverBits = Delivery == "marked" ? 1 : 0,
    // Cycles from the number of an own word to the word, 0..65535; the same in all tiles of a network.
    parameter int Ahead = 0,
    // Bits of the number of a word, 1..32; words that a frame takes from all sequences, Flits for each packet.
    parameter int IndexBits = 32,
    parameter int Stride = 0,
    // 1: bases are listed: bits c*IndexBits +: IndexBits, modulo 2^IndexBits.
    parameter bit Bases = 1'b0,
    parameter logic [(Bases ? Own : 1)*IndexBits-1:0] Base = '0,
    // Packets at the beginning of each sequence whose numbers are listed: bits (c*Ramp + n)*IndexBits and up.
    parameter int Ramp = 0,
    parameter logic [(Ramp > 0 ? Own*Ramp : 1)*IndexBits-1:0] RampIndex = '0,
    // As gsm_timetable_rows has it.
    parameter logic [Words*Ports*($clog2(Own+Slots+1)*(Sums ? 2 : 1)+$clog2(Slots+1)
                                  +DeliverBits+2*(FirstBits+BeforeBits))-1:0] Rom = '0,
    localparam int OwnStreams = Ports * (Sums ? 2 : 1)
) (
    // Clock, rising edge.
    input  logic                      clk_i,
    // Asynchronous reset, active low.
    input  logic                      rst_ni,
    // Synchronous clear: ends the round, empties the router, lowers error_o.
    input  logic                      clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                      start_i,
    // Own streams: those of out-ports, then with Sums those of in-ports. Without Streams own_data_i has all own
    // words, number i in bits i*Width +: Width, stable from start_i to the end of the round.
    input  logic [OwnStreams-1:0]     own_valid_i,
    output logic [OwnStreams-1:0]     own_ready_o,
    input  logic [(Streams ? OwnStreams : OwnPackets*Flits)*Width-1:0] own_data_i,
    output logic [OwnStreams-1:0]     own_next_o,
    output logic [OwnStreams*IndexBits-1:0] own_index_o,
    // Links.
    input  logic [         Ports-1:0] in_valid_i,
    input  logic [   Ports*Width-1:0] in_data_i,
    output logic [         Ports-1:0] out_valid_o,
    output logic [   Ports*Width-1:0] out_data_o,
    // By in-port: the results for the processing element; their numbers if the delivery field has them, or 0.
    output logic [         Ports-1:0] deliver_valid_o,
    input  logic [         Ports-1:0] deliver_ready_i,
    output logic [   Ports*Width-1:0] deliver_data_o,
    output logic [Ports*IndexBits-1:0] deliver_index_o,
    // This is a cycle of a round.
    output logic                      busy_o,
    // It is the last.
    output logic                      last_o,
    // The cycle after the last step.
    output logic                      done_o,
    // No round is running.
    output logic                      idle_o,
    // Since the last clear, reset or start, two arrivals replaced the same slot in one step, an own word was
    // missing, or a result was not taken.
    output logic                      error_o
);

  localparam int StepWidth = $clog2(Steps + Ahead + 1);
  localparam int OwnWidth = $clog2(Own + 1);
  localparam int SlotWidth = $clog2(Slots * Flits + 1);
  localparam int FrameWidth = Frames > 1 ? $clog2(Frames) : 1;
  localparam int FlitWidth = Flits > 1 ? $clog2(Flits) : 1;
  localparam int WaitWidth = $clog2(Ports + 1);
  localparam int DeliverWidth = DeliverBits > 0 ? DeliverBits : 1;
  // The delivery field names the sequence; one bit names the only one.
  localparam bit Indexed = DeliverBits > 1 || (DeliverBits == 1 && Own == 1);

  logic [StepWidth-1:0] unused_step;
  gsm_round #(
      .StepWidth(StepWidth)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .steps_i(StepWidth'(Steps + Ahead)),
      .step_o (unused_step),
      .busy_o (busy_o),
      .last_o (last_o),
      .done_o (done_o)
  );
  assign idle_o = !busy_o;

  // Between rounds nothing is kept.
  logic clear;
  assign clear = clear_i || last_o || !(start_i || busy_o);

  logic [Ports*OwnWidth-1:0] send_own;
  logic [Ports*FrameWidth-1:0] send_n;
  logic [Ports*SlotWidth-1:0] send_slot;
  logic [FlitWidth-1:0] send_flit;
  logic [Ports*OwnWidth-1:0] with_own;
  logic [Ports*FrameWidth-1:0] with_n;
  logic [Ports*SlotWidth-1:0] with_slot;
  logic [FlitWidth-1:0] with_flit;
  logic [Ports*SlotWidth-1:0] write;
  logic [Ports*DeliverWidth-1:0] deliver;
  gsm_timetable_rows #(
      .Ports      (Ports),
      .Own        (Own),
      .Slots      (Slots),
      .Sums       (Sums),
      .Flits      (Flits),
      .StepCycles (StepCycles),
      .Words      (Words),
      .Frames     (Frames),
      .FirstBits  (FirstBits),
      .BeforeBits (BeforeBits),
      .DeliverBits(DeliverBits),
      .Rom        (Rom)
  ) u_rows (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .clear_i    (clear),
      .send_own_o (send_own),
      .send_n_o   (send_n),
      .send_slot_o(send_slot),
      .send_flit_o(send_flit),
      .with_own_o (with_own),
      .with_n_o   (with_n),
      .with_slot_o(with_slot),
      .with_flit_o(with_flit),
      .write_o    (write),
      .deliver_o  (deliver)
  );

  // The number of word `word` of the `n`-th packet of sequence `number` - 1.
  function automatic logic [IndexBits-1:0] index_of(input logic [OwnWidth-1:0] number,
                                                    input logic [FrameWidth-1:0] n,
                                                    input logic [FlitWidth-1:0] word);
    logic [OwnWidth-1:0] at;
    at = number - 1'b1;
    index_of = IndexBits'(32'(at) * Flits);
    if (Bases) begin
      index_of = '0;
      for (int c = 0; c < Own; c++) begin
        if (32'(at) == c) index_of = Base[(Bases?c : 0)*IndexBits+:IndexBits];
      end
    end
    index_of = index_of + IndexBits'(Stride) * IndexBits'(n);
    if (Ramp > 0 && 32'(n) < Ramp) begin
      for (int i = 0; i < Own * Ramp; i++) begin
        if (32'(at) * Ramp + 32'(n) == i) index_of = RampIndex[(Ramp > 0?i : 0)*IndexBits+:IndexBits];
      end
    end
    index_of = index_of + IndexBits'(word);
  endfunction

  // The fields of rows that the router needs, Ahead cycles later: requests of own words, slots, deliveries.
  localparam int LateWidth = OwnStreams + Ports * (3 * SlotWidth + 1);
  logic [OwnStreams-1:0] asked;
  logic [Ports-1:0] marked_next;
  logic [LateWidth-1:0] early;
  logic [LateWidth-1:0] late;
  logic [OwnStreams-1:0] taken;
  logic [Ports*SlotWidth-1:0] read_late;
  logic [Ports*SlotWidth-1:0] with_late;
  logic [Ports*SlotWidth-1:0] write_late;
  logic [Ports-1:0] marked;
  assign {taken, read_late, with_late, write_late, marked} = late;
  assign early = {asked, send_slot, with_slot, write, marked_next};
  if (Ahead > 0) begin : gen_ahead
    logic [Ahead*LateWidth-1:0] rows_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) rows_q <= '0;
      else if (clear) rows_q <= '0;
      else rows_q <= (Ahead * LateWidth)'({rows_q, early});
    end
    assign late = rows_q[(Ahead-1)*LateWidth+:LateWidth];
    assign own_ready_o = taken;
  end else begin : gen_at_once
    assign late = early;
    assign own_ready_o = own_next_o;
  end

  // The next word of each stream.
  logic [OwnStreams*Width-1:0] next_data;
  if (Streams) begin : gen_streams
    assign next_data = own_data_i;
  end else begin : gen_words
    localparam int AddressWidth = OwnPackets * Flits > 1 ? $clog2(OwnPackets * Flits) : 1;
    for (genvar s = 0; s < OwnStreams; s++) begin : gen_stream
      assign next_data[s*Width+:Width] = own_data_i[32'(own_index_o[s*IndexBits+:AddressWidth])*Width+:Width];
    end
  end
  logic [Ports-1:0] own_valid;
  logic [Ports*Width-1:0] own_data;
  logic [Ports-1:0] stored;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic [OwnWidth-1:0] send;
    assign send = send_own[p*OwnWidth+:OwnWidth];
    assign asked[p] = send != '0;
    // Between rounds the ROM shows the first step. The router, which is clear then, need not know.
    assign own_next_o[p] = asked[p] && !clear;
    assign own_index_o[p*IndexBits+:IndexBits] =
        send != '0 ? index_of(send, send_n[p*FrameWidth+:FrameWidth], send_flit) : '0;
    assign stored[p] = write_late[p*SlotWidth+:SlotWidth] != '0;
    assign marked_next[p] = deliver[p*DeliverWidth+:DeliverWidth] != '0;
    if (Sums) begin : gen_with
      logic [OwnWidth-1:0] with_number;
      assign with_number = with_own[p*OwnWidth+:OwnWidth];
      assign asked[Ports+p] = with_number != '0;
      assign own_next_o[Ports+p] = asked[Ports+p];
      assign own_index_o[(Ports+p)*IndexBits+:IndexBits] =
          with_number != '0 ? index_of(with_number, with_n[p*FrameWidth+:FrameWidth], with_flit) : '0;
      assign own_valid[p] = taken[Ports+p];
      assign own_data[p*Width+:Width] = next_data[(Ports+p)*Width+:Width];
    end else begin : gen_copy
      assign own_valid[p] = 1'b0;
      assign own_data[p*Width+:Width] = '0;
    end
    if (Indexed) begin : gen_index
      // The result of the row comes so many cycles later.
      localparam int Behind = Ahead + (Late ? 32'(Waits[p*WaitWidth+:WaitWidth]) * AdderCycles : 0);
      logic [IndexBits-1:0] index;
      assign index = marked_next[p] ? index_of(OwnWidth'(deliver[p*DeliverWidth+:DeliverWidth]),
                                               with_n[p*FrameWidth+:FrameWidth], with_flit) : '0;
      if (Behind > 0) begin : gen_behind
        logic [Behind*IndexBits-1:0] index_q;
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) index_q <= '0;
          else if (clear) index_q <= '0;
          else index_q <= (Behind * IndexBits)'({index_q, index});
        end
        assign deliver_index_o[p*IndexBits+:IndexBits] = index_q[(Behind-1)*IndexBits+:IndexBits];
      end else begin : gen_at_once
        assign deliver_index_o[p*IndexBits+:IndexBits] = index;
      end
    end else begin : gen_no_index
      assign deliver_index_o[p*IndexBits+:IndexBits] = '0;
    end
  end
  logic unused_rows;
  assign unused_rows = ^{send_n, with_own, with_n, with_flit};

  logic [Ports-1:0] delivers;
  if (Delivery == "marked") begin : gen_marked
    assign delivers = marked;
  end else begin : gen_arrivals
    assign delivers = Delivery == "all" ? '1 : ~stored;
  end
  logic unused_delivery;
  assign unused_delivery = ^{stored, marked};

  logic error;
  gsm_timetable_router #(
      .Ports          (Ports),
      .Width          (Width),
      .SumWidth       (Sums ? Width : 0),
      .Operation      (Operation),
      .Slots          (Slots * Flits),
      .Late           (Late),
      .Stages         (Stages),
      .MostAdderCycles(AdderCycles),
      .Depth          (Depth),
      .Adders         (Adders)
  ) u_router (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear),
      .adder_cycles_i(4'(AdderCycles)),
      .steps_wait_i  (StepCycles != 0),
      .waits_i       (Waits),
      .inject_valid_i(taken[Ports-1:0]),
      .inject_data_i (next_data[Ports*Width-1:0]),
      .read_i        (read_late),
      .with_i        (with_late),
      .own_valid_i   (own_valid),
      .own_data_i    (own_data),
      .write_i       (write_late),
      .deliver_i     (delivers),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (out_valid_o),
      .out_data_o    (out_data_o),
      .result_valid_o(deliver_valid_o),
      .result_data_o (deliver_data_o),
      .error_o       (error)
  );

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(error || (own_ready_o & ~own_valid_i) != '0 || (deliver_valid_o & ~deliver_ready_i) != '0),
      .error_o(error_o)
  );

  `GSM_PARAMETER(StepsLegal_A, Steps >= 1 && Steps <= 1073741824, "Steps must be 1..2^30")
  `GSM_PARAMETER(DeliveryLegal_A, Delivery == "all" || Delivery == "unstored" || Delivery == "marked",
                 "Delivery must be all, unstored or marked")
  `GSM_PARAMETER(DeliverBitsLegal_A, (Delivery == "marked") == (DeliverBits > 0),
                 "DeliverBits must be 1 or more with marked, and 0 otherwise")
  `GSM_PARAMETER(AheadLegal_A, Ahead >= 0 && Ahead <= 65535, "Ahead must be 0..65535")
  `GSM_PARAMETER(IndexBitsLegal_A, IndexBits >= 1 && IndexBits <= 32, "IndexBits must be 1..32")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a word leaves outside a round")

endmodule

`default_nettype wire
