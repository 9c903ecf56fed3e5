// SPDX-License-Identifier: Apache-2.0
/// Finds the faults of a machine from the packets that its nodes receive in an all-gather.
#pragma once

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/broken_machine.hpp"

namespace gossamer {

/// The result of a self-test.
struct Diagnosis {
  /// The plan's torus with the faults that were found.
  Topology found;
  /// True if a machine with these faults receives exactly the same packets.
  bool explained = true;
};

/// Which links, nodes and cores are dead, from what the nodes received in a run of `plan`'s own
/// number of steps. Throws InputError unless `plan` is a healthy `hamiltonian` plan with one packet
/// per dimension and at least 3 nodes. Source: docs/spec/faults.md, section 8.
[[nodiscard]] Diagnosis diagnose(const Plan& plan, const Received& received);

}  // namespace gossamer
