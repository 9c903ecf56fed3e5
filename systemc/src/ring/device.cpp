// SPDX-License-Identifier: Apache-2.0
/// Rings inside a TlmCollective.
#include <memory>
#include <utility>

#include "gossamer/plan/run_facts.hpp"
#include "gossamer/systemc/ring/router.hpp"
#include "gossamer/systemc/tlm_network.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

namespace {

/// A combining router that passes its results to the device.
class Tile final : public CombiningRouter {
 public:
  Tile(const sc_core::sc_module_name& name, std::shared_ptr<const CombiningPlan> plan, NodeId node,
       std::shared_ptr<const TlmRound> round)
      : CombiningRouter(name, std::move(plan), node),
        node_(node),
        contributors_(round->plan.topology.cores()),
        round_(std::move(round)) {}

  std::uint64_t clock(const Edge<CombinedWord>& edge) override {
    const std::uint64_t next = CombiningRouter::clock(edge);
    for (const Result& result : results(edge.cycle())) {
      // Lines add each contribution to a result when it arrives.
      if (result.terms == contributors_) round_->file(node_, result.packet, result.value);
    }
    return next;
  }

 private:
  NodeId node_;
  std::uint64_t contributors_;
  std::shared_ptr<const TlmRound> round_;
};

const TlmNetworkRegistration kRegistration({
    .machine = "ring",
    .steps = [](const Plan& plan) { return *run_facts(plan).settled_after - 1; },
    .make =
        [](const std::shared_ptr<const TlmRound>& round) {
          if (round->plan.program.as<RingProgram>().has_packets()) {
            throw InfeasibleError(
                "the TLM device supports packets of 1 word and adders of 0 cycles");
          }
          const auto shared = std::make_shared<const CombiningPlan>(round->plan, round->arithmetic);
          return make_tlm_network<CombiningFabric>(
              *round, [round, shared](const char* name, NodeId node) {
                return std::make_unique<Tile>(name, shared, node, round);
              });
        },
});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_ring_device)
