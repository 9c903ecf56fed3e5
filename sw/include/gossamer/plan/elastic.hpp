// SPDX-License-Identifier: Apache-2.0
/// What makes a stream program elastic: routers that wait for each other by valid and ready, so
/// that links may take any number of cycles and nodes may start and stall when they like.
///
/// A message is `flits()` flits of each own packet, sent in `rounds` rounds of `chunk` flits. In a
/// round an out-port sends its own chunk first and then passes on the first carries - own arrivals
/// of its feed (PortProgram::carries), in order. Behind every out-port stands a queue of `slots`
/// flits, and along a link of latency S there are S - 1 relay stages of two: a flit pushed in cycle
/// t can be taken at the far end from cycle t + S on, and the place that a take in cycle t leaves
/// can be pushed into from t + S on.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Cycles that each link takes, in the shortest form that says it. The first that is not empty of
/// `table`, `dimension`, `uniform` counts.
struct LinkLatency {
  std::uint32_t uniform = 1;
  /// By dimension: links inside, and links that wrap around. Of one length, or both empty.
  std::vector<std::uint32_t> dimension;
  std::vector<std::uint32_t> wrap;
  /// By link slot; 0 where there is no link.
  std::vector<std::uint32_t> table;

  /// By link slot; 0 where there is no link.
  [[nodiscard]] std::vector<std::uint32_t> by_link(const Topology& topology) const;

  bool operator==(const LinkLatency&) const = default;
};

/// The elastic part of a stream program.
struct Elastic {
  /// Flits of a packet that are sent in one round, >= 1.
  std::uint32_t chunk = 1;
  /// >= 1.
  std::uint32_t rounds = 1;
  /// Flits that the queue behind an out-port holds, >= 1. With chunk + 1 and more a network cannot
  /// deadlock; what is needed for the full rate is bounds::elastic_full_rate_slots.
  std::uint32_t slots = 2;
  LinkLatency latency;

  /// Flits of a packet.
  [[nodiscard]] std::uint64_t flits() const { return std::uint64_t{chunk} * rounds; }
  /// Flits that a link of `latency` cycles can hold, its queue included.
  [[nodiscard]] std::uint64_t capacity(std::uint32_t latency_of_link) const {
    return std::uint64_t{slots} + 2 * (std::uint64_t{latency_of_link} - 1);
  }

  bool operator==(const Elastic&) const = default;
};

inline constexpr std::uint32_t kMaxLinkLatency = 65535;
inline constexpr std::uint32_t kMaxChunk = 65535;
inline constexpr std::uint32_t kMaxElasticSlots = 1U << 20;
inline constexpr std::uint32_t kMaxElasticFlits = 1U << 30;

}  // namespace gossamer
