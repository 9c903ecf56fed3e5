// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/groups/lattice.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gossamer/collectives/all_to_all/isotropic.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/plan/member_displacement.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer {

namespace {

/// Seeds tried for each number of steps, and steps tried above the least number.
constexpr std::uint64_t kLatticeSeeds = 24;
constexpr std::uint64_t kMoreLatticeSteps = 8;

/// A packet of the member at rank 0 goes from one member to the next. Members are ranks, and ports
/// those of a group's network.
struct MemberHop {
  /// The first of as many steps as the dimension's stride, from 1.
  std::uint32_t step = 1;
  NodeId from = 0;
  Port port = 0;
  std::uint32_t packet = 0;
};

/// A group's network, with the stride of each of its dimensions.
struct StridedNetwork {
  Topology network;
  std::vector<std::uint32_t> strides;

  StridedNetwork(const Topology& topology, const Groups& groups)
      : network(group_network(topology, groups)) {
    for (const int dim : groups.axes()) {
      strides.push_back(groups.stride[static_cast<std::size_t>(dim)]);
    }
  }
  [[nodiscard]] std::uint32_t stride(Port port) const {
    return strides[static_cast<std::size_t>(dimension_of(port))];
  }
};

/// The least number of steps of a program of hops that all nodes share.
std::uint64_t least_steps(const StridedNetwork& members, std::uint64_t packets) {
  std::uint64_t farthest = 0;
  for (std::size_t i = 0; i < members.strides.size(); ++i) {
    farthest += std::uint64_t{members.network.sides()[i] / 2} * members.strides[i];
  }
  const auto serves = [&](std::uint64_t steps) {
    for (std::uint32_t set = 1; set < 1U << members.strides.size(); ++set) {
      std::uint64_t boxes = 1;
      std::uint64_t hops = 0;
      for (std::size_t i = 0; i < members.strides.size(); ++i) {
        if ((set >> i & 1U) == 0) continue;
        boxes *= members.network.sides()[i];
        hops += 2 * (steps / members.strides[i]);
      }
      if (hops < packets * (boxes - 1)) return false;
    }
    return true;
  };
  std::uint64_t steps = std::max<std::uint64_t>(farthest, 1);
  while (!serves(steps)) ++steps;
  return steps;
}

/// One try of an all-gather of the packets of rank 0 in a given number of steps.
class LatticeGather {
 public:
  LatticeGather(const StridedNetwork& members, std::uint32_t packets, std::uint64_t steps,
                std::uint64_t seed)
      : members_(members),
        packets_(packets),
        steps_(steps),
        rule_(seed % 3),
        random_(seed),
        ports_(static_cast<std::size_t>(members.network.ports())),
        served_(std::size_t{packets} * members.network.nodes(), false),
        owner_(served_.size(), kNobody),
        offers_(ports_),
        choices_(ports_),
        arrivals_(steps + 2) {}

  /// Empty if some member is not served in time.
  std::vector<MemberHop> run() {
    for (std::uint32_t packet = 0; packet < packets_; ++packet) {
      served_[index(0, packet)] = true;
      offer(0, packet, 0);
    }
    std::size_t left = served_.size() - packets_;
    std::vector<MemberHop> hops;
    std::vector<std::uint64_t> idle_from(ports_, 1);
    for (std::uint64_t step = 1; step <= steps_ && left != 0; ++step) {
      for (const std::size_t place : arrivals_[step - 1]) {
        offer(static_cast<NodeId>(place / packets_), static_cast<std::uint32_t>(place % packets_),
              step);
      }
      std::vector<Port> idle;
      for (const Port port : all_ports(members_.network.ports())) {
        matched_[port] = kNoPlace;
        if (idle_from[port] > step || step + members_.stride(port) - 1 > steps_) continue;
        choose(port);
        idle.push_back(port);
      }
      // Ports with the fewest choices first.
      shuffle(random_, idle);
      std::stable_sort(idle.begin(), idle.end(),
                       [&](Port a, Port b) { return choices_[a].size() < choices_[b].size(); });
      for (const Port port : idle) {
        PortSet visited;
        augment(port, visited);
      }
      for (const Port port : idle) {
        const std::size_t place = matched_[port];
        if (place == kNoPlace) continue;
        const auto to = static_cast<NodeId>(place / packets_);
        hops.push_back({static_cast<std::uint32_t>(step),
                        members_.network.neighbor(to, opposite(port)), port,
                        static_cast<std::uint32_t>(place % packets_)});
        served_[place] = true;
        owner_[place] = kNobody;
        idle_from[port] = step + members_.stride(port);
        arrivals_[idle_from[port] - 1].push_back(place);
        --left;
      }
    }
    if (left != 0) hops.clear();
    return hops;
  }

 private:
  static constexpr std::uint8_t kNobody = 0xFF;
  static constexpr std::size_t kNoPlace = ~std::size_t{0};

  /// A member that a port could serve, with the step in which the sender got the packet.
  struct Offer {
    std::size_t place = 0;
    std::uint64_t since = 0;
    std::uint64_t rank = 0;
  };

  [[nodiscard]] std::size_t index(NodeId member, std::uint32_t packet) const {
    return std::size_t{member} * packets_ + packet;
  }
  /// The member has the packet from the end of the step before on.
  void offer(NodeId member, std::uint32_t packet, std::uint64_t step) {
    for (const Port port : all_ports(members_.network.ports())) {
      const std::size_t place = index(members_.network.neighbor(member, port), packet);
      if (!served_[place]) offers_[port].push_back({place, step, 0});
    }
  }
  /// The preferred members of a port. A maximum matching needs one per port of the node.
  void choose(Port port) {
    std::vector<Offer>& offers = offers_[port];
    std::erase_if(offers, [&](const Offer& offer) { return served_[offer.place]; });
    for (Offer& offer : offers) {
      const std::uint64_t chance = random_.below(1U << 16U);
      offer.rank = rule_ == 0 ? chance : (steps_ - offer.since) << (rule_ == 1 ? 16U : 14U);
      if (rule_ != 0) offer.rank += chance;
    }
    const std::size_t count = std::min(offers.size(), ports_);
    std::partial_sort(offers.begin(), offers.begin() + static_cast<std::ptrdiff_t>(count),
                      offers.end(), [](const Offer& a, const Offer& b) { return a.rank < b.rank; });
    choices_[port].clear();
    for (std::size_t i = 0; i < count; ++i) choices_[port].push_back(offers[i].place);
  }
  /// Gives the port a member, moving other ports to another one where that is needed.
  bool augment(Port port, PortSet& visited) {
    if (visited.contains(port)) return false;
    visited.insert(port);
    for (const std::size_t place : choices_[port]) {
      if (owner_[place] != kNobody && !augment(static_cast<Port>(owner_[place]), visited)) continue;
      matched_[port] = place;
      owner_[place] = static_cast<std::uint8_t>(port);
      return true;
    }
    return false;
  }

  const StridedNetwork& members_;
  std::uint32_t packets_;
  std::uint64_t steps_;
  std::uint64_t rule_;
  SplitMix64 random_;
  std::size_t ports_;
  /// By member and packet: it has the packet, or a hop brings it.
  std::vector<bool> served_;
  /// By the same: the port that serves it in this step.
  std::vector<std::uint8_t> owner_;
  std::vector<std::vector<Offer>> offers_;
  std::vector<std::vector<std::size_t>> choices_;
  std::array<std::size_t, kMaxPorts> matched_{};
  /// By step, what arrives at its end.
  std::vector<std::vector<std::size_t>> arrivals_;
};

/// Empty if none is found.
std::vector<MemberHop> gather_hops(const StridedNetwork& members, std::uint32_t packets) {
  const std::uint64_t least = least_steps(members, packets);
  for (std::uint64_t steps = least; steps <= least + kMoreLatticeSteps; ++steps) {
    for (std::uint64_t seed = 1; seed <= kLatticeSeeds; ++seed) {
      std::vector<MemberHop> hops = LatticeGather(members, packets, steps, seed).run();
      if (!hops.empty()) return hops;
    }
  }
  return {};
}

/// The rows of a program from hops between members.
class LatticeRows {
 public:
  /// Held words below `named` are those that members hold.
  LatticeRows(const Topology& topology, const Groups& groups, std::uint64_t named,
              std::uint64_t links)
      : topology_(topology), axes_(groups.axes()), next_(named), builder_(1, named + links) {}

  TimetableBuilder& builder() { return builder_; }
  [[nodiscard]] Port port_of(Port member_port) const {
    return make_port(axes_[static_cast<std::size_t>(dimension_of(member_port))],
                     is_positive(member_port));
  }
  /// A place between two members.
  [[nodiscard]] std::uint64_t between() { return next_++; }

  /// A hop over `links` links. `end` has the first step, the output port, and what happens at the
  /// next member.
  void add(TimetableMove end, std::uint32_t links, std::uint64_t from) {
    for (std::uint32_t link = 0; link + 1 < links; ++link) {
      TimetableMove move;
      move.step = end.step++;
      move.out_port = end.out_port;
      move.from = from;
      move.to = from = between();
      builder_.add(move);
    }
    end.from = from;
    builder_.add(end);
  }

  TimetableProgram program(std::uint32_t own, DeliveryRule delivery, bool relative) {
    TimetableProgram program(topology_.nodes(), topology_.ports(), own, delivery);
    program.relative = relative;
    for (TimetableRom& rom : builder_.build()) program.intern(std::move(rom));
    return program;
  }

 private:
  const Topology& topology_;
  std::vector<int> axes_;
  std::uint64_t next_;
  TimetableBuilder builder_;
};

/// All-gather, reduce-scatter and all-reduce.
std::optional<TimetableProgram> gather_or_reduce(const Topology& topology, const Demand& demand) {
  const StridedNetwork members(topology, *demand.groups);
  const std::uint64_t count = members.network.nodes();
  const auto k =
      static_cast<std::uint32_t>(demand.combines() ? demand.pieces / count : demand.pieces);
  if (count * k > kMostLatticePackets) return std::nullopt;
  const std::vector<MemberHop> hops = gather_hops(members, k);
  if (hops.empty()) return std::nullopt;
  std::uint64_t links = 0;
  std::uint32_t steps = 0;
  for (const MemberHop& hop : hops) {
    links += 2 * members.stride(hop.port);
    steps = std::max(steps, hop.step + members.stride(hop.port) - 1);
  }
  LatticeRows rows(topology, *demand.groups, count * k, links);

  // A member has the packet of rank 0. It numbers the packet's owner from itself.
  const auto held = [&](NodeId member, std::uint32_t packet) {
    NodeId owner = 0;
    NodeId weight = 1;
    for (const std::uint32_t side : members.network.sides()) {
      owner += (side - member % side) % side * weight;
      member /= side;
      weight *= side;
    }
    return std::uint64_t{owner} * k + packet;
  };
  const auto spread = [&](std::uint32_t first) {
    for (const MemberHop& hop : hops) {
      TimetableMove move;
      move.step = first + hop.step;
      move.out_port = rows.port_of(hop.port);
      move.to = held(members.network.neighbor(hop.from, hop.port), hop.packet);
      move.delivers = true;
      rows.add(move, members.stride(hop.port), held(hop.from, hop.packet));
    }
  };
  if (!demand.combines()) {
    for (std::uint32_t packet = 0; packet < k; ++packet) {
      rows.builder().start_with(held(0, packet), packet);
    }
    spread(0);
    return rows.program(k, DeliveryRule::kMarked, false);
  }

  // In reverse, each hop brings a partial sum to the member that sent the packet.
  const auto own = static_cast<std::uint32_t>(demand.pieces);
  for (std::uint32_t word = 0; word < own; ++word) rows.builder().start_with(word, word);
  const auto arrives = [&](const MemberHop& hop) { return steps + 1 - hop.step; };
  // By word, the last arrival at its owner.
  std::vector<const MemberHop*> last(k, nullptr);
  for (const MemberHop& hop : hops) {
    if (hop.from != 0) continue;
    const MemberHop*& known = last[hop.packet];
    if (known == nullptr || std::pair(arrives(hop), rows.port_of(hop.port)) >
                                std::pair(arrives(*known), rows.port_of(known->port))) {
      known = &hop;
    }
  }
  for (const MemberHop& hop : hops) {
    const std::uint32_t stride = members.stride(hop.port);
    TimetableMove move;
    move.step = arrives(hop) + 1 - stride;
    move.out_port = opposite(rows.port_of(hop.port));
    move.to = held(hop.from, hop.packet);
    move.combines = true;
    move.delivers = last[hop.packet] == &hop;
    rows.add(move, stride, held(members.network.neighbor(hop.from, hop.port), hop.packet));
  }
  if (demand.to == Destination::kEveryNode) spread(steps);
  return rows.program(own, DeliveryRule::kMarked, true);
}

std::optional<TimetableProgram> exchange_on_lattice(const Topology& topology,
                                                    const Demand& demand) {
  const StridedNetwork members(topology, *demand.groups);
  const NodeId count = members.network.nodes();
  if (count > kMostLatticeExchange) return std::nullopt;
  std::vector<std::vector<ExchangeHop>> hops;
  try {
    hops = strided_hops(members.network, members.strides);
  } catch (const InfeasibleError&) {
    return std::nullopt;
  }
  std::size_t links = 0;
  for (const auto& step : hops) links += step.size();
  LatticeRows rows(topology, *demand.groups, count, links);
  // By offset: the packet's place as its origin sees it, its destination, and its number there.
  struct OnItsWay {
    NodeId at = 0;
    NodeId to = 0;
    std::uint64_t held = 0;
  };
  std::vector<OnItsWay> packets(count);
  for (NodeId offset = 1; offset < count; ++offset) {
    packets[offset] = {0, displaced_member(topology, *demand.groups, 0, offset), offset};
    rows.builder().start_with(offset, offset - 1);
  }
  for (std::size_t i = 0; i < hops.size(); ++i) {
    for (const ExchangeHop& hop : hops[i]) {
      OnItsWay& packet = packets[hop.offset];
      TimetableMove move;
      move.step = static_cast<std::uint32_t>(i + 1);
      move.out_port = rows.port_of(hop.port);
      packet.at = topology.neighbor(packet.at, move.out_port);
      const std::uint64_t from = packet.held;
      if (packet.at != packet.to) move.to = packet.held = rows.between();
      rows.add(move, 1, from);
    }
  }
  return rows.program(count - 1, DeliveryRule::kUnstored, true);
}

}  // namespace

std::optional<TimetableProgram> lattice_program(const Topology& topology, const Demand& demand) {
  if (!demand.groups || !topology.is_healthy() || !topology.has_equal_links() ||
      !has_closed_axes(topology, *demand.groups) || demand.from != Origin::kEveryNode) {
    return std::nullopt;
  }
  if (demand.combines()) {
    if (!demand.numbers_by_owner() || demand.to == Destination::kRoot) return std::nullopt;
    return gather_or_reduce(topology, demand);
  }
  if (demand.to == Destination::kEveryNode) return gather_or_reduce(topology, demand);
  if (demand.to == Destination::kEachNode && demand.pieces == 1)
    return exchange_on_lattice(topology, demand);
  return std::nullopt;
}

}  // namespace gossamer
