// SPDX-License-Identifier: Apache-2.0
#include "gossamer/planner/planner.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "gossamer/gossip/auto.hpp"
#include "gossamer/gossip/class_tables.hpp"
#include "gossamer/gossip/hamiltonian.hpp"
#include "gossamer/gossip/strands.hpp"
#include "gossamer/gossip/zigzag.hpp"
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

/// The option `packets`, 1 unless given.
std::uint32_t packets_or_one(const PlanRequest& request) {
  return static_cast<std::uint32_t>(
      number_option(request, "packets", 1, kMaxPacketsPerNode).value_or(1));
}

/// The option `seed`, 1 unless given.
std::uint64_t seed_or_one(const PlanRequest& request) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::uint64_t>(number_option(request, "seed", 0, kMost).value_or(1));
}

Plan zigzag(const PlanRequest& request) {
  return plan_zigzag(request.topology, {packets_or_one(request)});
}

Plan rows(const PlanRequest& request) {
  return plan_rows(request.topology, {packets_or_one(request)});
}

Plan strands(const PlanRequest& request) {
  return plan_strands(request.topology,
                      {packets_or_one(request), seed_or_one(request), request.progress});
}

Plan tables(const PlanRequest& request) {
  return plan_tables(request.topology, {packets_or_one(request)});
}

Plan automatic(const PlanRequest& request) {
  return plan_auto(request.topology,
                   {packets_or_one(request), seed_or_one(request), request.progress});
}

constexpr auto kAlgorithms = std::to_array<Algorithm>({
    {"gossip", "hamiltonian",
     "d edge-disjoint Hamiltonian cycles, every packet both ways round one",
     "torus, all sides >= 3 (2-D: also a side of 2 beside an even one); k = d packets: floor(P/2) "
     "steps, the lower bound; k = 2d: P - 1; buffer 1; fully time-independent",
     "packets", hamiltonian},
    {"gossip", "zigzag", "two cycles of zigzag strands, closed formula",
     "2-D torus, one side a multiple of 4, the other even; k packets: ceil(k (P + 6) / 4) steps, "
     "ceil(k (P + 2) / 4) beside a side of 4; one packet: 2 (1) above the lower bound; buffer k; "
     "fully time-independent",
     "packets", zigzag},
    {"gossip", "strands", "2d directed cycles whose streams are handed on over a few hops",
     "torus, sides >= 3 and one >= 4d, odd ones included; one packet: 2 above the lower bound by "
     "formula where regular, else 2 to 5 as a rule by seeded search; k times that for k; buffer k; "
     "fully time-independent",
     "packets seed", strands},
    {"gossip", "rows", "one Hamiltonian cycle by rows, closed formula",
     "2-D torus, odd sides, one an odd multiple of the other; L the shorter: ceil(k (P + L + 2) / "
     "4) steps; buffer k; fully time-independent",
     "packets", rows},
    {"gossip", "tables", "small tables found by search, from the library",
     "tori of up to about 10x10 that the library lists; steps exact, 0 to 9 above the lower bound "
     "for one packet, k times that for k; buffer k; fully time-independent",
     "packets", tables},
    {"gossip", "auto", "the best time-independent algorithm for the torus and number of packets",
     "the fewest steps of all that apply; the plan names the algorithm, the reason and the gap",
     "packets seed", automatic},
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
