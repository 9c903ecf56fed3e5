// SPDX-License-Identifier: Apache-2.0
/// Partial multinode broadcast: each of M nodes, anywhere, broadcasts a packet to every node.
///
/// d classes work at once, each on its own dimension at any time: prefix (rank and M), packing (the
/// packet of rank i goes to node i), then d subphases of broadcasts on lines or rings. Barriers,
/// which every node computes from M, separate the classes. Source: Varvarigos & Bertsekas, section
/// 3; docs/spec/partial-collectives.md, sections 1 to 4.
#pragma once

#include <vector>

#include "gossamer/bounds/partial.hpp"
#include "gossamer/machines/queued/program.hpp"
#include "gossamer/plan/packet_clock.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct PartialBroadcastOptions {
  bounds::BroadcastRules rules;
  /// Empty: a packet of as many flits as a unit has sub-steps, a prefix message of one flit.
  std::optional<PacketClock> clock;
  /// The active nodes, ascending, each at most once.
  std::vector<NodeId> active;
};

/// `clock` if given, otherwise the shortest clock. Throws InfeasibleError when the packet cannot be
/// cut into `substeps_per_unit` equal parts or a prefix message is longer than a packet, InputError
/// when a length is 0 or above kMaxPacketFlits.
[[nodiscard]] PacketClock checked_clock(const std::optional<PacketClock>& clock,
                                        std::uint32_t substeps_per_unit);

/// Appends the phases of a prefix in the classes 0 .. classes-1, all at once, starting at prefix
/// step `start`.
void append_prefix(std::vector<QueuedPhase>& phases, const bounds::EqualSides& sides, int classes,
                   bool two_way, std::uint64_t start, bool class_round);

/// The `packed` plan of partial-broadcast. Takes exactly bounds::partial_broadcast_times for every
/// placement. Equal sides, any d and p, torus and mesh.
/// Throws InfeasibleError for unequal sides, `alternate` or `wrap` without a ring, `alternate` with
/// splitting.
[[nodiscard]] Plan plan_partial_broadcast(const Topology& topology,
                                          const PartialBroadcastOptions& options);

/// The all-gather plans `multinode-split` and `multinode-whole`: M = N, so ranks and classes are
/// known and no prefix or packing is needed. Takes exactly bounds::multinode_times. `active` of the
/// options is ignored.
[[nodiscard]] Plan plan_multinode(const Topology& topology, const PartialBroadcastOptions& options);

}  // namespace gossamer
