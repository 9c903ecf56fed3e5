// SPDX-License-Identifier: Apache-2.0
/// The static verifier: derives the results of a plan from its tables.
///
/// It does not trust the planner's figures: it derives completeness, conflicts and the number of
/// steps, and then compares the expected figures with them.
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
  /// The method, in a word or two: "windows", "replay", ...
  std::string_view method;
  /// Every node receives every packet.
  bool complete = false;
  /// The step at whose end the last node has its last packet; empty for incomplete plans and for
  /// machines without steps.
  std::optional<std::uint64_t> steps;
  /// Clock cycles, without stalls.
  std::optional<std::uint64_t> cycles;
  /// For messages with paths of several links: total hops.
  std::optional<std::uint64_t> tcd;
  /// The longest path of each step in hops, entry s - 1 for step s.
  std::vector<std::uint32_t> longest_hops;
  /// Packets that find a full queue, or two messages on one link. Empty where it depends on the
  /// behaviour of routers with an inconsistent table; the same holds for the figures below.
  std::optional<std::uint64_t> link_conflicts = 0;
  /// Longest queue, including the head.
  std::optional<std::uint64_t> max_queue = 0;
  /// Packets times links crossed up to the completing step; for an incomplete plan up to the step
  /// where a run gives up (step_limit). Empty in the same cases as link_conflicts.
  std::optional<std::uint64_t> link_transfers;
  /// The transfers between chiplets among them; empty where all links have the same speed.
  std::optional<std::uint64_t> die_transfers;
  /// Deliveries of pieces that the node already had, up to the same step.
  std::optional<std::uint64_t> duplicates;
  /// Plans of several collectives: the verdict on each.
  std::vector<Verdict> members;
  /// Failed checks, one line each; empty when every check holds.
  std::vector<std::string> problems;

  [[nodiscard]] bool ok() const { return problems.empty(); }
};

/// Adds to `verdict.problems` every promise of the plan that the verdict breaks: queue depth,
/// steps, cycles, bound and lower bound of a store-and-forward plan.
void compare_with_promises(const Plan& plan, Verdict& verdict);

/// The largest number of incomplete nodes that a verdict names.
inline constexpr std::size_t kMaxListedNodes = 5;
/// Adds the problem that `node` lacks packets. Beyond kMaxListedNodes it adds once that there are
/// more such nodes.
void list_missing(Verdict& verdict, NodeId node, std::uint64_t missing, std::uint64_t packets);

/// Judges a plan. For both correct and wrong plans the verdict equals the result of an exhaustive
/// simulation.
[[nodiscard]] Verdict verify(const Plan& plan, const Progress& progress = {});

}  // namespace gossamer
