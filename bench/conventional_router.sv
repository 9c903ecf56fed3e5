// SPDX-License-Identifier: Apache-2.0
// A conventional router as a yardstick for the areas of docs/synthesis.md; no part of the library in rtl/. It is
// the machine of docs/spec/wormhole.md on a 2-D mesh, cycle for cycle (tests/rtl/check_conventional.py): wormhole
// switching, virtual channels with credits, dimension order, a pipeline of route, channel allocation, switch
// allocation and traversal, and separable round-robin allocators. It is compact: turns that dimension order forbids
// have no wires, buffers have no reset and no bypass, and there is no error detection.
`default_nettype none

// The first set bit of mask_i at or after position from_i, around; one-hot.
module conventional_first #(
    parameter int Size = 5,
    parameter int PointerBits = Size > 1 ? $clog2(Size) : 1
) (
    input  logic [Size-1:0]        mask_i,
    input  logic [PointerBits-1:0] from_i,
    output logic [Size-1:0]        first_o
);
  function automatic logic [Size-1:0] lowest(input logic [Size-1:0] mask);
    logic seen;
    seen = 1'b0;
    for (int i = 0; i < Size; i++) begin
      lowest[i] = mask[i] & ~seen;
      seen = seen | mask[i];
    end
  endfunction

  logic [Size-1:0] later;
  assign later = mask_i & ({Size{1'b1}} << from_i);
  assign first_o = later != '0 ? lowest(later) : lowest(mask_i);
endmodule

// A round-robin arbiter. Its pointer moves past the request that is accepted, which may be none.
module conventional_arbiter #(
    parameter int Size = 5
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic [Size-1:0] request_i,
    output logic [Size-1:0] grant_o,
    input  logic [Size-1:0] accept_i
);
  localparam int PointerBits = Size > 1 ? $clog2(Size) : 1;

  function automatic logic [PointerBits-1:0] after(input logic [Size-1:0] one);
    after = '0;
    for (int i = 0; i < Size; i++) begin
      if (one[i]) after = after | PointerBits'((i + 1) % Size);
    end
  endfunction

  logic [PointerBits-1:0] next_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_q <= '0;
    else if (accept_i != '0) next_q <= after(accept_i);
  end
  conventional_first #(.Size(Size)) u_first (.mask_i(request_i), .from_i(next_q), .first_o(grant_o));
endmodule

// Ports: 0 x-, 1 x+, 2 y-, 3 y+, 4 the node. A flit is {tail, head, data}; the head's data has the destination in
// its low bits, {y, x}. Each port has a valid and a credit per channel: a sender begins with Depth credits per
// channel, sends a flit for a credit, and holds a channel from a packet's head to its tail.
module conventional_router #(
    parameter int Width          = 32,
    // Flits per channel and input port: a power of two, 2 at least.
    parameter int Depth          = 4,
    // Virtual channels per port.
    parameter int Channels       = 1,
    parameter int CoordinateBits = 3,
    localparam int Ports         = 5,
    localparam int Inputs        = Ports * Channels,
    localparam int FlitBits      = Width + 2
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic [CoordinateBits-1:0] x_i,
    input  logic [CoordinateBits-1:0] y_i,
    input  logic [Inputs-1:0]         in_valid_i,
    input  logic [Ports*FlitBits-1:0] in_flit_i,
    output logic [Inputs-1:0]         in_credit_o,
    output logic [Inputs-1:0]         out_valid_o,
    output logic [Ports*FlitBits-1:0] out_flit_o,
    input  logic [Inputs-1:0]         out_credit_i
);
  localparam int PlaceBits   = $clog2(Depth);
  localparam int CreditBits  = PlaceBits + 1;
  localparam int ChannelBits = Channels > 1 ? $clog2(Channels) : 1;
  // By input port, the output ports of dimension order: straight on, to the higher dimension, or to the node.
  localparam logic [Ports*Ports-1:0] Turns = {5'b01111, 5'b10100, 5'b11000, 5'b11101, 5'b11110};

  // By input, which is port * Channels + channel.
  logic [Inputs*Ports-1:0]    route;       // output port of the packet at the front, one-hot
  logic [Inputs*Channels-1:0] channel;     // its channel there, one-hot
  logic [Inputs-1:0]          waiting;     // it has a route and no channel
  logic [Inputs-1:0]          ready;       // it has a channel, and a flit
  logic [Inputs-1:0]          tail;        // its flit at the front is its last
  logic [Inputs*Channels-1:0] found;       // the channel that it accepts in this cycle
  logic [Inputs-1:0]          sent;        // its flit at the front passes the switch
  // By input port: the flit that passed the switch in the previous cycle.
  logic [Ports*FlitBits-1:0]  crossing;
  // By output, port * Channels + channel.
  logic [Inputs-1:0]          has_credit;
  logic [Inputs*Inputs-1:0]   channel_grant;
  // By output port, then input port.
  logic [Ports*Ports-1:0]     switch_grant;
  logic [Ports*Ports-1:0]     switch_accept;
  // By input port, then output port, then channel: the channel that requests the switch.
  logic [Ports*Ports*Channels-1:0] candidate;

  for (genvar p = 0; p < Ports; p++) begin : gen_input_port
    localparam logic [Ports-1:0] Turn = Turns[p*Ports+:Ports];
    logic [Channels*FlitBits-1:0] stored;
    for (genvar c = 0; c < Channels; c++) begin : gen_input
      localparam int I = p * Channels + c;
      logic [FlitBits-1:0]  buffer_q[Depth];
      logic [CreditBits-1:0] write_q;
      logic [CreditBits-1:0] read_q;
      logic [PlaceBits-1:0]  crossing_q;
      logic [Ports-1:0]     route_q;
      logic [Channels-1:0]  channel_q;
      logic                 waiting_q;
      logic                 active_q;
      logic                 credit_q;
      logic                 empty;
      logic [FlitBits-1:0]  front;
      logic [Ports-1:0]     way;
      logic                 x_equal;

      assign empty = write_q == read_q;
      assign front = buffer_q[read_q[PlaceBits-1:0]];
      assign x_equal = front[0+:CoordinateBits] == x_i;
      assign way[0] = front[0+:CoordinateBits] < x_i;
      assign way[1] = front[0+:CoordinateBits] > x_i;
      assign way[2] = x_equal && front[CoordinateBits+:CoordinateBits] < y_i;
      assign way[3] = x_equal && front[CoordinateBits+:CoordinateBits] > y_i;
      assign way[4] = x_equal && front[CoordinateBits+:CoordinateBits] == y_i;

      // The slot of a flit that passed the switch is read a cycle later; its credit is not back before.
      always_ff @(posedge clk_i) begin
        if (in_valid_i[I]) buffer_q[write_q[PlaceBits-1:0]] <= in_flit_i[p*FlitBits+:FlitBits];
        crossing_q <= read_q[PlaceBits-1:0];
      end
      assign stored[c*FlitBits+:FlitBits] = buffer_q[crossing_q];

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          write_q   <= '0;
          read_q    <= '0;
          route_q   <= '0;
          channel_q <= '0;
          waiting_q <= 1'b0;
          active_q  <= 1'b0;
          credit_q  <= 1'b0;
        end else begin
          credit_q <= sent[I];
          if (in_valid_i[I]) write_q <= write_q + 1'b1;
          if (sent[I]) read_q <= read_q + 1'b1;
          if (waiting_q) begin
            if (found[I*Channels+:Channels] != '0) begin
              channel_q <= found[I*Channels+:Channels];
              waiting_q <= 1'b0;
              active_q  <= 1'b1;
            end
          end else if (active_q) begin
            if (sent[I] && tail[I]) active_q <= 1'b0;
          end else if (!empty) begin
            route_q   <= way & Turn;
            waiting_q <= 1'b1;
          end
        end
      end
      assign in_credit_o[I] = credit_q;
      assign route[I*Ports+:Ports] = route_q;
      assign channel[I*Channels+:Channels] = channel_q;
      assign waiting[I] = waiting_q;
      assign ready[I] = active_q && !empty;
      assign tail[I] = front[FlitBits-1];

      // The first channel that grants, after the one that the last packet to the same port took.
      if (Channels == 1) begin : gen_found
        assign found[I] = (channel_grant[0*Inputs+I] & route_q[0]) | (channel_grant[1*Inputs+I] & route_q[1]) |
                          (channel_grant[2*Inputs+I] & route_q[2]) | (channel_grant[3*Inputs+I] & route_q[3]) |
                          (channel_grant[4*Inputs+I] & route_q[4]);
      end else begin : gen_found
        logic [Channels-1:0]    granted;
        logic [ChannelBits-1:0] next_q;
        for (genvar v = 0; v < Channels; v++) begin : gen_granted
          assign granted[v] = channel_grant[(0*Channels+v)*Inputs+I] | channel_grant[(1*Channels+v)*Inputs+I] |
                              channel_grant[(2*Channels+v)*Inputs+I] | channel_grant[(3*Channels+v)*Inputs+I] |
                              channel_grant[(4*Channels+v)*Inputs+I];
        end
        function automatic logic [ChannelBits-1:0] after(input logic [Channels-1:0] one);
          after = '0;
          for (int i = 0; i < Channels; i++) begin
            if (one[i]) after = after | ChannelBits'((i + 1) % Channels);
          end
        endfunction
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) next_q <= '0;
          else if (waiting_q) begin
            if (found[I*Channels+:Channels] != '0) next_q <= after(found[I*Channels+:Channels]);
          end else if (!active_q && !empty && route_q != (way & Turn)) begin
            next_q <= '0;
          end
        end
        conventional_first #(.Size(Channels)) u_accept (
            .mask_i(granted), .from_i(next_q), .first_o(found[I*Channels+:Channels]));
      end
    end

    // Of the channels with the same output port, the first in turn requests the switch.
    logic [ChannelBits-1:0] turn;
    logic [Ports-1:0] granted;
    logic [Ports-1:0] accepted;
    for (genvar o = 0; o < Ports; o++) begin : gen_request
      logic [Channels-1:0] request;
      for (genvar c = 0; c < Channels; c++) begin : gen_channel
        localparam int I = p * Channels + c;
        assign request[c] = ready[I] && route[I*Ports+o] &&
                            (channel[I*Channels+:Channels] & has_credit[o*Channels+:Channels]) != '0;
      end
      conventional_first #(.Size(Channels)) u_candidate (
          .mask_i(request), .from_i(turn), .first_o(candidate[(p*Ports+o)*Channels+:Channels]));
      assign granted[o] = switch_grant[o*Ports+p];
      assign switch_accept[o*Ports+p] = accepted[o];
    end
    for (genvar c = 0; c < Channels; c++) begin : gen_sent
      assign sent[p*Channels+c] =
          (accepted[0] & candidate[(p*Ports+0)*Channels+c]) | (accepted[1] & candidate[(p*Ports+1)*Channels+c]) |
          (accepted[2] & candidate[(p*Ports+2)*Channels+c]) | (accepted[3] & candidate[(p*Ports+3)*Channels+c]) |
          (accepted[4] & candidate[(p*Ports+4)*Channels+c]);
    end
    if (Channels == 1) begin : gen_accept
      // One packet asks for one port.
      assign turn = '0;
      assign accepted = granted;
      assign crossing[p*FlitBits+:FlitBits] = stored;
    end else begin : gen_accept
      logic [ChannelBits-1:0] turn_q;
      logic [ChannelBits-1:0] sent_q;
      function automatic logic [ChannelBits-1:0] number(input logic [Channels-1:0] one);
        number = '0;
        for (int i = 0; i < Channels; i++) begin
          if (one[i]) number = number | ChannelBits'(i);
        end
      endfunction
      always_ff @(posedge clk_i) sent_q <= number(sent[p*Channels+:Channels]);
      assign crossing[p*FlitBits+:FlitBits] = stored[sent_q*FlitBits+:FlitBits];
      function automatic logic [ChannelBits-1:0] after(input logic [Channels-1:0] one);
        after = '0;
        for (int i = 0; i < Channels; i++) begin
          if (one[i]) after = after | ChannelBits'((i + 1) % Channels);
        end
      endfunction
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) turn_q <= '0;
        else if (accepted != '0) turn_q <= after(sent[p*Channels+:Channels]);
      end
      assign turn = turn_q;
      conventional_arbiter #(.Size(Ports)) u_accept (
          .clk_i(clk_i), .rst_ni(rst_ni), .request_i(granted), .grant_o(accepted), .accept_i(accepted));
    end
  end

  for (genvar o = 0; o < Ports; o++) begin : gen_output_port
    logic [Ports-1:0] request;
    for (genvar p = 0; p < Ports; p++) begin : gen_request
      assign request[p] = Turns[p*Ports+o] && candidate[(p*Ports+o)*Channels+:Channels] != '0;
    end
    conventional_arbiter #(.Size(Ports)) u_switch (
        .clk_i(clk_i), .rst_ni(rst_ni), .request_i(request), .grant_o(switch_grant[o*Ports+:Ports]),
        .accept_i(switch_accept[o*Ports+:Ports]));

    for (genvar v = 0; v < Channels; v++) begin : gen_output
      localparam int O = o * Channels + v;
      logic                  unused_q;  // no packet holds the channel
      logic                  credit_q;
      logic [CreditBits-1:0] credits_q;
      logic                  valid_q;
      logic                  out_valid_q;
      logic [Inputs-1:0]     wish;
      logic [Inputs-1:0]     taken;
      logic [Inputs-1:0]     use_of;
      logic [Inputs-1:0]     last;
      for (genvar i = 0; i < Inputs; i++) begin : gen_wish
        assign wish[i] = Turns[i/Channels*Ports+o] && waiting[i] && route[i*Ports+o] && unused_q;
        assign taken[i] = channel_grant[O*Inputs+i] && found[i*Channels+v];
        assign use_of[i] = Turns[i/Channels*Ports+o] && sent[i] && route[i*Ports+o] && channel[i*Channels+v];
        assign last[i] = use_of[i] && tail[i];
      end
      conventional_arbiter #(.Size(Inputs)) u_channel (
          .clk_i(clk_i), .rst_ni(rst_ni), .request_i(wish), .grant_o(channel_grant[O*Inputs+:Inputs]),
          .accept_i(taken));
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          unused_q    <= 1'b1;
          credit_q    <= 1'b0;
          credits_q   <= CreditBits'(Depth);
          valid_q     <= 1'b0;
          out_valid_q <= 1'b0;
        end else begin
          if (taken != '0) unused_q <= 1'b0;
          else if (last != '0) unused_q <= 1'b1;
          credit_q <= out_credit_i[O];
          if (use_of != '0 && !credit_q) credits_q <= credits_q - 1'b1;
          if (use_of == '0 && credit_q) credits_q <= credits_q + 1'b1;
          valid_q     <= use_of != '0;
          out_valid_q <= valid_q;
        end
      end
      assign has_credit[O] = credits_q != '0;
      assign out_valid_o[O] = out_valid_q;
    end

    // Traversal: the input port whose flit leaves by this port.
    logic [Ports-1:0]    leaving_q;
    logic [FlitBits-1:0] flit_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) leaving_q <= '0;
      else leaving_q <= switch_accept[o*Ports+:Ports];
    end
    always_ff @(posedge clk_i) begin
      flit_q <= (crossing[0*FlitBits+:FlitBits] & {FlitBits{leaving_q[0]}}) |
                (crossing[1*FlitBits+:FlitBits] & {FlitBits{leaving_q[1]}}) |
                (crossing[2*FlitBits+:FlitBits] & {FlitBits{leaving_q[2]}}) |
                (crossing[3*FlitBits+:FlitBits] & {FlitBits{leaving_q[3]}}) |
                (crossing[4*FlitBits+:FlitBits] & {FlitBits{leaving_q[4]}});
    end
    assign out_flit_o[o*FlitBits+:FlitBits] = flit_q;
  end
endmodule
`default_nettype wire
