// SPDX-License-Identifier: Apache-2.0
/// What `gossamer plan COLLECTIVE --help` prints.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gossamer::cli {

/// The options that some algorithm of the collective takes, and its algorithms in two groups, in at
/// most 40 lines of 80 columns. `collective` is our name or the field's; nothing for another word.
[[nodiscard]] std::optional<std::string> plan_help(std::string_view collective);

}  // namespace gossamer::cli
