// SPDX-License-Identifier: Apache-2.0
/// Long messages from a root both ways round Hamiltonian cycles, the wiring of the all-gather.
///
/// Word j belongs to cycle j mod d. The root sends a cycle's words in ascending order forward and
/// in descending order backward, and every other node passes them on. A node a links forward of the
/// root has got T - a + 1 words from behind and T - (P - a) + 1 from ahead after T steps, together
/// 2T - P + 2. docs/algorithms/broadcast.md has the proof.
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
