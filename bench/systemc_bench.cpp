// SPDX-License-Identifier: Apache-2.0
/// Router-cycles per second of the engines, every link busy in every cycle or one in a hundred, and
/// bytes per router.
///
///   build/bench/systemc_bench
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/sim/engines.hpp"

namespace {

using namespace gossamer;

struct Load {
  /// One node in this many has own packets.
  std::uint32_t one_in = 1;
  /// The routers could change their feeds, so they are not only wires and have queues.
  bool queues = false;
};

/// A torus with a packet on every link, or every n-th link, and a permutation in every router,
/// which keeps the load constant.
Plan permutation(std::uint32_t side, const Load& load) {
  const Topology torus = Topology::torus(std::array{side, side});
  StreamProgram program(torus.nodes(), torus.ports(), 4);
  for (NodeId node = 0; node < torus.nodes(); ++node) {
    for (Port port = 0; port < 4; ++port) {
      // Straight on in one column, a turn in the next, so that neighbouring routers differ.
      const Port in_port = node % 2 == 0 ? opposite(port) : static_cast<Port>(port ^ 2U);
      StreamPort at;
      at.feed = PortSet::of(in_port);
      if (load.queues) {
        at.early_feed = at.feed;
        at.switch_step = 1;
      }
      if (node % load.one_in == 0) at.preload = {port};
      program.set(node, port, at);
    }
  }
  Plan plan{torus, "gossip", "bench", {}, Demand::all_gather(4), std::move(program), {}};
  return plan;
}

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

template <class MakeEngine>
void run(benchmark::State& state, MakeEngine make_engine, std::uint64_t cycles,
         const Load& load = {}) {
  const Plan plan = permutation(static_cast<std::uint32_t>(state.range(0)), load);
  malloc_trim(0);
  const double before = resident_bytes();
  const std::unique_ptr<Engine> engine = make_engine(plan);
  engine->clock(1);
  const double bytes = resident_bytes() - before;
  for (auto _ : state) engine->clock(cycles);
  const auto router_cycles = static_cast<double>(state.iterations()) * static_cast<double>(cycles) *
                             static_cast<double>(plan.topology.nodes());
  state.counters["router_cycles/s"] =
      benchmark::Counter(router_cycles, benchmark::Counter::kIsRate);
  state.counters["bytes/router"] = bytes / static_cast<double>(plan.topology.nodes());
}

std::unique_ptr<Engine> model(const Plan& plan) { return make_engine("systemc", plan); }

std::unique_ptr<Engine> model_free(const Plan& plan) { return make_fast_engine(plan); }

void fast(benchmark::State& state) { run(state, model_free, 1000); }
void systemc_model(benchmark::State& state) { run(state, model, 1000); }
void systemc_one_percent(benchmark::State& state) { run(state, model, 1000, {.one_in = 100}); }
void systemc_queues(benchmark::State& state) { run(state, model, 100, {.queues = true}); }
void systemc_pin_level(benchmark::State& state) {
  run(
      state, [](const Plan& plan) { return make_engine("systemc", plan, {.pin_level = true}); },
      10);
}
void rtl(benchmark::State& state) {
  run(
      state, [](const Plan& plan) { return make_engine("rtl", plan); }, 10);
}
/// Elaboration, start and destruction.
void systemc_pin_level_life(benchmark::State& state) {
  const Plan plan = permutation(static_cast<std::uint32_t>(state.range(0)), {});
  for (auto _ : state) {
    benchmark::DoNotOptimize(make_engine("systemc", plan, {.pin_level = true}));
  }
}

}  // namespace

BENCHMARK(fast)->Arg(16)->Arg(64);
BENCHMARK(systemc_model)->Arg(16)->Arg(64);
BENCHMARK(systemc_one_percent)->Arg(64);
BENCHMARK(systemc_queues)->Arg(16)->Arg(64);
BENCHMARK(systemc_pin_level)->Arg(16)->Arg(32)->Arg(64);
BENCHMARK(systemc_pin_level_life)->Arg(64)->Unit(benchmark::kSecond);
BENCHMARK(rtl)->Arg(16)->Arg(64);

BENCHMARK_MAIN();
