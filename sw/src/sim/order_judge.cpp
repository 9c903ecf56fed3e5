// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/order_judge.hpp"

#include "gossamer/plan/machine.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"

namespace gossamer {

OrderJudge::OrderJudge(const Topology& topology, const Demand& demand)
    : contributors_(demand.members(topology.cores())),
      first_(topology.nodes() / demand.members(topology.nodes()) * demand.pieces) {}

bool OrderJudge::on_links(const LinkView& view) {
  for (const Result& result : view.results) {
    if (result.packet >= first_.size() || result.terms != contributors_) continue;
    First& first = first_[result.packet];
    if (first.node == kNoNode) first = {result.value, result.node};
    if (first.value == result.value) continue;
    difference_ = different_orders(result.packet, result.node, first.node);
    return false;
  }
  return true;
}

std::optional<std::string> compare_orders(const Plan& plan) {
  OrderWords words(plan.demand.pieces);
  EngineOptions options;
  options.arithmetic = {.operation = Operation::kCopy, .bits = 64, .maker = &words};
  OrderJudge judge(plan.topology, plan.demand);
  watch(*make_fast_engine(plan, options), step_limit(plan), judge);
  return judge.difference();
}

}  // namespace gossamer
