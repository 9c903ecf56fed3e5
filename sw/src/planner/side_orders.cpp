// SPDX-License-Identifier: Apache-2.0
#include "side_orders.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "gossamer/plan/embedding.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/topology/side_order.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// In larger networks a second search takes too long.
constexpr NodeId kMostNodes = 1024;

Plan laid_back(const Plan& plan, const Topology& topology, const SideOrder& order) {
  Embedding embedding{plan.topology, topology, 1, {}, {}};
  for (NodeId node = 0; node < plan.topology.nodes(); ++node) {
    embedding.nodes.push_back(order.node_here(node));
  }
  for (LinkId link = 0; link < plan.topology.link_slots(); ++link) {
    embedding.links.push_back({.port = order.port_here(plan.topology.link_port(link))});
  }
  return embedded_plan(plan, embedding);
}

/// The request names no node or dimension, so that it means the same in every order.
bool is_alike_in_all_orders(const PlanRequest& request) {
  return request.topology.nodes() <= kMostNodes && !request.parameters.contains("source") &&
         !request.parameters.contains("active") && !request.parameters.contains("elastic") &&
         !request.parameters.contains("link-latency") &&
         // The number of steps, by which orders are compared, depends on the length.
         !request.parameters.contains("invariant");
}

/// The program can be moved to other nodes. Words of owners and personal packets would get other
/// numbers there.
bool can_be_laid_back(const Plan& plan) {
  return plan.machine().info().moves && !plan.demand.is_personal() &&
         plan.demand.to != Destination::kOwner;
}

}  // namespace

PlanOrExperiment best_of_side_orders(
    const PlanRequest& request, const std::function<PlanOrExperiment(const PlanRequest&)>& plan) {
  if (!is_alike_in_all_orders(request)) return plan(request);
  std::optional<Plan> best;
  std::exception_ptr refusal;
  try {
    PlanOrExperiment made = plan(request);
    if (!std::holds_alternative<Plan>(made)) return made;
    best = std::get<Plan>(std::move(made));
    if (best->expected.meets_bound() || !can_be_laid_back(*best) ||
        !best->expected.analytic_steps) {
      return *std::move(best);
    }
  } catch (const InfeasibleError&) {
    refusal = std::current_exception();
  }
  for (const SideOrder& order : other_side_orders(request.topology)) {
    PlanRequest other = request;
    other.topology = order.there();
    try {
      const PlanOrExperiment made = plan(other);
      const auto* found = std::get_if<Plan>(&made);
      if (found == nullptr || !can_be_laid_back(*found)) continue;
      const auto steps = found->expected.analytic_steps;
      if (best && (!steps || *steps >= *best->expected.analytic_steps)) continue;
      best = laid_back(*found, request.topology, order);
      if (best->expected.meets_bound()) break;
    } catch (const InfeasibleError&) {
      // The other orders may do.
    }
  }
  if (!best) std::rethrow_exception(refusal);
  return *std::move(best);
}

}  // namespace gossamer
