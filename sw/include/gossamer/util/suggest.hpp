// SPDX-License-Identifier: Apache-2.0
/// Suggestions of known words for an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gossamer {

/// " (did you mean all-reduce?)" for an unknown word, to be appended to a message; empty when no
/// known word is near. Near words differ in hyphens or capitals only, or in a few letters added,
/// omitted, replaced or swapped (one in three, four at most), or are the only word that begins with
/// it. Among equally near words the first is suggested.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& known);

}  // namespace gossamer
