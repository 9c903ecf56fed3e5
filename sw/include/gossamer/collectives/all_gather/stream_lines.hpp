// SPDX-License-Identifier: Apache-2.0
/// Streams along lines of visits, and the dealing of packets to them.
///
/// A line visits all live nodes; each node forwards arriving packets along it immediately. Node v
/// puts m_c(v) of its k packets on line c, in both directions where the line has two, the backward
/// list reversed. If every m_c(v) is at least 1 no link idles before it is done, and the steps
/// follow from the m_c(v) alone. Source: docs/spec/faults.md, section 3.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

enum class LineKind : std::uint8_t {
  /// Closed, both directions: max over v of ceil((M - m(v)) / 2) steps, M the sum of all m(v).
  kCycle,
  /// Closed, one direction: max over v of M - m(v).
  kOneWay,
  /// Open, both directions; the ends e send inward only: max of M - m(e).
  kPath,
  /// Closed, but the arc from the last visit to the first is dead; the reverse direction is whole.
  /// b is the first visit: max of M - m(b) and max over v of ceil((M - m(v)) / 2).
  kBroken,
};

/// Visits in order. out[i] leads from nodes[i] to nodes[i + 1]; the last entry of a closed line
/// leads to nodes[0]; a path has one entry fewer.
struct StreamLine {
  LineKind kind = LineKind::kCycle;
  std::vector<NodeId> nodes;
  std::vector<Port> out;
};

/// Packets of each node on each line, counts[line][node], and the steps that they take.
struct Dealing {
  std::uint64_t steps = 0;
  std::vector<std::vector<std::uint16_t>> counts;
};

/// The dealing of k packets per node to all of `lines` with the fewest steps, at least one packet
/// per node on each line. Empty when k is smaller than the number of lines. No line visits a node
/// twice.
[[nodiscard]] std::optional<Dealing> deal(const Topology& topology,
                                          const std::vector<StreamLine>& lines, std::uint32_t k);

/// Steps that `counts` take, by the formulas above. Repeated visits count repeatedly.
[[nodiscard]] std::uint64_t dealt_steps(const std::vector<StreamLine>& lines,
                                        const std::vector<std::vector<std::uint16_t>>& counts);

/// The program: packets 0 .. m_0(v) - 1 of node v on line 0, the next ones on line 1, and so on.
/// Ports on no line are idle.
[[nodiscard]] StreamProgram lines_program(const Topology& topology,
                                          const std::vector<StreamLine>& lines,
                                          const std::vector<std::vector<std::uint16_t>>& counts,
                                          std::uint32_t k);

}  // namespace gossamer
