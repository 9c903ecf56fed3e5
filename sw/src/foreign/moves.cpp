// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "gossamer/foreign/export.hpp"
#include "gossamer/sim/observers.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::foreign {

namespace {

constexpr std::uint64_t kMostBits = std::uint64_t{1} << 33U;

/// Keeps, for every node and packet, the first arrival.
class FirstArrivals final : public Observer {
 public:
  FirstArrivals(const Topology& topology, std::uint64_t packets)
      : topology_(topology), packets_(packets), has_(topology.nodes() * packets, false) {}

  bool on_links(const LinkView& view) override {
    const std::size_t begin = moves_.size();
    for (LinkId link = 0; link < view.packets.size(); ++link) {
      if (view.packets[link] == kNoPacket) continue;
      const NodeId from = topology_.link_from(link);
      const Port port = topology_.link_port(link);
      moves_.push_back({view.step, from, topology_.neighbor(from, port), port, view.packets[link]});
    }
    const auto in_step = moves_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(in_step, moves_.end(), [](const Move& a, const Move& b) {
      return std::make_tuple(a.to, opposite(a.out_port)) <
             std::make_tuple(b.to, opposite(b.out_port));
    });
    moves_.erase(std::remove_if(in_step, moves_.end(),
                                [this](const Move& move) {
                                  auto has = has_[move.to * packets_ + move.packet];
                                  const bool again = has;
                                  has = true;
                                  return again;
                                }),
                 moves_.end());
    return true;
  }

  /// A packet's own node has it from the start.
  void own(NodeId node, PacketId packet) { has_[node * packets_ + packet] = true; }
  [[nodiscard]] std::vector<Move> take() { return std::move(moves_); }

 private:
  const Topology& topology_;
  std::uint64_t packets_;
  std::vector<bool> has_;
  std::vector<Move> moves_;
};

}  // namespace

std::vector<Move> moves_of(const Plan& plan) {
  const Topology& topology = plan.topology;
  std::vector<Move> moves;
  if (const auto* relay = std::get_if<RelayProgram>(&plan.program)) {
    for (std::uint32_t step = 1; step <= relay->steps(); ++step) {
      for (const RelaySend& send : relay->sends(step)) {
        const RelayPath& path = relay->path(send);
        moves.push_back(
            {step, send.from, path_end(topology, send.from, path), path.front().port, 0});
      }
    }
    return moves;
  }
  const Demand& demand = plan.demand;
  const bool personal = demand.to == Destination::kEachNode;
  if (demand.from != Origin::kEveryNode || demand.combines() ||
      (demand.to != Destination::kEveryNode && !personal)) {
    throw InputError(fmt::format(
        "export: {} plans have no schedule in the other format; gossip, all-to-all and broadcast "
        "plans have",
        plan.collective));
  }
  if (!plan.expected.analytic_steps) {
    throw InputError("export: the plan says no analytic_steps, up to which its links are exported");
  }
  const std::uint64_t each = demand.ids_per_node(topology.nodes()).value();
  const std::uint64_t packets = each * topology.nodes();
  if (packets * topology.nodes() > kMostBits) {
    throw InputError(
        fmt::format("export: {} nodes and {} packets are more than a schedule file holds",
                    topology.nodes(), packets));
  }
  FirstArrivals arrivals(topology, packets);
  for (PacketId packet = 0; packet < packets; ++packet) {
    arrivals.own(static_cast<NodeId>(packet / each), packet);
  }
  const auto engine = make_fast_engine(plan);
  watch(*engine, *plan.expected.analytic_steps, arrivals);
  return arrivals.take();
}

}  // namespace gossamer::foreign
