// SPDX-License-Identifier: Apache-2.0
/// The engine around a fabric of nodes that combine and write results: combining streams and
/// timetables.
#include "gossamer/systemc/combining.hpp"

#include <fmt/format.h>

#include <utility>

#include "fabric_bench.hpp"
#include "gossamer/sim/restartable.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "gossamer/systemc/fabric_impl.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::systemc {

template class Fabric<CombinedWord>;

std::ostream& operator<<(std::ostream& out, const CombinedWord& word) {
  return out << word.packet << ':' << word.value << '(' << word.terms << ')';
}

void sc_trace(sc_core::sc_trace_file* file, const CombinedWord& word, const std::string& name) {
  sc_core::sc_trace(file, word.packet, name + ".packet");
  sc_core::sc_trace(file, word.value, name + ".value");
}

namespace {

class CombiningFabricEngine final : public Engine, public Restartable {
 public:
  CombiningFabricEngine(const Plan& plan, std::string name,
                        const CombiningFabric::RouterFactory& make_node,
                        const EngineOptions& options, std::uint64_t finding_cycles,
                        const StepPipeline& pipeline)
      : name_(std::move(name)),
        nodes_(plan.topology.nodes()),
        // The step after the last one shows the last results. The engine around this one may know
        // the end.
        last_step_(settled_after(plan).value_or(kNoStepLimit) - 1),
        pipeline_(pipeline),
        bench_(plan.topology, make_node, options.wave, {.pins = options.pin_level}),
        shown_(plan.topology.link_slots()) {
    if (finding_cycles != 0) find_ranks(finding_cycles);
    bench_.fabric().check();
  }

  [[nodiscard]] std::string_view name() const override { return name_; }

  [[nodiscard]] LinkView links() override {
    const auto words = bench_.fabric().links();
    for (LinkId link = 0; link < shown_.packets.size(); ++link) {
      shown_.put(link, words[link].packet, words[link].value, words[link].terms);
    }
    const auto [step, flit] = pipeline_.place(cycles_, last_step_);
    LinkView view = shown_.in(step);
    view.cycle = cycles_;
    view.flit = flit;
    return view;
  }

  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      ++cycles_;
      bench_.clock(1);
      bench_.fabric().check();
      shown_.results.clear();
      for (NodeId node = 0; node < nodes_; ++node) {
        const auto written = module(node).results(cycles_);
        shown_.results.insert(shown_.results.end(), written.begin(), written.end());
      }
    }
  }
  void restart() override {
    cycles_ = 0;
    shown_.results.clear();
    bench_.begin_round();
    bench_.fabric().check();
  }
  [[nodiscard]] bool done() const override {
    return cycles_ >= last_step_ && cycles_ >= pipeline_.cycles(last_step_);
  }

  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics;
    statistics.steps = pipeline_.place(cycles_, last_step_).step - 1;
    statistics.cycles = cycles_;
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
  void find_ranks(std::uint64_t cycles) {
    bench_.clock(cycles);
    bench_.fabric().check();
    for (NodeId node = 0; node < nodes_; ++node) {
      if (!module(node).error()) continue;
      throw InputError(
          fmt::format("program: node {} cannot find its ranks: a cycle's forward lane is not a "
                      "ring on which one "
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
  StepPipeline pipeline_;
  FabricBench<CombinedWord> bench_;
  std::uint64_t cycles_ = 0;
  ShownWords shown_;
};

}  // namespace

std::unique_ptr<Engine> make_combining_fabric_engine(
    const Plan& plan, std::string name, const CombiningFabric::RouterFactory& make_node,
    const EngineOptions& options, std::uint64_t finding_cycles, const StepPipeline& pipeline) {
  return std::make_unique<CombiningFabricEngine>(plan, std::move(name), make_node, options,
                                                 finding_cycles, pipeline);
}

}  // namespace gossamer::systemc
