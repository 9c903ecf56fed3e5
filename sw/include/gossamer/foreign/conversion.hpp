// SPDX-License-Identifier: Apache-2.0
/// Converts schedules of other programs to plans (docs/spec/foreign-schedules.md, section 6).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "gossamer/foreign/flow.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer::foreign {

struct Conversion {
  /// Empty when the schedule cannot become a plan.
  std::optional<Plan> plan;
  /// Why not, in one line.
  std::string reason;
  /// Chunk moves over links that no output needs; the plan omits them.
  std::uint64_t useless_moves = 0;
};

/// The flow as a timetable on `topology`, a torus, mesh or grid whose nodes are alive and whose
/// live links it uses. Rank r is on node node_of_rank[r] (empty: on node r). The plan's algorithm
/// is "imported". Values that no output needs are omitted.
[[nodiscard]] Conversion convert(const Flow& flow, const Topology& topology,
                                 std::span<const std::uint32_t> node_of_rank);

}  // namespace gossamer::foreign
