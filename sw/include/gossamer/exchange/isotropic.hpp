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

#include <cstdint>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// A hop of the packet of an offset, at every node in the same step.
struct ExchangeHop {
  /// The packet's offset, 1 .. nodes - 1: what node 0 has for node `offset`.
  NodeId offset = 0;
  Port port = 0;
};

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

}  // namespace gossamer
