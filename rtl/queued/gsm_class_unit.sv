// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// The packets of one class at one node: packing, monotone routing, and broadcasts on the lines of one
// dimension after the other.
//
// Packets have keys: the rank in the class, or, with two halves per packet, twice the rank plus the half.
// At every edge the unit takes the arrivals, then selects the contents of its two link registers, 0
// downwards and 1 upwards, for the coming step. A phase that moves packets sends those that wants_i names.
// A phase that broadcasts first sends on arrivals with links left. Otherwise it sends the packet with the
// lowest key among those that were here when the phase began and have not been sent in this direction. A
// packet that stays has an entry; a packet that leaves at the edge of its arrival needs none.
module gsm_class_unit #(
    // Data bits of a packet or half, 1 or more.
    parameter int Width = 32,
    // Bits of a key, 1..16, and of a number of links, 1..16.
    parameter int KeyBits = 8,
    parameter int HopBits = 8,
    // Packets of the class in all nodes, 1 or more.
    parameter int Ranks = 4,
    // Capacity in packets or halves, 1..4096.
    parameter int Entries = 4,
    // In some phase, every second packet exchanges its numbers of links (alternate_i).
    parameter bit Alternate = 1'b1
) (
    // Clock, rising edge.
    input  logic                 clk_i,
    // Asynchronous reset, active low.
    input  logic                 rst_ni,
    // Synchronous clear: holds nothing, and no link register is in use.
    input  logic                 clear_i,
    // A round begins: the previous contents are dropped. Of the own packets with keys load_key_i and
    // load_key_i + 1, those whose bit of load_valid_i is set are stored.
    input  logic                 load_i,
    input  logic [          1:0] load_valid_i,
    input  logic [  KeyBits-1:0] load_key_i,
    input  logic [  2*Width-1:0] load_data_i,
    // The coming step belongs to a phase; it is the phase's first.
    input  logic                 active_i,
    input  logic                 begin_i,
    // The phase broadcasts; a later phase sends on its arrivals.
    input  logic                 broadcast_i,
    input  logic                 keep_i,
    // A packet is two halves; the half that moves in this step.
    input  logic                 halves_i,
    input  logic                 half_i,
    // There is a link downwards, upwards.
    input  logic [          1:0] linked_i,
    // Moving: bit r: the packet of rank r has to go downwards; bit Ranks + r: upwards.
    input  logic [  2*Ranks-1:0] wants_i,
    // Broadcast: numbers of links that own packets go downwards and upwards. Halves go in one direction,
    // even keys upwards. alternate_i: every second packet at this node exchanges its two numbers of links.
    input  logic [2*HopBits-1:0] hops_i,
    input  logic                 alternate_i,
    // Arrivals, travelling downwards and upwards, and the links that they have left.
    input  logic [          1:0] in_valid_i,
    input  logic [  2*Width-1:0] in_data_i,
    input  logic [2*KeyBits-1:0] in_key_i,
    input  logic [2*HopBits-1:0] in_hops_i,
    // The link registers.
    output logic [          1:0] out_valid_o,
    output logic [  2*Width-1:0] out_data_o,
    output logic [2*KeyBits-1:0] out_key_o,
    output logic [2*HopBits-1:0] out_hops_o,
    // The packet with the lowest key at this node.
    output logic                 held_valid_o,
    output logic [    Width-1:0] held_data_o,
    output logic [  KeyBits-1:0] held_key_o,
    // At the coming edge: the number of packets that wait for either link, including those that leave; at
    // the beginning of a broadcast also packets without such a link.
    output logic [         31:0] waiting_o,
    // A packet is lost at the coming edge: two need one link, or no entry is free.
    output logic                 fault_o
);

  // Possible packets after the edge: the entries, two arrivals, an own packet or its halves.
  localparam int Places = Entries + 4;
  localparam int RankBits = Ranks > 1 ? $clog2(Ranks) : 1;

  logic [Entries-1:0] held_q;
  logic [Entries*KeyBits-1:0] key_q;
  logic [Entries*Width-1:0] data_q;
  // By direction: the packet is still to be sent in this direction in the current broadcast. It exchanges
  // its numbers of links.
  logic [2*Entries-1:0] pending_q;
  logic [Entries-1:0] swap_q;
  // The current phase.
  logic broadcast_q;
  logic keep_q;

  // Functions, since processes that read vectors they write do not settle in Icarus 11.
  // The place of the lowest key, as a bit.
  function automatic logic [Places-1:0] lowest(input logic [Places-1:0] among,
                                               input logic [Places*KeyBits-1:0] keys);
    logic [KeyBits-1:0] best;
    lowest = '0;
    best   = '0;
    for (int i = 0; i < Places; i++) begin
      if (among[i] && (lowest == '0 || keys[i*KeyBits+:KeyBits] < best)) begin
        lowest    = '0;
        lowest[i] = 1'b1;
        best      = keys[i*KeyBits+:KeyBits];
      end
    end
  endfunction
  // The key or the data of a place.
  function automatic logic [KeyBits-1:0] key_of(input logic [Places-1:0] place,
                                                input logic [Places*KeyBits-1:0] keys);
    key_of = '0;
    for (int i = 0; i < Places; i++) begin
      if (place[i]) key_of = key_of | keys[i*KeyBits+:KeyBits];
    end
  endfunction
  function automatic logic [Width-1:0] data_of(input logic [Places-1:0] place,
                                               input logic [Places*Width-1:0] all);
    data_of = '0;
    for (int i = 0; i < Places; i++) begin
      if (place[i]) data_of = data_of | all[i*Width+:Width];
    end
  endfunction
  // Of the packets at this node, those with an odd number of lower keys.
  function automatic logic [Places-1:0] odd_ones(input logic [Places-1:0] among,
                                                 input logic [Places*KeyBits-1:0] keys);
    odd_ones = '0;
    for (int j = 0; j < Places; j++) begin
      if (among[j]) begin
        for (int i = 0; i < Places; i++) begin
          if (keys[j*KeyBits+:KeyBits] < keys[i*KeyBits+:KeyBits]) odd_ones[i] = !odd_ones[i];
        end
      end
    end
  endfunction
  function automatic logic [Places-1:0] odd_of(input logic [Places*KeyBits-1:0] all);
    for (int i = 0; i < Places; i++) odd_of[i] = all[i*KeyBits];
  endfunction
  // The packets whose rank is named.
  function automatic logic [Places-1:0] wanted_of(input logic [Places*KeyBits-1:0] all,
                                                  input logic [Ranks-1:0] ranks,
                                                  input logic halved);
    logic [KeyBits-1:0] key;
    wanted_of = '0;
    for (int i = 0; i < Places; i++) begin
      key = all[i*KeyBits+:KeyBits];
      if (halved) key = KeyBits'(32'(key) >> 1);
      if (32'(key) < Ranks) wanted_of[i] = ranks[RankBits'(key)];
    end
  endfunction
  function automatic logic [15:0] number_of(input logic [Places-1:0] among);
    number_of = '0;
    for (int i = 0; i < Places; i++) begin
      if (among[i]) number_of = number_of + 16'd1;
    end
  endfunction
  // The free entry for each of the four that join, one bit per entry.
  function automatic logic [4*Entries-1:0] entries_for(input logic [3:0] joins,
                                                       input logic [Entries-1:0] taken);
    logic [Entries-1:0] full;
    logic found;
    entries_for = '0;
    full        = taken;
    for (int j = 0; j < 4; j++) begin
      found = !joins[j];
      for (int i = 0; i < Entries; i++) begin
        if (!found && !full[i]) begin
          found                    = 1'b1;
          full[i]                  = 1'b1;
          entries_for[j*Entries+i] = 1'b1;
        end
      end
    end
  endfunction

  logic [Places-1:0] here;
  logic [Places*KeyBits-1:0] keys;
  logic [Places*Width-1:0] data;
  logic [KeyBits-1:0] next_key;
  assign next_key = load_key_i + 1'b1;
  assign here = {
    {2{load_i}} & load_valid_i, {2{keep_q && !load_i}} & in_valid_i, {Entries{!load_i}} & held_q
  };
  assign keys = {next_key, load_key_i, in_key_i, key_q};
  assign data = {load_data_i, in_data_i, data_q};

  // A broadcast begins.
  logic begins;
  logic [Places-1:0] swap;
  assign begins = begin_i && broadcast_i;
  if (Alternate) begin : gen_alternate
    assign swap = begins ? odd_ones(here & {Places{begins && alternate_i}}, keys) : {4'b0, swap_q};
  end else begin : gen_same
    assign swap = '0;
    logic unused_alternate;
    assign unused_alternate = ^{begins, alternate_i, swap_q};
  end

  // By direction: packets to be sent in this direction, in a broadcast or moving; packets that leave at
  // this edge; the packet that the link takes.
  logic [2*Places-1:0] goes;
  logic [2*Places-1:0] wants;
  logic [2*Places-1:0] leaves;
  logic [2*Places-1:0] sent;
  logic [Places-1:0] odd_keys;
  logic [Places-1:0] turn;
  assign odd_keys = odd_of(keys);
  assign turn     = !halves_i ? '1 : half_i ? odd_keys : ~odd_keys;
  for (genvar d = 0; d < 2; d++) begin : gen_direction
    logic passes;
    logic [HopBits-1:0] in_hops;
    logic [HopBits-1:0] hops;
    logic [HopBits-1:0] swapped;
    assign in_hops = in_hops_i[d*HopBits+:HopBits];
    assign hops    = hops_i[d*HopBits+:HopBits];
    assign swapped = hops_i[(1-d)*HopBits+:HopBits];
    assign passes =
        active_i && broadcast_q && !begin_i && linked_i[d] && in_valid_i[d] && in_hops != '0;

    // Packets that go in this direction at all when a broadcast begins.
    logic [Places-1:0] first;
    assign first = (swap & {Places{swapped != '0}} | ~swap & {Places{hops != '0}}) &
        (!halves_i ? '1 : d == 1 ? ~odd_keys : odd_keys);
    assign goes[d*Places+:Places] =
        here & {Places{broadcast_i}} & (begin_i ? first : {4'b0, pending_q[d*Entries+:Entries]});
    assign wants[d*Places+:Places] = here & {Places{active_i && !broadcast_i}} &
        wanted_of(keys, wants_i[d*Ranks+:Ranks], halves_i);
    assign leaves[d*Places+:Places] = wants[d*Places+:Places] & turn;
    assign waiting_o[d*16+:16] = number_of(goes[d*Places+:Places] | wants[d*Places+:Places]);

    logic [Places-1:0] next;
    assign next = lowest(goes[d*Places+:Places] | leaves[d*Places+:Places], keys);
    assign sent[d*Places+:Places] = passes || !active_i || !linked_i[d] ? '0 : next;

    logic [HopBits-1:0] own_hops;
    logic [HopBits-1:0] out_hops;
    assign own_hops = (next & swap) != '0 ? swapped : hops;
    assign out_hops = passes ? in_hops - 1'b1 : broadcast_i ? own_hops - 1'b1 : '0;
    gsm_link #(
        .Width(Width + KeyBits + HopBits)
    ) u_link (
        .clk_i(clk_i),
        .rst_ni(rst_ni),
        .clear_i(clear_i),
        .valid_i(passes || sent[d*Places+:Places] != '0),
        .data_i({
          out_hops,
          passes ? in_key_i[d*KeyBits+:KeyBits] : key_of(next, keys),
          passes ? in_data_i[d*Width+:Width] : data_of(next, data)
        }),
        .valid_o(out_valid_o[d]),
        .data_o({
          out_hops_o[d*HopBits+:HopBits],
          out_key_o[d*KeyBits+:KeyBits],
          out_data_o[d*Width+:Width]
        })
    );
  end

  // Packets that stay, and new entries for those without one.
  logic [Places-1:0] stays;
  logic [4*Entries-1:0] entry;
  logic [3:0] placed;
  assign stays = here & ~leaves[Places-1:0] & ~leaves[2*Places-1:Places];
  assign entry = entries_for(stays[Places-1:Entries], stays[Entries-1:0]);
  for (genvar j = 0; j < 4; j++) begin : gen_join
    assign placed[j] = entry[j*Entries+:Entries] != '0;
  end
  assign fault_o =
      !clear_i && ((leaves & ~sent) != '0 || (stays[Places-1:Entries] & ~placed) != '0);

  logic [Places-1:0] first_here;
  assign first_here   = lowest({4'b0, held_q}, keys);
  assign held_valid_o = held_q != '0;
  assign held_data_o  = data_of(first_here, data);
  assign held_key_o   = key_of(first_here, keys);

  // Marks of the packets that stay, by entry.
  function automatic logic [Entries-1:0] by_entry(input logic [Places-1:0] marks,
                                                  input logic [4*Entries-1:0] entries);
    by_entry = marks[Entries-1:0];
    for (int j = 0; j < 4; j++) begin
      if (marks[Entries+j]) by_entry = by_entry | entries[j*Entries+:Entries];
    end
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q    <= '0;
      pending_q <= '0;
    end else if (clear_i) begin
      held_q    <= '0;
      pending_q <= '0;
    end else begin
      held_q <= by_entry(stays, entry);
      pending_q <= {
        by_entry(goes[2*Places-1:Places] & ~sent[2*Places-1:Places], entry),
        by_entry(goes[Places-1:0] & ~sent[Places-1:0], entry)
      };
    end
  end
  always_ff @(posedge clk_i) begin
    swap_q <= by_entry(swap, entry);
    for (int j = 0; j < 4; j++) begin
      for (int i = 0; i < Entries; i++) begin
        if (entry[j*Entries+i]) begin
          key_q[i*KeyBits+:KeyBits] <= keys[(Entries+j)*KeyBits+:KeyBits];
          data_q[i*Width+:Width]    <= data[(Entries+j)*Width+:Width];
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      broadcast_q <= 1'b0;
      keep_q      <= 1'b1;
    end else if (clear_i) begin
      broadcast_q <= 1'b0;
      keep_q      <= 1'b1;
    end else if (begin_i) begin
      broadcast_q <= broadcast_i;
      keep_q      <= !broadcast_i || keep_i;
    end
  end

  `GSM_PARAMETER(KeyBitsLegal_A, KeyBits >= 1 && KeyBits <= 16, "KeyBits must be 1..16")
  `GSM_PARAMETER(HopBitsLegal_A, HopBits >= 1 && HopBits <= 16, "HopBits must be 1..16")
  `GSM_PARAMETER(RanksLegal_A, Ranks >= 1, "Ranks must be at least 1")
  `GSM_PARAMETER(EntriesLegal_A, Entries >= 1 && Entries <= 4096, "Entries must be 1..4096")

endmodule

`default_nettype wire
