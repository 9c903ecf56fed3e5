// SPDX-License-Identifier: Apache-2.0
#include "gossamer/compose/composition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/plan/block_pairs.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/topology/faults.hpp"
#include "gossamer/util/error.hpp"
#include "members.hpp"
#include "shared_registers.hpp"

namespace gossamer {

namespace {

/// Notes the member that sends on each link.
class OwnerFinder final : public Observer {
 public:
  explicit OwnerFinder(LinkOwners& owners) : owners_(&owners) {}
  std::uint32_t number = 0;

  bool on_links(const LinkView& view) override {
    for (std::size_t link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      std::uint32_t& owner = owners_->member[link];
      if (owner == kNoMember) owner = number;
      if (owner == number || (owners_->shared && owners_->shared->link <= link)) continue;
      owners_->shared = {.link = static_cast<LinkId>(link), .other = number};
    }
    return true;
  }

 private:
  LinkOwners* owners_;
};

/// A parameter of the plan's links, empty where any value will do.
std::string link_parameter(const Plan& plan, const std::string& name, std::string_view standard) {
  // A barrier is a bit on whatever links there are.
  if (plan.collective == "barrier") return {};
  const auto found = plan.parameters.find(name);
  if (found == plan.parameters.end()) {
    return std::string(plan.demand.combines() || plan.parameters.contains("bytes") ? standard : "");
  }
  if (const auto* number = std::get_if<std::int64_t>(&found->second)) {
    return std::to_string(*number);
  }
  const auto* text = std::get_if<std::string>(&found->second);
  return text != nullptr ? *text : std::string();
}

std::string network_text(const Topology& topology) {
  std::string text = fmt::format("{} {}", topology.dims_text(), topology.kind());
  if (topology.kind() == "grid") {
    text += " wrapping in";
    for (const std::string& name : topology.wrap_names()) text += " " + name;
  }
  return text;
}

/// Throws InputError for a member that is not for another one's network.
void check_network(const Plan& first, const std::string& first_name, const Plan& other,
                   const std::string& other_name) {
  const auto differ = [&](std::string_view what, const std::string& there,
                          const std::string& here) {
    throw InputError(
        fmt::format("{}: {} {}, but {} has {}", other_name, what, there, first_name, here));
  };
  const std::string here = network_text(first.topology);
  const std::string there = network_text(other.topology);
  if (here != there) differ("is for the network", there, here);
  if (first.topology != other.topology) {
    throw InputError(fmt::format("{}: has other faults than {}", other_name, first_name));
  }
  for (const auto& [name, standard] : {std::pair<std::string, std::string_view>{"link-bits", "32"},
                                       {"link-latency", "1"},
                                       {"clock", "1000000000"}}) {
    const std::string one = link_parameter(first, name, standard);
    const std::string two = link_parameter(other, name, standard);
    if (!one.empty() && !two.empty() && one != two) differ("has " + name, two, one);
  }
}

}  // namespace

CompositionProgram::CompositionProgram(std::vector<PlanMember> plans, bool as_contexts)
    : members(std::move(plans)), contexts(as_contexts) {
  if (!contexts) return;
  std::uint64_t next = 1;
  for (PlanMember& member : members) {
    member.first_step = next;
    next = member.last_step() + 1;
  }
}

std::uint64_t CompositionProgram::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const PlanMember& member : members) bytes += member.plan.program->memory_bytes();
  return bytes;
}

std::string member_defect(const Plan& plan) {
  if (!members_of(plan).empty()) return "it already consists of several plans";
  if (!plan.topology.has_equal_links()) return "its links are not equally fast";
  const RunFacts facts = run_facts(plan);
  const bool steps = facts.settled_after && !facts.stalls && !facts.has_paths &&
                     facts.flits_per_piece == 1 && facts.pipeline.plain() &&
                     (!facts.own_flits || facts.own_flits->packet == 1);
  if (!steps) {
    return fmt::format("{} plans ({}) do not consist of steps of one link and one cycle each",
                       plan.algorithm, plan.machine().name());
  }
  if (plan.demand.is_counts() || plan.demand.is_ranked()) {
    return fmt::format("{} is a part of a partial collective", plan.collective);
  }
  return {};
}

bool on_own_axes(std::span<const PlanMember> members) {
  std::vector<int> used;
  for (const PlanMember& member : members) {
    if (!member.plan.demand.groups) return false;
    for (const int axis : member.plan.demand.groups->axes()) {
      if (std::find(used.begin(), used.end(), axis) != used.end()) return false;
      used.push_back(axis);
    }
  }
  return true;
}

LinkOwners link_owners(std::span<const PlanMember> members) {
  LinkOwners owners;
  if (members.empty()) return owners;
  owners.member.assign(members.front().plan.topology.link_slots(), kNoMember);
  OwnerFinder finder(owners);
  for (const PlanMember& member : members) {
    watch(*make_fast_engine(member.plan), member.plan.expected.analytic_steps.value_or(0), finder);
    ++finder.number;
  }
  return owners;
}

ExpectedFigures expected_of(std::span<const PlanMember> members, bool contexts) {
  ExpectedFigures whole;
  std::uint64_t steps = 0;
  std::uint64_t lower = 0;
  std::uint64_t bound = 0;
  bool bounded = false;
  for (const PlanMember& member : members) {
    const ExpectedFigures& own = member.plan.expected;
    // A round waits for the end of the round before it, however early that is.
    const std::uint64_t before_lower = contexts ? lower : member.first_step - 1;
    const std::uint64_t before_bound = contexts ? bound : member.first_step - 1;
    steps = std::max(steps, member.last_step());
    lower = std::max(lower, before_lower + own.lower_bound_steps.value_or(0));
    bounded = bounded || own.bound_steps.has_value();
    bound =
        std::max(bound, before_bound + own.bound_steps.value_or(own.analytic_steps.value_or(0)));
    if (!contexts) whole.queue_depth = std::max(whole.queue_depth, own.queue_depth);
  }
  whole.analytic_steps = steps;
  whole.analytic_cycles = steps;
  whole.lower_bound_steps = lower;
  if (bounded) whole.bound_steps = bound;
  return whole;
}

ExpectedFigures product_figures(const Plan& plan) {
  ExpectedFigures figures = expected_of(members_of(plan), false);
  figures.analytic_steps = BlockPairs(plan.topology).steps();
  figures.analytic_cycles = figures.analytic_steps;
  figures.bound_steps.reset();
  return figures;
}

Plan matrix_product(Plan composition) {
  composition.collective = kMatrixProduct;
  composition.algorithm = kCannon;
  composition.demand.to = Destination::kPairs;
  composition.expected = product_figures(composition);
  return composition;
}

namespace {

/// Throws for members that cannot be in one composition, because of their networks or routers.
void check_members(std::span<const PlanMember> members, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Plan& plan = members[i].plan;
    for (std::size_t j = 0; j < i; ++j) check_network(members[j].plan, names.at(j), plan, names[i]);
    if (const std::string defect = member_defect(plan); !defect.empty()) {
      throw InfeasibleError(
          fmt::format("compose: {}: {}; nearest feasible: another --algorithm", names[i], defect));
    }
  }
}

/// The plan of such members.
Plan composed(std::vector<PlanMember> members, bool contexts) {
  std::uint64_t pieces = 0;
  for (const PlanMember& member : members) {
    pieces += member.plan.demand.pieces_in_all(member.plan.topology.cores());
  }
  Topology topology = members.at(0).plan.topology;
  CompositionProgram program(std::move(members), contexts);
  const ExpectedFigures expected = expected_of(program.members, contexts);
  return {std::move(topology),
          std::string(kComposition),
          std::string(contexts ? kContexts : kSimultaneous),
          {},
          Demand::of_members(pieces),
          std::move(program),
          expected};
}

}  // namespace

Plan compose(std::vector<PlanMember> members, const std::vector<std::string>& names) {
  const auto name = [&](std::size_t number) {
    return fmt::format("member {} ({})", number, names.at(number));
  };
  check_members(members, names);
  const Plan& first = members.at(0).plan;
  if (on_own_axes(members)) return composed(std::move(members), false);
  if (const LinkOwners owners = link_owners(members); owners.shared) {
    const LinkId link = owners.shared->link;
    const NodeId node = first.topology.link_from(link);
    throw InfeasibleError(fmt::format(
        "compose: {} and {} share output port {} of node {} ({}); nearest feasible: groups along "
        "different axes",
        name(owners.member[link]), name(owners.shared->other),
        port_name(first.topology.link_port(link)), node, node_text(first.topology, node)));
  }
  return composed(std::move(members), false);
}

std::string context_defect(const Plan& plan) {
  std::string defect = member_defect(plan);
  return defect.empty() ? registers_of(plan).defect : defect;
}

Plan compose_contexts(std::vector<Plan> contexts, const std::vector<std::string>& given_names) {
  std::vector<PlanMember> members;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    if (!has_contexts(contexts[i])) {
      members.push_back({std::move(contexts[i])});
      names.push_back(given_names.at(i));
      continue;
    }
    std::size_t number = 0;
    for (const PlanMember& member : members_of(contexts[i])) {
      names.push_back(fmt::format("{}: context {}", given_names.at(i), number++));
      members.push_back({member.plan});
    }
  }
  if (members.size() > kMostMembers) {
    throw InfeasibleError(
        fmt::format("compose: {} contexts are more than {}; nearest feasible: {} contexts",
                    members.size(), kMostMembers, kMostMembers));
  }
  check_members(members, names);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const RegisterPlan registers = registers_of(members[i].plan);
    if (registers.defect.empty()) continue;
    throw InfeasibleError(fmt::format("compose: {}: {}; nearest feasible: another --algorithm",
                                      names.at(i), registers.defect));
  }
  return composed(std::move(members), true);
}

bool has_contexts(const Plan& plan) {
  return plan.program.is<CompositionProgram>() && plan.program.as<CompositionProgram>().contexts;
}

Plan plan_of_rounds(const Plan& plan, std::vector<Round> rounds) {
  const std::span<const PlanMember> contexts = members_of(plan);
  Wirings wirings;
  std::vector<std::size_t> wiring;
  const bool rooted = std::any_of(rounds.begin(), rounds.end(),
                                  [](const Round& round) { return round.plan.has_value(); });
  if (rooted) {
    for (const PlanMember& context : contexts) {
      wiring.push_back(wirings.add(registers_of(context.plan)));
    }
  }
  // A context of few feeds can fit several wirings, of which another root needs a certain one.
  const auto fits = [&](std::size_t context, const RegisterPlan& registers) {
    if (wirings.narrow(wiring[context], registers)) return true;
    for (std::size_t number = 0; number < wirings.size(); ++number) {
      if (wirings.narrow(number, registers)) return true;
    }
    return false;
  };
  std::vector<PlanMember> members;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    Round& round = rounds[i];
    if (round.plan) {
      const RegisterPlan registers = registers_of(*round.plan);
      if (!registers.defect.empty() || !fits(round.context, registers)) {
        throw InfeasibleError(
            fmt::format("--rounds: round {}: the routers' wiring of context {} does not fit this "
                        "root; nearest feasible: the plan's own root",
                        i, round.context));
      }
      members.push_back({std::move(*round.plan)});
    } else {
      members.push_back({contexts[round.context].plan});
    }
  }
  return composed(std::move(members), true);
}

std::uint64_t memory_of(const Plan& plan) {
  std::uint64_t most = 0;
  for (const PlanMember& context : members_of(plan)) {
    if (!run_facts(context.plan).waits_in_memory || !registers_of(context.plan).memory) continue;
    most = std::max(most, context.plan.machine().cost(context.plan).packets);
  }
  return most;
}

std::size_t wirings_of(const Plan& plan) {
  Wirings wirings;
  for (const PlanMember& context : members_of(plan)) wirings.add(registers_of(context.plan));
  return wirings.size();
}

}  // namespace gossamer
