// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/value_judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/float_words.hpp"
#include "gossamer/sim/run.hpp"

namespace gossamer {

namespace {

/// Runs of vectors of a single word.
constexpr std::uint64_t kMostRuns = 16;
/// Words that are enough for one run.
constexpr std::uint64_t kEnoughWords = 64;

/// The result that a node keeps, as hexadecimal digits.
std::string bits_text(const Arithmetic& arithmetic, std::uint64_t word) {
  return fmt::format("0x{:0{}x}", word, float_format(arithmetic.own)->bits() / 4);
}

}  // namespace

ValueJudge::ValueJudge(const Plan& plan, const SumTrees& trees, const Arithmetic& arithmetic)
    : plan_(plan),
      trees_(trees),
      arithmetic_(arithmetic),
      contributors_(plan.topology.cores()),
      flits_(run_facts(plan).flits_per_piece),
      expected_(plan.demand.pieces * flits_),
      words_(plan.topology.nodes()) {}

std::uint64_t ValueJudge::expected(PacketId word) {
  auto& known = expected_[word];
  if (!known) {
    const NodeId nodes = plan_.topology.nodes();
    for (NodeId node = 0; node < nodes; ++node) {
      words_[node] = arithmetic_.word(node, word, expected_.size(), nodes);
    }
    known = arithmetic_.result(
        trees_.evaluate(trees_.tree_of_piece(word / flits_), words_, arithmetic_));
  }
  return *known;
}

bool ValueJudge::on_links(const LinkView& view) {
  for (const Result& result : view.results) {
    if (result.packet >= expected_.size() || result.terms != contributors_) continue;
    if (!plan_.demand.wants_word(result.node, result.packet / flits_, plan_.demand.pieces,
                                 plan_.topology.nodes())) {
      continue;
    }
    ++compared_;
    const std::uint64_t value = arithmetic_.result(result.value);
    if (value == expected(result.packet)) continue;
    difference_ =
        fmt::format("word {} at node {}: {}, its tree gives {}", result.packet, result.node,
                    bits_text(arithmetic_, value), bits_text(arithmetic_, expected(result.packet)));
    return false;
  }
  return true;
}

std::optional<std::string> compare_values(std::string_view engine, const Plan& plan,
                                          const SumTrees& trees, const EngineOptions& options) {
  const auto& all = engines();
  const auto info = std::find_if(all.begin(), all.end(),
                                 [engine](const EngineInfo& each) { return each.name == engine; });
  if (info == all.end() || info->has_adders) return std::nullopt;
  EngineOptions again = options;
  again.wave.clear();
  again.arithmetic = hardware_arithmetic(plan);
  const std::uint64_t runs =
      std::clamp<std::uint64_t>(kEnoughWords / plan.demand.pieces, 1, kMostRuns);
  for (; again.arithmetic.seed < runs; ++again.arithmetic.seed) {
    ValueJudge judge(plan, trees, again.arithmetic);
    watch(*make_engine(engine, plan, again), step_limit(plan), judge);
    if (judge.difference()) return judge.difference();
    if (judge.compared() == 0) return "no node showed a result of the type's words";
  }
  return std::nullopt;
}

}  // namespace gossamer
