// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/arithmetic.hpp"

#include <algorithm>
#include <bit>

#include "gossamer/util/error.hpp"

namespace gossamer {

Arithmetic hardware_arithmetic(const Plan& plan) {
  constexpr std::int64_t kUsualBits = 32;
  constexpr std::int64_t kMostBits = 64;
  const auto at = plan.parameters.find("link-bits");
  std::int64_t bits = kUsualBits;
  if (at != plan.parameters.end()) {
    const auto* given = std::get_if<std::int64_t>(&at->second);
    if (given == nullptr || *given < 1 || *given > kMostBits) {
      throw InputError("plan: parameter link-bits is not a number in 1..64");
    }
    bits = *given;
  }
  return {plan.demand.operation, static_cast<int>(bits)};
}

std::uint64_t Arithmetic::combine_otherwise(std::uint64_t a, std::uint64_t b) const {
  switch (operation) {
    case Operation::kCopy:
      return maker->combine(a, b);
    case Operation::kSaturatingSum:
      return b > mask() - a ? mask() : a + b;
    case Operation::kSignedSaturatingSum: {
      const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
      const std::uint64_t sum = (a + b) & mask();
      // Two values of one sign have a sum of that sign, or it overflowed.
      if (((a ^ b) & sign) != 0 || ((a ^ sum) & sign) == 0) return sum;
      return (a & sign) != 0 ? sign : sign - 1;
    }
    case Operation::kMax:
      return std::max(a, b);
    case Operation::kMin:
      return std::min(a, b);
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
