// SPDX-License-Identifier: Apache-2.0
/// Broadcast round dead links and nodes. Source: docs/spec/faults.md, section 6.
#pragma once

#include "gossamer/collectives/broadcast/broadcast.hpp"

namespace gossamer {

/// The `pairing` plan: ceil(log2 P') steps for P' nodes with a live core, one-port, link-disjoint
/// in every step, along one breadth-first tree of two-way links. Backward from the last step: those
/// who hold the message are paired where their ways to the source meet; of a pair the one nearer to
/// it stays and, in this step, sends to the other one along the tree. Throws InfeasibleError when
/// two-way links do not connect the live nodes, or when messages would meet with self-timed sends.
[[nodiscard]] Plan plan_pairing(const Topology& topology, const BroadcastOptions& options);

/// A one-port plan of the healthy network as one for `topology`, the same with dead links: it stays
/// when no send crosses a dead arc. Else those that do, in step order, take a shortest live path
/// that shares no arc with the other sends of their step, the first that a breadth-first search
/// with ports ascending finds. Throws InfeasibleError when a node or core is dead, when a send has
/// no such path, or when messages would meet with self-timed sends.
[[nodiscard]] Plan with_detours(Plan healthy, const Topology& topology);

/// Hops of all sends of a plan of whole messages.
[[nodiscard]] std::uint64_t total_hops(const Plan& plan);

}  // namespace gossamer
