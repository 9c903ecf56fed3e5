// SPDX-License-Identifier: Apache-2.0
/// Orders of ranks for frameworks: neighbours in a list are neighbours in the network, the last and
/// the first node included.
#include <fmt/format.h>

#include "formats.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/topology/rings.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::emit_detail {

namespace {

std::vector<std::vector<NodeId>> cycle_orders(const Topology& topology) {
  const Topology network = narrowed(topology);
  if (!network.is_torus()) {
    throw InfeasibleError(fmt::format(
        "format ranks: only a torus has an edge-disjoint Hamiltonian cycle for each dimension; on "
        "other networks use --ring{}",
        network.nodes() % 2 == 0 ? fmt::format("; nearest feasible: --ring {}", network.nodes())
                                 : ""));
  }
  std::vector<std::vector<NodeId>> orders;
  for (StreamLine& cycle : hamiltonian_cycles(network)) orders.push_back(std::move(cycle.nodes));
  return orders;
}

}  // namespace

std::vector<EmittedFile> emit_ranks(const Plan& plan, std::optional<std::uint32_t> ring) {
  if (!plan.topology.is_healthy()) {
    throw InfeasibleError("format ranks: the network has faults; nearest feasible: none of them");
  }
  std::string text;
  for (const std::vector<NodeId>& nodes :
       ring ? rings_of(plan.topology, *ring) : cycle_orders(plan.topology)) {
    append_format(text, "[{}]\n", joined(nodes, ", "));
  }
  return {{"ranks.jsonl", std::move(text)}};
}

}  // namespace gossamer::emit_detail
