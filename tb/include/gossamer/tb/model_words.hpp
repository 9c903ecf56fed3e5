// SPDX-License-Identifier: Apache-2.0
/// The words of a reduction on Verilated models. A word of a model has 96 bits: a value of 64 bits
/// and, below it, the number of its contributions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gossamer/sim/float_words.hpp"
#include "gossamer/sim/lane_words.hpp"

namespace gossamer::tb {

/// There are models that add 64-bit integers, models with lanes of 32 or 16 bits of integers,
/// models for sums of each type of floats, and models that take the larger or the smaller of
/// float64, which serve all types.
class ModelWords {
 public:
  ModelWords() = default;
  /// Models that combine floats or the words of lanes if `arithmetic` does, otherwise those that
  /// add 64-bit integers.
  explicit ModelWords(const Arithmetic& arithmetic)
      : arithmetic_(arithmetic.rounds() || picks(arithmetic) || has_lanes(arithmetic)
                        ? arithmetic
                        : Arithmetic()),
        shift_(static_cast<unsigned>(64 - arithmetic_.bits)),
        picked_(picks(arithmetic_) ? float_format(arithmetic_.type) : std::nullopt) {}

  /// There are models with lanes of integers of this width, which together have up to 64 bits.
  [[nodiscard]] static constexpr bool has_lanes_of(int word_bits) {
    return word_bits == 32 || word_bits == 16;
  }

  /// The contributions of nodes, and their sum as models form it.
  [[nodiscard]] const Arithmetic& arithmetic() const { return arithmetic_; }
  /// The name of a model for these words: rtl/CMakeLists.txt.
  [[nodiscard]] std::string model(std::string_view name) const {
    std::string full(name);
    if (arithmetic_.rounds()) full.append("_").append(word_type_name(arithmetic_.type));
    if (picked_) full += arithmetic_.operation == Operation::kMax ? "_max" : "_min";
    if (arithmetic_.maker != nullptr) {
      full.append("_w").append(std::to_string(lanes_of(arithmetic_)->word_bits()));
    }
    return full;
  }
  /// A value as the model has it, in its highest bits, and back. Of two floats, the larger remains
  /// the larger; NaN keeps its payload.
  [[nodiscard]] std::uint64_t in(std::uint64_t value) const {
    return picked_ ? as_float64(value) : value << shift_;
  }
  [[nodiscard]] std::uint64_t out(std::uint64_t value) const {
    return picked_ ? from_float64(value) : value >> shift_;
  }

  /// True for words other than 64-bit integers, for which there are fewer models.
  [[nodiscard]] bool is_special() const {
    return arithmetic_.rounds() || picked_ || arithmetic_.maker != nullptr;
  }

 private:
  static constexpr FloatFormat kFloat64{11, 52};

  [[nodiscard]] static bool picks(const Arithmetic& arithmetic) {
    return picks_floats(arithmetic.operation, arithmetic.type);
  }

  /// The lowest `count` bits.
  [[nodiscard]] static std::uint64_t low(std::uint64_t value, int count) {
    return value & ((std::uint64_t{1} << static_cast<unsigned>(count)) - 1);
  }
  /// The float64 with the same sign, exponent bits and leading fraction bits. It is another number,
  /// but has the same place among others. The highest exponent, of infinities and NaN, stays the
  /// highest one.
  [[nodiscard]] std::uint64_t as_float64(std::uint64_t value) const {
    const auto fraction = static_cast<unsigned>(picked_->fraction_bits);
    std::uint64_t exponent = low(value >> fraction, picked_->exponent_bits);
    if (exponent == low(~std::uint64_t{0}, picked_->exponent_bits)) {
      exponent = low(~std::uint64_t{0}, kFloat64.exponent_bits);
    }
    return value >> static_cast<unsigned>(picked_->bits() - 1) << 63U | exponent << 52U |
           low(value, picked_->fraction_bits) << (52U - fraction);
  }
  [[nodiscard]] std::uint64_t from_float64(std::uint64_t value) const {
    const auto fraction = static_cast<unsigned>(picked_->fraction_bits);
    return value >> 63U << static_cast<unsigned>(picked_->bits() - 1) |
           low(value >> 52U, picked_->exponent_bits) << fraction |
           low(value, kFloat64.fraction_bits) >> (52U - fraction);
  }

  /// The words of lanes; null without.
  [[nodiscard]] static const LaneWords* lanes_of(const Arithmetic& arithmetic) {
    return dynamic_cast<const LaneWords*>(arithmetic.maker);
  }
  [[nodiscard]] static bool has_lanes(const Arithmetic& arithmetic) {
    const LaneWords* const lanes = lanes_of(arithmetic);
    return lanes != nullptr && has_lanes_of(lanes->word_bits()) && lanes->width() <= 64;
  }

  Arithmetic arithmetic_;
  unsigned shift_ = 0;
  /// The format of the floats of which the larger or the smaller is taken.
  std::optional<FloatFormat> picked_;
};

}  // namespace gossamer::tb
