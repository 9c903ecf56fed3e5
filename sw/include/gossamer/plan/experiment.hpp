// SPDX-License-Identifier: Apache-2.0
/// Experiments: simulations of many runs instead of one plan.
///
/// There is one experiment, dynamic broadcast: consecutive partial broadcasts of packets that
/// arrive at random times, at several loads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gossamer/plan/packet_clock.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The length of an interval with M active nodes.
enum class IntervalRule : std::uint8_t {
  /// V + M X (bounds::dynamic_constants); V when M = 0.
  kBound,
  /// The length of its partial broadcast; M = 0: the prefix, at least one cycle.
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
  /// Loads (utilization rho, paper's Eq. (12)), in millionths; each is a separate run.
  std::vector<std::uint32_t> load_millionths;
  /// Broadcasts to complete in each run; the first tenth is not measured.
  std::uint64_t broadcasts = 100000;
  std::uint64_t seed = 1;

  bool operator==(const DynamicProgram&) const = default;
};

/// The experiment that `gossamer plan dynamic-broadcast` writes and `gossamer simulate` runs.
struct Experiment {
  static constexpr std::string_view kCollective = "dynamic-broadcast";
  static constexpr std::string_view kAlgorithm = "intervals";

  Topology topology;
  /// The choices by name, as on the command line.
  std::map<std::string, ParameterValue> parameters;
  DynamicProgram program;
  /// Packets that routers must be able to queue at an output port, for any set of active nodes.
  std::uint32_t queue_depth = 1;

  bool operator==(const Experiment&) const = default;
};

/// The possible contents of a document, and the possible results of a request.
using PlanOrExperiment = std::variant<Plan, Experiment>;

/// Limits of a dynamic program.
inline constexpr std::uint32_t kMaxLoadMillionths = 2000000;
inline constexpr std::uint64_t kMinDynamicBroadcasts = 100;
inline constexpr std::uint64_t kMaxDynamicBroadcasts = 1000000000;
inline constexpr std::size_t kMaxLoads = 1000;

}  // namespace gossamer
