// SPDX-License-Identifier: Apache-2.0
/// Sides and option values as people write them, on the command line and in sweeps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/planner/planner.hpp"

namespace gossamer::cli {

/// "16x8" as sides; InputError when it has another form.
[[nodiscard]] std::vector<std::uint32_t> parse_dims(std::string_view text);

/// The value of an option that takes one; InputError when it is not of the option's kind.
[[nodiscard]] ParameterValue parse_value(const OptionSpec& option, const std::string& text);

}  // namespace gossamer::cli
