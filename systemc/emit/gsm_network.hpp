// SPDX-License-Identifier: Apache-2.0
/// A whole torus or mesh in SystemC, hardwired for one plan. It requires only SystemC and two
/// headers: gsm_plan.hpp, which `gossamer emit --format systemc` writes next to this file with the
/// plan's sizes and tables, and gsm_routers.hpp, the behaviour of the plan's routers.
///
/// Ports and timing are those of the RTL module gsm_fabric: start_i in cycle t makes cycle t + 1
/// step 1, done_o is high in the cycle after the last step, and the next round can start there.
/// Out-port p of a node is in-port p ^ 1 of its neighbour in direction p.
#pragma once

#include <cstddef>
#include <cstdint>
#include <systemc>

#include "gsm_plan.hpp"
#include "gsm_routers.hpp"

/// `Data` is the content of a packet: any type that sc_signal supports.
template <typename Data = std::uint64_t>
class gsm_network : public sc_core::sc_module {
 public:
  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear: ends the round, empties the network, lowers error_o.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// High for one cycle: begins a round. Allowed only while busy_o is low.
  sc_core::sc_in<bool> start_i{"start_i"};
  /// Own packets: packet c of node n at n * kPackets + c; stable after the start edge.
  sc_core::sc_vector<sc_core::sc_in<Data>> own_data_i{"own_data_i",
                                                      gsm_plan::kNodes* gsm_plan::kPackets};
  /// Arrivals: in-port q of node n at n * kPorts + q.
  sc_core::sc_vector<sc_core::sc_out<bool>> deliver_valid_o{"deliver_valid_o", kLinks};
  sc_core::sc_vector<sc_core::sc_out<Data>> deliver_data_o{"deliver_data_o", kLinks};
  /// High in the cycles of steps 1 .. kSteps.
  sc_core::sc_out<bool> busy_o{"busy_o"};
  /// High in the cycle after step kSteps.
  sc_core::sc_out<bool> done_o{"done_o"};
  /// A packet was lost since the last clear, reset or start of a round.
  sc_core::sc_out<bool> error_o{"error_o"};

  explicit gsm_network(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(gsm_network);
    SC_METHOD(clock);
    dont_initialize();
    sensitive << clk_i.pos() << rst_ni.neg();
  }

 private:
  static constexpr std::size_t kLinks = std::size_t{gsm_plan::kNodes} * gsm_plan::kPorts;

  void clock() {
    const auto own = [this](std::size_t node, std::size_t packet) {
      return own_data_i[node * gsm_plan::kPackets + packet].read();
    };
    bool done = false;
    if (!rst_ni.read() || clear_i.read()) {
      routers_.clear();
      step_ = 0;
    } else if (step_ == gsm_plan::kSteps) {
      routers_.stop();
      done = true;
      step_ = 0;
    } else if (step_ != 0) {
      routers_.step(step_++, own);
    } else if (start_i.read()) {
      routers_.clear();
      routers_.start(own);
      step_ = 1;
    }
    busy_o.write(step_ != 0);
    done_o.write(done);
    error_o.write(routers_.error());
    for (std::size_t node = 0; node < gsm_plan::kNodes; ++node) {
      for (std::uint32_t q = 0; q < gsm_plan::kPorts; ++q) {
        const std::int64_t from = gsm_plan::link_into(node, q);
        const std::size_t at = node * gsm_plan::kPorts + q;
        const Data* word = from < 0 ? nullptr : routers_.link(static_cast<std::size_t>(from));
        deliver_valid_o[at].write(word != nullptr);
        if (word != nullptr) deliver_data_o[at].write(*word);
      }
    }
  }

  gsm_routers<Data> routers_;
  /// The step of this cycle; 0 outside a round.
  std::uint64_t step_ = 0;
};
