// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/planner.hpp"

#include <fmt/format.h>

#include <array>

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
});

constexpr auto kOptions = std::to_array<OptionSpec>({
    {"packets", OptionKind::kNumber, "Own packets of each node (gossip)"},
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

bool flag_option(const PlanRequest& request, std::string_view name) {
  const auto found = request.parameters.find(std::string(name));
  if (found == request.parameters.end()) return false;
  const auto* value = std::get_if<bool>(&found->second);
  if (value == nullptr) throw InputError(fmt::format("option --{}: takes no value", name));
  return *value;
}

}  // namespace gossamer
