// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include "gossamer/machines/queued/program.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kExchangeProgressSteps = 64;

struct PersonalPacket {
  NodeId destination = 0;
  bool x_first = true;
};

/// An out-port's two queues.
struct ExchangePort {
  std::deque<PersonalPacket> first_leg;
  std::deque<PersonalPacket> second_leg;

  [[nodiscard]] std::size_t size() const { return first_leg.size() + second_leg.size(); }
};

class ExchangeMachine {
 public:
  ExchangeMachine(const Topology& topology, const Demand& demand, ExchangeRule rule)
      : p_(topology.side(0)),
        rule_(rule),
        gather_(demand.to == Destination::kEachSource),
        nodes_(topology.nodes()),
        row_(p_, 0),
        column_(p_, 0),
        ports_(topology.link_slots()) {
    const std::vector<DemandSource> sources = demand.sources_in(topology);
    for (const DemandSource& source : sources) {
      ++row_[y(source.node)];
      ++column_[x(source.node)];
    }
    std::vector<NodeId> order(nodes_);
    for (NodeId node = 0; node < nodes_; ++node) order[node] = node;
    for (const DemandSource& source : sources) {
      const NodeId active = source.node;
      if (rule == ExchangeRule::kBalanced) {
        std::sort(order.begin(), order.end(), [&](NodeId a, NodeId b) {
          const std::uint32_t to_a = hops(active, a);
          const std::uint32_t to_b = hops(active, b);
          return to_a != to_b ? to_a > to_b : a < b;
        });
      }
      for (const NodeId other : order) {
        if (other == active) continue;
        // Gather: ascending destinations at every node, as the sources ascend.
        if (gather_) {
          put(other, {active, begins_along_x(active, other)});
        } else {
          put(active, {other, begins_along_x(active, other)});
        }
      }
    }
  }

  ExchangeCounts run(const Progress& progress) {
    struct Arrival {
      NodeId node;
      PersonalPacket packet;
    };
    std::vector<Arrival> arrivals;
    while (waiting_ != 0) {
      ++counts_.steps;
      arrivals.clear();
      for (NodeId node = 0; node < nodes_; ++node) {
        // In order of input ports; an arrival of a port was sent by the opposite one.
        for (Port in_port = 0; in_port < 4; ++in_port) {
          NodeId from = 0;
          if (!neighbor(node, in_port, from)) continue;
          ExchangePort& out = ports_[std::size_t{4} * from + opposite(in_port)];
          if (out.size() == 0) continue;
          counts_.max_queue = std::max<std::uint64_t>(counts_.max_queue, out.size());
          auto& queue = out.first_leg.empty() ? out.second_leg : out.first_leg;
          arrivals.push_back({node, queue.front()});
          queue.pop_front();
          --waiting_;
          ++counts_.transfers;
        }
      }
      for (const Arrival& arrival : arrivals) put(arrival.node, arrival.packet);
      if (progress && counts_.steps % kExchangeProgressSteps == 0)
        progress("verify", counts_.steps, 0);
    }
    return counts_;
  }

 private:
  [[nodiscard]] std::uint32_t x(NodeId node) const { return node % p_; }
  [[nodiscard]] std::uint32_t y(NodeId node) const { return node / p_; }
  [[nodiscard]] std::uint32_t hops(NodeId a, NodeId b) const {
    const auto gap = [](std::uint32_t i, std::uint32_t j) {
      return std::max(i, j) - std::min(i, j);
    };
    return gap(x(a), x(b)) + gap(y(a), y(b));
  }
  /// False at the border: there is no wraparound.
  [[nodiscard]] bool neighbor(NodeId node, Port port, NodeId& to) const {
    switch (port) {
      case 0:
        to = node - 1;
        return x(node) != 0;
      case 1:
        to = node + 1;
        return x(node) != p_ - 1;
      case 2:
        to = node - p_;
        return y(node) != 0;
      default:
        to = node + p_;
        return y(node) != p_ - 1;
    }
  }

  /// The packet between an active node and another one.
  [[nodiscard]] bool begins_along_x(NodeId active, NodeId other) const {
    const std::uint32_t r = row_[y(active)];
    const std::uint32_t c = column_[x(active)];
    if (rule_ == ExchangeRule::kBalanced && r == c) return (x(other) + y(other)) % 2 == 0;
    return (r <= c) != gather_;
  }

  void put(NodeId node, const PersonalPacket& packet) {
    const bool x_right = x(node) == x(packet.destination);
    const bool y_right = y(node) == y(packet.destination);
    if (x_right && y_right) return;
    const bool first_leg = packet.x_first ? !x_right : !y_right;
    const bool along_x = first_leg == packet.x_first;
    const bool positive =
        along_x ? x(packet.destination) > x(node) : y(packet.destination) > y(node);
    ExchangePort& out = ports_[std::size_t{4} * node + make_port(along_x ? 0 : 1, positive)];
    (first_leg ? out.first_leg : out.second_leg).push_back(packet);
    ++waiting_;
  }

  std::uint32_t p_;
  ExchangeRule rule_;
  bool gather_;
  NodeId nodes_;
  /// Active nodes by y, by x.
  std::vector<std::uint32_t> row_;
  std::vector<std::uint32_t> column_;
  std::vector<ExchangePort> ports_;
  std::uint64_t waiting_ = 0;
  ExchangeCounts counts_;
};

}  // namespace

ExchangeCounts replay_exchange(const Topology& topology, const Demand& demand, ExchangeRule rule,
                               const Progress& progress) {
  return ExchangeMachine(topology, demand, rule).run(progress);
}

}  // namespace gossamer
