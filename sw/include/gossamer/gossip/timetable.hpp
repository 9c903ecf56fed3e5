// SPDX-License-Identifier: Apache-2.0
/// Scheduled gossip where routers differ: borders, cylinders, faults. Every node has a ROM of its
/// own.
///
/// In every step, node by node, a maximum matching between the node's live in-arcs and packets that
/// the sender has and it lacks; each in-arc offers its rarest ones. Receivers do not disturb one
/// another, since a sender may send different packets on its out-ports. The lower bound in nearly
/// every case tried; the plan says both. Source: docs/spec/faults.md, section 7.
#pragma once

#include <cstdint>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct TimetableOptions {
  std::uint32_t packets_per_node = 1;
  /// Decides between packets that are equally rare, and the order of the nodes.
  std::uint64_t seed = 1;
};

/// The `scheduled` plan with a program a node, on any strongly connected network. Throws
/// InfeasibleError when nodes, steps and ports multiply to more than 2^24.
[[nodiscard]] Plan plan_timetable(const Topology& topology, const TimetableOptions& options);

}  // namespace gossamer
