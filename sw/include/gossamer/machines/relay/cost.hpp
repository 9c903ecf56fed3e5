// SPDX-License-Identifier: Apache-2.0
/// What a relay plan asks of the hardware: header and table sizes, for reports and emitters.
#pragma once

#include <cstdint>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Bits that a relay plan needs in the message's header and in the nodes (docs/spec/broadcast.md,
/// section 9). The message id is not counted.
struct RelayHardware {
  /// Header of a message. Rule: step, hops, side bits, order. Lists: the path, as the order of the
  /// dimensions and a signed number of hops for each while every path is dimension-ordered, else as
  /// a list of (port, hops) as long as the longest. Fan-out: none.
  std::uint32_t header_bits = 0;
  /// Bits of one entry of a node's list of sends (a path in the header's form); 0 without lists.
  std::uint32_t entry_bits = 0;
  /// Table bits of the node with the largest table, and of all nodes together. Rule from an eye or
  /// on a torus: 0. Fan-out: an in-port (or own) and a set of out-ports, 3-D: 3 + 6.
  std::uint64_t most_table_bits = 0;
  std::uint64_t table_bits = 0;
  /// Sends whose path takes a dimension twice.
  std::uint64_t detours = 0;
};

/// The plan must hold a RelayProgram (std::bad_variant_access).
[[nodiscard]] RelayHardware relay_hardware(const Plan& plan);

}  // namespace gossamer
