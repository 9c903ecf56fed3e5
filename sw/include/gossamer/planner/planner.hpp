// SPDX-License-Identifier: Apache-2.0
/// The registry of algorithms: from a request to a plan.
///
/// Each algorithm is a plain function with its own typed options (e.g. all_gather/hamiltonian.hpp).
/// This registry gives all of them one calling form for the command line and for sweeps. Adding an
/// algorithm means one planner file and one entry in its collective's list (sw/src/planner);
/// external planners are added with register_algorithm.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gossamer/plan/experiment.hpp"
#include "gossamer/plan/plan.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

/// The user's request.
struct PlanRequest {
  Topology topology;
  std::string collective;
  /// Empty: the collective's default algorithm.
  std::string algorithm;
  /// Options by name, as on the command line without the dashes ("packets", "time-independent"). An
  /// option that the algorithm does not support is an InputError.
  std::map<std::string, ParameterValue> parameters;
  Progress progress;
};

/// The networks that an algorithm supports, one bit per kind.
enum class Shapes : unsigned {
  kTorus = 1,
  kMesh = 2,
  kBoth = 3,
  /// Some dimensions wrap, others do not.
  kGrid = 4,
  kMeshOrGrid = 6,
  /// Every shape without faults.
  kEvery = 7,
  /// Networks of any shape with faults.
  kFaulty = 8,
  kTorusOrFaulty = 9,
  kBothOrFaulty = 11,
  kEveryOrFaulty = 15,
  /// Networks of any shape without faults whose links differ in speed.
  kUnequal = 16,
  kMeshOrUnequal = 18,
  kEveryOrUnequal = 23,
  kAny = 31,
};
/// True when an algorithm for `shapes` supports networks like `topology`. No algorithm supports
/// both faults and unequal links.
[[nodiscard]] bool serves(Shapes shapes, const Topology& topology);

/// One algorithm of the registry.
struct Algorithm {
  std::string_view collective;
  /// The networks for which it can be requested or be the default; the planner itself rejects
  /// unsupported cases among them, with a reason.
  Shapes shapes;
  std::string_view name;
  /// Its method, in one sentence.
  std::string_view summary;
  /// Its guarantees: steps, sides, buffers.
  std::string_view guarantee;
  /// Its options, by name, blank-separated.
  std::string_view options;
  /// The machines that execute its plans: names (plan/machine.hpp), blank-separated; empty if it
  /// makes an experiment.
  std::string_view machines;
  /// Null if it makes an experiment instead of a plan.
  Plan (*plan)(const PlanRequest& request);
  Experiment (*experiment)(const PlanRequest& request) = nullptr;
  /// The largest network, in nodes, on which it can be the default; on larger ones planning takes
  /// too long, and other algorithms come first.
  NodeId most_nodes = kNoNode;
  /// It sends a vector's words one after the other, one flit each, so all its links are in use.
  bool word_by_word = false;
  /// Kept for a paper or for comparison: other algorithms are better on all networks.
  bool historical = false;
};

enum class OptionKind { kFlag, kNumber, kText };

/// An option of some algorithm, as the command line shows it.
struct OptionSpec {
  /// Without the dashes.
  std::string_view name;
  OptionKind kind;
  std::string_view help;
  /// The default value if it is the same for every algorithm; otherwise empty.
  std::string_view standard = {};
  /// A word that a numeric option also accepts; empty: none.
  std::string_view word = {};
};

/// Own packets per node with which the `hamiltonian` algorithm uses every port in every step: two
/// per dimension. Its default is one, which leaves some ports idle in the last step.
[[nodiscard]] std::int64_t packets_for_every_port(const Topology& topology);

/// True when the value of the request's option equals its default, in any spelling.
[[nodiscard]] bool is_standard_option(const PlanRequest& request, const std::string& name);

/// All options of all algorithms.
[[nodiscard]] std::span<const OptionSpec> plan_options();

/// All algorithms; the first one that supports a topology is its collective's default.
[[nodiscard]] std::span<const Algorithm> algorithms();

/// Adds an external algorithm after the existing ones of its collective; requests, comparisons and
/// lists then include it. Its texts must outlive the program. Its name is `user:NAME`, so programs
/// without it can read its plans; its options are among plan_options(). Invalidates earlier
/// algorithms() spans: call it before planning begins, from one thread. Throws
/// std::invalid_argument for another form of name, a duplicate name, an unknown collective or
/// option, or a missing planner.
void register_algorithm(const Algorithm& algorithm);

/// True for `user:NAME`.
[[nodiscard]] bool is_user_algorithm(std::string_view name);

/// Throws InputError, with a suggestion, for an unknown collective. Both the name in plans and the
/// usual name are known.
void require_collective(std::string_view asked);

/// Whether the collective supports groups: `groups` and `group-stride`.
[[nodiscard]] bool takes_groups(std::string_view collective);

/// True when the algorithm supports the option; InputError for an unknown algorithm.
[[nodiscard]] bool takes_option(std::string_view collective, std::string_view algorithm,
                                std::string_view option);

/// Plans. Throws InputError for an unknown collective, algorithm or option, InfeasibleError when
/// the algorithm does not support the topology.
[[nodiscard]] PlanOrExperiment make_plan_or_experiment(const PlanRequest& request);
/// The same for callers that require a plan: an experiment is an InputError.
[[nodiscard]] Plan make_plan(const PlanRequest& request);

/// The option `name` as a whole number in min..max, if given; InputError for other values.
[[nodiscard]] std::optional<std::int64_t> whole_option(const PlanRequest& request,
                                                       std::string_view name, std::int64_t min,
                                                       std::int64_t max);
/// The same as a `Number`, whose range includes min..max.
template <std::integral Number = std::int64_t>
[[nodiscard]] std::optional<Number> number_option(const PlanRequest& request, std::string_view name,
                                                  std::int64_t min, std::int64_t max) {
  const auto given = whole_option(request, name, min, max);
  return given ? std::optional(static_cast<Number>(*given)) : std::nullopt;
}
/// The option `name` as text, if given; InputError for other values.
[[nodiscard]] std::optional<std::string> text_option(const PlanRequest& request,
                                                     std::string_view name);
/// The same for options of which a single word may look like a number on the command line ("3",
/// "4x4").
[[nodiscard]] std::optional<std::string> typed_option(const PlanRequest& request,
                                                      std::string_view name);
/// True when the flag `name` was given.
[[nodiscard]] bool flag_option(const PlanRequest& request, std::string_view name);

}  // namespace gossamer
