// SPDX-License-Identifier: Apache-2.0
/// The broadcast algorithms as the registry calls them.
#include <array>

#include "algorithm_lists.hpp"
#include "gossamer/broadcast/eye.hpp"
#include "gossamer/broadcast/figure2.hpp"
#include "gossamer/broadcast/min_tcd.hpp"
#include "gossamer/broadcast/rivals.hpp"

namespace gossamer {

namespace {

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
  // Self-timed messages never meet and are never slower (docs/algorithms/broadcast.md).
  options.clock.timing = parse_timing(text_option(request, "timing").value_or("self"));
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

constexpr auto kBroadcastAlgorithms = std::to_array<Algorithm>({
    {"broadcast", Shapes::kBoth, "eye",
     "one-port cut-through relays between eyes, by coordinate parities",
     "power-of-two sides; mesh: any source of equal sides, else an eye; torus: any source; log2 N "
     "steps, minimum total distance from an eye, no contention, no table",
     kBroadcastOptions, "relay", broadcast<plan_eye>},
    {"broadcast", Shapes::kEvery, "min-tcd",
     "one-port cut-through relays over recursive cuts of least distance",
     "any sides, any source; ceil(log2 N) steps, no contention; a list of sends a node",
     kBroadcastOptions, "relay", broadcast<plan_min_tcd>},
    {"broadcast", Shapes::kMesh, "figure2", "the papers' order of dimensions with the best targets",
     "mesh, equal power-of-two sides, any source; log2 N steps; the 2-D paper's Figure 2",
     kBroadcastOptions, "relay", broadcast<plan_figure2>},
    {"broadcast", Shapes::kEvery, "tree",
     "routers that copy a passing message along a dimension-ordered tree",
     "any sides, any source; N - 1 link traversals, eccentricity steps; not one-port; "
     "time-independent table",
     "source flits hop-cycles", "relay", broadcast<plan_tree>},
    {"broadcast", Shapes::kEvery, "doubling", "recursive doubling without eyes",
     "any sides, any source; sum of ceil(log2 side) steps, no contention", kBroadcastOptions,
     "relay", broadcast<plan_doubling>},
    {"broadcast", Shapes::kEvery, "xy-unicast", "the source sends to every node itself",
     "any sides, any source; N - 1 steps", kBroadcastOptions, "relay", broadcast<plan_xy_unicast>},
});

}  // namespace

std::span<const Algorithm> broadcast_algorithms() { return kBroadcastAlgorithms; }

}  // namespace gossamer
