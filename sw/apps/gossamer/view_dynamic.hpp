// SPDX-License-Identifier: Apache-2.0
/// The part of gossamer view that is for dynamic broadcasts.
#pragma once

#include <cstdint>
#include <string>

#include "gossamer/plan/experiment.hpp"

namespace gossamer::cli {

/// The page keeps a few numbers for each step.
inline constexpr std::uint64_t kMaxSteps = 1'000'000;
/// Rows of a trace, about 16 bytes each in the page.
inline constexpr std::uint64_t kMaxTraceRows = 1'000'000;

/// The first intervals of a load's run, each broadcast executed on the fast engine, as members of
/// the page's document: `steps`, `trace` and `dynamic`. As many whole intervals as make about 200
/// broadcasts and fit the page.
///
/// A step is a sub-step of the partial broadcasts. An interval that starts at t units has the steps
/// after floor(t * sub-steps per unit); the first steps are idle while the prefix runs. The packet
/// of number n in the order of the list `packets` is n * parts + part in the trace. After the
/// broadcast packets, the list contains those that still wait when the next interval would start.
///
/// Throws InputError, naming the document, when not even one interval fits.
[[nodiscard]] std::string dynamic_run_text(const std::string& name, const Experiment& experiment,
                                           std::uint32_t load_millionths);

}  // namespace gossamer::cli
