// SPDX-License-Identifier: Apache-2.0
/// The paper's gossip with one packet a node (Meyer & Sibeyn, section 4): d cycles of P/d + o(P)
/// nodes, and every node that a cycle does not pass is supplied with both its streams by
/// neighbours.
///
/// Steps: P/2d + O(P/n_d) with one switch a support port, more without. A plan within a constant of
/// the lower bound is another algorithm's business; this one is kept for its simplicity (a router
/// knows its table from its coordinates) and for comparison with the paper.
#pragma once

#include <optional>

#include "gossamer/collectives/all_gather/lap_cycles.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct OnePacketPaperOptions {
  /// No switch, no fan-in, buffers of one packet; costs extra steps.
  bool time_independent = false;
  /// The axis order to use; empty: the one with the fewest steps.
  std::optional<AxisOrder> axes;
};

/// The `one-packet` gossip plan on a torus of 2 to 6 dimensions. All axis orders that the
/// construction serves are weighed, the one with the fewest steps is taken and recorded in
/// parameters "axes" (the paper's x_1 first). Throws InfeasibleError with the violated condition
/// and the nearest feasible sides when no order (or not the given one) serves, and on meshes;
/// InputError when `axes` is no permutation of the dimensions.
///
/// The supply of a node off a cycle is chosen by matching the streams it lacks to its free in-ports
/// (there are exactly as many); a stream that no neighbour lies on is relayed by one that receives
/// it. Every stream is at most 2 hops off its cycle, in six dimensions 3 on some tori, where a
/// cycle is three hops away. Exact figures: bounds/stream_windows.hpp.
[[nodiscard]] Plan plan_one_packet_paper(const Topology& topology,
                                         const OnePacketPaperOptions& options);

}  // namespace gossamer
