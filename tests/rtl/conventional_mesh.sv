// SPDX-License-Identifier: Apache-2.0
// A Side x Side mesh of the yardstick bench/conventional_router.sv, with nodes that behave like those of
// docs/spec/wormhole.md. The files packets.hex (node, cycle, destination, flits: 16, 32, 16 and 16 bits) and
// first.hex (the first packet of each node) tell the nodes when they send; packets of a node keep their order. Prints
// "cycle node packet" for each flit that arrives. A flit that is altered, out of order or in the wrong place ends the
// run with FAIL, and so do flits that have not arrived after Cycles; all others end with PASS.
`default_nettype none

module conventional_mesh #(
    parameter int Side     = 4,
    parameter int Width    = 32,
    parameter int Depth    = 4,
    parameter int Channels = 1,
    parameter int Packets  = 1,
    parameter int Flits    = 1,
    parameter int Cycles   = 100000
);
  localparam int Ports          = 5;
  localparam int Nodes          = Side * Side;
  localparam int CoordinateBits = 3;
  localparam int FlitBits       = Width + 2;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  int cycle = 0;
  int arrived = 0;

  logic [79:0] packets[Packets];
  logic [31:0] first[Nodes+1];
  initial begin
    $readmemh("packets.hex", packets);
    $readmemh("first.hex", first);
    #1 clk = 1'b1;
    #1 clk = 1'b0;
    rst_n = 1'b1;
    while (cycle < Cycles && arrived < Flits) begin
      #1 clk = 1'b1;
      #1 clk = 1'b0;
    end
    if (arrived == Flits) $display("PASS");
    else $display("FAIL: flits are missing");
    $finish;
  end
  always @(posedge clk) if (rst_n) cycle <= cycle + 1;

  // A flit of a packet: the head has the destination and the packet's number, others the number and their own.
  function automatic logic [FlitBits-1:0] flit_of(input int packet, input int number);
    logic [Width-1:0] data;
    logic [79:0] entry;
    entry = packets[packet];
    data = Width'({16'(packet), 16'(number)}) ^ {Width{1'b1}};
    if (number == 0) begin
      data = Width'({packet, CoordinateBits'(entry[31:16] / Side), CoordinateBits'(entry[31:16] % Side)});
    end
    flit_of = {number + 1 == 32'(entry[15:0]), number == 0, data};
  endfunction

  wire [Ports*Channels-1:0] in_valid[Nodes];
  wire [Ports*FlitBits-1:0] in_flit[Nodes];
  wire [Ports*Channels-1:0] in_credit[Nodes];
  wire [Ports*Channels-1:0] out_valid[Nodes];
  wire [Ports*FlitBits-1:0] out_flit[Nodes];
  wire [Ports*Channels-1:0] out_credit[Nodes];

  for (genvar n = 0; n < Nodes; n++) begin : gen_node
    conventional_router #(.Width(Width), .Depth(Depth), .Channels(Channels), .CoordinateBits(CoordinateBits)) u_router (
        .clk_i(clk), .rst_ni(rst_n), .x_i(CoordinateBits'(n % Side)), .y_i(CoordinateBits'(n / Side)),
        .in_valid_i(in_valid[n]), .in_flit_i(in_flit[n]), .in_credit_o(in_credit[n]),
        .out_valid_o(out_valid[n]), .out_flit_o(out_flit[n]), .out_credit_i(out_credit[n]));
    for (genvar p = 0; p < 4; p++) begin : gen_link
      localparam bit Border = p == 0 ? n % Side == 0 : p == 1 ? n % Side == Side - 1 :
                              p == 2 ? n < Side : n >= Nodes - Side;
      localparam int From = p == 0 ? n - 1 : p == 1 ? n + 1 : p == 2 ? n - Side : n + Side;
      localparam int Other = p % 2 == 0 ? p + 1 : p - 1;
      if (Border) begin : gen_border
        assign in_valid[n][p*Channels+:Channels] = '0;
        assign in_flit[n][p*FlitBits+:FlitBits] = '0;
        assign out_credit[n][p*Channels+:Channels] = '0;
      end else begin : gen_wires
        assign in_valid[n][p*Channels+:Channels] = out_valid[From][Other*Channels+:Channels];
        assign in_flit[n][p*FlitBits+:FlitBits] = out_flit[From][Other*FlitBits+:FlitBits];
        assign out_credit[n][p*Channels+:Channels] = in_credit[From][Other*Channels+:Channels];
      end
    end

    // The sending side: a flit per cycle, in the first channel with room after the one used last.
    logic [Channels-1:0] valid = '0;
    logic [FlitBits-1:0] flit = '0;
    int credits[Channels];
    int at = 0, number = 0, channel = 0, last_channel = Channels - 1, v;
    bit going;
    assign in_valid[n][4*Channels+:Channels] = valid;
    assign in_flit[n][4*FlitBits+:FlitBits] = flit;
    initial begin
      #1 at = first[n];
      for (v = 0; v < Channels; v = v + 1) credits[v] = Depth;
    end
    always @(posedge clk) if (rst_n) begin
      valid <= '0;
      going = number != 0;
      if (!going && at < first[n+1] && packets[at][63:32] <= cycle) begin
        for (v = Channels; v > 0; v = v - 1) begin
          if (credits[(last_channel+v)%Channels] != 0) begin
            going = 1'b1;
            channel = (last_channel + v) % Channels;
          end
        end
      end
      if (going && credits[channel] != 0) begin
        valid[channel] <= 1'b1;
        flit <= flit_of(at, number);
        credits[channel] = credits[channel] - 1;
        last_channel = channel;
        number = number + 1;
        if (number == packets[at][15:0]) begin
          at = at + 1;
          number = 0;
        end
      end
      for (v = 0; v < Channels; v = v + 1) if (in_credit[n][4*Channels+v]) credits[v] = credits[v] + 1;
    end

    // The receiving side takes a flit at once.
    logic [Channels-1:0] received = '0;
    logic [FlitBits-1:0] received_flit = '0;
    logic [Channels-1:0] credit = '0;
    int of_channel[Channels];
    int next_number[Channels];
    int w;
    initial for (w = 0; w < Channels; w = w + 1) next_number[w] = 0;
    assign out_credit[n][4*Channels+:Channels] = credit;
    always @(posedge clk) if (rst_n) begin
      received <= out_valid[n][4*Channels+:Channels];
      received_flit <= out_flit[n][4*FlitBits+:FlitBits];
      credit <= received;
      for (w = 0; w < Channels; w = w + 1) if (received[w] === 1'bx) begin
        $display("FAIL: node %0d: unknown valid", n);
        $finish;
      end else if (received[w]) begin
        if (next_number[w] == 0) of_channel[w] = received_flit[2*CoordinateBits+:16];
        if (of_channel[w] >= Packets || packets[of_channel[w]][31:16] != n ||
            received_flit !== flit_of(of_channel[w], next_number[w])) begin
          $display("FAIL: node %0d: flit %h in cycle %0d", n, received_flit, cycle);
          $finish;
        end
        $display("%0d %0d %0d", cycle, n, of_channel[w]);
        arrived = arrived + 1;
        next_number[w] = received_flit[FlitBits-1] ? 0 : next_number[w] + 1;
      end
    end
  end
endmodule
`default_nettype wire
