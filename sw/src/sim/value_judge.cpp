// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/value_judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/plan/link_words.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/float_words.hpp"
#include "gossamer/sim/run.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Runs of vectors of a single word.
constexpr std::uint64_t kMostRuns = 16;
/// Words that are enough for one run.
constexpr std::uint64_t kEnoughWords = 64;

/// Words of all nodes and lanes together that are compared within seconds.
constexpr std::uint64_t kQuickLaneWords = std::uint64_t{1} << 21U;
/// Bits of a value of a Verilated model.
constexpr int kModelBits = 64;

/// The result that a node keeps, as hexadecimal digits.
std::string bits_text(const Arithmetic& arithmetic, std::uint64_t word) {
  const auto format = float_format(arithmetic.own);
  return fmt::format("0x{:0{}x}", word, ((format ? format->bits() : arithmetic.bits) + 3) / 4);
}

/// Lanes of the plan's links; 0 for links without hardware, of which only the costs are known.
int lanes_or_none(const Plan& plan) {
  try {
    return link_words(plan).lanes();
  } catch (const InputError&) {
    return 0;
  } catch (const InfeasibleError&) {
    return 0;
  }
}

/// Lanes that run together, their arithmetic, and whether the order of additions counts.
struct LaneRun {
  LaneRange lanes;
  Arithmetic arithmetic;
  bool in_order = false;
};

/// The words of integers on lanes: operations whose result depends on the order only add.
Arithmetic integers(const Plan& plan, bool only_adds) {
  Arithmetic words = hardware_arithmetic(plan);
  const bool adds = only_adds || is_float(words.type) || plan.demand.needs_one_order();
  if (adds) words.operation = Operation::kSum;
  words.type = words.own = WordType::kUint;
  if (!adds) words.type = words.own = plan.demand.type;
  return words;
}

std::vector<LaneRun> runs_of(const Plan& plan, const SumTrees* trees, RunWords words) {
  const LinkWords link = link_words(plan);
  std::vector<LaneRun> runs;
  const bool rounds = trees != nullptr;
  const bool floats = rounds || picks_floats(plan.demand.operation, plan.demand.accumulate);
  if (words == RunWords::kAsPlanned) {
    if (floats) return {{{0, link.lanes()}, hardware_arithmetic(plan), rounds}};
    return {{{0, link.lanes()}, integers(plan, false), false}};
  }
  for (int lane = 0; floats && lane < link.lanes(); ++lane) {
    runs.push_back({{lane, 1}, hardware_arithmetic(plan), rounds});
  }
  const int together = kModelBits / link.word_bits;
  const bool has_models = link.word_bits == 32 || link.word_bits == 16;
  for (int lane = 0; has_models && link.lanes() > 1 && lane < link.lanes(); lane += together) {
    const int count = std::min(together, link.lanes() - lane);
    // A single lane has no neighbour that could disturb it.
    if (count > 1) runs.push_back({{lane, count}, integers(plan, true), false});
  }
  return runs;
}

}  // namespace

ValueJudge::ValueJudge(const Plan& plan, const SumTrees* trees, const LaneWords& words)
    : plan_(plan),
      trees_(trees),
      lanes_(words),
      contributors_(plan.topology.cores()),
      flits_(run_facts(plan).words_per_piece),
      expected_(plan.demand.pieces * flits_),
      words_(plan.topology.nodes()) {}

std::uint64_t ValueJudge::sum(PacketId word, int lane) {
  const NodeId nodes = plan_.topology.nodes();
  for (NodeId node = 0; node < nodes; ++node) words_[node] = lanes_.contributed(node, word, lane);
  const Arithmetic& arithmetic = lanes_.lane_arithmetic();
  if (trees_ != nullptr) {
    return trees_->evaluate(trees_->tree_of_piece(word / flits_), words_, arithmetic);
  }
  std::optional<std::uint64_t> all;
  for (NodeId node = 0; node < nodes; ++node) {
    if (!plan_.topology.has_core(node)) continue;
    all = all ? arithmetic.combine(*all, words_[node]) : words_[node];
  }
  return all.value_or(0);
}

const std::vector<std::uint64_t>& ValueJudge::expected(PacketId word) {
  std::vector<std::uint64_t>& known = expected_[word];
  for (int lane = static_cast<int>(known.size()); lane < lanes_.lanes(); ++lane) {
    known.push_back(lanes_.lane_arithmetic().result(sum(word, lane)));
  }
  return known;
}

bool ValueJudge::on_links(const LinkView& view) {
  for (const Result& result : view.results) {
    if (result.packet >= expected_.size() || result.terms != contributors_) continue;
    if (!plan_.demand.wants_word(result.node, result.packet / flits_, plan_.demand.pieces,
                                 plan_.topology.nodes())) {
      continue;
    }
    ++compared_;
    const std::vector<std::uint64_t>& right = expected(result.packet);
    const std::vector<std::uint64_t> words = lanes_.words(result.value);
    const Arithmetic& arithmetic = lanes_.lane_arithmetic();
    for (std::size_t lane = 0; lane < right.size(); ++lane) {
      const std::uint64_t value = arithmetic.result(words[lane]);
      if (value == right[lane]) continue;
      difference_ =
          fmt::format("word {}{} at node {}: {}, its {} gives {}", result.packet,
                      right.size() == 1 ? "" : fmt::format(", lane {},", lane), result.node,
                      bits_text(arithmetic, value), trees_ != nullptr ? "tree" : "operation",
                      bits_text(arithmetic, right[lane]));
      return false;
    }
  }
  return true;
}

bool values_show_order(const Plan& plan) {
  return sums_round(plan.demand) && SumTrees::defect(plan, SumTrees::kQuickWords).empty();
}

bool values_show_words(const Plan& plan) {
  // The results of groups and of contexts are those of other networks.
  if (!plan.demand.combines() || plan.demand.groups || !members_of(plan).empty()) return false;
  const int lanes = lanes_or_none(plan);
  const std::uint64_t words =
      plan.demand.pieces * run_facts(plan).words_per_piece * static_cast<std::uint64_t>(lanes);
  const bool picks = picks_floats(plan.demand.operation, plan.demand.accumulate);
  return lanes > (picks ? 0 : 1) && words <= kQuickLaneWords / plan.topology.nodes();
}

std::optional<std::string> compare_values(std::string_view engine, const Plan& plan,
                                          const SumTrees* trees, const EngineOptions& options) {
  const auto& all = engines();
  const auto info = std::find_if(all.begin(), all.end(),
                                 [engine](const EngineInfo& each) { return each.name == engine; });
  if (info == all.end()) return std::nullopt;
  return compare_values(plan, trees, options,
                        info->has_adders ? RunWords::kOfModels : RunWords::kAsPlanned,
                        [&](const EngineOptions& again, std::uint64_t limit,
                            Observer& observer) -> std::optional<std::string> {
                          watch(*make_engine(engine, plan, again), limit, observer);
                          return std::nullopt;
                        });
}

std::optional<std::string> compare_values(const Plan& plan, const SumTrees* trees,
                                          const EngineOptions& options, RunWords words,
                                          const ValueRun& run) {
  EngineOptions again = options;
  again.wave.clear();
  for (const LaneRun& part : runs_of(plan, trees, words)) {
    const std::uint64_t at_once = plan.demand.pieces * static_cast<std::uint64_t>(part.lanes.count);
    const std::uint64_t runs = is_float(part.arithmetic.type)
                                   ? std::clamp<std::uint64_t>(kEnoughWords / at_once, 1, kMostRuns)
                                   : 1;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      Arithmetic arithmetic = part.arithmetic;
      arithmetic.seed = seed;
      LaneWords lanes(plan, part.lanes, arithmetic);
      again.arithmetic = lanes.arithmetic();
      ValueJudge judge(plan, part.in_order ? trees : nullptr, lanes);
      if (auto found = run(again, step_limit(plan), judge)) return found;
      if (judge.difference()) return judge.difference();
      if (judge.compared() == 0) return "no node showed a result of the type's words";
    }
  }
  return std::nullopt;
}

}  // namespace gossamer
