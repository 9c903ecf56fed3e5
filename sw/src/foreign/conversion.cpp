// SPDX-License-Identifier: Apache-2.0
#include "gossamer/foreign/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gossamer/bounds/reductions.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer::foreign {

namespace {

constexpr std::uint32_t kNoValue = ~std::uint32_t{0};
constexpr std::uint64_t kMostPacketNumber = 0x7fffffff;

/// Why a flow has no timetable.
class NotConvertible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Converter {
 public:
  Converter(const Flow& flow, const Topology& topology, std::span<const std::uint32_t> node_of_rank)
      : flow_(flow),
        topology_(topology),
        node_of_rank_(node_of_rank),
        uses_(uses_of(flow)),
        facts_(flow.values.size()),
        builder_(topology.nodes(), flow.values.size()) {}

  [[nodiscard]] std::size_t moves() const { return builder_.moves(); }

  Plan plan() {
    set_demand();
    find_pieces();
    find_sums();
    name_held_words();
    add_moves();
    TimetableProgram program = builder_.program(topology_, own_, DeliveryRule::kMarked);
    const std::uint32_t slots = program.slots();
    if (slots > kMaxTimetableSlots) {
      throw NotConvertible(fmt::format("a node stores {} words at the same time; the limit is {}",
                                       slots, kMaxTimetableSlots));
    }
    const std::uint64_t steps = program.steps();
    Plan plan{topology_, collective_, "imported", {}, demand_, std::move(program), {}};
    plan.expected.analytic_steps = steps;
    plan.expected.analytic_cycles = steps;
    plan.expected.lower_bound_steps = bounds::lower_bound(topology_, demand_);
    plan.expected.queue_depth = slots;
    return plan;
  }

 private:
  /// Origin and storage of a value.
  struct Facts {
    /// For an arrival that is added immediately: the sum.
    std::uint32_t added_to = kNoValue;
    /// A sum: it takes the place of its base, and this arrival completes it.
    std::uint32_t completed_by = kNoValue;
    /// The sum that takes its place.
    std::uint32_t heir = kNoValue;
    /// The step at whose end it is there.
    std::uint32_t there = 0;
    /// The held word that it is, named by its first content; kNoValue: it is not kept.
    std::uint32_t held = kNoValue;
    PacketId piece = 0;
  };

  [[nodiscard]] NodeId node(std::uint32_t rank) const {
    return node_of_rank_.empty() ? rank : node_of_rank_[rank];
  }
  [[nodiscard]] const FlowValue& value(std::uint32_t index) const { return flow_.values[index]; }
  void set_demand() {
    const std::uint32_t chunks = flow_.chunks;
    own_ = chunks;
    share_ = flow_.collective == Collective::kAllGather ? chunks : chunks / flow_.ranks;
    switch (flow_.collective) {
      case Collective::kAllGather:
        collective_ = "gossip";
        demand_ = Demand::all_gather(chunks);
        break;
      case Collective::kBroadcast:
        collective_ = "broadcast";
        demand_ = Demand::broadcast(node(flow_.root), chunks);
        break;
      case Collective::kAllToAll:
        collective_ = "all-to-all";
        demand_ = Demand::all_to_all();
        demand_.pieces = share_;
        break;
      case Collective::kAllReduce:
        collective_ = "all-reduce";
        demand_ = Demand::combined(Destination::kEveryNode, Operation::kSum, chunks);
        break;
      case Collective::kReduceScatter:
        collective_ = "reduce-scatter";
        demand_ = Demand::combined(Destination::kOwner, Operation::kSum, chunks);
        break;
      case Collective::kReduce:
        collective_ = "reduce";
        demand_ = Demand::combined(Destination::kRoot, Operation::kSum, chunks, node(flow_.root));
        break;
    }
    const bool numbered_by_node =
        flow_.collective == Collective::kAllGather || flow_.collective == Collective::kAllToAll;
    const std::uint64_t packets = std::uint64_t{own_} * (numbered_by_node ? flow_.ranks : 1);
    if (own_ > kMaxTimetableSlots || packets > kMostPacketNumber) {
      throw NotConvertible(fmt::format(
          "{} packets, {} per node, exceed the limits of a timetable (2^31 - 1, {} per node)",
          packets, own_, kMaxTimetableSlots));
    }
  }

  /// The own word that an input chunk is: chunks for a rank become those for its node.
  [[nodiscard]] std::uint32_t own_word(std::uint32_t chunk) const {
    const bool by_rank =
        flow_.collective == Collective::kAllToAll || flow_.collective == Collective::kReduceScatter;
    return by_rank ? node(chunk / share_) * share_ + chunk % share_ : chunk;
  }

  [[nodiscard]] PacketId piece_of(NodeId at, std::uint32_t own) const {
    const bool numbered_by_node = !demand_.combines() && demand_.from == Origin::kEveryNode;
    return numbered_by_node ? PacketId{at} * own_ + own : own;
  }

  void find_pieces() {
    for (std::uint32_t index = 0; index < facts_.size(); ++index) {
      const FlowValue& here = value(index);
      facts_[index].piece = here.kind == FlowValue::Kind::kOwn
                                ? piece_of(node(here.rank), own_word(here.a))
                                : facts_[here.a].piece;
    }
  }

  /// Ports of the receiver's node by which an arrival enters and leaves the sender's.
  [[nodiscard]] Port out_port(std::uint32_t arrival) const {
    const FlowValue& here = value(arrival);
    const NodeId from = node(value(here.a).rank);
    const NodeId to = node(here.rank);
    std::uint32_t place = here.place;
    for (const Port port : all_ports(topology_.ports())) {
      if (topology_.neighbor(from, port) == to && place-- == 0) return port;
    }
    throw std::logic_error("a checked schedule uses existing links");
  }
  [[nodiscard]] auto order(std::uint32_t arrival) const {
    return std::make_pair(value(arrival).step, opposite(out_port(arrival)));
  }

  /// Sums in ascending order, so a base is known before the terms added to it.
  void find_sums() {
    for (std::uint32_t index = 0; index < facts_.size(); ++index) {
      if (!uses_[index].needed) continue;
      if (flow_.is_arrival(index)) facts_[index].there = value(index).step;
      if (flow_.is_sum(index) && !uses_[index].dissolved) build_sum(index);
    }
  }

  void build_sum(std::uint32_t sum) {
    FlowTerms terms = terms_of(flow_, uses_, sum);
    std::vector<std::uint32_t>& arrivals = terms.arrivals;
    if (terms.others.size() > 1 || arrivals.empty()) {
      refuse(sum, "two values that are both stored in the node are added");
    }
    std::sort(arrivals.begin(), arrivals.end(),
              [this](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
    std::uint32_t base = kNoValue;
    if (terms.others.empty()) {
      base = arrivals.front();
      arrivals.erase(arrivals.begin());
    } else {
      base = terms.others.front();
    }
    const std::uint32_t first = value(arrivals.front()).step;
    if (facts_[base].there > first) {
      refuse(sum, fmt::format(
                      "the arrival of step {} is added to a value that exists only after step {}",
                      first, facts_[base].there));
    }
    if (uses_[base].last_send > first || uses_[base].sums > 1) {
      refuse(sum, fmt::format("a sum and its part are both needed after step {}", first));
    }
    for (const std::uint32_t arrival : arrivals) {
      facts_[arrival].added_to = sum;
    }
    facts_[sum].completed_by = arrivals.back();
    facts_[sum].there = value(arrivals.back()).step;
    facts_[base].heir = sum;
  }

  [[noreturn]] void refuse(std::uint32_t sum, const std::string& cause) const {
    throw NotConvertible(
        fmt::format("{} (rank {}, packet {}), but a router adds only arrivals to one stored word",
                    cause, value(sum).rank, facts_[sum].piece));
  }

  /// A base and its sums, one after the other, are one held word.
  void name_held_words() {
    for (std::uint32_t index = 0; index < facts_.size(); ++index) {
      if (!uses_[index].needed) continue;
      const bool kept =
          flow_.is_arrival(index) && (uses_[index].sends != 0 || facts_[index].heir != kNoValue);
      if (!kept && !flow_.is_own(index)) continue;
      if (flow_.is_own(index)) builder_.start_with(index, own_word(value(index).a));
      for (std::uint32_t at = index; at != kNoValue; at = facts_[at].heir) facts_[at].held = index;
    }
  }

  void add_moves() {
    for (std::uint32_t index = 0; index < facts_.size(); ++index) {
      const Facts& facts = facts_[index];
      if (!uses_[index].needed || !flow_.is_arrival(index)) continue;
      const FlowValue& here = value(index);
      TimetableMove move;
      move.step = here.step;
      move.out_port = out_port(index);
      move.from_rom = node(value(here.a).rank);
      move.to_rom = node(here.rank);
      move.from = facts_[here.a].held;
      move.delivers = uses_[index].is_output;
      if (facts.added_to != kNoValue) {
        const Facts& sum = facts_[facts.added_to];
        move.to = sum.held;
        move.combines = true;
        move.delivers = uses_[facts.added_to].is_output && sum.completed_by == index;
      } else if (facts.held != kNoValue) {
        move.to = facts.held;
      }
      builder_.add(move);
    }
  }

  const Flow& flow_;
  const Topology& topology_;
  std::span<const std::uint32_t> node_of_rank_;
  std::string collective_;
  Demand demand_;
  /// Input chunks of a rank, and those of one rank's share.
  std::uint32_t own_ = 1;
  std::uint32_t share_ = 1;
  /// By value.
  std::vector<FlowUse> uses_;
  std::vector<Facts> facts_;
  TimetableBuilder builder_;
};

}  // namespace

Conversion convert(const Flow& flow, const Topology& topology,
                   std::span<const std::uint32_t> node_of_rank) {
  if (topology.cores() != topology.nodes()) {
    return {std::nullopt, "every rank requires a live node, but a node of the network is dead", 0};
  }
  try {
    Converter converter(flow, topology, node_of_rank);
    Conversion conversion;
    conversion.plan = converter.plan();
    const auto arrivals = std::count_if(
        flow.values.begin(), flow.values.end(),
        [](const FlowValue& value) { return value.kind == FlowValue::Kind::kArrival; });
    conversion.useless_moves = static_cast<std::uint64_t>(arrivals) - converter.moves();
    return conversion;
  } catch (const NotConvertible& reason) {
    return {std::nullopt, reason.what(), 0};
  }
}

}  // namespace gossamer::foreign
