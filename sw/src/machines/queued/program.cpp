// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/queued/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {
constexpr std::array<std::string_view, 8> kPhaseNames = {
    "prefix-forward", "prefix-reverse", "prefix-two-way", "line-sum", "pack",
    "route",          "broadcast",      "exchange"};
constexpr std::array<std::string_view, 3> kClassRuleNames = {"split", "rank", "digit-sum"};
}  // namespace

std::string_view phase_kind_name(QueuedPhaseKind kind) {
  return kPhaseNames[static_cast<std::size_t>(kind)];
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

std::uint32_t equal_side(const Topology& topology, std::string_view who) {
  const std::uint32_t p = topology.side(0);
  for (const std::uint32_t side : topology.sides()) {
    if (side == p) continue;
    std::string nearest = std::to_string(p);
    for (int dim = 1; dim < topology.dimensions(); ++dim) nearest += fmt::format("x{}", p);
    throw InfeasibleError(fmt::format(
        "{}: the sides of {} differ, but the orders of the classes need equal ones; nearest "
        "feasible: --dims {}",
        who, topology.dims_text(), nearest));
  }
  return p;
}

NodeId rotated_id(const Topology& topology, NodeId node, int class_index) {
  // The digits below dimension c become the most significant ones.
  const NodeId low = topology.stride(class_index);
  const NodeId high = topology.nodes() / low;
  return node / low + node % low * high;
}

NodeId rotated_node(const Topology& topology, NodeId id, int class_index) {
  const NodeId low = topology.stride(class_index);
  const NodeId high = topology.nodes() / low;
  return id % high * low + id / high;
}

}  // namespace gossamer
