// SPDX-License-Identifier: Apache-2.0
/// A collective's algorithms and the conventional network side by side, for the same bytes: cycles,
/// time, throughput, energy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/report/physical.hpp"
#include "gossamer/topology/topology.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/wormhole/network.hpp"
#include "gossamer/wormhole/unicasts.hpp"

namespace gossamer {

struct PhysicalComparisonOptions {
  /// A latency above 1 is that of the conventional network's links, too.
  PhysicalQuantities quantities;
  /// Algorithms by name, in the order of the rows; empty: all that the registry has.
  std::vector<std::string> algorithms;
  /// Of a broadcast; of a reduce its root.
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
  /// Packets that a node's message is dealt to; empty where software cuts it.
  std::optional<std::uint64_t> packets_per_node;
  /// Steps of the plan, as proved.
  std::optional<std::uint64_t> steps;
  /// Bits that a router stores: registers, queues, slots, the ROM that it executes. Where links
  /// take one cycle, steps are for a flit of each packet: a message then goes in rounds of such
  /// steps, in as many cycles.
  std::optional<std::uint64_t> router_bits;
  /// Plans: as proved. Unicasts: as simulated.
  PhysicalFigures figures{};
};

struct PhysicalComparison {
  Topology topology;
  std::string collective;
  PhysicalQuantities quantities;
  /// Cycles that nobody can beat who stores and forwards flits, where a bound is known.
  std::optional<std::uint64_t> lower_bound_cycles;
  std::vector<PhysicalComparisonRow> rows;
};

/// Plans and proves every algorithm, and runs every order of unicasts. `collective` is gossip,
/// broadcast, all-reduce or all-to-all. Throws InputError for other collectives and unknown
/// algorithms.
[[nodiscard]] PhysicalComparison compare_physical(const Topology& topology,
                                                  const std::string& collective,
                                                  const PhysicalComparisonOptions& options);

[[nodiscard]] std::string comparison_table(const PhysicalComparison& comparison);
[[nodiscard]] std::string comparison_json(const PhysicalComparison& comparison);

}  // namespace gossamer
