// SPDX-License-Identifier: Apache-2.0
/// Gossip plans made by hand, without a planner, for the tests and benchmarks of the RTL.
#pragma once

#include <cstdint>
#include <string>

#include "gossamer/plan/plan.hpp"

namespace gossamer::test {

/// The even/even rule of docs/spec/gossip.md, section 2.1, on an nx x ny torus (both even): two
/// Hamiltonian cycles, packet c in both directions of cycle c, exactly P/2 steps, one register per
/// out-port.
[[nodiscard]] Plan even_even_plan(std::uint32_t nx, std::uint32_t ny);

/// The same cycles with two packets of each node on each: preload lists of two.
[[nodiscard]] Plan double_packet_plan(std::uint32_t nx, std::uint32_t ny);

/// The even/even plan whose routers copy every arrival to all out-ports in steps 1 and 2: fan-in,
/// a switch step, and FIFOs that stay full for ever.
[[nodiscard]] Plan flood_first_plan(std::uint32_t nx, std::uint32_t ny);

/// A gossip on an nx x ny mesh that floods for good with FIFOs of the size that this takes.
[[nodiscard]] Plan mesh_flood_plan(std::uint32_t nx, std::uint32_t ny);

/// The plan by the name of one of the functions above, "even_even" and so on; throws InputError.
[[nodiscard]] Plan hand_plan(const std::string& name, std::uint32_t nx, std::uint32_t ny);

/// The contract's trace of the fast engine, up to the completing step.
[[nodiscard]] std::string fast_trace(const Plan& plan);

}  // namespace gossamer::test
