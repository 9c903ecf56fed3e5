// SPDX-License-Identifier: Apache-2.0
/// Reductions and total exchange as the registry calls them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "algorithm_lists.hpp"
#include "gossamer/bounds/broadcast.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/all_gather/array.hpp"
#include "gossamer/collectives/all_gather/degraded.hpp"
#include "gossamer/collectives/all_gather/folded.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/all_to_all/isotropic.hpp"
#include "gossamer/collectives/all_to_all/routed.hpp"
#include "gossamer/collectives/broadcast/eye.hpp"
#include "gossamer/collectives/broadcast/min_tcd.hpp"
#include "gossamer/collectives/reduce/cores.hpp"
#include "gossamer/collectives/reduce/cycles.hpp"
#include "gossamer/collectives/reduce/forest.hpp"
#include "gossamer/collectives/reduce/lines.hpp"
#include "gossamer/collectives/reduce/packing.hpp"
#include "gossamer/collectives/reduce/relays.hpp"
#include "gossamer/collectives/reduce/timetables.hpp"
#include "gossamer/collectives/reduce/trees.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

constexpr std::int64_t kMostWords = std::int64_t{1} << 40;
constexpr std::int64_t kMostLinkBits = 64;

Operation operation_of(const PlanRequest& request) {
  const auto name = text_option(request, "operation");
  if (!name) return Operation::kSum;
  const auto known = operation_names();
  const auto found = std::find(known.begin(), known.end(), *name);
  // After the one that does not combine.
  if (found != known.end()) return static_cast<Operation>(found - known.begin() + 1);
  throw InputError(fmt::format("--operation: \"{}\" is unknown{}; there is {}", name->substr(0, 40),
                               did_you_mean(*name, {known.begin(), known.end()}),
                               joined(known, ", ")));
}

/// The type that an option names; `standard` without the option.
WordType type_of(const PlanRequest& request, std::string_view option, WordType standard) {
  const auto name = text_option(request, option);
  if (!name) return standard;
  const auto* const found = std::find(kWordTypeNames.begin(), kWordTypeNames.end(), *name);
  if (found != kWordTypeNames.end()) return static_cast<WordType>(found - kWordTypeNames.begin());
  throw InputError(fmt::format("--{}: \"{}\" is unknown; there is {}", option, name->substr(0, 40),
                               joined(kWordTypeNames, ", ")));
}

/// Throws InputError for combinations without a meaning.
Combining combining_of(const PlanRequest& request) {
  const WordType type = type_of(request, "type", WordType::kUint);
  const Combining combining(operation_of(request), type, type_of(request, "accumulate", type));
  if (const std::string defect = combining_defect(combining); !defect.empty()) {
    throw InputError("--" + defect);
  }
  const auto format = float_format(combining.accumulate);
  if (!format) return combining;
  const auto link_bits = number_option(request, "link-bits", 1, kMostLinkBits);
  if (link_bits && *link_bits != format->bits()) {
    throw InputError(fmt::format("--link-bits: {} words have {} bits, not {}",
                                 word_type_name(combining.accumulate), format->bits(), *link_bits));
  }
  if (request.topology.cores() < 2) {
    throw InfeasibleError(fmt::format("{}: one node adds nothing", word_type_name(type)));
  }
  return combining;
}

/// Whether trees must not depend on the length of the vector: --invariant length.
bool is_invariant(const PlanRequest& request) {
  const auto property = text_option(request, "invariant");
  if (!property) return false;
  if (*property == "length") return true;
  throw InputError(
      fmt::format("--invariant: \"{}\" is unknown; there is length", property->substr(0, 40)));
}

/// For algorithms whose trees depend on the length.
void refuse_invariance(const PlanRequest& request, std::string_view algorithm) {
  if (!is_invariant(request)) return;
  const bool cycles = request.topology.is_torus() && request.collective != "reduce";
  throw InfeasibleError(
      fmt::format("{}: its trees depend on the length; nearest feasible: --algorithm {}", algorithm,
                  cycles                                   ? "hamiltonian"
                  : request.collective == "reduce"         ? "disjoint-trees"
                  : request.collective == "reduce-scatter" ? "folded"
                                                           : "tree"));
}

/// Records what the request says about words.
Plan with_words_as_asked(Plan plan, const PlanRequest& request) {
  const Demand& demand = plan.demand;
  if (is_float(demand.type)) {
    plan.parameters["type"] = std::string(word_type_name(demand.type));
    plan.parameters["link-bits"] = std::int64_t{float_format(demand.accumulate)->bits()};
    if (demand.accumulate != demand.type) {
      plan.parameters["accumulate"] = std::string(word_type_name(demand.accumulate));
    }
  } else {
    if (demand.type != WordType::kUint) {
      plan.parameters["type"] = std::string(word_type_name(demand.type));
    }
    if (const auto bits = number_option(request, "link-bits", 1, kMostLinkBits)) {
      plan.parameters["link-bits"] = *bits;
    }
  }
  if (demand.operation != Operation::kSum) {
    plan.parameters["operation"] = std::string(operation_name(demand.operation));
  }
  if (is_invariant(request)) {
    plan.parameters["invariant"] = std::string("length");
  } else if (!is_float(demand.type)) {
    // Documents of integers promise it where it was asked for.
    plan.expected.length_invariant.reset();
    plan.expected.sum_period.reset();
  } else if (!plan.expected.length_invariant) {
    plan.expected.length_invariant = false;
  }
  return plan;
}

ReduceTo target_of(const PlanRequest& request) {
  return request.collective == "reduce-scatter" ? ReduceTo::kOwner : ReduceTo::kEveryNode;
}

/// Blocks per node: --packets K, or as many as --words M need; d by default.
std::uint32_t blocks_of(const PlanRequest& request) {
  const auto packets = packets_option(request);
  const auto words = number_option<std::uint64_t>(request, "words", 1, kMostWords);
  if (packets && words) {
    throw InputError("--words: --packets also determines it; give only one of them");
  }
  if (packets) return *packets;
  if (!words) return static_cast<std::uint32_t>(request.topology.dimensions());
  const std::uint64_t k = bounds::ceil_div(*words, request.topology.cores());
  if (k > kMaxPacketsPerNode) {
    throw InfeasibleError(
        fmt::format("{} words are {} blocks per node, the limit is {}; nearest feasible: "
                    "{} words, or an algorithm that sends words one by one (tree, packing)",
                    *words, k, kMaxPacketsPerNode,
                    std::uint64_t{kMaxPacketsPerNode} * request.topology.cores()));
  }
  return static_cast<std::uint32_t>(k);
}

/// Records the number of requested words, to which the plan's bound refers.
Plan with_words(Plan plan, const PlanRequest& request) {
  if (const auto words = number_option<std::uint64_t>(request, "words", 1, kMostWords)) {
    plan.parameters["words"] = static_cast<std::int64_t>(*words);
    plan.expected.lower_bound_steps = bounds::lower_bound(plan);
  }
  return plan;
}

Plan on_cycles(const Plan& gossip, const PlanRequest& request) {
  Plan plan = plan_cycle_reduction(gossip, {blocks_of(request), target_of(request),
                                            combining_of(request), is_invariant(request)});
  return with_words_as_asked(with_words(std::move(plan), request), request);
}

Plan reduce_hamiltonian(const PlanRequest& request) {
  return on_cycles(plan_hamiltonian(request.topology, {}), request);
}

/// On the remains of Hamiltonian cycles after faults.
Plan reduce_degraded(const PlanRequest& request) {
  const Topology& topology = request.topology;
  if (!topology.faults().dead_cores.empty()) {
    throw InfeasibleError(
        "degraded: a router that forwards a sum adds to it, but a dead core has nothing to add; "
        "nearest "
        "feasible: --algorithm scheduled");
  }
  if (request.collective == "reduce-scatter" && topology.live_nodes() != topology.nodes()) {
    throw InfeasibleError(
        "degraded: a reduce-scatter deals blocks to all nodes, but a dead node owns none; nearest "
        "feasible: --algorithm scheduled");
  }
  const auto wiring = [&topology] {
    try {
      Plan plan = plan_whole_cycles(topology, {});
      plan.algorithm = "degraded";
      return plan;
    } catch (const InfeasibleError&) {
      throw InfeasibleError(
          "degraded: partial sums need a cycle of live two-way links that visits every live node "
          "once, and none was found; nearest feasible: --algorithm scheduled");
    }
  };
  return on_cycles(wiring(), request);
}

Plan reduce_array(const PlanRequest& request) {
  return on_cycles(plan_array(request.topology, {}), request);
}

Plan reduce_folded(const PlanRequest& request) {
  if (!request.topology.is_mesh()) {
    throw InfeasibleError("folded: lays a torus on a mesh; nearest feasible: --topology mesh");
  }
  return plan_folded(make_plan({Topology::torus(request.topology.sides()), request.collective,
                                "hamiltonian", request.parameters, request.progress}));
}

std::uint64_t words_of(const PlanRequest& request, std::uint64_t standard) {
  return number_option<std::uint64_t>(request, "words", 1, kMostWords).value_or(standard);
}

Plan line_sum(const PlanRequest& request) {
  refuse_invariance(request, "line-sum");
  Plan plan = plan_line_sum(request.topology, {words_of(request, 1), combining_of(request)});
  return with_words_as_asked(std::move(plan), request);
}

Plan lines(const PlanRequest& request) {
  Plan plan = plan_lines(request.topology, {.words = words_of(request, 1),
                                            .operation = combining_of(request),
                                            .length_invariant = is_invariant(request)});
  return with_words_as_asked(std::move(plan), request);
}

Plan cores(const PlanRequest& request) {
  refuse_invariance(request, "cores");
  const auto standard = static_cast<std::uint64_t>(request.topology.dimensions());
  Plan plan = plan_cores(request.topology, {words_of(request, standard), combining_of(request)});
  return with_words_as_asked(std::move(plan), request);
}

/// `most_steps`: more are of no use; nothing where a plan is wanted at any price.
Plan forest_of(const PlanRequest& request, std::uint32_t effort,
               std::optional<std::uint64_t> most_steps) {
  refuse_invariance(request, "forest");
  const auto standard = static_cast<std::uint64_t>(request.topology.dimensions());
  Plan plan =
      plan_forest(request.topology, {words_of(request, standard), combining_of(request),
                                     seed_option(request), effort, most_steps, request.progress});
  return with_words_as_asked(std::move(plan), request);
}

Plan forest(const PlanRequest& request) {
  const auto effort = number_option<std::uint32_t>(request, "effort", 1, kMostForestEffort);
  return forest_of(request, effort.value_or(ForestOptions{}.effort), std::nullopt);
}

Plan rings(const PlanRequest& request) {
  const Topology& topology = request.topology;
  const std::uint64_t standard =
      std::uint64_t{topology.side(0)} * static_cast<std::uint64_t>(topology.dimensions());
  Plan plan = plan_rings(topology, {.words = words_of(request, standard),
                                    .operation = combining_of(request),
                                    .length_invariant = is_invariant(request)});
  return with_words_as_asked(with_words(std::move(plan), request), request);
}

Plan reduce_by_line_sum(const PlanRequest& request) {
  refuse_invariance(request, "line-sum");
  Plan plan = plan_line_sum(request.topology,
                            {words_of(request, 1), combining_of(request), root_option(request)});
  return with_words_as_asked(std::move(plan), request);
}

TreeReductionOptions tree_options(const PlanRequest& request) {
  return {words_of(request, 1), combining_of(request), is_invariant(request)};
}

Plan tree(const PlanRequest& request) {
  return with_words_as_asked(plan_tree(request.topology, tree_options(request)), request);
}

Plan three_trees(const PlanRequest& request) {
  return with_words_as_asked(plan_three_trees(request.topology, tree_options(request)), request);
}

Plan by_packing(const PlanRequest& request) {
  const auto frame = number_option<std::uint32_t>(request, "frame", 1, kMostPackedFrame);
  return with_words_as_asked(plan_packing(request.topology, tree_options(request), frame), request);
}

/// One table for all steps.
Plan by_fixed_packing(const PlanRequest& request) {
  return with_words_as_asked(plan_packing(request.topology, tree_options(request), 1), request);
}

Plan reduce_by_tree(const PlanRequest& request) {
  return with_words_as_asked(
      plan_tree_reduction(request.topology, root_option(request), tree_options(request)), request);
}

Plan reduce_by_disjoint_trees(const PlanRequest& request) {
  return with_words_as_asked(
      plan_disjoint_tree_reduction(request.topology, root_option(request), tree_options(request)),
      request);
}

Plan reduce_by_cycles(const PlanRequest& request) {
  refuse_invariance(request, "hamiltonian");
  Plan plan = plan_cycle_reduce(
      request.topology, {root_option(request), words_of(request, 1), combining_of(request)});
  return with_words_as_asked(std::move(plan), request);
}

Plan barrier(const PlanRequest& request) {
  Plan plan = plan_line_sum(request.topology, {1, Operation::kAnd});
  plan.collective = "barrier";
  plan.parameters["link-bits"] = std::int64_t{1};
  return plan;
}

Plan barrier_on_cycle(const PlanRequest& request) {
  return plan_cycle_barrier(plan_hamiltonian(request.topology, {}));
}

template <Plan (*broadcast)(const Topology&, const BroadcastOptions&)>
Plan relayed_reduce(const PlanRequest& request) {
  const Plan informs = broadcast(request.topology, {root_option(request), clock_options(request)});
  return with_words_as_asked(plan_relayed_reduce(informs, combining_of(request)), request);
}

/// By `eye` from an eye of a mesh; a torus has no better node than another.
Plan relayed_by_eye(const PlanRequest& request) {
  const NodeId middle = request.topology.is_mesh() ? nearest_eye(request.topology, 0) : 0;
  const Plan informs = plan_eye(request.topology, {middle, clock_options(request)});
  return with_words_as_asked(plan_relayed_all_reduce(informs, combining_of(request)), request);
}

/// By `min-tcd` from the node in the middle.
Plan relayed_by_cuts(const PlanRequest& request) {
  Coordinates middle{};
  for (int dim = 0; dim < request.topology.dimensions(); ++dim) {
    middle[static_cast<std::size_t>(dim)] = request.topology.side(dim) / 2;
  }
  const Plan informs =
      plan_min_tcd(request.topology, {request.topology.node(middle), clock_options(request)});
  return with_words_as_asked(plan_relayed_all_reduce(informs, combining_of(request)), request);
}

template <Plan (*planner)(const Topology&, const RelayReductionOptions&)>
Plan relayed(const PlanRequest& request) {
  return with_words_as_asked(
      planner(request.topology, {clock_options(request), combining_of(request)}), request);
}

/// An all-reduce of one bit by and.
template <Plan (*planner)(const PlanRequest&)>
Plan relayed_barrier(const PlanRequest& request) {
  PlanRequest one_bit = request;
  one_bit.parameters["operation"] = std::string(operation_name(Operation::kAnd));
  one_bit.parameters["link-bits"] = std::int64_t{1};
  Plan plan = planner(one_bit);
  plan.collective = "barrier";
  return plan;
}

/// Finds the plan with the fewest steps; of equals the first.
class Contest {
 public:
  /// Algorithms that cannot win are skipped.
  void enter(std::string_view name, const std::function<Plan(const PlanRequest&)>& planner,
             const PlanRequest& request) {
    if (meets_bound()) return;
    try {
      Plan plan = planner(request);
      const std::uint64_t steps = *plan.expected.analytic_steps;
      comparison_ += fmt::format("{}{} {}", comparison_.empty() ? "" : ", ", name, steps);
      if (!best_ || steps < *best_->expected.analytic_steps) best_ = std::move(plan);
    } catch (const InfeasibleError& error) {
      failure_ = error.what();
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> best_steps() const {
    return best_ ? best_->expected.analytic_steps : std::nullopt;
  }
  /// A plan of so many steps would be the best one.
  [[nodiscard]] bool wins(std::uint64_t steps) const {
    return !best_ || steps < *best_->expected.analytic_steps;
  }
  [[nodiscard]] bool has_plan() const { return best_.has_value(); }
  [[nodiscard]] bool meets_bound() const { return best_ && best_->expected.meets_bound(); }
  /// The plan, with the reason.
  Plan winner() {
    if (!best_) throw InfeasibleError(failure_);
    best_->parameters["requested"] = std::string("auto");
    best_->parameters["reason"] = "fewest steps of: " + comparison_;
    best_->parameters["gap"] = static_cast<std::int64_t>(*best_->expected.analytic_steps -
                                                         *best_->expected.lower_bound_steps);
    return std::move(*best_);
  }

 private:
  std::optional<Plan> best_;
  std::string comparison_;
  std::string failure_;
};

/// Restarts of a search that `auto` makes.
constexpr std::uint32_t kQuickEffort = 500;

/// Nodes up to which `auto` looks for packed trees: a search of seconds.
constexpr NodeId kMostPacked = 256;

Plan reduce_scheduled(const PlanRequest& request) {
  refuse_invariance(request, "scheduled");
  const std::uint32_t k = blocks_of(request);
  const std::uint32_t block = number_option<std::uint32_t>(request, "block", 1, k).value_or(k);
  if (request.parameters.contains("block") && request.topology.has_equal_links()) {
    throw InputError("--block: only with links that are not equally fast");
  }
  if (k % block != 0) {
    throw InfeasibleError(fmt::format(
        "--block: {} blocks of each node are no multiple of {}; nearest feasible: --packets {}", k,
        block, (k / block + 1) * block));
  }
  Plan plan = plan_timetable_reduction(
      request.topology,
      {k, target_of(request), seed_option(request), combining_of(request), block == k ? 0 : block});
  return with_words_as_asked(with_words(std::move(plan), request), request);
}

/// The number of words that the request means, for all-reduces without blocks.
PlanRequest all_words(const PlanRequest& request) {
  PlanRequest by_words = request;
  if (by_words.parameters.erase("packets") != 0 || !request.parameters.contains("words")) {
    by_words.parameters["words"] =
        static_cast<std::int64_t>(std::uint64_t{blocks_of(request)} * request.topology.cores());
  }
  return by_words;
}

/// All-reduces around faults. A memory of the vector in every router is for networks without a
/// cycle.
Plan best_round_faults(const PlanRequest& request) {
  const PlanRequest by_words = all_words(request);
  Contest contest;
  contest.enter("degraded", reduce_degraded, request);
  const bool has_cycle = contest.has_plan();
  if (!contest.meets_bound()) {
    contest.enter("tree", tree, by_words);
    if (request.topology.nodes() <= kMostPacked) contest.enter("packing", by_packing, by_words);
  }
  if (!has_cycle) contest.enter("scheduled", reduce_scheduled, request);
  return contest.winner();
}

/// Links that are not equally fast.
Plan best_on_unequal_links(const PlanRequest& request) {
  Contest contest;
  contest.enter("lines", lines, all_words(request));
  contest.enter("scheduled", reduce_scheduled, request);
  return contest.winner();
}

/// Takes the first algorithm that supports the network.
class Preference {
 public:
  void enter(std::string_view name, const std::function<Plan(const PlanRequest&)>& planner,
             const PlanRequest& request) {
    if (plan_) return;
    try {
      plan_ = planner(request);
      tried_ += fmt::format("{}{}", tried_.empty() ? "" : ", ", name);
    } catch (const InfeasibleError& error) {
      tried_ += fmt::format("{}no {}", tried_.empty() ? "" : ", ", name);
      failure_ = error.what();
    }
  }
  /// The plan, with the reason.
  Plan chosen() {
    if (!plan_) throw InfeasibleError(failure_);
    plan_->parameters["requested"] = std::string("auto");
    plan_->parameters["reason"] = "by the network alone: " + tried_;
    return std::move(*plan_);
  }

 private:
  std::optional<Plan> plan_;
  std::string tried_;
  std::string failure_;
};

/// The plan for trees that do not depend on the length: neither does the choice.
Plan invariant_reduction(const PlanRequest& request) {
  const PlanRequest by_words = all_words(request);
  const Topology& topology = request.topology;
  Preference order;
  if (!topology.is_healthy()) order.enter("degraded", reduce_degraded, request);
  if (topology.is_healthy() && topology.is_torus()) {
    order.enter("hamiltonian", reduce_hamiltonian, request);
  }
  if (target_of(request) == ReduceTo::kOwner) {
    order.enter("array", reduce_array, request);
    order.enter("folded", reduce_folded, request);
    return order.chosen();
  }
  if (topology.is_mesh() && topology.is_healthy() && topology.dimensions() == 2) {
    const bool searches = topology.nodes() <= kMostPacked;
    if (searches) order.enter("packing", by_packing, by_words);
    order.enter("three-trees", three_trees, by_words);
  }
  order.enter("tree", tree, by_words);
  return order.chosen();
}

/// The plan with the fewest steps for the shape and the vector, and the reason. Among equals the
/// one with the least hardware per router: searches come last, and only where no other algorithm
/// meets the bound.
Plan best_reduction(const PlanRequest& request) {
  if (is_invariant(request)) return invariant_reduction(request);
  if (!request.topology.is_healthy()) return best_round_faults(request);
  if (!request.topology.has_equal_links()) return best_on_unequal_links(request);
  const bool timetables = !flag_option(request, "time-independent");
  const bool searches = timetables && request.topology.nodes() <= kMostPacked;
  const PlanRequest by_words = all_words(request);
  Contest contest;
  if (target_of(request) == ReduceTo::kEveryNode) {
    contest.enter("line-sum", line_sum, by_words);
    contest.enter("rings", rings, by_words);
  }
  contest.enter("hamiltonian", reduce_hamiltonian, request);
  contest.enter("array", reduce_array, request);
  contest.enter("folded", reduce_folded, request);
  if (target_of(request) == ReduceTo::kEveryNode) {
    if (timetables) contest.enter("cores", cores, by_words);
    if (timetables) contest.enter("lines", lines, by_words);
    contest.enter("tree", tree, by_words);
    if (timetables) contest.enter("three-trees", three_trees, by_words);
  }
  if (searches) contest.enter("scheduled", reduce_scheduled, request);
  const bool packs =
      request.topology.nodes() <= kMostPacked && target_of(request) == ReduceTo::kEveryNode;
  if (packs) contest.enter("packing", timetables ? by_packing : by_fixed_packing, by_words);
  if (packs && timetables && words_of(by_words, 0) <= 4 * std::uint64_t{request.topology.nodes()}) {
    const auto effort = number_option<std::uint32_t>(request, "effort", 1, kMostForestEffort);
    const auto most_steps = contest.best_steps();
    contest.enter(
        "forest",
        [&](const PlanRequest& words) {
          return forest_of(words, effort.value_or(kQuickEffort),
                           most_steps ? std::optional(*most_steps - 1) : std::nullopt);
        },
        by_words);
  }
  return contest.winner();
}

Plan best_reduce(const PlanRequest& request) {
  if (is_invariant(request)) {
    Preference order;
    order.enter("disjoint-trees", reduce_by_disjoint_trees, request);
    order.enter("tree", reduce_by_tree, request);
    return order.chosen();
  }
  Contest contest;
  contest.enter("line-sum", reduce_by_line_sum, request);
  contest.enter("disjoint-trees", reduce_by_disjoint_trees, request);
  const Topology& topology = request.topology;
  if (topology.is_torus() &&
      contest.wins(bounds::hamiltonian_message_steps(topology, words_of(request, 1)))) {
    contest.enter("hamiltonian", reduce_by_cycles, request);
  }
  return contest.winner();
}

Plan isotropic(const PlanRequest& request) { return plan_isotropic(request.topology); }
Plan parity(const PlanRequest& request) { return plan_parity(request.topology); }
Plan routed_exchange(const PlanRequest& request) { return plan_routed_exchange(request.topology); }

/// Among equals the one with the fewest ROMs. Options that were not given do not count: on a
/// healthy torus the other two meet the bound, and shortest paths of all packets take longer to
/// plan.
Plan best_exchange(const PlanRequest& request) {
  Contest contest;
  contest.enter("isotropic", isotropic, request);
  contest.enter("parity", parity, request);
  if (!contest.has_plan()) contest.enter("scheduled", routed_exchange, request);
  return contest.winner();
}

constexpr std::string_view kVector = "packets words operation type accumulate link-bits invariant";
constexpr std::string_view kChosenVector =
    "packets words operation type accumulate link-bits invariant seed effort time-independent";
constexpr std::string_view kElasticVector =
    "packets words operation type accumulate link-bits invariant elastic flits chunk slots "
    "link-latency";
constexpr std::string_view kWords = "words operation type accumulate link-bits invariant";
constexpr std::string_view kWordsTo = "words operation type accumulate link-bits invariant source";
constexpr std::string_view kMessage =
    "flits hop-cycles relay-cycles operation type accumulate link-bits invariant";
constexpr std::string_view kMessageTo =
    "source flits hop-cycles relay-cycles operation type accumulate link-bits invariant";
constexpr std::string_view kBit = "hop-cycles relay-cycles";

/// Of Algorithm::word_by_word.
constexpr bool kWordByWord = true;

constexpr auto kAlgorithms = std::to_array<Algorithm>({
    {"reduce-scatter", Shapes::kTorus, "hamiltonian",
     "partial sums on d edge-disjoint Hamiltonian cycles, the wiring of the all-gather",
     "torus, where all-gather hamiltonian applies; k blocks per node: ceil(m (P-1) / 2) steps, m = "
     "ceil(k / d), the lower bound when d divides k; buffer 1; one operation per step",
     kElasticVector, "ring elastic", reduce_hamiltonian},
    {"reduce-scatter", Shapes::kFaulty, "degraded",
     "the same on the cycles that dead links leave, or on one found by search",
     "dead links only; c cycles: ceil(m (P-1) / 2) steps, m = ceil(k / c), c = d - 1 for up to "
     "about four dead links on a torus; buffer 1",
     kElasticVector, "ring elastic", reduce_degraded},
    {"reduce-scatter", Shapes::kEvery, "auto", "the fewest steps for the shape and the vector",
     "the plan names the algorithm and the reason", kChosenVector, "ring timetable",
     best_reduction},
    {"reduce-scatter", Shapes::kMeshOrGrid, "array",
     "the same on one Hamiltonian cycle of the mesh",
     "mesh, d >= 2, an even number of nodes; ceil(k (P-1) / 2) steps; buffer 1", kElasticVector,
     "ring elastic", reduce_array},
    {"reduce-scatter", Shapes::kMesh, "folded",
     "the torus plan mapped to the mesh, two mesh steps per torus step",
     "mesh of up to 4 dimensions; twice the torus' steps", kVector, "ring", reduce_folded},
    {"reduce-scatter", Shapes::kAny, "scheduled",
     "By ROMs: the all-gather of the same name in reverse, one program per node",
     "every connected network, dead nodes and cores included; as many steps as all-gather "
     "scheduled, "
     "the lower bound in nearly every case; the vector in slots",
     "packets words operation type accumulate link-bits invariant seed block", "timetable",
     reduce_scheduled},
    {"all-reduce", Shapes::kTorus, "hamiltonian",
     "partial sums, then results, on d edge-disjoint Hamiltonian cycles; the direction never turns",
     "torus, where all-gather hamiltonian applies; k blocks per node: m (P-1) steps, m = ceil(k / "
     "d), "
     "the "
     "lower bound when d divides k; buffer 1; same bits at every node",
     kElasticVector, "ring elastic", reduce_hamiltonian},
    {"all-reduce", Shapes::kFaulty, "degraded",
     "the same on the cycles that dead links leave, or on one found by search",
     "P live nodes, c cycles: m (P-1) steps, m = ceil(k / c); buffer 1; same bits at every node",
     kElasticVector, "ring elastic", reduce_degraded},
    {"all-reduce", Shapes::kTorus, "cores",
     "By ROMs: blocks of rings to their cores, lines of cores, cores to all",
     "torus of equal sides n >= 3, up to d n words; the lower bound for d b words where b divides "
     "n "
     "and both are even or both odd, every link busy in every step; at most 1.2 times the bound on "
     "sides up to 16; the order of combination differs between nodes",
     kWords, "timetable", cores, nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kTorus, "forest",
     "By ROMs: each word to a core on free trees, and back; found by search",
     "torus, up to 2^18 words of all nodes together; even numbers of steps from the lower bound "
     "upward and, with cores of two or more nodes, others; the same plan for the same --seed and "
     "--effort; same bits at every node",
     "words operation type accumulate link-bits invariant seed effort", "timetable", forest,
     nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kAny, "auto", "the fewest steps for the shape and the vector",
     "the plan names the algorithm and the reason", kChosenVector, "ring timetable", best_reduction,
     nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kMeshOrGrid, "array", "the same on one Hamiltonian cycle of the mesh",
     "mesh, d >= 2, an even number of nodes; k (P-1) steps; buffer 1", kElasticVector,
     "ring elastic", reduce_array},
    {"all-reduce", Shapes::kMesh, "folded",
     "the torus plan mapped to the mesh, two mesh steps per torus step",
     "mesh of up to 4 dimensions; 2 m (P-1) steps", kVector, "ring", reduce_folded},
    {"all-reduce", Shapes::kEvery, "line-sum",
     "dimension by dimension, in both directions along every line, adding all passing values",
     "any torus, mesh or cylinder; one word (equal sides: up to d words) in diameter steps, the "
     "lower bound; "
     "the order of combination differs between nodes",
     kWords, "ring", line_sum},
    {"all-reduce", Shapes::kMeshOrUnequal, "lines",
     "By ROMs: dimension by dimension, sums from both ends of a line meet and go back as the total",
     "mesh; m words in D - 1 + ceil(m / d) steps, the lower bound, up to d times the links of the "
     "shortest line, D - 1 + m beyond; the vector in slots; same bits at every node",
     kWords, "timetable", lines, nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kTorus, "rings", "a two-way all-reduce on every ring of each dimension",
     "torus of equal sides n; d n words in d (n - 1) steps; same bits at every node", kWords,
     "ring", rings},
    {"all-reduce", Shapes::kEveryOrFaulty, "tree",
     "up one spanning tree and down again, all links at once",
     "any shape, wrap links unused; m - 1 + 2 sum floor(side / 2) steps for m words; around dead "
     "nodes and links m - 1 + 2h, h the tree's height; time-independent; same bits at every node",
     kWords, "timetable", tree, nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kEvery, "three-trees",
     "three spanning trees that share links alternately in frames of two steps",
     "two dimensions, sides of 3 or more; 3/2 words per step, first words up to 5 steps after the "
     "diameter; same bits at every node",
     kWords, "timetable", three_trees, nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kEveryOrFaulty, "packing",
     "as many spanning trees as a frame of steps has room for, which share links alternately",
     "any shape of up to 1024 nodes; p steps carry floor(p E / (P-1)) words, E links counted once: "
     "the maximum for any program of that period; around dead nodes and links as many as fit; "
     "--frame P, otherwise the best of 1 to 4; same bits at every node",
     "words operation type accumulate link-bits invariant frame", "timetable", by_packing, nullptr,
     kNoNode, kWordByWord},
    {"all-reduce", Shapes::kBoth, "partners",
     "cut-through: in every step all nodes exchange sums with a partner, by coordinate parities",
     "power-of-two sides; log2 P steps, the least; nodes send and receive at once; messages of "
     "more "
     "than 2 flits (mesh: 1) are held back where they share links",
     kMessage, "relay", relayed<plan_partners>},
    historical(
        {"all-reduce", Shapes::kBoth, "eye-exchange",
         "cut-through: parts are reduced to their eyes, which exchange sums and send them to their "
         "parts",
         "equal sides 2^k; d (2k - 1) steps, no link twice in a step; nodes send and receive at "
         "once; same bits at every node",
         kMessage, "relay", relayed<plan_eye_exchange>}),
    historical({"all-reduce", Shapes::kTorus, "leaders",
                "cut-through: lines are reduced to leaders in general position, which exchange "
                "sums",
                "torus, equal sides 2^k; (d + 1) k steps, no link twice in a step; nodes send and "
                "receive at once; with sides of 4 or more in two and more dimensions, nodes "
                "combine in different orders",
                kMessage, "relay", relayed<plan_leaders>}),
    historical({"all-reduce", Shapes::kBoth, "eye",
                "cut-through: the broadcast reversed, then the broadcast",
                "power-of-two sides; 2 log2 P steps; one-port; same bits at every node", kMessage,
                "relay", relayed_by_eye}),
    historical({"all-reduce", Shapes::kEvery, "min-tcd",
                "cut-through: the broadcast of least distance reversed, then the broadcast",
                "any sides; 2 ceil(log2 P) steps; one-port; same bits at every node", kMessage,
                "relay", relayed_by_cuts}),
    {"all-reduce", Shapes::kAny, "scheduled",
     "By ROMs: a reduce-scatter, then an all-gather of the sums, one program per node",
     "every connected network, dead nodes and cores included; twice the steps of all-gather "
     "scheduled; the vector in slots; same bits at every node",
     "packets words operation type accumulate link-bits invariant seed", "timetable",
     reduce_scheduled},
    {"reduce", Shapes::kEvery, "auto", "the fewest steps for the shape and the vector",
     "the plan names the algorithm and the reason", kWordsTo, "ring timetable", best_reduce,
     nullptr, kNoNode, kWordByWord},
    {"reduce", Shapes::kEvery, "line-sum",
     "dimension by dimension, along every line towards the root",
     "any torus, mesh or cylinder, any root; one word (equal sides: up to d) in as many steps as "
     "the farthest node is away, the lower bound of one word",
     kWordsTo, "ring", reduce_by_line_sum},
    {"reduce", Shapes::kEvery, "disjoint-trees",
     "up the broadcast's trees, which share no link, to any root",
     "any shape; mesh: ceil(m/d) - 1 + ecc(root) steps for m words, the lower bound, where the "
     "root is 2 links from an end of every dimension; torus: 2d words per step; time-independent",
     kWordsTo, "timetable", reduce_by_disjoint_trees, nullptr, kNoNode, kWordByWord},
    {"reduce", Shapes::kTorus, "hamiltonian",
     "By ROMs: the broadcast of the same name in reverse, one program per node",
     "torus, where all-gather hamiltonian applies, any root; ceil((ceil(m/d) + P - 2) / 2) steps "
     "for m "
     "words, the bound on a ring",
     kWordsTo, "timetable", reduce_by_cycles, nullptr, kNoNode, kWordByWord},
    {"reduce", Shapes::kFaulty, "tree", "up one spanning tree of live links",
     "around dead nodes and links, any root; m - 1 + h steps for m words, h the farthest node's "
     "distance: the lower bound of one word; time-independent",
     kWordsTo, "timetable", reduce_by_tree, nullptr, kNoNode, kWordByWord},
    {"reduce", Shapes::kBoth, "eye", "cut-through: the broadcast's sends, in reverse",
     "power-of-two sides; mesh: any root of equal sides, else an eye; torus: any root; log2 P "
     "steps, the least; one-port",
     kMessageTo, "relay", relayed_reduce<plan_eye>},
    {"reduce", Shapes::kEvery, "min-tcd",
     "cut-through: the broadcast of least distance, in reverse",
     "any sides, any root; ceil(log2 P) steps, the least; one-port", kMessageTo, "relay",
     relayed_reduce<plan_min_tcd>},
    {"barrier", Shapes::kEvery, "line-sum", "an all-reduce of one bit by and",
     "any torus, mesh or cylinder; diameter steps, the lower bound; links of one bit", "", "ring",
     barrier},
    {"barrier", Shapes::kTorus, "hamiltonian",
     "one bit on a cycle through all nodes, in both directions",
     "torus, where all-gather hamiltonian applies; floor(P / 2) steps; the wiring of the other "
     "collectives on Hamiltonian cycles, so routers with contexts need no other",
     "", "ring", barrier_on_cycle},
    {"barrier", Shapes::kBoth, "partners", "the all-reduce of one bit by the same",
     "power-of-two sides; log2 P steps; as many cycles as a broadcast on a torus", kBit, "relay",
     relayed_barrier<relayed<plan_partners>>},
    {"barrier", Shapes::kEvery, "min-tcd", "the all-reduce of one bit by the same",
     "any sides; 2 ceil(log2 P) steps; one-port", kBit, "relay", relayed_barrier<relayed_by_cuts>},
    {"all-to-all", Shapes::kTorus, "isotropic",
     "in each step a port of every node sends its packet of the same offset: one ROM for all",
     "torus, at most 1025 nodes; the fewest steps of such a program: the lower bound unless an "
     "even side has an odd number of lines; few slots",
     "", "timetable", isotropic},
    {"all-to-all", Shapes::kTorus, "parity",
     "the same with two ROMs, by the parity of the coordinate along an even side",
     "torus, at most 1025 nodes, an even side with an odd number of lines that keeps isotropic "
     "above the lower bound; exactly that bound",
     "", "timetable", parity},
    {"all-to-all", Shapes::kEveryOrFaulty, "auto", "the fewest steps for the shape",
     "one ROM, two by parity, or one per node where routers differ; the plan names the algorithm "
     "and "
     "the reason",
     "", "timetable", best_exchange},
    {"all-to-all", Shapes::kEveryOrFaulty, "scheduled",
     "By ROMs: uncrowded live paths, each packet's hops at their steps, one program per node",
     "every connected network, faults included, up to 2^21 hops of all packets together; at or a "
     "little above the lower bound, which the plan names; a slot for every node and a few more",
     "", "timetable", routed_exchange},
});

}  // namespace

std::span<const Algorithm> reduction_algorithms() { return kAlgorithms; }

}  // namespace gossamer
