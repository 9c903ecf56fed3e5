// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/load.hpp"

#include "gossamer/partial/dynamic_broadcast.hpp"
#include "gossamer/plan/plan_io.hpp"

namespace gossamer {

PlanOrExperiment load_plan_or_experiment(const std::filesystem::path& path) {
  PlanOrExperiment document = read_plan_or_experiment_file(path);
  if (const auto* experiment = std::get_if<Experiment>(&document)) check_experiment(*experiment);
  return document;
}

Plan load_plan(const std::filesystem::path& path) { return read_plan_file(path); }

}  // namespace gossamer
