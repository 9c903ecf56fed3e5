// SPDX-License-Identifier: Apache-2.0
`include "gsm_assert.svh"
`default_nettype none

// A tile of the queued discipline for exchange and gather on a 2-D network: sums of the active nodes in
// its row and column, then gsm_exchange_unit.
//
// A step is a cycle. start_i in cycle t makes cycle t+1 the first step of the sums; behind their last step
// follow those of the packets, with no cycle between. In an exchange an active node has a packet for every
// other node, and the sums decide which dimension they begin along. In a gather every node has a packet
// for each active one, and begins as the processing element says, which the gatherer has told. On a link
// a packet's data has above it where it goes, y above x, and above that whether x comes first; a message of
// the sums has a count and above it a total.
module gsm_exchange_node #(
    // Ports: 4.
    parameter int Ports = 4,
    // Data bits of a packet, 1 or more.
    parameter int Width = 32,
    // Bits of a coordinate, 1..16.
    parameter int CoordinateBits = 4,
    // 1: a gather. Exchange, 1: where both sums are the same, packets go x first for which x + y is even.
    parameter bit Gather = 1'b0,
    parameter bit Balanced = 1'b0,
    // Own packets that are listed, 1 or more; those that there are, and where each goes, y above x.
    parameter int Own = 1,
    parameter logic [Own-1:0] Listed = '1,
    parameter logic [Own*2*CoordinateBits-1:0] To = '0,
    // Packets that came in that a FIFO has room for, 1..65535; there are two an out-port.
    parameter int Entries = 1,
    // Steps of packets, 1..2^30.
    parameter int Steps = 1,
    // The sums of row and column: what gsm_prefix_round is told.
    parameter int PrefixSteps = 1,
    parameter int CountBits = 4,
    parameter int PrefixPhases = 1,
    parameter int PrefixPhaseSteps = 1,
    parameter logic [2*PrefixPhases*32-1:0] PrefixStart = {2 * PrefixPhases{32'd1}},
    parameter logic [2*PrefixPhases*2-1:0] PrefixKind = '0,
    parameter logic [2*PrefixPhases*3-1:0] PrefixDimension = '0,
    parameter logic [2*PrefixPhases*3-1:0] PrefixLevel = '0,
    // Own words: the packets as they are listed, then bits: the node is active, and in a gather, each packet
    // begins along x. Leave both as they are.
    parameter int Bits = Gather ? Own + 1 : 1,
    parameter int OwnWords = Own + (Bits + Width - 1) / Width
) (
    // Clock, rising edge.
    input  logic                                    clk_i,
    // Asynchronous reset, active low.
    input  logic                                    rst_ni,
    // Synchronous clear: ends the round, empties the tile, lowers error_o.
    input  logic                                    clear_i,
    // Pulse of one cycle: begin a round. Only while busy_o is low.
    input  logic                                    start_i,
    // Constant: the node's coordinates, 16 bits a dimension; its places on lines, as gsm_prefix_round has them.
    input  logic [                  Ports/2*16-1:0] coordinates_i,
    input  logic [            2*PrefixPhases*6-1:0] place_i,
    // Own words; stable during the whole round.
    input  logic [              OwnWords*Width-1:0] own_data_i,
    // Links.
    input  logic [                       Ports-1:0] in_valid_i,
    input  logic [Ports*(Width+2*CoordinateBits+1)-1:0] in_data_i,
    output logic [                       Ports-1:0] out_valid_o,
    output logic [Ports*(Width+2*CoordinateBits+1)-1:0] out_data_o,
    // By in-port the arrivals for this node, with 0 above the data; then, in the first cycle behind the sums,
    // above data of 0 that of the row, and above it that of the column.
    output logic [                         Ports:0] deliver_valid_o,
    output logic [(Ports+1)*(Width+2*CountBits)-1:0] deliver_data_o,
    // This is the cycle of a step.
    output logic                                    busy_o,
    // It is the last.
    output logic                                    last_o,
    // The cycle after the last step.
    output logic                                    done_o,
    // A packet was lost since the last clear, reset or start, or a message of the sums did not come: then
    // the node's own packets of an exchange stay where they are.
    output logic                                    error_o
);

  localparam int ToBits = 2 * CoordinateBits;
  localparam int LinkBits = Width + ToBits + 1;
  localparam int DeliverBits = Width + 2 * CountBits;
  localparam int StepWidth = $clog2(Steps + 1);

  // The sums.
  logic start;
  logic prefix_busy;
  logic prefix_done;
  logic [Ports-1:0] prefix_valid;
  logic [Ports*2*CountBits-1:0] prefix_in;
  logic [Ports*2*CountBits-1:0] prefix_out;
  logic [4*CountBits-1:0] found;
  logic [4*CountBits-1:0] next_found;
  logic unused_missing;
  logic missing;
  gsm_prefix_round #(
      .Ports         (Ports),
      .Width         (CountBits),
      .Classes       (2),
      .Phases        (PrefixPhases),
      .PhaseSteps    (PrefixPhaseSteps),
      .Steps         (PrefixSteps),
      .PhaseStart    (PrefixStart),
      .PhaseKind     (PrefixKind),
      .PhaseDimension(PrefixDimension),
      .PhaseLevel    (PrefixLevel)
  ) u_prefix (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .clear_i     (clear_i),
      .start_i     (start_i),
      .place_i     (place_i),
      .own_data_i  (CountBits'(own_data_i[Own*Width])),
      .in_valid_i  (in_valid_i & {Ports{prefix_busy}}),
      .in_data_i   (prefix_in),
      .out_valid_o (prefix_valid),
      .out_data_o  (prefix_out),
      .found_o     (found),
      .next_found_o(next_found),
      .missing_o   (unused_missing),
      .next_missing_o(missing),
      .busy_o      (prefix_busy),
      .last_o      (start),
      .done_o      (prefix_done)
  );

  // The steps of packets.
  logic packets_busy;
  logic [StepWidth-1:0] unused_step;
  gsm_round #(
      .StepWidth(StepWidth)
  ) u_round (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start),
      .steps_i(StepWidth'(Steps)),
      .step_o (unused_step),
      .busy_o (packets_busy),
      .last_o (last_o),
      .done_o (done_o)
  );
  assign busy_o = prefix_busy || packets_busy;

  // Totals of the row and of the column.
  logic [4*CountBits-1:0] sums;
  logic [CountBits-1:0] row;
  logic [CountBits-1:0] column;
  assign sums   = start ? next_found : found;
  assign row    = sums[2*CountBits-1:CountBits];
  assign column = sums[4*CountBits-1:3*CountBits];
  logic unused_before;
  assign unused_before = ^{sums[CountBits-1:0], sums[3*CountBits-1:2*CountBits]};

  logic [Own-1:0] x_first;
  for (genvar i = 0; i < Own; i++) begin : gen_own
    localparam logic Even = To[i*ToBits] == To[i*ToBits+CoordinateBits];
    if (Gather) assign x_first[i] = own_data_i[Own*Width+1+i];
    else assign x_first[i] = Balanced && row == column ? Even : row <= column;
  end
  if (OwnWords * Width > Own * Width + Bits) begin : gen_rest
    logic unused_own;
    assign unused_own = ^own_data_i[OwnWords*Width-1:Own*Width+Bits];
  end

  logic [ToBits-1:0] here;
  assign here = {coordinates_i[16+:CoordinateBits], coordinates_i[0+:CoordinateBits]};
  if (CoordinateBits < 16) begin : gen_coordinates
    logic unused_coordinates;
    assign unused_coordinates = ^{coordinates_i[16+CoordinateBits+:16-CoordinateBits],
                                  coordinates_i[CoordinateBits+:16-CoordinateBits]};
  end

  logic [Ports-1:0] in_x_first;
  logic [Ports*ToBits-1:0] in_to;
  logic [Ports*Width-1:0] in_data;
  logic [Ports-1:0] out_valid;
  logic [Ports-1:0] out_x_first;
  logic [Ports*ToBits-1:0] out_to;
  logic [Ports*Width-1:0] out_data;
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign {in_x_first[p], in_to[p*ToBits+:ToBits], in_data[p*Width+:Width]} =
        in_data_i[p*LinkBits+:LinkBits];
    assign prefix_in[p*2*CountBits+:2*CountBits] = in_data_i[p*LinkBits+:2*CountBits];
    assign out_valid_o[p] = prefix_valid[p] || out_valid[p];
    assign out_data_o[p*LinkBits+:LinkBits] =
        prefix_busy ? LinkBits'(prefix_out[p*2*CountBits+:2*CountBits]) :
        {out_x_first[p], out_to[p*ToBits+:ToBits], out_data[p*Width+:Width]};
    assign deliver_data_o[p*DeliverBits+:DeliverBits] = DeliverBits'(in_data[p*Width+:Width]);
  end
  assign deliver_valid_o[Ports] = prefix_done;
  assign deliver_data_o[Ports*DeliverBits+:DeliverBits] = {column, row, Width'(0)};

  logic [63:0] unused_waiting;
  logic fault;
  gsm_exchange_unit #(
      .Width         (Width),
      .CoordinateBits(CoordinateBits),
      .Own           (Own),
      .Entries       (Entries)
  ) u_unit (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (clear_i),
      .load_i         (start),
      .load_valid_i   (Listed & {Own{Gather || own_data_i[Own*Width] && !missing}}),
      .own_x_first_i  (x_first),
      .own_to_i       (To),
      .own_data_i     (own_data_i[Own*Width-1:0]),
      .here_i         (here),
      .active_i       ((start || packets_busy) && !last_o),
      .in_valid_i     (in_valid_i & {Ports{packets_busy}}),
      .in_x_first_i   (in_x_first),
      .in_to_i        (in_to),
      .in_data_i      (in_data),
      .out_valid_o    (out_valid),
      .out_x_first_o  (out_x_first),
      .out_to_o       (out_to),
      .out_data_o     (out_data),
      .deliver_valid_o(deliver_valid_o[Ports-1:0]),
      .waiting_o      (unused_waiting),
      .fault_o        (fault)
  );

  gsm_error u_error (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(clear_i),
      .start_i(start_i),
      .fault_i(fault || start && missing),
      .error_o(error_o)
  );

  `GSM_PARAMETER(PortsLegal_A, Ports == 4, "Ports must be 4")
  `GSM_PARAMETER(StepsLegal_A, Steps >= 1 && Steps <= 1073741824, "Steps must be 1..2^30")
  `GSM_PARAMETER(CountsFit_A, 2 * CountBits <= LinkBits,
                 "a link is narrower than a message of the sums: Width is too small")
  `GSM_ASSERT(StartWhenIdle_A, !start_i || !busy_o, "start_i while a round is running")
  `GSM_ASSERT(LinksKnown_A, (^out_valid_o) !== 1'bx, "a link is neither idle nor in use")
  `GSM_ASSERT(IdleIsQuiet_A, busy_o || out_valid_o == '0, "a packet leaves outside a round")

endmodule

`default_nettype wire
