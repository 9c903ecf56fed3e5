// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A processing element as a user writes it: hands over its readings, adds up what all nodes hand
// over, and takes its time now and then, so that both handshakes are put to use.
//
// In beat b the element's packet c carries the value 1000*b + 10*Node + c + base_i.
module user_element #(
    parameter int Node = 0,
    parameter int Nodes = 4,
    parameter int Packets = 2,
    parameter int Width = 32,
    parameter int NumberWidth = 3
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // Forget the sum and begin again.
    input  logic                   restart_i,
    input  logic [      Width-1:0] base_i,
    // To the network.
    output logic                   s_valid_o,
    input  logic                   s_ready_i,
    output logic [      Width-1:0] s_data_o,
    // From the network.
    input  logic                   m_valid_i,
    output logic                   m_ready_o,
    input  logic [      Width-1:0] m_data_i,
    input  logic [NumberWidth-1:0] m_packet_i,
    // Sum of all flits got, how many, and whether each had the number expected.
    output logic [           31:0] sum_o,
    output logic [           31:0] count_o,
    output logic                   order_error_o
);

  logic [15:0] packet_q;
  logic [15:0] beat_q;
  // A small generator: the element is ready in about two of three cycles.
  logic [7:0] random_q;
  assign s_valid_o = random_q[0] || random_q[3];
  assign m_ready_o = random_q[1] || random_q[5];
  assign s_data_o  = Width'(1000 * beat_q + 10 * Node + packet_q) + base_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      packet_q      <= '0;
      beat_q        <= '0;
      random_q      <= 8'(2 * Node + 1);
      sum_o         <= '0;
      count_o       <= '0;
      order_error_o <= 1'b0;
    end else begin
      random_q <= {random_q[6:0], random_q[7] ^ random_q[5] ^ random_q[4] ^ random_q[3]};
      if (restart_i) begin
        packet_q      <= '0;
        beat_q        <= '0;
        sum_o         <= '0;
        count_o       <= '0;
        order_error_o <= 1'b0;
      end else begin
        if (s_valid_o && s_ready_i) begin
          packet_q <= packet_q + 1'b1;
          if (packet_q == 16'(Packets - 1)) begin
            packet_q <= '0;
            beat_q   <= beat_q + 1'b1;
          end
        end
        if (m_valid_i && m_ready_o) begin
          sum_o   <= sum_o + 32'(m_data_i);
          count_o <= count_o + 1;
          if (32'(m_packet_i) != count_o % (Nodes * Packets)) order_error_o <= 1'b1;
        end
      end
    end
  end

endmodule

`default_nettype wire
