// SPDX-License-Identifier: Apache-2.0
/// The summation trees of a reduction plan: for each element of the vector, the binary tree of
/// additions that gives its result.
///
/// A tree's leaves are nodes. It is observed in a run of the fast engine whose words are numbers of
/// trees. The method therefore works for every machine and every algorithm. Operands are in the
/// order of the hardware: arrival + own, forward + backward, slot + arrivals by ascending input
/// port. If nodes form a sum with exchanged operands, the order of the lowest node counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/report/report.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/util/sha256.hpp"

namespace gossamer {

/// A sum of two operands: leaves are nodes, 0 .. nodes - 1; nodes + i is the result of the i-th
/// addition of its tree.
struct TreeAddition {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  bool operator==(const TreeAddition&) const = default;
};

class SumTrees {
 public:
  /// The largest total number of words of all nodes for which trees are found within seconds.
  static constexpr std::uint64_t kQuickWords = std::uint64_t{1} << 23;
  /// The largest total number of words of all nodes.
  static constexpr std::uint64_t kMostWords = std::uint64_t{1} << 28;

  /// Why trees cannot be computed for the plan; empty if they can.
  [[nodiscard]] static std::string defect(const Plan& plan, std::uint64_t most = kMostWords);

  /// The plan has no defect and must outlive the object. Throws InputError for a program that the
  /// fast engine cannot run.
  explicit SumTrees(const Plan& plan);

  /// The defect of the plan's sums: a node with another tree, an incomplete one, or trees
  /// without the promised period; empty: none.
  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }
  [[nodiscard]] bool same_at_every_node() const { return same_; }

  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  /// Elements of the vector. The rest of this interface requires that there is no problem().
  [[nodiscard]] std::uint64_t elements() const { return elements_; }
  /// The piece of the demand that has element `element`.
  [[nodiscard]] PacketId piece_of(std::uint64_t element) const;

  /// Number of different trees, with their order of operands. Trees have numbers in the order of
  /// their first elements.
  [[nodiscard]] std::size_t trees() const { return roots_.size(); }
  [[nodiscard]] std::uint32_t tree_of(std::uint64_t element) const {
    return tree_of_piece_[piece_of(element)];
  }
  [[nodiscard]] std::uint32_t tree_of_piece(PacketId piece) const { return tree_of_piece_[piece]; }
  /// The additions of a tree, each after those of its operands; the last one is the sum.
  [[nodiscard]] std::vector<TreeAddition> additions(std::uint32_t tree) const;
  /// `2+3+(1+0)`: additions from the left, and brackets where the right operand is a sum.
  [[nodiscard]] std::string text(std::uint32_t tree) const;
  /// D(node v) is the SHA-256 of `x` and v in decimal, D(a + b) that of D(a) and D(b), the smaller
  /// one first.
  [[nodiscard]] const Sha256Digest& digest(std::uint32_t tree) const { return digests_[tree]; }
  /// SHA-256 of the digests of all elements in order.
  [[nodiscard]] Sha256Digest digest_of_all() const;
  /// The most additions from a leaf to the sum, over all trees.
  [[nodiscard]] std::uint32_t depth() const { return depth_; }

  /// The promises of the plan (ExpectedFigures).
  [[nodiscard]] bool length_invariant() const;
  [[nodiscard]] std::optional<std::uint64_t> period() const;

  /// The result of a tree for a word per node, with `arithmetic` on words of links.
  [[nodiscard]] std::uint64_t evaluate(std::uint32_t tree, std::span<const std::uint64_t> words,
                                       const Arithmetic& arithmetic) const;

 private:
  class Observed;

  /// Numbers the trees and assigns them to the elements' pieces.
  void number_trees(const std::vector<std::uint32_t>& roots);
  void check_period();

  const Plan* plan_;
  std::uint32_t nodes_;
  std::uint64_t elements_;
  RunFacts facts_;
  /// Additions of all trees by number - nodes; operands are numbers.
  std::vector<TreeAddition> sums_;
  std::vector<std::uint32_t> roots_;
  std::vector<Sha256Digest> digests_;
  std::vector<std::uint32_t> tree_of_piece_;
  std::uint32_t depth_ = 0;
  bool same_ = true;
  std::optional<std::string> problem_;
};

/// The figures that the trees determine.
void add_tree_figures(const SumTrees& trees, SumFigures& figures);
/// Completes the sums of a report on a plan whose sums are floats, and adds their problem. Returns
/// the trees; empty for other plans, and where finding them takes long.
std::optional<SumTrees> add_sums(const Plan& plan, Report& report);

}  // namespace gossamer
