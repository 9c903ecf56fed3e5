// SPDX-License-Identifier: Apache-2.0
/// One-packet all-gather by small tables found by search: the shipped library, and the search
/// itself.
///
/// A class table gives every node the class (sum of a_k * coordinate k) mod q, and every class one
/// input port for each output port. Where the rule closes around the torus (q divides a_k times
/// side k) the plan looks the same from all nodes of a class. One node per class then shows whether
/// every node has all packets in time. Source: docs/spec/one-packet.md, section 4.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

/// A table over classes of nodes.
struct ClassTable {
  /// The torus, dimension 0 first.
  std::vector<std::uint32_t> sides;
  /// a_k, one per dimension.
  std::vector<std::uint32_t> rule;
  /// q, the number of classes.
  std::uint32_t classes = 0;
  /// Input port that feeds output port p of class c: in_ports[c * 2d + p].
  std::vector<Port> in_ports;

  /// Class of a node.
  [[nodiscard]] std::uint32_t class_of(const Coordinates& at) const;
  /// True when all nodes of a class look alike.
  [[nodiscard]] bool closes() const;
  /// The input ports as digits, one word per class, e.g. "2201 2232" (ports 10 to 15 as a to f).
  [[nodiscard]] std::string text() const;

  bool operator==(const ClassTable&) const = default;
};

/// An entry of the shipped library, in the form of the source file.
struct LibraryTable {
  /// "5x5", dimension 0 first.
  std::string_view dims;
  /// "3,1": a_k.
  std::string_view rule;
  std::uint32_t classes;
  /// Exact steps, re-verified by the tests.
  std::uint64_t steps;
  /// In the form of ClassTable::text.
  std::string_view table;
  /// How it was found.
  std::string_view provenance;
};

/// The shipped library, smallest torus first; at most one entry for each set of sides.
[[nodiscard]] std::span<const LibraryTable> one_packet_library();
/// The table of a library entry.
[[nodiscard]] ClassTable parse_table(const LibraryTable& entry);

/// Exact steps of the library's table for k packets per node: k times those of one packet. Empty
/// without a table for these sides in any order.
[[nodiscard]] std::optional<std::uint64_t> library_steps(const Topology& topology,
                                                         std::uint64_t packets_per_node);

struct TablesOptions {
  /// Own packets of each node, 1 .. kMaxPacketsPerNode.
  std::uint32_t packets_per_node = 1;
};

/// The `tables` all-gather plan: the library's table for these sides in any order. Throws
/// InfeasibleError for other sides, naming the nearest sides with a table.
[[nodiscard]] Plan plan_tables(const Topology& topology, const TablesOptions& options);

struct OnePacketSearch {
  /// a_k and q. Empty: all rules that close around the torus with 2 to `most_classes` classes, one
  /// after the other. A rule that does not close is allowed; its search covers all nodes (slow).
  std::vector<std::uint32_t> rule = {};
  std::uint32_t classes = 0;
  /// The largest number of classes to try when no rule is given. More classes make the search space
  /// larger.
  std::uint32_t most_classes = 8;
  /// Required steps; empty: one above the lower bound.
  std::optional<std::uint64_t> target_steps = {};
  /// The same seed and iterations give the same result everywhere.
  std::uint64_t seed = 1;
  /// Total moves.
  std::uint64_t iterations = 20'000'000;
  /// The search gives up after this number of seconds; 0: no limit.
  double seconds = 0;
  /// Polled at intervals; true ends the search with the best table so far. May be null.
  std::function<bool()> interrupted = {};
  /// Called at intervals; unit: moves.
  Progress progress = {};
};

struct OnePacketFinding {
  /// A plan that ends in the target steps or earlier. Empty if the search found no plan, which
  /// proves nothing.
  std::optional<Plan> plan = {};
  /// The plan's table, or the best one seen.
  ClassTable table = {};
  /// (Node, packet) pairs that are still missing after the target steps, over one node per class
  /// (all nodes when the rule does not close); 0 when found.
  std::uint64_t missing = 0;
  /// The target.
  std::uint64_t target_steps = 0;
  /// Moves made.
  std::uint64_t iterations = 0;
  /// One line for the record: rule, seed, moves.
  std::string provenance = {};
};

/// Looks for a class table by simulated annealing: one feed of one class changes at a time, the
/// cost is the number of missing pairs. Each annealing run has one rule and a share of the moves.
/// Throws InfeasibleError for meshes, InputError for a rule without classes or of the wrong length.
[[nodiscard]] OnePacketFinding search_one_packet(const Topology& topology,
                                                 const OnePacketSearch& options);

}  // namespace gossamer
