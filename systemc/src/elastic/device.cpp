// SPDX-License-Identifier: Apache-2.0
/// Elastic tiles inside a TlmCollective.
#include <memory>
#include <utility>

#include "gossamer/systemc/elastic/tile.hpp"
#include "gossamer/systemc/tlm_network.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

namespace {

/// An elastic router that passes its deliveries to the device.
class Tile final : public ElasticRouter {
 public:
  Tile(const sc_core::sc_module_name& name, std::shared_ptr<const ElasticTiles> tiles, NodeId node,
       std::shared_ptr<const TlmRound> round)
      : ElasticRouter(name, std::move(tiles), node), node_(node), round_(std::move(round)) {}

  std::uint64_t clock(const Edge<ElasticWord>& edge) override {
    if (edge.cycle() > round_->steps) return kUntilArrival;
    const std::uint64_t next = ElasticRouter::clock(edge);
    for (const Result& result : results()) {
      round_->file(node_, result.packet,
                   round_->plan.demand.combines() ? result.value : round_->sent(result.packet));
    }
    return next;
  }

 private:
  NodeId node_;
  std::shared_ptr<const TlmRound> round_;
};

const TlmNetworkRegistration kRegistration({
    .machine = "elastic",
    // Cycles count from 0.
    .steps =
        [](const Plan& plan) {
          return plan.expected.analytic_cycles ? *plan.expected.analytic_cycles + 1 : 0;
        },
    .make =
        [](const std::shared_ptr<const TlmRound>& round) {
          const auto shared = std::make_shared<ElasticTiles>(round->plan, StallScript());
          shared->arithmetic = round->arithmetic;
          return make_tlm_network<ElasticFabric>(
              *round, [round, shared](const char* name, NodeId node) {
                return std::make_unique<Tile>(name, shared, node, round);
              });
        },
});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_elastic_device)
