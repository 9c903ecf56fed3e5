// SPDX-License-Identifier: Apache-2.0
/// Any torus run seen as a run on the folded mesh.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// Stands between an engine that runs any torus plan and an observer of the mesh: turns every torus
/// step t into the mesh steps 2t-1 and 2t (topology/fold.hpp). Nodes, and the origins in packet ids
/// origin * packets_per_node + part, get their mesh numbers; the parts too when they are nodes (the
/// destinations of personalised packets). Slowdown exactly 2.
class FoldedSteps final : public StepObserver {
 public:
  /// `mesh_observer` must outlive it. Requires a torus.
  FoldedSteps(const Topology& torus, std::uint32_t packets_per_node, StepObserver& mesh_observer,
              bool parts_are_nodes = false);

  bool on_step(std::uint64_t step, std::span<const PacketId> links) override;

  /// Two messages on one mesh link in one step: never.
  [[nodiscard]] std::uint64_t collisions() const { return collisions_; }

 private:
  std::uint32_t packets_per_node_;
  bool parts_are_nodes_;
  StepObserver* observer_;
  /// Per torus node: its mesh number.
  std::vector<NodeId> mesh_node_;
  /// Per torus link, two entries: index into the mesh's link arrays of steps 2t-1 and 2t, one
  /// behind the other; kNoLink when there is no second link.
  std::vector<LinkId> slots_;
  std::array<std::vector<PacketId>, 2> links_;
  std::uint64_t collisions_ = 0;
};

}  // namespace gossamer
