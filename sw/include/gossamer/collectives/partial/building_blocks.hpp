// SPDX-License-Identifier: Apache-2.0
/// The building blocks of the partial broadcast as separate collectives. Source: Varvarigos &
/// Bertsekas, section 2 and Phase 1; docs/spec/partial-collectives.md, sections 1 to 3.
#pragma once

#include <vector>

#include "gossamer/bounds/partial.hpp"
#include "gossamer/plan/packet_clock.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct PrefixOptions {
  bool two_way = false;
  /// Empty: one flit each.
  std::optional<PacketClock> clock;
  /// Ascending, each at most once.
  std::vector<NodeId> active;
};

/// `prefix`: every node learns M, every active node its rank, in all d classes at once, in exactly
/// bounds::prefix_steps. Its steps are prefix steps; message id = sender * d + class.
[[nodiscard]] Plan plan_prefix(const Topology& topology, const PrefixOptions& options);

struct PackingOptions {
  /// Tori: the shorter direction.
  bool wrap = false;
  PrefixOptions prefix;
};

/// `packing`: the packet of rank i goes to node i. A prefix, then d subphases of
/// bounds::packing_hops steps with barriers; no link conflict for any placement.
[[nodiscard]] Plan plan_packing(const Topology& topology, const PackingOptions& options);

struct MonotoneOptions {
  /// Visit the most significant dimension once instead of twice: (2d-1)(p-1) steps, not 2d(p-1).
  bool merged = true;
  PrefixOptions prefix;
  /// As many nodes as active nodes, ascending, each once.
  std::vector<NodeId> targets;
};

/// `monotone-routing`: the packet of rank i goes to the i-th target. Throws InputError when there
/// are more or fewer targets than active nodes.
[[nodiscard]] Plan plan_monotone_routing(const Topology& topology, const MonotoneOptions& options);

struct LineBroadcastOptions {
  /// Packets of each node, in order of position.
  std::vector<std::uint32_t> counts;
  /// Rings only.
  bounds::RingMode mode = bounds::RingMode::kSplit;
  std::optional<PacketClock> clock;
};

/// `line-broadcast`: every node of a line (1-D mesh) or ring (1-D torus) broadcasts all its
/// packets, in exactly bounds::line_steps or ring_steps. Throws InfeasibleError for more than one
/// dimension, and on a line for a ring mode other than the default. Throws InputError for wrong
/// counts.
[[nodiscard]] Plan plan_line_broadcast(const Topology& topology,
                                       const LineBroadcastOptions& options);

}  // namespace gossamer
