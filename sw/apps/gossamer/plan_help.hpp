// SPDX-License-Identifier: Apache-2.0
/// The text of `gossamer plan COLLECTIVE --help`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gossamer::cli {

/// The options of the collective's algorithms, and the algorithms in two groups, in at most 40
/// lines of 80 columns. `collective` is our name or the field's; empty for other words.
[[nodiscard]] std::optional<std::string> plan_help(std::string_view collective);

}  // namespace gossamer::cli
