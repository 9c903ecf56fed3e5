// SPDX-License-Identifier: Apache-2.0
/// Every change of a single field of a queued plan's document, and the plans to change.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gossamer::testing {

/// What other words may stand where a field has one.
inline const std::map<std::string, std::vector<std::string>>& words_of_fields() {
  static const std::map<std::string, std::vector<std::string>> words = {
      {"kind",
       {"prefix-forward", "prefix-reverse", "prefix-two-way", "line-sum", "pack", "route",
        "broadcast", "exchange", "moves"}},
      {"class_rule", {"split", "rank", "digit-sum"}},
      {"rule", {"paper", "balanced"}},
      {"to", {"every", "ranked-node", "target", "each-node", "each-source", "counts"}},
      {"from", {"every", "sources"}}};
  return words;
}

/// Calls visit(document) for every single change of numbers, words, flags, rows and phases below
/// "program", "demand" and "expected".
template <typename Visit>
void for_each_mutant(const nlohmann::json& plan, Visit visit) {
  nlohmann::json copy = plan;
  const auto with = [&](const nlohmann::json::json_pointer& at, const nlohmann::json& value) {
    const nlohmann::json old = copy[at];
    if (value == old) return;
    copy[at] = value;
    visit(copy);
    copy[at] = old;
  };
  const auto walk = [&](const auto& self, const nlohmann::json::json_pointer& at) -> void {
    const nlohmann::json here = plan.at(at);
    if (here.is_number_integer()) {
      const std::int64_t value = here;
      for (const std::int64_t other :
           {value - 1, value + 1, std::int64_t{0}, std::int64_t{1}, 2 * value}) {
        with(at, other);
      }
    } else if (here.is_string()) {
      const auto words = words_of_fields().find(at.back());
      if (words == words_of_fields().end()) return;
      for (const std::string& word : words->second) with(at, word);
    } else if (here.is_boolean()) {
      with(at, !bool{here});
    } else if (here.is_object()) {
      for (const auto& [key, value] : here.items()) self(self, at / key);
      if (at.parent_pointer().empty() || at.parent_pointer().back() != "phases") return;
      for (const char* flag : {"class_round", "alternate", "wrap"}) {
        nlohmann::json phase = here;
        phase[flag] = true;
        with(at, phase);
      }
    } else if (here.is_array()) {
      for (std::size_t i = 0; i < here.size(); ++i) {
        self(self, at / i);
        if (at.back() == "hops" || here.size() == 1) continue;
        nlohmann::json without = here;
        without.erase(i);
        with(at, without);
        if (i + 1 == here.size()) continue;
        nlohmann::json swapped = here;
        std::swap(swapped[i], swapped[i + 1]);
        with(at, swapped);
      }
    }
  };
  for (const char* part : {"program", "demand", "expected"}) {
    walk(walk, nlohmann::json::json_pointer() / part);
  }
}

/// A plan to damage, as words for the command line (and for the planner's registry).
struct QueuedCase {
  std::string topology;
  std::vector<std::uint32_t> sides;
  std::string collective;
  std::string algorithm;
  std::map<std::string, std::string> options;
  std::vector<std::string> flags;
};

inline std::vector<QueuedCase> queued_cases() {
  return {
      {"torus", {4, 4}, "prefix", "tree", {{"active", "random:9:3"}}, {}},
      {"mesh", {5, 5}, "prefix", "two-way", {{"active", "random:9:3"}}, {}},
      {"mesh", {3, 3, 3}, "prefix", "tree", {{"active", "random:11:3"}}, {}},
      {"mesh", {4, 4}, "packing", "greedy", {{"active", "random:7:2"}}, {}},
      {"torus", {5, 5}, "packing", "greedy", {{"active", "random:12:2"}}, {"pack-wrap"}},
      {"torus", {3, 3, 3}, "packing", "greedy", {{"active", "random:9:5"}}, {}},
      {"mesh", {8}, "packing", "greedy", {{"active", "random:4:1"}}, {}},
      {"mesh",
       {4, 4},
       "monotone-routing",
       "greedy",
       {{"active", "random:6:3"}, {"targets", "random:6:9"}},
       {}},
      {"mesh", {8}, "line-broadcast", "pass-through", {{"counts", "3,0,1,2,0,4,1,0"}}, {}},
      {"torus", {8}, "line-broadcast", "pass-through", {{"counts", "1,0,2,0,0,3,0,1"}}, {}},
      {"torus",
       {6},
       "line-broadcast",
       "pass-through",
       {{"counts", "2,0,3,0,1,4"}, {"splitting", "whole"}, {"sides", "alternate"}},
       {}},
      {"torus", {4, 4}, "partial-broadcast", "packed", {{"active", "random:5:1"}}, {}},
      {"mesh",
       {5, 5},
       "partial-broadcast",
       "packed",
       {{"active", "random:9:2"}, {"splitting", "whole"}},
       {}},
      {"torus",
       {4, 4},
       "partial-broadcast",
       "packed",
       {{"active", "random:11:2"}, {"splitting", "whole"}, {"sides", "alternate"}},
       {"pack-wrap", "skip-last"}},
      {"mesh",
       {3, 3, 3},
       "partial-broadcast",
       "packed",
       {{"active", "random:10:3"}, {"prefix", "two-way"}},
       {}},
      {"torus", {4, 4}, "gossip", "multinode-whole", {}, {}},
      {"torus", {3, 3}, "gossip", "multinode-split", {}, {}},
      {"mesh", {5, 5}, "partial-exchange", "rows-columns", {{"active", "random:7:2"}}, {}},
      {"torus",
       {4, 4},
       "partial-exchange",
       "rows-columns",
       {{"active", "random:5:2"}, {"rule", "balanced"}, {"prefix", "two-way"}},
       {}},
      {"mesh", {4, 4}, "partial-gather", "online", {{"active", "random:5:4"}}, {}},
      {"mesh", {3, 3}, "partial-gather", "reversed", {{"active", "random:3:4"}}, {}},
  };
}

}  // namespace gossamer::testing
