// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/topology/faults.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

constexpr const char* kAlgorithm = "hamiltonian";
constexpr std::string_view kSuiteOptions = "packets operation type link-bits word-bits";

/// A collective of the suite, and its options besides `packets`.
struct SuiteCollective {
  std::string_view name;
  /// The algorithm on the one cycle of a network that is no torus, and on open lines.
  std::string_view on_mesh;
  std::string_view on_lines;
  /// The option that `packets` of the suite sets; empty: none.
  std::string_view size;
  bool combines;
};
constexpr auto kSuiteCollectives = std::to_array<SuiteCollective>(
    {{"all-gather", "array", "array", "packets", false},
     {"reduce-scatter", "array", "scheduled", "packets", true},
     {"all-reduce", "array", "scheduled", "packets", true},
     {"barrier", "hamiltonian", "tree", "", false},
     {"broadcast", "hamiltonian", "disjoint-trees", "packets", false},
     {"reduce", "hamiltonian", "disjoint-trees", "words", true}});

/// `axis`: that of the groups; -1: all nodes.
std::string_view algorithm_of(const SuiteCollective& collective, const Topology& topology,
                              int axis) {
  if (axis < 0) return topology.is_torus() ? kAlgorithm : collective.on_mesh;
  return topology.wraps(axis) ? kAlgorithm : collective.on_lines;
}

void check_suite_options(const PlanRequest& request) {
  if (!request.algorithm.empty() && request.algorithm != kAlgorithm) {
    throw InputError(fmt::format("--algorithm: {} supports only {}, not {}", kSuite, kAlgorithm,
                                 request.algorithm));
  }
  for (const auto& [name, value] : request.parameters) {
    if (has_word(kSuiteOptions, name)) continue;
    throw InputError(
        fmt::format("--{}: {} does not support it; it takes {}", name, kSuite, kSuiteOptions));
  }
  const Topology& topology = request.topology;
  if (topology.dimensions() < 2) {
    throw InfeasibleError(fmt::format(
        "{}: does not support a single line such as {}; nearest feasible: two dimensions", kSuite,
        topology.dims_text()));
  }
  if (!topology.is_healthy()) {
    throw InfeasibleError(fmt::format(
        "{}: supports networks without faults only; nearest feasible: no faults", kSuite));
  }
}

/// The root's plan of a context, like the given one.
Plan with_root(const Plan& plan, NodeId rank) {
  PlanRequest request{plan.topology, plan.collective, plan.algorithm, {}, {}};
  for (const auto& [name, value] : plan.parameters) {
    if (takes_option(plan.collective, plan.algorithm, name)) request.parameters[name] = value;
  }
  if (const auto& groups = plan.demand.groups) {
    request.parameters["groups"] = joined(groups->shape, "x");
    request.parameters["group-stride"] = joined(groups->stride, "x");
    request.parameters["source"] = member_text(*groups, rank);
  } else {
    request.parameters["source"] = node_text(plan.topology, rank);
  }
  return make_plan(request);
}

}  // namespace

Plan plan_suite(const PlanRequest& request) {
  check_suite_options(request);
  const auto packets = whole_option(request, "packets", 1, kMaxPacketsPerNode);
  const Topology& topology = request.topology;
  const std::int64_t most = topology.is_torus() ? kMostSuitePackets : 1;
  if (packets && *packets > most) {
    throw InfeasibleError(
        fmt::format("{}: supports up to {} per node and round, not {}; nearest feasible: --packets "
                    "{}, and several rounds",
                    kSuite, counted(static_cast<std::uint64_t>(most), "packet"), *packets, most));
  }
  std::vector<Plan> contexts;
  std::vector<std::string> names;
  for (const SuiteCollective& collective : kSuiteCollectives) {
    // -1: all nodes.
    for (int axis = -1; axis < topology.dimensions(); ++axis) {
      PlanRequest one{topology,
                      std::string(collective.name),
                      std::string(algorithm_of(collective, topology, axis)),
                      {},
                      {}};
      std::string place = "all nodes";
      if (axis >= 0) {
        one.parameters["groups"] = dimension_name(axis);
        place = fmt::format("groups along {}", dimension_name(axis));
      }
      if (!collective.size.empty()) {
        const std::int64_t cycles = axis < 0 && topology.is_torus() ? topology.dimensions() : 1;
        one.parameters[std::string(collective.size)] = packets.value_or(cycles);
      }
      for (const char* const name : {"operation", "type", "link-bits", "word-bits"}) {
        const auto given = request.parameters.find(name);
        if (collective.combines && given != request.parameters.end()) one.parameters.insert(*given);
      }
      names.push_back(fmt::format("{}: {} of {}", kSuite, collective.name, place));
      try {
        contexts.push_back(make_plan(one));
      } catch (const InfeasibleError& error) {
        throw InfeasibleError(fmt::format("{}: {}", names.back(), error.what()));
      }
    }
  }
  return compose_contexts(std::move(contexts), names);
}

std::vector<Round> parse_rounds(const Plan& plan, const std::string& text) {
  if (!has_contexts(plan)) {
    throw InputError("--rounds: the plan has no contexts; gossamer compose --contexts makes one");
  }
  const auto contexts = members_of(plan);
  std::vector<Round> rounds;
  for (const std::string_view word : words_of(text, ',')) {
    const std::size_t at = word.find('@');
    const auto number = whole_number(word.substr(0, at));
    if (!number || *number >= contexts.size()) {
      throw InputError(
          fmt::format("--rounds: \"{}\" is not a context; the plan has contexts 0 to {}", word,
                      contexts.size() - 1));
    }
    Round round{static_cast<std::size_t>(*number)};
    if (at != std::string_view::npos) {
      const Plan& context = contexts[round.context].plan;
      const Demand& demand = context.demand;
      if (demand.from != Origin::kRoot && demand.to != Destination::kRoot) {
        throw InputError(fmt::format("--rounds: \"{}\": context {} ({}) has no root", word, *number,
                                     field_name(context.collective)));
      }
      const std::uint64_t members = demand.members(context.topology.nodes());
      const auto rank = whole_number(word.substr(at + 1));
      if (!rank || *rank >= members) {
        throw InputError(fmt::format("--rounds: \"{}\": a root's rank from 0 to {} is expected",
                                     word, members - 1));
      }
      if (*rank != demand.root) round.plan = with_root(context, static_cast<NodeId>(*rank));
    }
    rounds.push_back(std::move(round));
  }
  if (rounds.empty()) throw InputError("--rounds: a context is expected, e.g. 0,1,0");
  return rounds;
}

}  // namespace gossamer
