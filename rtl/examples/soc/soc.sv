// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Sixteen nodes on a 4x4 torus with two networks, both emitted: `gather` all-gathers and `reduce`
// all-reduces vectors of 4 KiB from memory to memory. One AXI4-Lite bus per node, side by side in vectors
// (bits i of node i).
module soc #(
    // 1: every node has its own clock, and the links of both networks cross between the clocks.
    parameter bit OwnClocks = 1'b0
) (
    input  logic           clk_i,
    // With OwnClocks: the clock of each node and of its bus, instead of clk_i.
    input  logic [   15:0] node_clk_i,
    // Asynchronous, active low; nodes with their own clocks leave it one by one.
    input  logic           rst_ni,
    input  logic [   15:0] s_axil_awvalid,
    output logic [   15:0] s_axil_awready,
    input  logic [16*32-1:0] s_axil_awaddr,
    input  logic [   15:0] s_axil_wvalid,
    output logic [   15:0] s_axil_wready,
    input  logic [16*32-1:0] s_axil_wdata,
    input  logic [   63:0] s_axil_wstrb,
    output logic [   15:0] s_axil_bvalid,
    input  logic [   15:0] s_axil_bready,
    output logic [   31:0] s_axil_bresp,
    input  logic [   15:0] s_axil_arvalid,
    output logic [   15:0] s_axil_arready,
    input  logic [16*32-1:0] s_axil_araddr,
    output logic [   15:0] s_axil_rvalid,
    input  logic [   15:0] s_axil_rready,
    output logic [16*32-1:0] s_axil_rdata,
    output logic [   31:0] s_axil_rresp
);

  localparam int DeliverBits = 32 + gather_plan_pkg::DeliverExtra;

  // Streams and flags of the all-gather and of the all-reduce, in separate vectors: Icarus would resolve a
  // vector with two drivers bit by bit.
  logic [63:0] own_valid[2];
  logic [63:0] own_ready[2];
  logic [64*32-1:0] own_data[2];
  logic [63:0] own_last[2];
  logic [63:0] deliver_valid[2];
  logic [63:0] deliver_ready[2];
  logic [64*DeliverBits-1:0] deliver_data[2];
  logic [79:0] flags[2];
  logic [15:0] node_rst_n;

  // Both fabrics have the same ports; `at` is the place of its streams and flags.
`define SOC_FABRIC(name, at) \
  name``_fabric #(                         \
      .Crossings(OwnClocks)                \
  ) u_``name (                             \
      .clk_i          (clk_i),             \
      .rst_ni         (rst_ni),            \
      .node_clk_i     (node_clk_i),        \
      .node_rst_ni    (node_rst_n),        \
      .clear_i        (1'b0),              \
      .start_i        (1'b0),              \
      .table_write_i  (1'b0),              \
      .table_address_i(32'd0),             \
      .table_data_i   (1'b0),              \
      .own_data_i     (own_data[at]),      \
      .own_valid_i    (own_valid[at]),     \
      .own_ready_o    (own_ready[at]),     \
      .own_last_i     (own_last[at]),      \
      .deliver_valid_o(deliver_valid[at]), \
      .deliver_ready_i(deliver_ready[at]), \
      .deliver_data_o (deliver_data[at]),  \
      .link_valid_o   (),                  \
      .link_data_o    (),                  \
      .link_open_i    ({64{1'b1}}),        \
      .busy_o         (),                  \
      .done_o         (),                  \
      .error_o        (),                  \
      .flags_o        (flags[at])          \
  );

  `SOC_FABRIC(gather, 0)
  `SOC_FABRIC(reduce, 1)
`undef SOC_FABRIC

  for (genvar n = 0; n < 16; n++) begin : gen_node
    localparam int Class = gather_plan_pkg::node_class(n);
    localparam int Place0 = gather_plan_pkg::coordinate(n, 0);
    localparam int Place1 = gather_plan_pkg::coordinate(n, 1);
    // The node's streams, as in gsm_fabric: those of the all-gather in the low bits.
    logic [7:0] valid;
    logic [255:0] data;
    logic [7:0] last;
    logic [7:0] ready;
    logic [8*DeliverBits-1:0] delivered;
    for (genvar d = 0; d < 2; d++) begin : gen_streams
      logic [4*DeliverBits-1:0] stream;
      assign stream = deliver_data[d][n*4*DeliverBits+:4*DeliverBits];
      assign delivered[d*4*DeliverBits+:4*DeliverBits] = stream;
      assign own_valid[d][n*4+:4] = valid[d*4+:4];
      assign own_data[d][n*4*32+:128] = data[d*128+:128];
      assign own_last[d][n*4+:4] = last[d*4+:4];
      assign deliver_ready[d][n*4+:4] = ready[d*4+:4];
    end
    logic clk;
    assign clk = OwnClocks ? node_clk_i[n] : clk_i;
    if (OwnClocks) begin : gen_reset
      // It ends with an edge of the node's clock.
      logic [1:0] awake_q;
      always_ff @(posedge clk or negedge rst_ni) begin
        if (!rst_ni) awake_q <= '0;
        else awake_q <= {awake_q[0], 1'b1};
      end
      assign node_rst_n[n] = awake_q[1];
    end else begin : gen_common_reset
      assign node_rst_n[n] = rst_ni;
    end
    soc_node #(
        .Chunk   (gather_plan_pkg::Chunk),
        .Rounds  (gather_plan_pkg::Rounds),
        .Feed    (gather_plan_pkg::feed(Class)),
        .Cycle   (gather_plan_pkg::cycle(Class)),
        .Rank0   (Place0 & 16'h3fff),
        .Rank1   (Place1 & 16'h3fff),
        .Backward({2'((Place1 >> 14) & 3), 2'((Place0 >> 14) & 3)})
    ) u_node (
        .clk_i          (clk),
        .rst_ni         (node_rst_n[n]),
        .s_axil_awvalid (s_axil_awvalid[n]),
        .s_axil_awready (s_axil_awready[n]),
        .s_axil_awaddr  (s_axil_awaddr[n*32+:32]),
        .s_axil_wvalid  (s_axil_wvalid[n]),
        .s_axil_wready  (s_axil_wready[n]),
        .s_axil_wdata   (s_axil_wdata[n*32+:32]),
        .s_axil_wstrb   (s_axil_wstrb[n*4+:4]),
        .s_axil_bvalid  (s_axil_bvalid[n]),
        .s_axil_bready  (s_axil_bready[n]),
        .s_axil_bresp   (s_axil_bresp[n*2+:2]),
        .s_axil_arvalid (s_axil_arvalid[n]),
        .s_axil_arready (s_axil_arready[n]),
        .s_axil_araddr  (s_axil_araddr[n*32+:32]),
        .s_axil_rvalid  (s_axil_rvalid[n]),
        .s_axil_rready  (s_axil_rready[n]),
        .s_axil_rdata   (s_axil_rdata[n*32+:32]),
        .s_axil_rresp   (s_axil_rresp[n*2+:2]),
        .own_valid_o    (valid),
        .own_ready_i    ({own_ready[1][n*4+:4], own_ready[0][n*4+:4]}),
        .own_data_o     (data),
        .own_last_o     (last),
        .deliver_valid_i({deliver_valid[1][n*4+:4], deliver_valid[0][n*4+:4]}),
        .deliver_ready_o(ready),
        .deliver_data_i (delivered),
        .flags_i        ({flags[1][n*5+:5], flags[0][n*5+:5]})
    );
  end

endmodule

`default_nettype wire
