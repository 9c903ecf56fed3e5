// SPDX-License-Identifier: Apache-2.0
/// Synthetic traffic on a wormhole network, and the resulting latency and throughput: the usual
/// experiment of papers on networks-on-chip.
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

/// The destinations of a node's packets. n is a dimension's side, x a coordinate.
enum class Pattern : std::uint8_t {
  kUniform,        ///< any node including the sender, uniformly distributed
  kTranspose,      ///< coordinates in reverse order; sides must be the same in both orders
  kBitComplement,  ///< n - 1 - x in each dimension
  kBitReverse,     ///< the node number's bits in reverse order; requires a power of two nodes
  kTornado,        ///< x + ceil(n / 2) - 1 in each dimension, modulo n
  kNeighbour,      ///< x + 1 in each dimension, modulo n
  kHotspot,        ///< one node, by default the node in the middle
};
/// All names in the order of Pattern: "uniform", "transpose", "bit-complement", ...
[[nodiscard]] const std::vector<std::string_view>& pattern_names();
/// Throws InputError for an unknown pattern.
[[nodiscard]] Pattern parse_pattern(std::string_view name);

/// Parameters of a run. Each node generates packets by a Bernoulli process; packets wait in an
/// unlimited queue until the network accepts them.
struct Traffic {
  Pattern pattern = Pattern::kUniform;
  /// The node of kHotspot; by default the node with all coordinates floor(n / 2).
  std::optional<NodeId> hotspot;
  /// Flits per packet, 1 .. 65536.
  std::uint32_t packet_flits = 1;
  std::uint64_t seed = 0;
  /// Cycles before the measurement, and the least number of cycles of each of the ten measured
  /// periods: at low loads a period lasts until kPeriodPackets packets have arrived.
  std::uint32_t warm_up = 6000;
  std::uint32_t period = 2000;
};
inline constexpr std::uint32_t kPeriods = 10;
inline constexpr std::uint32_t kPeriodPackets = 4000;

/// One offered load. Rates are in flits per node and cycle.
struct TrafficPoint {
  double rate = 0;
  /// Cycles from a packet's generation to its last flit's arrival, including the wait in its node's
  /// queue; the mean over all packets of the measured periods. Empty when the network is saturated.
  std::optional<double> mean_latency;
  /// Half the width of the mean's 95 % confidence interval, from the periods' means.
  std::optional<double> latency_ci95;
  /// Flits that left the network, per node and measured cycle.
  double accepted_rate = 0;
  /// The queues in front of the network grow: packets are 500 cycles old on average, or the network
  /// accepts less than 19 of 20 offered flits.
  bool saturated = false;
  /// Packets measured, and cycles run.
  std::uint64_t packets = 0;
  std::uint64_t cycles = 0;
};

/// Throws InputError when the load or the packet length is out of its range.
void require_possible(const Traffic& traffic, double rate);

/// Measures one load, 0 < rate <= 1. Throws InputError or InfeasibleError when the pattern does not
/// fit the topology or a number is out of its range.
[[nodiscard]] TrafficPoint measure_load(const Topology& topology, const Router& router,
                                        const Traffic& traffic, double rate,
                                        const Progress& progress = {});

/// Flits that the network accepts, per node and cycle, when every node always has a flit to send.
/// `cycles` receives the number of executed cycles.
[[nodiscard]] double full_load_accepted_rate(const Topology& topology, const Router& router,
                                             const Traffic& traffic, std::uint64_t& cycles,
                                             const Progress& progress = {});

}  // namespace gossamer::wormhole
