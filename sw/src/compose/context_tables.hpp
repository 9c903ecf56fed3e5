// SPDX-License-Identifier: Apache-2.0
/// Contexts as the configuration of gsm_context_tile: lanes, counters and operations.
///
/// A lane is one direction of a closed cycle or an open line of a wiring. Lane 2c + 1 goes to
/// higher places on cycle c, lane 2c to lower ones. An open line has a register at each end that
/// sends nothing: its adder forms the results of the arrivals there. All tables are fitted to the
/// controls of ContextSchedule, edge by edge, and every control is compared with the fitted tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The numbers of the packets on a lane in a context.
struct ContextLane {
  bool used = false;
  /// Registers take own words at the edge into step 1.
  bool loads = false;
  /// The change of the number per step: 1, -1 or 0.
  int slope = 0;
  /// The number at distance d is start + d, start - d, or start.
  int growth = 0;
  /// The distance is that from the root's place to the node's; otherwise the reverse.
  bool from_root = false;
  std::int64_t start = 0;
  /// Numbers of words, or the length of the cycle. On an open line only numbers from 0 to the limit
  /// are words of the nodes.
  std::uint64_t limit = 1;
  std::uint64_t piece = 0;

  bool operator==(const ContextLane&) const = default;
};

/// Equal operations at the edges at the end of some steps.
struct ContextRun {
  /// The last of these steps.
  std::uint64_t last = 0;
  /// By lane, as gsm_context_tile numbers them.
  std::vector<std::uint8_t> operations;
  std::vector<bool> delivers;
};

/// A port of a node with memory at an edge, as gsm_context_tile reads it.
struct MemoryField {
  /// The number of the own word that the output port sends.
  std::optional<std::uint64_t> own{};
  /// 1 more than the slot that it sends; 0: none.
  std::uint32_t read = 0;
  /// 1 more than the slot that keeps the arrival at the input port; 0: none.
  std::uint32_t write = 0;
  /// The number of the delivered arrival.
  std::optional<std::uint64_t> delivered{};
};
/// Sends and arrivals of a context with memory.
struct MemoryTable {
  /// By edge 0 .. steps and link slot: the node's port. Empty without memory.
  std::vector<std::vector<MemoryField>> edges;
};

struct ContextRow {
  std::size_t wiring = 0;
  bool has_root = false;
  bool to_root = false;
  /// One-bit words, combined by `and` beside another operation.
  bool flags = false;
  std::uint64_t steps = 0;
  std::vector<ContextRun> runs;
  /// By lane.
  std::vector<ContextLane> lanes;
  /// By link slot: registers that send nothing, at the ends of open lines.
  std::vector<bool> ends;
  /// By the root's rank and cycle, the root's place; empty without a root.
  std::vector<std::uint32_t> root_places;
  MemoryTable memory;
  /// Cycles that carry a root's message: word j has number j / cycles and piece j % cycles.
  std::uint64_t cycles = 1;
};

/// The cycles of a wiring.
struct WiringLanes {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// By link slot: the input port that feeds the output port, and the lane.
  std::vector<Port> feed;
  std::vector<std::uint32_t> lane;
  /// By node and cycle (Ports / 2 per node): the node's place, and the cycle's number among all.
  std::vector<std::uint32_t> place;
  std::vector<std::uint32_t> instance;
  /// By cycle; 0 for unused numbers.
  std::vector<std::uint32_t> lengths;
  /// By cycle, whether it is a line.
  std::vector<bool> open;
};

struct ContextTables {
  /// Why gsm_context_tile cannot execute the plan; empty if it can. Then the rest is valid.
  std::string defect;
  std::vector<WiringLanes> wirings;
  std::vector<ContextRow> rows;
  /// As the parameters of gsm_context_tile.
  std::uint64_t width = 32;
  std::uint64_t operation = 0;
  /// Bits of a word, all bits of a link in flags alone, and of the exponent; 0: integers.
  std::uint64_t word_bits = 32;
  std::uint64_t exponent_bits = 0;
  int number_bits = 1;
  int piece_bits = 1;
  int step_bits = 1;
  /// Slots of a node in contexts with memory, 1 or more; 0: there are no such contexts.
  std::uint32_t slots = 0;
};
/// The plan has contexts.
[[nodiscard]] ContextTables context_tables(const Plan& plan);

}  // namespace gossamer
