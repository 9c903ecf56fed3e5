// SPDX-License-Identifier: Apache-2.0
#include "conventional_cost.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gossamer/util/error.hpp"
#include "wide.hpp"

namespace gossamer::compare {

namespace {

/// Flits delivered at all nodes in the longest simulation, about a second of time.
constexpr std::uint64_t kMostDelivered = std::uint64_t{1} << 20U;
/// Flits of the shortest message between two nodes that a line begins with: of two packets.
constexpr std::uint64_t kShortest = 32;
/// An order that is so much slower at half the length is not the fastest one at full length.
constexpr std::uint64_t kFarSlower = 4;

/// Messages between two nodes that a node's message is divided into.
std::uint64_t parts_of(const std::string& collective, std::uint64_t members) {
  if (collective == "all-to-all") return members - 1;
  const bool divided = collective == "all-reduce" || collective == "reduce-scatter";
  return divided ? members : 1;
}

/// Flits that arrive anywhere, per flit of a node's message.
std::uint64_t deliveries_of(const std::string& collective, std::uint64_t nodes,
                            std::uint64_t members) {
  if (collective == "gossip") return nodes * (members - 1);
  return collective == "all-reduce" ? 2 * nodes : nodes;
}

}  // namespace

ConventionalCollective::ConventionalCollective(const Topology& topology, std::string collective,
                                               PhysicalComparisonOptions options)
    : topology_(topology), collective_(std::move(collective)), options_(std::move(options)) {
  const std::uint64_t nodes = topology.nodes();
  const auto& groups = options_.messages.groups;
  orders_ = wormhole::orders_of(collective_, groups);
  // Messages in the same order from all nodes meet at their destinations; staggered ones do not.
  if (std::find(orders_.begin(), orders_.end(), wormhole::Order::kStaggered) != orders_.end()) {
    std::erase(orders_, wormhole::Order::kNaive);
  }
  const std::uint64_t members = groups ? groups->members() : nodes;
  longest_ = kShortest * parts_of(collective_, members);
  const std::uint64_t deliveries = deliveries_of(collective_, nodes, members);
  while (2 * longest_ * deliveries <= kMostDelivered) longest_ *= 2;
}

std::uint64_t ConventionalCollective::bytes_of_flits(std::uint64_t flits) const {
  // A multiple of 16 flits is a whole number of bytes.
  return flits / 8 * options_.quantities.link_bits;
}

std::optional<ConventionalCollective::Simulated> ConventionalCollective::simulate(
    wormhole::Order order, std::uint64_t bytes) const {
  PhysicalComparisonOptions options = options_;
  options.quantities.bytes = bytes;
  try {
    const PhysicalFigures figures = conventional_figures(topology_, collective_, order, options);
    if (!figures.cycles) return std::nullopt;
    return Simulated{order, *figures.cycles, figures.femtojoules().value()};
  } catch (const InfeasibleError&) {
    return std::nullopt;
  }
}

void ConventionalCollective::find_lines() {
  std::vector<Simulated> halves;
  std::uint64_t least = 0;
  for (const wormhole::Order order : orders_) {
    const auto half = simulate(order, bytes_of_flits(longest_ / 2));
    if (!half) continue;
    if (halves.empty() || half->cycles < least) least = half->cycles;
    halves.push_back(*half);
  }
  for (const Simulated& half : halves) {
    if (half.cycles > kFarSlower * least) continue;
    const auto full = simulate(half.order, bytes_of_flits(longest_));
    if (full && full->cycles >= half.cycles) lines_.push_back({half, *full});
  }
}

ConventionalCost ConventionalCollective::beyond(const Line& line, std::uint64_t flits) const {
  const std::uint64_t step = longest_ / 2;
  const std::uint64_t more = scaled_up("cycles of the conventional network", flits - longest_,
                                       line.full.cycles - line.half.cycles, step);
  const double energy = line.full.femtojoules + (line.full.femtojoules - line.half.femtojoules) *
                                                    static_cast<double>(flits - longest_) /
                                                    static_cast<double>(step);
  return {std::string(order_name(line.full.order)), line.full.cycles + more, energy, true};
}

ConventionalCost ConventionalCollective::of_bytes(std::uint64_t bytes) {
  PhysicalQuantities quantities = options_.quantities;
  quantities.bytes = bytes;
  const std::uint64_t flits = quantities.flits();
  ConventionalCost best;
  const auto offer = [&best](ConventionalCost cost) {
    if (best.order.empty() || cost.cycles < best.cycles) best = std::move(cost);
  };
  if (flits <= longest_) {
    for (const wormhole::Order order : orders_) {
      if (const auto run = simulate(order, bytes)) {
        offer({std::string(order_name(order)), run->cycles, run->femtojoules, false});
      }
    }
  } else {
    if (lines_.empty()) find_lines();
    for (const Line& line : lines_) offer(beyond(line, flits));
  }
  if (best.order.empty()) throw std::logic_error("no order of messages applies: " + collective_);
  return best;
}

}  // namespace gossamer::compare
