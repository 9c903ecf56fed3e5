// SPDX-License-Identifier: Apache-2.0
#include "translation_lattice.hpp"

namespace gossamer {

namespace {
constexpr std::uint64_t kComparisonsPerNode = 100;
}  // namespace

TranslationLattice::TranslationLattice(const Topology& topology) : topology_(topology) {
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    basis_[i][i] = topology.side(dim);
  }
  count_classes();
}

TranslationLattice::TranslationLattice(const Topology& topology, const StreamProgram& program)
    : TranslationLattice(topology) {
  if (!topology.is_torus() || !topology.is_healthy()) return;
  std::uint64_t budget = kComparisonsPerNode * topology.nodes();
  for (int dim = 0; dim < topology.dimensions(); ++dim) search(program, dim, budget);
  count_classes();
}

void TranslationLattice::count_classes() {
  classes_ = 1;
  for (int dim = 0; dim < topology_.dimensions(); ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    classes_ *= basis_[i][i];
  }
}

void TranslationLattice::search(const StreamProgram& program, int dim, std::uint64_t& budget) {
  const auto i = static_cast<std::size_t>(dim);
  const std::uint32_t side = topology_.side(dim);
  // A smallest step along the dimension divides its side.
  for (std::uint32_t step = 1; step < side; ++step) {
    if (side % step != 0) continue;
    // Along lower dimensions every distance that is not a sum of translations found before.
    Coordinates shift{};
    shift[i] = step;
    for (bool more = true; more;) {
      if (keeps(program, shift, budget)) {
        basis_[i] = shift;
        return;
      }
      if (budget == 0) return;
      more = false;
      for (std::size_t j = 0; j < i && !more; ++j) {
        more = ++shift[j] < basis_[j][j];
        if (!more) shift[j] = 0;
      }
    }
  }
}

bool TranslationLattice::keeps(const StreamProgram& program, const Coordinates& shift,
                               std::uint64_t& budget) const {
  const auto d = static_cast<std::size_t>(topology_.dimensions());
  for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
    if (budget == 0) return false;
    --budget;
    Coordinates to = walk.coordinates();
    for (std::size_t j = 0; j < d; ++j) {
      to[j] += shift[j];
      if (to[j] >= topology_.sides()[j]) to[j] -= topology_.sides()[j];
    }
    const NodeId node = topology_.node(to);
    for (const Port port : all_ports(program.ports())) {
      if (program.code(walk.node(), port) != program.code(node, port)) return false;
    }
  }
  return true;
}

std::uint32_t TranslationLattice::reduce(Coordinates& coordinates) const {
  std::uint32_t class_index = 0;
  for (int dim = topology_.dimensions() - 1; dim >= 0; --dim) {
    const auto i = static_cast<std::size_t>(dim);
    const std::uint32_t times = coordinates[i] / basis_[i][i];
    coordinates[i] %= basis_[i][i];
    for (std::size_t j = 0; j < i && times != 0; ++j) {
      const std::uint64_t side = topology_.sides()[j];
      const std::uint64_t back = std::uint64_t{times} * basis_[i][j] % side;
      coordinates[j] = static_cast<std::uint32_t>((coordinates[j] + side - back) % side);
    }
  }
  for (int dim = topology_.dimensions() - 1; dim >= 0; --dim) {
    const auto i = static_cast<std::size_t>(dim);
    class_index = class_index * basis_[i][i] + coordinates[i];
  }
  return class_index;
}

Coordinates TranslationLattice::representative(std::uint32_t class_index) const {
  Coordinates coordinates{};
  for (int dim = 0; dim < topology_.dimensions(); ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    coordinates[i] = class_index % basis_[i][i];
    class_index /= basis_[i][i];
  }
  return coordinates;
}

}  // namespace gossamer
