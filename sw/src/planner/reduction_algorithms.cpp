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
#include "gossamer/collectives/reduce/stages.hpp"
#include "gossamer/collectives/reduce/timetables.hpp"
#include "gossamer/collectives/reduce/trees.hpp"
#include "gossamer/machines/ring/program.hpp"
#include "gossamer/machines/timetable/program.hpp"
#include "gossamer/plan/link_words.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

constexpr std::int64_t kMostWords = std::int64_t{1} << 40;

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
  if (request.topology.cores() < 2) {
    throw InfeasibleError(
        fmt::format("{}: a network with one live core has nothing to add", word_type_name(type)));
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
      fmt::format("{}: its summation trees depend on the length of the vector; nearest feasible: "
                  "--algorithm {}",
                  algorithm,
                  cycles                                   ? "hamiltonian"
                  : request.collective == "reduce"         ? "disjoint-trees"
                  : request.collective == "reduce-scatter" ? "folded"
                                                           : "tree"));
}

std::optional<std::int64_t> link_bits_asked(const PlanRequest& request) {
  return number_option(request, "link-bits", 1, kMostCombinedLinkBits);
}

/// Records what the request says about words.
Plan with_words_as_asked(Plan plan, const PlanRequest& request) {
  const Demand& demand = plan.demand;
  if (is_float(demand.type)) {
    plan.parameters["type"] = std::string(word_type_name(demand.type));
    plan.parameters["link-bits"] =
        link_bits_asked(request).value_or(float_format(demand.accumulate)->bits());
    if (demand.accumulate != demand.type) {
      plan.parameters["accumulate"] = std::string(word_type_name(demand.accumulate));
    }
  } else {
    if (demand.type != WordType::kUint) {
      plan.parameters["type"] = std::string(word_type_name(demand.type));
    }
    if (const auto bits = link_bits_asked(request)) plan.parameters["link-bits"] = *bits;
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

/// --adder-cycles and --flits, where steps move packets.
struct PacketOptions {
  std::uint32_t adder_cycles = 0;
  /// Empty: auto.
  std::optional<std::uint32_t> flits = 1;

  [[nodiscard]] bool any() const { return adder_cycles != 0 || flits != 1; }
  /// The flits of a packet if a place of the vector has so many words: all packets are equal, and
  /// no shorter than an adder of `result_cycles` requires, if there are enough words.
  [[nodiscard]] std::uint32_t flits_of(std::uint64_t words, std::uint32_t result_cycles) const {
    if (flits) return *flits;
    const std::uint64_t packets = std::max<std::uint64_t>(1, words / (result_cycles + 1));
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(bounds::ceil_div(words, packets), kMaxStepFlits));
  }
};

std::uint32_t adder_cycles_option(const PlanRequest& request) {
  const auto given = request.parameters.find("adder-cycles");
  if (given == request.parameters.end()) return 0;
  const auto* cycles = std::get_if<std::int64_t>(&given->second);
  if (cycles == nullptr || *cycles < 0 || *cycles > std::int64_t{kMaxAdderCycles}) {
    throw InputError(fmt::format("--adder-cycles: {} is not 0..{}",
                                 cycles == nullptr ? "the value" : std::to_string(*cycles),
                                 kMaxAdderCycles));
  }
  return static_cast<std::uint32_t>(*cycles);
}

PacketOptions packet_options(const PlanRequest& request) {
  PacketOptions options;
  options.adder_cycles = adder_cycles_option(request);
  const auto given = request.parameters.find("flits");
  const auto* word =
      given == request.parameters.end() ? nullptr : std::get_if<std::string>(&given->second);
  if (word != nullptr && *word == "auto") {
    options.flits.reset();
  } else {
    options.flits = number_option<std::uint32_t>(request, "flits", 1, kMaxStepFlits).value_or(1);
  }
  return options;
}

/// A plan whose pieces are packets: its steps last as long as packets and adders require.
Plan with_packets(Plan plan, std::uint32_t flits, std::uint32_t adder_cycles) {
  auto& program = plan.program.edit<RingProgram>();
  program.flits = flits;
  program.adder_cycles = adder_cycles;
  if (!program.has_packets()) return plan;
  if (const std::string defect = program.packet_defect(); !defect.empty()) {
    throw InfeasibleError(fmt::format("{}: {}; nearest feasible: {}", plan.algorithm, defect,
                                      program.frame() == 1
                                          ? fmt::format("--flits {}", 2 * adder_cycles + 1)
                                          : "--algorithm array, or --adder-cycles 0"));
  }
  plan.parameters["flits"] = std::int64_t{flits};
  plan.parameters["adder-cycles"] = std::int64_t{adder_cycles};
  plan.expected.analytic_cycles = program.pipeline().cycles(*plan.expected.analytic_steps);
  return plan;
}

/// Timetables send every packet when it arrives; links of different rates have packets of a word.
void refuse_unequal_links(const PlanRequest& request, std::string_view algorithm) {
  if (request.topology.has_equal_links()) return;
  throw InfeasibleError(fmt::format(
      "{}: links that are not equally fast have packets of 1 word and adders of 0 cycles; nearest "
      "feasible: --adder-cycles 0 --flits 1",
      algorithm));
}

/// The sequences of a program whose words are dealt to them in turn; otherwise 1.
std::uint64_t dealt_sequences(const Plan& plan) {
  const auto rounds = run_facts(plan).rounds;
  return rounds ? rounds->cycles : 1;
}

/// A timetable whose steps move packets of words and wait for adders. `planned` makes the plan of
/// so many packets; `places`: those of the vector, or 0 where each sequence is one.
template <typename Planner>
Plan with_packets_of(const PlanRequest& request, std::uint64_t words, std::uint64_t places,
                     const Planner& planned) {
  const PacketOptions packets = packet_options(request);
  if (!packets.any()) return planned(words);
  // The first plan tells the additions of a step.
  const std::uint64_t few = places == 0 ? words : std::min(words, places);
  std::uint64_t planned_for = packets.flits ? bounds::ceil_div(words, *packets.flits) : few;
  Plan plan = planned(planned_for);
  refuse_unequal_links(request, plan.algorithm);
  const auto& first = plan.program.as<TimetableProgram>();
  if (places == 0) places = first.repeats() ? first.own() : 1;
  const std::uint32_t flits = packets.flits_of(bounds::ceil_div(words, places),
                                               first.additions_in_series() * packets.adder_cycles);
  // Other numbers of packets may have other trees.
  constexpr int kMostPlans = 8;
  for (int tries = 0;; ++tries) {
    plan.program.edit<TimetableProgram>().move_packets(flits, packets.adder_cycles);
    const std::uint64_t sequences = dealt_sequences(plan);
    const std::uint64_t round = sequences * flits;
    const std::uint64_t pieces = words / round * sequences + std::min(sequences, words % round);
    if (pieces == planned_for) break;
    if (tries == kMostPlans) {
      throw InfeasibleError(fmt::format(
          "{}: its trees change with the number of packets; nearest feasible: --frame 1",
          plan.algorithm));
    }
    plan = planned(pieces);
    planned_for = pieces;
  }
  const auto& program = plan.program.as<TimetableProgram>();
  if (flits != 1 && !plan.expected.sum_period) {
    if (is_invariant(request)) {
      throw InfeasibleError(fmt::format(
          "{}: with packets of several words its trees depend on their length; nearest feasible: "
          "--flits 1, or --algorithm tree",
          plan.algorithm));
    }
    plan.expected.length_invariant.reset();
  }
  plan.parameters["flits"] = std::int64_t{flits};
  plan.parameters["adder-cycles"] = std::int64_t{packets.adder_cycles};
  plan.expected.analytic_cycles = program.pipeline().cycles(*plan.expected.analytic_steps);
  return plan;
}

/// The same, for a vector of words.
template <typename Planner>
Plan with_packets_of_words(const PlanRequest& request, std::uint64_t words, std::uint64_t places,
                           const Planner& planned) {
  Plan plan = with_packets_of(request, words, places, planned);
  if (packet_options(request).any()) {
    plan.parameters["words"] = static_cast<std::int64_t>(words);
    plan.expected.lower_bound_steps = bounds::lower_bound(plan);
  }
  return plan;
}

/// A timetable that sends every word when its sum is there: `planned` makes it for adders of so
/// many cycles. Packets of several words are for those who ask for them.
template <typename Planner>
Plan word_by_word(const PlanRequest& request, std::uint64_t words, const Planner& planned) {
  const PacketOptions packets = packet_options(request);
  if (packets.flits.value_or(1) != 1) {
    return with_packets_of_words(request, words, 1,
                                 [&](std::uint64_t pieces) { return planned(pieces, 0); });
  }
  if (packets.adder_cycles == 0) return planned(words, 0);
  Plan plan = planned(words, packets.adder_cycles);
  refuse_unequal_links(request, plan.algorithm);
  plan.parameters["flits"] = std::int64_t{1};
  plan.parameters["adder-cycles"] = std::int64_t{packets.adder_cycles};
  return plan;
}

/// Blocks per node: --packets K, or as many as --words M need; d by default.
std::uint32_t blocks_of(const PlanRequest& request) {
  const auto packets = packets_option(request);
  const auto words = number_option<std::uint64_t>(request, "words", 1, kMostWords);
  if (packets && words) {
    throw InputError("--words: excludes --packets, which also sets the length of the vector");
  }
  if (packets) return *packets;
  if (!words) return static_cast<std::uint32_t>(request.topology.dimensions());
  const std::uint64_t k = bounds::ceil_div(*words, request.topology.cores());
  if (k > kMaxPacketsPerNode) {
    throw InfeasibleError(
        fmt::format("--words: {} are {} blocks per node, more than {}; nearest feasible: {} words, "
                    "or an algorithm that sends words one by one (tree, packing)",
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
  CycleReductionOptions options{blocks_of(request), target_of(request), combining_of(request),
                                is_invariant(request)};
  const PacketOptions packets = packet_options(request);
  Plan plan = plan_cycle_reduction(gossip, options);
  if (packets.any()) {
    // The words of a place, i.e. of a block of each cycle.
    const auto& combine = plan.program.as<RingProgram>().combine;
    const auto cycles = static_cast<std::uint32_t>(combine.cycles());
    const std::uint32_t words = options.blocks_per_node;
    const std::uint32_t adders = combine.blocks % 2 == 0 ? 1 : 2;
    const std::uint32_t flits =
        packets.flits_of(bounds::ceil_div(words, cycles), adders * packets.adder_cycles);
    const bool counts_packets = packets.flits && !request.parameters.contains("words");
    if (!counts_packets && flits != 1) {
      options.blocks_per_node =
          packets.flits ? static_cast<std::uint32_t>(bounds::ceil_div(words, flits))
                        : static_cast<std::uint32_t>(
                              bounds::ceil_div(words, std::uint64_t{flits} * cycles) * cycles);
      plan = plan_cycle_reduction(gossip, options);
    }
    plan = with_packets(std::move(plan), flits, packets.adder_cycles);
    // Of a padded vector, the words that were asked for.
    const std::uint64_t asked =
        std::uint64_t{words} * (counts_packets ? flits : 1) * request.topology.cores();
    plan.parameters.erase("words");
    if (asked < plan.demand.pieces * flits) {
      plan.parameters["words"] = static_cast<std::int64_t>(asked);
    }
  }
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
        "degraded: does not support dead cores, because every router adds a word; nearest "
        "feasible: --algorithm scheduled");
  }
  if (request.collective == "reduce-scatter" && topology.live_nodes() != topology.nodes()) {
    throw InfeasibleError(
        "degraded: does not support dead nodes in a reduce-scatter, because every node owns a "
        "block; nearest feasible: --algorithm scheduled");
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
    throw InfeasibleError("folded: supports meshes only; nearest feasible: --topology mesh");
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
  if (packet_options(request).adder_cycles != 0) refuse_unequal_links(request, "lines");
  Plan plan = word_by_word(
      request, words_of(request, 1), [&](std::uint64_t words, std::uint32_t adder_cycles) {
        return plan_lines(request.topology, {.words = words,
                                             .operation = combining_of(request),
                                             .length_invariant = is_invariant(request),
                                             .adder_cycles = adder_cycles});
      });
  return with_words_as_asked(std::move(plan), request);
}

Plan cores(const PlanRequest& request) {
  refuse_invariance(request, "cores");
  const auto standard = static_cast<std::uint64_t>(request.topology.dimensions());
  // As many packets as it has room for.
  Plan plan =
      with_packets_of_words(request, words_of(request, standard),
                            standard * request.topology.side(0), [&](std::uint64_t words) {
                              return plan_cores(request.topology, {words, combining_of(request)});
                            });
  return with_words_as_asked(std::move(plan), request);
}

/// By `search`, plan_stages or plan_forest. `most_steps`: more are of no use; empty where a plan is
/// wanted at any price.
Plan searched(const PlanRequest& request, std::string_view algorithm,
              Plan (*search)(const Topology&, const WordSearchOptions&),
              std::optional<std::uint32_t> effort, std::optional<std::uint64_t> most_steps) {
  refuse_invariance(request, algorithm);
  const auto standard = static_cast<std::uint64_t>(request.topology.dimensions());
  const auto& sides = request.topology.sides();
  const std::uint64_t places = standard * *std::max_element(sides.begin(), sides.end());
  Plan plan =
      with_packets_of_words(request, words_of(request, standard), places, [&](std::uint64_t words) {
        return search(request.topology, {words, combining_of(request), seed_option(request), effort,
                                         most_steps, request.progress});
      });
  return with_words_as_asked(std::move(plan), request);
}

std::optional<std::uint32_t> effort_of(const PlanRequest& request) {
  return number_option<std::uint32_t>(request, "effort", 1, kMostEffort);
}

Plan forest(const PlanRequest& request) {
  return searched(request, "forest", plan_forest, effort_of(request), std::nullopt);
}

Plan stages(const PlanRequest& request) {
  return searched(request, "stages", plan_stages, effort_of(request), std::nullopt);
}

Plan rings(const PlanRequest& request) {
  const Topology& topology = request.topology;
  const std::uint64_t standard =
      std::uint64_t{topology.side(0)} * static_cast<std::uint64_t>(topology.dimensions());
  const PacketOptions packets = packet_options(request);
  const std::uint64_t words = words_of(request, packets.flits.value_or(1) * standard);
  // The words of a place: a block of each of d parts.
  const std::uint32_t adders = topology.side(0) % 2 == 0 ? 1 : 2;
  const std::uint32_t flits =
      packets.flits_of(bounds::ceil_div(words, standard), adders * packets.adder_cycles);
  Plan plan = plan_rings(topology, {.words = bounds::ceil_div(words, flits),
                                    .operation = combining_of(request),
                                    .length_invariant = is_invariant(request)});
  plan = with_packets(std::move(plan), flits, packets.adder_cycles);
  if (flits != 1) plan.parameters["words"] = static_cast<std::int64_t>(words);
  return with_words_as_asked(with_words(std::move(plan), request), request);
}

Plan reduce_by_line_sum(const PlanRequest& request) {
  refuse_invariance(request, "line-sum");
  Plan plan = plan_line_sum(request.topology,
                            {words_of(request, 1), combining_of(request), root_option(request)});
  return with_words_as_asked(std::move(plan), request);
}

/// On trees: `planner` makes the plan of the options.
template <typename Planner>
Plan on_trees(const PlanRequest& request, const Planner& planner) {
  Plan plan = with_packets_of_words(request, words_of(request, 1), 0, [&](std::uint64_t words) {
    return planner(TreeReductionOptions{words, combining_of(request), is_invariant(request)});
  });
  return with_words_as_asked(std::move(plan), request);
}

/// On one tree, word by word.
template <typename Planner>
Plan on_tree(const PlanRequest& request, const Planner& planner) {
  Plan plan = word_by_word(
      request, words_of(request, 1), [&](std::uint64_t words, std::uint32_t adder_cycles) {
        return planner(TreeReductionOptions{words, combining_of(request), is_invariant(request),
                                            adder_cycles});
      });
  return with_words_as_asked(std::move(plan), request);
}

Plan tree(const PlanRequest& request) {
  return on_tree(request, [&](const TreeReductionOptions& options) {
    return plan_tree(request.topology, options);
  });
}

Plan three_trees(const PlanRequest& request) {
  return on_trees(request, [&](const TreeReductionOptions& options) {
    return plan_three_trees(request.topology, options);
  });
}

Plan by_packing(const PlanRequest& request) {
  const auto frame = number_option<std::uint32_t>(request, "frame", 1, kMostPackedFrame);
  return on_trees(request, [&](const TreeReductionOptions& options) {
    return plan_packing(request.topology, options, frame);
  });
}

/// One table for all steps.
Plan by_fixed_packing(const PlanRequest& request) {
  return on_trees(request, [&](const TreeReductionOptions& options) {
    return plan_packing(request.topology, options, 1);
  });
}

Plan reduce_by_tree(const PlanRequest& request) {
  return on_tree(request, [&](const TreeReductionOptions& options) {
    return plan_tree_reduction(request.topology, root_option(request), options);
  });
}

Plan reduce_by_disjoint_trees(const PlanRequest& request) {
  return on_trees(request, [&](const TreeReductionOptions& options) {
    return plan_disjoint_tree_reduction(request.topology, root_option(request), options);
  });
}

Plan reduce_by_cycles(const PlanRequest& request) {
  refuse_invariance(request, "hamiltonian");
  const auto cycles = static_cast<std::uint64_t>(request.topology.dimensions());
  Plan plan =
      with_packets_of_words(request, words_of(request, 1), cycles, [&](std::uint64_t words) {
        return plan_cycle_reduce(request.topology,
                                 {root_option(request), words, combining_of(request)});
      });
  return with_words_as_asked(std::move(plan), request);
}

Plan barrier(const PlanRequest& request) {
  Plan plan = plan_line_sum(request.topology, {1, Operation::kAnd});
  plan.collective = "barrier";
  plan.parameters["link-bits"] = std::int64_t{1};
  return plan;
}

Plan barrier_on_cycle(const PlanRequest& request) {
  const Topology& topology = request.topology;
  Plan plan = plan_cycle_barrier(topology.is_torus() ? plan_hamiltonian(topology, {})
                                                     : plan_array(topology, {}));
  plan.algorithm = "hamiltonian";
  return plan;
}

/// A plan of relays with the words and adders of the request.
Plan of_relays(Plan plan, const PlanRequest& request) {
  return with_words_as_asked(with_adder_cycles(std::move(plan), adder_cycles_option(request)),
                             request);
}

template <Plan (*broadcast)(const Topology&, const BroadcastOptions&)>
Plan relayed_reduce(const PlanRequest& request) {
  const Plan informs = broadcast(request.topology, {root_option(request), clock_options(request)});
  return of_relays(plan_relayed_reduce(informs, combining_of(request)), request);
}

/// By `eye` from an eye of a mesh; a torus has no better node than another.
Plan relayed_by_eye(const PlanRequest& request) {
  const NodeId middle = request.topology.is_mesh() ? nearest_eye(request.topology, 0) : 0;
  const Plan informs = plan_eye(request.topology, {middle, clock_options(request)});
  return of_relays(plan_relayed_all_reduce(informs, combining_of(request)), request);
}

/// By `min-tcd` from the node in the middle.
Plan relayed_by_cuts(const PlanRequest& request) {
  Coordinates middle{};
  for (int dim = 0; dim < request.topology.dimensions(); ++dim) {
    middle[static_cast<std::size_t>(dim)] = request.topology.side(dim) / 2;
  }
  const Plan informs =
      plan_min_tcd(request.topology, {request.topology.node(middle), clock_options(request)});
  return of_relays(plan_relayed_all_reduce(informs, combining_of(request)), request);
}

template <Plan (*planner)(const Topology&, const RelayReductionOptions&)>
Plan relayed(const PlanRequest& request) {
  return of_relays(planner(request.topology, {clock_options(request), combining_of(request)}),
                   request);
}

/// An all-reduce of one bit by and.
template <Plan (*planner)(const PlanRequest&)>
Plan one_bit(const PlanRequest& request) {
  PlanRequest bit = request;
  bit.parameters["operation"] = std::string(operation_name(Operation::kAnd));
  bit.parameters["link-bits"] = std::int64_t{1};
  Plan plan = planner(bit);
  plan.collective = "barrier";
  return plan;
}

/// Finds the plan with the fewest steps; of equals the first. Of plans whose steps move packets,
/// the one with the fewest cycles.
class Contest {
 public:
  explicit Contest(bool by_cycles = false) : by_cycles_(by_cycles) {}

  /// Algorithms that cannot win are skipped.
  void enter(std::string_view name, const std::function<Plan(const PlanRequest&)>& planner,
             const PlanRequest& request) {
    if (meets_bound()) return;
    try {
      Plan plan = planner(request);
      const std::uint64_t steps = length(plan);
      comparison_ += fmt::format("{}{} {}", comparison_.empty() ? "" : ", ", name, steps);
      if (!best_ || steps < length(*best_)) best_ = std::move(plan);
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
  [[nodiscard]] bool meets_bound() const {
    return !by_cycles_ && best_ && best_->expected.meets_bound();
  }
  /// The plan, with the reason.
  Plan winner() {
    if (!best_) throw InfeasibleError(failure_);
    best_->parameters["requested"] = std::string("auto");
    best_->parameters["reason"] =
        fmt::format("fewest {} of: {}", by_cycles_ ? "cycles" : "steps", comparison_);
    best_->parameters["gap"] = static_cast<std::int64_t>(*best_->expected.analytic_steps -
                                                         *best_->expected.lower_bound_steps);
    return std::move(*best_);
  }

 private:
  [[nodiscard]] std::uint64_t length(const Plan& plan) const {
    return by_cycles_ ? plan.expected.analytic_cycles.value() : *plan.expected.analytic_steps;
  }

  bool by_cycles_;
  std::optional<Plan> best_;
  std::string comparison_;
  std::string failure_;
};

/// Restarts of a search that `auto` makes, and those for up to kFewPlaces words of all nodes
/// together, where they take little time.
constexpr std::uint32_t kQuickEffort = 500;
constexpr std::uint32_t kFewPlacesEffort = 2000;
constexpr std::uint64_t kFewPlaces = 4096;

/// Nodes up to which `auto` looks for packed trees: a search of seconds.
constexpr NodeId kMostPacked = 256;
/// Words of all nodes of a larger network for which `auto` searches.
constexpr std::uint64_t kMostSearchedPlaces = std::uint64_t{1} << 16U;

Plan reduce_scheduled(const PlanRequest& request) {
  refuse_invariance(request, "scheduled");
  const std::uint32_t k = blocks_of(request);
  const std::uint32_t block = number_option<std::uint32_t>(request, "block", 1, k).value_or(k);
  if (request.parameters.contains("block") && request.topology.has_equal_links()) {
    throw InputError("--block: requires links of different rates, e.g. --link-rate x=1,y=1/4");
  }
  const auto planned = [&](std::uint64_t blocks) {
    return plan_timetable_reduction(
        request.topology, {static_cast<std::uint32_t>(blocks), target_of(request),
                           seed_option(request), combining_of(request), block == k ? 0 : block});
  };
  const PacketOptions packets = packet_options(request);
  if (!packets.any()) {
    return with_words_as_asked(with_words(planned(k), request), request);
  }
  // --packets counts packets; a block of an owner otherwise has k words.
  const bool counts_packets = packets.flits && !request.parameters.contains("words");
  const std::uint64_t words = std::uint64_t{k} * (counts_packets ? *packets.flits : 1);
  Plan plan = with_packets_of(request, words, 1, planned);
  plan.parameters.erase("words");
  const std::uint64_t asked = words * request.topology.cores();
  if (asked < plan.demand.pieces * plan.program.as<TimetableProgram>().flits) {
    plan.parameters["words"] = static_cast<std::int64_t>(asked);
  }
  return with_words_as_asked(with_words(std::move(plan), request), request);
}

/// The number of words that the request means, for all-reduces without blocks.
PlanRequest all_words(const PlanRequest& request) {
  PlanRequest by_words = request;
  if (by_words.parameters.erase("packets") != 0 || !request.parameters.contains("words")) {
    // With packets of several words, --packets counts packets.
    const std::uint64_t flits = packet_options(request).flits.value_or(1);
    by_words.parameters["words"] = static_cast<std::int64_t>(std::uint64_t{blocks_of(request)} *
                                                             flits * request.topology.cores());
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
  const PlanRequest by_words = all_words(request);
  contest.enter("lines", lines, by_words);
  contest.enter("scheduled", reduce_scheduled, request);
  if (target_of(request) == ReduceTo::kEveryNode && request.topology.nodes() <= kMostPacked) {
    contest.enter("packing", by_packing, by_words);
  }
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

/// Searches for the words of an all-reduce: each looks for fewer steps than the best plan has.
void enter_searches(Contest& contest, const PlanRequest& by_words) {
  const Topology& topology = by_words.topology;
  const std::uint64_t words = words_of(by_words, 0);
  const bool is_small = words * topology.nodes() <= kFewPlaces;
  const std::uint32_t effort =
      effort_of(by_words).value_or(is_small ? kFewPlacesEffort : kQuickEffort);
  const auto enter = [&](std::string_view name, const auto& search) {
    const auto steps = contest.best_steps();
    const auto fewer = steps ? std::optional(*steps - 1) : std::nullopt;
    contest.enter(
        name,
        [&](const PlanRequest& request) { return searched(request, name, search, effort, fewer); },
        by_words);
  };
  const auto& sides = topology.sides();
  // On equal sides `cores` is as good.
  const auto [shortest, longest] = std::minmax_element(sides.begin(), sides.end());
  const bool is_short = words <= sides.size() * std::uint64_t{*longest};
  if (*shortest != *longest && is_short) enter("stages", plan_stages);
  if (is_small || words <= 4 * std::uint64_t{topology.nodes()}) enter("forest", plan_forest);
}

/// Reductions whose steps move packets or wait for adders.
Plan best_with_packets(const PlanRequest& request) {
  const Topology& topology = request.topology;
  const bool is_all_reduce = target_of(request) == ReduceTo::kEveryNode;
  const PlanRequest by_words = is_all_reduce ? all_words(request) : request;
  if (is_invariant(request)) {
    Preference order;
    if (!topology.is_healthy()) order.enter("degraded", reduce_degraded, request);
    order.enter("hamiltonian", reduce_hamiltonian, request);
    order.enter("array", reduce_array, request);
    if (is_all_reduce) order.enter("tree", tree, by_words);
    return order.chosen();
  }
  Contest contest(true);
  const bool searches = topology.nodes() <= kMostPacked;
  if (topology.is_healthy()) {
    contest.enter("hamiltonian", reduce_hamiltonian, request);
    contest.enter("array", reduce_array, request);
    if (is_all_reduce && request.parameters.contains("words")) {
      contest.enter("rings", rings, request);
    }
  } else {
    contest.enter("degraded", reduce_degraded, request);
  }
  if (is_all_reduce) {
    if (topology.is_healthy()) contest.enter("lines", lines, by_words);
    contest.enter("tree", tree, by_words);
    if (topology.is_healthy()) contest.enter("three-trees", three_trees, by_words);
    if (searches) contest.enter("packing", by_packing, by_words);
  }
  if (searches && !contest.has_plan()) contest.enter("scheduled", reduce_scheduled, request);
  return contest.winner();
}

/// The plan with the fewest steps for the shape and the vector, and the reason. Among equals the
/// one with the least hardware per router: searches come last, and only where no other algorithm
/// meets the bound.
Plan best_reduction(const PlanRequest& request) {
  if (packet_options(request).any()) return best_with_packets(request);
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
    // Time-independent: rows are counted from the position of a router.
    contest.enter("cores", cores, by_words);
    if (timetables) contest.enter("lines", lines, by_words);
    contest.enter("tree", tree, by_words);
    if (timetables) contest.enter("three-trees", three_trees, by_words);
  }
  if (searches) contest.enter("scheduled", reduce_scheduled, request);
  const bool packs =
      request.topology.nodes() <= kMostPacked && target_of(request) == ReduceTo::kEveryNode;
  if (packs) contest.enter("packing", timetables ? by_packing : by_fixed_packing, by_words);
  const bool is_searched =
      packs || (target_of(request) == ReduceTo::kEveryNode && request.topology.is_torus() &&
                words_of(by_words, 0) <= kMostSearchedPlaces / request.topology.nodes());
  if (is_searched && timetables) enter_searches(contest, by_words);
  return contest.winner();
}

Plan best_reduce(const PlanRequest& request) {
  if (is_invariant(request)) {
    Preference order;
    order.enter("disjoint-trees", reduce_by_disjoint_trees, request);
    order.enter("tree", reduce_by_tree, request);
    return order.chosen();
  }
  const bool packets = packet_options(request).any();
  Contest contest(packets);
  if (!packets) contest.enter("line-sum", reduce_by_line_sum, request);
  contest.enter("disjoint-trees", reduce_by_disjoint_trees, request);
  const Topology& topology = request.topology;
  if (packets && topology.is_torus()) {
    contest.enter("hamiltonian", reduce_by_cycles, request);
  } else if (topology.is_torus() &&
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

constexpr std::string_view kVector =
    "packets words operation type accumulate link-bits word-bits invariant";
constexpr std::string_view kChosenVector =
    "packets words operation type accumulate link-bits word-bits invariant flits adder-cycles seed "
    "effort time-independent";
constexpr std::string_view kElasticVector =
    "packets words operation type accumulate link-bits word-bits invariant flits adder-cycles "
    "elastic chunk slots link-latency";
constexpr std::string_view kWords = "words operation type accumulate link-bits word-bits invariant";
constexpr std::string_view kPacketWords =
    "words operation type accumulate link-bits word-bits invariant flits adder-cycles";
constexpr std::string_view kSearchedWords =
    "words operation type accumulate link-bits word-bits invariant flits adder-cycles seed effort";
constexpr std::string_view kWordsTo =
    "words operation type accumulate link-bits word-bits invariant source";
constexpr std::string_view kPacketWordsTo =
    "words operation type accumulate link-bits word-bits invariant flits adder-cycles source";
constexpr std::string_view kMessage =
    "flits hop-cycles relay-cycles adder-cycles operation type accumulate link-bits word-bits "
    "invariant";
constexpr std::string_view kMessageTo =
    "source flits hop-cycles relay-cycles adder-cycles operation type accumulate link-bits "
    "word-bits invariant";
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
     "scheduled, the lower bound in nearly every case; the vector in slots",
     "packets words operation type accumulate link-bits word-bits invariant flits adder-cycles "
     "seed block",
     "timetable", reduce_scheduled},
    {"all-reduce", Shapes::kTorus, "hamiltonian",
     "partial sums, then results, on d edge-disjoint Hamiltonian cycles; the direction never turns",
     "torus, where all-gather hamiltonian applies; k blocks per node: m (P-1) steps, m = ceil(k / "
     "d), the lower bound when d divides k; buffer 1; same bits at every node",
     kElasticVector, "ring elastic", reduce_hamiltonian},
    {"all-reduce", Shapes::kFaulty, "degraded",
     "the same on the cycles that dead links leave, or on one found by search",
     "P live nodes, c cycles: m (P-1) steps, m = ceil(k / c); buffer 1; same bits at every node",
     kElasticVector, "ring elastic", reduce_degraded},
    {"all-reduce", Shapes::kTorus, "cores",
     "By ROMs: blocks of rings to their cores, lines of cores, cores to all",
     "torus of equal sides n >= 3, up to d n words; the lower bound for d b words where b divides "
     "n and both are even or both odd, every link busy in every step; at most 1.2 times the bound "
     "on sides up to 16; with equal blocks one program, or one per parity of the coordinates, up "
     "to 10^6 nodes and more; time-independent; the order of combination differs between nodes",
     kPacketWords, "timetable", cores, nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kTorus, "forest",
     "By ROMs: each word to a core on free trees, and back; found by search",
     "torus, up to 2^18 words of all nodes together; even numbers of steps from the lower bound "
     "upward and, with cores of two or more nodes, others; the same plan for the same --seed and "
     "--effort; same bits at every node",
     kSearchedWords, "timetable", forest, nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kTorus, "stages",
     "By ROMs: words in stages along the dimensions, each in an order of its own; found by search",
     "torus of up to 256 nodes and 3 dimensions, up to d n words for the longest side n; the same "
     "plan for the same --seed and --effort; the order of combination differs between nodes",
     kSearchedWords, "timetable", stages, nullptr, kNoNode, kWordByWord},
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
     "lower bound; the order of combination differs between nodes",
     kWords, "ring", line_sum},
    {"all-reduce", Shapes::kMeshOrUnequal, "lines",
     "By ROMs: dimension by dimension, sums from both ends of a line meet and go back as the total",
     "mesh; m words in D - 1 + ceil(m / d) steps, the lower bound, up to d times the links of the "
     "shortest line, D - 1 + m beyond; the vector in slots; same bits at every node",
     kPacketWords, "timetable", lines, nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kTorus, "rings", "a two-way all-reduce on every ring of each dimension",
     "torus of equal sides n; d n words in d (n - 1) steps; same bits at every node", kPacketWords,
     "ring", rings},
    {"all-reduce", Shapes::kEveryOrFaulty, "tree",
     "up one spanning tree and down again, all links at once",
     "any shape, wrap links unused; m - 1 + 2 sum floor(side / 2) steps for m words; around dead "
     "nodes and links m - 1 + 2h, h the tree's height; time-independent; same bits at every node",
     kPacketWords, "timetable", tree, nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kEvery, "three-trees",
     "three spanning trees that share links alternately in frames of two steps",
     "two dimensions, sides of 3 or more; 3/2 words per step, first words up to 5 steps after the "
     "diameter; same bits at every node",
     kPacketWords, "timetable", three_trees, nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kAny, "packing",
     "as many spanning trees as a frame of steps has room for, which share links alternately",
     "any shape of up to 1024 nodes; p steps carry floor(p E / (P-1)) words, E links counted once: "
     "the maximum for any program of that period; around dead nodes and links as many as fit; "
     "--frame P, otherwise the best of 1 to 4 times the period of the slowest link; same bits at "
     "every node",
     "words operation type accumulate link-bits word-bits invariant flits adder-cycles frame",
     "timetable", by_packing, nullptr, kNoNode, kWordByWord},
    {"all-reduce", Shapes::kBoth, "partners",
     "cut-through: in every step all nodes exchange sums with a partner, by coordinate parities",
     "power-of-two sides; log2 P steps, the least; nodes send and receive at once; messages of "
     "more than 2 flits (mesh: 1) are held back where they share links",
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
     "packets words operation type accumulate link-bits word-bits invariant flits adder-cycles "
     "seed",
     "timetable", reduce_scheduled},
    {"reduce", Shapes::kEvery, "auto", "the fewest steps for the shape and the vector",
     "the plan names the algorithm and the reason", kPacketWordsTo, "ring timetable", best_reduce,
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
     kPacketWordsTo, "timetable", reduce_by_disjoint_trees, nullptr, kNoNode, kWordByWord},
    {"reduce", Shapes::kEvery, "hamiltonian",
     "By ROMs: the broadcast of the same name in reverse, one program per node",
     "torus, where all-gather hamiltonian applies, any root; ceil((ceil(m/d) + P - 2) / 2) steps "
     "for m words, the bound on a ring; mesh with an even number of nodes: one cycle, as if d "
     "were 1",
     kPacketWordsTo, "timetable", reduce_by_cycles, nullptr, kNoNode, kWordByWord},
    {"reduce", Shapes::kFaulty, "tree", "up one spanning tree of live links",
     "around dead nodes and links, any root; m - 1 + h steps for m words, h the farthest node's "
     "distance: the lower bound of one word; time-independent",
     kPacketWordsTo, "timetable", reduce_by_tree, nullptr, kNoNode, kWordByWord},
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
    {"barrier", Shapes::kEvery, "hamiltonian",
     "one bit on a cycle through all nodes, in both directions",
     "torus, where all-gather hamiltonian applies, and mesh with an even number of nodes; "
     "floor(P / 2) steps; the wiring of the other collectives on Hamiltonian cycles, so routers "
     "with contexts need no other",
     "", "ring", barrier_on_cycle},
    {"barrier", Shapes::kEvery, "tree", "the all-reduce of one bit by the same",
     "any shape, wrap links unused; 2 sum floor(side / 2) steps; on a line one register per output "
     "port is enough",
     "", "timetable", one_bit<tree>},
    {"barrier", Shapes::kBoth, "partners", "the all-reduce of one bit by the same",
     "power-of-two sides; log2 P steps; as many cycles as a broadcast on a torus", kBit, "relay",
     one_bit<relayed<plan_partners>>},
    {"barrier", Shapes::kEvery, "min-tcd", "the all-reduce of one bit by the same",
     "any sides; 2 ceil(log2 P) steps; one-port", kBit, "relay", one_bit<relayed_by_cuts>},
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
     "and the reason",
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
