// SPDX-License-Identifier: Apache-2.0
/// Broadcast of long messages in both directions around Hamiltonian cycles, with the wiring of the
/// all-gather.
///
/// Word j belongs to cycle j mod d. The root sends a cycle's words in ascending order forward and
/// in descending order backward, and every other node passes them on. After T steps, a node that is
/// a links after the root in forward direction has T - a + 1 words of the forward stream and T - (P
/// - a) + 1 of the backward stream: together 2T - P + 2. docs/algorithms/broadcast.md has the
/// proof.
#pragma once

#include <cstdint>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct CycleBroadcastOptions {
  NodeId source = 0;
  /// Packets of the message, 1..kMaxPacketsPerNode.
  std::uint32_t packets = 1;
};

/// The `hamiltonian` broadcast: bounds::hamiltonian_message_steps, buffer 1 outside the root, fixed
/// wiring. Throws InfeasibleError where there is no decomposition into Hamiltonian cycles.
[[nodiscard]] Plan plan_cycle_broadcast(const Topology& topology,
                                        const CycleBroadcastOptions& options);

}  // namespace gossamer
