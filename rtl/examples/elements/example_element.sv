// SPDX-License-Identifier: Apache-2.0

// A processing element of one's own: in every round it gives its packets, takes everybody else's as
// they come, and adds them all up. A packet of two flits: first its number, then its value.
module example_element #(
    // Which node this is, own packets a node, packets of all nodes together, ports of the router.
    parameter int Node = 0,
    parameter int Packets = 1,
    parameter int Total = 4,
    parameter int Ports = 4
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    // Values of this round are base_i + number.
    input  logic [        31:0] base_i,
    // Forget the sum: another round begins.
    input  logic                again_i,
    // To the network.
    output logic                tx_valid_o,
    input  logic                tx_ready_i,
    output logic [        31:0] tx_data_o,
    // From the network, one stream for each in-port.
    input  logic [   Ports-1:0] rx_valid_i,
    output logic [   Ports-1:0] rx_ready_o,
    input  logic [Ports*32-1:0] rx_data_i,
    input  logic [   Ports-1:0] rx_flit_i,
    // Everybody's values are in the sum.
    output logic                complete_o,
    output logic [        31:0] sum_o
);

  // --- sending: number, value, number, value, ... ---
  logic [31:0] beat_q;
  assign tx_valid_o = beat_q != 32'(2 * Packets);
  assign tx_data_o = 32'(Node * Packets) + beat_q / 2 + (beat_q[0] ? base_i : 32'd0);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (again_i) beat_q <= '0;
    else if (tx_valid_o && tx_ready_i) beat_q <= beat_q + 1;
  end

  // --- receiving: the numbers of a port come in the order in which its values do ---
  // One port a cycle, to show that the network's queues wait.
  logic [31:0] turn_q;
  logic [31:0] word;
  logic [31:0] from_q[Ports][Total];
  logic [31:0] numbers_q[Ports];
  logic [31:0] values_q[Ports];
  logic [31:0] number;
  // The own packets are known from the start: some may come back.
  localparam logic [Total-1:0] Own = {Total{1'b1}} >> (Total - Packets) << (Node * Packets);
  logic [Total-1:0] known_q;
  assign rx_ready_o = Ports'(1) << turn_q;
  assign word = rx_data_i[turn_q*32+:32];
  assign number = from_q[turn_q][values_q[turn_q]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q  <= '0;
      known_q <= Own;
      sum_o   <= '0;
      for (int q = 0; q < Ports; q++) begin
        numbers_q[q] <= '0;
        values_q[q]  <= '0;
      end
    end else if (again_i) begin
      known_q <= Own;
      sum_o   <= '0;
      for (int q = 0; q < Ports; q++) begin
        numbers_q[q] <= '0;
        values_q[q]  <= '0;
      end
    end else begin
      turn_q <= turn_q == 32'(Ports - 1) ? '0 : turn_q + 1;
      if (rx_valid_i[turn_q] && !rx_flit_i[turn_q]) begin
        from_q[turn_q][numbers_q[turn_q]] <= word;
        numbers_q[turn_q] <= numbers_q[turn_q] + 1;
      end
      if (rx_valid_i[turn_q] && rx_flit_i[turn_q]) begin
        values_q[turn_q] <= values_q[turn_q] + 1;
        // A packet may come twice.
        if (!known_q[number]) begin
          known_q[number] <= 1'b1;
          sum_o <= sum_o + word;
        end
      end
    end
  end

  assign complete_o = known_q == '1;

endmodule
