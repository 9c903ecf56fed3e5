// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "gossamer/collectives/partial/dynamic_broadcast.hpp"
#include "gossamer/compose/groups.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

/// Refuses an algorithm that the plan's collective does not have, and one that makes plans of
/// another machine than this.
void check_algorithm(const Plan& plan, const std::string& place) {
  const std::span<const PlanMember> members = members_of(plan);
  for (std::size_t i = 0; i < members.size(); ++i) {
    check_algorithm(members[i].plan, fmt::format("{}: member {}", place, i));
  }
  if (!members.empty()) return;
  if (plan.algorithm == "imported" || is_user_algorithm(plan.algorithm)) return;
  std::vector<std::string_view> known;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != plan.collective) continue;
    known.push_back(algorithm.name);
    if (algorithm.name != plan.algorithm) continue;
    const std::string_view machine = plan.program.is<GroupsProgram>()
                                         ? plan.program.as<GroupsProgram>().guest.machine().name()
                                         : plan.machine().name();
    if (has_word(algorithm.machines, machine)) return;
    throw InputError(fmt::format("{}: algorithm: {} makes plans for the machine {}, not for {}",
                                 place, algorithm.name,
                                 joined(words_of(algorithm.machines), " or "), machine));
  }
  throw InputError(fmt::format("{}: algorithm: \"{}\" is unknown for {}; there is {}", place,
                               plan.algorithm, field_name(plan.collective), joined(known, ", ")));
}

std::string place_of(const std::filesystem::path& path) {
  return path == "-" ? "standard input" : path.string();
}

}  // namespace

PlanOrExperiment load_plan_or_experiment(const std::filesystem::path& path) {
  PlanOrExperiment document = read_plan_or_experiment_file(path);
  if (const auto* experiment = std::get_if<Experiment>(&document)) {
    try {
      check_experiment(*experiment);
    } catch (const InfeasibleError& error) {
      throw InputError(fmt::format("{}: {}", place_of(path), error.what()));
    }
  } else {
    check_algorithm(std::get<Plan>(document), place_of(path));
  }
  return document;
}

Plan load_plan(const std::filesystem::path& path) {
  Plan plan = read_plan_file(path);
  check_algorithm(plan, place_of(path));
  return plan;
}

}  // namespace gossamer
