// SPDX-License-Identifier: Apache-2.0
/// The network of any plan with a SystemC engine as one module with pins. `gossamer emit --format
/// systemc` derives gsm_network from it.
///
/// This header needs SystemC only, and is C++17: a C++17 program can include it and link
/// gossamer::systemc.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <systemc>

namespace gossamer::systemc {

/// Sizes of a PinCollective, which the plan determines. `gossamer emit` computes them.
struct PinCollectiveSizes {
  /// Cycles of a round: at the end of the last one, every node has every word.
  std::uint64_t cycles = 0;
  std::uint64_t nodes = 0;
  /// Own words of all nodes.
  std::uint64_t own_words = 0;
  /// Delivery pins per node, and data pins per delivery: the lanes of a reduction's links.
  std::uint64_t places = 0;
  std::uint64_t lanes = 1;
};

/// Timing is that of the RTL module gsm_fabric: start_i in cycle t makes cycle t + 1 the first of
/// the round, done_o is high in the cycle after the last one, and the next round can start there.
///
/// Words have 64 bits. A copied piece of the demand, or each flit of it where routers deliver
/// flits, is one word, for links of any width. A reduction's words have the plan's width and
/// type. Words are numbered as the pieces of the demand (packets of a trace), with groups a
/// reduction's words as those of one group's vector; a piece of f flits has numbers piece * f ..
/// piece * f + f - 1.
///
/// The routers are child modules. Each cycle takes a few delta cycles.
class PinCollective : public sc_core::sc_module {
 public:
  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear: ends the round, lowers error_o.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// High for one cycle: begin a round. Ignored while busy_o is high.
  sc_core::sc_in<bool> start_i{"start_i"};
  /// Own words, read at the start edge. Copies: by number. Reductions: word `number` of node n,
  /// lane l, at (n * numbers + number) * lanes + l, with numbers = own_words / nodes / lanes.
  sc_core::sc_vector<sc_core::sc_in<std::uint64_t>> own_data_i;
  /// Words that nodes receive; place p of node n at n * places + p. A packet that arrives on a link
  /// is at the place of its in-port, in the last cycle of its step. Results, and messages that
  /// arrive as a whole, come at the places from 0, in the cycle after their last one.
  sc_core::sc_vector<sc_core::sc_out<bool>> deliver_valid_o;
  sc_core::sc_vector<sc_core::sc_out<std::uint64_t>> deliver_number_o;
  /// Lane l of the delivery at index i: i * lanes + l.
  sc_core::sc_vector<sc_core::sc_out<std::uint64_t>> deliver_data_o;
  /// This is a cycle of the round.
  sc_core::sc_out<bool> busy_o{"busy_o"};
  /// The cycle after the last one of the round.
  sc_core::sc_out<bool> done_o{"done_o"};
  /// A router lost a word, or met a condition that a correct plan rules out, since the last clear,
  /// reset or start of a round.
  sc_core::sc_out<bool> error_o{"error_o"};

  /// `plan` is a plan document. Throws gossamer::InputError, which is a std::exception, for a
  /// broken one, and for a plan that the SystemC routers do not run or that the sizes do not fit.
  PinCollective(const sc_core::sc_module_name& name, std::string_view plan,
                const PinCollectiveSizes& sizes);
  ~PinCollective() override;

 private:
  struct Network;

  void run();
  void edge();
  void show(bool after);
  void lower_deliveries();

  PinCollectiveSizes sizes_;
  std::unique_ptr<Network> network_;
  /// The cycle of the round, from 1; 0 outside.
  std::uint64_t cycle_ = 0;
  bool failed_ = false;
};

}  // namespace gossamer::systemc
