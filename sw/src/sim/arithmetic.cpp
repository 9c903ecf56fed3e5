// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/arithmetic.hpp"

#include <algorithm>
#include <bit>

#include "gossamer/plan/link_words.hpp"
#include "gossamer/sim/float_words.hpp"

namespace gossamer {

Arithmetic hardware_arithmetic(const Plan& plan) {
  return {.operation = plan.demand.operation,
          .bits = link_words(plan).word_bits,
          .type = plan.demand.accumulate,
          .own = plan.demand.type};
}

std::uint64_t Arithmetic::float_word(NodeId node, PacketId piece) const {
  return widened(float_test_word(*float_format(own), seed, node, piece));
}

std::uint64_t Arithmetic::widened(std::uint64_t word) const {
  return own == type ? word & mask() : float_converted(own, type, word);
}

std::uint64_t Arithmetic::result(std::uint64_t sum) const {
  return own == type ? sum : float_converted(type, own, sum);
}

std::uint64_t Arithmetic::combine_otherwise(std::uint64_t a, std::uint64_t b) const {
  if (const auto format = float_format(type); format && operation != Operation::kCopy) {
    if (operation == Operation::kSum) return float_sum(*format, a, b);
    return operation == Operation::kMax ? float_larger(*format, a, b)
                                        : float_smaller(*format, a, b);
  }
  // Numbers with a sign are in order of those without when the sign is inverted.
  const std::uint64_t sign =
      type == WordType::kInt ? std::uint64_t{1} << static_cast<unsigned>(bits - 1) : 0;
  switch (operation) {
    case Operation::kCopy:
      return maker->combine(a, b);
    case Operation::kSaturatingSum:
      return b > mask() - a ? mask() : a + b;
    case Operation::kSignedSaturatingSum: {
      const std::uint64_t highest = std::uint64_t{1} << static_cast<unsigned>(bits - 1);
      const std::uint64_t sum = (a + b) & mask();
      // Two values of one sign have a sum of that sign, or it overflowed.
      if (((a ^ b) & highest) != 0 || ((a ^ sum) & highest) == 0) return sum;
      return (a & highest) != 0 ? highest : highest - 1;
    }
    case Operation::kMax:
      return std::max(a ^ sign, b ^ sign) ^ sign;
    case Operation::kMin:
      return std::min(a ^ sign, b ^ sign) ^ sign;
    case Operation::kAnd:
      return a & b;
    case Operation::kOr:
      return a | b;
    case Operation::kXor:
      return a ^ b;
    default:
      return (a + b) & mask();
  }
}

std::uint64_t Arithmetic::telling_word(std::uint64_t any, PacketId piece,
                                       std::uint64_t nodes) const {
  const auto levels = static_cast<int>(std::bit_width(nodes - 1));
  switch (operation) {
    case Operation::kSaturatingSum:
      // Some sums of all nodes saturate and some do not.
      return any >> std::min(bits - 1, std::max(0, levels - static_cast<int>(piece % 3)));
    case Operation::kAnd:
    case Operation::kOr: {
      // A bit is the odd one out at about one node.
      std::uint64_t rare = any;
      for (int i = 1; i < levels; ++i) rare &= contribution(static_cast<NodeId>(i), any, 1);
      return operation == Operation::kAnd ? ~rare & mask() : rare;
    }
    default:
      return any;
  }
}

}  // namespace gossamer
