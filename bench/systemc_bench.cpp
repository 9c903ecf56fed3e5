// SPDX-License-Identifier: Apache-2.0
/// Router-cycles per second of the engines, every link busy in every cycle, and bytes per router.
///
///   build/bench/systemc_bench
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>

#include "gossamer/sim/engine.hpp"
#include "gossamer/systemc/engine.hpp"
#include "gossamer/tb/rtl_engine.hpp"

namespace {

using namespace gossamer;

/// A torus with a packet on every link and a permutation in every router, so that this stays so.
Plan all_links_busy(std::uint32_t side) {
  const Topology torus = Topology::torus(std::array{side, side});
  StreamProgram program(torus.nodes(), torus.ports(), 4);
  for (NodeId node = 0; node < torus.nodes(); ++node) {
    for (Port port = 0; port < 4; ++port) {
      // Straight on in one column, a turn in the next, so that neighbouring routers differ.
      const Port in_port = node % 2 == 0 ? opposite(port) : static_cast<Port>(port ^ 2U);
      program.set(
          node, port,
          {.feed = PortSet::of(in_port), .early_feed = {}, .switch_step = 0, .preload = {port}});
    }
  }
  Plan plan{.topology = torus,
            .collective = "gossip",
            .algorithm = "bench",
            .parameters = {},
            .demand = Demand::all_gather(4),
            .program = std::move(program),
            .expected = {}};
  return plan;
}

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

template <class MakeEngine>
void run(benchmark::State& state, MakeEngine make_engine, std::uint64_t cycles) {
  const Plan plan = all_links_busy(static_cast<std::uint32_t>(state.range(0)));
  malloc_trim(0);
  const double before = resident_bytes();
  const std::unique_ptr<Engine> engine = make_engine(plan);
  engine->run(1, nullptr);
  const double bytes = resident_bytes() - before;
  for (auto _ : state) engine->run(cycles, nullptr);
  const auto router_cycles = static_cast<double>(state.iterations()) * static_cast<double>(cycles) *
                             static_cast<double>(plan.topology.nodes());
  state.counters["router_cycles/s"] =
      benchmark::Counter(router_cycles, benchmark::Counter::kIsRate);
  state.counters["bytes/router"] = bytes / static_cast<double>(plan.topology.nodes());
}

void fast(benchmark::State& state) {
  run(
      state, [](const Plan& plan) { return make_fast_engine(plan); }, 1000);
}
void systemc_arena(benchmark::State& state) {
  run(
      state, [](const Plan& plan) { return systemc::make_systemc_engine(plan); }, 1000);
}
void systemc_pin_level(benchmark::State& state) {
  run(
      state,
      [](const Plan& plan) { return systemc::make_systemc_engine(plan, {.pin_level = true}); }, 10);
}

void rtl(benchmark::State& state) {
  run(
      state, [](const Plan& plan) { return tb::make_rtl_engine(plan); }, 10);
}

}  // namespace

BENCHMARK(fast)->Arg(16)->Arg(64);
BENCHMARK(systemc_arena)->Arg(16)->Arg(64);
// Taking 64x64 pin-level modules apart takes SystemC minutes (quadratic in the processes).
BENCHMARK(systemc_pin_level)->Arg(16)->Arg(32);
BENCHMARK(rtl)->Arg(16)->Arg(64);

BENCHMARK_MAIN();
