// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/plan.hpp"

namespace gossamer {

std::uint32_t packets_per_node(const Plan& plan) {
  return static_cast<std::uint32_t>(plan.demand.ids_per_node(plan.topology.nodes()).value_or(1));
}

PacketId own_piece(const Plan& plan, NodeId node, std::uint32_t index) {
  if (plan.demand.from == Origin::kRoot) return index;
  return PacketId{node} * plan.demand.pieces + index;
}

}  // namespace gossamer
