// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/sums_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "gossamer/topology/displacement.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

/// A tree as additions of leaves that are numbered from the left, and the nodes of these leaves.
struct LeafForm {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;
  std::vector<NodeId> nodes;
};

LeafForm leaf_form(const SumTrees& trees, std::uint32_t tree) {
  LeafForm form;
  const std::vector<TreeAddition> sums = trees.additions(tree);
  const auto leaves = static_cast<std::uint32_t>(sums.size() + 1);
  // Additions are in post-order, so leaves appear from the left.
  std::vector<std::uint32_t> number(trees.nodes());
  std::vector<std::uint32_t> open{static_cast<std::uint32_t>(trees.nodes() + sums.size() - 1)};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (at < trees.nodes()) {
      number[at] = static_cast<std::uint32_t>(form.nodes.size());
      form.nodes.push_back(at);
      continue;
    }
    open.push_back(sums[at - trees.nodes()].b);
    open.push_back(sums[at - trees.nodes()].a);
  }
  const auto operand = [&](std::uint32_t of) {
    return of < trees.nodes() ? number[of] : leaves + of - trees.nodes();
  };
  form.rows.reserve(sums.size());
  for (const TreeAddition& sum : sums) form.rows.emplace_back(operand(sum.a), operand(sum.b));
  return form;
}

/// Nodes in an order along which trees rotate, or in the order of a tree's leaves.
struct LeafOrder {
  std::vector<NodeId> nodes;
  /// By node.
  std::vector<std::uint32_t> place;
  /// By leaf from the left, its number in the shape.
  std::vector<std::uint32_t> leaf;

  LeafOrder(std::vector<NodeId> along, std::uint32_t all_nodes, const LeafForm& first)
      : nodes(std::move(along)), place(all_nodes, 0) {
    const auto count = static_cast<std::uint32_t>(nodes.size());
    for (std::uint32_t i = 0; i < count; ++i) place[nodes[i]] = i;
    for (const NodeId node : first.nodes) {
      leaf.push_back((place[node] + count - place[first.nodes.front()]) % count);
    }
  }
  /// The rotation that gives the tree's leaves.
  [[nodiscard]] std::optional<std::uint32_t> rotation(const LeafForm& form) const {
    const auto count = static_cast<std::uint32_t>(nodes.size());
    const std::uint32_t by = place[form.nodes.front()];
    for (std::size_t i = 0; i < leaf.size(); ++i) {
      if (nodes[(leaf[i] + by) % count] != form.nodes[i]) return std::nullopt;
    }
    return by;
  }
};

/// Where leaf i of `a` is node x, leaf i of `b` is node next(x): the nodes in the order x, next(x),
/// .. if that passes all of them.
std::optional<std::vector<NodeId>> common_cycle(const LeafForm& a, const LeafForm& b,
                                                std::uint32_t all_nodes) {
  std::vector<NodeId> next(all_nodes, kNoNode);
  for (std::size_t i = 0; i < a.nodes.size(); ++i) next[a.nodes[i]] = b.nodes[i];
  std::vector<NodeId> along{*std::min_element(a.nodes.begin(), a.nodes.end())};
  for (NodeId node = next[along.front()]; node != along.front(); node = next[node]) {
    // Leaves of the two trees may be different nodes only in a tree that is not whole.
    if (node == kNoNode || along.size() == a.nodes.size()) return std::nullopt;
    along.push_back(node);
  }
  if (along.size() != a.nodes.size()) return std::nullopt;
  return along;
}

/// The displacement from one tree's leaves to the other's.
std::optional<NodeId> common_displacement(const Topology& topology, const LeafForm& a,
                                          const LeafForm& b) {
  const NodeId by = displacement(topology, a.nodes.front(), b.nodes.front());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    if (displaced(topology, a.nodes[i], by) != b.nodes[i]) return std::nullopt;
  }
  return by;
}

/// Shapes, orders, and where each tree is.
class SumsForm {
 public:
  SumsForm(const Plan& plan, const SumTrees& trees) : topology_(plan.topology), trees_(trees) {
    std::map<std::vector<std::pair<std::uint32_t, std::uint32_t>>, std::vector<std::uint32_t>>
        groups;
    places_.resize(trees.trees());
    for (std::uint32_t tree = 0; tree < trees.trees(); ++tree) {
      forms_.push_back(leaf_form(trees, tree));
      groups[forms_.back().rows].push_back(tree);
    }
    std::vector<const std::vector<std::uint32_t>*> in_order;
    for (const auto& [rows, members] : groups) in_order.push_back(&members);
    std::sort(in_order.begin(), in_order.end(),
              [](const auto* a, const auto* b) { return a->front() < b->front(); });
    for (const auto* members : in_order) place(*members);
  }

  [[nodiscard]] std::string shapes() const {
    std::vector<std::string> all;
    for (const auto& rows : shapes_) {
      std::vector<std::string> each;
      for (const auto& [a, b] : rows) each.push_back(fmt::format("[{},{}]", a, b));
      all.push_back(fmt::format("[{}]", fmt::join(each, ",")));
    }
    return listed(all);
  }
  [[nodiscard]] std::string orders() const {
    std::vector<std::string> all;
    for (const auto& nodes : orders_) all.push_back(fmt::format("[{}]", fmt::join(nodes, ",")));
    return listed(all);
  }
  [[nodiscard]] std::string places() const {
    std::vector<std::string> all;
    for (std::uint32_t tree = 0; tree < places_.size(); ++tree) {
      const Place& at = places_[tree];
      all.push_back(fmt::format(R"({{"shape": {}, "order": {}, "{}": {}, "digest": "{}"}})",
                                at.shape, at.order, at.displaced ? "displace" : "rotate", at.by,
                                hex_text(trees_.digest(tree))));
    }
    return listed(all);
  }

 private:
  struct Place {
    std::size_t shape = 0;
    std::size_t order = 0;
    bool displaced = false;
    std::uint32_t by = 0;
  };

  static std::string listed(const std::vector<std::string>& items) {
    return fmt::format("[\n    {}\n  ]", fmt::join(items, ",\n    "));
  }

  /// Trees of one form of additions.
  void place(std::vector<std::uint32_t> open) {
    while (!open.empty()) {
      const LeafForm& first = forms_[open.front()];
      std::vector<std::uint32_t> rest;
      if (const auto along = best_cycle(open)) {
        const LeafOrder order(*along, trees_.nodes(), first);
        const std::size_t shape = shape_of(first, order.leaf);
        for (const std::uint32_t tree : open) {
          if (const auto by = order.rotation(forms_[tree])) {
            places_[tree] = {shape, orders_.size(), false, *by};
          } else {
            rest.push_back(tree);
          }
        }
        orders_.push_back(order.nodes);
      } else {
        std::vector<std::uint32_t> identity(first.nodes.size());
        std::iota(identity.begin(), identity.end(), 0U);
        const std::size_t shape = shape_of(first, identity);
        for (const std::uint32_t tree : open) {
          const auto by = tree == open.front() ? std::optional<NodeId>(0) : shift(first, tree);
          if (by) {
            places_[tree] = {shape, orders_.size(), *by != 0, *by};
          } else {
            rest.push_back(tree);
          }
        }
        orders_.push_back(first.nodes);
      }
      open = std::move(rest);
    }
  }
  [[nodiscard]] std::optional<NodeId> shift(const LeafForm& first, std::uint32_t tree) const {
    if (!topology_.is_torus() || !topology_.is_healthy()) return std::nullopt;
    return common_displacement(topology_, first, forms_[tree]);
  }

  /// The order along which the first tree rotates into another one, and then into a third. Two
  /// trees alone may rotate into each other at random.
  [[nodiscard]] std::optional<std::vector<NodeId>> best_cycle(
      const std::vector<std::uint32_t>& open) const {
    constexpr std::size_t kMostTried = 64;
    const LeafForm& first = forms_[open.front()];
    for (std::size_t i = 1; i < std::min(open.size(), kMostTried); ++i) {
      auto along = common_cycle(first, forms_[open[i]], trees_.nodes());
      if (!along) continue;
      const LeafOrder order(*along, trees_.nodes(), first);
      const auto rotates = [&](std::uint32_t tree) {
        return order.rotation(forms_[tree]).has_value();
      };
      if (open.size() == 2 || std::count_if(open.begin(), open.end(), rotates) > 2) return along;
    }
    return std::nullopt;
  }

  /// `leaf`: by leaf from the left, its number in the shape.
  std::size_t shape_of(const LeafForm& form, const std::vector<std::uint32_t>& leaf) {
    auto rows = form.rows;
    for (auto& [a, b] : rows) {
      if (a < leaf.size()) a = leaf[a];
      if (b < leaf.size()) b = leaf[b];
    }
    const auto found = std::find(shapes_.begin(), shapes_.end(), rows);
    const auto shape = static_cast<std::size_t>(found - shapes_.begin());
    if (found == shapes_.end()) shapes_.push_back(std::move(rows));
    return shape;
  }

  const Topology& topology_;
  const SumTrees& trees_;
  std::vector<LeafForm> forms_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> shapes_;
  std::vector<std::vector<NodeId>> orders_;
  std::vector<Place> places_;
};

}  // namespace

std::string sums_document(const Plan& plan, const SumTrees& trees) {
  const SumsForm form(plan, trees);
  const auto period = trees.period();
  const bool repeats = period && *period <= trees.elements();
  std::vector<std::uint32_t> words;
  for (std::uint64_t j = 0; j < (repeats ? *period : trees.elements()); ++j) {
    words.push_back(trees.tree_of(j));
  }
  const std::string numbers = fmt::format("[{}]", fmt::join(words, ","));
  std::string text = "{\n";
  const auto add = [&text](std::string_view key, std::string_view value, bool last = false) {
    text += fmt::format("  \"{}\": {}{}\n", key, value, last ? "" : ",");
  };
  const auto name = [](std::string_view word) { return fmt::format("\"{}\"", word); };
  add("format", name("gossamer-sums"));
  add("version", "1");
  add("type", name(word_type_name(plan.demand.type)));
  add("accumulate", name(word_type_name(plan.demand.accumulate)));
  add("operation", name(operation_name(plan.demand.operation)));
  add("nodes", std::to_string(trees.nodes()));
  add("words", std::to_string(trees.elements()));
  add("same_at_every_node", trees.same_at_every_node() ? "true" : "false");
  add("length_invariant", trees.length_invariant() ? "true" : "false");
  add("period", period ? std::to_string(*period) : "null");
  add("digest", name(hex_text(trees.digest_of_all())));
  add("shapes", form.shapes());
  add("orders", form.orders());
  add("trees", form.places());
  add("words_first", repeats ? "[]" : numbers);
  add("words_then", repeats ? numbers : "[]", true);
  return text + "}\n";
}

std::string sums_listing(const Plan& plan, const SumTrees& trees) {
  std::string text = fmt::format(
      "{} of {}: {}, the same at every node, depth {}", operation_name(plan.demand.operation),
      word_type_name(plan.demand.type), counted(trees.trees(), "tree"), trees.depth());
  if (trees.length_invariant()) text += "; length-invariant";
  if (const auto period = trees.period()) text += fmt::format(", period {}", *period);
  text += fmt::format("\ndigest {}\n", hex_text(trees.digest_of_all()));
  std::map<std::uint32_t, std::string> known;
  for (std::uint64_t word = 0; word < trees.elements(); ++word) {
    const auto [at, is_new] = known.try_emplace(trees.tree_of(word));
    if (is_new) at->second = trees.text(at->first);
    text += fmt::format("word {}: {}\n", word, at->second);
  }
  return text;
}

std::string sum_listing(const SumTrees& trees, std::uint64_t word) {
  const std::uint32_t tree = trees.tree_of(word);
  return fmt::format("word {}: {}\ndigest {}\n", word, trees.text(tree),
                     hex_text(trees.digest(tree)));
}

}  // namespace gossamer
