// SPDX-License-Identifier: Apache-2.0
/// The static verifier: what a plan does, concluded from its tables.
///
/// It believes nothing that the planner wrote beside the program: completeness, conflicts and the
/// number of steps are derived, the expected figures are then compared with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct Verdict {
  /// How it was reached, in a word or two: "windows", "replay", ...
  std::string_view method;
  /// Every node gets every packet.
  bool complete = false;
  /// The step at whose end the last node has its last packet; empty unless complete, and where
  /// there are no steps.
  std::optional<std::uint64_t> steps;
  /// Clock cycles, when nobody stalls.
  std::optional<std::uint64_t> cycles;
  /// Of messages that take paths of several links: hops of all together.
  std::optional<std::uint64_t> tcd;
  /// The longest path of each step in hops, entry s - 1 for step s.
  std::vector<std::uint32_t> longest_hops;
  /// Packets that find a full queue, or two messages on one link; empty where that depends on what
  /// routers do that are told nonsense, as what follows is.
  std::optional<std::uint64_t> link_conflicts = 0;
  /// Longest queue, the head included.
  std::optional<std::uint64_t> max_queue = 0;
  /// Packets times links crossed up to the completing step, of an incomplete plan up to the step
  /// where a run gives up (step_limit). Empty as with link_conflicts.
  std::optional<std::uint64_t> link_transfers;
  /// Deliveries of what the node already had, up to the same step.
  std::optional<std::uint64_t> duplicates;
  /// Of a plan of several collectives, the verdict about each.
  std::vector<Verdict> members;
  /// What is wrong, one line each; empty when every check holds.
  std::vector<std::string> problems;

  [[nodiscard]] bool ok() const { return problems.empty(); }
};

/// Adds to `verdict.problems` every promise of the plan's that the verdict breaks: queue depth,
/// steps, cycles, bound and lower bound of a plan that stores and forwards.
void compare_with_promises(const Plan& plan, Verdict& verdict);

/// Nodes that are named as incomplete, at most.
inline constexpr std::size_t kMaxListedNodes = 5;
/// Notes that `node` lacks packets, or once that there are more nodes like the noted ones.
void list_missing(Verdict& verdict, NodeId node, std::uint64_t missing, std::uint64_t packets);

/// Judges a plan. The verdict equals what an exhaustive simulation finds, for right and for wrong
/// plans alike.
[[nodiscard]] Verdict verify(const Plan& plan, const Progress& progress = {});

}  // namespace gossamer
