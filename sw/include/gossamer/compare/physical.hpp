// SPDX-License-Identifier: Apache-2.0
/// A collective's algorithms and the conventional network side by side, for the same bytes: cycles,
/// time, throughput, energy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/compare/table_style.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/topology/topology.hpp"
#include "gossamer/util/progress.hpp"
#include "gossamer/wormhole/network.hpp"
#include "gossamer/wormhole/unicasts.hpp"

namespace gossamer {

struct PhysicalComparisonOptions {
  /// A latency above 1 also applies to the conventional network's links.
  PhysicalQuantities quantities;
  /// Algorithms by name, in the order of the rows; empty: all of the registry.
  std::vector<std::string> algorithms;
  /// Source of a broadcast, root of a reduce.
  NodeId source = 0;
  /// The conventional network's routers, and its software.
  wormhole::Router router = default_router();
  wormhole::Messages messages;
  /// Whether the conventional network is run; large messages take a while.
  bool conventional = true;
  Progress progress;

  /// Four virtual channels of eight flits, a usual size.
  [[nodiscard]] static wormhole::Router default_router() { return {4, 8, {}, 0}; }
};

/// One algorithm, or one order of unicasts ("wormhole ring"). Unknown fields are empty.
struct PhysicalComparisonRow {
  std::string algorithm;
  /// Why the topology or the message was rejected; all fields below are then empty.
  std::string refusal;
  /// Packets into which a node's message is divided; empty where software divides it.
  std::optional<std::uint64_t> packets_per_node;
  /// Steps of the plan, as proved.
  std::optional<std::uint64_t> steps;
  /// Bits that a router stores: registers, queues, slots, and its ROM. Where links take one cycle,
  /// a step moves one flit of each packet: a message then takes several rounds of the plan, one
  /// cycle per step.
  std::optional<std::uint64_t> router_bits;
  /// Why `emit --format sv` cannot build the plan; an empty text if it can.
  std::optional<std::string> unbuildable;
  /// Plans: as proved. Unicasts: as simulated.
  PhysicalFigures figures{};
};

struct PhysicalComparison {
  Topology topology;
  std::string collective;
  PhysicalQuantities quantities;
  /// Lower bound on the cycles with store-and-forward flits, where a bound is known.
  std::optional<std::uint64_t> lower_bound_cycles;
  std::vector<PhysicalComparisonRow> rows;
};

/// Plans and proves every algorithm, and runs every order of unicasts. `collective` is one of
/// gossip, broadcast, all-reduce and all-to-all. Throws InputError for other collectives and
/// unknown algorithms.
[[nodiscard]] PhysicalComparison compare_physical(const Topology& topology,
                                                  const std::string& collective,
                                                  const PhysicalComparisonOptions& options);

[[nodiscard]] std::string comparison_table(const PhysicalComparison& comparison,
                                           const TableStyle& style = {});
[[nodiscard]] std::string comparison_json(const PhysicalComparison& comparison);

}  // namespace gossamer
