// SPDX-License-Identifier: Apache-2.0
/// Scheduled all-gather on links that differ in speed: a greedy algorithm over receivers.
///
/// In every step each node takes a maximum matching between its free input arcs and the packets
/// that their senders hold and the node lacks. A slow arc offers packets that few nodes on the
/// receiver's side of the slow arcs have, because a packet should enter a chiplet only once. The
/// result is at the proved bound in nearly all cases (docs/chiplets.md).
///
/// On a network with translations that keep all periods, one node of each orbit decides for all:
/// nodes at the same place in a chiplet share a program.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/collectives/all_gather/timetable.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

struct UnequalOptions {
  std::uint32_t packets_per_node = 1;
  /// The first of the seeds that are tried.
  std::uint64_t seed = 1;
  Progress progress{};
};

/// The translations that keep all periods, and the nodes that decide for their orbits.
class NodeOrbits {
 public:
  explicit NodeOrbits(const Topology& topology);

  /// Number of orbits, i.e. of programs.
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(representatives_.size());
  }
  /// Number of translations.
  [[nodiscard]] std::uint32_t translations() const { return topology_.nodes() / count(); }
  /// By orbit, the node with the lowest coordinates.
  [[nodiscard]] const std::vector<NodeId>& representatives() const { return representatives_; }
  [[nodiscard]] std::uint32_t orbit(NodeId node) const { return orbit_[node]; }
  /// The node moved by a translation, 0 .. translations() - 1; 0 moves nothing.
  [[nodiscard]] NodeId moved(NodeId node, std::uint32_t translation) const;
  /// `node` moved by the translation that moves `reference` to its orbit's representative.
  [[nodiscard]] NodeId seen_from(NodeId reference, NodeId node) const;

 private:
  Topology topology_;
  /// By axis: translations along it are by multiples of this number of nodes.
  std::vector<std::uint32_t> pitch_;
  std::vector<NodeId> representatives_;
  /// By node.
  std::vector<std::uint32_t> orbit_;
};

/// The transfers of an all-gather. Only those to one node of each orbit are listed.
struct UnequalGather {
  NodeOrbits orbits;
  /// In ascending order of steps.
  std::vector<PacketHop> hops;
  std::uint32_t steps = 0;
  /// The key, target and seed of the greedy run that made it.
  std::string rule;
  std::uint64_t seed = 0;
};

/// The best of several runs of the greedy; ends early at the lower bound. `topology` has no faults.
/// Throws InfeasibleError when nodes, steps and ports multiply to more than 2^24.
[[nodiscard]] UnequalGather unequal_gather(const Topology& topology, const UnequalOptions& options);

/// The same for consecutive blocks of `block` packets per node; the last block holds the remaining
/// packets. 1 <= block <= options.packets_per_node.
[[nodiscard]] UnequalGather unequal_gather_in_blocks(const Topology& topology,
                                                     const UnequalOptions& options,
                                                     std::uint32_t block);

/// The `scheduled` plan of `blocks` times `options.packets_per_node` packets: the program for one
/// block is repeated. `remainder` further packets per node follow as a block of their own; the rows
/// are then listed in full. Throws like unequal_gather.
[[nodiscard]] Plan plan_unequal(const Topology& topology, const UnequalOptions& options,
                                std::uint32_t blocks = 1, std::uint32_t remainder = 0);

}  // namespace gossamer
