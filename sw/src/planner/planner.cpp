// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/planner.hpp"

#include <fmt/format.h>

#include <array>

#include "gossamer/gossip/hamiltonian.hpp"
#include "gossamer/gossip/one_packet_paper.hpp"
#include "gossamer/gossip/two_packet.hpp"
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

Plan two_packet(const PlanRequest& request) {
  return plan_two_packet(request.topology, {flag_option(request, "time-independent")});
}

Plan one_packet(const PlanRequest& request) {
  return plan_one_packet_paper(request.topology,
                               {flag_option(request, "time-independent"), std::nullopt});
}

constexpr auto kAlgorithms = std::to_array<Algorithm>({
    {"gossip", "hamiltonian",
     "d edge-disjoint Hamiltonian cycles, every packet both ways round one",
     "torus, all sides >= 3 (2-D: also a side of 2 beside an even one); k = d packets: floor(P/2) "
     "steps, the lower bound; k = 2d: P - 1; buffer 1; fully time-independent",
     "packets", hamiltonian},
    {"gossip", "two-packet",
     "the paper's two cycles of a 2-D torus, two packets a node, one each way round each cycle",
     "2-D torus: P/2 steps with both sides even (buffer 1) or one side C odd (one switch, buffer "
     "C + 1; --time-independent: P/2 + C + 1 steps, buffer 2); 2 x odd: P/2 + 1; both odd: "
     "hamiltonian stands in",
     "time-independent", two_packet},
    {"gossip", "one-packet",
     "the paper's d cycles of laps, one packet a node, neighbours supply the nodes off a cycle",
     "torus, d = 2..6, in some axis order n1 a multiple of d, n2..n(d-1) of n1, nd >= d (and a few "
     "more): about P/2d + P/2nd steps with one switch; more with --time-independent (buffer 1)",
     "time-independent", one_packet},
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
