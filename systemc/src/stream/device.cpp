// SPDX-License-Identifier: Apache-2.0
/// Streams inside a TlmCollective.
#include <memory>
#include <utility>

#include "gossamer/systemc/stream/router.hpp"
#include "gossamer/systemc/tlm_network.hpp"
#include "gossamer/util/linker_name.hpp"

namespace gossamer::systemc {

namespace {

/// A stream router that passes arrivals to the device, and stops at the end of the round.
class Tile final : public StreamRouter {
 public:
  Tile(const sc_core::sc_module_name& name, NodeId node, std::shared_ptr<const TlmRound> round)
      : StreamRouter(name, router_table(round->plan, node)),
        ports_(static_cast<std::size_t>(round->plan.topology.ports())),
        node_(node),
        round_(std::move(round)) {}

  std::uint64_t clock(const PacketEdge& edge) override {
    for (std::size_t port = 0; port < ports_; ++port) {
      const PacketId id = edge.in(port);
      if (id != kNoPacket) round_->file(node_, id, round_->sent(id));
    }
    return edge.cycle() < round_->steps ? StreamRouter::clock(edge) : kUntilArrival;
  }

 private:
  std::size_t ports_;
  NodeId node_;
  std::shared_ptr<const TlmRound> round_;
};

const TlmNetworkRegistration kRegistration({
    .machine = "stream",
    .steps = [](const Plan& plan) { return plan.expected.analytic_steps.value_or(0); },
    .make =
        [](const std::shared_ptr<const TlmRound>& round) {
          return make_tlm_network<PacketFabric>(*round, [round](const char* name, NodeId node) {
            return std::make_unique<Tile>(name, node, round);
          });
        },
});

}  // namespace

}  // namespace gossamer::systemc

GOSSAMER_LINKER_NAME(gossamer_systemc_stream_device)
