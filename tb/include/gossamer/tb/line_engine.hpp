// SPDX-License-Identifier: Apache-2.0
/// The `rtl` engine of the collectives on one line or ring: line-broadcast and prefix in 1-D, made
/// of Verilated gsm_line_stage and gsm_prefix_unit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gossamer/sim/hardware_engine.hpp"

namespace gossamer::tb {

/// True for the plans that the engine runs: a queued program on a 1-D topology that is one
/// broadcast phase without a prefix, or a prefix alone.
[[nodiscard]] bool is_line_plan(const Plan& plan);

/// A HardwareEngine that also tells what a prefix has found.
class LineEngine : public HardwareEngine {
 public:
  /// Prefix plans, after the run: packets before each node's own, and in all; empty otherwise.
  [[nodiscard]] virtual std::vector<std::uint32_t> before() const = 0;
  [[nodiscard]] virtual std::vector<std::uint32_t> total() const = 0;
};

/// Throws std::invalid_argument for other plans than is_line_plan's. The plan must outlive it.
[[nodiscard]] std::unique_ptr<LineEngine> make_rtl_line_engine(const Plan& plan);

/// The fast engine of any plan as the reference of a lock step: it runs one step ahead, so that its
/// links can be looked at before they are due. It cannot be upset and has no error flags.
[[nodiscard]] std::unique_ptr<HardwareEngine> make_fast_reference(const Plan& plan);

}  // namespace gossamer::tb
