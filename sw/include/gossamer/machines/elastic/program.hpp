// SPDX-License-Identifier: Apache-2.0
/// The program of the machine `elastic`: routers with valid/ready back-pressure. Links may take any
/// number of cycles, and nodes may start and stall at any time.
///
/// A message is `flits()` flits of each own packet, sent in `rounds` rounds of `chunk` flits. In a
/// round an output port sends its own chunk first. It then forwards the first carries - own
/// arrivals of its feed (ElasticPort::carries), in order. Every output port has a queue of `slots`
/// flits, and a link of latency S has S - 1 relay stages of two slots. A flit pushed in cycle t can
/// be taken at the far end from cycle t + S on. A slot that becomes free in cycle t can be filled
/// again from cycle t + S on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/plan/combination.hpp"
#include "gossamer/plan/link_latency.hpp"
#include "gossamer/plan/port_table.hpp"
#include "gossamer/plan/program.hpp"

namespace gossamer {

/// The configuration of one output port for the whole run.
struct ElasticPort {
  /// The input port whose arrivals it forwards; may be empty.
  PortSet feed;
  /// The own packet with which it begins each round; may be empty.
  std::vector<std::uint16_t> preload;
  /// Sums: the port's lane (plan/combination.hpp).
  std::optional<std::uint8_t> lane{};
  /// Chunks that it sends per round, own ones included. The input port at the far end of its link
  /// receives the same number.
  std::uint32_t carries = 0;

  [[nodiscard]] std::uint64_t hash() const;

  bool operator==(const ElasticPort&) const = default;
};

/// Messages, queues and links, the same for all routers.
struct Elastic {
  /// Flits of a packet that are sent in one round, >= 1.
  std::uint32_t chunk = 1;
  /// >= 1.
  std::uint32_t rounds = 1;
  /// Flits that the queue after an output port holds, >= 1. With at least chunk + 1 a network
  /// cannot deadlock; the full rate requires bounds::elastic_full_rate_slots.
  std::uint32_t slots = 2;
  LinkLatency latency;

  /// Flits of a packet.
  [[nodiscard]] std::uint64_t flits() const { return std::uint64_t{chunk} * rounds; }
  /// Flits that a link of `latency` cycles can hold, including its queue.
  [[nodiscard]] std::uint64_t capacity(std::uint32_t latency_of_link) const {
    return std::uint64_t{slots} + 2 * (std::uint64_t{latency_of_link} - 1);
  }

  bool operator==(const Elastic&) const = default;
};

inline constexpr std::uint32_t kMaxChunk = 65535;
inline constexpr std::uint32_t kMaxElasticSlots = 1U << 20;
inline constexpr std::uint32_t kMaxElasticFlits = 1U << 30;

/// An entry for every output port, and the settings that routers share.
class ElasticProgram final : public ProgramOf<ElasticProgram>, public PortTable<ElasticPort> {
 public:
  /// A program of `nodes` routers of `ports` ports, all idle.
  ElasticProgram(std::uint32_t nodes, int ports, std::uint32_t packets_per_node)
      : PortTable(nodes, ports), packets_per_node_(packets_per_node) {}

  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override;

  /// Own packets of each node, 1 .. kMaxPacketsPerNode; for sums, words.
  [[nodiscard]] std::uint32_t packets_per_node() const { return packets_per_node_; }

  Elastic elastic;
  /// The combination on the way (words.hpp); empty where packets are copied.
  std::optional<Combination> combine;

  bool operator==(const ElasticProgram&) const = default;

 private:
  std::uint32_t packets_per_node_;
};

}  // namespace gossamer
