// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gossamer/machines/stream/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// A group of translations of a torus, and the classes of nodes that it maps to one another.
///
/// It is kept as a lattice in Hermite normal form: one translation for each dimension i, by a_i > 0
/// along i, any distance along lower dimensions and 0 along higher ones. Every node is a
/// translation of exactly one *representative*, the nodes of the box a_0 x a_1 x ... at the origin.
class TranslationLattice {
 public:
  /// The identity only; also suitable for meshes. Every node is its own representative.
  explicit TranslationLattice(const Topology& topology);
  /// All translations that map the tables of `program` (port programs of `topology`, or slots of a
  /// frame) to themselves. A search that would take longer than about 100 N comparisons is cut
  /// short; its result so far is also a group. Only the identity on a mesh.
  TranslationLattice(const Topology& topology, const StreamProgram& program);

  /// Number of classes, which have nodes / classes members each.
  [[nodiscard]] std::uint32_t classes() const { return classes_; }
  /// The class of the node at `coordinates`, 0 .. classes-1; afterwards `coordinates` is the
  /// representative: node = representative + (translation of the lattice).
  [[nodiscard]] std::uint32_t reduce(Coordinates& coordinates) const;
  /// Coordinates of the representative of a class.
  [[nodiscard]] Coordinates representative(std::uint32_t class_index) const;

 private:
  /// Adds the translations along `dim`, with those of all lower dimensions already there.
  void search(const StreamProgram& program, int dim, std::uint64_t& budget);
  [[nodiscard]] bool keeps(const StreamProgram& program, const Coordinates& shift,
                           std::uint64_t& budget) const;
  void count_classes();

  const Topology& topology_;
  /// basis_[i] is the translation of dimension i.
  std::array<Coordinates, kMaxDimensions> basis_{};
  std::uint32_t classes_ = 1;
};

}  // namespace gossamer
