// SPDX-License-Identifier: Apache-2.0
/// What a machine says about the runs of a plan, so that one judge, one report and one set of
/// observers serve all machines.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The columns of a trace.
enum class TraceForm : std::uint8_t {
  /// step,hop,from,port,packet
  kSteps,
  /// The same and `terms`: how many contributions the packet holds (combined packets).
  kTerms,
  /// cycle,from,port,packet,flit: what the far end of each link took (routers that wait for each
  /// other).
  kTakes,
};

/// When a link of a running machine can break.
enum class LinkBreaks : std::uint8_t {
  /// In every cycle for that cycle alone.
  kEachCycle,
  /// Between two steps, for good.
  kForGood,
  /// Before the run: there are no steps.
  kBeforeRun,
};

struct RunFacts {
  /// Steps after which nothing new can happen. Empty: engines end by themselves.
  std::optional<std::uint64_t> settled_after{};
  TraceForm trace = TraceForm::kSteps;
  /// The trace has a last column `member`: which of the plan's collectives a packet belongs to.
  bool has_members = false;
  /// A node has what is handed over to it (LinkView::results), not whatever arrives.
  bool hands_over = false;
  /// Pieces are judged flit by flit, so many each.
  std::uint64_t flits_per_piece = 1;

  LinkBreaks breaks = LinkBreaks::kEachCycle;
  /// A broken link may bring anything, and not only nothing.
  bool garbage = true;
  /// A plan of a torus runs on the mesh of the same sides (`simulate --fold`).
  bool folds = false;

  /// Cycles of the unit in which the report's time_units are; empty where there is none.
  std::optional<std::uint64_t> unit_cycles{};
  /// Flits of the plan's own packets, where the plan has such, and of what crosses a link with each
  /// transfer that is counted. Empty: packets are as long as the message makes them.
  struct OwnFlits {
    std::uint64_t packet = 1;
    std::uint64_t transfer = 1;
  };
  std::optional<OwnFlits> own_flits{};
  /// A node's message goes as one packet, whatever the demand's pieces are.
  bool whole_messages = false;
  /// Writes and reads of a buffer for each flit that a router passes on; 0 where one register an
  /// out-port is all that it has.
  std::uint64_t buffer_accesses = 2;
  /// Runs and proofs tell the longest way of each step, and the hops of all.
  bool has_paths = false;
  /// Packets go round and round behind the last planned step.
  bool goes_on = false;
  /// Routers wait for each other, and a script may stall them (stall_script.hpp).
  bool stalls = false;
};

/// Those of the plan's machine.
[[nodiscard]] RunFacts run_facts(const Plan& plan);

}  // namespace gossamer
