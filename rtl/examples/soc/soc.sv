// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Sixteen nodes with a memory each on the network of a suite, and a sequencer that runs commands of a host.
// A command is a context, a root and a number of rounds; each round works on the next words of all
// memories. Commands wait in a queue, so that one collective follows another without an idle cycle.
//
// Byte addresses of the bus. n * 0x2000: the memory of node n, 2048 words. 0x20000 COMMAND, on a write:
// bits 4:0 the context, 15:8 the root, 31:16 the rounds minus one; its first word is at BASE. 0x20004
// STATUS: bit 0 busy, 1 done, 2 error (a command for a full queue, or an unknown context), 15:8 commands that
// the queue can take; a write clears done and error. 0x20008 BASE, a word's number. 0x2000c CYCLES of all
// rounds from the last idle cycle on, read only. 0x20010 + 4n PLACES, read only: numbers of the packets 0
// (bits 7:0) and 1 (15:8) of node n, its places on the two cycles.
//
// The answer SLVERR rejects an illegal access, which then changes nothing: an access to any other address,
// to a memory while a round runs, or a write of less than an aligned word or to a read-only register.
module soc #(
    parameter int Depth = 4
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_awaddr,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    input  logic [31:0] s_axil_wdata,
    input  logic [ 3:0] s_axil_wstrb,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    output logic [ 1:0] s_axil_bresp,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    input  logic [31:0] s_axil_araddr,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp
);

  localparam int Nodes = suite_plan_pkg::Nodes;
  localparam int Ports = suite_plan_pkg::Ports;
  localparam int PacketBits = suite_plan_pkg::PacketBits;
  localparam int AddressBits = 11;

  // The suite has each collective on the whole network, on rows and on columns. The whole network has two
  // cycles, so a packet's number has two pieces there.
  function automatic logic is_whole(input logic [4:0] choice);
    is_whole = choice % 3 == 0;
  endfunction
  // Words of a round: of all owners, one flag, or a root's message.
  function automatic logic [AddressBits-1:0] words_of(input logic [4:0] choice);
    if (choice < 9) words_of = is_whole(choice) ? AddressBits'(2 * Nodes) : AddressBits'(4);
    else if (choice < 12) words_of = AddressBits'(1);
    else words_of = is_whole(choice) ? AddressBits'(2) : AddressBits'(1);
  endfunction

  // The queue of commands, the next one at 0: {rounds - 1, root, context, base}.
  localparam int CommandBits = 16 + 8 + 5 + AddressBits;
  logic [Depth*CommandBits-1:0] queue_q;
  logic [$clog2(Depth+1)-1:0] waiting_q;
  logic [15:0] rounds;
  logic [7:0] root;
  logic [4:0] choice;
  logic [AddressBits-1:0] next_base;
  assign {rounds, root, choice, next_base} = queue_q[CommandBits-1:0];

  logic busy;
  logic last;
  logic done;
  logic start;
  logic push;
  logic pop;
  logic [4:0] choice_q;
  logic [AddressBits-1:0] base_q;
  assign start = waiting_q != '0 && (!busy || last);
  assign pop   = start && rounds == '0;

  logic bus_write;
  logic word_written;
  logic [31:0] read_word;
  logic read_fits;
  soc_bus u_bus (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .s_axil_awvalid(s_axil_awvalid),
      .s_axil_awready(s_axil_awready),
      .s_axil_awaddr (s_axil_awaddr),
      .s_axil_wvalid (s_axil_wvalid),
      .s_axil_wready (s_axil_wready),
      .s_axil_wdata  (s_axil_wdata),
      .s_axil_wstrb  (s_axil_wstrb),
      .s_axil_bvalid (s_axil_bvalid),
      .s_axil_bready (s_axil_bready),
      .s_axil_bresp  (s_axil_bresp),
      .s_axil_arvalid(s_axil_arvalid),
      .s_axil_arready(s_axil_arready),
      .s_axil_araddr (s_axil_araddr),
      .s_axil_rvalid (s_axil_rvalid),
      .s_axil_rready (s_axil_rready),
      .s_axil_rdata  (s_axil_rdata),
      .s_axil_rresp  (s_axil_rresp),
      .write_o       (bus_write),
      .write_word_o  (word_written),
      .write_fits_i  (write_fits),
      .read_data_i   (read_word),
      .read_fits_i   (read_fits)
  );

  logic idle;
  logic write_memory;
  logic write_register;
  logic write_fits;
  assign idle           = !busy && waiting_q == '0;
  assign write_memory   = word_written && s_axil_awaddr[31:17] == '0 && idle;
  assign write_register = word_written && s_axil_awaddr[31:4] == 28'h2000 && s_axil_awaddr[3:2] != 2'd3;
  assign write_fits     = write_memory || write_register;

  logic command;
  logic command_fits;
  logic [AddressBits-1:0] vector_q;
  assign command      = bus_write && write_register && s_axil_awaddr[3:2] == 2'd0;
  assign command_fits = s_axil_wdata[4:0] < 5'(suite_plan_pkg::Contexts) && 32'(waiting_q) < Depth;
  assign push         = command && command_fits;

  logic [Nodes*32-1:0] read_data;
  logic [31:0] cycles_q;
  logic done_q;
  logic error_q;
  // After the start of a round its command has one round less, or leaves.
  logic [Depth*CommandBits-1:0] left;
  assign left = pop ? queue_q >> CommandBits : start ?
      {queue_q[Depth*CommandBits-1:CommandBits], rounds - 16'd1, root, choice, next_base + words_of(choice)} : queue_q;
  for (genvar i = 0; i < Depth; i++) begin : gen_queue
    always_ff @(posedge clk_i) begin
      if (push && 32'(waiting_q) == (pop ? i + 1 : i)) begin
        queue_q[i*CommandBits+:CommandBits] <= {s_axil_wdata[31:16], s_axil_wdata[15:8], s_axil_wdata[4:0], vector_q};
      end else queue_q[i*CommandBits+:CommandBits] <= left[i*CommandBits+:CommandBits];
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      choice_q <= choice;
      base_q   <= next_base;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= '0;
      vector_q  <= '0;
      cycles_q  <= '0;
      done_q    <= 1'b0;
      error_q   <= 1'b0;
    end else begin
      if (push != pop) waiting_q <= push ? waiting_q + 1'b1 : waiting_q - 1'b1;
      if (busy) cycles_q <= cycles_q + 1'b1;
      else if (start) cycles_q <= '0;
      if (bus_write && write_register) begin
        if (s_axil_awaddr[3:2] == 2'd1) begin
          done_q  <= 1'b0;
          error_q <= 1'b0;
        end
        if (s_axil_awaddr[3:2] == 2'd2) vector_q <= AddressBits'(s_axil_wdata);
      end
      if (last && waiting_q == '0) done_q <= 1'b1;
      if (command && !command_fits) error_q <= 1'b1;
    end
  end

  logic [Nodes*32-1:0] places;
  logic read_memory;
  logic read_register;
  logic read_places;
  logic [31:0] register;
  assign read_memory   = s_axil_araddr[31:17] == '0;
  assign read_register = s_axil_araddr[31:4] == 28'h2000;
  assign read_places   = s_axil_araddr >= 32'h2_0010 && s_axil_araddr < 32'h2_0010 + 4 * Nodes;
  assign read_fits     = (read_memory && idle) || read_register || read_places;
  assign read_word     = read_memory ? read_data[s_axil_araddr[16:13]*32+:32] :
      read_places ? places[(32'(s_axil_araddr[6:2])-4)*32+:32] : register;
  always @* begin
    case (s_axil_araddr[3:2])
      2'd1: register = {16'd0, 8'(Depth) - 8'(waiting_q), 5'd0, error_q, done_q, !idle};
      2'd2: register = 32'(vector_q);
      2'd3: register = cycles_q;
      default: register = '0;
    endcase
  end
  logic [Nodes*Ports*PacketBits-1:0] first_packet;
  logic [Nodes*Ports*32-1:0] first_data;
  logic [Nodes*Ports*PacketBits-1:0] own_packet;
  logic [Nodes*Ports*32-1:0] own_data;
  logic [Nodes*Ports-1:0] deliver_valid;
  logic [Nodes*Ports*PacketBits-1:0] deliver_packet;
  logic [Nodes*Ports*32-1:0] deliver_data;
  logic deliver_add;
  suite_fabric u_suite (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .clear_i         (1'b0),
      .context_i       (choice),
      .root_i          (root[suite_plan_pkg::RankBits-1:0]),
      .start_i         (start),
      .first_valid_o   (),
      .first_packet_o  (first_packet),
      .first_data_i    (first_data),
      .own_valid_o     (),
      .own_packet_o    (own_packet),
      .own_data_i      (own_data),
      .deliver_valid_o (deliver_valid),
      .deliver_packet_o(deliver_packet),
      .deliver_data_o  (deliver_data),
      .deliver_add_o   (deliver_add),
      .link_valid_o    (),
      .link_data_o     (),
      .busy_o          (busy),
      .last_o          (last),
      .done_o          (done)
  );
  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    assign places[n*32+:32] = {16'd0, place_of(n, 1), place_of(n, 0)};
    soc_node #(
        .Ports      (Ports),
        .PacketBits (PacketBits),
        .AddressBits(AddressBits)
    ) u_node (
        .clk_i           (clk_i),
        .next_base_i     (next_base),
        .next_whole_i    (is_whole(choice)),
        .base_i          (base_q),
        .whole_i         (is_whole(choice_q)),
        .flag_i          (choice_q >= 5'd9 && choice_q < 5'd12),
        .first_packet_i  (first_packet[n*Ports*PacketBits+:Ports*PacketBits]),
        .first_data_o    (first_data[n*Ports*32+:Ports*32]),
        .own_packet_i    (own_packet[n*Ports*PacketBits+:Ports*PacketBits]),
        .own_data_o      (own_data[n*Ports*32+:Ports*32]),
        .deliver_valid_i (deliver_valid[n*Ports+:Ports]),
        .deliver_packet_i(deliver_packet[n*Ports*PacketBits+:Ports*PacketBits]),
        .deliver_data_i  (deliver_data[n*Ports*32+:Ports*32]),
        .deliver_add_i   (deliver_add),
        .bus_address_i   (bus_write ? s_axil_awaddr[AddressBits+1:2] : s_axil_araddr[AddressBits+1:2]),
        .bus_write_i     (bus_write && write_memory && 32'(s_axil_awaddr[16:13]) == n),
        .bus_data_i      (s_axil_wdata),
        .bus_data_o      (read_data[n*32+:32])
    );
  end
  function automatic logic [7:0] place_of(input int node, input int piece);
    logic [suite_plan_pkg::Wirings*Ports/2*suite_plan_pkg::NumberBits-1:0] places_of;
    places_of = suite_plan_pkg::places(suite_plan_pkg::node_class(node));
    // Packet 0 travels on cycle 1, packet 1 on cycle 0.
    place_of = 8'(places_of[(1-piece)*suite_plan_pkg::NumberBits+:suite_plan_pkg::NumberBits]);
  endfunction
  logic unused_done;
  assign unused_done = done ^ (^root);

endmodule

`default_nettype wire
