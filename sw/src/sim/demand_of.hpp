// SPDX-License-Identifier: Apache-2.0
/// The demand of a plan that does not carry one yet.
#pragma once
#include "gossamer/plan/plan.hpp"
namespace gossamer {
inline Demand demand_of(const Plan& plan) {
  Demand demand;
  if (const auto* relay = std::get_if<RelayProgram>(&plan.program)) {
    return Demand::broadcast(relay->source());
  }
  const auto* queued = std::get_if<QueuedProgram>(&plan.program);
  if (queued == nullptr || plan.collective == "gossip")
    return Demand::all_gather(packets_per_node(plan));
  demand.from = Origin::kSources;
  demand.pieces = 1;
  const std::uint32_t parts =
      queued->goal == QueuedGoal::kBroadcast ? queued->substeps_per_unit() : 1;
  for (const QueuedSource& s : queued->sources)
    demand.sources.push_back({s.node, s.packets * parts});
  demand.targets = queued->targets;
  switch (queued->goal) {
    case QueuedGoal::kRanks:
      demand.to = Destination::kCounts;
      demand.pieces = queued->classes;
      break;
    case QueuedGoal::kPack:
      demand.to = Destination::kRankedNode;
      break;
    case QueuedGoal::kRoute:
      demand.to = Destination::kTarget;
      break;
    case QueuedGoal::kExchange:
      demand.to = Destination::kEachNode;
      break;
    case QueuedGoal::kGather:
      demand.to = Destination::kEachSource;
      demand.from = Origin::kEveryNode;
      break;
    case QueuedGoal::kBroadcast:
      demand.pieces = queued->packets_per_node;
      break;
  }
  return demand;
}
}  // namespace gossamer
