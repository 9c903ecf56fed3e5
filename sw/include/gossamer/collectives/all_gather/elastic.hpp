// SPDX-License-Identifier: Apache-2.0
/// Elastic plans: the wiring of an all-gather plan with routers that use valid/ready back-pressure
/// (machines/elastic/program.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gossamer/machines/elastic/program.hpp"
#include "gossamer/plan/link_latency.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct ElasticOptions {
  /// Flits of each own packet, 1 .. kMaxElasticFlits.
  std::uint32_t flits = 1;
  /// Flits sent in a round; must divide `flits`. Empty: the mean latency of the links, rounded up
  /// (bounds::elastic_chunk), which causes little waiting.
  std::optional<std::uint32_t> chunk{};
  /// Slots of the queue after each output port. Empty: enough for the full rate on the shortest
  /// link, which never deadlocks. A given number is used as is, even if the network can deadlock.
  std::optional<std::uint32_t> slots{};
  LinkLatency latency{};
};

/// `plan` with elastic routers. In a round each link carries as many chunks as it carried packets
/// in the plan's steps. Of two Hamiltonian rings that deliver the same packets to all nodes from
/// both sides, the forward one (it leaves the first live node by the lower-numbered port) carries
/// floor(P/2) chunks and the other P - 1 - floor(P/2), so that no packet arrives twice. On such
/// rings with queues for the full rate, `analytic_cycles` is the formula. On other wirings it is
/// the plan's steps if all latencies, flits and rounds are 1. Throws InfeasibleError where output
/// ports have several feeds, a switch, a frame, a ROM or more than one own packet, or where the
/// chunk does not divide the flits.
[[nodiscard]] Plan make_elastic(Plan plan, const ElasticOptions& options);

/// Figures of an elastic plan that comparisons show.
struct ElasticFigures {
  std::uint32_t chunk = 1;
  std::uint32_t slots = 1;
  /// Cycles that the busiest link needs for its flits.
  std::uint64_t lower_bound = 0;
};
/// Figures of a plan that make_elastic() made.
[[nodiscard]] ElasticFigures elastic_figures(const Plan& plan);

/// An algorithm of the collective with elastic plans on this network, as a command-line option;
/// otherwise a network that has one. For error messages.
[[nodiscard]] std::string_view nearest_elastic(std::string_view collective,
                                               const Topology& topology);

}  // namespace gossamer
