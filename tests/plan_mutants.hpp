// SPDX-License-Identifier: Apache-2.0
/// Every change of a single field of a plan's document, and the plans to change.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gossamer/plan/plan_io.hpp"
#include "gossamer/planner/planner.hpp"

namespace gossamer::testing {

/// What other words may stand where a field has one. The keys of lists also name their entries.
inline const std::map<std::string, std::vector<std::string>>& words_of_fields() {
  static const std::map<std::string, std::vector<std::string>> words = {
      {"kind",
       {"prefix-forward", "prefix-reverse", "prefix-two-way", "line-sum", "pack", "route",
        "broadcast", "exchange"}},
      {"class_rule", {"split", "rank", "digit-sum"}},
      {"rule", {"paper", "balanced"}},
      {"to",
       {"every", "ranked-node", "target", "each-node", "each-source", "counts", "root", "owner"}},
      {"from", {"every", "sources", "root"}},
      {"operation", {"copy", "sum", "max", "load", "add", "pass", "cross", "join"}},
      {"ports", {"one-port", "duplex", "fan-out"}},
      {"timing", {"step", "self"}},
      {"port", {"x-", "x+", "y-", "y+"}},
      {"feed", {"x-", "x+", "y-", "y+", "x-/0", "x-/1", "y+/0", "y+/1"}},
      {"early_feed", {"x-", "x+", "y-", "y+"}}};
  return words;
}

/// Calls visit(document) for every single change of numbers, words, flags, rows and phases below
/// "program", "demand" and "expected", and for nodes and cores that die under the program.
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
  const auto walk = [&](const auto& self, const nlohmann::json::json_pointer& at,
                        const std::string& key) -> void {
    const nlohmann::json here = plan.at(at);
    if (here.is_number_integer()) {
      const std::int64_t value = here;
      for (const std::int64_t other :
           {value - 1, value + 1, std::int64_t{0}, std::int64_t{1}, 2 * value}) {
        with(at, other);
      }
    } else if (here.is_string()) {
      const auto words = words_of_fields().find(key);
      if (words == words_of_fields().end()) return;
      for (const std::string& word : words->second) with(at, word);
    } else if (here.is_boolean()) {
      with(at, !bool{here});
    } else if (here.is_object()) {
      for (const auto& [name, value] : here.items()) self(self, at / name, name);
      if (at.parent_pointer().empty() || at.parent_pointer().back() != "phases") return;
      for (const char* flag : {"class_round", "alternate", "wrap"}) {
        nlohmann::json phase = here;
        phase[flag] = true;
        with(at, phase);
      }
    } else if (here.is_array()) {
      for (std::size_t i = 0; i < here.size(); ++i) {
        self(self, at / i, key);
        if (at.back() == "hops" || here.size() == 1) continue;
        nlohmann::json without = here;
        without.erase(i);
        with(at, without);
        nlohmann::json twice = here;
        twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), here[i]);
        with(at, twice);
        if (i + 1 == here.size()) continue;
        nlohmann::json swapped = here;
        std::swap(swapped[i], swapped[i + 1]);
        with(at, swapped);
      }
    }
  };
  for (const char* part : {"program", "demand", "expected"}) {
    walk(walk, nlohmann::json::json_pointer() / part, part);
  }
  for (const char* dead : {"dead_nodes", "dead_cores"}) {
    for (const int node : {0, 3}) {
      nlohmann::json topology = plan["topology"];
      topology[dead].push_back(node);
      with(nlohmann::json::json_pointer("/topology"), topology);
    }
  }
}

/// A plan to damage, as words for the planner's registry.
struct PlanCase {
  std::string topology;
  std::vector<std::uint32_t> sides;
  std::string collective;
  std::string algorithm;
  std::map<std::string, ParameterValue> parameters;
  Faults faults = {};
};

inline nlohmann::json document(const PlanCase& wanted) {
  PlanRequest request{Topology::make(wanted.topology, wanted.sides),
                      wanted.collective,
                      wanted.algorithm,
                      wanted.parameters,
                      {}};
  if (!wanted.faults.empty()) request.topology = request.topology.with_faults(wanted.faults);
  std::ostringstream out;
  write_plan(make_plan(request), out, PlanEncoding::kJson);
  return nlohmann::json::parse(out.str());
}

inline std::vector<PlanCase> queued_cases() {
  const auto active = [](const char* nodes) { return std::pair("active", ParameterValue(nodes)); };
  return {
      {"torus", {4, 4}, "prefix", "tree", {active("random:9:3")}},
      {"mesh", {5, 5}, "prefix", "two-way", {active("random:9:3")}},
      {"mesh", {3, 3, 3}, "prefix", "tree", {active("random:11:3")}},
      {"mesh", {4, 4}, "packing", "greedy", {active("random:7:2")}},
      {"torus", {5, 5}, "packing", "greedy", {active("random:12:2"), {"pack-wrap", true}}},
      {"torus", {3, 3, 3}, "packing", "greedy", {active("random:9:5")}},
      {"mesh", {8}, "packing", "greedy", {active("random:4:1")}},
      {"mesh",
       {4, 4},
       "monotone-routing",
       "greedy",
       {active("random:6:3"), {"targets", "random:6:9"}}},
      {"mesh", {8}, "line-broadcast", "pass-through", {{"counts", "3,0,1,2,0,4,1,0"}}},
      {"torus", {8}, "line-broadcast", "pass-through", {{"counts", "1,0,2,0,0,3,0,1"}}},
      {"torus",
       {6},
       "line-broadcast",
       "pass-through",
       {{"counts", "2,0,3,0,1,4"}, {"splitting", "whole"}, {"sides", "alternate"}}},
      {"torus", {4, 4}, "partial-broadcast", "packed", {active("random:5:1")}},
      {"mesh",
       {5, 5},
       "partial-broadcast",
       "packed",
       {active("random:9:2"), {"splitting", "whole"}}},
      {"torus",
       {4, 4},
       "partial-broadcast",
       "packed",
       {active("random:11:2"),
        {"splitting", "whole"},
        {"sides", "alternate"},
        {"pack-wrap", true},
        {"skip-last", true}}},
      {"mesh",
       {3, 3, 3},
       "partial-broadcast",
       "packed",
       {active("random:10:3"), {"prefix", "two-way"}}},
      {"torus", {4, 4}, "gossip", "multinode-whole", {}},
      {"torus", {3, 3}, "gossip", "multinode-split", {}},
      {"mesh", {5, 5}, "partial-exchange", "rows-columns", {active("random:7:2")}},
      {"torus",
       {4, 4},
       "partial-exchange",
       "rows-columns",
       {active("random:5:2"), {"rule", "balanced"}, {"prefix", "two-way"}}},
      {"mesh", {4, 4}, "partial-gather", "online", {active("random:5:4")}},
  };
}

/// Streams, rings, elastic plans, relays and timetables.
inline std::vector<PlanCase> other_cases() {
  const auto number = [](const char* name, std::int64_t value) {
    return std::pair(name, ParameterValue(value));
  };
  return {
      {"torus", {3, 3}, "gossip", "hamiltonian", {}},
      {"torus", {3, 4}, "gossip", "two-packet", {}},
      {"torus", {4, 4}, "gossip", "one-packet", {}},
      {"torus", {4, 4}, "gossip", "degraded", {}, {{}, {}, {5 * 4 + 1, 6 * 4}}},
      {"torus", {3, 3}, "gossip", "whole-cycles", {}, {{}, {4}, {}}},
      {"mesh", {3, 2}, "gossip", "tree", {number("packets", 2)}, {{}, {1}, {}}},
      {"mesh", {3, 3}, "gossip", "scheduled", {}, {{8}, {4}, {}}},
      {"mesh", {3, 4}, "gossip", "array", {}},
      {"mesh", {3, 3}, "gossip", "tree", {}},
      {"mesh", {3, 3}, "gossip", "in-out", {}},
      {"mesh", {3, 3}, "gossip", "folded", {}},
      {"torus", {3, 3}, "gossip", "scheduled", {}},
      {"mesh", {3, 3}, "gossip", "scheduled", {}},
      {"torus", {3, 3}, "gossip", "hierarchical", {}},
      {"torus", {3, 3}, "all-to-all", "isotropic", {}},
      {"torus", {4, 2}, "all-to-all", "isotropic", {}},
      {"torus", {4}, "all-to-all", "parity", {}},
      {"torus", {3, 2}, "all-reduce", "scheduled", {number("packets", 1)}},
      {"torus", {3, 3}, "gossip", "hamiltonian", {{"elastic", true}, number("flits", 2)}},
      {"mesh",
       {3, 4},
       "gossip",
       "array",
       {{"elastic", true}, number("flits", 2), {"link-latency", "x=2,y=1"}}},
      {"mesh", {4, 4}, "broadcast", "eye", {{"source", "1,2"}}},
      {"torus",
       {4, 4},
       "broadcast",
       "eye",
       {{"source", "1,2"}, number("flits", 3), number("relay-cycles", 1)}},
      {"mesh", {4, 4}, "broadcast", "figure2", {{"source", "1,1"}, {"timing", "step"}}},
      {"torus",
       {3, 4},
       "broadcast",
       "min-tcd",
       {{"timing", "step"}, number("hop-cycles", 2), number("relay-cycles", 1)}},
      {"mesh", {4, 3}, "broadcast", "tree", {number("flits", 2)}},
      {"torus", {3, 3}, "broadcast", "tree", {}},
      {"torus", {3, 3}, "broadcast", "xy-unicast", {}},
      {"torus", {4, 4}, "broadcast", "disjoint-trees", {number("packets", 4)}},
      {"torus", {3, 3}, "reduce-scatter", "hamiltonian", {}},
      {"torus", {2, 4}, "all-reduce", "hamiltonian", {}},
      {"mesh", {3, 4}, "all-reduce", "array", {}},
      {"mesh", {3, 3}, "reduce-scatter", "folded", {}},
      {"mesh", {4, 3}, "all-reduce", "line-sum", {}},
      {"torus", {3, 3}, "all-reduce", "rings", {}},
      {"torus", {4, 4}, "all-reduce", "partners", {}},
      {"torus", {4, 4}, "all-reduce", "eye-exchange", {}},
      {"torus", {4, 4}, "all-reduce", "leaders", {}},
      {"mesh", {4, 2}, "all-reduce", "eye", {number("flits", 3)}},
      {"mesh", {4, 4}, "reduce", "eye", {}},
      {"mesh", {3, 3}, "reduce", "min-tcd", {}},
      {"mesh", {3, 3}, "all-reduce", "three-trees", {number("words", 4)}},
      {"torus", {3, 3}, "reduce", "disjoint-trees", {number("words", 5)}},
      {"mesh", {3, 2}, "all-reduce", "scheduled", {}},
      {"mesh", {3, 3}, "partial-gather", "reversed", {{"active", std::string("random:3:4")}}},
  };
}

}  // namespace gossamer::testing
