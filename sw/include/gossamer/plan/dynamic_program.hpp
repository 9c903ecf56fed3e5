// SPDX-License-Identifier: Apache-2.0
/// The program of dynamic broadcast: partial broadcasts back to back, for packets that arrive at
/// random times.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/plan/queued_program.hpp"

namespace gossamer {

/// How long an interval with M active nodes lasts.
enum class IntervalRule : std::uint8_t {
  /// V + M X (bounds::dynamic_constants); V when M = 0.
  kBound,
  /// What its partial broadcast takes; M = 0: the prefix, at least one cycle.
  kExact,
};

struct DynamicProgram {
  IntervalRule interval = IntervalRule::kBound;
  /// The partial broadcast's choices (bounds::BroadcastRules).
  bool split = true;
  bool alternate = false;
  bool skip_last = false;
  bool two_way = false;
  bool wrap = false;
  PacketClock clock;
  /// Loads (utilization rho, paper's Eq. (12)) to run, in millionths; each a run of its own.
  std::vector<std::uint32_t> load_millionths;
  /// Broadcasts to complete in each run; the first tenth is not measured.
  std::uint64_t broadcasts = 100000;
  std::uint64_t seed = 1;

  bool operator==(const DynamicProgram&) const = default;
};

/// Limits of a dynamic program.
inline constexpr std::uint32_t kMaxLoadMillionths = 2000000;
inline constexpr std::uint64_t kMinDynamicBroadcasts = 100;
inline constexpr std::uint64_t kMaxDynamicBroadcasts = 1000000000;
inline constexpr std::size_t kMaxLoads = 1000;

}  // namespace gossamer
