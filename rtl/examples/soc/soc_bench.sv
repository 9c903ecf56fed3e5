// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The SoC with a clock for every node and one bus per node, in the form that cocotb's bus masters expect:
// bench.py drives clock and bus of node n in gen_bus[n].
module soc_bench;

  logic rst_n = 1'b0;
  logic [15:0] clk;
  logic [15:0] awvalid;
  logic [15:0] awready;
  logic [16*32-1:0] awaddr;
  logic [15:0] wvalid;
  logic [15:0] wready;
  logic [16*32-1:0] wdata;
  logic [63:0] wstrb;
  logic [15:0] bvalid;
  logic [15:0] bready;
  logic [31:0] bresp;
  logic [15:0] arvalid;
  logic [15:0] arready;
  logic [16*32-1:0] araddr;
  logic [15:0] rvalid;
  logic [15:0] rready;
  logic [16*32-1:0] rdata;
  logic [31:0] rresp;

  for (genvar n = 0; n < 16; n++) begin : gen_bus
    logic aclk = 1'b0;
    logic s_axil_awvalid = 1'b0;
    logic s_axil_awready;
    logic [31:0] s_axil_awaddr = '0;
    logic s_axil_wvalid = 1'b0;
    logic s_axil_wready;
    logic [31:0] s_axil_wdata = '0;
    logic [3:0] s_axil_wstrb = '0;
    logic s_axil_bvalid;
    logic s_axil_bready = 1'b0;
    logic [1:0] s_axil_bresp;
    logic s_axil_arvalid = 1'b0;
    logic s_axil_arready;
    logic [31:0] s_axil_araddr = '0;
    logic s_axil_rvalid;
    logic s_axil_rready = 1'b0;
    logic [31:0] s_axil_rdata;
    logic [1:0] s_axil_rresp;
    assign clk[n]           = aclk;
    assign awvalid[n]       = s_axil_awvalid;
    assign s_axil_awready   = awready[n];
    assign awaddr[n*32+:32] = s_axil_awaddr;
    assign wvalid[n]        = s_axil_wvalid;
    assign s_axil_wready    = wready[n];
    assign wdata[n*32+:32]  = s_axil_wdata;
    assign wstrb[n*4+:4]    = s_axil_wstrb;
    assign s_axil_bvalid    = bvalid[n];
    assign bready[n]        = s_axil_bready;
    assign s_axil_bresp     = bresp[n*2+:2];
    assign arvalid[n]       = s_axil_arvalid;
    assign s_axil_arready   = arready[n];
    assign araddr[n*32+:32] = s_axil_araddr;
    assign s_axil_rvalid    = rvalid[n];
    assign rready[n]        = s_axil_rready;
    assign s_axil_rdata     = rdata[n*32+:32];
    assign s_axil_rresp     = rresp[n*2+:2];
  end

  soc #(
      .OwnClocks(1'b1)
  ) u_soc (
      .clk_i         (1'b0),
      .node_clk_i    (clk),
      .rst_ni        (rst_n),
      .s_axil_awvalid(awvalid),
      .s_axil_awready(awready),
      .s_axil_awaddr (awaddr),
      .s_axil_wvalid (wvalid),
      .s_axil_wready (wready),
      .s_axil_wdata  (wdata),
      .s_axil_wstrb  (wstrb),
      .s_axil_bvalid (bvalid),
      .s_axil_bready (bready),
      .s_axil_bresp  (bresp),
      .s_axil_arvalid(arvalid),
      .s_axil_arready(arready),
      .s_axil_araddr (araddr),
      .s_axil_rvalid (rvalid),
      .s_axil_rready (rready),
      .s_axil_rdata  (rdata),
      .s_axil_rresp  (rresp)
  );

endmodule

`default_nettype wire
