// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// Packets of a queued tile in memories, so that no port grows with the packets or with the number of nodes.
//
// gsm_queued_node moves numbers instead of packets: own packet i has number i; an arrival has the highest bit and below
// it its in-port and its place in the memory of that in-port. A link carries the words of the packet that the tile
// sends, one per cycle from the first cycle of a step on, and above each the bits that the tile has above its number.
// A memory keeps the last Entries packets. In steps of the prefix links carry the tile's messages.
//
// Own stream p has the own words that leave by out-port p, in the cycle in which they are on the link. Word f of own
// packet i has the number i * Words + f. With flags, stream Ports begins with start_i: the words that follow the
// packets. Deliveries are the words of arrivals in their cycle, with the tile's bits above them. Elements do not stall:
// own_valid_i is high with own_ready_o, and deliver_ready_i with deliver_valid_o; otherwise error_o rises.
module gsm_packet_streams #(
    // Ports of the tile, 2..16, even; bits of a word, 1 or more; words of a packet, 1 or more.
    parameter int Ports = 4,
    parameter int Width = 32,
    parameter int Words = 1,
    // Bits above a word on a link, 1 or more, and in a delivery.
    parameter int Extra = 1,
    parameter int DeliverExtra = 1,
    // Own packets, 1 or more; words of flags, 0 or more.
    parameter int Own = 1,
    parameter int FlagWords = 0,
    // Arrivals that an in-port keeps: a power of two.
    parameter int Entries = 1,
    // Deliveries of the tile: Ports, or one more, which is not the word of an arrival.
    parameter int Delivers = Ports,
    // Bits of a packet's number; of a cycle of a step; of the number of a word.
    parameter int NumberBits = 1 + $clog2(Ports * Entries > Own ? Ports * Entries : Own),
    parameter int CycleBits = 1,
    parameter int IndexBits = 16,
    localparam int Streams = Ports + (FlagWords > 0 ? 1 : 0),
    localparam int FlagBits = (FlagWords > 0 ? FlagWords : 1) * Width
) (
    // Clock, rising edge.
    input  logic                                clk_i,
    // Asynchronous reset, active low.
    input  logic                                rst_ni,
    // Synchronous clear, and the pulse that begins a round; the tile receives the same signals.
    input  logic                                clear_i,
    input  logic                                start_i,
    // gsm_serial_steps: the cycle of the step, its last one; this is a step of packets.
    input  logic [               CycleBits-1:0] cycle_i,
    input  logic                                step_last_i,
    input  logic                                packets_i,
    // Element.
    input  logic [                 Streams-1:0] own_valid_i,
    output logic [                 Streams-1:0] own_ready_o,
    input  logic [           Streams*Width-1:0] own_data_i,
    output logic [       Streams*IndexBits-1:0] own_index_o,
    output logic [                Delivers-1:0] deliver_valid_o,
    input  logic [                Delivers-1:0] deliver_ready_i,
    output logic [Delivers*(Width+DeliverExtra)-1:0] deliver_data_o,
    // The number of a word in its packet.
    output logic [      Delivers*IndexBits-1:0] deliver_index_o,
    // Links.
    input  logic [                   Ports-1:0] in_valid_i,
    input  logic [     Ports*(Width+Extra)-1:0] in_data_i,
    output logic [     Ports*(Width+Extra)-1:0] out_data_o,
    // Tile: flags from the cycle of start_i on; the contents of its links; its deliveries.
    output logic [                FlagBits-1:0] tile_flags_o,
    output logic [Ports*(NumberBits+Extra)-1:0] tile_in_data_o,
    input  logic [                   Ports-1:0] tile_out_valid_i,
    input  logic [Ports*(NumberBits+Extra)-1:0] tile_out_data_i,
    input  logic [                Delivers-1:0] tile_deliver_valid_i,
    input  logic [Delivers*(NumberBits+DeliverExtra)-1:0] tile_deliver_data_i,
    // An own word was missing, or a delivery was not taken, since the last clear, reset or start.
    output logic                                error_o
);

  localparam int LinkBits = Width + Extra;
  localparam int TileBits = NumberBits + Extra;
  localparam int DeliverBits = Width + DeliverExtra;
  localparam int PlaceBits = Entries > 1 ? $clog2(Entries) : 0;
  localparam int PortBits = $clog2(Ports);
  localparam int AddressBits = Entries * Words > 1 ? $clog2(Entries * Words) : 1;

  // Words of packets move in this cycle.
  logic moves;
  assign moves = packets_i && 32'(cycle_i) < Words;

  for (genvar q = 0; q < Ports; q++) begin : gen_in_port
    // The place of the present arrival.
    logic [AddressBits-1:0] place_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) place_q <= '0;
      else if (clear_i || start_i) place_q <= '0;
      else if (step_last_i && packets_i && in_valid_i[q]) begin
        place_q <= 32'(place_q) == Entries - 1 ? '0 : place_q + 1'b1;
      end
    end
    logic [Width-1:0] word_q[Entries*Words];
    always_ff @(posedge clk_i) begin
      if (moves && in_valid_i[q]) begin
        word_q[AddressBits'(32'(place_q)*Words+32'(cycle_i))] <= in_data_i[q*LinkBits+:Width];
      end
    end
    logic [NumberBits-1:0] number;
    assign number = NumberBits'(32'(place_q) + q * Entries) | (NumberBits'(1) << (NumberBits - 1));
    assign tile_in_data_o[q*TileBits+:TileBits] = packets_i ? {in_data_i[q*LinkBits+Width+:Extra], number}
                                                            : TileBits'(in_data_i[q*LinkBits+:LinkBits]);
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    logic [NumberBits-1:0] number;
    logic arrived;
    logic [AddressBits-1:0] address;
    assign number = tile_out_data_i[p*TileBits+:NumberBits];
    assign arrived = number[NumberBits-1];
    assign address = AddressBits'((32'(number) & (Entries - 1)) * Words + 32'(cycle_i));
    // The word in the memory of each in-port; that of the arrival's.
    logic [Ports*Width-1:0] words;
    logic [Width-1:0] kept;
    for (genvar q = 0; q < Ports; q++) begin : gen_memory
      logic here;
      assign here = number[PlaceBits+:PortBits] == PortBits'(q);
      assign words[q*Width+:Width] = here ? gen_in_port[q].word_q[address] : '0;
    end
    assign kept = any_word(words);
    assign own_ready_o[p] = moves && tile_out_valid_i[p] && !arrived;
    assign own_index_o[p*IndexBits+:IndexBits] =
        own_ready_o[p] ? IndexBits'(32'(number) * Words + 32'(cycle_i)) : '0;
    assign out_data_o[p*LinkBits+:LinkBits] =
        packets_i ? {tile_out_data_i[p*TileBits+NumberBits+:Extra], arrived ? kept : own_data_i[p*Width+:Width]}
                  : LinkBits'(tile_out_data_i[p*TileBits+:TileBits]);
  end
  function automatic logic [Width-1:0] any_word(input logic [Ports*Width-1:0] all);
    any_word = '0;
    for (int q = 0; q < Ports; q++) any_word = any_word | all[q*Width+:Width];
  endfunction

  for (genvar i = 0; i < Delivers; i++) begin : gen_delivery
    if (DeliverExtra > 0) begin : gen_above
      assign deliver_data_o[i*DeliverBits+Width+:DeliverExtra] =
          tile_deliver_data_i[i*(NumberBits+DeliverExtra)+NumberBits+:DeliverExtra];
    end
    assign deliver_index_o[i*IndexBits+:IndexBits] = IndexBits'(cycle_i);
    if (i < Ports) begin : gen_arrival
      assign deliver_valid_o[i] = moves && tile_deliver_valid_i[i];
      assign deliver_data_o[i*DeliverBits+:Width] = in_data_i[i*LinkBits+:Width];
    end else begin : gen_other
      assign deliver_valid_o[i] = cycle_i == '0 && tile_deliver_valid_i[i];
      assign deliver_data_o[i*DeliverBits+:Width] = '0;
    end
  end
  logic unused_numbers;
  assign unused_numbers = ^tile_deliver_data_i;

  if (FlagWords > 0) begin : gen_flags
    localparam int TakenBits = $clog2(FlagWords + 1);
    // Words that have been taken in earlier cycles of the round.
    logic [TakenBits-1:0] taken_q;
    logic [TakenBits-1:0] taken;
    logic takes;
    assign taken = start_i ? '0 : taken_q;
    assign takes = 32'(taken) < FlagWords;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) taken_q <= TakenBits'(FlagWords);
      else if (clear_i) taken_q <= TakenBits'(FlagWords);
      else if (takes) taken_q <= taken + 1'b1;
    end
    for (genvar i = 0; i < FlagWords; i++) begin : gen_word
      logic here;
      logic [Width-1:0] word_q;
      assign here = takes && 32'(taken) == i;
      always_ff @(posedge clk_i) begin
        if (here) word_q <= own_data_i[Ports*Width+:Width];
      end
      assign tile_flags_o[i*Width+:Width] = here ? own_data_i[Ports*Width+:Width] : word_q;
    end
    assign own_ready_o[Ports] = takes;
    assign own_index_o[Ports*IndexBits+:IndexBits] = takes ? IndexBits'(Own * Words + 32'(taken)) : '0;
  end else begin : gen_no_flags
    assign tile_flags_o = '0;
  end

  // A word that is missing in the cycle of start_i belongs to the round that begins.
  logic missed;
  logic missed_q;
  assign missed = (own_ready_o & ~own_valid_i) != '0 || (deliver_valid_o & ~deliver_ready_i) != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) missed_q <= 1'b0;
    else missed_q <= missed && start_i && !clear_i;
  end
  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(missed || missed_q),
      .error_o(error_o)
  );

  `GSM_PARAMETER(EntriesLegal_A, Entries >= 1 && (Entries & (Entries - 1)) == 0, "Entries must be a power of two")
  `GSM_PARAMETER(NumberBitsLegal_A, NumberBits > $clog2(Ports * Entries) && NumberBits > $clog2(Own),
                 "NumberBits is too small for the packets")

endmodule

`default_nettype wire
