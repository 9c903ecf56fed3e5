// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <utility>

#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/elastic/tile.hpp"
#include "gossamer/tb/elastic/verilated_router.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::tb {

namespace {

class VerilatedElasticTile final : public systemc::ElasticTile {
 public:
  VerilatedElasticTile(const sc_core::sc_module_name& name,
                       const std::shared_ptr<const systemc::ElasticTiles>& tiles, NodeId node)
      : ElasticTile(name, tiles, node),
        words_(tiles->arithmetic),
        router_(make_verilated_elastic_router(table_, words_)) {}

 private:
  void clear_router() override { router_->clear(); }
  void settle_router() override {
    if (!words_.is_special()) {
      router_->settle(pins_);
      return;
    }
    ElasticRouterPins pins = pins_;
    for (ElasticFlit& flit : pins.s_data_i) flit.value = words_.in(flit.value);
    for (ElasticFlit& flit : pins.in_data_i) flit.value = words_.in(flit.value);
    router_->settle(pins);
    for (ElasticFlit& flit : pins.out_data_o) flit.value = words_.out(flit.value);
    pins.s_data_i = pins_.s_data_i;
    pins.in_data_i = pins_.in_data_i;
    pins_ = pins;
  }
  void clock_router() override { router_->clock(); }

  ModelWords words_;
  std::unique_ptr<VerilatedElasticRouter> router_;
};

}  // namespace

namespace {

std::unique_ptr<Engine> make_elastic_engine(const Plan& plan, const EngineOptions& options) {
  const Elastic& elastic = plan.program.as<ElasticProgram>().elastic;
  if (static_cast<std::size_t>(plan.topology.ports()) > kMaxVerilatedElasticPorts) {
    throw InfeasibleError(
        fmt::format("the rtl engine supports elastic routers of up to {} ports, not {}",
                    kMaxVerilatedElasticPorts, plan.topology.ports()));
  }
  if (elastic.slots > kMaxVerilatedElasticSlots) {
    throw InfeasibleError(
        fmt::format("the rtl engine supports elastic queues of up to {} slots, the plan has {}",
                    kMaxVerilatedElasticSlots, elastic.slots));
  }
  const auto make_tile =
      [](const char* name, const std::shared_ptr<const systemc::ElasticTiles>& tiles, NodeId node) {
        return std::make_unique<VerilatedElasticTile>(name, tiles, node);
      };
  EngineOptions as_built = options;
  as_built.arithmetic = ModelWords(options.arithmetic).arithmetic();
  return systemc::make_elastic_fabric_engine(plan, "rtl", make_tile, as_built);
}

const EngineMakerRegistration kRegistration({.engine = "rtl",
                                             .machine = "elastic",
                                             .make = make_elastic_engine});

}  // namespace

}  // namespace gossamer::tb

GOSSAMER_LINKER_NAME(gossamer_rtl_elastic)
