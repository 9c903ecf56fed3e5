// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/queued/program.hpp"

#include <algorithm>

namespace gossamer {

std::string_view phase_kind_name(QueuedPhaseKind kind) {
  return kPhaseKindNames[static_cast<std::size_t>(kind)];
}
std::string_view class_rule_name(QueuedClassRule rule) {
  return kClassRuleNames[static_cast<std::size_t>(rule)];
}

std::uint64_t QueuedProgram::prefix_steps() const {
  std::uint64_t steps = 0;
  for (const QueuedPhase& phase : phases) {
    if (phase.is_prefix()) steps = std::max(steps, phase.last());
  }
  return steps;
}

std::uint64_t QueuedProgram::last_step(const Demand& demand) const {
  if (demand.is_counts()) return prefix_steps();
  std::uint64_t steps = 0;
  for (const QueuedPhase& phase : phases) {
    if (!phase.is_prefix()) steps = std::max(steps, phase.last());
  }
  return steps;
}

std::uint64_t QueuedProgram::cycles(std::uint64_t steps, const Demand& demand) const {
  if (demand.is_counts()) return steps * clock.prefix_flits;
  return prefix_steps() * clock.prefix_flits + steps * substep_flits();
}

std::uint64_t QueuedProgram::memory_bytes() const {
  return phases.capacity() * sizeof(QueuedPhase);
}

}  // namespace gossamer
