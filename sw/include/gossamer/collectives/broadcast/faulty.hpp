// SPDX-License-Identifier: Apache-2.0
/// Broadcast around dead links and nodes. Source: docs/spec/faults.md, section 6.
#pragma once

#include "gossamer/collectives/broadcast/broadcast.hpp"

namespace gossamer {

/// The `pairing` plan: ceil(log2 P') steps for P' nodes with a live core, one-port, link-disjoint
/// in every step, along one breadth-first tree of two-way links. It is built backward from the last
/// step: holders of the message are paired where their paths to the source meet. In this step the
/// node of a pair nearer to the source sends to the other along the tree, and remains a holder.
/// Throws InfeasibleError when two-way links do not connect the live nodes, or when messages would
/// meet with self-timed sends.
[[nodiscard]] Plan plan_pairing(const Topology& topology, const BroadcastOptions& options);

/// Adapts a one-port plan of the healthy network to `topology`, the same network with dead links.
/// The plan is unchanged when no send crosses a dead arc. Otherwise the affected sends, in step
/// order, take a shortest live path that shares no arc with the other sends of their step: the
/// first that a breadth-first search with ascending ports finds. Throws InfeasibleError when a node
/// or core is dead, when a send has no such path, or when messages would meet with self-timed
/// sends.
[[nodiscard]] Plan with_detours(Plan healthy, const Topology& topology);

/// Total hops of all sends of a plan of whole messages.
[[nodiscard]] std::uint64_t total_hops(const Plan& plan);

}  // namespace gossamer
