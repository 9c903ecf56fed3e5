// SPDX-License-Identifier: Apache-2.0
#include "gossamer/wormhole/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::wormhole {

namespace {

/// Beyond this mean age of packets, in cycles, a network is unusable.
constexpr double kHopeless = 500;
/// Of offered flits an unsaturated network takes at least this part.
constexpr double kKeepsUp = 0.95;

/// Where each node sends; empty for uniform traffic.
std::vector<NodeId> destinations(const Topology& topology, const Traffic& traffic) {
  std::vector<NodeId> to(topology.nodes());
  const auto sides = topology.sides();
  const auto by_coordinate = [&](auto next) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const Coordinates from = topology.coordinates(node);
      Coordinates at{};
      for (std::size_t dim = 0; dim < sides.size(); ++dim) at[dim] = next(from, dim);
      to[node] = topology.node(at);
    }
  };
  switch (traffic.pattern) {
    case Pattern::kUniform:
      return {};
    case Pattern::kTranspose:
      if (!std::equal(sides.begin(), sides.end(), sides.rbegin())) {
        throw InfeasibleError(fmt::format(
            "transpose exchanges x with the last dimension, so their sides must be equal; {} has "
            "{} and {}, the nearest is {}",
            topology.dims_text(), sides.front(), sides.back(),
            joined(std::vector(sides.size(), sides.front()), "x")));
      }
      by_coordinate(
          [&](const Coordinates& from, std::size_t dim) { return from[sides.size() - 1 - dim]; });
      return to;
    case Pattern::kBitComplement:
      by_coordinate(
          [&](const Coordinates& from, std::size_t dim) { return sides[dim] - 1 - from[dim]; });
      return to;
    case Pattern::kBitReverse: {
      if (!std::has_single_bit(topology.nodes())) {
        throw InfeasibleError(
            fmt::format("bit-reverse requires a power of two nodes; {} has {}; the nearest is {}",
                        topology.dims_text(), topology.nodes(), std::bit_floor(topology.nodes())));
      }
      const int bits = std::countr_zero(topology.nodes());
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        NodeId reversed = 0;
        for (int bit = 0; bit < bits; ++bit) reversed |= ((node >> bit) & 1U) << (bits - 1 - bit);
        to[node] = reversed;
      }
      return to;
    }
    case Pattern::kTornado:
      by_coordinate([&](const Coordinates& from, std::size_t dim) {
        return (from[dim] + (sides[dim] + 1) / 2 - 1) % sides[dim];
      });
      return to;
    case Pattern::kNeighbour:
      by_coordinate(
          [&](const Coordinates& from, std::size_t dim) { return (from[dim] + 1) % sides[dim]; });
      return to;
    case Pattern::kHotspot: {
      Coordinates middle{};
      for (std::size_t dim = 0; dim < sides.size(); ++dim) middle[dim] = sides[dim] / 2;
      const NodeId hot = traffic.hotspot.value_or(topology.node(middle));
      if (hot >= topology.nodes())
        throw InputError(fmt::format("hotspot: there is no node {}", hot));
      std::fill(to.begin(), to.end(), hot);
      return to;
    }
  }
  throw std::logic_error("a pattern without destinations");
}

/// Draws packets, lazily: a node's random draws are made when it can send, for all cycles since its
/// last draw, so its queue is represented by its oldest undrawn cycle. Counts arrivals.
class BernoulliSource final : public PacketSource {
 public:
  BernoulliSource(const Topology& topology, const Traffic& traffic, double rate)
      : destinations_(destinations(topology, traffic)),
        flits_(traffic.packet_flits),
        // Below this a coin shows heads: the whole range for one packet a cycle.
        threshold_(static_cast<std::uint64_t>(std::ldexp(rate / traffic.packet_flits, 53))),
        begin_(traffic.warm_up),
        period_(std::max<std::uint64_t>(
            traffic.period, static_cast<std::uint64_t>(kPeriodPackets * traffic.packet_flits /
                                                       (rate * topology.nodes())))),
        end_(begin_ + period_ * kPeriods),
        nodes_(topology.nodes()),
        latency_(kPeriods),
        count_(kPeriods) {
    SplitMix64 seeds(traffic.seed);
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      coins_.emplace_back(seeds.next());
      undecided_.push_back(0);
    }
  }

  bool next(NodeId node, std::uint64_t cycle, Packet& packet) override {
    SplitMix64& coins = coins_[node];
    std::uint64_t at = undecided_[node];
    while (at <= cycle && (coins.next() >> 11U) >= threshold_) ++at;
    undecided_[node] = at + 1;
    if (at > cycle) {
      undecided_[node] = at;
      return false;
    }
    packet.destination =
        destinations_.empty() ? static_cast<NodeId>(coins.below(nodes_)) : destinations_[node];
    packet.flits = flits_;
    packet.coins = static_cast<std::uint32_t>(coins.next() >> 32U);
    packet.tag = at;
    if (measured(at)) {
      ++outstanding_;
      outstanding_begin_ += at;
    }
    return true;
  }

  void arrived(NodeId, std::uint64_t cycle, std::uint64_t created, bool last) override {
    if (measured(cycle)) ++accepted_;
    if (!last || !measured(created)) return;
    const std::size_t period = (created - begin_) / period_;
    latency_[period] += cycle - created;
    ++count_[period];
    --outstanding_;
    outstanding_begin_ -= created;
  }

  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] std::uint64_t period() const { return period_; }
  /// Flits that came out in the measured cycles.
  [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
  /// Cycles of measured packets' waits and ways, by the period of their coin, and their number.
  [[nodiscard]] const std::vector<std::uint64_t>& latency() const { return latency_; }
  [[nodiscard]] const std::vector<std::uint64_t>& count() const { return count_; }

  /// All measured packets have arrived, and no more can be generated.
  [[nodiscard]] bool all_measured_arrived() const {
    return outstanding_ == 0 && std::all_of(undecided_.begin(), undecided_.end(),
                                            [this](std::uint64_t at) { return at >= end_; });
  }
  /// The measured packets' mean age, those on their way included, or the mean age of the queues:
  /// whichever is worse.
  [[nodiscard]] double mean_age(std::uint64_t now) const {
    auto cycles = static_cast<double>(outstanding_ * now - outstanding_begin_);
    std::uint64_t packets = outstanding_;
    for (std::size_t period = 0; period < count_.size(); ++period) {
      cycles += static_cast<double>(latency_[period]);
      packets += count_[period];
    }
    double queues = 0;
    for (const std::uint64_t at : undecided_)
      queues += static_cast<double>(now - std::min(at, now));
    return std::max(packets == 0 ? 0 : cycles / static_cast<double>(packets),
                    queues / static_cast<double>(undecided_.size()));
  }

 private:
  [[nodiscard]] bool measured(std::uint64_t cycle) const { return cycle >= begin_ && cycle < end_; }

  std::vector<NodeId> destinations_;
  std::uint32_t flits_;
  std::uint64_t threshold_;
  std::uint64_t begin_;
  std::uint64_t period_;
  std::uint64_t end_;
  std::uint32_t nodes_;
  std::vector<SplitMix64> coins_;
  std::vector<std::uint64_t> undecided_;
  std::vector<std::uint64_t> latency_;
  std::vector<std::uint64_t> count_;
  std::uint64_t accepted_ = 0;
  std::uint64_t outstanding_ = 0;
  std::uint64_t outstanding_begin_ = 0;
};

/// Runs to the end of the measured periods.
void run_periods(Network& network, BernoulliSource& source, const Progress& progress) {
  while (network.cycle() < source.end()) {
    const std::uint64_t stop = std::min(network.cycle() + source.period(), source.end());
    while (network.cycle() < stop) network.clock(source);
    if (progress) progress("traffic", network.cycle(), source.end());
  }
}

double per_node_and_cycle(const BernoulliSource& source, std::uint64_t flits,
                          const Topology& topology) {
  return static_cast<double>(flits) / static_cast<double>(source.end() - source.begin()) /
         topology.nodes();
}

/// Half a 95 % confidence interval of the mean of means (Student's t); empty for fewer than two.
std::optional<double> confidence(const BernoulliSource& source) {
  // Two-sided 95 %, by degrees of freedom from 1.
  constexpr std::array kStudent{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  static_assert(kStudent.size() == kPeriods - 1);
  std::vector<double> means;
  for (std::size_t i = 0; i < source.count().size(); ++i) {
    if (source.count()[i] == 0) continue;
    means.push_back(static_cast<double>(source.latency()[i]) /
                    static_cast<double>(source.count()[i]));
  }
  if (means.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(means.size());
  double mean = 0;
  for (const double value : means) mean += value / n;
  double variance = 0;
  for (const double value : means) variance += (value - mean) * (value - mean) / (n - 1);
  return kStudent[means.size() - 2] * std::sqrt(variance / n);
}

}  // namespace

const std::vector<std::string_view>& pattern_names() {
  static const std::vector<std::string_view> names{
      "uniform", "transpose", "bit-complement", "bit-reverse", "tornado", "neighbour", "hotspot"};
  return names;
}

Pattern parse_pattern(std::string_view name) {
  const auto& names = pattern_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw InputError(fmt::format("pattern: \"{}\" is unknown{}; there is {}", name,
                                 did_you_mean(name, names), joined(names, ", ")));
  }
  return static_cast<Pattern>(found - names.begin());
}

void require_possible(const Traffic& traffic, double rate) {
  if (!(rate > 0) || rate > 1) {
    throw InputError(
        fmt::format("rate: {} is outside 0..1 flits per node and cycle, 0 excluded", rate));
  }
  if (traffic.packet_flits < 1 || traffic.packet_flits > 65536) {
    throw InputError(fmt::format("packet-flits: {} is outside 1..65536", traffic.packet_flits));
  }
}

TrafficPoint measure_load(const Topology& topology, const Router& router, const Traffic& traffic,
                          double rate, const Progress& progress) {
  require_possible(traffic, rate);
  BernoulliSource source(topology, traffic, rate);
  const auto network = make_network(topology, router);
  const auto hopeless = [&] { return source.mean_age(network->cycle()) > kHopeless; };
  run_periods(*network, source, progress);
  bool usable = !hopeless();
  while (usable && !source.all_measured_arrived()) {
    for (std::uint32_t i = 0; i < traffic.period && !source.all_measured_arrived(); ++i) {
      network->clock(source);
    }
    usable = !hopeless();
  }
  TrafficPoint point;
  point.rate = rate;
  point.accepted_rate = per_node_and_cycle(source, source.accepted(), topology);
  point.cycles = network->cycle();
  double cycles = 0;
  for (std::size_t i = 0; i < source.count().size(); ++i) {
    point.packets += source.count()[i];
    cycles += static_cast<double>(source.latency()[i]);
  }
  // Of a few packets the coins may have shown fewer heads than they should.
  const double offered = per_node_and_cycle(source, point.packets * traffic.packet_flits, topology);
  point.saturated = !usable || point.accepted_rate < kKeepsUp * offered;
  if (!point.saturated && point.packets != 0) {
    point.mean_latency = cycles / static_cast<double>(point.packets);
    point.latency_ci95 = confidence(source);
  }
  return point;
}

double full_load_accepted_rate(const Topology& topology, const Router& router,
                               const Traffic& traffic, std::uint64_t& cycles,
                               const Progress& progress) {
  // A packet in every cycle: more than a node can send, so its queue is never empty.
  require_possible(traffic, 1);
  BernoulliSource source(topology, traffic, traffic.packet_flits);
  const auto network = make_network(topology, router);
  run_periods(*network, source, progress);
  cycles = network->cycle();
  return per_node_and_cycle(source, source.accepted(), topology);
}

}  // namespace gossamer::wormhole
