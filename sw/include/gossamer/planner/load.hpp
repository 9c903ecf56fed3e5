// SPDX-License-Identifier: Apache-2.0
/// Reading plans as commands do: what is read is also checked against the registry of algorithms.
#pragma once

#include <filesystem>

#include "gossamer/plan/experiment.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Reads a document, "-" for standard input. Throws InputError like read_plan_or_experiment_file,
/// and for an algorithm that its collective does not have; `imported` and `user:NAME`, which stand
/// for planners outside, are taken for any.
[[nodiscard]] PlanOrExperiment load_plan_or_experiment(const std::filesystem::path& path);
/// The same where only a plan will do: an experiment is an InputError.
[[nodiscard]] Plan load_plan(const std::filesystem::path& path);

}  // namespace gossamer
