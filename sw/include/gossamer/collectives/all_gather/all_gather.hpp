// SPDX-License-Identifier: Apache-2.0
/// All-gather dimension by dimension, as message-passing libraries implement it: for comparison.
///
/// In the phase of a dimension every node sends its block of packets along its line. Each phase
/// therefore multiplies the size of the block by the dimension's side. All nodes do the same at the
/// same time. The plans are therefore scheduled programs: the ROM replaces a library's loops.
#pragma once

#include "gossamer/collectives/all_gather/schedule_builder.hpp"

namespace gossamer {

struct HierarchicalOptions {
  /// Both directions along each line at once.
  bool two_way = false;
};

/// The `hierarchical` or `hierarchical-two-way` all-gather plan: one packet per node, dimension 0
/// first. Steps: bounds::hierarchical_steps, bounds::two_way_hierarchical_steps. The buffer holds
/// the block of all dimensions except the last one. Throws InfeasibleError on meshes.
[[nodiscard]] Plan plan_hierarchical(const Topology& topology, const HierarchicalOptions& options);

}  // namespace gossamer
