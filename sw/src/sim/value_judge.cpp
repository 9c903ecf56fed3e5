// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/value_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

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

/// The member of a plan of several whose words its links carry: the first one that combines words
/// rather than bits; otherwise the plan.
const Plan& plan_of_words(const Plan& plan) {
  const auto members = members_of(plan);
  const auto found = std::find_if(members.begin(), members.end(), [](const PlanMember& member) {
    return member.plan.demand.combines() && lanes_or_none(member.plan) != 0 &&
           hardware_arithmetic(member.plan).bits > 1;
  });
  return found == members.end() ? plan : found->plan;
}

/// Compares the final words of all members of a plan of several.
class MembersJudge final : public Observer {
 public:
  MembersJudge(const Plan& plan, const LaneWords& words)
      : members_(members_of(plan)), lanes_(words) {
    for (const PlanMember& member : members_) {
      layouts_.emplace_back(member.plan.topology, member.plan.demand.groups);
    }
  }

  bool on_links(const LinkView& view) override {
    for (const Result& result : view.results) {
      if (result.member >= members_.size()) continue;
      const GroupLayout& layout = layouts_[result.member];
      if (!members_[result.member].plan.demand.combines() || result.terms != layout.members()) {
        continue;
      }
      ++compared_;
      if (!compare(result, members_[result.member].plan.demand, layout)) return false;
    }
    return true;
  }
  [[nodiscard]] const std::optional<std::string>& difference() const { return difference_; }
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  bool compare(const Result& result, const Demand& demand, const GroupLayout& layout) {
    const std::vector<std::uint64_t> words = lanes_.words(result.value);
    const Arithmetic& arithmetic = lanes_.lane_arithmetic();
    const PacketId number = demand.place_in_vector(result.packet, layout);
    for (int lane = 0; lane < lanes_.lanes(); ++lane) {
      std::uint64_t all = lanes_.contributed(0, number, lane);
      for (NodeId rank = 1; rank < layout.members(); ++rank) {
        all = arithmetic.combine(all, lanes_.contributed(rank, number, lane));
      }
      const std::uint64_t value = arithmetic.result(words[static_cast<std::size_t>(lane)]);
      if (value == arithmetic.result(all)) continue;
      difference_ =
          fmt::format("collective {}: word {}, lane {}, at node {}: {}, its operation gives {}",
                      result.member, result.packet, lane, result.node, bits_text(arithmetic, value),
                      bits_text(arithmetic, arithmetic.result(all)));
      return false;
    }
    return true;
  }

  std::span<const PlanMember> members_;
  const LaneWords& lanes_;
  std::vector<GroupLayout> layouts_;
  std::uint64_t compared_ = 0;
  std::optional<std::string> difference_;
};

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
  if (const auto members = members_of(plan); !members.empty()) {
    std::uint64_t words = 0;
    for (const PlanMember& member : members) {
      if (!member.plan.demand.combines()) continue;
      words += member.plan.demand.pieces_in_all(plan.topology.nodes());
    }
    const Plan& own = plan_of_words(plan);
    const int lanes = own.demand.combines() ? lanes_or_none(own) : 0;
    return lanes > 1 &&
           words * static_cast<std::uint64_t>(lanes) <= kQuickLaneWords / plan.topology.nodes();
  }
  // The results of groups are those of other networks.
  if (!plan.demand.combines() || plan.demand.groups) return false;
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
  const Plan& own = plan_of_words(plan);
  for (const LaneRun& part : runs_of(own, trees, words)) {
    const std::uint64_t at_once = own.demand.pieces * static_cast<std::uint64_t>(part.lanes.count);
    const std::uint64_t runs = is_float(part.arithmetic.type)
                                   ? std::clamp<std::uint64_t>(kEnoughWords / at_once, 1, kMostRuns)
                                   : 1;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      Arithmetic arithmetic = part.arithmetic;
      arithmetic.seed = seed;
      LaneWords lanes(own, part.lanes, arithmetic);
      again.arithmetic = lanes.arithmetic();
      const auto judged = [&](auto judge) -> std::optional<std::string> {
        if (auto found = run(again, step_limit(plan), judge)) return found;
        if (judge.difference()) return judge.difference();
        if (judge.compared() == 0) return "no node showed a result of the type's words";
        return std::nullopt;
      };
      const auto found = members_of(plan).empty()
                             ? judged(ValueJudge(plan, part.in_order ? trees : nullptr, lanes))
                             : judged(MembersJudge(plan, lanes));
      if (found) return found;
    }
  }
  return std::nullopt;
}

}  // namespace gossamer
