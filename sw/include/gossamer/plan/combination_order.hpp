// SPDX-License-Identifier: Apache-2.0
/// Names of orders of combination.
///
/// Nodes that have all contributions may still have different values: a signed saturating sum
/// depends on the order of combination. Orders are compared by their names. A name is a word whose
/// combination is commutative but not associative. Two orders that differ in more than the order of
/// operands have the same name with probability 2^-64.
#pragma once

#include <cstdint>
#include <string>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// The name of (a combined with b), given the names of a and b.
[[nodiscard]] constexpr std::uint64_t combined_order(std::uint64_t a, std::uint64_t b) {
  std::uint64_t name = a + b + 0x9e3779b97f4a7c15U;
  name = (name ^ (name >> 30U)) * 0xbf58476d1ce4e5b9U;
  name = (name ^ (name >> 27U)) * 0x94d049bb133111ebU;
  return name ^ (name >> 31U);
}

/// The name of the contribution of `node` alone.
[[nodiscard]] constexpr std::uint64_t own_order(NodeId node) { return combined_order(node, 1); }

/// The text of the problem that `verify` and runs report for two nodes with different orders.
[[nodiscard]] std::string different_orders(std::uint64_t word, NodeId node, NodeId other);

}  // namespace gossamer
