// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A combining router whose combine_i is never high equals the stream router: the same words on the same
// links at all times, for yosys. Arrivals, own packets and clear are free. If an own packet and an arrival
// compete for one out-port, both routers send the own packet.
module gsm_combining_formal #(
    parameter int Ports = 4,
    parameter int Width = 4,
    // In-port and out-port of each lane: bit l*Ports + port.
    parameter logic [Ports*Ports-1:0] LaneIn = '0,
    parameter logic [Ports*Ports-1:0] LaneOut = '0
) (
    input logic                   clk_i,
    input logic                   rst_ni,
    input logic                   clear_i,
    // By lane.
    input logic [      Ports-1:0] inject_valid_i,
    input logic [Ports*Width-1:0] inject_data_i,
    input logic [      Ports-1:0] in_valid_i,
    input logic [Ports*Width-1:0] in_data_i
);

  // The same wiring for the stream router: the in-ports that feed an out-port.
  function automatic logic [Ports*Ports-1:0] feed_of(input logic [Ports*Ports-1:0] from,
                                                     input logic [Ports*Ports-1:0] to);
    feed_of = '0;
    for (int l = 0; l < Ports; l++) begin
      for (int p = 0; p < Ports; p++) begin
        for (int q = 0; q < Ports; q++) begin
          if (from[l*Ports+q] && to[l*Ports+p]) feed_of[p*Ports+q] = 1'b1;
        end
      end
    end
  endfunction
  logic [Ports-1:0] inject_valid;
  logic [Ports*Width-1:0] inject_data;
  always @(*) begin
    inject_valid = '0;
    inject_data  = '0;
    for (int l = 0; l < Ports; l++) begin
      for (int p = 0; p < Ports; p++) begin
        if (LaneOut[l*Ports+p]) begin
          inject_valid[p]               = inject_valid_i[l];
          inject_data[p*Width+:Width] = inject_data_i[l*Width+:Width];
        end
      end
    end
  end

  logic [Ports-1:0] gossip_valid;
  logic [Ports*Width-1:0] gossip_data;
  logic error;
  gsm_router #(
      .Ports(Ports),
      .Width(Width),
      .Feed (feed_of(LaneIn, LaneOut))
  ) u_gossip (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .inject_valid_i(inject_valid),
      .inject_data_i (inject_data),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (gossip_valid),
      .out_data_o    (gossip_data),
      .error_o       (error)
  );

  logic [Ports-1:0] out_valid;
  logic [Ports*Width-1:0] out_data;
  logic [Ports-1:0] arrive_valid;
  logic [Ports-1:0] taken_valid;
  logic [Ports*Width-1:0] taken_data;
  gsm_combining_router #(
      .Ports(Ports),
      .Lanes(Ports),
      .Width(Width)
  ) u_combining (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .enter_i       (1'b1),
      .slot_i        (4'd0),
      .lane_in_i     (LaneIn),
      .lane_out_i    (LaneOut),
      .relay_i       ({Ports * Ports{1'b0}}),
      .adder_cycles_i(4'd0),
      .result_cycles_i(5'd0),
      .step_cycles_i (16'd1),
      .send_i        ({Ports{1'b1}}),
      .inject_valid_i(inject_valid_i),
      .inject_data_i (inject_data_i),
      .combine_i     (1'b0),
      .cross_i       (1'b0),
      .join_i        (1'b0),
      .first_i       (1'b0),
      .first_valid_i ({Ports{1'b0}}),
      .first_data_i  ({Ports * Width{1'b0}}),
      .pass_i        (1'b0),
      .arrive_valid_o(arrive_valid),
      .taken_valid_o (taken_valid),
      .taken_data_o  (taken_data),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (out_valid),
      .out_data_o    (out_data)
  );

  logic started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  always @(*) if (!started) assume (!rst_ni);

  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    always @(posedge clk_i) begin
      if (started && rst_ni) begin
        assert (out_valid[p] == gossip_valid[p]);
        if (out_valid[p]) begin
          assert (out_data[p*Width+:Width] == gossip_data[p*Width+:Width]);
        end
      end
      cover (started && out_valid[p]);
    end
  end

endmodule

`default_nettype wire
