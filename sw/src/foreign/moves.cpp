// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "gossamer/foreign/export.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/sim/engines.hpp"
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

/// Moves for the values of a flow. Complete words go to their place; a partial sum is added to its
/// node's value in that place; a forwarded value goes through scratch, and is added from there.
class FlowMoves {
 public:
  FlowMoves(const Plan& plan, const Flow& flow)
      : plan_(plan),
        flow_(flow),
        uses_(uses_of(flow)),
        contributions_(flow.values.size(), 1),
        piece_(flow.values.size(), 0),
        scratch_(flow.values.size()),
        scratch_chunks_(flow.ranks, 0),
        whole_(plan.demand.combines() ? flow.ranks : 1) {
    for (std::uint32_t index = 0; index < flow.values.size(); ++index) {
      const FlowValue& value = flow.values[index];
      if (flow.is_own(index)) {
        piece_[index] = value.a;
        continue;
      }
      piece_[index] = piece_[value.a];
      contributions_[index] = contributions_[value.a];
      if (flow.is_sum(index)) contributions_[index] += contributions_[value.b];
      if (flow.is_arrival(index) && uses_[index].needed) arrivals_.push_back(index);
    }
    std::sort(arrivals_.begin(), arrivals_.end(),
              [this](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
  }

  std::vector<Move> moves() {
    std::vector<std::uint32_t> sum_of(flow_.values.size(), kNoSum);
    for (std::uint32_t index = 0; index < flow_.values.size(); ++index) {
      if (!flow_.is_sum(index) || !uses_[index].needed || uses_[index].dissolved) continue;
      const FlowTerms terms = terms_of(flow_, uses_, index);
      for (const auto* list : {&terms.arrivals, &terms.others}) {
        for (const std::uint32_t term : *list) {
          if (flow_.is_arrival(term)) sum_of[term] = index;
        }
      }
      check_sum(index, terms);
    }
    std::vector<Move> moves;
    std::vector<bool> begun(flow_.values.size(), false);
    for (const std::uint32_t index : arrivals_) {
      moves.push_back(move_of(index, sum_of[index], begun));
    }
    // Sums are sent from where the first of their terms has gone to.
    for (std::size_t i = 0; i < moves.size(); ++i) {
      moves[i].from_scratch = scratch_[flow_.values[arrivals_[i]].a];
    }
    return moves;
  }

 private:
  static constexpr std::uint32_t kNoSum = ~std::uint32_t{0};

  [[nodiscard]] Port out_port(std::uint32_t arrival) const {
    const FlowValue& value = flow_.values[arrival];
    const NodeId from = flow_.values[value.a].rank;
    std::uint32_t place = value.place;
    for (Port port = 0;; ++port) {
      if (plan_.topology.neighbor(from, port) == value.rank && place-- == 0) return port;
    }
  }
  [[nodiscard]] std::tuple<std::uint32_t, NodeId, Port> order(std::uint32_t arrival) const {
    return {flow_.values[arrival].step, flow_.values[arrival].rank, opposite(out_port(arrival))};
  }
  /// It starts in the packet's place: the node's own word, or a sum that has grown there.
  [[nodiscard]] bool is_in_place(std::uint32_t value) const {
    return flow_.is_own(value) || (flow_.is_sum(value) && !scratch_sums_.contains(value));
  }

  /// Where a sum grows: on its node's value in the packet's place, otherwise in scratch.
  void check_sum(std::uint32_t sum, const FlowTerms& terms) {
    std::uint32_t base = kNoSum;
    std::uint32_t first = ~std::uint32_t{0};
    for (const std::uint32_t term : terms.arrivals) {
      first = std::min(first, flow_.values[term].step);
    }
    for (const std::uint32_t term : terms.others) {
      if (flow_.is_arrival(term)) {
        first = std::min(first, flow_.values[term].step);
      } else if (base == kNoSum) {
        base = term;
      } else {
        refuse(sum);
      }
    }
    if (base != kNoSum && (uses_[base].last_send > first || uses_[base].sums > 1)) refuse(sum);
    if (base == kNoSum || !is_in_place(base)) scratch_sums_.insert(sum);
    if (base != kNoSum) base_of_[sum] = base;
  }
  [[noreturn]] void refuse(std::uint32_t sum) const {
    throw InputError(
        fmt::format("export: node {} needs a sum of piece {} and one of its operands at the same "
                    "time; the format has one place for both",
                    flow_.values[sum].rank, piece_[sum]));
  }

  Move move_of(std::uint32_t index, std::uint32_t sum, std::vector<bool>& begun) {
    const FlowValue& value = flow_.values[index];
    Move move{value.step, flow_.values[value.a].rank, value.rank, out_port(index), piece_[index]};
    const auto new_scratch = [&] { return scratch_chunks_[value.rank]++; };
    if (contributions_[index] == whole_) return move;
    if (uses_[index].sums > 1) refuse(index);
    const bool passes = uses_[index].sends != 0;
    if (sum == kNoSum || (passes && !scratch_sums_.contains(sum))) {
      move.to_scratch = scratch_[index] = new_scratch();
      move.adds_from_scratch = sum != kNoSum;
      return move;
    }
    if (!scratch_sums_.contains(sum)) {
      move.adds = true;
      return move;
    }
    if (passes) refuse(sum);
    // The first term makes the place, the others are added there.
    const auto base = base_of_.find(sum);
    if (base != base_of_.end()) scratch_[sum] = scratch_[base->second];
    move.adds = begun[sum] || base != base_of_.end();
    if (!move.adds) scratch_[sum] = new_scratch();
    begun[sum] = true;
    move.to_scratch = scratch_[sum];
    received_[sum] += contributions_[index];
    const std::uint64_t before = base == base_of_.end() ? 0 : contributions_[base->second];
    move.finishes_scratch = uses_[sum].is_output && before + received_[sum] == contributions_[sum];
    return move;
  }

  const Plan& plan_;
  const Flow& flow_;
  /// By value.
  std::vector<FlowUse> uses_;
  std::vector<std::uint64_t> contributions_;
  std::vector<PacketId> piece_;
  /// The scratch chunk in which it is; empty: in the packet's place.
  std::vector<std::optional<std::uint32_t>> scratch_;
  /// By rank.
  std::vector<std::uint32_t> scratch_chunks_;
  std::uint64_t whole_ = 1;
  /// Needed ones, by step, receiver and in-port.
  std::vector<std::uint32_t> arrivals_;
  /// Sums that grow in scratch; sums that others grow on; added terms.
  std::set<std::uint32_t> scratch_sums_;
  std::map<std::uint32_t, std::uint32_t> base_of_;
  std::map<std::uint32_t, std::uint64_t> received_;
};

}  // namespace

std::vector<Move> moves_of(const Plan& plan, const RunMaker& make) {
  const Topology& topology = plan.topology;
  std::vector<Move> moves;
  if (const auto messages = plan.machine().message_sends(plan)) {
    for (const MessageSend& send : messages->sends) {
      moves.push_back({send.step, send.from, send.to, send.out_port, 0});
    }
    return moves;
  }
  const Demand& demand = plan.demand;
  if (demand.combines()) {
    const Flow flow = flow_of(plan, make);
    return FlowMoves(plan, flow).moves();
  }
  const bool personal = demand.to == Destination::kEachNode;
  const bool one_root = demand.from == Origin::kRoot;
  if (demand.from == Origin::kSources || (demand.to != Destination::kEveryNode && !personal)) {
    throw InputError(
        fmt::format("export: the format does not support {} plans; supported: all-gather, "
                    "all-to-all, broadcast and reductions",
                    plan.collective));
  }
  if (!plan.expected.analytic_steps) {
    throw InputError(
        "export: expected.analytic_steps is missing; the number of exported steps is unknown");
  }
  const std::uint64_t each =
      one_root ? demand.pieces : demand.ids_per_node(topology.nodes()).value();
  const std::uint64_t packets = one_root ? each : each * topology.nodes();
  if (packets * topology.nodes() > kMostBits) {
    throw InputError(
        fmt::format("export: {} nodes and {} packets exceed the limit of a schedule file",
                    topology.nodes(), packets));
  }
  FirstArrivals arrivals(topology, packets);
  for (PacketId packet = 0; packet < packets; ++packet) {
    arrivals.own(one_root ? demand.root : static_cast<NodeId>(packet / each), packet);
  }
  const auto engine = make ? make({}) : make_fast_engine(plan);
  watch(*engine, *plan.expected.analytic_steps, arrivals);
  return arrivals.take();
}

}  // namespace gossamer::foreign
