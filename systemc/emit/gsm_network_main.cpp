// SPDX-License-Identifier: Apache-2.0
/// Self-checking testbench of the emitted network: runs two rounds, checks that every node gets
/// every packet and the last one exactly in step kSteps, and prints "PASS steps=<n>".
/// gsm_network_main [TRACE.csv] writes the packets of the first round.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <systemc>
#include <vector>

#include "gsm_network.hpp"

namespace {

constexpr std::size_t kNodes = gsm_plan::kNodes;
constexpr std::size_t kPorts = gsm_plan::kPorts;
constexpr std::size_t kTotal = kNodes * gsm_plan::kPackets;

int fail(const char* what, std::uint64_t step) {
  std::cout << "FAIL step=" << step << ": " << what << "\n";
  return 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
  const sc_core::sc_clock clk("clk", 2, sc_core::SC_NS, 0.5, 1, sc_core::SC_NS, true);
  sc_core::sc_signal<bool> rst_n("rst_n");
  sc_core::sc_signal<bool> clear("clear");
  sc_core::sc_signal<bool> start("start");
  sc_core::sc_vector<sc_core::sc_signal<std::uint64_t>> own("own", kTotal);
  sc_core::sc_vector<sc_core::sc_signal<bool>> valid("valid", kNodes * kPorts);
  sc_core::sc_vector<sc_core::sc_signal<std::uint64_t>> data("data", kNodes * kPorts);
  sc_core::sc_signal<bool> busy("busy");
  sc_core::sc_signal<bool> done("done");
  sc_core::sc_signal<bool> error("error");

  gsm_network<> network("network");
  network.clk_i(clk);
  network.rst_ni(rst_n);
  network.clear_i(clear);
  network.start_i(start);
  network.own_data_i.bind(own);
  network.deliver_valid_o.bind(valid);
  network.deliver_data_o.bind(data);
  network.busy_o.bind(busy);
  network.done_o.bind(done);
  network.error_o.bind(error);

  std::ofstream trace;
  if (argc > 1) {
    trace.open(argv[1]);
    trace << "step,hop,from,port,packet\n";
  }
  // Between two calls it is the middle of a cycle.
  const auto cycle = [] { sc_core::sc_start(2, sc_core::SC_NS); };
  for (std::size_t i = 0; i < kTotal; ++i) own[i].write(i);
  cycle();
  rst_n.write(true);
  for (int round = 0; round < 2; ++round) {
    std::vector<bool> known(kNodes * kTotal, false);
    for (std::size_t node = 0; node < kNodes; ++node) {
      for (std::size_t packet = 0; packet < kTotal; ++packet) {
        const std::size_t origin = packet / gsm_plan::kPackets;
        known[node * kTotal + packet] =
            origin == node || !gsm_plan::has_core(node) || !gsm_plan::has_core(origin);
      }
    }
    std::uint64_t last_step = 0;
    start.write(true);
    cycle();
    start.write(false);
    for (std::uint64_t step = 1; step <= gsm_plan::kSteps; ++step) {
      if (!busy.read() || done.read() || error.read()) return fail("busy, done or error", step);
      for (std::size_t link = 0; link < kNodes * kPorts; ++link) {
        // From the sender's side, in the order of the trace.
        const std::int64_t to = gsm_plan::neighbor(link / kPorts, link % kPorts);
        if (to < 0) continue;
        const std::size_t at = static_cast<std::size_t>(to) * kPorts + (link % kPorts ^ 1U);
        if (!valid[at].read()) continue;
        const std::uint64_t packet = data[at].read();
        if (packet >= kTotal) return fail("not a packet of the plan", step);
        if (round == 0 && trace.is_open()) {
          trace << step << ",0," << link / kPorts << ',' << link % kPorts << ',' << packet << '\n';
        }
        std::vector<bool>::reference knows = known[at / kPorts * kTotal + packet];
        if (!knows) last_step = step;
        knows = true;
      }
      cycle();
    }
    if (busy.read() || !done.read() || error.read()) {
      return fail("busy, done or error", gsm_plan::kSteps + 1);
    }
    if (std::find(known.begin(), known.end(), false) != known.end()) {
      return fail("a packet is missing", gsm_plan::kSteps);
    }
    if (last_step != gsm_plan::kSteps) return fail("complete too early", last_step);
  }
  std::cout << "PASS steps=" << gsm_plan::kSteps << "\n";
  return 0;
}
