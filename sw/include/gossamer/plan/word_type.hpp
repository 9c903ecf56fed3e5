// SPDX-License-Identifier: Apache-2.0
/// Types of the words that reductions combine. Their names are those of NumPy and PyTorch.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gossamer {

enum class WordType : std::uint8_t {
  /// Unsigned, of any width.
  kUint,
  /// Two's complement, of any width.
  kInt,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
};
inline constexpr auto kWordTypeNames =
    std::to_array<std::string_view>({"uint", "int", "float16", "bfloat16", "float32", "float64"});
[[nodiscard]] std::string_view word_type_name(WordType type);

/// A binary format of IEEE 754: a sign, a biased exponent and a fraction. The highest exponent is
/// that of infinities and NaN.
struct FloatFormat {
  /// 2 .. 11.
  int exponent_bits = 8;
  /// 1 .. 52.
  int fraction_bits = 23;

  [[nodiscard]] constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
  bool operator==(const FloatFormat&) const = default;
};

/// Empty for integers.
[[nodiscard]] constexpr std::optional<FloatFormat> float_format(WordType type) {
  switch (type) {
    case WordType::kFloat16:
      return FloatFormat{5, 10};
    case WordType::kBfloat16:
      return FloatFormat{8, 7};
    case WordType::kFloat32:
      return FloatFormat{8, 23};
    case WordType::kFloat64:
      return FloatFormat{11, 52};
    default:
      return std::nullopt;
  }
}
[[nodiscard]] constexpr bool is_float(WordType type) { return float_format(type).has_value(); }

}  // namespace gossamer
