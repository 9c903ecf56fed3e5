// SPDX-License-Identifier: Apache-2.0
/// A collective's algorithms and the conventional network side by side, for the same bytes: cycles,
/// time, throughput, energy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/compare/table_style.hpp"
#include "gossamer/planner/planner.hpp"
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
  /// The conventional network's routers, and its software; the flits and the source of the messages
  /// are those above. With groups, plans have them too, and the source is a rank.
  wormhole::Router router = default_router();
  wormhole::Messages messages;
  /// Whether the conventional network is run; large messages take a while.
  bool conventional = true;
  /// The conventional network's orders to run; empty: all of the collective.
  std::vector<wormhole::Order> orders{};
  /// Whether smaller messages are also compared, for PhysicalComparison::crossover.
  bool crossover = true;
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

/// The message size from which the fastest plan beats every order of the conventional network.
struct Crossover {
  /// The fastest plan of the comparison.
  std::string algorithm;
  /// The smallest of the sizes 1, 4, 16, ... flits such that the plan is faster at this size and at
  /// all larger ones up to the comparison's own. Empty if it is not faster at the comparison's
  /// size.
  std::optional<std::uint64_t> flits;
};

struct PhysicalComparison {
  Topology topology;
  std::string collective;
  PhysicalQuantities quantities;
  /// Lower bound on the cycles with store-and-forward flits, where a bound is known.
  std::optional<std::uint64_t> lower_bound_cycles;
  std::vector<PhysicalComparisonRow> rows;
  /// Empty without a plan, and without the conventional network.
  std::optional<Crossover> crossover{};
  /// The orders that were run, whose rows are the last ones.
  std::size_t conventional_rows = 0;
  /// The groups in which the collective runs; empty: all nodes.
  std::optional<Groups> groups{};

  /// The complete row with the fewest cycles, of the plans or of the conventional network; null
  /// without one. With `buildable`, only plans that `emit --format sv` can build.
  [[nodiscard]] const PhysicalComparisonRow* fastest_plan(bool buildable = false) const;
  [[nodiscard]] const PhysicalComparisonRow* fastest_conventional() const;
};

/// Plans and proves every algorithm, and runs every order of unicasts. `collective` is one of
/// gossip, broadcast, reduce-scatter, all-reduce, reduce and all-to-all. Throws InputError for
/// other collectives and unknown algorithms.
[[nodiscard]] PhysicalComparison compare_physical(const Topology& topology,
                                                  const std::string& collective,
                                                  const PhysicalComparisonOptions& options);

/// The collectives that compare_physical() supports, by their usual names.
[[nodiscard]] std::vector<std::string_view> compared_collectives();

/// Adds the options that describe the message, as `gossamer plan` takes them. Words of reductions
/// fill the links: where words of the usual width do not, the nearest suitable width is used.
void add_message(PlanRequest& request, const PhysicalQuantities& given);

/// Figures of one order of unicasts for the message of `options`, as simulated; cycles are empty
/// if a node lacks data at the end. Throws like wormhole::run_unicasts.
[[nodiscard]] PhysicalFigures conventional_figures(const Topology& topology,
                                                   const std::string& collective,
                                                   wormhole::Order order,
                                                   const PhysicalComparisonOptions& options);

/// Human-readable: an aligned table, refusals below it.
[[nodiscard]] std::string comparison_table(const PhysicalComparison& comparison,
                                           const TableStyle& style = {});
/// One JSON object with the same content; unknown figures are null.
[[nodiscard]] std::string comparison_json(const PhysicalComparison& comparison);
/// Several sizes: an object with the member `comparisons`, each as comparison_json() writes it.
[[nodiscard]] std::string comparison_json(const std::vector<PhysicalComparison>& comparisons);
/// A header and one line per row of each comparison, unknown figures empty: for spreadsheets.
[[nodiscard]] std::string comparison_csv(const std::vector<PhysicalComparison>& comparisons);

}  // namespace gossamer
