// SPDX-License-Identifier: Apache-2.0
/// The description of a sweep, docs/sweep.md.
#pragma once

#include <filesystem>
#include <vector>

#include "sweep_job.hpp"

namespace gossamer::cli {

/// The most jobs that one description may stand for.
inline constexpr std::size_t kMaxSweepJobs = 1'000'000;

/// Reads a description and multiplies it out, in the order of the file, each job once. Throws
/// InputError with file, line and cause, also when the values have more than `max_jobs`
/// combinations.
[[nodiscard]] std::vector<SweepJob> read_sweep_spec(const std::filesystem::path& path,
                                                    std::size_t max_jobs = kMaxSweepJobs);

}  // namespace gossamer::cli
