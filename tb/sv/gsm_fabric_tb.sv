// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Self-checking testbench of gsm_fabric, for every plan and discipline: in each cycle exactly the links
// that the plan uses carry something, each the right word, every delivery comes in its cycle with the
// right word and no other comes, the round lasts as long as planned, and there is no error. It looks at
// ports alone, so that a netlist can stand in for the RTL.
//
// What is right stands in gsm_fabric_expected.txt, which `gossamer emit` writes next to this file from a
// run of the plan on its own engine; docs/emit.md describes it. Prints "PASS" with steps and cycles and
// ends with status 0, otherwise prints what is wrong and "FAIL" and ends with $fatal. +rounds=N runs N
// rounds, 1 unless given, each with other data (reductions: the same); +trace=FILE writes what the links
// carry in the first as CSV (step,hop,from,port,packet, reductions also terms); +table=FILE loads an image of the tables before the first round;
// +expected=FILE names another file of what is right.
module gsm_fabric_tb;

  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int Width = gsm_plan_pkg::Width;
  localparam int Links = gsm_plan_pkg::Nodes * Ports;
  localparam int LinkBits = gsm_plan_pkg::LinkWords * Width + gsm_plan_pkg::LinkExtra;
  localparam int Deliveries = gsm_plan_pkg::Nodes * gsm_plan_pkg::Delivers;
  localparam int DeliverBits = gsm_plan_pkg::DeliverWords * Width + gsm_plan_pkg::DeliverExtra;
  localparam int Bits = LinkBits > DeliverBits ? LinkBits : DeliverBits;
  localparam int OwnTotal = gsm_plan_pkg::OwnTotal;
  localparam int TableBits = gsm_plan_pkg::TableBits;
  // Bounds of loops, and no constants: Verilator would write out every pass, and take minutes to compile them.
  int links = Links;
  int deliveries = Deliveries;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic start = 1'b0;
  logic table_write = 1'b0;
  logic [31:0] table_address = '0;
  logic [TableBits-1:0] table_data = '0;
  logic [OwnTotal*Width-1:0] own_data;
  logic [Deliveries-1:0] deliver_valid;
  logic [Deliveries*DeliverBits-1:0] deliver_data;
  logic [Links-1:0] link_valid;
  logic [Links*LinkBits-1:0] link_data;
  logic busy;
  logic done;
  logic error;

  gsm_fabric u_fabric (
      .clk_i          (clk),
      .rst_ni         (rst_n),
      .clear_i        (1'b0),
      .start_i        (start),
      .table_write_i  (table_write),
      .table_address_i(table_address),
      .table_data_i   (table_data),
      .own_data_i     (own_data),
      .deliver_valid_o(deliver_valid),
      .deliver_data_o (deliver_data),
      .link_valid_o   (link_valid),
      .link_data_o    (link_data),
      .busy_o         (busy),
      .done_o         (done),
      .error_o        (error)
  );

  always #5 clk = !clk;

  // The file: a comment, what PASS says, then numbers.
  int file;
  logic [8*128-1:0] line;
  logic [8*128-1:0] summary;
  int cycles;
  int words;
  // Bits of a word that another round inverts, and of which round this is the data.
  logic [Bits-1:0] vary;
  // Own words; a word by its number from 1 on: data, the bits that count, and its row of the trace,
  // where a step of 0 stands for the cycle and one of -1 for no row.
  logic [Width-1:0] own[OwnTotal];
  logic [Bits-1:0] word_data[];
  logic [Bits-1:0] word_mask[];
  int word_step[];
  int word_hop[];
  int word_packet[];
  // Reductions: how many contributions it holds.
  int has_terms;
  int word_terms[];
  // Where the word with a step of its own was seen: link + 1, 0 for nowhere.
  int seen[];
  // (cycle - 1) * (Links + Deliveries) + link, then + Links + delivery: number of the word, 0: nothing.
  int right[];

  task read_right(input string name);
    logic [Bits-1:0] bits;
    int number;
    int step;
    int hop;
    int packet;
    begin
      file = $fopen(name, "r");
      number = 0;
      if (file != 0) number = $fgets(line, file);
      if (number != 0) number = $fgets(summary, file);
      if (number != 0) number = $fscanf(file, "%d %d %h %d", cycles, words, vary, has_terms);
      if (number != 4) begin
        $display("FAIL: %0s cannot be read", name);
        $fatal;
      end
      for (int i = 0; i < OwnTotal; i++) begin
        number = $fscanf(file, "%h", bits);
        own[i] = bits;
      end
      word_data = new[words + 1];
      word_mask = new[words + 1];
      word_step = new[words + 1];
      word_hop = new[words + 1];
      word_packet = new[words + 1];
      word_terms = new[words + 1];
      seen = new[words + 1];
      for (int i = 1; i <= words; i++) begin
        number = $fscanf(file, "%h", bits);
        word_data[i] = bits;
        number = $fscanf(file, "%h", bits);
        word_mask[i] = bits;
        number = $fscanf(file, "%d %d %d", step, hop, packet);
        word_step[i] = step;
        word_hop[i] = hop;
        word_packet[i] = packet;
        if (has_terms != 0) begin
          number = $fscanf(file, "%d", step);
          word_terms[i] = step;
        end
      end
      right = new[(cycles + 1) * (Links + Deliveries)];
      for (int i = 0; i < (cycles + 1) * (Links + Deliveries); i++) begin
        number = $fscanf(file, "%d", packet);
        right[i] = packet;
        if (number != 1 || right[i] > words) begin
          $display("FAIL: %0s ends too early or names a word that it has not", name);
          $fatal;
        end
      end
      $fclose(file);
    end
  endtask

  task fail(input int cycle);
    begin
      $display("FAIL cycle=%0d of %0d busy=%b done=%b error=%b", cycle, cycles, busy, done, error);
      $fatal;
    end
  endtask

  // What round `number` inverts.
  function automatic logic [Bits-1:0] varied(input int number);
    varied = {((Bits + 31) / 32) {32'(number * 32'h9e37_79b9)}} & vary;
  endfunction

  // From registers, as in a design; Verilator 5.006 misses some changes that a process makes.
  int round = 0;
  always @(posedge clk) begin
    for (int i = 0; i < OwnTotal; i++) own_data[i*Width+:Width] <= own[i] ^ varied(round);
  end

  int trace;
  task check(input int cycle);
    int at;
    int word;
    logic [Bits-1:0] wrong;
    begin
      at = (cycle - 1) * (Links + Deliveries);
      for (int i = 0; i < links; i++) begin
        word = right[at+i];
        if (link_valid[i] !== (word != 0)) begin
          $display("node %0d out-port %0d: %b, valid is to be %b", i / Ports, i % Ports,
                   link_valid[i], word != 0);
          fail(cycle);
        end
        if (word != 0) begin
          wrong = (link_data[i*LinkBits+:LinkBits] ^ word_data[word] ^ varied(round)) &
                  word_mask[word];
          if (wrong[LinkBits-1:0] !== '0) begin
            $display("node %0d out-port %0d: sends %h, not %h", i / Ports, i % Ports,
                     link_data[i*LinkBits+:LinkBits], word_data[word] ^ varied(round));
            fail(cycle);
          end
          seen[word] = i + 1;
          if (trace != 0 && round == 0 && word_step[word] == 0) begin
            $fwrite(trace, "%0d,0,%0d,%0d,%0d", cycle, i / Ports, i % Ports, word_packet[word]);
            if (has_terms != 0) $fwrite(trace, ",%0d", word_terms[word]);
            $fwrite(trace, "\n");
          end
        end
      end
      for (int i = 0; i < deliveries; i++) begin
        word = right[at+Links+i];
        if (deliver_valid[i] !== (word != 0)) begin
          $display("delivery %0d: %b, valid is to be %b", i, deliver_valid[i], word != 0);
          fail(cycle);
        end
        if (word != 0) begin
          wrong = (deliver_data[i*DeliverBits+:DeliverBits] ^ word_data[word] ^ varied(round)) &
                  word_mask[word];
          if (wrong[DeliverBits-1:0] !== '0) begin
            $display("delivery %0d: %h, not %h", i, deliver_data[i*DeliverBits+:DeliverBits],
                     word_data[word] ^ varied(round));
            fail(cycle);
          end
        end
      end
    end
  endtask

  // An image of the tables: a word an out-port, then the steps, then enabled in-ports by node; all of them
  // where the image is one without.
  logic [TableBits-1:0] image[Links+1+gsm_plan_pkg::Nodes];
  task load_tables(input string name);
    begin
      for (int i = 0; i <= links + links / Ports; i++) image[i] = '1;
      $readmemh(name, image);
      for (int i = 0; i <= links + links / Ports; i++) begin
        @(negedge clk);
        table_write   = 1'b1;
        table_address = i;
        table_data    = image[i];
      end
      @(negedge clk);
      table_write = 1'b0;
    end
  endtask

  string name;
  int rounds;
  initial begin
    if (!$value$plusargs("expected=%s", name)) name = "gsm_fabric_expected.txt";
    read_right(name);
    if (!$value$plusargs("rounds=%d", rounds)) rounds = 1;
    trace = 0;
    if ($value$plusargs("trace=%s", name)) begin
      trace = $fopen(name, "w");
      if (trace == 0) begin
        $display("FAIL: %0s cannot be written", name);
        $fatal;
      end
      $fwrite(trace, "step,hop,from,port,packet");
      if (has_terms != 0) $fwrite(trace, ",terms");
      $fwrite(trace, "\n");
    end
    @(negedge clk);
    @(negedge clk);
    rst_n = 1'b1;
    if ($value$plusargs("table=%s", name)) load_tables(name);

    for (round = 0; round < rounds; round++) begin
      for (int i = 1; i <= words; i++) seen[i] = 0;
      // All signals change and are looked at in the middle of a clock cycle.
      @(negedge clk);
      start = 1'b1;
      @(negedge clk);
      start = 1'b0;
      for (int cycle = 1; cycle <= cycles; cycle++) begin
        if (busy !== 1'b1 || done !== 1'b0 || error !== 1'b0) fail(cycle);
        check(cycle);
        @(negedge clk);
      end
      if (busy !== 1'b0 || done !== 1'b1 || error !== 1'b0) fail(cycles + 1);
      check(cycles + 1);
      for (int i = 1; i <= words; i++) begin
        if (trace != 0 && round == 0 && word_step[i] > 0 && seen[i] != 0) begin
          $fwrite(trace, "%0d,%0d,%0d,%0d,%0d\n", word_step[i], word_hop[i], (seen[i] - 1) / Ports,
                  (seen[i] - 1) % Ports, word_packet[i]);
        end
      end
    end
    if (trace != 0) $fclose(trace);
    // With its end of line.
    $write("PASS %0s", summary);
    $finish;
  end

endmodule

`default_nettype wire
