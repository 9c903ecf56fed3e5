// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A slave of AXI4-Lite. A write or a read is handled in one cycle, in which the owner says by *_fits_i
// whether it is legal; the answer is SLVERR otherwise, and a read then returns 0.
module soc_bus (
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
    output logic [ 1:0] s_axil_rresp,
    // This is the cycle of a write; it writes an aligned word.
    output logic        write_o,
    output logic        write_word_o,
    input  logic        write_fits_i,
    // The data at s_axil_araddr, in the same cycle.
    input  logic [31:0] read_data_i,
    input  logic        read_fits_i
);

  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;

  // A write starts when address and data are valid and the previous answer has been taken; the same for a
  // read.
  logic read;
  assign write_o        = s_axil_awvalid && s_axil_wvalid && (!s_axil_bvalid || s_axil_bready);
  assign s_axil_awready = write_o;
  assign s_axil_wready  = write_o;
  assign read           = s_axil_arvalid && (!s_axil_rvalid || s_axil_rready);
  assign s_axil_arready = read;

  assign write_word_o   = s_axil_wstrb == '1 && s_axil_awaddr[1:0] == '0;
  // Where they lead is up to the owner.
  logic unused_address;
  assign unused_address = ^{s_axil_awaddr, s_axil_wdata, s_axil_araddr};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_axil_bvalid <= 1'b0;
      s_axil_bresp  <= Okay;
      s_axil_rvalid <= 1'b0;
      s_axil_rresp  <= Okay;
      s_axil_rdata  <= '0;
    end else begin
      if (s_axil_bready) s_axil_bvalid <= 1'b0;
      if (s_axil_rready) s_axil_rvalid <= 1'b0;
      if (write_o) begin
        s_axil_bvalid <= 1'b1;
        s_axil_bresp  <= write_fits_i ? Okay : SlaveError;
      end
      if (read) begin
        s_axil_rvalid <= 1'b1;
        s_axil_rresp  <= read_fits_i ? Okay : SlaveError;
        s_axil_rdata  <= read_fits_i ? read_data_i : '0;
      end
    end
  end

endmodule

`default_nettype wire
