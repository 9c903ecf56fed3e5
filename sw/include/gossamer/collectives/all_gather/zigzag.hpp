// SPDX-License-Identifier: Apache-2.0
/// One-packet all-gather on two zigzag cycles, in closed form: one or two steps above the lower
/// bound (docs/spec/one-packet.md, section 2). Also its variant for odd sides, one cycle by rows.
///
/// Both are fully time-independent: every output port repeats one fixed input port, without fan-in.
/// The buffer holds k packets for k packets per node.
#pragma once

#include <cstdint>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct ZigzagOptions {
  /// Own packets of each node, 1 .. kMaxPacketsPerNode. For a multiple of d the `hamiltonian` plan
  /// is better: it meets the bound.
  std::uint32_t packets_per_node = 1;
};

/// The `zigzag` all-gather plan: two disjoint two-way cycles of P/2 nodes whose strands turn at
/// every node, so that both foreign streams reach a node from neighbours that follow each other on
/// the other cycle. O(1) work per node. Exactly bounds::zigzag_steps steps. Throws InfeasibleError
/// unless the torus is 2-D with one side a multiple of 4 and the other even (a side of 2 only next
/// to a side of 4).
[[nodiscard]] Plan plan_zigzag(const Topology& topology, const ZigzagOptions& options);

struct RowsOptions {
  /// Own packets of each node, 1 .. kMaxPacketsPerNode.
  std::uint32_t packets_per_node = 1;
};

/// The `rows` all-gather plan on one Hamiltonian cycle. The cycle follows a row except for one
/// cell, climbs through the gap of the next row and continues two rows higher. The two links off
/// the cycle supply its far half. O(1) work per node. Exactly bounds::rows_steps steps, about L / 4
/// above the bound. Throws InfeasibleError unless the torus is 2-D with odd sides, one an odd
/// multiple of the other.
[[nodiscard]] Plan plan_rows(const Topology& topology, const RowsOptions& options);

}  // namespace gossamer
