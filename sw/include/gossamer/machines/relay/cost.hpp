// SPDX-License-Identifier: Apache-2.0
/// Hardware cost of a relay plan: header and table sizes, for reports and emitters.
#pragma once

#include <cstdint>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Bits that a relay plan needs in the message's header and in the nodes (docs/spec/broadcast.md,
/// section 9), without the message id.
struct RelayHardware {
  /// Header of a message. Rule: step, hops, side bits, order. Lists: the path. While every path is
  /// dimension-ordered, it is the order of the dimensions and a signed number of hops for each;
  /// otherwise a list of (port, hops) as long as the longest path. Fan-out: no header.
  std::uint32_t header_bits = 0;
  /// Bits of one entry of a node's list of sends (a path in the header's form); 0 without lists.
  std::uint32_t entry_bits = 0;
  /// Table bits of the node with the largest table, and of all nodes together. Rule from an eye or
  /// on a torus: 0. Fan-out: an input port (or own) and a set of output ports, 3-D: 3 + 6.
  std::uint64_t most_table_bits = 0;
  std::uint64_t table_bits = 0;
  /// Sends whose path takes a dimension twice.
  std::uint64_t detours = 0;
};

/// The plan must hold a RelayProgram (std::bad_variant_access).
[[nodiscard]] RelayHardware relay_hardware(const Plan& plan);

}  // namespace gossamer
