// SPDX-License-Identifier: Apache-2.0
/// A collective's algorithms and the conventional network side by side, for the same bytes: cycles,
/// time, throughput.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/topology/topology.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/wormhole/network.hpp"
#include "gossamer/wormhole/unicasts.hpp"

namespace gossamer {

/// What is moved, over which wires. Numbers are at least 1.
struct PhysicalQuantities {
  /// A node's message: its part of an all-gather, the message of a broadcast, the vector of an
  /// all-reduce.
  std::uint64_t bytes = 0;
  std::uint32_t link_bits = 32;
  std::uint64_t hertz = 1'000'000'000;

  /// Flits of the message: ceil(8 bytes / link_bits).
  [[nodiscard]] std::uint64_t flits() const;
};

struct PhysicalComparisonOptions {
  PhysicalQuantities quantities;
  /// Algorithms by name, in the order of the rows; empty: all that the registry has.
  std::vector<std::string> algorithms;
  /// Of a broadcast.
  NodeId source = 0;
  /// The conventional network's routers, and its software.
  wormhole::Router router = default_router();
  wormhole::Messages messages;
  /// Whether the conventional network is run at all; large messages take a while.
  bool conventional = true;
  Progress progress;

  /// Four virtual channels of eight flits, a usual size.
  [[nodiscard]] static wormhole::Router default_router() { return {4, 8, {}, 0}; }
};

/// One algorithm, or one order of unicasts ("wormhole ring"). What is unknown is empty.
struct PhysicalComparisonRow {
  std::string algorithm;
  /// Why the topology or the message was refused; all below is empty then.
  std::string refusal;
  /// Packets that a node's message is dealt to, and flits of the longest.
  std::optional<std::uint64_t> packets_per_node;
  std::uint64_t packet_flits = 0;
  /// Steps of the plan, as proved.
  std::optional<std::uint64_t> steps;
  /// Plans: each step lasts as long as its longest packet. Unicasts: as simulated.
  std::optional<std::uint64_t> cycles;
  /// Links crossed, counted a flit.
  std::optional<std::uint64_t> flit_hops;
};

struct PhysicalComparison {
  Topology topology;
  std::string collective;
  PhysicalQuantities quantities;
  /// Cycles that nobody can beat who stores and forwards flits, where a bound is known.
  std::optional<std::uint64_t> lower_bound_cycles;
  std::vector<PhysicalComparisonRow> rows;

  [[nodiscard]] double seconds(const PhysicalComparisonRow& row) const;
};

/// Plans and proves every algorithm, and runs every order of unicasts. `collective` is gossip,
/// broadcast or all-reduce. Throws InputError for other collectives and unknown algorithms.
[[nodiscard]] PhysicalComparison compare_physical(const Topology& topology,
                                                  const std::string& collective,
                                                  const PhysicalComparisonOptions& options);

[[nodiscard]] std::string comparison_table(const PhysicalComparison& comparison);
[[nodiscard]] std::string comparison_json(const PhysicalComparison& comparison);

}  // namespace gossamer
