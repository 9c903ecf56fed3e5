// SPDX-License-Identifier: Apache-2.0
/// All-gather on meshes: one Hamiltonian cycle of all nodes, or of all but one corner.
///
/// A d-dimensional mesh contains the grid "one of its sides x a snake through all the others", so
/// the two-dimensional constructions apply to every d. docs/algorithms/array.md draws them.
#pragma once

#include <cstdint>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct ArrayOptions {
  /// Own packets of each node, 1 .. kMaxPacketsPerNode.
  std::uint32_t packets_per_node = 1;
};

/// The `array` all-gather plan; fully time-independent. Exact steps and buffers:
/// bounds::array_steps and bounds::array_queue_depth.
/// - One dimension: every packet in both directions along the line; optimal.
/// - An even number of nodes: both directions around a Hamiltonian cycle; optimal in two
///   dimensions.
/// - All sides odd: both directions around a cycle that leaves out node 0. Neighbours of node 0
///   forward the two streams to it, and one of them puts the packets of node 0 on the cycle.
/// Source: docs/spec/gossip.md, section 3.4 (two dimensions).
/// Throws InfeasibleError on a torus.
[[nodiscard]] Plan plan_array(const Topology& topology, const ArrayOptions& options);

}  // namespace gossamer
