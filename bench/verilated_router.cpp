// SPDX-License-Identifier: Apache-2.0
/// verilated_router [PORTS [DEPTH]]: nanoseconds for one Verilated router and clock cycle, all
/// links busy, over 256 routers in a ring so that the working set is that of a 16x16 network.
#include <fmt/format.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "gossamer/tb/verilated_router.hpp"

int main(int argc, char** argv) {
  using gossamer::Port;
  using gossamer::PortSet;
  const int ports = argc > 1 ? std::stoi(argv[1]) : 4;
  const auto depth = static_cast<std::uint32_t>(argc > 2 ? std::stoul(argv[2]) : 1);
  constexpr int kRouters = 256;
  constexpr int kCycles = 2000;

  std::vector<std::unique_ptr<gossamer::tb::VerilatedRouter>> routers;
  for (int i = 0; i < kRouters; ++i) {
    routers.push_back(gossamer::tb::make_verilated_router(ports, depth));
    for (int p = 0; p < ports; ++p) {
      const auto port = static_cast<Port>(p);
      routers.back()->set_table(port, PortSet::of(gossamer::opposite(port)), PortSet(), 0);
    }
    auto& pins = routers.back()->pins();
    pins.in_valid_i = PortSet(static_cast<std::uint16_t>((1U << ports) - 1U));
    for (int p = 0; p < ports; ++p) {
      pins.in_data_i.at(static_cast<std::size_t>(p)) = static_cast<std::uint64_t>(i * ports + p);
    }
  }
  // Processor time: the figure should not depend on other load of the machine.
  const std::clock_t start = std::clock();
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    for (const auto& router : routers) router->clock();
    for (std::size_t i = 0; i < routers.size(); ++i) {
      auto& from = routers[i]->pins();
      auto& to = routers[(i + 1) % routers.size()]->pins();
      to.in_valid_i = from.out_valid_o;
      to.in_data_i = from.out_data_o;
    }
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::uint64_t sum = 0;
  for (const auto& router : routers) sum += router->pins().out_data_o[0];
  const double cycles = double{kRouters} * kCycles;
  fmt::print("{} ports, depth {}: {:.1f} ns per router-cycle, {:.1f} M router-cycles/s (sum {})\n",
             ports, depth, seconds / cycles * 1e9, cycles / seconds / 1e6, sum);
  return 0;
}
