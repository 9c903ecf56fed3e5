// SPDX-License-Identifier: Apache-2.0
/// Total exchange (all-to-all) on tori by one program that all routers share: in each step an
/// out-port of *every* node sends its packet of the same offset.
///
/// The packet for the node at offset o needs |o_i| hops along dimension i, the shorter way (half a
/// side: towards + for every other offset). Offsets as rows, ports as columns and hops as entries
/// are an open shop: hops of a packet may be taken in any order, a port serves one offset a step
/// and a packet moves once a step, so by König's theorem the least number of steps is the largest
/// sum of a row or column (bounds::isotropic_steps). What is searched is an order that keeps few
/// packets under way. docs/algorithms/reductions.md.
#pragma once

#include <optional>
#include <vector>

#include "gossamer/collectives/all_to_all/exchange_program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The hops of each step. Deterministic. Step by step a matching of ports and offsets covers every
/// port and every offset whose remaining hops equal the steps left; a beam of such beginnings is
/// kept, of which those with fewer packets waiting and more long ways behind them go on, and the
/// number of packets that may be under way between two steps grows until it succeeds. n x n tori
/// from 17 x 17 on: in closed form, four packets under way, none ever waits.
/// O(steps P d) a beginning of the beam.
[[nodiscard]] std::vector<std::vector<ExchangeHop>> isotropic_hops(const Topology& torus);

/// The `isotropic` all-to-all plan: one packet for every ordered pair of nodes, the ROM that
/// executes isotropic_hops. Own packet o - 1 of a node is the one for the node at offset o.
/// Throws InfeasibleError on meshes and beyond kMaxPacketsPerNode + 1 nodes.
[[nodiscard]] Plan plan_isotropic(const Topology& topology);

/// The dimension that keeps one ROM for all above the lower bound: its side is even, beside an odd
/// number of lines, so that the offset of half that side, alone, has to go one way at all nodes.
[[nodiscard]] std::optional<int> halved_dimension(const Topology& torus);

/// The same with two ROMs, by the parity of the coordinate along `dim` (halved_dimension): there
/// the offset of half a side goes + from even coordinates and - from odd ones. Exactly the lower
/// bound, bounds::all_to_all_lower_bound. docs/spec/reductions.md, section 5.
[[nodiscard]] std::vector<std::vector<ExchangeHop>> parity_hops(const Topology& torus, int dim);

/// The `parity` all-to-all plan: parity_hops, in two ROMs. Throws InfeasibleError as
/// plan_isotropic, and where one ROM meets the bound.
[[nodiscard]] Plan plan_parity(const Topology& topology);

}  // namespace gossamer
