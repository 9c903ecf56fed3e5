// SPDX-License-Identifier: Apache-2.0
/// A whole torus or mesh in SystemC, hardwired for one plan. Needs SystemC and the header
/// gsm_plan.hpp, which `gossamer emit --format systemc` writes next to this file with the plan's
/// sizes and tables; nothing else.
///
/// Ports and timing are those of the RTL module gsm_fabric: start_i in cycle t makes cycle t + 1
/// step 1, done_o is high in the cycle after the last step, and the next round can start there.
/// Out-port p of a node is in-port p ^ 1 of its neighbour in direction p. In every cycle an
/// out-port sends one packet, its own packets first, and what arrives on the in-ports that feed it
/// is appended to its queue in ascending in-port order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "gsm_plan.hpp"

/// `Data` is what a packet carries: any type that sc_signal takes.
template <typename Data = std::uint64_t>
class gsm_network : public sc_core::sc_module {
 public:
  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear: ends the round, empties the network, lowers error_o.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// High for one cycle: begin a round. Only while busy_o is low.
  sc_core::sc_in<bool> start_i{"start_i"};
  /// Own packets: packet c of node n at n * kPackets + c; read at the start edge.
  sc_core::sc_vector<sc_core::sc_in<Data>> own_data_i{"own_data_i",
                                                      gsm_plan::kNodes* gsm_plan::kPackets};
  /// Arrivals: in-port q of node n at n * kPorts + q.
  sc_core::sc_vector<sc_core::sc_out<bool>> deliver_valid_o{"deliver_valid_o", kLinks};
  sc_core::sc_vector<sc_core::sc_out<Data>> deliver_data_o{"deliver_data_o", kLinks};
  /// This is the cycle of a step 1 .. kSteps.
  sc_core::sc_out<bool> busy_o{"busy_o"};
  /// The cycle after step kSteps.
  sc_core::sc_out<bool> done_o{"done_o"};
  /// A packet was lost since the last clear, reset or start of a round.
  sc_core::sc_out<bool> error_o{"error_o"};

  explicit gsm_network(const sc_core::sc_module_name& name)
      : sc_core::sc_module(name), links_(kLinks), queues_(kLinks) {
    SC_HAS_PROCESS(gsm_network);
    SC_METHOD(clock);
    dont_initialize();
    sensitive << clk_i.pos() << rst_ni.neg();
  }

 private:
  static constexpr std::size_t kLinks = std::size_t{gsm_plan::kNodes} * gsm_plan::kPorts;

  struct Link {
    bool valid = false;
    Data data{};
  };

  void empty() {
    links_.assign(kLinks, Link{});
    for (auto& queue : queues_) queue.clear();
  }

  void append(std::size_t link, const Data& data) {
    if (queues_[link].size() >= gsm_plan::kDepth) {
      error_ = true;
    } else {
      queues_[link].push_back(data);
    }
  }

  /// The heads of the queues go onto the links.
  void send() {
    for (std::size_t link = 0; link < kLinks; ++link) {
      links_[link].valid = !queues_[link].empty();
      if (!links_[link].valid) continue;
      links_[link].data = queues_[link].front();
      queues_[link].pop_front();
    }
  }

  void start() {
    empty();
    error_ = false;
    for (std::size_t link = 0; link < kLinks; ++link) {
      const gsm_plan::Port& port = gsm_plan::kTable[gsm_plan::kCode[link]];
      for (std::uint32_t i = 0; i < port.preload_length; ++i) {
        const std::size_t packet = link / gsm_plan::kPorts * gsm_plan::kPackets +
                                   gsm_plan::kPreload[port.preload_begin + i];
        append(link, own_data_i[packet].read());
      }
    }
    send();
    step_ = 1;
  }

  /// The edge that ends step_: arrivals to their queues, then the next packets onto the links.
  void step() {
    const std::vector<Link> arrived = links_;
    for (std::size_t link = 0; link < kLinks; ++link) {
      const gsm_plan::Port& port = gsm_plan::kTable[gsm_plan::kCode[link]];
      const std::uint32_t feed = step_ < port.switch_step ? port.early_feed : port.feed;
      for (std::uint32_t q = 0; q < gsm_plan::kPorts; ++q) {
        if ((feed >> q & 1U) == 0) continue;
        const std::int64_t from = gsm_plan::link_into(link / gsm_plan::kPorts, q);
        if (from < 0) continue;
        const Link& in = arrived[static_cast<std::size_t>(from)];
        if (in.valid) append(link, in.data);
      }
    }
    send();
    ++step_;
  }

  void clock() {
    bool done = false;
    if (!rst_ni.read() || clear_i.read()) {
      empty();
      error_ = false;
      step_ = 0;
    } else if (step_ == gsm_plan::kSteps) {
      empty();
      done = true;
      step_ = 0;
    } else if (step_ != 0) {
      step();
    } else if (start_i.read()) {
      start();
    }
    busy_o.write(step_ != 0);
    done_o.write(done);
    error_o.write(error_);
    for (std::size_t node = 0; node < gsm_plan::kNodes; ++node) {
      for (std::uint32_t q = 0; q < gsm_plan::kPorts; ++q) {
        const std::int64_t from = gsm_plan::link_into(node, q);
        const std::size_t at = node * gsm_plan::kPorts + q;
        const bool valid = from >= 0 && links_[static_cast<std::size_t>(from)].valid;
        deliver_valid_o[at].write(valid);
        if (valid) deliver_data_o[at].write(links_[static_cast<std::size_t>(from)].data);
      }
    }
  }

  /// By node * kPorts + out-port.
  std::vector<Link> links_;
  std::vector<std::deque<Data>> queues_;
  /// The step of this cycle; 0 outside a round.
  std::uint64_t step_ = 0;
  bool error_ = false;
};
