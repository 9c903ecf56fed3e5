// SPDX-License-Identifier: Apache-2.0
#include "grouped_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "best_plan.hpp"
#include "gossamer/collectives/broadcast/broadcast.hpp"
#include "gossamer/collectives/groups/lattice.hpp"
#include "gossamer/compose/groups.hpp"
#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/member_displacement.hpp"
#include "gossamer/plan/topology_io.hpp"
#include "gossamer/planner/requested_groups.hpp"
#include "gossamer/report/physical.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/text.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

constexpr const char* kGroups = "groups";
constexpr const char* kStride = "group-stride";

/// "4x4" as its numbers; empty for other texts.
std::optional<std::vector<std::uint32_t>> box(std::string_view text) {
  auto numbers = whole_numbers(text, 'x');
  if (numbers && std::find(numbers->begin(), numbers->end(), 0U) != numbers->end()) return {};
  return numbers;
}

void require_dimensions(const std::vector<std::uint32_t>& box, const Topology& topology,
                        std::string_view option, std::string_view text) {
  if (box.size() == static_cast<std::size_t>(topology.dimensions())) return;
  throw InputError(fmt::format("--{}: \"{}\" has {}, and --dims {} has {}", option, text,
                               counted(box.size(), "dimension"), topology.dims_text(),
                               topology.dimensions()));
}

std::vector<std::uint32_t> parse_shape(const std::string& text, const Topology& topology) {
  if (const auto shape = box(text)) {
    require_dimensions(*shape, topology, kGroups, text);
    return *shape;
  }
  std::vector<std::uint32_t> shape(static_cast<std::size_t>(topology.dimensions()), 1);
  std::vector<std::string_view> named;
  for (const std::string_view axis : words_of(text, ',')) {
    if (std::find(named.begin(), named.end(), axis) != named.end()) {
      throw InputError(fmt::format("--groups: \"{}\" names dimension {} twice", text, axis));
    }
    named.push_back(axis);
    int dim = 0;
    while (dim < topology.dimensions() && dimension_name(dim) != axis) ++dim;
    if (dim == topology.dimensions()) {
      for (int other = dim; other < kMaxDimensions; ++other) {
        if (dimension_name(other) != axis) continue;
        throw InputError(
            fmt::format("--groups: --dims {} has no dimension {}", topology.dims_text(), axis));
      }
      throw InputError(
          fmt::format("--groups: \"{}\" is neither a shape nor axes, e.g. 4x4 or x,z", text));
    }
    shape[static_cast<std::size_t>(dim)] = topology.side(dim);
  }
  return shape;
}

/// Omitted strides are 1.
std::vector<std::uint32_t> parse_stride(const std::string& text, const Topology& topology,
                                        const std::vector<std::uint32_t>& shape) {
  auto stride = box(text);
  if (!stride) {
    throw InputError(
        fmt::format("--group-stride: \"{}\" is not a stride; 2 and 2x4 are examples", text));
  }
  if (stride->size() == 1) stride->resize(shape.size(), stride->front());
  require_dimensions(*stride, topology, kStride, text);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) (*stride)[i] = 1;
  }
  return *stride;
}

/// The shape that divides the network and is nearest to this one, dimension by dimension.
std::string nearest_groups(const Topology& topology, const Groups& groups) {
  std::vector<std::uint32_t> shape;
  std::vector<std::uint32_t> stride;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    const std::uint32_t side = topology.side(dim);
    stride.push_back(side % groups.stride[i] == 0 ? groups.stride[i] : 1);
    std::uint32_t best = 1;
    const auto distance = [&](std::uint32_t size) {
      return size > groups.shape[i] ? size - groups.shape[i] : groups.shape[i] - size;
    };
    for (std::uint32_t size = 1; size <= side / stride[i]; ++size) {
      if (side / stride[i] % size == 0 && distance(size) <= distance(best)) best = size;
    }
    shape.push_back(best);
    if (best == 1) stride[i] = 1;
  }
  if (std::all_of(shape.begin(), shape.end(), [](std::uint32_t size) { return size == 1; })) {
    return "--groups x";
  }
  return fmt::format("--groups {}{}", joined(shape, "x"),
                     groups.longest_stride() == 1 ? "" : " --group-stride " + joined(stride, "x"));
}

Groups parse_groups(const PlanRequest& request) {
  const Topology& topology = request.topology;
  const auto shape = typed_option(request, kGroups);
  const auto stride = typed_option(request, kStride);
  if (!shape) throw InputError("--group-stride: requires --groups");
  Groups groups;
  groups.shape = parse_shape(*shape, topology);
  groups.stride = stride ? parse_stride(*stride, topology, groups.shape)
                         : std::vector<std::uint32_t>(groups.shape.size(), 1);
  if (!topology.is_healthy()) {
    throw InfeasibleError(
        "--groups: faults are not supported; nearest feasible: a network without faults");
  }
  if (const std::string defect = group_defect(topology, groups); !defect.empty()) {
    throw InfeasibleError(fmt::format("--groups: {}; nearest feasible: {}", defect,
                                      nearest_groups(topology, groups)));
  }
  return groups;
}

/// Every group lies inside one chiplet, and all its links have the same period.
bool has_equal_links_inside(const Topology& topology, const Groups& groups) {
  if (topology.has_equal_links()) return true;
  const LinkPeriods& periods = topology.link_periods();
  std::uint32_t period = 0;
  for (std::size_t axis = 0; axis < groups.shape.size(); ++axis) {
    if (groups.shape[axis] == 1) continue;
    const std::uint32_t chiplet =
        periods.chiplets.empty() ? topology.sides()[axis] : periods.chiplets[axis];
    if (chiplet % (groups.shape[axis] * groups.stride[axis]) != 0) return false;
    if (period != 0 && period != periods.inside[axis]) return false;
    period = periods.inside[axis];
  }
  return true;
}

/// The root's member coordinates as the node of one group's network: one for each dimension, or for
/// each axis of the groups.
std::string member_source(const PlanRequest& request, const Groups& groups,
                          const Topology& network) {
  const std::string text = *typed_option(request, "source");
  const auto commas = std::count(text.begin(), text.end(), ',');
  if (commas + 1 == network.dimensions() && network.dimensions() != request.topology.dimensions()) {
    return node_text(network, parse_source(network, text));
  }
  return node_text(network, parse_source(Topology::mesh(groups.shape), text));
}

/// The fastest plan that groups can execute. The default plan of a network of its own may be a
/// slower one, or one for routers without steps.
Plan best_guest(const PlanRequest& request) {
  Plan best = make_plan(request);
  if ((can_be_guest(best) && best.expected.meets_bound()) || request.topology.nodes() > kMostTried)
    return best;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != request.collective || algorithm.plan == nullptr ||
        !serves(algorithm.shapes, request.topology)) {
      continue;
    }
    PlanRequest one = request;
    one.algorithm = algorithm.name;
    try {
      Plan plan = make_plan(one);
      const auto& steps = plan.expected.analytic_steps;
      if (!can_be_guest(plan) || !steps) continue;
      const auto& their_steps = best.expected.analytic_steps;
      const bool faster = serves_alike(plan, best) && (!their_steps || *steps < *their_steps);
      if (faster || !can_be_guest(best)) best = std::move(plan);
    } catch (const InfeasibleError&) {
      // Another one may be able.
    } catch (const InputError&) {
      // It does not take the options.
    }
  }
  return best;
}

/// The demand of `framed` by one program of all nodes (collectives/groups/lattice.hpp), if that
/// takes fewer steps, and the request permits its routers.
std::optional<Plan> faster_on_lattice(const Plan& framed, const PlanRequest& request) {
  for (const char* const other : {"time-independent", "invariant", "adder-cycles"}) {
    if (request.parameters.contains(other)) return std::nullopt;
  }
  const Groups& groups = *framed.demand.groups;
  const std::string_view name = framed.demand.is_personal() ? "isotropic" : "scheduled";
  if (groups.longest_stride() == 1 || framed.expected.meets_bound() ||
      !has_closed_axes(framed.topology, groups) ||
      (!request.algorithm.empty() && request.algorithm != name)) {
    return std::nullopt;
  }
  std::optional<TimetableProgram> program = lattice_program(framed.topology, framed.demand);
  if (!program || program->steps() >= framed.expected.analytic_steps.value_or(~std::uint64_t{0})) {
    return std::nullopt;
  }
  Plan plan = framed;
  plan.algorithm = name;
  std::erase_if(plan.parameters, [](const auto& parameter) {
    return !has_word("packets operation type accumulate link-bits word-bits", parameter.first) &&
           !is_message_option(parameter.first);
  });
  plan.parameters["schedule_bits"] =
      static_cast<std::int64_t>(program->format().rom_bits(program->ports()));
  plan.parameters["buffer_packets"] = std::int64_t{program->slots()};
  plan.expected = {};
  plan.expected.analytic_steps = plan.expected.analytic_cycles = program->steps();
  plan.expected.queue_depth = program->slots();
  plan.program = std::move(*program);
  return plan_on_lattice(std::move(plan));
}

}  // namespace

bool takes_groups(std::string_view collective) {
  const auto found =
      std::find_if(collectives().begin(), collectives().end(),
                   [collective](const Collective& one) { return one.name == collective; });
  return found != collectives().end() && found->from != Origin::kSources &&
         found->to != Destination::kEachSource && found->to != Destination::kPairs;
}

bool asks_for_groups(const PlanRequest& request) {
  return request.parameters.contains(kGroups) || request.parameters.contains(kStride);
}

std::optional<Groups> requested_groups(const PlanRequest& request) {
  if (!asks_for_groups(request)) return std::nullopt;
  return parse_groups(request);
}

void request_groups(PlanRequest& request, const std::optional<Groups>& groups) {
  if (!groups) return;
  request.parameters[kGroups] = joined(groups->shape, "x");
  if (groups->longest_stride() > 1) request.parameters[kStride] = joined(groups->stride, "x");
}

Plan plan_groups(const PlanRequest& asked) {
  require_collective(asked.collective);
  Groups groups = parse_groups(asked);
  PlanRequest request = asked;
  if (!has_equal_links_inside(asked.topology, groups)) {
    throw InfeasibleError(
        "--groups: links of different rates in a group are not supported; nearest feasible: groups "
        "inside a chiplet, or --pace slowest");
  }
  request.topology = asked.topology.with_equal_links();
  if (!takes_groups(request.collective)) {
    throw InfeasibleError(
        fmt::format("--groups: {} does not support groups; nearest feasible: a collective of all "
                    "members, such as all-gather",
                    request.collective));
  }
  if (request.parameters.contains("elastic")) {
    throw InfeasibleError("--elastic: excludes --groups; nearest feasible: without --elastic");
  }
  PlanRequest guest = request;
  guest.topology = group_network(request.topology, groups);
  guest.parameters.erase(kGroups);
  guest.parameters.erase(kStride);
  if (guest.parameters.contains("source")) {
    guest.parameters["source"] = member_source(request, groups, guest.topology);
  }
  // One message over paths of several links would be faster, but takes routers that have no steps.
  if (request.collective == "broadcast" && request.algorithm.empty() &&
      !request.parameters.contains("bytes")) {
    guest.parameters.try_emplace("packets", std::int64_t{1});
  }
  const auto planned = [&] {
    try {
      return guest.algorithm.empty() ? best_guest(guest) : make_plan(guest);
    } catch (const InfeasibleError& error) {
      throw InfeasibleError(fmt::format("--groups: the network of a group, {} {}: {}",
                                        with_article(guest.topology.dims_text()),
                                        topology_words(guest.topology), error.what()));
    }
  };
  const Plan plan = planned();
  // Blocks belong to nodes, requested words do not.
  groups.ids_by_node =
      request.collective == "all-reduce" && !request.parameters.contains("words") &&
      !request.parameters.contains("bytes") && plan.demand.pieces % groups.members() == 0;
  Plan framed = plan_on_groups(plan, request.topology, std::move(groups));
  std::optional<Plan> faster = faster_on_lattice(framed, asked);
  return faster ? *std::move(faster) : std::move(framed);
}

}  // namespace gossamer
