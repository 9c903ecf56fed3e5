// SPDX-License-Identifier: Apache-2.0
/// The engine around a fabric of nodes that combine and write results: combining streams and
/// timetables.
#include <fmt/format.h>

#include <utility>

#include "fabric_bench.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "gossamer/systemc/combining_router.hpp"
#include "gossamer/systemc/fabric_impl.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::systemc {

template class Fabric<CombinedWord>;

namespace {

class CombiningFabricEngine final : public Engine {
 public:
  CombiningFabricEngine(const Plan& plan, std::string name,
                        const CombiningFabric::RouterFactory& make_node,
                        const SystemcOptions& options)
      : name_(std::move(name)),
        nodes_(plan.topology.nodes()),
        // In the step behind the last one the last results are shown.
        last_step_(settled_after(plan).value() - 1),
        bench_(plan.topology, make_node, options.wave_file, {.pins = options.pin_level}),
        shown_(plan.topology.link_slots()) {
    if (options.find_ranks) find_ranks(plan);
    bench_.fabric().check();
  }

  [[nodiscard]] std::string_view name() const override { return name_; }

  [[nodiscard]] LinkView links() override {
    const auto words = bench_.fabric().links();
    for (LinkId link = 0; link < shown_.packets.size(); ++link) {
      shown_.put(link, words[link].packet, words[link].value, words[link].terms);
    }
    return shown_.in(steps_ + 1);
  }

  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      ++steps_;
      bench_.clock(1);
      bench_.fabric().check();
      shown_.results.clear();
      for (NodeId node = 0; node < nodes_; ++node) {
        const auto written = module(node).results(steps_);
        shown_.results.insert(shown_.results.end(), written.begin(), written.end());
      }
    }
  }
  [[nodiscard]] bool done() const override { return steps_ >= last_step_; }

  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics;
    statistics.steps = statistics.cycles = steps_;
    for (NodeId node = 0; node < nodes_; ++node) {
      statistics.max_queue = std::max(statistics.max_queue, module(node).max_queue());
      statistics.link_conflicts += module(node).conflicts();
    }
    return statistics;
  }

  [[nodiscard]] bool error(NodeId node) const override { return module(node).error(); }
  void force(LinkId link, PacketId packet) override {
    bench_.force(link,
                 packet == kNoPacket ? CombinedWord{} : CombinedWord{packet, kGarbageValue, 1});
  }
  bool upset(LinkId link, const Upset& upset) override { return bench_.upset(link, upset); }

 private:
  void find_ranks(const Plan& plan) {
    const auto& program = plan.program.as<RingProgram>();
    bench_.clock((program.combine->blocks - std::uint64_t{1}) * program.frame());
    bench_.fabric().check();
    for (NodeId node = 0; node < nodes_; ++node) {
      if (!module(node).error()) continue;
      throw InputError(fmt::format(
          "program: node {} cannot find its ranks: a cycle's forward lane is no ring on which one "
          "node has rank 0",
          node));
    }
    bench_.begin_round();
  }
  [[nodiscard]] const CombiningModule& module(NodeId node) const {
    return static_cast<const CombiningModule&>(bench_.fabric().router(node));
  }

  std::string name_;
  NodeId nodes_;
  std::uint64_t last_step_;
  FabricBench<CombinedWord> bench_;
  std::uint64_t steps_ = 0;
  ShownWords shown_;
};

}  // namespace

std::unique_ptr<Engine> make_combining_fabric_engine(
    const Plan& plan, std::string name, const CombiningFabric::RouterFactory& make_node,
    const SystemcOptions& options) {
  return std::make_unique<CombiningFabricEngine>(plan, std::move(name), make_node, options);
}

std::unique_ptr<Engine> make_systemc_combining_engine(const Plan& plan,
                                                      const SystemcOptions& options,
                                                      const Arithmetic& arithmetic) {
  const auto make_node =
      [shared = std::make_shared<const CombiningPlan>(plan, arithmetic, options.find_ranks)](
          const char* name, NodeId node) {
        return std::make_unique<CombiningRouter>(name, shared, node);
      };
  return make_combining_fabric_engine(plan, "systemc", make_node, options);
}

}  // namespace gossamer::systemc
