// SPDX-License-Identifier: Apache-2.0
// Drives the Verilated gsm_fabric_bench for rtl_network: consecutive all-gathers.
#include <Vgsm_fabric_bench.h>
#include <verilated.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const long nodes = std::atol(argv[1]);
  const long steps = std::atol(argv[2]);
  const long cycles = std::atol(argv[3]);
  Vgsm_fabric_bench network;
  const auto clock = [&network] {
    network.clk_i = 1;
    network.eval();
    network.clk_i = 0;
    network.eval();
  };
  network.rst_ni = 1;
  network.eval();
  network.rst_ni = 0;
  clock();
  network.rst_ni = 1;
  long rounds = 0;
  // Processor time: the figure should not depend on other load of the machine.
  const std::clock_t begin = std::clock();
  for (long cycle = 0; cycle < cycles; ++cycle) {
    clock();
    rounds += network.done_o;
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const double router_cycles = static_cast<double>(nodes) * static_cast<double>(cycles);
  std::printf(
      "%ld nodes, %ld rounds of %ld steps: %.1f ns per router-cycle, %.1f M router-cycles/s\n",
      nodes, rounds, steps, seconds / router_cycles * 1e9, router_cycles / seconds / 1e6);
  network.final();
  return network.error_o != 0 || rounds == 0 ? 1 : 0;
}
