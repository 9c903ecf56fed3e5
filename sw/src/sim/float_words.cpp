// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/float_words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gossamer/sim/contribution.hpp"

namespace gossamer {

namespace {

constexpr FloatFormat kDouble{11, 52};

[[nodiscard]] std::uint64_t sign_bit(const FloatFormat& format) {
  return std::uint64_t{1} << (format.exponent_bits + format.fraction_bits);
}
/// The exponent of infinities in its place: the bits of +infinity.
[[nodiscard]] std::uint64_t infinity(const FloatFormat& format) {
  return ((std::uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
}
[[nodiscard]] std::uint64_t magnitude(const FloatFormat& format, std::uint64_t word) {
  return word & (sign_bit(format) - 1);
}
/// Orders numbers: -infinity first, -0 before +0.
[[nodiscard]] std::int64_t place(const FloatFormat& format, std::uint64_t word) {
  const auto size = static_cast<std::int64_t>(magnitude(format, word));
  return (word & sign_bit(format)) != 0 ? -size - 1 : size;
}

/// A random word without a special value, of a piece of this kind.
enum class PieceKind { kOrdinary, kWithNan, kSmall, kLarge, kZeros, kNegativeZeros };

[[nodiscard]] PieceKind kind_of(std::uint64_t seed, PacketId piece) {
  switch ((contribution(0, piece, 1) + seed) & 0xfU) {
    case 0:
      return PieceKind::kSmall;
    case 1:
      return PieceKind::kLarge;
    case 2:
      return PieceKind::kZeros;
    case 3:
      return PieceKind::kNegativeZeros;
    case 4:
    case 5:
    case 6:
      return PieceKind::kWithNan;
    default:
      return PieceKind::kOrdinary;
  }
}

[[nodiscard]] std::uint64_t plain_word(const FloatFormat& format, PieceKind kind,
                                       std::uint64_t random) {
  const std::uint64_t sign = (random & 1U) != 0 ? sign_bit(format) : 0;
  if (kind == PieceKind::kNegativeZeros) return sign_bit(format);
  if (kind == PieceKind::kZeros) return sign;
  const std::uint64_t highest = (std::uint64_t{1} << format.exponent_bits) - 1;
  const std::uint64_t spread = highest < 16 ? 3 : 8;
  std::uint64_t exponent = highest / 2 - spread / 2;
  if (kind == PieceKind::kSmall) exponent = 0;
  if (kind == PieceKind::kLarge) exponent = highest - spread;
  exponent += (random >> 1U) % spread;
  const std::uint64_t fraction = (random >> 8U) & ((std::uint64_t{1} << format.fraction_bits) - 1);
  return sign | exponent << format.fraction_bits | fraction;
}

}  // namespace

std::uint64_t float_nan(const FloatFormat& format) {
  return infinity(format) | std::uint64_t{1} << (format.fraction_bits - 1);
}

bool is_float_nan(const FloatFormat& format, std::uint64_t word) {
  return magnitude(format, word) > infinity(format);
}

double float_value(const FloatFormat& format, std::uint64_t word) {
  if (format == kDouble) return std::bit_cast<double>(word);
  const std::uint64_t size = magnitude(format, word);
  const double sign = (word & sign_bit(format)) != 0 ? -1.0 : 1.0;
  if (size == infinity(format)) return sign * HUGE_VAL;
  if (size > infinity(format)) return std::nan("");
  const std::uint64_t one = std::uint64_t{1} << format.fraction_bits;
  const int exponent = static_cast<int>(size >> format.fraction_bits);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const std::uint64_t fraction = size & (one - 1);
  const std::uint64_t significand = exponent == 0 ? fraction : fraction + one;
  return sign * std::ldexp(static_cast<double>(significand),
                           (exponent == 0 ? 1 : exponent) - bias - format.fraction_bits);
}

std::uint64_t float_rounded(const FloatFormat& format, double value) {
  if (std::isnan(value)) return float_nan(format);
  const std::uint64_t sign = std::signbit(value) ? sign_bit(format) : 0;
  if (value == 0) return sign;
  if (std::isinf(value)) return sign | infinity(format);
  int exponent = 0;
  // The significand with 53 bits: value = significand 2^(exponent - 53).
  const double half_to_one = std::frexp(std::fabs(value), &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(half_to_one, 53));
  const int biased = exponent - 1 + (1 << (format.exponent_bits - 1)) - 1;
  const int dropped = 52 - format.fraction_bits + (biased < 1 ? 1 - biased : 0);
  if (dropped > 53) return sign;
  const std::uint64_t kept = significand >> dropped;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t up = rest > half || (rest == half && (kept & 1U) != 0) ? 1 : 0;
  // The highest bit of a normal significand adds one to the exponent.
  const std::uint64_t below =
      biased < 1 ? 0 : static_cast<std::uint64_t>(biased - 1) << format.fraction_bits;
  return sign | std::min(below + kept + up, infinity(format));
}

std::uint64_t float_converted(WordType from, WordType to, std::uint64_t word) {
  const double value = float_value(*float_format(from), word);
  if (to != WordType::kFloat64) return float_rounded(*float_format(to), value);
  return std::isnan(value) ? float_nan(kDouble) : std::bit_cast<std::uint64_t>(value);
}

std::uint64_t float_sum(const FloatFormat& format, std::uint64_t a, std::uint64_t b) {
  // A double has more than twice the bits of the other formats: rounding its sum again is exact.
  const double sum = float_value(format, a) + float_value(format, b);
  if (format != kDouble) return float_rounded(format, sum);
  return std::isnan(sum) ? float_nan(format) : std::bit_cast<std::uint64_t>(sum);
}

std::uint64_t float_larger(const FloatFormat& format, std::uint64_t a, std::uint64_t b) {
  if (is_float_nan(format, a) || is_float_nan(format, b)) return float_nan(format);
  return place(format, a) < place(format, b) ? b : a;
}

std::uint64_t float_smaller(const FloatFormat& format, std::uint64_t a, std::uint64_t b) {
  if (is_float_nan(format, a) || is_float_nan(format, b)) return float_nan(format);
  return place(format, b) < place(format, a) ? b : a;
}

std::uint64_t float_test_word(const FloatFormat& format, std::uint64_t seed, NodeId node,
                              PacketId piece) {
  const PieceKind kind = kind_of(seed, piece);
  const auto random_of = [&](NodeId of) {
    return contribution(of, contribution(1, piece, 1) + seed, 1);
  };
  const std::uint64_t random = random_of(node);
  const std::uint64_t word = plain_word(format, kind, random);
  const bool zeros = kind == PieceKind::kZeros || kind == PieceKind::kNegativeZeros;
  const std::uint64_t choice = contribution(2, random, 1);
  if (zeros || choice % 16 != 0) return word;
  const std::uint64_t sign = word & sign_bit(format);
  const std::uint64_t fraction = word & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const std::uint64_t which = choice / 16 % (kind == PieceKind::kWithNan ? 6 : 4);
  switch (which) {
    case 0:
      return sign;
    case 1:
      return sign | fraction;
    case 2:
    case 3:
      return (plain_word(format, kind, random_of(node ^ 1U)) ^ sign_bit(format)) ^ (which & 1U);
    case 4:
      return sign | infinity(format);
    default:
      return sign | infinity(format) | (fraction == 0 ? 1 : fraction);
  }
}

}  // namespace gossamer
