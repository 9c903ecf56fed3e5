// SPDX-License-Identifier: Apache-2.0
/// All-gather dimension by dimension, as message-passing libraries do it: for comparison.
///
/// In the phase of a dimension every node sends the block of packets that its line shares along the
/// line, so the block grows by the dimension's side from phase to phase. All nodes do the same at
/// the same time: these are scheduled programs, whose ROM takes the place of a library's loops.
#pragma once

#include "gossamer/collectives/all_gather/schedule_builder.hpp"

namespace gossamer {

struct HierarchicalOptions {
  /// Both ways along each line at once.
  bool two_way = false;
};

/// The `hierarchical` or `hierarchical-two-way` gossip plan: one packet a node, dimension 0 first.
/// Steps: bounds::hierarchical_steps, bounds::two_way_hierarchical_steps. The buffer holds the
/// block of all dimensions but the last one. Throws InfeasibleError on meshes.
[[nodiscard]] Plan plan_hierarchical(const Topology& topology, const HierarchicalOptions& options);

}  // namespace gossamer
