// SPDX-License-Identifier: Apache-2.0
/// Properties of a plan's runs as its machine defines them, so one judge, one report and one set of
/// observers serve all machines.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"
#include "gossamer/plan/step_pipeline.hpp"

namespace gossamer {

/// The columns of a trace.
enum class TraceForm : std::uint8_t {
  /// step,hop,from,port,packet
  kSteps,
  /// The same and `terms`: number of contributions of the packet (combined packets).
  kTerms,
  /// cycle,from,port,packet,flit: the flits taken at the far end of each link (valid/ready
  /// routers).
  kTakes,
};

/// The times at which a link of a running machine can break.
enum class LinkBreaks : std::uint8_t {
  /// In every cycle, for that cycle alone.
  kEachCycle,
  /// Between two steps, permanently.
  kForGood,
  /// Before the run: there are no steps.
  kBeforeRun,
};

struct RunFacts {
  /// Steps after which nothing new can happen. Empty: engines end on their own.
  std::optional<std::uint64_t> settled_after{};
  TraceForm trace = TraceForm::kSteps;
  /// The trace has a last column `member`: the collective of the plan that a packet belongs to.
  bool has_members = false;
  /// A node receives handed-over words (LinkView::results) instead of every arrival.
  bool hands_over = false;
  /// Flits per piece; pieces are judged flit by flit.
  std::uint64_t flits_per_piece = 1;

  LinkBreaks breaks = LinkBreaks::kEachCycle;
  /// A broken link may deliver wrong packets or no packets. If false, it delivers none.
  bool garbage = true;
  /// A torus plan runs on the mesh of the same sides (`simulate --fold`).
  bool folds = false;

  /// Cycles of the unit of the report's time_units; empty without a unit.
  std::optional<std::uint64_t> unit_cycles{};
  /// Flits of the plan's own packets, if it has such packets, and flits per counted transfer over a
  /// link. Empty: the message determines the length of packets.
  struct OwnFlits {
    std::uint64_t packet = 1;
    std::uint64_t transfer = 1;
  };
  std::optional<OwnFlits> own_flits{};
  /// The cycles of steps of packets of words (reductions).
  StepPipeline pipeline{};
  /// A node's message travels as one packet, regardless of the demand's pieces.
  bool whole_messages = false;
  /// Writes and reads of a buffer per forwarded flit; 0 for routers with only one register per
  /// output port.
  std::uint64_t buffer_accesses = 2;
  /// Runs and proofs report the longest path of each step, and the hops of all paths together.
  bool has_paths = false;
  /// Reductions whose elements are dealt by rounds (plan/combination.hpp): words of a block, and
  /// the words of a block in a round. Empty: element j of the vector is word j.
  struct Rounds {
    std::uint32_t parts = 1;
    std::uint32_t cycles = 1;
  };
  std::optional<Rounds> rounds{};
  /// Reductions: consecutive elements of the vector in one piece, which travel as its flits.
  std::uint64_t words_per_piece = 1;
  /// True if packets continue to circulate after the last planned step.
  bool goes_on = false;
  /// Routers use valid/ready, and a script may stall them (stall_script.hpp).
  bool stalls = false;
  /// A table fixes the step of each send. Until then packets wait in the memory of their node.
  bool waits_in_memory = false;
  /// On a ring, each with one own packet: in step t each input port receives the own packet of the
  /// node t links away in its direction. Derived from the tables alone; false if unknown.
  bool by_distance = false;
};

/// The facts of the plan's machine.
[[nodiscard]] RunFacts run_facts(const Plan& plan);

}  // namespace gossamer
