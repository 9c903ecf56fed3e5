// SPDX-License-Identifier: Apache-2.0
/// The static verifier: what a plan does, concluded from its tables.
///
/// It believes nothing that the planner wrote beside the program: completeness, conflicts and the
/// number of steps are derived, the expected figures are then compared with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/plan/experiment.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

/// How a verdict was reached.
enum class ProofMethod {
  /// Every link lies on a cycle or a path through all live nodes: closed form per packet,
  /// O(P d log P).
  kHamiltonianCycles,
  /// One feed a queue, if not at once then after a few steps: arcs of link cycles and the gaps
  /// between them, O(P d log d).
  kWindows,
  /// Fixed feeds, at most one preload: each node's feeds are walked backward, O(P d steps).
  kFeedWalk,
  /// Tables that translations of the torus map to themselves: one router for each class of nodes,
  /// O(classes d steps).
  kTranslations,
  /// Relays: every send followed in order of steps, O(total hops).
  kRelaySends,
  /// Where nothing else applies the whole machine model is replayed; and the queues of an exchange,
  /// behind the proof of the phases before it.
  kReplay,
  /// One ROM for all routers: one router stands for all, O(steps d).
  kSchedule,
  /// Queued routers: what each phase needs and what it leaves, from its parameters.
  kPhases,
  /// Dynamic broadcast: every interval's length against the broadcast that runs in it, and the
  /// phases of three of them.
  kIntervals,
  /// Combining streams: the wiring rank by rank, then one router's registers as intervals of
  /// contributing ranks, O(P d).
  kCombination,
  /// Streams from one root: what every link carries, from the root down, O(transfers).
  kTrees,
  /// Words up and down packed spanning trees: every node's place in every tree, O(P trees).
  kPackedTrees,
  /// Elastic Hamiltonian rings: what they carry adds up, room on every link, cycles in closed form,
  /// O(P d).
  kElasticRings,
  /// Other elastic streams: what every node takes, followed back along the feeds; cycles by a sweep
  /// over all flits.
  kElasticStreams,
};

/// "hamiltonian cycles", "windows", "feed walk", "translations", "relay sends", "replay",
/// "schedule", "phases", "intervals", "combination", "elastic rings", "elastic streams", "trees",
/// "packed trees".
[[nodiscard]] std::string_view method_name(ProofMethod method);

struct Verdict {
  ProofMethod method = ProofMethod::kHamiltonianCycles;
  /// Every node gets every packet.
  bool complete = false;
  /// The step at whose end the last node has its last packet; empty unless complete, and of elastic
  /// streams, which have no steps.
  std::optional<std::uint64_t> steps;
  /// Clock cycles: the steps of a store-and-forward plan, the timing recursion's end of a relayed
  /// one, the last take of an elastic one when nobody stalls.
  std::optional<std::uint64_t> cycles;
  /// Total hops (relays).
  std::optional<std::uint64_t> tcd;
  /// Longest send of each step in hops, entry s - 1 for step s (relays).
  std::vector<std::uint32_t> longest_hops;
  /// Packets that find a full queue, or two messages on one link; empty where that is for a router
  /// told nonsense (relays, phases) or with own packets in the way (streams), as what follows is.
  std::optional<std::uint64_t> link_conflicts = 0;
  /// Longest queue, the head included; empty where phases of a queued program do not fit together.
  std::optional<std::uint64_t> max_queue = 0;
  /// Packets times links crossed up to the completing step, of an incomplete plan up to the step
  /// where a run gives up (step_limit). Empty as with link_conflicts.
  std::optional<std::uint64_t> link_transfers;
  /// Deliveries of what the node already had, up to the same step.
  std::optional<std::uint64_t> duplicates;
  /// What is wrong, one line each; empty when every check holds.
  std::vector<std::string> problems;

  [[nodiscard]] bool ok() const { return problems.empty(); }
};

/// Judges a plan. The verdict equals what an exhaustive simulation finds, for right and for wrong
/// plans alike.
[[nodiscard]] Verdict verify(const Plan& plan, const Progress& progress = {});

/// Judges a dynamic broadcast: for every number M of active nodes the interval must be as long as
/// the partial broadcast of M packets (closed forms), and the broadcasts of 1, N/2 and N packets
/// are proved phase by phase. Stability is no promise of the experiment's.
[[nodiscard]] Verdict verify_experiment(const Experiment& experiment,
                                        const Progress& progress = {});

}  // namespace gossamer
