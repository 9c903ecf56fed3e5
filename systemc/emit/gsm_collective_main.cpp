// SPDX-License-Identifier: Apache-2.0
/// Self-checking testbench of the emitted network: clears a round in its middle, then runs two,
/// compares the words that nodes receive with the plan's, cycle by cycle, and prints
/// "PASS steps=<n> cycles=<n>" (valid/ready routers have no steps).
/// gsm_network_main [WORDS.csv] writes the words of the first whole round.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <systemc>

#include "gsm_network.hpp"

namespace {

constexpr std::size_t kPins = gsm_plan::kNodes * gsm_plan::kPlaces;
constexpr std::size_t kLanes = gsm_plan::kLanes;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29U;
}

class Bench {
 public:
  Bench() {
    network_.clk_i(clk_);
    network_.rst_ni(rst_n_);
    network_.clear_i(clear_);
    network_.start_i(start_);
    network_.own_data_i.bind(own_);
    network_.deliver_valid_o.bind(valid_);
    network_.deliver_number_o.bind(number_);
    network_.deliver_data_o.bind(data_);
    network_.busy_o.bind(busy_);
    network_.done_o.bind(done_);
    network_.error_o.bind(error_);
    for (std::size_t i = 0; i < gsm_plan::kOwnWords; ++i) own_[i].write(gsm_plan::kTestWords[i]);
  }

  int run(std::ostream* words) {
    cycle();
    rst_n_.write(true);
    cycle();
    if (busy_.read() || done_.read()) return fail("busy or done before the start", 0);
    // A round that is cleared in its middle.
    begin();
    for (std::uint64_t i = 1; i < gsm_plan::kCycles / 2; ++i) cycle();
    clear_.write(true);
    cycle();
    clear_.write(false);
    if (busy_.read() || done_.read() || error_.read()) return fail("busy after a clear", 0);
    for (int round = 0; round < 2; ++round) {
      if (const int status = one_round(round == 0 ? words : nullptr); status != 0) return status;
    }
    std::cout << "PASS " << gsm_plan::kSummary << "\n";
    return 0;
  }

 private:
  static int fail(const char* what, std::uint64_t cycle) {
    std::cout << "FAIL cycle=" << cycle << ": " << what << "\n";
    return 1;
  }
  /// Between two calls it is the middle of a cycle.
  static void cycle() { sc_core::sc_start(2, sc_core::SC_NS); }
  void begin() {
    start_.write(true);
    cycle();
    start_.write(false);
  }
  int one_round(std::ostream* words) {
    begin();
    std::uint64_t received = 0;
    for (std::uint64_t at = 1; at <= gsm_plan::kCycles + 1; ++at) {
      const bool after = at > gsm_plan::kCycles;
      if (error_.read()) return fail("error_o", at);
      if (busy_.read() == after || done_.read() != after) return fail("busy_o or done_o", at);
      std::uint64_t digest = 0;
      for (std::size_t pin = 0; pin < kPins; ++pin) {
        if (!valid_[pin].read()) continue;
        ++received;
        std::uint64_t hash = mixed(mixed(0, pin / gsm_plan::kPlaces), number_[pin].read());
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          hash = mixed(hash, data_[pin * kLanes + lane].read());
        }
        digest += hash;
        if (words != nullptr) write(*words, at, pin);
      }
      if (digest != gsm_plan::kDigests[at - 1]) return fail("a node receives other words", at);
      if (!after) cycle();
    }
    if (received != gsm_plan::kDeliveries) return fail("other words than planned", 0);
    return 0;
  }
  void write(std::ostream& words, std::uint64_t at, std::size_t pin) const {
    words << at << ',' << pin / gsm_plan::kPlaces << ',' << pin % gsm_plan::kPlaces << ','
          << number_[pin].read();
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      words << ',' << data_[pin * kLanes + lane].read();
    }
    words << '\n';
  }

  sc_core::sc_clock clk_{"clk", 2, sc_core::SC_NS, 0.5, 1, sc_core::SC_NS, true};
  sc_core::sc_signal<bool> rst_n_{"rst_n"};
  sc_core::sc_signal<bool> clear_{"clear"};
  sc_core::sc_signal<bool> start_{"start"};
  sc_core::sc_vector<sc_core::sc_signal<std::uint64_t>> own_{"own", gsm_plan::kOwnWords};
  sc_core::sc_vector<sc_core::sc_signal<bool>> valid_{"valid", kPins};
  sc_core::sc_vector<sc_core::sc_signal<std::uint64_t>> number_{"number", kPins};
  sc_core::sc_vector<sc_core::sc_signal<std::uint64_t>> data_{"data", kPins* kLanes};
  sc_core::sc_signal<bool> busy_{"busy"};
  sc_core::sc_signal<bool> done_{"done"};
  sc_core::sc_signal<bool> error_{"error"};
  gsm_network network_{"network"};
};

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    Bench bench;
    std::ofstream words;
    if (argc > 1) {
      words.open(argv[1]);
      words << "cycle,node,place,number,word\n";
    }
    return bench.run(argc > 1 ? &words : nullptr);
  } catch (const std::exception& error) {
    std::cout << "FAIL: " << error.what() << "\n";
    return 1;
  }
}
