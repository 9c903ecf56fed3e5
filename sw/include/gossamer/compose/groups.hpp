// SPDX-License-Identifier: Apache-2.0
/// Plans of groups: the plan of one group's network (the *guest*), executed by all groups at once.
///
/// Member coordinates replace the guest's node coordinates. In steps b (S - 1) + 1 .. b S, with b
/// the longest stride, each group executes step S of the guest. A packet that the guest sends along
/// an axis of stride s goes straight over s links in the last s of these steps, and is at the next
/// member at their end. Two groups never use the same link in the same step (docs/groups.md,
/// theorem 6), so each is a copy of the guest.
///
/// Where the members form rings along every axis, all nodes of the network are alike, and one
/// program of the whole network can serve all groups: a *lattice program* (docs/groups.md).
#pragma once

#include <memory>

#include "gossamer/plan/groups.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engines.hpp"

namespace gossamer {

/// The routers of one group, or those of the whole network; the plan's demand defines the groups.
class GroupsProgram final : public ProgramOf<GroupsProgram> {
 public:
  explicit GroupsProgram(SharedProgram program, bool of_the_network = false)
      : guest(std::move(program)), spans_network(of_the_network) {}

  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override { return guest->memory_bytes(); }

  bool operator==(const GroupsProgram&) const = default;

  SharedProgram guest;
  /// `guest` is the program of all nodes of the network, and knows the groups.
  bool spans_network;
};

/// Whether groups can execute the plan: each of its sends uses a single link and never waits.
[[nodiscard]] bool can_be_guest(const Plan& plan);

/// The plan of all groups of `topology`, each of which executes `guest`, a plan of
/// group_network(topology, groups). Throws InfeasibleError for a guest whose messages cross several
/// links in one step, or wait.
[[nodiscard]] Plan plan_on_groups(const Plan& guest, const Topology& topology, Groups groups);

/// The plan of all groups by a program of the whole network, whose demand has groups. Its steps are
/// those of `program`.
[[nodiscard]] Plan plan_on_lattice(Plan plan);

/// The plan of one group, or of the whole network for a program that spans it. `plan` has a
/// GroupsProgram.
[[nodiscard]] Plan guest_plan(const Plan& plan);

/// Of a program that spans the network: the network and the demand of one group, with the figures
/// of the plan. The program is still that of the network.
[[nodiscard]] Plan plan_of_one_group(const Plan& plan);
/// The engine `fast` of such a program, as the first group sees it: nodes are ranks, and a link
/// between two members shows a packet in the step in which it arrives. `plan` must outlive it.
/// Words on it go straight from member to member; links() throws InputError where one turns.
[[nodiscard]] std::unique_ptr<Engine> make_first_group_engine(const Plan& plan,
                                                              const EngineOptions& options);

}  // namespace gossamer
