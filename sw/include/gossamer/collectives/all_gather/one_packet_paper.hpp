// SPDX-License-Identifier: Apache-2.0
/// The paper's gossip with one packet per node (Meyer & Sibeyn, section 4): d cycles of P/d + o(P)
/// nodes, and every node that a cycle does not pass is supplied with both its streams by
/// neighbours.
///
/// Steps: P/2d + O(P/n_d) with one switch per support port, more without. Other algorithms come
/// within a constant of the lower bound. This one is kept for its simplicity (a router derives its
/// table from its coordinates) and for comparison with the paper.
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

/// The `one-packet` all-gather plan on a torus of 2 to 6 dimensions. Of all axis orders for which
/// the construction applies, the one with the fewest steps is used and recorded in parameter "axes"
/// (the paper's x_1 first). Throws InfeasibleError on meshes and when no order (or not the given
/// one) works, with the violated condition and the nearest feasible sides. Throws InputError when
/// `axes` is not a permutation of the dimensions.
///
/// The supply of a node off a cycle is a matching of the streams it lacks to its free input ports
/// (there are equally many). A stream on which no neighbour lies is relayed by a neighbour that
/// receives it. Every stream is at most 2 hops off its cycle. In six dimensions it is 3 hops on
/// some tori, where a cycle is three hops away. Exact figures: bounds/stream_windows.hpp.
[[nodiscard]] Plan plan_one_packet_paper(const Topology& topology,
                                         const OnePacketPaperOptions& options);

}  // namespace gossamer
