// SPDX-License-Identifier: Apache-2.0
/// Seeded generators. The same seed gives the same numbers on every platform, which the standard
/// library's distributions do not promise. There are two because the results for a seed are part of
/// the product: documented results of searches use Random, and drawn placements (random:M:SEED) and
/// arrivals use SplitMix64. New code uses SplitMix64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace gossamer {

/// xorshift64* over a splitmix64-expanded seed. Not for cryptography.
/// Source: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled".
class Random {
 public:
  /// Any seed, including 0.
  explicit Random(std::uint64_t seed) : state_(seed + 0x9e3779b97f4a7c15U) {
    state_ = (state_ ^ (state_ >> 30U)) * 0xbf58476d1ce4e5b9U;
    state_ = (state_ ^ (state_ >> 27U)) * 0x94d049bb133111ebU;
    state_ ^= state_ >> 31U;
    // The one state that the shifts cannot leave.
    if (state_ == 0) state_ = 1;
  }
  /// The next 64 bits.
  std::uint64_t next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545f4914f6cdd1dU;
  }
  /// A number in 0 .. bound-1, bound > 0. The bias is below bound / 2^32: for searches, not for
  /// statistics.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U);
  }
  /// A number in [0, 1) with 53 random bits.
  double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

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
  /// A uniform number in 0 .. n-1, n > 0 (values that would favour small ones are drawn again).
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

/// Puts the items of a list into a random order, by Fisher and Yates' method. At most 2^32 items.
template <typename Generator, typename List>
void shuffle(Generator& random, List& list) {
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[random.below(static_cast<std::uint32_t>(i))]);
  }
}

}  // namespace gossamer
