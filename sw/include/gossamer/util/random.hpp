// SPDX-License-Identifier: Apache-2.0
/// The seeded generator: the same seed gives the same numbers on every platform.
#pragma once

#include <cstdint>

namespace gossamer {

/// splitmix64: a counter through a bijective mixer; every seed is good, period 2^64.
/// Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  /// The next 64 bits.
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// A number in 0 .. n-1, n > 0, all equally likely (values that would favour small ones are
  /// drawn again).
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t favoured = (0 - n) % n;
    std::uint64_t value = next();
    while (value < favoured) value = next();
    return value % n;
  }
  /// A number in [0, 1), 53 random bits.
  double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace gossamer
