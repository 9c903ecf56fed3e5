// SPDX-License-Identifier: Apache-2.0
/// Partial exchange and partial gather on p x p networks.
///
/// Exchange: each of M active nodes has its own packet for every other node. Gather, its dual:
/// every node has a packet for each other active node. Row and column sums are computed first; they
/// determine whether a node's packets travel along x or along y first. Torus links around the
/// border stay idle. For more than two dimensions no rule of optimal order is known (paper, end of
/// section 4). Source: Varvarigos & Bertsekas, section 4; docs/spec/partial-collectives.md, section
/// 6.
#pragma once

#include <vector>

#include "gossamer/machines/queued/program.hpp"
#include "gossamer/plan/packet_clock.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

struct PartialExchangeOptions {
  ExchangeRule rule = ExchangeRule::kPaper;
  /// Sums by counts from both ends (p-1 prefix steps) instead of through the middle node (p).
  bool two_way = false;
  /// Empty: one flit each.
  std::optional<PacketClock> clock;
  /// The active nodes, ascending, each at most once.
  std::vector<NodeId> active;
};

/// The `rows-columns` plan of partial-exchange. No closed form: at most
/// bounds::exchange_paper_bound and exchange_proved_bound steps (paper's rule), at least
/// exchange_lower_bound. Throws InfeasibleError when the topology is not p x p.
[[nodiscard]] Plan plan_partial_exchange(const Topology& topology,
                                         const PartialExchangeOptions& options);

/// The `online` plan of partial-gather: packets for a node whose exchange would begin along x
/// travel along y first, and vice versa. Queues and priorities are those of the exchange. Supports
/// the paper's rule only (InfeasibleError otherwise).
[[nodiscard]] Plan plan_gather_online(const Topology& topology,
                                      const PartialExchangeOptions& options);

/// The demand of a partial-gather: the packets of all nodes for the active ones.
[[nodiscard]] Demand gather_demand(const std::vector<NodeId>& active);

}  // namespace gossamer
