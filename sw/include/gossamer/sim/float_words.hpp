// SPDX-License-Identifier: Apache-2.0
/// Floating-point words as bits: sums, larger and smaller words, conversions, and test words.
///
/// A word is in the low bits of 64 bits. Results are those of IEEE 754 with rounding to nearest,
/// ties to even, and subnormal numbers; a result that is not a number is always float_nan().
/// Addition commutes bit by bit, because there is only one NaN, and a sum of two zeros is -0 only
/// if both are -0.
#pragma once

#include <cstdint>

#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/word_type.hpp"

namespace gossamer {

/// The canonical NaN: sign 0, the highest fraction bit set.
[[nodiscard]] std::uint64_t float_nan(const FloatFormat& format);
[[nodiscard]] bool is_float_nan(const FloatFormat& format, std::uint64_t word);

/// The operation takes the larger or the smaller of two floats: it has no order, and rounds
/// nothing.
[[nodiscard]] constexpr bool picks_floats(Operation operation, WordType type) {
  return (operation == Operation::kMax || operation == Operation::kMin) && is_float(type);
}

/// a + b. The format is float64, or has at most 24 fraction bits and 10 exponent bits.
[[nodiscard]] std::uint64_t float_sum(const FloatFormat& format, std::uint64_t a, std::uint64_t b);
/// `maximum` of IEEE 754-2019: NaN if one of them is NaN, and -0 < +0.
[[nodiscard]] std::uint64_t float_larger(const FloatFormat& format, std::uint64_t a,
                                         std::uint64_t b);
/// `minimum`, likewise.
[[nodiscard]] std::uint64_t float_smaller(const FloatFormat& format, std::uint64_t a,
                                          std::uint64_t b);

/// The number as a double; exact.
[[nodiscard]] double float_value(const FloatFormat& format, std::uint64_t word);
/// The nearest word. The format is not float64.
[[nodiscard]] std::uint64_t float_rounded(const FloatFormat& format, double value);
/// The word in another type: exact if it is wider, otherwise the nearest one.
[[nodiscard]] std::uint64_t float_converted(WordType from, WordType to, std::uint64_t word);

/// The word that `node` contributes to piece `piece` in a test. One in 16 is special: NaN with any
/// sign and payload, an infinity, a zero, a subnormal number, or a word that nearly cancels that of
/// node ^ 1. NaN and infinities are in some pieces only, since they hide the rest of a sum. In some
/// pieces all words are zeros, small enough for subnormal sums, or large enough to overflow.
[[nodiscard]] std::uint64_t float_test_word(const FloatFormat& format, std::uint64_t seed,
                                            NodeId node, PacketId piece);

}  // namespace gossamer
