// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/all_gather/timetable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "gossamer/bounds/gossip.hpp"
#include "gossamer/collectives/all_gather/schedule_builder.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kMostWork = std::uint64_t{1} << 24U;
constexpr std::uint32_t kNothing = ~std::uint32_t{0};
constexpr std::uint64_t kWordBits = 64;

/// Fills step after step until every live core has everything.
class TimetableSearch {
 public:
  TimetableSearch(const Topology& topology, const TimetableOptions& options)
      : topology_(topology),
        k_(options.packets_per_node),
        random_(options.seed),
        packets_(topology.nodes() * k_),
        words_((packets_ + kWordBits - 1) / kWordBits),
        has_(topology.nodes() * words_, 0),
        holders_(packets_, 0),
        tie_(packets_) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (!topology.is_live(node)) continue;
      live_.push_back(node);
      if (!topology.has_core(node)) continue;
      missing_ += std::uint64_t{topology.cores()} * k_;
      for (std::uint32_t c = 0; c < k_; ++c) give(node, node * k_ + c);
    }
  }

  std::vector<PacketHop> run(std::uint64_t most_steps) {
    std::vector<PacketHop> hops;
    std::vector<NodeId> order = live_;
    for (std::uint32_t step = 1; missing_cores() != 0; ++step) {
      if (step > most_steps) {
        throw InfeasibleError(fmt::format(
            "scheduled: more than {} steps of {} nodes with {} ports each are too many for "
            "timetables; nearest feasible: --algorithm degraded, or fewer --packets",
            most_steps, live_.size(), topology_.ports()));
      }
      shuffle(random_, order);
      std::iota(tie_.begin(), tie_.end(), 0U);
      shuffle(random_, tie_);
      const std::size_t before = hops.size();
      for (const NodeId node : order) receive(node, step, hops);
      for (std::size_t i = before; i < hops.size(); ++i) give(hops[i].to, hops[i].packet);
    }
    return hops;
  }

 private:
  void give(NodeId node, std::uint32_t packet) {
    std::uint64_t& word = has_[node * words_ + packet / kWordBits];
    const std::uint64_t bit = std::uint64_t{1} << (packet % kWordBits);
    if ((word & bit) != 0) return;
    word |= bit;
    if (topology_.has_core(node)) ++had_;
    // The hop has counted itself when it was promised.
    if (node == packet / k_) ++holders_[packet];
  }
  /// Routers without a core also receive packets, because they help, but the search does not wait
  /// for them.
  [[nodiscard]] std::uint64_t missing_cores() const { return missing_ - had_; }

  /// The arrivals of a node in this step.
  void receive(NodeId node, std::uint32_t step, std::vector<PacketHop>& hops) {
    struct Arc {
      NodeId from;
      Port in_port;
      std::vector<std::uint32_t> offers;
    };
    std::vector<Arc> arcs;
    for (const Port port : all_ports(topology_.ports())) {
      const NodeId from = topology_.sender(node, port);
      if (from != kNoNode) arcs.push_back({from, port, {}});
    }
    const auto rarer = [this](std::uint32_t a, std::uint32_t b) {
      return holders_[a] != holders_[b] ? holders_[a] < holders_[b] : tie_[a] < tie_[b];
    };
    std::vector<std::uint32_t> candidates;
    for (Arc& arc : arcs) {
      candidates.clear();
      const std::uint64_t* sender = has_.data() + arc.from * words_;
      const std::uint64_t* mine = has_.data() + node * words_;
      for (std::size_t w = 0; w < words_; ++w) {
        for (std::uint64_t bits = sender[w] & ~mine[w]; bits != 0; bits &= bits - 1) {
          candidates.push_back(static_cast<std::uint32_t>(
              w * kWordBits + static_cast<std::size_t>(std::countr_zero(bits))));
        }
      }
      const std::size_t most = std::min(candidates.size(), arcs.size());
      const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(most);
      std::partial_sort(candidates.begin(), end, candidates.end(), rarer);
      arc.offers.assign(candidates.begin(), end);
    }
    std::stable_sort(arcs.begin(), arcs.end(),
                     [](const Arc& a, const Arc& b) { return a.offers.size() < b.offers.size(); });
    // Augmenting paths; at most 16 arcs with 16 offers each.
    std::vector<std::uint32_t> taken(arcs.size(), kNothing);
    for (std::size_t start = 0; start < arcs.size(); ++start) {
      std::vector<std::uint32_t> seen;
      const auto augment = [&](auto&& self, std::size_t arc) -> bool {
        for (const std::uint32_t packet : arcs[arc].offers) {
          if (std::find(seen.begin(), seen.end(), packet) != seen.end()) continue;
          seen.push_back(packet);
          const auto other = std::find(taken.begin(), taken.end(), packet);
          if (other != taken.end() &&
              !self(self, static_cast<std::size_t>(other - taken.begin()))) {
            continue;
          }
          taken[arc] = packet;
          return true;
        }
        return false;
      };
      augment(augment, start);
    }
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      if (taken[i] == kNothing) continue;
      ++holders_[taken[i]];
      hops.push_back({step, arcs[i].from, opposite(arcs[i].in_port), node, taken[i]});
    }
  }

  const Topology& topology_;
  std::uint32_t k_;
  Random random_;
  std::uint32_t packets_;
  std::size_t words_;
  std::vector<std::uint64_t> has_;
  /// By packet: nodes that have it or are promised it in this step.
  std::vector<std::uint32_t> holders_;
  std::vector<std::uint32_t> tie_;
  std::vector<NodeId> live_;
  std::uint64_t missing_ = 0;
  std::uint64_t had_ = 0;
};

/// A ROM for each node.
TimetableProgram program_of(const Topology& topology, std::uint32_t k,
                            const std::vector<PacketHop>& hops) {
  const std::uint64_t packets = std::uint64_t{topology.nodes()} * k;
  TimetableBuilder builder(topology.nodes(), topology.nodes() * packets);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (std::uint32_t c = 0; c < k; ++c) builder.start_with(node * packets + node * k + c, c);
  }
  for (const PacketHop& hop : hops) {
    TimetableMove move;
    move.step = hop.step;
    move.out_port = hop.out_port;
    move.from_rom = hop.from;
    move.to_rom = hop.to;
    move.from = hop.from * packets + hop.packet;
    move.to = hop.to * packets + hop.packet;
    builder.add(move);
  }
  return builder.program(topology, k, DeliveryRule::kAll);
}

}  // namespace

std::vector<PacketHop> gossip_hops(const Topology& topology, const TimetableOptions& options) {
  const std::uint64_t width =
      std::uint64_t{topology.live_nodes()} * static_cast<std::uint64_t>(topology.ports());
  const std::uint64_t bound = bounds::gossip_lower_bound(topology, options.packets_per_node);
  const std::uint64_t most_steps = kMostWork / width;
  if (bound > most_steps) {
    throw InfeasibleError(fmt::format(
        "scheduled: {} nodes with {} ports for {} steps are too many for timetables; nearest "
        "feasible: --algorithm {}, or fewer --packets",
        topology.live_nodes(), topology.ports(), bound,
        topology.is_healthy() ? "trail" : "degraded"));
  }
  return TimetableSearch(topology, options).run(most_steps);
}

Plan plan_timetable(const Topology& topology, const TimetableOptions& options) {
  const std::vector<PacketHop> hops = gossip_hops(topology, options);
  Plan plan =
      schedule_plan(topology, "scheduled", program_of(topology, options.packets_per_node, hops));
  plan.parameters["seed"] = static_cast<std::int64_t>(options.seed);
  plan.expected.analytic_steps = plan.program.as<TimetableProgram>().steps();
  plan.expected.analytic_cycles = plan.expected.analytic_steps;
  return plan;
}

}  // namespace gossamer
