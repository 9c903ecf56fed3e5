// SPDX-License-Identifier: Apache-2.0
#include "improve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <utility>

#include "gossamer/planner/planner.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::cli {

namespace {

/// Every algorithm is planned and its schedule checked.
constexpr std::uint32_t kMostRivalNodes = 4096;

/// The collective's name here, for the other program's name, and its demand; empty where no plan
/// has it.
struct Work {
  std::string_view collective;
  Demand demand;
};
std::optional<Work> work_of(const foreign::CheckResult& result, NodeId root) {
  const std::uint64_t nodes = result.ranks;
  const std::uint64_t chunks = result.chunks;
  const bool teccl = result.format == "te-ccl";
  const std::string& word = result.collective;
  if (word == "allgather") {
    return Work{"gossip", Demand::all_gather(teccl ? chunks : chunks / nodes)};
  }
  if (word == "broadcast") return Work{"broadcast", Demand::broadcast(root, chunks)};
  if (word == "reduce_scatter") {
    return Work{"reduce-scatter", Demand::combined(Destination::kOwner, Operation::kSum, chunks)};
  }
  if (word == "allreduce") {
    return Work{"all-reduce", Demand::combined(Destination::kEveryNode, Operation::kSum, chunks)};
  }
  if (word == "reduce") {
    return Work{"reduce", Demand::combined(Destination::kRoot, Operation::kSum, chunks, root)};
  }
  if (word == "alltoall" && !teccl) {
    Work work{"all-to-all", Demand::all_to_all()};
    work.demand.pieces = chunks / nodes;
    return work;
  }
  return std::nullopt;
}

/// Possible requests to an algorithm for that amount; the demand of its plan shows the right one.
std::vector<std::map<std::string, ParameterValue>> requests_for(const Algorithm& algorithm,
                                                                const Work& work,
                                                                const Topology& topology) {
  const auto takes = [&algorithm](std::string_view option) {
    return takes_option(algorithm.collective, algorithm.name, option);
  };
  std::map<std::string, ParameterValue> basis;
  if (takes("source")) basis["source"] = node_text(topology, work.demand.root);
  std::vector<std::map<std::string, ParameterValue>> requests{basis};
  const auto pieces = static_cast<std::int64_t>(work.demand.pieces);
  const auto nodes = static_cast<std::int64_t>(topology.nodes());
  if (takes("packets")) {
    requests.push_back(basis);
    requests.back()["packets"] =
        work.demand.combines() ? std::max(pieces / nodes, std::int64_t{1}) : pieces;
  }
  if (takes("words")) {
    requests.push_back(basis);
    requests.back()["words"] = pieces;
  }
  std::reverse(requests.begin(), requests.end());
  return requests;
}

/// The algorithm's schedule, where it serves the work and its schedule is correct there.
std::optional<Rival> rival(const Algorithm& algorithm, const Work& work, const Topology& topology) {
  foreign::CheckOptions options;
  options.network = foreign::LinkGraph::of(topology);
  options.root = work.demand.root;
  for (const auto& parameters : requests_for(algorithm, work, topology)) {
    try {
      const Plan plan = make_plan(
          {topology, std::string(work.collective), std::string(algorithm.name), parameters, {}});
      if (plan.demand != work.demand) continue;
      Rival rival{std::string(algorithm.name), 0, {}, foreign::moves_of(plan)};
      rival.schedule = foreign::export_schedule(plan, rival.moves);
      const foreign::CheckResult checked = foreign::check(rival.schedule, options);
      if (checked.defect || !checked.steps) continue;
      rival.steps = *checked.steps;
      return rival;
    } catch (const InputError&) {
      continue;
    } catch (const InfeasibleError&) {
      continue;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Rival> rivals_of(const foreign::CheckResult& result, const Topology& topology,
                             NodeId root) {
  if (topology.nodes() > kMostRivalNodes) {
    throw InputError(fmt::format("--improve: supports networks of up to {1} nodes, not {0}",
                                 topology.nodes(), kMostRivalNodes));
  }
  std::vector<Rival> rivals;
  const std::optional<Work> work = work_of(result, root);
  if (!work) return rivals;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != work->collective || algorithm.plan == nullptr ||
        !serves(algorithm.shapes, topology)) {
      continue;
    }
    if (auto found = rival(algorithm, *work, topology)) rivals.push_back(*std::move(found));
  }
  std::stable_sort(rivals.begin(), rivals.end(),
                   [](const Rival& a, const Rival& b) { return a.steps < b.steps; });
  return rivals;
}

void write_rival(const Rival& rival, std::string_view format, std::ostream& out) {
  if (format == "msccl-xml") {
    foreign::write_msccl(rival.schedule, out);
  } else {
    foreign::write_teccl(rival.moves, rival.schedule.chunks / rival.schedule.ranks.size(), out);
  }
}

}  // namespace gossamer::cli
