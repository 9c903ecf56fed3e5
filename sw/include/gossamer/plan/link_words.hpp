// SPDX-License-Identifier: Apache-2.0
/// The words of a reduction on a link: its *lanes*, each of which is combined separately.
#pragma once

#include <cstdint>
#include <optional>

#include "gossamer/plan/plan.hpp"
#include "gossamer/plan/word_type.hpp"

namespace gossamer {

/// The widest link on which routers combine words, and the widest word, in bits.
inline constexpr int kMostCombinedLinkBits = 1024;
inline constexpr int kMostWordBits = 64;

/// The parameters link-bits and word-bits of a reduction.
struct LinkWords {
  /// Bits of a link, and of each word on it. The latter divide the former.
  int link_bits = 32;
  int word_bits = 32;

  [[nodiscard]] int lanes() const { return link_bits / word_bits; }
};

/// The bits of the links that the plan is made for; nothing when any width will do. Throws
/// InputError for an invalid parameter.
[[nodiscard]] std::optional<std::uint64_t> planned_link_bits(const Plan& plan);

/// Bits of a word without the parameter word-bits: those of floats, otherwise up to 32.
[[nodiscard]] int usual_word_bits(WordType accumulate, int link_bits);

/// The divisor of `link_bits` nearest to `wanted` that can be the bits of a word; of two, the
/// larger.
[[nodiscard]] int nearest_word_bits(std::int64_t link_bits, std::int64_t wanted);

/// The words of a reduction plan's links. A link of floats is as wide as their type by default,
/// other links have 32 bits. Throws InputError for invalid parameters, and InfeasibleError for
/// links wider than kMostCombinedLinkBits.
[[nodiscard]] LinkWords link_words(const Plan& plan);

/// Writes the parameter word-bits of a reduction where it is not the usual one; `asked` are the
/// bits that were requested, 0: none. Throws InputError when words do not fill the links.
void set_word_bits(Plan& plan, int asked);

}  // namespace gossamer
