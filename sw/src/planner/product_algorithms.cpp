// SPDX-License-Identifier: Apache-2.0
/// Matrix products as the registry calls them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "algorithm_lists.hpp"
#include "gossamer/compose/composition.hpp"
#include "gossamer/plan/block_pairs.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/proof.hpp"

namespace gossamer {

namespace {

/// The square of the smallest side that has neighbours.
std::uint32_t nearest_square_side(const Topology& topology) {
  std::uint32_t side = 0;
  for (const std::uint32_t one : topology.sides()) {
    if (one > 1 && (side == 0 || one < side)) side = one;
  }
  return std::max(side, std::uint32_t{2});
}

Plan plan_cannon(const PlanRequest& request) {
  const Topology& topology = request.topology;
  if (const std::string defect = pairs_defect(topology); !defect.empty()) {
    const std::uint32_t side = nearest_square_side(topology);
    throw InfeasibleError(fmt::format("cannon: {}; nearest feasible: --dims {}x{}{}", defect, side,
                                      side, topology.is_healthy() ? "" : " without faults"));
  }
  std::vector<PlanMember> members;
  for (const char* axis : {"x", "y"}) {
    Plan lines = make_plan({topology,
                            "all-gather",
                            topology.is_torus() ? "hamiltonian" : "folded",
                            {{"groups", std::string(axis)}, {"packets", std::int64_t{1}}},
                            {}});
    members.push_back({proved(std::move(lines), request.collective, request.progress)});
  }
  return matrix_product(compose(std::move(members), {"A", "B"}));
}

constexpr auto kProductAlgorithms = std::to_array<Algorithm>({
    {.collective = "gemm",
     .shapes = Shapes::kBoth,
     .name = "cannon",
     .summary = "blocks of A go both ways along rows, blocks of B along columns; two pairs meet at "
                "every node in every step",
     .guarantee = "NxN torus: floor(N/2) steps, the bound; NxN mesh: 2 floor(N/2)",
     .options = "",
     .machines = "composition",
     .plan = plan_cannon},
});

}  // namespace

std::span<const Algorithm> product_algorithms() { return kProductAlgorithms; }

}  // namespace gossamer
