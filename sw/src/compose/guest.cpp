// SPDX-License-Identifier: Apache-2.0
#include "guest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/plan/embedding.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

std::optional<std::uint64_t> times(const std::optional<std::uint64_t>& value,
                                   std::uint64_t factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}
std::optional<std::uint64_t> divided(const std::optional<std::uint64_t>& value,
                                     std::uint64_t divisor) {
  return value ? std::optional(*value / divisor) : std::nullopt;
}

/// Throws InfeasibleError for a guest that groups cannot execute.
void require_steps(const Plan& guest, const Groups& groups) {
  if (!can_be_guest(guest)) {
    throw InfeasibleError(fmt::format(
        "--groups: plans by {} ({}) have no steps of single links; nearest feasible: another "
        "--algorithm",
        guest.algorithm, guest.machine().name()));
  }
  if (groups.longest_stride() > 1 && run_facts(guest).own_flits) {
    throw InfeasibleError("--groups: packets of several flits require stride 1");
  }
}

}  // namespace

Demand guest_demand(const Demand& demand) {
  Demand guest = demand;
  guest.groups.reset();
  return guest;
}

bool can_be_guest(const Plan& plan) {
  const RunFacts facts = run_facts(plan);
  return plan.machine().info().embeds && !facts.stalls && !facts.has_paths &&
         facts.flits_per_piece == 1 && facts.pipeline.plain();
}

Plan plan_on_groups(const Plan& guest, const Topology& topology, Groups groups) {
  require_steps(guest, groups);
  const std::uint64_t frame = groups.longest_stride();
  Plan plan{topology,
            guest.collective,
            guest.algorithm,
            guest.parameters,
            guest.demand,
            GroupsProgram(guest.program),
            {}};
  plan.expected.analytic_steps = times(guest.expected.analytic_steps, frame);
  plan.expected.bound_steps = times(guest.expected.bound_steps, frame);
  plan.expected.analytic_cycles = times(guest.expected.analytic_cycles, frame);
  plan.expected.queue_depth = guest.expected.queue_depth;
  if (const auto source = plan.parameters.find("source"); source != plan.parameters.end()) {
    source->second = member_text(groups, plan.demand.root);
  }
  plan.demand.groups = std::move(groups);
  plan.expected.lower_bound_steps = bounds::lower_bound(plan);
  if (const auto gap = plan.parameters.find("gap");
      gap != plan.parameters.end() && plan.expected.analytic_steps) {
    gap->second = static_cast<std::int64_t>(*plan.expected.analytic_steps) -
                  static_cast<std::int64_t>(*plan.expected.lower_bound_steps);
  }
  return plan;
}

Plan plan_on_lattice(Plan plan) {
  plan.program = GroupsProgram(std::move(plan.program), true);
  plan.expected.lower_bound_steps = bounds::lower_bound(plan);
  return plan;
}

std::uint64_t frame_of(const Plan& plan) {
  return plan.program.as<GroupsProgram>().spans_network ? 1 : plan.demand.groups->longest_stride();
}

Plan guest_plan(const Plan& plan) {
  const auto& program = plan.program.as<GroupsProgram>();
  if (program.spans_network) {
    Plan whole = plan;
    whole.program = program.guest;
    return whole;
  }
  const Groups& groups = *plan.demand.groups;
  const std::uint64_t frame = groups.longest_stride();
  Plan guest{group_network(plan.topology, groups),
             plan.collective,
             plan.algorithm,
             plan.parameters,
             guest_demand(plan.demand),
             program.guest,
             {}};
  guest.expected.analytic_steps = divided(plan.expected.analytic_steps, frame);
  guest.expected.analytic_cycles = divided(plan.expected.analytic_cycles, frame);
  guest.expected.queue_depth = plan.expected.queue_depth;
  if (const auto source = guest.parameters.find("source"); source != guest.parameters.end()) {
    source->second = node_text(guest.topology, guest.demand.root);
  }
  return guest;
}

Plan plan_of_one_group(const Plan& plan) {
  Plan one = plan;
  one.topology = group_network(plan.topology, *plan.demand.groups);
  one.demand = guest_demand(plan.demand);
  return one;
}

Plan network_plan(const Plan& plan) {
  const Plan guest = guest_plan(plan);
  const Groups& groups = *plan.demand.groups;
  const std::vector<int> axes = groups.axes();
  const GroupLayout layout(plan.topology, groups);
  Embedding embedding{
      guest.topology, plan.topology, static_cast<std::uint32_t>(frame_of(plan)), {}, {}};
  for (NodeId group = 0; group < layout.groups(); ++group) {
    for (NodeId rank = 0; rank < layout.members(); ++rank) {
      embedding.nodes.push_back(layout.node(group, rank));
    }
  }
  for (NodeId rank = 0; rank < layout.members(); ++rank) {
    for (const Port port : all_ports(guest.topology.ports())) {
      const int dim = axes[static_cast<std::size_t>(dimension_of(port))];
      const std::uint32_t stride = groups.stride[static_cast<std::size_t>(dim)];
      embedding.links.push_back(
          {make_port(dim, is_positive(port)), stride, embedding.frame - stride});
    }
  }
  Plan whole = plan;
  whole.program = guest.machine().embedded(*guest.program, embedding).program;
  return whole;
}

PieceNumbers::PieceNumbers(const Plan& plan, const GroupLayout& layout)
    : demand_(&plan.demand), layout_(&layout), nodes_(plan.topology.nodes()) {}

PacketId PieceNumbers::of(NodeId group, PacketId guest) const {
  if (guest >= kGarbage) return guest;
  const bool by_owner = demand_->combines() && demand_->numbers_by_owner();
  const std::uint64_t members = layout_->members();
  const auto node = [&](PacketId rank) {
    // A damaged number has no owner: it stays out of all demands.
    return rank < members ? PacketId{layout_->node(group, static_cast<NodeId>(rank))}
                          : nodes_ * nodes_ + rank;
  };
  if (!by_owner && (demand_->combines() || demand_->from == Origin::kRoot)) {
    return guest < demand_->pieces ? group * demand_->pieces + guest
                                   : nodes_ * demand_->pieces + guest;
  }
  const std::uint64_t each = by_owner ? demand_->pieces / members : demand_->pieces;
  const PacketId rank = guest / each;
  if (!demand_->is_personal()) return node(rank) * each + guest % each;
  return (node(rank / members) * nodes_ + node(rank % members)) * each + guest % each;
}

std::uint64_t crossed_links(const Plan& plan, std::uint64_t steps) {
  const Groups& groups = *plan.demand.groups;
  const std::vector<int> axes = groups.axes();
  const Plan guest = guest_plan(plan);
  const std::uint64_t copies = plan.topology.nodes() / guest.topology.nodes();

  /// Counts the host links for every guest link in use.
  class Counter final : public Observer {
   public:
    explicit Counter(std::vector<std::uint64_t> links) : links_(std::move(links)) {}
    bool on_links(const LinkView& view) override {
      for (std::size_t link = 0; link < view.packets.size(); ++link) {
        if (view.packets[link] != kNoPacket) crossed += links_[link % links_.size()];
      }
      return true;
    }
    std::uint64_t crossed = 0;

   private:
    /// By port.
    std::vector<std::uint64_t> links_;
  };
  std::vector<std::uint64_t> links;
  for (const int dim : axes)
    links.insert(links.end(), 2, groups.stride[static_cast<std::size_t>(dim)]);
  Counter counter(std::move(links));
  watch(*make_fast_engine(guest), steps, counter);
  return copies * counter.crossed;
}

}  // namespace gossamer
