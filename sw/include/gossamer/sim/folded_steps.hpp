// SPDX-License-Identifier: Apache-2.0
/// A torus run viewed as a run on the folded mesh.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gossamer/sim/observers.hpp"

namespace gossamer {

/// Adapter between an engine that runs a torus plan and an observer of the mesh: it converts every
/// torus step t into the mesh steps 2t-1 and 2t (topology/fold.hpp). Nodes get their mesh numbers;
/// so do the origins and, for personal pieces, the destinations in packet numbers. The slowdown is
/// exactly 2.
class FoldedSteps final : public Observer {
 public:
  /// `mesh_observer` must outlive it. Requires a torus, and a demand whose packets belong to nodes
  /// (Demand::ids_per_node).
  FoldedSteps(const Topology& torus, const Demand& demand, Observer& mesh_observer);

  bool on_links(const LinkView& view) override;

  /// Two messages on one mesh link in one step; always 0.
  [[nodiscard]] std::uint64_t collisions() const { return collisions_; }

 private:
  PacketId packets_per_node_;
  /// Packets of an origin for each destination; 0 when packets are not personal.
  PacketId packets_per_pair_;
  Observer* observer_;
  /// Per torus node: its mesh number.
  std::vector<NodeId> mesh_node_;
  /// Per torus link, two entries: index into the mesh's link arrays of steps 2t-1 and 2t, one after
  /// the other; kNoLink when there is no second link.
  std::vector<LinkId> slots_;
  std::array<std::vector<PacketId>, 2> links_;
  std::uint64_t collisions_ = 0;
};

}  // namespace gossamer
