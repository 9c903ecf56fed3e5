// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A whole torus or mesh: the tiles of a plan and the links between neighbours, nothing else.
//
// The package gsm_plan_pkg and the tile gsm_tile contain everything that depends on the plan; `gossamer
// emit` writes both next to this file. This text is the same for all plans and machines. A tile is a router
// with its network interface. Out-port p of a tile is in-port p^1 of the neighbour in direction p,
// link_latency cycles later: the out register is the first register of the link, and the others are placed
// along the wire. With SlowLinks, a link takes link_latency cycles for each word (gsm_link_rate). Ports
// beyond the border of a mesh are tied off, and so are ports of links and nodes that the plan lists as dead.
// The content of a dead link reaches neither a tile nor link_valid_o, and a dead node has no tile. start_i in
// cycle t makes cycle t+1 the first of a round; done_o is high in the cycle after the last one, in which the
// next round can start.
//
// Tiles of elastic plans wait for each other by valid and ready, so there are no rounds: clear_i, start_i
// and table_* are tied to 0. busy_o is high while a message is under way. Links are queues (gsm_elastic_channel), and
// the streams of the processing elements also have valid and ready. Other plans use none of these ports:
// own_valid_i, own_last_i, deliver_ready_i, link_open_i, node_clk_i and node_rst_ni are tied to 0.
module gsm_fabric #(
    // Data bits of a packet or flit.
    parameter int Width = gsm_plan_pkg::Width,
    // Elastic plans, 1: every node has its own clock, and links cross between the clocks.
    parameter bit Crossings = 1'b0
) (
    // Clock, rising edge.
    input logic clk_i,
    // Asynchronous reset, active low.
    input logic rst_ni,
    // Elastic plans with Crossings: the clock of each node, and its reset, active low. At some point in
    // time all nodes must be in reset (rst_ni or their own); they may leave it in any order, any time
    // apart.
    input logic [gsm_plan_pkg::Nodes-1:0] node_clk_i,
    input logic [gsm_plan_pkg::Nodes-1:0] node_rst_ni,
    // Synchronous clear: ends the round, empties the network, lowers error_o.
    input logic clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input logic start_i,
    // Write a word of the tables, only while busy_o is low. Hardwired tables have no such words: all three
    // inputs are tied to 0. The address is node*Ports + out-port; then the number of steps; then one word
    // per node: its enabled in-ports, or, if LoadWords is not 0, a word of its vector, whose address is in
    // the address bits above.
    input logic table_write_i,
    input logic [31:0] table_address_i,
    input logic [gsm_plan_pkg::TableBits-1:0] table_data_i,
    // Words from the processing elements; gsm_plan_pkg assigns them to tiles.
    input logic [gsm_plan_pkg::OwnTotal*Width-1:0] own_data_i,
    // Elastic plans: the handshake of own word n*Ports + p, which is in the stream of out-port p of node n;
    // last flit of a chunk.
    input logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::OwnStreams-1:0] own_valid_i,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::OwnStreams-1:0] own_ready_o,
    input logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::OwnStreams-1:0] own_last_i,
    // Words for the processing elements: delivery i of node n is bit n*Delivers + i. Elastic plans: the
    // delivery of in-port i, with valid and ready.
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Delivers-1:0] deliver_valid_o,
    input logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Delivers-1:0] deliver_ready_i,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Delivers*(gsm_plan_pkg::DeliverWords*Width+gsm_plan_pkg::DeliverExtra)-1:0] deliver_data_o,
    // For observation, otherwise left open: the register of out-port p of node n at n*Ports + p. Elastic
    // plans: the flit at the far end of its link.
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports-1:0] link_valid_o,
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports*(gsm_plan_pkg::LinkWords*Width+gsm_plan_pkg::LinkExtra)-1:0] link_data_o,
    // Elastic plans, for tests, otherwise all 1: the flit at the far end of the link of out-port p of node
    // n is valid at the tile there. Once high together with link_valid_o, it must stay high until the flit
    // is taken.
    input logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Ports-1:0] link_open_i,
    // This is a cycle of a round; elastic plans: a message is under way, in any clock.
    output logic busy_o,
    // The cycle after the last cycle of a round; elastic plans: busy_o has fallen. Low with Crossings.
    output logic done_o,
    // A tile lost a packet since the last clear, reset or start of a round; elastic plans: parity, order or
    // length were wrong since reset.
    output logic error_o,
    // By node, the flags of its tile. Elastic plans: parity_error, order_error, length_error, stall,
    // stall_here of gsm_elastic_node, from bit 0. Other plans have no flags.
    output logic [gsm_plan_pkg::Nodes*gsm_plan_pkg::Flags-1:0] flags_o
);

  localparam int Nodes = gsm_plan_pkg::Nodes;
  localparam int Ports = gsm_plan_pkg::Ports;
  localparam int NodesPerRow = gsm_plan_pkg::NodesPerRow;
  localparam int OwnBits = gsm_plan_pkg::OwnWords * Width;
  localparam int LinkBits = gsm_plan_pkg::LinkWords * Width + gsm_plan_pkg::LinkExtra;
  localparam int Delivers = gsm_plan_pkg::Delivers;
  localparam int DeliverBits = gsm_plan_pkg::DeliverWords * Width + gsm_plan_pkg::DeliverExtra;
  localparam bit Elastic = gsm_plan_pkg::Elastic != 0;
  localparam int OwnStreams = gsm_plan_pkg::OwnStreams;
  localparam int Flags = gsm_plan_pkg::Flags;

  // n*Ports + p: out-port p of node n. An array, since simulators evaluate a vector as a whole.
  logic link_valid[Nodes*Ports];
  logic [LinkBits-1:0] link_data[Nodes*Ports];
  logic link_ready[Nodes*Ports];
  // The observable part of the links.
  logic link_valid_shown[Nodes*Ports];
  logic [LinkBits-1:0] link_data_shown[Nodes*Ports];
  logic [Nodes-1:0] busy;
  logic [Nodes-1:0] done;
  logic [Nodes-1:0] error;
  // The nodes that exist.
  localparam logic [Nodes-1:0] Live = ~gsm_plan_pkg::NodeDead;

  // Two loops, since tools limit the length of one.
  for (genvar row = 0; row < Nodes / NodesPerRow; row++) begin : gen_row
    for (genvar column = 0; column < NodesPerRow; column++) begin : gen_node
      localparam int Node = row * NodesPerRow + column;

      logic [Ports/2*16-1:0] coordinates;
      logic [Ports+1:0] table_write;
      logic [Ports-1:0] in_valid;
      logic [Ports*LinkBits-1:0] in_data;
      logic [Ports-1:0] out_valid;
      logic [Ports*LinkBits-1:0] out_data;
      logic [Ports-1:0] in_ready;
      logic [Ports-1:0] out_ready;
      logic last;
      logic [OwnStreams-1:0] own_ready;
      logic [Delivers-1:0] deliver_valid;
      logic [Delivers*DeliverBits-1:0] deliver_data;
      logic [Flags-1:0] flags;
      logic [Ports-1:0] valid_shown;
      logic [Ports*LinkBits-1:0] data_shown;

      // A process: Icarus rebuilds a vector with many `assign`s, bit by bit and as a whole, whenever one of
      // them changes. Only one per node, since each change wakes other processes.
      always_comb begin
        own_ready_o[Node*OwnStreams+:OwnStreams] = own_ready;
        deliver_valid_o[Node*Delivers+:Delivers] = deliver_valid;
        deliver_data_o[Node*Delivers*DeliverBits+:Delivers*DeliverBits] = deliver_data;
        flags_o[Node*Flags+:Flags] = flags;
        link_valid_o[Node*Ports+:Ports] = valid_shown;
        link_data_o[Node*Ports*LinkBits+:Ports*LinkBits] = data_shown;
      end
      for (genvar p = 0; p < Ports; p++) begin : gen_shown
        assign valid_shown[p] = link_valid_shown[Node*Ports+p];
        assign data_shown[p*LinkBits+:LinkBits] = link_data_shown[Node*Ports+p];
      end

      logic clk;
      logic rst_n;
      assign clk   = Crossings ? node_clk_i[Node] : clk_i;
      assign rst_n = rst_ni && (node_rst_ni[Node] || !Elastic);

      for (genvar i = 0; i < Ports / 2; i++) begin : gen_coordinate
        localparam int Coordinate = gsm_plan_pkg::coordinate(Node, i);
        assign coordinates[i*16+:16] = 16'(Coordinate);
      end

      for (genvar p = 0; p < Ports; p++) begin : gen_out_port
        assign table_write[p] = table_write_i && table_address_i == Node * Ports + p;
        assign link_valid[Node*Ports+p] = out_valid[p];
        assign link_data[Node*Ports+p] = out_data[p*LinkBits+:LinkBits];
        assign out_ready[p] = link_ready[Node*Ports+p];
        if (!Elastic) begin : gen_watch
          assign link_valid_shown[Node*Ports+p] = out_valid[p] && !gsm_plan_pkg::ArcDead[Node*Ports+p];
          assign link_data_shown[Node*Ports+p] = out_data[p*LinkBits+:LinkBits];
          assign link_ready[Node*Ports+p] = 1'b1;
        end else if (gsm_plan_pkg::neighbor(Node, p) < 0 || gsm_plan_pkg::ArcDead[Node*Ports+p])
        begin : gen_border
          assign link_valid_shown[Node*Ports+p] = 1'b0;
          assign link_data_shown[Node*Ports+p] = '0;
          assign link_ready[Node*Ports+p] = 1'b0;
        end
      end
      assign table_write[Ports] = table_write_i && table_address_i == Nodes * Ports;
      assign table_write[Ports+1] = table_write_i && table_address_i == Nodes * Ports + 1 + Node;

      for (genvar q = 0; q < Ports; q++) begin : gen_in_port
        localparam int From = gsm_plan_pkg::neighbor(Node, q);
        localparam int Port = q % 2 == 0 ? q + 1 : q - 1;
        localparam int Arc = (From < 0 ? 0 : From) * Ports + Port;
        logic [LinkBits-1:0] word;
        assign in_data[q*LinkBits+:LinkBits] = word;
        if (From < 0 || gsm_plan_pkg::ArcDead[Arc]) begin : gen_border
          assign in_valid[q] = 1'b0;
          assign word = '0;
        end else if (Elastic) begin : gen_channel
          logic valid;
          logic from_clk;
          logic from_rst_n;
          assign from_clk   = Crossings ? node_clk_i[From] : clk_i;
          assign from_rst_n = rst_ni && node_rst_ni[From];
          gsm_elastic_channel #(
              .Width   (LinkBits),
              .Stages  (gsm_plan_pkg::link_latency(From, Port) - 1),
              .Crossing(Crossings)
          ) u_channel (
              .in_clk_i   (from_clk),
              .in_rst_ni  (from_rst_n),
              .in_valid_i (link_valid[Arc]),
              .in_ready_o (link_ready[Arc]),
              .in_data_i  (link_data[Arc]),
              .out_clk_i  (clk),
              .out_rst_ni (rst_n),
              .out_valid_o(valid),
              .out_ready_i(in_ready[q] && link_open_i[Arc]),
              .out_data_o (word)
          );
          assign in_valid[q] = valid && link_open_i[Arc];
          assign link_valid_shown[Arc] = valid;
          assign link_data_shown[Arc] = word;
        end else if (gsm_plan_pkg::link_latency(From, Port) == 1) begin : gen_link
          assign in_valid[q] = link_valid[Arc];
          assign word = link_data[Arc];
        end else if (gsm_plan_pkg::SlowLinks != 0) begin : gen_rate
          gsm_link_rate #(
              .Width (LinkBits),
              .Period(gsm_plan_pkg::link_latency(From, Port))
          ) u_link (
              .clk_i  (clk_i),
              .rst_ni (rst_ni),
              .clear_i(clear_i || last || !(start_i || busy[Node])),
              .valid_i(link_valid[Arc]),
              .data_i (link_data[Arc]),
              .valid_o(in_valid[q]),
              .data_o (word)
          );
        end else begin : gen_wire
          localparam int Latency = gsm_plan_pkg::link_latency(From, Port);
          logic [Latency-1:0] valid;
          logic [Latency*LinkBits-1:0] data;
          assign valid[0] = link_valid[Arc];
          assign data[LinkBits-1:0] = link_data[Arc];
          for (genvar i = 1; i < Latency; i++) begin : gen_register
            gsm_link #(
                .Width(LinkBits)
            ) u_register (
                .clk_i  (clk_i),
                .rst_ni (rst_ni),
                .clear_i(clear_i || last || !(start_i || busy[Node])),
                .valid_i(valid[i-1]),
                .data_i (data[(i-1)*LinkBits+:LinkBits]),
                .valid_o(valid[i]),
                .data_o (data[i*LinkBits+:LinkBits])
            );
          end
          assign in_valid[q] = valid[Latency-1];
          assign word = data[(Latency-1)*LinkBits+:LinkBits];
        end
      end

      if (gsm_plan_pkg::NodeDead[Node]) begin : gen_dead
        assign out_valid = '0;
        assign out_data = '0;
        assign in_ready = '0;
        assign own_ready = '0;
        assign deliver_valid = '0;
        assign deliver_data = '0;
        assign busy[Node] = 1'b0;
        assign last = 1'b0;
        assign done[Node] = 1'b0;
        assign error[Node] = 1'b0;
        assign flags = '0;
        logic unused_dead;
        assign unused_dead = ^{clk, rst_n, coordinates, table_write, in_valid, in_data, out_ready,
                               own_data_i[Node*gsm_plan_pkg::OwnStride*Width+:OwnBits],
                               own_valid_i[Node*OwnStreams+:OwnStreams],
                               own_last_i[Node*OwnStreams+:OwnStreams],
                               deliver_ready_i[Node*Delivers+:Delivers]};
      end else begin : gen_tile
        gsm_tile #(
            .Width(Width),
            .Class(gsm_plan_pkg::node_class(Node))
        ) u_tile (
            .clk_i          (clk),
            .rst_ni         (rst_n),
            .clear_i        (clear_i),
            .start_i        (start_i),
            .coordinates_i  (coordinates),
            .table_write_i  (table_write),
            .table_data_i   (table_data_i),
            .own_data_i     (own_data_i[Node*gsm_plan_pkg::OwnStride*Width+:OwnBits]),
            .own_valid_i    (own_valid_i[Node*OwnStreams+:OwnStreams]),
            .own_ready_o    (own_ready),
            .own_last_i     (own_last_i[Node*OwnStreams+:OwnStreams]),
            .in_valid_i     (in_valid),
            .in_ready_o     (in_ready),
            .in_data_i      (in_data),
            .out_valid_o    (out_valid),
            .out_ready_i    (out_ready),
            .out_data_o     (out_data),
            .deliver_valid_o(deliver_valid),
            .deliver_ready_i(deliver_ready_i[Node*Delivers+:Delivers]),
            .deliver_data_o (deliver_data),
            .busy_o         (busy[Node]),
            .last_o         (last),
            .done_o         (done[Node]),
            .error_o        (error[Node]),
            .flags_o        (flags)
        );
      end

      // The end of a round matters only to wires with registers, free space only to queues.
      logic unused_link;
      assign unused_link = ^{last, in_ready};
    end
  end

  assign busy_o  = busy != '0;
  assign error_o = error != '0;
  if (!Elastic) begin : gen_done
    assign done_o = done == Live;
  end else if (Crossings) begin : gen_no_done
    // Tiles with clocks of their own have no common cycle.
    assign done_o = 1'b0;
  end else begin : gen_last_done
    logic busy_q;
    assign done_o = busy_q && !busy_o;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) busy_q <= 1'b0;
      else busy_q <= busy_o;
    end
  end
  // Ports that only the other kind of plan uses.
  logic unused_pins;
  assign unused_pins = ^{node_clk_i, node_rst_ni, link_open_i};

  `GSM_ASSERT(TilesAgree_A, Elastic || ((busy == '0 || busy == Live) && (done == '0 || done == Live)),
              "the tiles are not in the same step")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || busy == '0, "start_i while a round is running")
  `GSM_ASSERT(WriteWhenIdle_A, !table_write_i || busy == '0, "table_write_i while a round is running")
  `GSM_ASSERT(StatusKnown_A, (^{busy_o, done_o, error_o}) !== 1'bx, "a status output is unknown")
  `GSM_ASSERT(LinksKnown_A, (^link_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || link_valid_o == '0 || Elastic,
              "a link is in use outside a round")

endmodule

`default_nettype wire
