// SPDX-License-Identifier: Apache-2.0
/// d edge-disjoint Hamiltonian cycles of a torus with three or more dimensions.
///
/// A torus is the product of two smaller ones, so its cycles are built from theirs. One cycle of
/// each gives two by the closed form of HamiltonianPair; two cycles of one and one of the other
/// give three by CycleLift. docs/algorithms/hamiltonian.md has the proof that neither can fail.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gossamer/collectives/all_gather/hamiltonian.hpp"

namespace gossamer {

/// Three edge-disjoint Hamiltonian cycles of (first cycle + second cycle) x ring, where the first
/// and the second cycle run through the same N nodes. Columns are those nodes, layers the ring's.
///
/// The cycles are numbered 0, 1, 2: before any exchange 0 holds the first cycle in every layer, 1
/// the second one, 2 the links between layers. Unit squares exchange the colours of their opposite
/// sides until each colour is one cycle. The squares are chosen in O(N + layers); each link's
/// colour is then an O(1) test. Own derivation; that the cycles exist is Aubert & Schneider's
/// theorem (1982).
class CycleLift {
 public:
  /// Whether N nodes can be lifted over a ring of `layers`. For 3 or more layers, N must be at
  /// least 2 * layers if even, 2 * layers - 1 if odd. Over 2 layers (parallel links) N has to be
  /// even and `bipartite` false: some closed walk on the two cycles has an odd length.
  [[nodiscard]] static bool serves(std::uint64_t nodes, std::uint64_t layers, bool bipartite) {
    if (layers == 2) return nodes % 2 == 0 && !bipartite;
    return layers >= 3 && nodes >= 2 * layers - nodes % 2;
  }

  /// The first cycle is 0, 1, ..., N-1; `second[j]` is the j-th node of the second one, N =
  /// second.size(). The two may share a pair of neighbours (parallel links), but not all of them.
  /// Throws std::logic_error where serves() is false.
  CycleLift(std::span<const std::uint32_t> second, std::uint32_t layers);

  /// The cycle of the link from the i-th to the next node of the first cycle, in layer z.
  [[nodiscard]] std::uint8_t first_link(std::uint32_t i, std::uint32_t z) const {
    if (layers_ == 2) return static_cast<std::uint8_t>((i + z) % 2 == 0 ? 2 : 0);
    const std::uint32_t gap = first_gap_[i];
    return static_cast<std::uint8_t>(z == gap || below(z) == gap ? 2 : 0);
  }
  /// The cycle of the link from the j-th to the next node of the second cycle, in layer z.
  [[nodiscard]] std::uint8_t second_link(std::uint32_t j, std::uint32_t z) const {
    const std::uint32_t gap = second_gap_[j];
    if (z != gap && below(z) != gap) return 1;
    return static_cast<std::uint8_t>(j == turning_ ? 0 : 2);
  }
  /// The cycle of the link from layer z to the next one, at the node that is i-th on the first and
  /// j-th on the second cycle.
  [[nodiscard]] std::uint8_t layer_link(std::uint32_t i, std::uint32_t j, std::uint32_t z) const {
    if (second_gap_[j] == z || second_gap_[before(j)] == z) return 1;
    if (layers_ == 2) return static_cast<std::uint8_t>(z == 0 ? 0 : 2);
    return static_cast<std::uint8_t>(first_gap_[i] == z || first_gap_[before(i)] == z ? 0 : 2);
  }

 private:
  /// No square at this link.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  class Search;

  [[nodiscard]] std::uint32_t before(std::uint32_t i) const { return i == 0 ? nodes_ - 1 : i - 1; }
  [[nodiscard]] std::uint32_t below(std::uint32_t z) const { return z == 0 ? layers_ - 1 : z - 1; }

  std::uint32_t nodes_;
  std::uint32_t layers_;
  /// The square at a link of the first (second) cycle lies between layers gap and gap + 1. At most
  /// one square per link. Two layers: first_gap_ is empty; cycles 0 and 2 follow a formula.
  std::vector<std::uint32_t> first_gap_;
  std::vector<std::uint32_t> second_gap_;
  /// The one square that exchanges cycles 0 and 1, by its link of the second cycle; N even only.
  std::uint32_t turning_ = kNone;
};

/// The decomposition of a torus with d >= 3, in O(P d) time. All sides >= 3: always. With sides of
/// 2: where the torus can be composed of rings of 3 or more, 2-D tori that HamiltonianPair supports
/// and lifts that CycleLift supports; otherwise InfeasibleError.
[[nodiscard]] HamiltonianDecomposition lifted_decomposition(const Topology& torus);

}  // namespace gossamer
