// SPDX-License-Identifier: Apache-2.0
/// Which known word somebody may have meant who wrote an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gossamer {

/// " (did you mean all-reduce?)" for an unknown word, to stand behind what is wrong with it; empty
/// when no known word is near: one that differs in hyphens or capitals alone, one of few letters
/// added, left out, exchanged or swapped (one in three, four at most), or the only one that begins
/// with it. Of equally near ones the first.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& known);

}  // namespace gossamer
