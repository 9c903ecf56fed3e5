// SPDX-License-Identifier: Apache-2.0
/// Checks schedules of other programs: correctness, steps, and the lower bound of any schedule
/// (docs/spec/foreign-schedules.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/foreign/flow.hpp"
#include "gossamer/foreign/link_graph.hpp"
#include "gossamer/foreign/msccl.hpp"
#include "gossamer/foreign/teccl.hpp"

namespace gossamer::foreign {

/// Whether an MSCCL schedule's call runs in place or out of place.
enum class Place : std::uint8_t { kIn, kOut };

struct CheckOptions {
  /// The network; empty: the links that the schedule uses.
  std::optional<LinkGraph> network;
  /// MSCCL: the node of every rank; empty: rank r is node r.
  std::vector<std::uint32_t> node_of_rank;
  /// Root of a broadcast or reduce if the file has none.
  std::uint32_t root = 0;
  /// Check this place, regardless of the file's claim.
  std::optional<Place> place;
  /// TE-CCL: number of nodes; empty: the network's, otherwise the nodes that occur.
  std::optional<std::uint32_t> nodes;
  /// Fill in CheckResult::flow.
  bool wants_flow = false;

  [[nodiscard]] std::uint32_t node(std::uint32_t rank) const {
    return node_of_rank.empty() ? rank : node_of_rank[rank];
  }
};

/// The first defect, in the order of section 4.
struct Defect {
  /// "bounds", "deadlock", "missing", ...
  std::string kind;
  /// Line of the file, from 1.
  std::uint32_t line = 0;
  /// One sentence.
  std::string text;
};

/// Properties of a schedule. Unknown figures are empty; a defective schedule has none.
struct CheckResult {
  /// "msccl-xml" or "te-ccl".
  std::string format;
  std::string name;
  std::optional<Defect> defect;
  /// The collective as the file names it.
  std::string collective;
  std::uint64_t ranks = 0;
  std::uint64_t chunks = 0;
  /// "in", "out": the places that were checked (MSCCL).
  std::vector<std::string> places;
  /// Most messages on one chain of happens-before.
  std::optional<std::uint64_t> depth;
  /// Steps when every link moves one chunk per step.
  std::optional<std::uint64_t> steps;
  /// TE-CCL: the number of epochs that the solver states.
  std::optional<std::uint64_t> epochs;
  std::optional<std::uint64_t> lower_bound_steps;
  /// Chunks times links crossed.
  std::optional<std::uint64_t> link_transfers;
  /// Pairs of ranks with a message from one to the other.
  std::optional<std::uint64_t> links_used;
  /// The least queue depth, the same for all connections, that avoids a deadlock.
  std::optional<std::uint64_t> queue_slots;
  /// Remarks on a correct schedule.
  std::vector<std::string> notes;
  /// The flow of values, if requested and the schedule is correct.
  std::optional<Flow> flow;
  /// Why a correct schedule has no flow.
  std::string no_flow;
};

/// Checks a schedule, in the order of section 4, and times a correct one. Throws InputError when
/// the network has another number of nodes than the schedule has ranks, or for more chunk accesses
/// than kMaxAccesses.
[[nodiscard]] CheckResult check(const MscclSchedule& schedule, const CheckOptions& options);
[[nodiscard]] CheckResult check(const TecclSchedule& schedule, const CheckOptions& options);

/// Limit on the total chunks that the steps of one schedule touch, and on its outputs.
inline constexpr std::uint64_t kMaxAccesses = 100000000;

}  // namespace gossamer::foreign
