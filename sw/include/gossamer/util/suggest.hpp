// SPDX-License-Identifier: Apache-2.0
/// Suggestions of known words for an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gossamer {

/// " (did you mean all-reduce?)" for an unknown word, to be appended to a message; empty when no
/// known word is near. A known word is near if it differs only in hyphens or capitals, or in a few
/// letters that are added, omitted, replaced or swapped (one in three, four at most), or if it is
/// the only known word that begins with `word`. Among equally near words the first is suggested.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& known);

}  // namespace gossamer
