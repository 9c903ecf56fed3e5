// SPDX-License-Identifier: Apache-2.0
/// A machine in one folder: each router forwards every packet to its east neighbour.
///
/// A router has one register, which holds the node's own packet at first. In each step it sends the
/// register on port x+ and then stores the packet that arrives on port x-.
#pragma once

#include <cstdint>
#include <memory>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/verify/verify.hpp"

namespace east {

// [program]
struct EastProgram final : gossamer::ProgramOf<EastProgram> {
  /// Nothing is sent after this step.
  std::uint32_t steps = 0;

  [[nodiscard]] const gossamer::Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override { return 0; }
  bool operator==(const EastProgram&) const = default;
};
// [program]

[[nodiscard]] std::unique_ptr<gossamer::Engine> make_engine(const gossamer::Plan& plan);
[[nodiscard]] gossamer::Verdict prove(const gossamer::Plan& plan);

}  // namespace east
