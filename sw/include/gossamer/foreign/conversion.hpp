// SPDX-License-Identifier: Apache-2.0
/// Schedules of other programs as plans of ours (docs/spec/foreign-schedules.md, section 6).
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
  /// Chunks over links that no output needs; the plan is without them.
  std::uint64_t useless_moves = 0;
};

/// The flow as a timetable on `topology`, a torus, mesh or grid whose nodes are alive and whose
/// live links it uses; rank r sits on node node_of_rank[r] (empty: on node r). The plan's algorithm
/// is "imported". Values that no output needs are left out.
[[nodiscard]] Conversion convert(const Flow& flow, const Topology& topology,
                                 std::span<const std::uint32_t> node_of_rank);

}  // namespace gossamer::foreign
