// SPDX-License-Identifier: Apache-2.0
/// What the plan tells one stream router, taken out of the plan.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer::systemc {

struct RouterTable {
  /// Out-port p's program in slot t at p * frame + t. They belong to the plan.
  std::vector<const PortProgram*> programs;
  /// Slots of a frame, 1 for a plain stream program.
  std::uint32_t frame = 1;
  /// Queue depth of every out-port (and slot) in packets, the link register included, >= 1.
  std::uint32_t depth = 1;

  [[nodiscard]] std::size_t ports() const { return programs.size() / frame; }
};

/// The router of `node`, for a StreamProgram. Ports at the border of a mesh are
/// idle. The plan must outlive the table.
[[nodiscard]] RouterTable router_table(const Plan& plan, NodeId node);

}  // namespace gossamer::systemc
