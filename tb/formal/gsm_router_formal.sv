// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Properties of one hardwired router, for yosys.
//
// An arrival leaves by its planned out-ports in the next cycle, unaltered and once. Every packet sent was
// received or injected. If two packets compete for one place, one of them is sent and error_o rises. With
// Depth > 1 the out-ports are compared with a second, independent description of the queues as shift
// registers. Everything is free: injections, arrivals, clear, and reset after the first cycle.
module gsm_router_formal #(
    parameter int Ports = 4,
    parameter int Width = 4,
    parameter int Depth = 1,
    parameter logic [Ports*Ports-1:0] Feed = '0,
    parameter logic [Ports*Ports-1:0] EarlyFeed = '0,
    parameter logic [Ports*32-1:0] SwitchStep = '0,
    parameter logic [Ports-1:0] InjectMask = {Ports{1'b1}}
) (
    input logic                   clk_i,
    input logic                   rst_ni,
    input logic                   clear_i,
    input logic [      Ports-1:0] inject_valid_i,
    input logic [Ports*Width-1:0] inject_data_i,
    input logic [      Ports-1:0] in_valid_i,
    input logic [Ports*Width-1:0] in_data_i
);

  logic [      Ports-1:0] out_valid;
  logic [Ports*Width-1:0] out_data;
  logic                   error;

  gsm_router #(
      .Ports     (Ports),
      .Width     (Width),
      .Depth     (Depth),
      .Feed      (Feed),
      .EarlyFeed (EarlyFeed),
      .SwitchStep(SwitchStep),
      .InjectMask(InjectMask)
  ) u_router (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .clear_i       (clear_i),
      .inject_valid_i(inject_valid_i),
      .inject_data_i (inject_data_i),
      .in_valid_i    (in_valid_i),
      .in_data_i     (in_data_i),
      .out_valid_o   (out_valid),
      .out_data_o    (out_data),
      .error_o       (error)
  );

  // The first cycle is one of reset.
  logic started = 1'b0;
  always @(posedge clk_i) started <= 1'b1;
  always @(*) if (!started) assume (!rst_ni);

  // The step of this cycle, large enough to pass every switch of the test.
  logic [7:0] step_q;
  always @(posedge clk_i) begin
    if (!rst_ni || clear_i) step_q <= 8'd0;
    else if (step_q != 8'hff) step_q <= step_q + 8'd1;
  end

  logic [Ports-1:0] conflict;
  for (genvar p = 0; p < Ports; p++) begin : gen_out_port
    logic [Ports-1:0] feed;
    logic [Ports-1:0] arrive;
    logic             inject;
    assign feed   = 32'(step_q) < SwitchStep[p*32+:32] ? EarlyFeed[p*Ports+:Ports]
                                                       : Feed[p*Ports+:Ports];
    assign arrive = in_valid_i & feed;
    assign inject = inject_valid_i[p] && InjectMask[p];

    if (Depth == 1) begin : gen_register
      logic [Ports:0] candidates;
      assign candidates  = {arrive, inject};
      assign conflict[p] = (candidates & (candidates - 1'b1)) != '0;

      always @(posedge clk_i) begin
        if (started && rst_ni && $past(rst_ni)) begin
          // A packet is sent exactly if one came for this port: none is invented or repeated.
          assert (out_valid[p] == ($past(candidates != '0) && !$past(clear_i)));
          if (!$past(clear_i) && !$past(conflict[p])) begin
            if ($past(inject)) assert (out_data[p*Width+:Width] == $past(inject_data_i[p*Width+:Width]));
          end
        end
        cover (started && out_valid[p]);
      end
      for (genvar q = 0; q < Ports; q++) begin : gen_in_port
        always @(posedge clk_i) begin
          if (started && rst_ni && $past(rst_ni) && !$past(clear_i) && !$past(conflict[p]) &&
              $past(in_valid_i[q]) && $past(feed[q])) begin
            // Neither lost nor altered.
            assert (out_valid[p]);
            assert (out_data[p*Width+:Width] == $past(in_data_i[q*Width+:Width]));
          end
        end
      end
      // In all cases a sent packet has a source.
      logic [Ports:0] sources_q;
      logic [(Ports+1)*Width-1:0] values_q;
      logic [Ports:0] equal;
      always @(posedge clk_i) begin
        sources_q <= candidates;
        values_q  <= {in_data_i, inject_data_i[p*Width+:Width]};
      end
      for (genvar c = 0; c <= Ports; c++) begin : gen_source
        assign equal[c] = sources_q[c] && values_q[c*Width+:Width] == out_data[p*Width+:Width];
      end
      always @(posedge clk_i) begin
        if (started && rst_ni && $past(rst_ni) && out_valid[p]) assert (equal != '0);
      end
    end else begin : gen_queue
      // The queue as a shift register; place 0 is the register of the link.
      logic [Depth*Width-1:0] model_q;
      logic [15:0] count_q;
      logic [Depth*Width-1:0] model;
      logic [15:0] count;
      logic lost;
      always @(*) begin
        // The head leaves, the others move up; an injected packet goes first.
        model = model_q;
        count = count_q;
        lost  = 1'b0;
        if (count != 16'd0) begin
          model = {{Width{1'b0}}, model_q[Depth*Width-1:Width]};
          count = count - 16'd1;
        end
        if (inject) begin
          // There is room: a queue holds at most Depth - 1 now.
          model = {model[0+:(Depth-1)*Width], inject_data_i[p*Width+:Width]};
          count = count + 16'd1;
        end
        for (int q = 0; q < Ports; q++) begin
          if (arrive[q]) begin
            if (count < Depth) begin
              for (int i = 0; i < Depth; i++) begin
                if (count == i) model[i*Width+:Width] = in_data_i[q*Width+:Width];
              end
              count = count + 16'd1;
            end else begin
              lost = 1'b1;
            end
          end
        end
      end
      assign conflict[p] = lost;
      always @(posedge clk_i) begin
        model_q <= model;
        count_q <= !rst_ni || clear_i ? 16'd0 : count;
        if (started && rst_ni && $past(rst_ni)) begin
          assert (out_valid[p] == (count_q != 16'd0));
          if (out_valid[p]) assert (out_data[p*Width+:Width] == model_q[0+:Width]);
        end
        cover (started && count_q == Depth);
      end
    end
  end

  // No packet is lost without an error.
  logic error_q;
  always @(posedge clk_i) begin
    error_q <= rst_ni && !clear_i && (error_q || conflict != '0);
    if (started && rst_ni && $past(rst_ni)) assert (error == error_q);
  end

endmodule

`default_nettype wire
