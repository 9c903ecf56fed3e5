// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gossamer/machines/queued/program.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

/// The results of a partial exchange or gather.
struct ExchangeCounts {
  /// The last arrival; 0 without packets.
  std::uint64_t steps = 0;
  std::uint64_t transfers = 0;
  /// The most packets that wait at an out-port at the start of a step.
  std::uint64_t max_queue = 0;
};

/// Replays the queues of docs/spec/partial-collectives.md, section 6, with every node's row and
/// column counted from the sources. Two dimensions of equal sides, links of the mesh only.
[[nodiscard]] ExchangeCounts replay_exchange(const Topology& topology, const Demand& demand,
                                             ExchangeRule rule, const Progress& progress);

}  // namespace gossamer
