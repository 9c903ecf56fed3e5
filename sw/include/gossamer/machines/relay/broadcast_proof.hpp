// SPDX-License-Identifier: Apache-2.0
/// Static proof that a relay plan is a broadcast, from the plan alone: no simulation, no planner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// One thing that is wrong with a relay plan.
struct RelayProblem {
  enum class Kind : std::uint8_t {
    /// The source or a sender is no node of the topology.
    kNoSuchNode,
    /// A path runs out of the mesh.
    kLeavesMesh,
    /// A node sends before it holds the message.
    kNotHolder,
    /// A node takes part in two sends of a step (one-port programs only).
    kNotOnePort,
    /// A router copies what passes at once, and the send is in a later step (fan-out only).
    kNotAtOnce,
    /// A node is sent the message again.
    kDuplicate,
    /// Two sends of a step use the same directed link.
    kContention,
    /// Two sends hold the same directed link at the same cycle, at the plan's clock.
    kTimedContention,
    /// A node never gets the message.
    kMissing,
    /// A send is not what the plan's table-free rule says.
    kNotTheRule,
    /// An expected figure of the plan is not the true one.
    kWrongFigure
  };
  Kind kind{};
  /// Step of the send, 0 when no step is at fault.
  std::uint32_t step = 0;
  /// The node at fault: sender, receiver or the one that is missing.
  NodeId node = kNoNode;
  /// The link at fault, kNoLink when none is.
  LinkId link = kNoLink;
  /// One line: what is wrong, with step, node and link.
  std::string text;
};

/// What is true about a relay plan.
struct RelayVerdict {
  /// The problems found, kMaxProblems at most.
  std::vector<RelayProblem> problems;
  /// All problems, those beyond kMaxProblems included.
  std::uint64_t problem_count = 0;
  /// Every node has the message in the end.
  bool complete = false;
  /// Every path lies inside the region that its send divides: the sender, the receiver and all whom
  /// these two inform in later steps. Regions of one step are disjoint sets of nodes, so this
  /// proves that no two messages ever meet on a link, at any clock (docs/spec/broadcast.md, section
  /// 8).
  bool regions_disjoint = false;
  /// Last step with a send.
  std::uint64_t steps = 0;
  /// Hops of all sends.
  std::uint64_t tcd = 0;
  /// Longest send of each step, in hops; entry s - 1 for step s.
  std::vector<std::uint32_t> longest_hops;
  /// Messages that meet another one on a link at the plan's clock; empty when the sends form no
  /// tree or are not the rule's (then it depends on the router what the later ones are).
  std::optional<std::uint64_t> conflicts;
  /// Most sends of one node in one step: 1 in a one-port plan.
  std::uint32_t most_sends = 0;
  /// Cycles at the plan's clock, by the recursion (bounds::relay_cycles); empty when something but
  /// the rule or a figure is wrong.
  std::optional<std::uint64_t> cycles;

  static constexpr std::size_t kMaxProblems = 20;

  /// Nothing is wrong.
  [[nodiscard]] bool ok() const { return problem_count == 0; }
};

/// Checks one-port rule, coverage, disjoint regions, contention of every directed
/// link in every step (and, where the regions do not prove it, in every cycle), the table-free rule
/// and every expected figure, the lower bound included. Paths need not be minimal: that is what the
/// figure of the hops in all is for. O(TCD) time, O(links) memory. The plan must hold a
/// RelayProgram (std::bad_variant_access).
[[nodiscard]] RelayVerdict verify_broadcast(const Plan& plan);

}  // namespace gossamer
