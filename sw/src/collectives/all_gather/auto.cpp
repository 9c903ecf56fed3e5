// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/bounds/one_packet.hpp"
#include "gossamer/collectives/all_gather/array.hpp"
#include "gossamer/collectives/all_gather/class_tables.hpp"
#include "gossamer/collectives/all_gather/degraded.hpp"
#include "gossamer/collectives/all_gather/folded.hpp"
#include "gossamer/collectives/all_gather/hamiltonian.hpp"
#include "gossamer/collectives/all_gather/one_packet_paper.hpp"
#include "gossamer/collectives/all_gather/strands.hpp"
#include "gossamer/collectives/all_gather/timetable.hpp"
#include "gossamer/collectives/all_gather/zigzag.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer {

namespace {

using Steps = std::optional<std::uint64_t>;

/// The formula holds wherever the plan exists; for sides of 2 only planning shows whether it does.
Steps predict_hamiltonian(const Topology& topology, std::uint64_t k) {
  if (!topology.is_torus()) return std::nullopt;
  return bounds::hamiltonian_steps(topology, k);
}
Plan make_hamiltonian(const Topology& topology, const AutoOptions& options) {
  HamiltonianOptions hamiltonian;
  hamiltonian.packets_per_node = options.packets_per_node;
  return plan_hamiltonian(topology, hamiltonian);
}

Plan make_zigzag(const Topology& topology, const AutoOptions& options) {
  return plan_zigzag(topology, {options.packets_per_node});
}

Plan make_tables(const Topology& topology, const AutoOptions& options) {
  return plan_tables(topology, {options.packets_per_node});
}

Plan make_rows(const Topology& topology, const AutoOptions& options) {
  return plan_rows(topology, {options.packets_per_node});
}

/// Beyond these sizes planning takes more than seconds.
constexpr std::uint32_t kMostNodes = 200'000;

/// The minimum of the exact counts over all orders of the axes; in 4-D and beyond, where there is
/// no formula, one and a half times the count with the switch.
Steps predict_one_packet_paper(const Topology& topology, std::uint64_t k) {
  const int d = topology.dimensions();
  if (k != 1 || !topology.is_torus() || d < 2 || d > 6 || topology.nodes() > kMostNodes) {
    return std::nullopt;
  }
  Steps least;
  for (const AxisOrder& order : lap_cycle_orders(topology)) {
    const auto side = [&](int axis) -> std::uint64_t {
      return topology.side(order[static_cast<std::size_t>(axis)]);
    };
    Steps steps;
    if (d == 2) {
      if (side(0) >= 4 && side(1) >= 3) steps = bounds::one_packet_steps_2d(side(0), side(1), true);
    } else if (d == 3) {
      steps = bounds::one_packet_steps_3d(side(0), side(1), side(2), true);
    } else {
      steps = bounds::one_packet_cycle_length(topology, side(d - 1)) * 3 / 4;
    }
    if (steps && (!least || *steps < *least)) least = steps;
  }
  return least;
}
Plan make_one_packet_paper(const Topology& topology, const AutoOptions&) {
  return plan_one_packet_paper(topology, {true, std::nullopt});
}

/// Where the search finds cycles, it reaches three steps more than the longest cycle.
Steps predict_strands(const Topology& topology, std::uint64_t k) {
  if (const Steps exact = bounds::regular_strands_steps(topology, k)) return exact;
  const auto ports = static_cast<std::uint64_t>(topology.ports());
  const std::vector<std::uint32_t>& sides = topology.sides();
  if (!topology.is_torus() || topology.dimensions() < 2 || topology.nodes() > kMostNodes ||
      *std::min_element(sides.begin(), sides.end()) < 3) {
    return std::nullopt;
  }
  return k * (bounds::ceil_div(topology.nodes(), ports) + 3);
}
Plan make_strands(const Topology& topology, const AutoOptions& options) {
  StrandsOptions strands;
  strands.packets_per_node = options.packets_per_node;
  strands.seed = options.seed;
  strands.progress = options.progress;
  return plan_strands(topology, strands);
}

// Candidates for cylinders and networks with faults. The prediction for a search is its best
// possible result.

Steps predict_array(const Topology& topology, std::uint64_t k) {
  if (!topology.is_healthy() || topology.nodes() % 2 != 0) return std::nullopt;
  return bounds::array_steps(topology, k);
}
Plan make_array(const Topology& topology, const AutoOptions& options) {
  return plan_array(topology, {options.packets_per_node});
}

Steps predict_trail(const Topology& topology, std::uint64_t k) {
  if (!topology.is_healthy()) return std::nullopt;
  return bounds::ceil_div(k * (topology.nodes() - std::uint64_t{1}), 2);
}
Plan make_trail(const Topology& topology, const AutoOptions& options) {
  return plan_trail(topology, {options.packets_per_node, options.seed});
}

Steps predict_tree(const Topology& topology, std::uint64_t k) {
  if (!topology.is_healthy()) return std::nullopt;
  return k * (topology.nodes() - std::uint64_t{1});
}
Plan make_tree(const Topology& topology, const AutoOptions& options) {
  return plan_spanning_tree(topology, {options.packets_per_node, options.seed});
}

Steps predict_degraded(const Topology& topology, std::uint64_t k) {
  if (topology.is_healthy()) return std::nullopt;
  return bounds::gossip_lower_bound(topology, k);
}
Plan make_degraded(const Topology& topology, const AutoOptions& options) {
  Plan plan = plan_degraded(topology, {options.packets_per_node, options.seed});
  // Without a formula (in-out) only the bound can be compared.
  if (!plan.expected.analytic_steps) plan.expected.analytic_steps = plan.expected.bound_steps;
  return plan;
}

Steps predict_folded(const Topology& topology, std::uint64_t k) {
  if (!topology.is_healthy() || !topology.is_mesh()) return std::nullopt;
  const Steps torus = predict_hamiltonian(Topology::torus(topology.sides()), k);
  return torus ? Steps(bounds::folded_steps(*torus)) : std::nullopt;
}
Plan make_folded(const Topology& topology, const AutoOptions& options) {
  return plan_folded(make_hamiltonian(Topology::torus(topology.sides()), options));
}

/// Packets up to which the steps of every one are planned where others do: a second of search.
constexpr std::uint64_t kMostPlannedPackets = 1024;

Steps predict_scheduled(const Topology& topology, std::uint64_t k) {
  if (topology.is_healthy() && k * topology.nodes() > kMostPlannedPackets) return std::nullopt;
  return bounds::gossip_lower_bound(topology, k);
}
Plan make_scheduled(const Topology& topology, const AutoOptions& options) {
  return plan_timetable(topology, {options.packets_per_node, options.seed});
}

constexpr auto kCandidates = std::to_array<AutoCandidate>({
    {"hamiltonian", predict_hamiltonian, true, make_hamiltonian},
    {"zigzag", bounds::zigzag_steps, true, make_zigzag},
    {"tables", library_steps, true, make_tables},
    {"rows", bounds::rows_steps, true, make_rows},
    {"strands", predict_strands, false, make_strands},
    {"one-packet", predict_one_packet_paper, false, make_one_packet_paper},
    {"array", predict_array, true, make_array, true},
    {"folded", predict_folded, true, make_folded, true},
    {"trail", predict_trail, false, make_trail, true},
    {"tree", predict_tree, true, make_tree, true},
    {"degraded", predict_degraded, false, make_degraded, true},
    {"scheduled", predict_scheduled, false, make_scheduled, true, true},
});

/// A candidate with its prediction.
struct Offer {
  const AutoCandidate* candidate;
  std::uint64_t steps;
};

}  // namespace

std::span<const AutoCandidate> auto_candidates() { return kCandidates; }

Plan plan_auto(const Topology& topology, const AutoOptions& options) {
  std::vector<Offer> offers;
  std::string comparison;
  const bool elsewhere = !topology.is_healthy() || !topology.is_torus();
  for (const AutoCandidate& candidate : kCandidates) {
    if (candidate.elsewhere != elsewhere || (options.time_independent && candidate.rom)) continue;
    const Steps steps = candidate.predict(topology, options.packets_per_node);
    if (!steps) continue;
    offers.push_back({&candidate, *steps});
    comparison += fmt::format("{}{} {}{}", comparison.empty() ? "" : ", ", candidate.name,
                              candidate.exact ? "" : "about ", *steps);
  }
  if (offers.empty()) {
    throw InfeasibleError(
        fmt::format("auto: no algorithm that it chooses from supports {} {}; nearest "
                    "feasible: --algorithm scheduled",
                    with_article(topology.dims_text()), topology.kind()));
  }
  std::stable_sort(offers.begin(), offers.end(),
                   [](const Offer& a, const Offer& b) { return a.steps < b.steps; });

  std::optional<Plan> best;
  std::string failures;
  std::string last_reason;
  for (const Offer& offer : offers) {
    // A guess may have been too low: an exact prediction then wins.
    if (best && *best->expected.analytic_steps <= offer.steps) break;
    try {
      Plan plan = offer.candidate->plan(topology, options);
      if (!best || *plan.expected.analytic_steps < *best->expected.analytic_steps) {
        best = std::move(plan);
      }
    } catch (const InfeasibleError& error) {
      last_reason = error.what();
      failures += fmt::format("; {} is infeasible here", offer.candidate->name);
    }
  }
  if (!best) throw InfeasibleError(last_reason);
  const std::uint64_t bound = *best->expected.lower_bound_steps;
  const std::uint64_t steps = *best->expected.analytic_steps;
  best->parameters["requested"] = std::string("auto");
  best->parameters["reason"] = fmt::format("fewest steps of: {}{}", comparison, failures);
  best->parameters["gap"] = static_cast<std::int64_t>(steps - bound);
  return std::move(*best);
}

}  // namespace gossamer
