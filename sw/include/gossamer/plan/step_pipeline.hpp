// SPDX-License-Identifier: Apache-2.0
/// The cycles of steps that move packets of several words, with adders of several cycles.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gossamer {

/// Limits of `--adder-cycles`, and of `--flits` where steps move packets.
inline constexpr std::uint32_t kMaxAdderCycles = 15;
inline constexpr std::uint32_t kMaxStepFlits = 65535;

/// A word that arrives in a cycle is on its next link `step_cycles` cycles later. Words of a packet
/// follow each other in consecutive cycles. The default is a step of one word and one cycle.
struct StepPipeline {
  /// Words of a packet, 1 or more.
  std::uint32_t flits = 1;
  /// Cycles from the arrival of a word to its result: those of all additions of one step.
  std::uint32_t result_cycles = 0;
  /// Cycles of a step; at least `flits`.
  std::uint32_t step_cycles = 1;

  /// True if a step is one cycle with one word.
  [[nodiscard]] bool plain() const { return *this == StepPipeline{}; }
  /// Cycles of `steps` steps until the last result is available.
  [[nodiscard]] std::uint64_t cycles(std::uint64_t steps) const {
    return steps == 0 ? 0 : (steps - 1) * step_cycles + flits + result_cycles;
  }

  /// A place in the run: a step, and a cycle of it from 0; in cycles below `flits` words move.
  struct Place {
    std::uint64_t step = 1;
    std::uint64_t flit = 0;
  };
  /// After `cycle` cycles of a run of `steps` steps. The step after the last one has no end.
  [[nodiscard]] Place place(std::uint64_t cycle, std::uint64_t steps) const {
    const std::uint64_t before = std::min(cycle / step_cycles, steps);
    return {before + 1, cycle - before * step_cycles};
  }

  bool operator==(const StepPipeline&) const = default;
};

}  // namespace gossamer
