// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/planner.hpp"

#include <fmt/format.h>

#include <array>

#include "gossamer/broadcast/eye.hpp"
#include "gossamer/broadcast/figure2.hpp"
#include "gossamer/broadcast/min_tcd.hpp"
#include "gossamer/broadcast/rivals.hpp"
#include "gossamer/gossip/array.hpp"
#include "gossamer/gossip/folded.hpp"
#include "gossamer/gossip/hamiltonian.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

Plan hamiltonian(const PlanRequest& request) {
  HamiltonianOptions options;
  if (const auto k = number_option(request, "packets", 1, kMaxPacketsPerNode)) {
    options.packets_per_node = static_cast<std::uint32_t>(*k);
  }
  return plan_hamiltonian(request.topology, options);
}

Plan array(const PlanRequest& request) {
  ArrayOptions options;
  if (const auto k = number_option(request, "packets", 1, kMaxPacketsPerNode)) {
    options.packets_per_node = static_cast<std::uint32_t>(*k);
  }
  return plan_array(request.topology, options);
}

Plan folded(const PlanRequest& request) {
  if (request.topology.is_torus()) {
    throw InfeasibleError("folded: lays a torus on a mesh; nearest feasible: --topology mesh");
  }
  PlanRequest torus{Topology::torus(request.topology.sides()), request.collective, "hamiltonian",
                    request.parameters, request.progress};
  if (const auto found = torus.parameters.find("torus-algorithm");
      found != torus.parameters.end()) {
    const auto* name = std::get_if<std::string>(&found->second);
    if (name == nullptr) throw InputError("option --torus-algorithm: a name is expected");
    torus.algorithm = *name;
    torus.parameters.erase(found);
  }
  return plan_folded(make_plan(torus));
}

/// The options of all broadcast algorithms, handed to one planner.
template <Plan (*planner)(const Topology&, const BroadcastOptions&)>
Plan broadcast(const PlanRequest& request) {
  BroadcastOptions options;
  // A single coordinate looks like a number on the command line.
  if (const auto found = request.parameters.find("source"); found != request.parameters.end()) {
    const auto* number = std::get_if<std::int64_t>(&found->second);
    options.source =
        parse_source(request.topology,
                     number != nullptr ? std::to_string(*number) : *text_option(request, "source"));
  }
  if (const auto timing = text_option(request, "timing")) {
    options.clock.timing = parse_timing(*timing);
  }
  const auto read = [&request](std::string_view name, std::uint32_t min, std::uint32_t max,
                               std::uint32_t& value) {
    if (const auto given = number_option(request, name, min, max)) {
      value = static_cast<std::uint32_t>(*given);
    }
  };
  read("flits", 1, kMaxFlits, options.clock.flits);
  read("hop-cycles", 1, kMaxHopCycles, options.clock.hop_cycles);
  read("relay-cycles", 0, kMaxRelayCycles, options.clock.relay_cycles);
  return planner(request.topology, options);
}

constexpr std::string_view kBroadcastOptions = "source flits hop-cycles relay-cycles timing";

constexpr auto kAlgorithms = std::to_array<Algorithm>({
    {"gossip", "hamiltonian",
     "d edge-disjoint Hamiltonian cycles, every packet both ways round one",
     "torus, all sides >= 3 (also sides of 2, each beside an even one, with limits for d >= 3); k "
     "= "
     "d packets: floor(P/2) steps, the lower bound; k = 2d: P - 1; buffer 1; fully "
     "time-independent",
     "packets", hamiltonian},
    {"gossip", "array", "both ways round one Hamiltonian cycle of the mesh, or all but a corner",
     "mesh; an even number of nodes: ceil(k (P-1) / 2) steps, the lower bound in 2-D, buffer 1 for "
     "k <= 2; all sides odd: k ((P-1)/2 + 2), buffer 2k; a line: k (P-1), the lower bound; fully "
     "time-independent",
     "packets", array},
    {"gossip", "folded", "a torus plan laid on the mesh, two mesh steps a torus step",
     "mesh of up to 4 dimensions, torus plans without fan-in; twice the torus' steps: with "
     "hamiltonian, k = 2d packets in 2 (P-1), the lower bound, k = d in 2 floor(P/2), within one "
     "of it; tables alternate with the parity of the step",
     "packets torus-algorithm", folded},
    {"broadcast", "eye", "one-port cut-through relays between eyes, by coordinate parities",
     "power-of-two sides; mesh: any source of equal sides, else an eye; torus: any source; log2 N "
     "steps, minimum total distance from an eye, no contention, no table",
     kBroadcastOptions, broadcast<plan_eye>},
    {"broadcast", "min-tcd", "one-port cut-through relays over recursive cuts of least distance",
     "any sides, any source; ceil(log2 N) steps, no contention; a list of sends a node",
     kBroadcastOptions, broadcast<plan_min_tcd>},
    {"broadcast", "figure2", "the papers' order of dimensions with the best targets",
     "mesh, equal power-of-two sides, any source; log2 N steps; the 2-D paper's Figure 2",
     kBroadcastOptions, broadcast<plan_figure2>},
    {"broadcast", "tree", "routers that copy a passing message along a dimension-ordered tree",
     "any sides, any source; N - 1 link traversals, eccentricity steps; not one-port; "
     "time-independent table",
     "source flits hop-cycles", broadcast<plan_tree>},
    {"broadcast", "doubling", "recursive doubling without eyes",
     "any sides, any source; sum of ceil(log2 side) steps, no contention", kBroadcastOptions,
     broadcast<plan_doubling>},
    {"broadcast", "xy-unicast", "the source sends to every node itself",
     "any sides, any source; N - 1 steps", kBroadcastOptions, broadcast<plan_xy_unicast>},
});

constexpr auto kOptions = std::to_array<OptionSpec>({
    {"packets", OptionKind::kNumber, "Own packets of each node (gossip)"},
    {"torus-algorithm", OptionKind::kText, "Algorithm of the torus plan to be folded (folded)"},
    {"source", OptionKind::kText,
     "Coordinates of the source, e.g. 3,5; default the origin (broadcast)"},
    {"flits", OptionKind::kNumber, "Flits of the message (broadcast)"},
    {"hop-cycles", OptionKind::kNumber, "Cycles that the head needs for a hop (broadcast)"},
    {"relay-cycles", OptionKind::kNumber, "Cycles between receiving and sending on (broadcast)"},
    {"timing", OptionKind::kText,
     "step: all sends of a step together; self: each as soon as it can (broadcast)"},
});

bool names_option(std::string_view options, std::string_view name) {
  while (!options.empty()) {
    const std::size_t blank = options.find(' ');
    if (options.substr(0, blank) == name) return true;
    if (blank == std::string_view::npos) return false;
    options.remove_prefix(blank + 1);
  }
  return false;
}

const Algorithm& find_algorithm(const PlanRequest& request) {
  std::string known;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.collective != request.collective) continue;
    if (request.algorithm.empty() || algorithm.name == request.algorithm) return algorithm;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", algorithm.name);
  }
  if (known.empty()) {
    throw InputError(fmt::format("collective: \"{}\" is unknown; gossamer list shows what there is",
                                 request.collective));
  }
  throw InputError(fmt::format("algorithm: \"{}\" is unknown for {}; there is {}",
                               request.algorithm, request.collective, known));
}

}  // namespace

std::span<const Algorithm> algorithms() { return kAlgorithms; }

std::span<const OptionSpec> plan_options() { return kOptions; }

Plan make_plan(const PlanRequest& request) {
  const Algorithm& algorithm = find_algorithm(request);
  for (const auto& [name, value] : request.parameters) {
    if (!names_option(algorithm.options, name)) {
      throw InputError(fmt::format("option --{}: algorithm {} does not take it{}{}", name,
                                   algorithm.name, algorithm.options.empty() ? "" : "; it takes ",
                                   algorithm.options));
    }
  }
  return algorithm.plan(request);
}

std::optional<std::int64_t> number_option(const PlanRequest& request, std::string_view name,
                                          std::int64_t min, std::int64_t max) {
  const auto found = request.parameters.find(std::string(name));
  if (found == request.parameters.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  if (value == nullptr || *value < min || *value > max) {
    throw InputError(fmt::format("option --{}: a whole number from {} to {} is expected{}", name,
                                 min, max,
                                 value == nullptr ? "" : fmt::format(", not {}", *value)));
  }
  return *value;
}

std::optional<std::string> text_option(const PlanRequest& request, std::string_view name) {
  const auto found = request.parameters.find(std::string(name));
  if (found == request.parameters.end()) return std::nullopt;
  const auto* value = std::get_if<std::string>(&found->second);
  if (value == nullptr) throw InputError(fmt::format("option --{}: a text is expected", name));
  return *value;
}

bool flag_option(const PlanRequest& request, std::string_view name) {
  const auto found = request.parameters.find(std::string(name));
  if (found == request.parameters.end()) return false;
  const auto* value = std::get_if<bool>(&found->second);
  if (value == nullptr) throw InputError(fmt::format("option --{}: takes no value", name));
  return *value;
}

}  // namespace gossamer
