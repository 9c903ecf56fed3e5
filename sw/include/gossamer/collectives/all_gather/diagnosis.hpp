// SPDX-License-Identifier: Apache-2.0
/// What is broken in a machine, from what its nodes receive in an all-gather.
#pragma once

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/broken_machine.hpp"

namespace gossamer {

/// What a self-test tells.
struct Diagnosis {
  /// The plan's torus with the faults that were found.
  Topology found;
  /// A machine with these faults receives exactly the same.
  bool explained = true;
};

/// Which links, nodes and cores are dead, from what the nodes received in a run of `plan`'s own
/// number of steps. Throws InputError unless it is a healthy `hamiltonian` plan with a packet for
/// each dimension, and at least 3 nodes. Source: docs/spec/faults.md, section 8.
[[nodiscard]] Diagnosis diagnose(const Plan& plan, const Received& received);

}  // namespace gossamer
