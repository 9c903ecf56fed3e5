// SPDX-License-Identifier: Apache-2.0
/// The registry of algorithms: from a request to a plan.
///
/// Each algorithm is a plain function with typed options of its own (e.g.
/// all_gather/hamiltonian.hpp); this registry gives all of them one calling form for the command
/// line and for sweeps. Adding an algorithm means one planner file and one entry in its
/// collective's list (sw/src/planner); a planner of somebody else's is added by register_algorithm.
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

/// What the user asked for.
struct PlanRequest {
  Topology topology;
  std::string collective;
  /// Empty: the collective's default algorithm.
  std::string algorithm;
  /// Options by name, as on the command line without the dashes ("packets", "time-independent").
  /// An option that the algorithm does not know is an InputError.
  std::map<std::string, ParameterValue> parameters;
  Progress progress;
};

/// The networks that an algorithm is made for, a bit a kind.
enum class Shapes : unsigned {
  kTorus = 1,
  kMesh = 2,
  kBoth = 3,
  /// Some dimensions wrap, others do not.
  kGrid = 4,
  kMeshOrGrid = 6,
  /// Every shape without faults.
  kEvery = 7,
  /// Something is dead, whatever the shape.
  kFaulty = 8,
  kTorusOrFaulty = 9,
  kBothOrFaulty = 11,
  kEveryOrFaulty = 15,
};
/// True when an algorithm for `shapes` is made for networks like `topology`.
[[nodiscard]] bool serves(Shapes shapes, const Topology& topology);

/// One algorithm as the registry knows it.
struct Algorithm {
  std::string_view collective;
  /// What it is a default for and may be asked for; of these the planner itself refuses what it
  /// cannot serve, with a reason.
  Shapes shapes;
  std::string_view name;
  /// What it does, in one sentence.
  std::string_view summary;
  /// What it guarantees: steps, sides, buffers.
  std::string_view guarantee;
  /// The options it takes, by name, blank-separated.
  std::string_view options;
  /// What executes its plans: names of machines (plan/machine.hpp), blank-separated; none where it
  /// makes an experiment.
  std::string_view machines;
  /// Null where it makes no plan but an experiment.
  Plan (*plan)(const PlanRequest& request);
  Experiment (*experiment)(const PlanRequest& request) = nullptr;
  /// In networks of more nodes it takes so long that, by default, others come first.
  NodeId most_nodes = kNoNode;
  /// It sends a vector's words one behind the other, each a flit, so that all its links are in use.
  bool word_by_word = false;
  /// A paper's own, or there for comparison: others are better on all networks.
  bool historical = false;
};

enum class OptionKind { kFlag, kNumber, kText };

/// An option that some algorithm takes, as the command line shows it.
struct OptionSpec {
  /// Without the dashes.
  std::string_view name;
  OptionKind kind;
  std::string_view help;
  /// The default value, where it is the same for every algorithm; else empty.
  std::string_view standard = {};
};

/// Own packets of a node with which the `hamiltonian` kind uses every port in every step: two for
/// each dimension, where its default is one, which leaves some idle in the last step.
[[nodiscard]] std::int64_t packets_for_every_port(const Topology& topology);

/// True when the request's option of that name says what stands without it, in whatever spelling.
[[nodiscard]] bool is_standard_option(const PlanRequest& request, const std::string& name);

/// Every option that any algorithm takes.
[[nodiscard]] std::span<const OptionSpec> plan_options();

/// All algorithms; a collective's first one for a topology is the default there.
[[nodiscard]] std::span<const Algorithm> algorithms();

/// Adds an algorithm from outside, behind those of its collective that are there already: requests,
/// comparisons and lists then know it. Its texts must outlive the program; its name is `user:NAME`,
/// so that plans of it are read by programs that do not have it, and its options are among
/// plan_options(). Ends the life of earlier algorithms() spans: to be called before planning
/// begins, by one thread. Throws std::invalid_argument for another name, a name twice, an unknown
/// collective or option, or no planner.
void register_algorithm(const Algorithm& algorithm);

/// True for `user:NAME`.
[[nodiscard]] bool is_user_algorithm(std::string_view name);

/// Throws InputError for a collective that there is not, by our name or the field's, with what may
/// have been meant.
void require_collective(std::string_view asked);

/// The collective can be asked for inside groups: `groups` and `group-stride`.
[[nodiscard]] bool takes_groups(std::string_view collective);

/// True when the algorithm takes the option; InputError when there is no such algorithm.
[[nodiscard]] bool takes_option(std::string_view collective, std::string_view algorithm,
                                std::string_view option);

/// Plans. Throws InputError for an unknown collective, algorithm or option, InfeasibleError when
/// the algorithm cannot serve the topology.
[[nodiscard]] PlanOrExperiment make_plan_or_experiment(const PlanRequest& request);
/// The same where only a plan will do: an experiment is an InputError.
[[nodiscard]] Plan make_plan(const PlanRequest& request);

/// The option `name` as a whole number in min..max, if given; InputError when it is something else.
[[nodiscard]] std::optional<std::int64_t> whole_option(const PlanRequest& request,
                                                       std::string_view name, std::int64_t min,
                                                       std::int64_t max);
/// The same as a `Number`, which holds all of min..max.
template <std::integral Number = std::int64_t>
[[nodiscard]] std::optional<Number> number_option(const PlanRequest& request, std::string_view name,
                                                  std::int64_t min, std::int64_t max) {
  const auto given = whole_option(request, name, min, max);
  return given ? std::optional(static_cast<Number>(*given)) : std::nullopt;
}
/// The option `name` as a text, if given; InputError when it is something else.
[[nodiscard]] std::optional<std::string> text_option(const PlanRequest& request,
                                                     std::string_view name);
/// The same where a single word of it may look like a number on the command line ("3", "4x4").
[[nodiscard]] std::optional<std::string> typed_option(const PlanRequest& request,
                                                      std::string_view name);
/// True when the flag `name` was given.
[[nodiscard]] bool flag_option(const PlanRequest& request, std::string_view name);

}  // namespace gossamer
