// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/all_gather.hpp"

#include <algorithm>

#include "gossamer/bounds/comparison.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// The tree of node 0's packet, phase by phase.
class GatheringTree {
 public:
  explicit GatheringTree(const Topology& topology) : topology_(topology), block_{0} {}

  /// Sends the packet from every node of the block along dimension `dim`, one arc per step and
  /// direction, beginning in step `start` + 1. Returns the last step.
  std::uint32_t spread(int dim, bool two_way, std::uint32_t start, std::vector<ScheduleArc>& arcs) {
    const std::uint64_t arrivals = std::uint64_t{topology_.side(dim) - 1} * block_.size();
    // The positive direction takes the rest.
    const std::uint64_t negative = two_way ? arrivals / 2 : 0;
    std::vector<NodeId> reached;
    reached.reserve(arrivals);
    const std::uint32_t positive_end =
        send_lines(make_port(dim, true), arrivals - negative, start, arcs, reached);
    const std::uint32_t negative_end =
        send_lines(make_port(dim, false), negative, start, arcs, reached);
    block_.insert(block_.end(), reached.begin(), reached.end());
    return std::max(positive_end, negative_end);
  }

 private:
  /// `count` arcs in one direction, node by node of the block: each line covers its share. Shares
  /// differ by at most one. The longer shares are the first lines of the positive direction and the
  /// last lines of the negative, so the two fill every line exactly.
  std::uint32_t send_lines(Port direction, std::uint64_t count, std::uint32_t start,
                           std::vector<ScheduleArc>& arcs, std::vector<NodeId>& reached) const {
    const std::uint64_t share = count / block_.size();
    const std::uint64_t longer = count % block_.size();
    std::uint32_t step = start;
    for (std::size_t i = 0; i < block_.size(); ++i) {
      const bool one_more = is_positive(direction) ? i < longer : i >= block_.size() - longer;
      NodeId node = block_[i];
      for (std::uint64_t hop = 0; hop < share + (one_more ? 1 : 0); ++hop) {
        arcs.push_back({++step, node, direction, 0});
        node = topology_.neighbor(node, direction);
        reached.push_back(node);
      }
    }
    return step;
  }

  const Topology& topology_;
  /// Displacements that have the packet.
  std::vector<NodeId> block_;
};

}  // namespace

Plan plan_hierarchical(const Topology& topology, const HierarchicalOptions& options) {
  const char* algorithm = options.two_way ? "hierarchical-two-way" : "hierarchical";
  if (!topology.is_torus()) {
    throw InfeasibleError(
        std::string(algorithm) +
        ": all routers run one program, which is impossible at a mesh's border; nearest "
        "feasible: --topology torus");
  }
  std::vector<ScheduleArc> arcs;
  GatheringTree tree(topology);
  std::uint32_t step = 0;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    step = tree.spread(dim, options.two_way, step, arcs);
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const ScheduleArc& a, const ScheduleArc& b) { return a.step < b.step; });
  Plan plan = schedule_plan(topology, algorithm, build_schedule(topology, 1, arcs));
  plan.expected.analytic_steps = options.two_way ? bounds::two_way_hierarchical_steps(topology)
                                                 : bounds::hierarchical_steps(topology);
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  return plan;
}

}  // namespace gossamer
