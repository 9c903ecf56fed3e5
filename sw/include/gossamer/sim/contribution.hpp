// SPDX-License-Identifier: Apache-2.0
/// The words that nodes contribute to combined pieces in a simulation.
#pragma once

#include <cstdint>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The word that `node` contributes to piece `piece` of a plan with `pieces` pieces. Engines add
/// these words, regardless of the demand's operation. A sum with a wrong multiset of contributors
/// is mistaken for the right one with probability 2^-64 when some multiplicity is wrong by an odd
/// amount, and 2^-(64-j) when all are wrong by multiples of 2^j. The word depends on the piece, so
/// swapped pieces are detected.
[[nodiscard]] constexpr std::uint64_t contribution(NodeId node, PacketId piece,
                                                   std::uint64_t pieces) {
  // The finaliser of splitmix64 over a counter.
  std::uint64_t word = 0x6a09e667f3bcc909U + (node * pieces + piece + 1) * 0x9e3779b97f4a7c15U;
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}

}  // namespace gossamer
