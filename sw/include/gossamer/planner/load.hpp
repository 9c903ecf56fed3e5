// SPDX-License-Identifier: Apache-2.0
/// Reads plans for the commands, and checks them against the registry of algorithms.
#pragma once

#include <filesystem>

#include "gossamer/plan/experiment.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Reads a document, "-" for standard input. Throws InputError like read_plan_or_experiment_file,
/// and for an algorithm that its collective does not have. `imported` and `user:NAME`, the names of
/// external planners, are accepted for every collective.
[[nodiscard]] PlanOrExperiment load_plan_or_experiment(const std::filesystem::path& path);
/// The same for callers that require a plan: an experiment is an InputError.
[[nodiscard]] Plan load_plan(const std::filesystem::path& path);

}  // namespace gossamer
