// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A node's memory, a DMA for each collective, and AXI4-Lite registers; its two tiles are in the networks.
//
// Byte addresses. 0x0000 to 0x1fff: the memory, 2048 words. 0x2000 CONTROL, on a write: bit 0 starts an
// all-gather, bit 1 an all-reduce. 0x2004 STATUS: bit 0 busy, 1 done, 2 error, 3 an in-port of a tile has
// waited for long, 4 it waited for this node. An error is a start while busy, of both collectives, or with
// a wrong length or address, or a flag of the tiles. A write to STATUS clears done and error. 0x2008 BASE,
// the byte address of the vector; 0x200c LENGTH, its bytes; 0x2010 CYCLES from the start to done, read
// only; 0x2014 RANKS, the node's place on cycle 0 (bits 15:0) and 1 (31:16).
//
// The answer SLVERR rejects an illegal access, which then changes nothing: an access to any other address;
// to the memory while a collective runs; a write of less than an aligned word, to a read-only register, or
// to BASE or LENGTH while a collective runs.
module soc_node #(
    parameter int Chunk = 4,
    parameter int Rounds = 8,
    parameter logic [15:0] Feed = 16'h4812,
    parameter logic [15:0] Cycle = 16'h1100,
    parameter int Rank0 = 0,
    parameter int Rank1 = 0,
    parameter logic [3:0] Backward = 4'b1010,
    localparam int DeliverBits = 32 + $clog2(Chunk * Rounds) + 4 + 3
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     s_axil_awvalid,
    output logic                     s_axil_awready,
    input  logic [             31:0] s_axil_awaddr,
    input  logic                     s_axil_wvalid,
    output logic                     s_axil_wready,
    input  logic [             31:0] s_axil_wdata,
    input  logic [              3:0] s_axil_wstrb,
    output logic                     s_axil_bvalid,
    input  logic                     s_axil_bready,
    output logic [              1:0] s_axil_bresp,
    input  logic                     s_axil_arvalid,
    output logic                     s_axil_arready,
    input  logic [             31:0] s_axil_araddr,
    output logic                     s_axil_rvalid,
    input  logic                     s_axil_rready,
    output logic [             31:0] s_axil_rdata,
    output logic [              1:0] s_axil_rresp,
    // Streams of both tiles, those of the all-gather in the low bits.
    output logic [              7:0] own_valid_o,
    input  logic [              7:0] own_ready_i,
    output logic [            255:0] own_data_o,
    output logic [              7:0] own_last_o,
    input  logic [              7:0] deliver_valid_i,
    output logic [              7:0] deliver_ready_o,
    input  logic [8*DeliverBits-1:0] deliver_data_i,
    // The flags of both tiles.
    input  logic [              9:0] flags_i
);

  localparam int Words = 2048;
  localparam int Bits = 11;
  // Bytes of a vector: 16 packets on each of two cycles.
  localparam int VectorBytes = 4 * 2 * 16 * Chunk * Rounds;

  logic busy_q;
  logic done_q;
  logic error_q;
  logic [31:0] base_q;
  logic [31:0] length_q;
  logic [31:0] cycles_q;
  logic [1:0] start_dma;
  logic [1:0] dma_done;

  // Memory: two DMAs and the bus.
  logic [6*Bits-1:0] read_address[2];
  logic [13*32-1:0] read_data;
  logic [5:0] write[2];
  logic [6*Bits-1:0] write_address[2];
  logic [6*32-1:0] write_data[2];
  logic bus_writes;
  soc_memory #(
      .Words (Words),
      .Reads (13),
      .Writes(13)
  ) u_memory (
      .clk_i          (clk_i),
      .read_address_i ({s_axil_araddr[Bits+1:2], read_address[1], read_address[0]}),
      .read_data_o    (read_data),
      .write_i        ({bus_writes, write[1], write[0]}),
      .write_address_i({s_axil_awaddr[Bits+1:2], write_address[1], write_address[0]}),
      .write_data_i   ({s_axil_wdata, write_data[1], write_data[0]})
  );
  for (genvar d = 0; d < 2; d++) begin : gen_dma
    soc_dma #(
        .Nodes      (16),
        .Chunk      (Chunk),
        .Rounds     (Rounds),
        .Reduce     (2 * d),
        .AddressBits(Bits),
        .Feed       (Feed),
        .Cycle      (Cycle)
    ) u_dma (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .rank_i         ({4'(Rank1), 4'(Rank0)}),
        .backward_i     (Backward),
        .start_i        (start_dma[d]),
        .base_i         (base_q[Bits+1:2]),
        .done_o         (dma_done[d]),
        .read_address_o (read_address[d]),
        .read_data_i    (read_data[d*6*32+:6*32]),
        .write_o        (write[d]),
        .write_address_o(write_address[d]),
        .write_data_o   (write_data[d]),
        .own_valid_o    (own_valid_o[d*4+:4]),
        .own_ready_i    (own_ready_i[d*4+:4]),
        .own_data_o     (own_data_o[d*128+:128]),
        .own_last_o     (own_last_o[d*4+:4]),
        .deliver_valid_i(deliver_valid_i[d*4+:4]),
        .deliver_ready_o(deliver_ready_o[d*4+:4]),
        .deliver_data_i (deliver_data_i[d*4*DeliverBits+:4*DeliverBits])
    );
  end

  logic bus_write;
  logic word_written;
  logic [31:0] read_word;
  logic read_fits;
  logic write_memory;
  logic write_register;
  logic write_fits;
  // CONTROL and STATUS at any time, the others while no collective runs.
  assign write_memory   = s_axil_awaddr[31:13] == '0;
  assign write_register = s_axil_awaddr[31:4] == 28'h200;
  assign write_fits     = word_written &&
                          ((write_memory && !busy_q) || (write_register && (!busy_q || !s_axil_awaddr[3])));
  assign bus_writes     = bus_write && write_memory && write_fits;

  logic read_memory;
  logic read_register;
  logic [31:0] register;
  assign read_memory   = s_axil_araddr[31:13] == '0;
  assign read_register = s_axil_araddr[31:5] == 27'h100 && s_axil_araddr[4:2] <= 3'd5;
  assign read_fits     = (read_memory && !busy_q) || read_register;
  assign read_word     = read_memory ? read_data[12*32+:32] : register;
  always @* begin
    case (s_axil_araddr[4:2])
      3'd1: register = {27'd0, flags_i[9] || flags_i[4], flags_i[8] || flags_i[3], error_q, done_q, busy_q};
      3'd2: register = base_q;
      3'd3: register = length_q;
      3'd4: register = cycles_q;
      3'd5: register = {16'(Rank1), 16'(Rank0)};
      default: register = '0;
    endcase
  end
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

  logic start;
  logic start_right;
  assign start       = bus_write && write_fits && write_register && s_axil_awaddr[3:2] == 2'd0;
  assign start_right = !busy_q && (s_axil_wdata == 32'd1 || s_axil_wdata == 32'd2) && length_q == VectorBytes &&
                       base_q[1:0] == '0 && base_q <= 32'(4 * Words - VectorBytes);
  // In the cycle of the write: a register here would cost every collective one cycle.
  assign start_dma   = start && start_right ? s_axil_wdata[1:0] : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
      error_q <= 1'b0;
      base_q <= '0;
      length_q <= '0;
      cycles_q <= '0;
    end else begin
      if (busy_q) begin
        cycles_q <= cycles_q + 1'b1;
        if (dma_done == '1) begin
          busy_q <= 1'b0;
          done_q <= 1'b1;
        end
      end
      if (bus_write && write_fits && !write_memory) begin
        case (s_axil_awaddr[3:2])
          2'd1: begin
            done_q  <= 1'b0;
            error_q <= 1'b0;
          end
          2'd2: base_q <= s_axil_wdata;
          2'd3: length_q <= s_axil_wdata;
          default: ;
        endcase
      end
      if (start) begin
        if (start_right) begin
          busy_q   <= 1'b1;
          done_q   <= 1'b0;
          cycles_q <= '0;
        end else error_q <= 1'b1;
      end
      if ((flags_i & 10'b00111_00111) != '0) error_q <= 1'b1;
    end
  end

endmodule

`default_nettype wire
