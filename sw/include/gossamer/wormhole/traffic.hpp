// SPDX-License-Identifier: Apache-2.0
/// Synthetic traffic on a wormhole network, and what it does to latency and throughput: the
/// experiment that papers on networks-on-chip report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/topology/topology.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/wormhole/network.hpp"

namespace gossamer::wormhole {

/// To whom a node sends. n is a dimension's side, x a coordinate.
enum class Pattern : std::uint8_t {
  kUniform,        ///< any node, oneself included, all equally likely
  kTranspose,      ///< coordinates in opposite order; sides that are the same in both orders
  kBitComplement,  ///< n - 1 - x in each dimension
  kBitReverse,     ///< the node number's bits in opposite order; a power of two nodes
  kTornado,        ///< x + ceil(n / 2) - 1 in each dimension, round the end
  kNeighbour,      ///< x + 1 in each dimension, round the end
  kHotspot,        ///< one node, by default the one in the middle
};
/// All names in the order of Pattern: "uniform", "transpose", "bit-complement", ...
[[nodiscard]] const std::vector<std::string_view>& pattern_names();
/// InputError when there is no such pattern.
[[nodiscard]] Pattern parse_pattern(std::string_view name);

/// What is run. Each node flips a coin in every cycle (Bernoulli); packets wait in a queue without
/// end until the network takes them.
struct Traffic {
  Pattern pattern = Pattern::kUniform;
  /// The one of kHotspot; the node with all coordinates floor(n / 2) when there is none.
  std::optional<NodeId> hotspot;
  /// Flits a packet, 1 .. 65536.
  std::uint32_t packet_flits = 1;
  std::uint64_t seed = 0;
  /// Cycles before anything is measured, and the least cycles of each of the ten periods that are:
  /// at low loads a period is as long as takes kPeriodPackets packets.
  std::uint32_t warm_up = 6000;
  std::uint32_t period = 2000;
};
inline constexpr std::uint32_t kPeriods = 10;
inline constexpr std::uint32_t kPeriodPackets = 4000;

/// One offered load. Rates are flits a node and cycle.
struct TrafficPoint {
  double rate = 0;
  /// Cycles from a packet's coin to its last flit's arrival, the wait in its node's queue included;
  /// the mean over all packets of the measured periods. Nothing when the network is saturated.
  std::optional<double> mean_latency;
  /// Half the width of the mean's 95 % confidence interval, from the periods' means.
  std::optional<double> latency_ci95;
  /// Flits that came out, a node and measured cycle.
  double accepted_rate = 0;
  /// The queues in front of the network grow: packets are 500 cycles old on average, or the network
  /// takes less than 19 of 20 offered flits.
  bool saturated = false;
  /// Packets that were measured, and cycles that were run.
  std::uint64_t packets = 0;
  std::uint64_t cycles = 0;
};

/// InputError when the load or the packets' length is out of its range.
void require_possible(const Traffic& traffic, double rate);

/// Measures one load, 0 < rate <= 1. InputError, InfeasibleError when the pattern does not fit the
/// topology or a number is out of its range.
[[nodiscard]] TrafficPoint measure_load(const Topology& topology, const Router& router,
                                        const Traffic& traffic, double rate,
                                        const Progress& progress = {});

/// Flits that the network takes, a node and cycle, when every node always has one to send. `cycles`
/// gets the cycles that were run.
[[nodiscard]] double full_load_accepted_rate(const Topology& topology, const Router& router,
                                             const Traffic& traffic, std::uint64_t& cycles,
                                             const Progress& progress = {});

}  // namespace gossamer::wormhole
