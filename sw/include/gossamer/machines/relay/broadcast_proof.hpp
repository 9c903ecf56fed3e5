// SPDX-License-Identifier: Apache-2.0
/// Static proof that a relay plan is a broadcast. It uses the plan alone, without a simulation or
/// the planner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// A defect of a relay plan.
struct RelayProblem {
  enum class Kind : std::uint8_t {
    /// The source or a sender is not a node of the topology.
    kNoSuchNode,
    /// A path leaves the mesh.
    kLeavesMesh,
    /// A node sends before it holds the message.
    kNotHolder,
    /// A node takes part in two sends of a step (one-port programs only).
    kNotOnePort,
    /// A send of a copying router is in a later step than its arrival (fan-out only).
    kNotAtOnce,
    /// A node receives the message again.
    kDuplicate,
    /// Two sends of a step use the same directed link.
    kContention,
    /// Two sends hold the same directed link at the same cycle, at the plan's clock.
    kTimedContention,
    /// A node never receives the message.
    kMissing,
    /// A send differs from the plan's table-free rule.
    kNotTheRule,
    /// An expected figure of the plan is wrong.
    kWrongFigure
  };
  Kind kind{};
  /// Step of the send, 0 when the defect has no step.
  std::uint32_t step = 0;
  /// The node of the defect: sender, receiver or the missing node.
  NodeId node = kNoNode;
  /// The link of the defect; kNoLink without one.
  LinkId link = kNoLink;
  /// One line: the defect with its step, node and link.
  std::string text;
};

/// Properties of a relay plan.
struct RelayVerdict {
  /// The problems found, at most kMaxProblems.
  std::vector<RelayProblem> problems;
  /// Number of all problems, including those beyond kMaxProblems.
  std::uint64_t problem_count = 0;
  /// Every node has the message at the end.
  bool complete = false;
  /// Every path lies inside the region that its send divides: the sender, the receiver and all
  /// nodes that these two inform in later steps. Regions of one step are disjoint sets of nodes, so
  /// this proves that no two messages ever meet on a link, at any clock (docs/spec/broadcast.md,
  /// section 8).
  bool regions_disjoint = false;
  /// Last step with a send.
  std::uint64_t steps = 0;
  /// Hops of all sends.
  std::uint64_t tcd = 0;
  /// Longest send of each step, in hops; entry s - 1 for step s.
  std::vector<std::uint32_t> longest_hops;
  /// Messages that meet another one on a link at the plan's clock. Empty when the sends form no
  /// tree or differ from the rule's: the later sends then depend on the router.
  std::optional<std::uint64_t> conflicts;
  /// Most sends of one node in one step: 1 in a one-port plan.
  std::uint32_t most_sends = 0;
  /// Cycles at the plan's clock, by the recursion (bounds::relay_cycles). Empty when there is any
  /// defect other than the rule or a figure.
  std::optional<std::uint64_t> cycles;

  static constexpr std::size_t kMaxProblems = 20;

  /// There is no defect.
  [[nodiscard]] bool ok() const { return problem_count == 0; }
};

/// Checks the one-port rule, coverage, disjoint regions, contention of every directed link in every
/// step (and, where the regions do not prove it, in every cycle), the table-free rule and every
/// expected figure, including the lower bound. Paths need not be minimal: the figure of total hops
/// covers that. O(TCD) time, O(links) memory. The plan must hold a RelayProgram
/// (std::bad_variant_access).
[[nodiscard]] RelayVerdict verify_broadcast(const Plan& plan);

}  // namespace gossamer
