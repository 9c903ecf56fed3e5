// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/sum_trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "gossamer/plan/combination_order.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/float_words.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/sim/run.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kNoTree = ~std::uint32_t{0};

Sha256Digest leaf_digest(std::uint32_t node) { return sha256(fmt::format("x{}", node)); }

Sha256Digest sum_digest(const Sha256Digest& a, const Sha256Digest& b) {
  std::array<std::uint8_t, 2 * std::tuple_size_v<Sha256Digest>> both{};
  const auto& [smaller, larger] = std::minmax(a, b);
  std::copy(smaller.begin(), smaller.end(), both.begin());
  std::copy(larger.begin(), larger.end(), both.begin() + smaller.size());
  return sha256(std::span<const std::uint8_t>(both));
}

}  // namespace

/// Words are numbers of trees: a node's own word is its number, regardless of the piece, so that
/// equal trees of all pieces are one.
class SumTrees::Observed final : public WordMaker, public Observer {
 public:
  Observed(const Plan& plan, SumTrees& trees)
      : topology_(plan.topology),
        demand_(plan.demand),
        trees_(trees),
        contributors_(plan.topology.cores()),
        flits_(trees.facts_.flits_per_piece),
        first_(demand_.pieces),
        has_(demand_.pieces * plan.topology.nodes(), false) {}

  [[nodiscard]] std::uint64_t word(NodeId node, PacketId /*piece*/) override { return node; }
  [[nodiscard]] std::uint64_t combine(std::uint64_t a, std::uint64_t b) override {
    const auto [at, is_new] = known_.try_emplace(a << 32U | b, 0);
    if (is_new) {
      at->second = trees_.nodes_ + static_cast<std::uint32_t>(trees_.sums_.size());
      trees_.sums_.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
      orders_.push_back(combined_order(order(a), order(b)));
    }
    return at->second;
  }

  bool on_links(const LinkView& view) override {
    for (const Result& result : view.results) {
      const PacketId piece = result.packet / flits_;
      if (piece >= first_.size() || result.terms != contributors_) continue;
      if (!demand_.wants_word(result.node, piece, demand_.pieces, topology_.nodes())) continue;
      const auto tree = static_cast<std::uint32_t>(result.value);
      has_[piece * topology_.nodes() + result.node] = true;
      First& first = first_[piece];
      if (first.node != kNoNode && order(first.tree) != order(tree)) {
        trees_.same_ = false;
        trees_.problem_ = different_orders(piece, std::max(result.node, first.node),
                                           std::min(result.node, first.node));
        return false;
      }
      if (first.node == kNoNode || result.node < first.node) first = {tree, result.node};
    }
    return true;
  }

  /// Every node that must end with a piece has its tree, and each live core is a leaf of it once.
  void finish() {
    std::vector<std::uint32_t> roots;
    for (PacketId piece = 0; piece < first_.size() && !trees_.problem_; ++piece) {
      for (NodeId node = 0; node < topology_.nodes() && !trees_.problem_; ++node) {
        if (!topology_.has_core(node) || has_[piece * topology_.nodes() + node]) continue;
        if (!demand_.wants_word(node, piece, demand_.pieces, topology_.nodes())) continue;
        trees_.problem_ = fmt::format("word {}: node {} has no sum of all nodes", piece, node);
      }
      if (trees_.problem_) return;
      if (!is_whole(first_[piece].tree)) {
        trees_.problem_ = fmt::format("word {}: a node is no leaf of its tree, or twice", piece);
        return;
      }
      roots.push_back(first_[piece].tree);
    }
    if (!trees_.problem_) trees_.number_trees(roots);
  }

 private:
  struct First {
    std::uint32_t tree = kNoTree;
    NodeId node = kNoNode;
  };

  [[nodiscard]] std::uint64_t order(std::uint64_t tree) const {
    return tree < trees_.nodes_ ? own_order(static_cast<NodeId>(tree))
                                : orders_[tree - trees_.nodes_];
  }
  /// Once per tree. The engine counted as many terms as there are cores, so the walk ends.
  [[nodiscard]] bool is_whole(std::uint32_t root) {
    if (!whole_.insert(root).second) return true;
    std::vector<bool> met(topology_.nodes(), false);
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (at >= trees_.nodes_) {
        open.push_back(trees_.sums_[at - trees_.nodes_].a);
        open.push_back(trees_.sums_[at - trees_.nodes_].b);
        continue;
      }
      if (!topology_.has_core(at) || met[at]) return false;
      met[at] = true;
    }
    return true;
  }

  const Topology& topology_;
  const Demand& demand_;
  SumTrees& trees_;
  std::uint64_t contributors_;
  /// Results are numbered flit by flit.
  std::uint64_t flits_;
  std::vector<First> first_;
  /// By piece, then node.
  std::vector<bool> has_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
  /// By addition (plan/combination_order.hpp).
  std::vector<std::uint64_t> orders_;
  std::set<std::uint32_t> whole_;
};

std::string SumTrees::defect(const Plan& plan, std::uint64_t most) {
  if (!plan.demand.combines()) return "it is no reduction";
  if (plan.demand.groups) return "trees of groups are not supported";
  if (plan.topology.cores() < 2) return "one node adds nothing";
  if (plan.demand.pieces > most / plan.topology.nodes()) {
    return fmt::format("{} words at {} nodes are more than {} in all", plan.demand.pieces,
                       plan.topology.nodes(), most);
  }
  return {};
}

SumTrees::SumTrees(const Plan& plan)
    : plan_(&plan),
      nodes_(plan.topology.nodes()),
      elements_(plan.demand.pieces),
      facts_(gossamer::run_facts(plan)),
      tree_of_piece_(plan.demand.pieces, kNoTree) {
  std::uint64_t all = elements_ * facts_.words_per_piece;
  if (const auto words = plan.parameters.find("words"); words != plan.parameters.end()) {
    const auto* number = std::get_if<std::int64_t>(&words->second);
    // Words of the demand, or of packets that steps move.
    std::uint64_t& counted = facts_.pipeline.plain() ? elements_ : all;
    if (number != nullptr && *number > 0 && static_cast<std::uint64_t>(*number) < counted) {
      counted = static_cast<std::uint64_t>(*number);
    }
  }
  elements_ = facts_.pipeline.plain() ? elements_ * facts_.words_per_piece : all;
  Observed observed(plan, *this);
  EngineOptions options;
  options.arithmetic = {.operation = Operation::kCopy, .bits = 64, .maker = &observed};
  watch(*make_fast_engine(plan, options), step_limit(plan), observed);
  if (!problem_) observed.finish();
  if (!problem_) check_period();
}

PacketId SumTrees::piece_of(std::uint64_t element) const {
  if (!facts_.rounds) return element / facts_.words_per_piece;
  const auto [parts, cycles] = *facts_.rounds;
  const std::uint64_t places = plan_->demand.pieces / parts * cycles;
  const std::uint64_t place = element % places;
  const std::uint64_t round = element / places / facts_.words_per_piece;
  return place / cycles * parts + place % cycles + round * cycles;
}

void SumTrees::number_trees(const std::vector<std::uint32_t>& roots) {
  std::unordered_map<std::uint32_t, std::uint32_t> by_root;
  for (std::uint64_t i = 0; i < roots.size(); ++i) {
    // An element of the i-th piece.
    const std::uint64_t row =
        facts_.rounds ? plan_->demand.pieces / facts_.rounds->parts * facts_.rounds->cycles : 1;
    const PacketId piece = piece_of(i / row * row * facts_.words_per_piece + i % row);
    const auto [known, is_new] = by_root.try_emplace(roots[piece], 0);
    if (is_new) {
      // The tree's own digest, additions by addition.
      roots_.push_back(roots[piece]);
      const auto tree = static_cast<std::uint32_t>(roots_.size() - 1);
      const std::vector<TreeAddition> sums = additions(tree);
      std::vector<Sha256Digest> digests;
      std::vector<std::uint32_t> depths;
      digests.reserve(sums.size());
      depths.reserve(sums.size());
      const auto digest_of = [&](std::uint32_t operand) {
        return operand < nodes_ ? leaf_digest(operand) : digests[operand - nodes_];
      };
      const auto depth_of = [&](std::uint32_t operand) {
        return operand < nodes_ ? 0 : depths[operand - nodes_];
      };
      for (const TreeAddition& sum : sums) {
        digests.push_back(sum_digest(digest_of(sum.a), digest_of(sum.b)));
        depths.push_back(1 + std::max(depth_of(sum.a), depth_of(sum.b)));
      }
      known->second = tree;
      digests_.push_back(digests.back());
      depth_ = std::max(depth_, depths.back());
    }
    tree_of_piece_[piece] = known->second;
  }
}

void SumTrees::check_period() {
  const auto repeats = period();
  for (std::uint64_t i = 0; repeats && i + *repeats < elements_; ++i) {
    if (digest(tree_of(i)) == digest(tree_of(i + *repeats))) continue;
    problem_ = fmt::format("words {} and {} have different trees, the plan states a period of {}",
                           i, i + *repeats, *repeats);
    return;
  }
}

std::vector<TreeAddition> SumTrees::additions(std::uint32_t tree) const {
  std::vector<TreeAddition> made;
  // Operands of finished additions, and what is still to do: an operand, or the addition of the
  // last two.
  std::vector<std::uint32_t> operands;
  struct Task {
    std::uint32_t operand;
    bool adds;
  };
  std::vector<Task> tasks{{roots_[tree], false}};
  while (!tasks.empty()) {
    const auto [operand, adds] = tasks.back();
    tasks.pop_back();
    if (adds) {
      const std::uint32_t b = operands.back();
      operands.pop_back();
      made.push_back({operands.back(), b});
      operands.back() = nodes_ + static_cast<std::uint32_t>(made.size() - 1);
    } else if (operand < nodes_) {
      operands.push_back(operand);
    } else {
      const TreeAddition& sum = sums_[operand - nodes_];
      tasks.push_back({operand, true});
      tasks.push_back({sum.b, false});
      tasks.push_back({sum.a, false});
    }
  }
  return made;
}

std::string SumTrees::text(std::uint32_t tree) const {
  std::string text;
  enum class Task : std::uint8_t { kLeft, kRight, kPlus, kClose };
  std::vector<std::pair<Task, std::uint32_t>> tasks{{Task::kLeft, roots_[tree]}};
  while (!tasks.empty()) {
    const auto [task, operand] = tasks.back();
    tasks.pop_back();
    if (task == Task::kPlus) {
      text += '+';
    } else if (task == Task::kClose) {
      text += ')';
    } else if (operand < nodes_) {
      text += fmt::format("{}", operand);
    } else {
      const TreeAddition& sum = sums_[operand - nodes_];
      if (task == Task::kRight) {
        text += '(';
        tasks.push_back({Task::kClose, 0});
      }
      tasks.push_back({Task::kRight, sum.b});
      tasks.push_back({Task::kPlus, 0});
      tasks.push_back({Task::kLeft, sum.a});
    }
  }
  return text;
}

Sha256Digest SumTrees::digest_of_all() const {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(elements_ * std::tuple_size_v<Sha256Digest>);
  for (std::uint64_t i = 0; i < elements_; ++i) {
    const Sha256Digest& each = digest(tree_of(i));
    bytes.insert(bytes.end(), each.begin(), each.end());
  }
  return sha256(std::span<const std::uint8_t>(bytes));
}

bool SumTrees::length_invariant() const { return plan_->expected.length_invariant.value_or(false); }

std::optional<std::uint64_t> SumTrees::period() const {
  return length_invariant() ? plan_->expected.sum_period : std::nullopt;
}

std::uint64_t SumTrees::evaluate(std::uint32_t tree, std::span<const std::uint64_t> words,
                                 const Arithmetic& arithmetic) const {
  const std::vector<TreeAddition> sums = additions(tree);
  std::vector<std::uint64_t> results;
  results.reserve(sums.size());
  const auto value = [&](std::uint32_t operand) {
    return operand < nodes_ ? words[operand] : results[operand - nodes_];
  };
  for (const TreeAddition& sum : sums) {
    results.push_back(arithmetic.combine(value(sum.a), value(sum.b)));
  }
  return results.back();
}

void add_tree_figures(const SumTrees& trees, SumFigures& figures) {
  figures.same_at_every_node = trees.same_at_every_node();
  if (trees.problem()) return;
  figures.trees = trees.trees();
  figures.depth = trees.depth();
  figures.digest = hex_text(trees.digest_of_all());
}

std::optional<SumTrees> add_sums(const Plan& plan, Report& report) {
  if (!report.sums || !SumTrees::defect(plan, SumTrees::kQuickWords).empty()) return std::nullopt;
  std::optional<SumTrees> trees(plan);
  add_tree_figures(*trees, *report.sums);
  if (!trees->problem()) return trees;
  // The larger or the smaller of floats is the same in every order.
  const bool any_order = picks_floats(plan.demand.operation, plan.demand.accumulate);
  if (!any_order || trees->same_at_every_node()) report.problems.push_back(*trees->problem());
  return std::nullopt;
}

}  // namespace gossamer
