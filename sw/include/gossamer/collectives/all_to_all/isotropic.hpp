// SPDX-License-Identifier: Apache-2.0
/// Total exchange (all-to-all) on tori by one program that all routers share: in each step an
/// output port of *every* node sends its packet of the same offset.
///
/// The packet for the node at offset o needs |o_i| hops along dimension i, in the shorter direction
/// (half a side: towards + for every other offset). Offsets as rows, ports as columns and hops as
/// entries are an open shop: a packet's hops may be taken in any order, a port serves one offset
/// per step and a packet moves once per step. By König's theorem the least number of steps is the
/// largest sum of a row or column (bounds::isotropic_steps). The search looks for an order that
/// keeps few packets in flight. docs/algorithms/reductions.md.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gossamer/collectives/all_to_all/exchange_program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The hops of each step. Deterministic. In each step a matching of ports and offsets covers every
/// port and every offset whose remaining hops equal the steps left. A beam of partial schedules is
/// kept; those with fewer waiting packets and more long paths completed are continued. The limit on
/// packets in flight between two steps grows until the search succeeds. n x n tori from 17 x 17 on
/// have a closed form: four packets in flight, none ever waits. O(steps P d) per partial schedule
/// of the beam.
[[nodiscard]] std::vector<std::vector<ExchangeHop>> isotropic_hops(const Topology& torus);

/// The same where a hop along dimension i crosses `strides[i]` links, one per step: each link is an
/// entry of the hops. As many steps as the largest sum of a row or column of the open shop. Throws
/// InfeasibleError if no program of few packets in flight is found.
[[nodiscard]] std::vector<std::vector<ExchangeHop>> strided_hops(
    const Topology& torus, std::span<const std::uint32_t> strides);

/// The `isotropic` all-to-all plan: one packet for every ordered pair of nodes, the ROM that
/// executes isotropic_hops. Own packet o - 1 of a node is the one for the node at offset o.
/// Throws InfeasibleError on meshes and beyond kMaxPacketsPerNode + 1 nodes.
[[nodiscard]] Plan plan_isotropic(const Topology& topology);

/// The dimension because of which one shared ROM cannot meet the lower bound. Its side is even and
/// the number of its lines is odd, so the offset of half that side alone has to travel in one
/// direction at all nodes.
[[nodiscard]] std::optional<int> halved_dimension(const Topology& torus);

/// The same with two ROMs, by the parity of the coordinate along `dim` (halved_dimension): there,
/// packets with an offset of half a side travel in direction + from even coordinates and - from odd
/// ones. Exactly the lower bound, bounds::all_to_all_lower_bound. docs/spec/reductions.md, section
/// 5.
[[nodiscard]] std::vector<std::vector<ExchangeHop>> parity_hops(const Topology& torus, int dim);

/// The `parity` all-to-all plan: parity_hops, in two ROMs. Throws InfeasibleError like
/// plan_isotropic, and where one ROM meets the bound.
[[nodiscard]] Plan plan_parity(const Topology& topology);

}  // namespace gossamer
