// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Self-checking testbench of gsm_fabric with contexts. It uses ports only, so that a netlist can replace the
// RTL. It runs a random sequence of rounds and checks every result against the demand of the round's
// context: the testbench computes the words that each node needs, and the plan's tables only say which
// packet a number means. Prints "PASS" with figures and ends with status 0; otherwise it prints the error
// and "FAIL" and ends with $fatal.
//
// +rounds=N runs N rounds (by default each context once, in order, and then twice as many random ones),
// +seed=N chooses another sequence, +gaps=1 lets idle cycles come between rounds; otherwise a round begins in
// the last cycle of the round before. +context=C and +root=R repeat one context and one root.
module gsm_fabric_tb;

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Width = gsm_plan_pkg::Width;
  localparam int Contexts = gsm_plan_pkg::Contexts;
  localparam int Cycles = Ports / 2;
  localparam int NumberBits = gsm_plan_pkg::NumberBits;
  localparam int PieceBits = gsm_plan_pkg::PieceBits;
  localparam int PacketBits = gsm_plan_pkg::PacketBits;
  localparam int LaneBits = gsm_plan_pkg::LaneBits;
  localparam int WordBits = gsm_plan_pkg::WordBits;
  localparam int ExponentBits = gsm_plan_pkg::ExponentBits;
  localparam int FractionBits = WordBits - 1 - ExponentBits;
  localparam int Links = Nodes * Ports;
  localparam int Words = gsm_plan_pkg::MostWords;
  // Kinds of demands: a node's packets for all; blocks for their owners; blocks for all; words for all; a
  // root's message for all; words for the root; a packet for each other node, in which case packets that arrive
  // have numbers above those of own ones.
  localparam int Gather = 0;
  localparam int Scatter = 1;
  localparam int Blocks = 2;
  localparam int Common = 3;
  localparam int FromRoot = 4;
  localparam int ToRoot = 5;
  localparam int Exchange = 6;
  // Bounds of loops, not constants: Verilator would unroll every loop.
  int links = Links;
  int nodes = Nodes;
  int contexts = Contexts;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic [gsm_plan_pkg::ChoiceBits-1:0] choice = '0;
  logic [gsm_plan_pkg::RankBits-1:0] root = '0;
  logic [Links-1:0] first_valid;
  logic [Links*PacketBits-1:0] first_packet;
  logic [Links*Width-1:0] first_data = '0;
  logic [Links-1:0] own_valid;
  logic [Links*PacketBits-1:0] own_packet;
  logic [Links*Width-1:0] own_data = '0;
  logic [Links-1:0] deliver_valid;
  logic [Links*PacketBits-1:0] deliver_packet;
  logic [Links*Width-1:0] deliver_data;
  logic deliver_add;
  logic [Links-1:0] link_valid;
  logic [Links*Width-1:0] link_data;
  logic busy;
  logic last;
  logic done;
  gsm_fabric u_fabric (
      .clk_i           (clk),
      .rst_ni          (rst_n),
      .clear_i         (1'b0),
      .context_i       (choice),
      .root_i          (root),
      .start_i         (start),
      .first_valid_o   (first_valid),
      .first_packet_o  (first_packet),
      .first_data_i    (first_data),
      .own_valid_o     (own_valid),
      .own_packet_o    (own_packet),
      .own_data_i      (own_data),
      .deliver_valid_o (deliver_valid),
      .deliver_packet_o(deliver_packet),
      .deliver_data_o  (deliver_data),
      .deliver_add_o   (deliver_add),
      .link_valid_o    (link_valid),
      .link_data_o     (link_data),
      .busy_o          (busy),
      .last_o          (last),
      .done_o          (done)
  );
  always #5 clk = !clk;

  int seed = 1;
  int cycle = 0;
  int transfers = 0;
  function automatic logic [31:0] mix(input logic [31:0] value);
    mix = value;
    mix = mix ^ (mix >> 16);
    mix = mix * 32'h7feb352d;
    mix = mix ^ (mix >> 15);
    mix = mix * 32'h846ca68b;
    mix = mix ^ (mix >> 16);
  endfunction

  // Groups, from their shape: the first node of a node's group, its rank, and the members of each group.
  int leader[Contexts*Nodes];
  int rank[Contexts*Nodes];
  int members[Contexts];
  task find_groups;
    int at;
    int side;
    int shape;
    int stride;
    int member;
    int node_stride;
    begin
      for (int c = 0; c < contexts; c++) begin
        for (int n = 0; n < nodes; n++) begin
          node_stride = 1;
          members[c] = 1;
          rank[c*Nodes+n] = 0;
          leader[c*Nodes+n] = n;
          for (int d = 0; d < Cycles; d++) begin
            side = gsm_plan_pkg::side(d);
            shape = gsm_plan_pkg::group_shape(c * Cycles + d);
            stride = gsm_plan_pkg::group_stride(c * Cycles + d);
            at = n / node_stride % side;
            member = at / stride % shape;
            rank[c*Nodes+n] = rank[c*Nodes+n] + members[c] * member;
            leader[c*Nodes+n] = leader[c*Nodes+n] - member * stride * node_stride;
            members[c] = members[c] * shape;
            node_stride = node_stride * side;
          end
        end
      end
    end
  endtask

  // A round: its number, its context and its root. Bank 0 and 1: rounds follow each other without a cycle in
  // between.
  int round_of[2];
  int context_of[2];
  int root_of[2];
  // By bank, node and packet of the group: the words of the nodes, which results replace.
  logic [Width-1:0] word[2*Nodes*Words];
  logic written[2*Nodes*Words];

  function automatic logic [Width-1:0] mask(input int c);
    mask = gsm_plan_pkg::word_bits(c) >= Width ? '1 : (Width'(1) << gsm_plan_pkg::word_bits(c)) - Width'(1);
  endfunction
  // Floats are whole numbers, so that sums are exact in any order: as floats, and back.
  function automatic logic [63:0] float_of(input int number);
    logic [63:0] fraction;
    int exponent;
    fraction = 64'(number < 0 ? -number : number);
    exponent = (1 << (ExponentBits - 1)) - 1 + FractionBits;
    float_of = '0;
    if (number != 0) begin
      while ((fraction >> FractionBits) == 64'd0) begin
        fraction = fraction << 1;
        exponent = exponent - 1;
      end
      float_of = (64'(exponent) << FractionBits) | (fraction & ((64'd1 << FractionBits) - 64'd1));
      if (number < 0) float_of[WordBits-1] = 1'b1;
    end
  endfunction
  function automatic int number_of(input logic [63:0] word);
    int shift;
    logic [63:0] fraction;
    fraction = (word & ((64'd1 << FractionBits) - 64'd1)) | (64'd1 << FractionBits);
    shift = 32'((word >> FractionBits) & ((64'd1 << ExponentBits) - 64'd1)) - ((1 << (ExponentBits - 1)) - 1);
    number_of = shift < 0 ? 0 : 32'(fraction >> (FractionBits - shift));
    if (word[WordBits-1]) number_of = -number_of;
  endfunction
  // The largest number of which any sum over all nodes is exact.
  localparam int Exact = FractionBits >= 20 ? 1000 : (1 << (FractionBits + 1)) / Nodes;
  // The word that a node has or contributes: lane by lane.
  function automatic logic [Width-1:0] own_word(input int bank, input int n, input int packet);
    logic [63:0] value;
    for (int l = 0; l * WordBits < Width; l++) begin
      value = {mix(32'(packet * 77 + n) ^ mix(32'(round_of[bank] * 3 + 1) + 32'(seed + l * 1023))),
               mix(32'(packet * Nodes + n) + mix(32'(round_of[bank] + l * 511) ^ 32'(seed)))};
      if (ExponentBits > 0) begin
        value = float_of(32'(value[31:0] % 32'(2 * (Exact > 1 ? Exact : 1) + 1)) - (Exact > 1 ? Exact : 1));
      end
      own_word[l*WordBits+:WordBits] = value[WordBits-1:0];
      // Of one sign, so that the order of the sums does not matter.
      if (gsm_plan_pkg::operation(context_of[bank]) == 2) own_word[(l+1)*WordBits-1] = packet % 2 == 1;
      // Mostly set, as a single zero decides.
      if (gsm_plan_pkg::operation(context_of[bank]) == 5 && value[63:32] % (2 * Nodes) != 0) begin
        own_word[l*WordBits+:WordBits] = '1;
      end
    end
  endfunction
  function automatic logic [WordBits-1:0] combined_word(input int operation, input logic [WordBits-1:0] a,
                                                        input logic [WordBits-1:0] b);
    logic [WordBits:0] sum;
    int x;
    int y;
    sum = {1'b0, a} + {1'b0, b};
    combined_word = sum[WordBits-1:0];
    case (operation)
      1: if (sum[WordBits]) combined_word = '1;
      2: begin
        if (a[WordBits-1] == b[WordBits-1] && sum[WordBits-1] != a[WordBits-1]) begin
          combined_word = a[WordBits-1] ? WordBits'(1) << (WordBits - 1) : ~(WordBits'(1) << (WordBits - 1));
        end
      end
      3: combined_word = a > b ? a : b;
      4: combined_word = a < b ? a : b;
      5: combined_word = a & b;
      6: combined_word = a | b;
      7: combined_word = a ^ b;
      8: combined_word = $signed(a) > $signed(b) ? a : b;
      9: combined_word = $signed(a) < $signed(b) ? a : b;
      default: ;
    endcase
    if (ExponentBits > 0 && operation != 5) begin
      x = number_of(64'(a));
      y = number_of(64'(b));
      case (operation)
        3: combined_word = x > y ? a : b;
        4: combined_word = x < y ? a : b;
        default: combined_word = WordBits'(float_of(x + y));
      endcase
    end
  endfunction
  function automatic logic [Width-1:0] combined(input int operation, input logic [Width-1:0] a,
                                                input logic [Width-1:0] b);
    for (int l = 0; l * WordBits < Width; l++) begin
      combined[l*WordBits+:WordBits] =
          combined_word(operation, a[l*WordBits+:WordBits], b[l*WordBits+:WordBits]);
    end
  endfunction
  // The demand: whether a node starts with a packet, whether it needs it, and its value there.
  function automatic logic starts_with(input int bank, input int n, input int packet);
    int c;
    c = context_of[bank];
    case (gsm_plan_pkg::demand(c))
      Gather: starts_with = packet / gsm_plan_pkg::pieces(c) == rank[c*Nodes+n];
      FromRoot: starts_with = rank[c*Nodes+n] == root_of[bank];
      Exchange: starts_with = packet < members[c] * gsm_plan_pkg::pieces(c);
      default: starts_with = 1'b1;
    endcase
  endfunction
  function automatic logic needs(input int bank, input int n, input int packet);
    int c;
    c = context_of[bank];
    case (gsm_plan_pkg::demand(c))
      Scatter: needs = packet / gsm_plan_pkg::pieces(c) == rank[c*Nodes+n];
      ToRoot: needs = rank[c*Nodes+n] == root_of[bank];
      Exchange: begin
        needs = packet >= members[c] * gsm_plan_pkg::pieces(c) &&
                packet / gsm_plan_pkg::pieces(c) - members[c] != rank[c*Nodes+n];
      end
      default: needs = 1'b1;
    endcase
  endfunction
  // By bank, first node of a group and packet: the result.
  logic [Width-1:0] right[2*Nodes*Words];
  function automatic logic [Width-1:0] result(input int bank, input int n, input int packet);
    int c;
    logic any;
    c = context_of[bank];
    any = 1'b0;
    result = 'x;
    for (int m = n; m < nodes; m++) begin
      if (leader[c*Nodes+m] == n && starts_with(bank, m, packet)) begin
        result = any ? combined(gsm_plan_pkg::operation(c), result, own_word(bank, m, packet))
                     : own_word(bank, m, packet);
        any = 1'b1;
      end
    end
  endfunction
  function automatic logic [Width-1:0] right_word(input int bank, input int n, input int packet);
    int c;
    int each;
    c = context_of[bank];
    each = gsm_plan_pkg::pieces(c);
    right_word = right[(bank*Nodes+leader[c*Nodes+n])*Words+packet];
    // The word that the member of this rank has for the node.
    for (int m = 0; m < nodes && gsm_plan_pkg::demand(c) == Exchange; m++) begin
      if (leader[c*Nodes+m] == leader[c*Nodes+n] && rank[c*Nodes+m] == packet / each - members[c]) begin
        right_word = own_word(bank, m, rank[c*Nodes+n] * each + packet % each);
      end
    end
  endfunction
  function automatic int packets(input int c);
    packets = gsm_plan_pkg::pieces(c);
    if (gsm_plan_pkg::demand(c) <= Blocks) packets = packets * members[c];
    if (gsm_plan_pkg::demand(c) == Exchange) packets = packets * members[c] * 2;
  endfunction

  task fail(input string what, input int node, input int port);
    begin
      $display("FAIL: %0s: cycle %0d, node %0d, port %0d, round %0d of context %0d, seed %0d", what, cycle, node, port,
               round_of[bank_q], context_of[bank_q], seed);
      $fatal;
    end
  endtask

  // The packet that a number means at an out-port; -1: none. A place is that of a member of the group on the
  // out-port's cycle.
  int member_at[2*Cycles*Nodes*Nodes];
  task find_members(input int bank);
    int w;
    int c;
    logic [gsm_plan_pkg::Wirings*Cycles*NumberBits-1:0] places;
    begin
      c = context_of[bank];
      w = gsm_plan_pkg::wiring(c);
      for (int i = 0; i < Cycles * nodes * nodes; i++) member_at[bank*Cycles*Nodes*Nodes+i] = -1;
      for (int m = 0; m < nodes; m++) begin
        places = gsm_plan_pkg::places(gsm_plan_pkg::node_class(m));
        for (int i = 0; i < Cycles; i++) begin
          // By leader: members of a group see the same.
          member_at[((bank*Cycles+i)*Nodes+leader[c*Nodes+m])*Nodes+
                    32'(places[(w*Cycles+i)*NumberBits+:NumberBits])%Nodes] = rank[c*Nodes+m];
        end
      end
    end
  endtask
  function automatic int packet_of(input int bank, input int n, input int p, input logic [PacketBits-1:0] told,
                                   input logic arrives);
    int c;
    int number;
    int piece;
    int lane;
    logic [gsm_plan_pkg::Wirings*Ports*LaneBits-1:0] lanes;
    c = context_of[bank];
    number = 32'(told[PieceBits+:NumberBits]);
    piece = 32'(told[PieceBits-1:0]);
    case (gsm_plan_pkg::demand(c))
      Common: packet_of = number == 0 ? piece : -1;
      FromRoot, ToRoot: packet_of = number * gsm_plan_pkg::message_cycles(c) + piece;
      default: begin
        lanes = gsm_plan_pkg::lane(gsm_plan_pkg::node_class(n));
        lane = 32'(lanes[(gsm_plan_pkg::wiring(c)*Ports+p)*LaneBits+:LaneBits]);
        packet_of = -1;
        if (lane < Ports && number < Nodes) begin
          number = member_at[((bank*Cycles+lane/2)*Nodes+leader[c*Nodes+n])*Nodes+number];
          if (number >= 0) packet_of = number * gsm_plan_pkg::pieces(c) + piece;
        end
      end
    endcase
    if (gsm_plan_pkg::has_memory(c) != 0) packet_of = 32'(told);
    if (gsm_plan_pkg::demand(c) == Exchange) begin
      if (packet_of >= members[c] * gsm_plan_pkg::pieces(c)) packet_of = -1;
      else if (arrives) packet_of = packet_of + members[c] * gsm_plan_pkg::pieces(c);
    end
    if (packet_of >= packets(c)) packet_of = -1;
  endfunction

  // The bank of the running round, and of the next one.
  int bank_q = 1;
  int rounds;
  int gaps = 0;
  int only = -1;
  int only_root = -1;
  logic [31:0] dice;
  task throw;
    begin
      dice = mix(dice + 32'h9e37_79b9);
    end
  endtask

  // Prepares a round in a bank.
  task prepare(input int bank, input int number);
    int c;
    begin
      throw;
      round_of[bank] = number;
      context_of[bank] = only >= 0 ? only : rounds >= contexts && number < contexts ? number : 32'(dice % 32'(contexts));
      c = context_of[bank];
      throw;
      root_of[bank] = only_root >= 0 ? only_root % members[c] : 32'(dice % 32'(members[c]));
      find_members(bank);
      for (int n = 0; n < nodes; n++) begin
        for (int i = 0; i < packets(c); i++) begin
          written[(bank*Nodes+n)*Words+i] = 1'b0;
          if (leader[c*Nodes+n] == n && gsm_plan_pkg::demand(c) != Exchange) right[(bank*Nodes+n)*Words+i] = result(bank, n, i);
          word[(bank*Nodes+n)*Words+i] = starts_with(bank, n, i) ? own_word(bank, n, i) : 'x;
        end
      end
    end
  endtask
  // At the end of a round: every node has what it needs.
  task check(input int bank);
    int c;
    logic [Width-1:0] found;
    begin
      c = context_of[bank];
      for (int n = 0; n < nodes; n++) begin
        for (int i = 0; i < packets(c); i++) begin
          if (needs(bank, n, i)) begin
            found = word[(bank*Nodes+n)*Words+i];
            if (!written[(bank*Nodes+n)*Words+i] && gsm_plan_pkg::demand(c) > Gather &&
                (gsm_plan_pkg::demand(c) != FromRoot || rank[c*Nodes+n] != root_of[bank])) begin
              fail("a word has not come", n, i);
            end
            if (((found ^ right_word(bank, n, i)) & mask(c)) !== '0) fail("a wrong word", n, i);
          end
        end
      end
    end
  endtask

  // Inputs change as a whole: Verilator 5.006 does not propagate parts that a process changes.
  logic begins = 1'b0;
  logic [Links*Width-1:0] first_next;
  logic [Links*Width-1:0] own_next;
  // A cycle: words for the tiles, then the deliveries. Words that no tile reads are unknown.
  task serve;
    int packet;
    logic [Width-1:0] value;
    begin
      #1;
      for (int i = 0; i < links; i++) begin
        first_next[i*Width+:Width] = 'x;
        own_next[i*Width+:Width] = 'x;
        if (first_valid[i]) begin
          packet = packet_of(1 - bank_q, i / Ports, i % Ports, first_packet[i*PacketBits+:PacketBits], 1'b0);
          if (!begins || packet < 0) fail("a first word without a place", i / Ports, i % Ports);
          first_next[i*Width+:Width] = word[((1-bank_q)*Nodes+i/Ports)*Words+packet];
        end
        if (own_valid[i]) begin
          packet = packet_of(bank_q, i / Ports, i % Ports, own_packet[i*PacketBits+:PacketBits], 1'b0);
          if (!busy || packet < 0) fail("an own word without a place", i / Ports, i % Ports);
          own_next[i*Width+:Width] = word[(bank_q*Nodes+i/Ports)*Words+packet];
        end
        if (link_valid[i]) transfers = transfers + 1;
      end
      first_data = first_next;
      own_data = own_next;
      #1;
      for (int i = 0; i < links; i++) begin
        if (deliver_valid[i]) begin
          packet = packet_of(bank_q, i / Ports, i % Ports, deliver_packet[i*PacketBits+:PacketBits], 1'b1);
          if (!busy || packet < 0) fail("a delivery without a place", i / Ports, i % Ports);
          if (gsm_plan_pkg::demand(context_of[bank_q]) == Gather &&
              ((deliver_data[i*Width+:Width] ^ right_word(bank_q, i / Ports, packet)) & mask(context_of[bank_q])) !== '0) begin
            fail("a wrong arrival", i / Ports, i % Ports);
          end
          value = deliver_data[i*Width+:Width];
          if (deliver_add) begin
            value = combined(gsm_plan_pkg::operation(context_of[bank_q]),
                             word[(bank_q*Nodes+i/Ports)*Words+packet], value);
          end
          word[(bank_q*Nodes+i/Ports)*Words+packet] = value;
          written[(bank_q*Nodes+i/Ports)*Words+packet] = 1'b1;
        end
      end
    end
  endtask

  int number;
  int step;
  int idle;
  logic ends;
  initial begin
    if ($value$plusargs("seed=%d", seed)) begin end
    if ($value$plusargs("gaps=%d", gaps)) begin end
    if ($value$plusargs("context=%d", only)) begin end
    if ($value$plusargs("root=%d", only_root)) begin end
    if (!$value$plusargs("rounds=%d", rounds)) rounds = 3 * contexts;
    if (rounds < 1 || only >= contexts) begin
      $display("FAIL: +rounds is at least 1, and +context below %0d", contexts);
      $fatal;
    end
    dice = mix(32'(seed));
    find_groups;
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    number = 0;
    idle = 2;
    step = 0;
    while (number < rounds || step != 0) begin
      @(negedge clk);
      cycle = cycle + 1;
      if (step != 0 && (!busy || last != (step == gsm_plan_pkg::steps(context_of[bank_q])))) begin
        fail("busy_o or last_o is wrong", 0, 0);
      end
      if (step == 0 && busy) fail("busy_o is high", 0, 0);
      begins = 1'b0;
      if (step == 0 && idle > 0) idle = idle - 1;
      else if (number < rounds && (step == 0 || (last && idle == 0))) begin
        prepare(1 - bank_q, number);
        begins = 1'b1;
      end
      start = begins;
      choice = begins ? gsm_plan_pkg::ChoiceBits'(context_of[1-bank_q]) : '1;
      root = begins ? gsm_plan_pkg::RankBits'(root_of[1-bank_q]) : '1;
      serve;
      ends = last;
      @(posedge clk);
      if (ends) check(bank_q);
      if (begins) begin
        bank_q = 1 - bank_q;
        number = number + 1;
        step = 1;
        throw;
        idle = gaps == 0 ? 0 : 32'(dice % 32'd3);
      end else if (ends) step = 0;
      else if (step != 0) step = step + 1;
    end
    @(negedge clk);
    if (!done || busy) fail("done_o is low", 0, 0);
    $display("PASS rounds=%0d cycles=%0d transfers=%0d seed=%0d", rounds, cycle, transfers, seed);
    $finish;
  end

endmodule

`default_nettype wire
