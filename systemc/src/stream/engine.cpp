// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/engines.hpp"

#include <algorithm>
#include <utility>

#include "../fabric_bench.hpp"
#include "gossamer/sim/restartable.hpp"
#include "gossamer/systemc/fabric_engine.hpp"
#include "gossamer/systemc/stream/router.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

namespace {

class FabricEngine final : public Engine, public Restartable {
 public:
  FabricEngine(const Plan& plan, std::string name, const PacketFabric::RouterFactory& make_router,
               const EngineOptions& options)
      : name_(std::move(name)),
        nodes_(plan.topology.nodes()),
        bench_(plan.topology, make_router, options.wave, {.pins = options.pin_level}) {
    bench_.fabric().check();
  }

  [[nodiscard]] std::string_view name() const override { return name_; }

  [[nodiscard]] LinkView links() override {
    return {
        .cycle = steps_, .step = steps_ + 1, .begins = true, .packets = bench_.fabric().links()};
  }

  void clock(std::uint64_t cycles) override {
    steps_ += cycles;
    bench_.clock(cycles);
    bench_.fabric().check();
  }

  void restart() override {
    steps_ = 0;
    bench_.begin_round();
    bench_.fabric().check();
  }

  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics;
    statistics.steps = steps_;
    statistics.cycles = steps_;
    for (NodeId node = 0; node < nodes_; ++node) {
      const PacketRouter& router = bench_.fabric().router(node);
      statistics.max_queue = std::max(statistics.max_queue, router.max_queue());
      statistics.link_conflicts += router.conflicts();
    }
    return statistics;
  }

  [[nodiscard]] bool error(NodeId node) const override {
    return bench_.fabric().router(node).error();
  }
  bool upset(LinkId link, const Upset& upset) override { return bench_.upset(link, upset); }
  void force(LinkId link, PacketId packet) override { bench_.force(link, packet); }

 private:
  std::string name_;
  NodeId nodes_;
  FabricBench<PacketId> bench_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_fabric_engine(const Plan& plan, std::string name,
                                           const PacketFabric::RouterFactory& make_router,
                                           const EngineOptions& options) {
  return std::make_unique<FabricEngine>(plan, std::move(name), make_router, options);
}

namespace {

std::unique_ptr<Engine> make_stream(const Plan& plan, const EngineOptions& options) {
  const auto make_router = [&plan](const char* name, NodeId node) -> std::unique_ptr<PacketRouter> {
    return std::make_unique<StreamRouter>(name, router_table(plan, node));
  };
  return make_fabric_engine(plan, "systemc", make_router, options);
}

const EngineMakerRegistration kRegistration(
    {.engine = "systemc", .machine = "stream", .make = make_stream, .pin_level = true});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_stream)
