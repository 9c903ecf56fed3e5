// SPDX-License-Identifier: Apache-2.0
#include "context_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "../emit/sv_text.hpp"
#include "gossamer/compose/context_schedule.hpp"
#include "gossamer/plan/link_words.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "members.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kNone = WiringLanes::kNone;
constexpr std::uint8_t kPass = static_cast<std::uint8_t>(RegisterSource::kArrival);
constexpr std::uint8_t kAdd = static_cast<std::uint8_t>(RegisterSource::kArrivalAndOwn);
constexpr std::uint8_t kFromMemory = static_cast<std::uint8_t>(RegisterSource::kMemory);
static_assert(static_cast<int>(RegisterSource::kArrivalsAndOwn) == 5,
              "gsm_context_tile numbers operations in the order of RegisterSource");

/// The control of a register, without its value.
struct SeenControl {
  std::uint8_t operation = 0;
  Port feed = 0;
  PacketId own = kNoPacket;
};
struct SeenDelivery {
  NodeId node = 0;
  Port port = 0;
  PacketId packet = 0;
  /// The operation that forms it where the register takes another word.
  std::optional<SeenControl> beside{};
};
/// The schedule of a context.
struct SeenContext {
  std::size_t wiring = 0;
  /// By edge 0 .. steps - 1 and link slot.
  std::vector<std::vector<SeenControl>> controls;
  /// By edge 0 .. steps.
  std::vector<std::vector<SeenDelivery>> deliveries;
  std::vector<std::vector<KeptArrival>> kept;

  /// Packets wait in memories: other arrivals are on their way in registers alone.
  [[nodiscard]] bool memory() const {
    return std::any_of(kept.begin(), kept.end(), [](const auto& edge) { return !edge.empty(); });
  }
};

SeenControl seen(const RegisterControl& control) {
  return {static_cast<std::uint8_t>(control.source), control.feed,
          control.own.terms == 0 ? kNoPacket : control.own.packet};
}

/// A number that was seen on a lane.
struct SeenNumber {
  std::int64_t place = 0;
  std::int64_t edge = 0;
  std::int64_t number = 0;
};

std::int64_t modulo(std::int64_t value, std::int64_t length) {
  return (value % length + length) % length;
}

/// A packet's number at a link.
struct PacketPlace {
  std::int64_t number = 0;
  std::uint64_t piece = 0;
};

class TableBuilder {
 public:
  explicit TableBuilder(const Plan& plan)
      : plan_(plan),
        topology_(plan.topology),
        ports_(static_cast<std::size_t>(topology_.ports())),
        cycles_(ports_ / 2) {}

  ContextTables build() {
    choose_words();
    if (ok()) record();
    for (std::size_t wiring = 0; ok() && wiring < made_.wirings.size(); ++wiring) {
      find_cycles(wiring);
    }
    for (std::size_t i = 0; ok() && i < contexts_.size(); ++i) fit(i);
    if (ok()) size_fields();
    return std::move(made_);
  }

 private:
  [[nodiscard]] bool ok() const { return made_.defect.empty(); }
  void refuse(std::size_t context, std::string_view cause) {
    if (ok()) made_.defect = fmt::format("context {}: {}", context, cause);
  }

  /// One width and one operation for all contexts, and flags beside it.
  void choose_words() {
    const auto members = members_of(plan_);
    std::optional<Arithmetic> chosen;
    std::optional<std::size_t> chosen_from;
    const auto is_flag = [](const Arithmetic& words) {
      return words.operation == Operation::kAnd && words.bits == 1;
    };
    for (const bool flags : {false, true}) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        const Demand& demand = members[i].plan.demand;
        if (!demand.combines()) continue;
        if (demand.type != demand.accumulate) {
          refuse(i, "the adders of contexts have the type of the words");
          return;
        }
        const Arithmetic words = hardware_arithmetic(members[i].plan);
        if (is_flag(words) != flags || (flags && chosen)) continue;
        if (!chosen) {
          chosen = words;
          chosen_from = i;
        }
        if (emit_detail::combine_operation(members[*chosen_from].plan) !=
                emit_detail::combine_operation(members[i].plan) ||
            link_words(members[*chosen_from].plan).link_bits !=
                link_words(members[i].plan).link_bits ||
            chosen->bits != words.bits) {
          refuse(i, "the adders of all contexts have one operation and one type of words");
          return;
        }
      }
    }
    has_words_ = chosen && !is_flag(*chosen);
    if (!chosen) return;
    const Plan& first = members[*chosen_from].plan;
    if (has_words_) {
      made_.width = static_cast<std::uint64_t>(link_words(first).link_bits);
      made_.word_bits = static_cast<std::uint64_t>(chosen->bits);
    }
    if (const auto format = float_format(chosen->type)) {
      made_.exponent_bits = static_cast<std::uint64_t>(format->exponent_bits);
    }
    made_.operation = emit_detail::combine_operation(first);
  }

  /// Runs each context once, in order.
  void record() {
    const auto members = members_of(plan_);
    ContextSchedule schedule(plan_, {});
    made_.wirings.resize(schedule.wirings());
    contexts_.resize(members.size());
    schedule.next();
    for (std::size_t i = 0; i < members.size(); ++i) {
      SeenContext& context = contexts_[i];
      const std::uint64_t steps = *members[i].plan.expected.analytic_steps;
      context.deliveries.resize(1);
      context.kept.resize(1);
      for (std::uint64_t edge = 1; edge <= steps; ++edge) {
        std::vector<SeenControl>& controls = context.controls.emplace_back();
        for (const RegisterControl& control : schedule.registers()) {
          controls.push_back(seen(control));
        }
        schedule.next();
        context.kept.emplace_back(schedule.kept().begin(), schedule.kept().end());
        std::vector<SeenDelivery>& deliveries = context.deliveries.emplace_back();
        for (const WordDelivery& delivery : schedule.deliveries()) {
          if (delivery.place == WordDelivery::Place::kMemory) continue;
          deliveries.push_back({delivery.node, delivery.port, delivery.packet});
          if (delivery.place == WordDelivery::Place::kBeside) {
            deliveries.back().beside = seen(delivery.beside);
          }
        }
      }
      context.wiring = schedule.wiring();
    }
    for (std::size_t wiring = 0; wiring < made_.wirings.size(); ++wiring) {
      for (LinkId link = 0; link < topology_.link_slots(); ++link) {
        made_.wirings[wiring].feed.push_back(schedule.feed(wiring, link));
      }
    }
  }

  /// By link slot, whether some context of the wiring sends there.
  [[nodiscard]] std::vector<bool> used_links(std::size_t wiring) const {
    std::vector<bool> used(topology_.link_slots(), false);
    for (const SeenContext& context : contexts_) {
      if (context.wiring != wiring || context.memory()) continue;
      for (const auto& controls : context.controls) {
        for (LinkId link = 0; link < controls.size(); ++link) {
          if (controls[link].operation != 0) used[link] = true;
        }
      }
    }
    return used;
  }

  /// The link that carries a packet on; kNoLink: none.
  [[nodiscard]] LinkId following(const WiringLanes& lanes, const std::vector<bool>& used,
                                 LinkId link) const {
    const Port port = topology_.link_port(link);
    const NodeId to = topology_.neighbor(topology_.link_from(link), port);
    if (to == kNoNode) return kNoLink;
    LinkId found = kNoLink;
    for (const Port out : all_ports(topology_.ports())) {
      const LinkId next = topology_.link(to, out);
      if (lanes.feed[next] != opposite(port)) continue;
      if (used[next]) return next;
      if (found == kNoLink) found = next;
    }
    return found;
  }
  [[nodiscard]] LinkId reverse(LinkId link) const {
    const Port port = topology_.link_port(link);
    return topology_.link(topology_.neighbor(topology_.link_from(link), port), opposite(port));
  }

  void find_cycles(std::size_t wiring) {
    WiringLanes& lanes = made_.wirings[wiring];
    const std::vector<bool> used = used_links(wiring);
    struct Found {
      /// The output port of the forward lane at the lowest node.
      Port forward = 0;
      /// Forward, from the lowest node on.
      std::vector<LinkId> links;
    };
    std::vector<Found> cycles;
    std::vector<bool> known(used.size(), false);
    std::set<Port> names;
    for (LinkId first = 0; first < used.size(); ++first) {
      if (!used[first] || known[first]) continue;
      Found cycle;
      std::set<NodeId> nodes;
      LinkId link = first;
      do {
        if (link == kNoLink || !nodes.insert(topology_.link_from(link)).second) {
          made_.defect = fmt::format(
              "output port {} of node {} is on no closed cycle that passes each node once",
              port_name(topology_.link_port(first)), topology_.link_from(first));
          return;
        }
        cycle.links.push_back(link);
        link = following(lanes, used, link);
      } while (link != first);
      const Port port = topology_.link_port(first);
      const Port partner = lanes.feed[first];
      cycle.forward = std::max(port, partner);
      if (partner == cycle.forward) {
        // In the other direction, from the same node.
        std::reverse(cycle.links.begin(), cycle.links.end());
        for (LinkId& each : cycle.links) each = reverse(each);
      }
      for (const LinkId each : cycle.links) known[each] = known[reverse(each)] = true;
      names.insert(cycle.forward);
      cycles.push_back(std::move(cycle));
    }
    lanes.lane.assign(used.size(), kNone);
    lanes.place.assign(topology_.nodes() * cycles_, kNone);
    lanes.instance = lanes.place;
    lanes.lengths.assign(cycles_, 0);
    for (std::uint32_t i = 0; i < cycles.size(); ++i) {
      const Found& cycle = cycles[i];
      const auto number =
          static_cast<std::size_t>(std::distance(names.begin(), names.find(cycle.forward)));
      const auto length = static_cast<std::uint32_t>(cycle.links.size());
      if (number >= cycles_ || (lanes.lengths[number] != 0 && lanes.lengths[number] != length)) {
        made_.defect = "the cycles of different groups have different forms";
        return;
      }
      lanes.lengths[number] = length;
      for (std::uint32_t place = 0; place < length; ++place) {
        const LinkId link = cycle.links[place];
        const LinkId before = cycle.links[(place + length - 1) % length];
        const LinkId back = reverse(before);
        // An arrival goes on in its own direction, in both directions.
        const bool paired = (!used[link] || lanes.feed[link] == topology_.link_port(back)) &&
                            (!used[back] || lanes.feed[back] == topology_.link_port(link));
        std::uint32_t& at = lanes.place[topology_.link_from(link) * cycles_ + number];
        if (!paired || at != kNone || lanes.lane[link] != kNone || lanes.lane[back] != kNone) {
          made_.defect = fmt::format("the two directions at node {} are not those of one cycle",
                                     topology_.link_from(link));
          return;
        }
        lanes.lane[link] = static_cast<std::uint32_t>(2 * number + 1);
        lanes.lane[back] = static_cast<std::uint32_t>(2 * number);
        at = place;
        lanes.instance[topology_.link_from(link) * cycles_ + number] = i;
      }
    }
  }

  // The present context.
  [[nodiscard]] const WiringLanes& lanes() const { return made_.wirings[row_->wiring]; }
  [[nodiscard]] std::int64_t length(std::size_t lane) const { return lanes().lengths[lane / 2]; }
  [[nodiscard]] std::int64_t place(NodeId node, std::size_t lane) const {
    return lanes().place[node * cycles_ + lane / 2];
  }
  /// The place of a packet's owner on the lane of a link, or its number in a message.
  [[nodiscard]] std::optional<PacketPlace> locate(PacketId packet, LinkId link) const {
    const Demand& demand = *demand_;
    const std::uint64_t members = layout_->members();
    const std::size_t lane = lanes().lane[link];
    if (row_->has_root) {
      const std::uint64_t word = packet % demand.pieces;
      return PacketPlace{static_cast<std::int64_t>(word / row_->cycles), word % row_->cycles};
    }
    if (has_common_words()) return PacketPlace{0, packet % demand.pieces};
    const std::uint64_t each = demand.combines() ? demand.pieces / members : demand.pieces;
    const NodeId node = topology_.link_from(link);
    NodeId owner = static_cast<NodeId>(packet / each);
    if (demand.combines() && !demand.numbers_by_owner()) {
      owner =
          layout_->node(layout_->group(node), static_cast<NodeId>(packet % demand.pieces / each));
    }
    if (owner >= topology_.nodes()) return std::nullopt;
    const std::size_t at = owner * cycles_ + lane / 2;
    if (lanes().instance[at] != lanes().instance[node * cycles_ + lane / 2]) return std::nullopt;
    return PacketPlace{lanes().place[at], packet % each};
  }
  /// All nodes contribute to the same few words.
  [[nodiscard]] bool has_common_words() const {
    return demand_->combines() && demand_->pieces < layout_->members();
  }

  /// Contexts of few steps fit several wirings, of which the schedule names the first.
  void fit(std::size_t number) {
    context_ = number;
    demand_ = &members_of(plan_)[number].plan.demand;
    layout_.emplace(plan_.topology, demand_->groups);
    const std::size_t first = contexts_[number].wiring;
    if (contexts_[number].memory()) return fit_memory(number);
    fit_wiring(first);
    std::string defect = std::move(made_.defect);
    made_.defect.clear();
    for (std::size_t wiring = 0; !defect.empty() && wiring < made_.wirings.size(); ++wiring) {
      if (wiring == first) continue;
      made_.rows.pop_back();
      fit_wiring(wiring);
      if (ok()) return;
      made_.defect.clear();
    }
    made_.defect = std::move(defect);
  }

  /// Whether arrivals come by the feeds of the wiring, on its lanes.
  [[nodiscard]] bool uses_lanes() const {
    const auto fits = [this](LinkId link, const SeenControl& found, bool arrives) {
      return found.operation == 0 ||
             (lanes().lane[link] != kNone &&
              (!arrives || found.operation == 1 || lanes().feed[link] == found.feed));
    };
    const SeenContext& context = contexts_[context_];
    for (std::size_t edge = 0; edge < context.controls.size(); ++edge) {
      for (LinkId link = 0; link < context.controls[edge].size(); ++link) {
        if (!fits(link, context.controls[edge][link], edge != 0)) return false;
      }
    }
    for (const auto& deliveries : context.deliveries) {
      for (const SeenDelivery& delivery : deliveries) {
        const LinkId link = topology_.link(delivery.node, delivery.port);
        if (delivery.beside && !fits(link, *delivery.beside, true)) return false;
      }
    }
    return true;
  }

  void fit_wiring(std::size_t wiring) {
    const std::size_t number = context_;
    const Plan& own = members_of(plan_)[number].plan;
    row_ = &made_.rows.emplace_back();
    row_->wiring = wiring;
    row_->steps = contexts_[number].controls.size();
    row_->lanes.resize(ports_);
    row_->has_root = demand_->from == Origin::kRoot || demand_->to == Destination::kRoot;
    row_->to_root = demand_->to == Destination::kRoot;
    row_->flags = has_words_ && demand_->combines() && hardware_arithmetic(own).bits == 1;
    const bool known = demand_->combines() ? demand_->to == Destination::kEveryNode ||
                                                 demand_->to == Destination::kOwner || row_->to_root
                                           : demand_->to == Destination::kEveryNode &&
                                                 demand_->from != Origin::kSources;
    if (!known || (demand_->combines() && !row_->has_root && !has_common_words() &&
                   demand_->pieces % layout_->members() != 0)) {
      refuse(number, fmt::format("the tile has no counters for {}", own.collective));
      return;
    }
    if (!uses_lanes()) {
      refuse(number, "its packets are not on the lanes of one wiring");
      return;
    }
    find_message_cycles();
    numbers_.assign(ports_, {});
    if (row_->has_root) {
      fit_message();
    } else {
      fit_shares();
    }
    if (ok() && row_->has_root) find_root_places();
  }

  [[nodiscard]] bool is_root(NodeId node) const { return layout_->rank(node) == demand_->root; }
  [[nodiscard]] const SeenControl& control(std::size_t edge, LinkId link) const {
    return contexts_[context_].controls[edge][link];
  }

  void find_message_cycles() {
    std::set<std::uint32_t> found;
    for (const auto& controls : contexts_[context_].controls) {
      for (LinkId link = 0; link < controls.size(); ++link) {
        if (controls[link].own != kNoPacket && lanes().lane[link] != kNone) {
          found.insert(lanes().lane[link] / 2);
        }
      }
    }
    row_->cycles = std::max<std::size_t>(found.size(), 1);
  }

  /// Adds the number of a packet at a link, and its piece.
  bool see(LinkId link, std::size_t edge, PacketId packet) {
    const std::size_t lane = lanes().lane[link];
    const auto found = locate(packet, link);
    ContextLane& row = row_->lanes[lane];
    if (!found || (!numbers_[lane].empty() && row.piece != found->piece)) {
      refuse(context_, "the packets of a lane have several pieces or cycles");
      return false;
    }
    row.piece = found->piece;
    numbers_[lane].push_back(
        {place(topology_.link_from(link), lane), static_cast<std::int64_t>(edge), found->number});
    return true;
  }

  // Messages from or to roots.

  /// The distance of a place from the root's in the lane's direction, or to the root's.
  [[nodiscard]] std::int64_t distance(std::size_t lane, std::int64_t from, std::int64_t to) const {
    return modulo(lane % 2 == 1 ? to - from : from - to, length(lane));
  }
  [[nodiscard]] std::int64_t root_place(NodeId node, std::size_t lane) const {
    return place(layout_->node(layout_->group(node), demand_->root), lane);
  }
  [[nodiscard]] std::int64_t message_number(const ContextLane& row, std::size_t lane, NodeId node,
                                            std::size_t edge) const {
    const std::int64_t here = place(node, lane);
    const std::int64_t root = root_place(node, lane);
    const std::int64_t far =
        row_->to_root ? distance(lane, here, root) : distance(lane, root, here);
    return row.start + row.slope * static_cast<std::int64_t>(edge) + row.growth * far;
  }
  /// Whether own words enter exactly where the row says.
  [[nodiscard]] bool explains_message(const ContextLane& row, std::size_t lane) const {
    for (LinkId link = 0; link < topology_.link_slots(); ++link) {
      if (lanes().lane[link] != lane) continue;
      const NodeId node = topology_.link_from(link);
      for (std::size_t edge = 0; edge < row_->steps; ++edge) {
        const SeenControl& found = control(edge, link);
        const std::int64_t number = message_number(row, lane, node, edge);
        const bool enters = is_root(node) != row_->to_root && number >= 0 &&
                            number < static_cast<std::int64_t>(row.limit) &&
                            (edge != 0 || row.loads);
        if (enters != (found.own != kNoPacket) || found.operation > kAdd) return false;
        if (enters && locate(found.own, link)->number != number) return false;
      }
    }
    return true;
  }

  void fit_message() {
    for (LinkId link = 0; link < topology_.link_slots(); ++link) {
      for (std::size_t edge = 0; edge < row_->steps; ++edge) {
        const PacketId own = control(edge, link).own;
        if (own != kNoPacket && !see(link, edge, own)) return;
      }
    }
    ContextRun run{row_->steps, std::vector<std::uint8_t>(ports_, 0), std::vector<bool>(ports_)};
    for (std::size_t lane = 0; lane < ports_; ++lane) {
      if (numbers_[lane].empty()) continue;
      ContextLane& row = row_->lanes[lane];
      row.used = true;
      run.operations[lane] = kAdd;
      run.delivers[lane] = true;
      for (const SeenNumber& each : numbers_[lane]) {
        // One direction may be silent in step 1.
        row.loads = row.loads || each.edge == 0;
        row.limit = std::max<std::uint64_t>(row.limit, static_cast<std::uint64_t>(each.number) + 1);
      }
      bool fits = false;
      for (const int slope : {1, -1}) {
        if (fits) break;
        row.slope = slope;
        row.growth = row_->to_root ? slope : -slope;
        row.from_root = (lane % 2 == 1) != row_->to_root;
        row.start = 0;
        const SeenNumber& first = numbers_[lane].front();
        const NodeId node = node_at(lane, first);
        row.start =
            first.number - message_number(row, lane, node, static_cast<std::size_t>(first.edge));
        fits = explains_message(row, lane);
      }
      if (!fits) refuse(context_, "the tile has no counter for the words of its message");
    }
    row_->runs.push_back(std::move(run));
  }
  /// A node of the lane at the place that was seen, in the first group.
  [[nodiscard]] NodeId node_at(std::size_t lane, const SeenNumber& seen_at) const {
    NodeId node = 0;
    while (place(node, lane) != seen_at.place) ++node;
    return node;
  }

  void find_root_places() {
    for (NodeId rank = 0; rank < layout_->members(); ++rank) {
      for (std::size_t cycle = 0; cycle < cycles_; ++cycle) {
        const std::uint32_t at = lanes().place[layout_->node(0, rank) * cycles_ + cycle];
        const bool used = row_->lanes[2 * cycle].used || row_->lanes[2 * cycle + 1].used;
        for (NodeId group = 1; used && group < layout_->groups(); ++group) {
          if (lanes().place[layout_->node(group, rank) * cycles_ + cycle] == at) continue;
          refuse(context_, "a rank has different places in different groups");
          return;
        }
        row_->root_places.push_back(used ? at : 0);
      }
    }
  }

  // Shares of all nodes.

  void fit_shares() {
    for (std::size_t lane = 0; ok() && lane < ports_; ++lane) fit_first(lane);
    if (!ok()) return;
    for (std::size_t edge = 1; ok() && edge <= row_->steps; ++edge) add_edge(edge);
    for (std::size_t lane = 0; ok() && lane < ports_; ++lane) {
      if (row_->lanes[lane].used) fit_numbers(lane);
    }
    for (const auto& [lane, told] : others_) {
      const ContextLane& row = row_->lanes[lane];
      if (ok() && modulo(row.growth * told.place + row.start + row.slope * told.edge,
                         static_cast<std::int64_t>(row.limit)) != told.number) {
        refuse(context_, "the two directions of a cycle deliver different results");
      }
    }
    others_.clear();
  }

  /// Which lanes load own words.
  void fit_first(std::size_t lane) {
    std::size_t loads = 0;
    std::size_t links = 0;
    for (LinkId link = 0; link < topology_.link_slots(); ++link) {
      if (lanes().lane[link] != lane) continue;
      ++links;
      const PacketId own = control(0, link).own;
      if (own == kNoPacket) continue;
      ++loads;
      if (!see(link, 0, own)) return;
    }
    if (loads != 0 && loads != links) refuse(context_, "some nodes have no own word in step 1");
    row_->lanes[lane].loads = loads != 0;
    row_->lanes[lane].used = loads != 0;
  }

  /// The operations of the edge at the end of a step, and what it delivers.
  void add_edge(std::size_t edge) {
    ContextRun run{edge, std::vector<std::uint8_t>(ports_, 0), std::vector<bool>(ports_)};
    std::vector<std::optional<std::uint8_t>> operations(ports_);
    if (edge < row_->steps) {
      for (LinkId link = 0; link < topology_.link_slots(); ++link) {
        const std::size_t lane = lanes().lane[link];
        if (lane == kNone || !add_operation(operations[lane], control(edge, link))) continue;
        if (control(edge, link).own != kNoPacket && !see(link, edge, control(edge, link).own)) {
          return;
        }
      }
    }
    if (!demand_->combines()) {
      for (std::size_t lane = 0; lane < ports_; ++lane) {
        if (operations[lane].value_or(kPass) > kPass || operations[lane] == 1) {
          refuse(context_, "own words enter after step 1");
        }
        if (!row_->lanes[lane].used) continue;
        operations[lane] = kPass;
        run.delivers[lane] = true;
      }
    } else {
      add_results(edge, operations, run);
    }
    for (std::size_t lane = 0; lane < ports_; ++lane) {
      run.operations[lane] = operations[lane].value_or(0);
      if (run.operations[lane] != 0) row_->lanes[lane].used = true;
    }
    if (!row_->runs.empty() && row_->runs.back().operations == run.operations &&
        row_->runs.back().delivers == run.delivers) {
      row_->runs.back().last = edge;
    } else {
      row_->runs.push_back(std::move(run));
    }
  }
  /// Registers without an arrival may take nothing.
  bool add_operation(std::optional<std::uint8_t>& operation, const SeenControl& found) {
    if (!operation) operation = found.operation;
    if (*operation == found.operation) return true;
    if (std::max(*operation, found.operation) != kPass ||
        std::min(*operation, found.operation) != 0) {
      refuse(context_, "the nodes of a lane have different operations");
      return false;
    }
    operation = kPass;
    return true;
  }

  void add_results(std::size_t edge, std::vector<std::optional<std::uint8_t>>& operations,
                   ContextRun& run) {
    // By lane and node.
    std::vector<std::map<NodeId, SeenDelivery>> by_lane(ports_);
    for (const SeenDelivery& delivery : contexts_[context_].deliveries[edge]) {
      const LinkId link = topology_.link(delivery.node, delivery.port);
      if (lanes().lane[link] != kNone)
        by_lane[lanes().lane[link]].insert({delivery.node, delivery});
    }
    for (std::size_t cycle = 0; ok() && cycle < cycles_; ++cycle) {
      std::array<std::size_t, 2> both{2 * cycle + 1, 2 * cycle};
      const std::size_t nodes = static_cast<std::size_t>(
          std::count_if(lanes().lane.begin(), lanes().lane.end(),
                        [&both](std::uint32_t lane) { return lane == both[0]; }));
      const auto covers = [&](std::size_t lane) { return by_lane[lane].size() == nodes; };
      if (by_lane[both[0]].empty() && by_lane[both[1]].empty()) continue;
      if (covers(both[0]) || covers(both[1])) {
        for (const std::size_t lane : both) {
          if (by_lane[lane].empty()) continue;
          if (!covers(lane)) return refuse(context_, "some nodes have no result on a lane");
          add_lane_results(edge, lane, by_lane[lane], operations, run);
        }
        continue;
      }
      // Either direction forms the result: nodes name the one with the lower output port.
      if (by_lane[both[0]].empty()) std::swap(both[0], both[1]);
      std::set<NodeId> known;
      for (const std::size_t lane : both) {
        for (const auto& [node, delivery] : by_lane[lane]) known.insert(node);
      }
      if (known.size() != nodes) return refuse(context_, "some nodes have no result on a cycle");
      add_lane_results(edge, both[0], by_lane[both[0]], operations, run);
      for (const auto& [node, delivery] : by_lane[both[1]]) {
        const auto found = locate(delivery.packet, topology_.link(node, delivery.port));
        if (!found) return refuse(context_, "a result belongs to no place of its cycle");
        others_.push_back(
            {both[0], {place(node, both[0]), static_cast<std::int64_t>(edge), found->number}});
      }
    }
  }
  void add_lane_results(std::size_t edge, std::size_t lane,
                        const std::map<NodeId, SeenDelivery>& deliveries,
                        std::vector<std::optional<std::uint8_t>>& operations, ContextRun& run) {
    run.delivers[lane] = true;
    for (const auto& [node, delivery] : deliveries) {
      if (!see(topology_.link(node, delivery.port), edge, delivery.packet)) return;
      if (!delivery.beside) continue;
      if (edge == row_->steps ? !add_operation(operations[lane], *delivery.beside)
                              : operations[lane] != delivery.beside->operation) {
        return refuse(context_, "a result is formed while the register takes another word");
      }
    }
  }

  void fit_numbers(std::size_t lane) {
    ContextLane& row = row_->lanes[lane];
    row.limit = has_common_words() ? 1 : static_cast<std::uint64_t>(length(lane));
    if (has_common_words()) return;
    row.growth = 1;
    row.from_root = true;
    const auto cycle = static_cast<std::int64_t>(row.limit);
    const std::vector<SeenNumber>& all = numbers_[lane];
    const SeenNumber first = all.empty() ? SeenNumber{} : all.front();
    // A copy moves one place per step.
    const int downstream = lane % 2 == 1 ? -1 : 1;
    for (const int slope : {downstream, -downstream, 0}) {
      row.slope = slope;
      row.start = modulo(first.number - first.place - slope * first.edge, cycle);
      const bool fits = std::all_of(all.begin(), all.end(), [&](const SeenNumber& each) {
        return modulo(each.place + row.start + slope * each.edge, cycle) == each.number;
      });
      if (fits) return;
    }
    refuse(context_, "the tile has no counter for its packets");
  }

  // Packets that wait in memories.

  /// The number of a packet of an element: an own packet counts by destination or owner, an arrival
  /// by origin.
  [[nodiscard]] std::uint64_t memory_number(PacketId packet, bool own) const {
    const std::uint64_t pieces = demand_->pieces;
    const PacketId of_node = packet / pieces;
    const PacketId nodes = topology_.nodes();
    const PacketId named = !demand_->is_personal() ? of_node
                           : own                   ? of_node % nodes
                                                   : of_node / nodes;
    return layout_->rank(static_cast<NodeId>(named)) * pieces + packet % pieces;
  }
  [[nodiscard]] bool wants(NodeId node, PacketId packet) const {
    return !demand_->is_personal() ||
           packet / demand_->pieces % topology_.nodes() == static_cast<PacketId>(node);
  }

  void fit_memory(std::size_t number) {
    const Plan& own = members_of(plan_)[number].plan;
    const SeenContext& context = contexts_[number];
    row_ = &made_.rows.emplace_back();
    row_->wiring = context.wiring;
    row_->steps = context.controls.size();
    row_->lanes.resize(ports_);
    row_->runs.push_back(
        {row_->steps, std::vector<std::uint8_t>(ports_, 0), std::vector<bool>(ports_)});
    const bool known = demand_->is_personal() || (demand_->from == Origin::kEveryNode &&
                                                  demand_->to == Destination::kEveryNode);
    if (!known) {
      refuse(number, fmt::format("the tile has no numbers for {} with memory", own.collective));
      return;
    }
    made_.slots = std::max(made_.slots, 1U);
    MemoryTable& memory = row_->memory;
    memory.edges.assign(row_->steps + 1, std::vector<MemoryField>(topology_.link_slots()));
    // By node and packet, the last edge at which it is sent from memory.
    std::map<std::pair<NodeId, PacketId>, std::size_t> sent;
    for (std::size_t edge = 0; edge < row_->steps; ++edge) {
      for (LinkId link = 0; link < topology_.link_slots(); ++link) {
        const SeenControl& control = context.controls[edge][link];
        if (control.operation == kFromMemory) sent[{topology_.link_from(link), control.own}] = edge;
      }
    }
    std::map<std::pair<NodeId, PacketId>, std::uint32_t> slots;
    // By node and slot, the last edge at which its packet is sent.
    std::vector<std::vector<std::size_t>> taken(topology_.nodes());
    for (std::size_t edge = 0; edge <= row_->steps; ++edge) {
      std::vector<MemoryField>& fields = memory.edges[edge];
      for (const KeptArrival& kept : context.kept[edge]) {
        MemoryField& field = fields[topology_.link(kept.node, kept.port)];
        if (wants(kept.node, kept.packet)) field.delivered = memory_number(kept.packet, false);
        const auto last = sent.find({kept.node, kept.packet});
        if (last == sent.end() || slots.contains(last->first)) continue;
        std::vector<std::size_t>& node = taken[kept.node];
        const auto free = std::find_if(node.begin(), node.end(),
                                       [edge](std::size_t until) { return until < edge; });
        const auto slot = static_cast<std::uint32_t>(free - node.begin());
        if (free == node.end()) node.push_back(0);
        node[slot] = last->second;
        slots[last->first] = slot;
        field.write = slot + 1;
        made_.slots = std::max(made_.slots, slot + 1);
      }
      if (edge == row_->steps) break;
      for (LinkId link = 0; link < topology_.link_slots(); ++link) {
        const SeenControl& control = context.controls[edge][link];
        if (control.operation == kFromMemory) {
          fields[link].read = slots.at({topology_.link_from(link), control.own}) + 1;
        } else if (control.own != kNoPacket) {
          fields[link].own = memory_number(control.own, true);
        }
      }
    }
    most_number_ = std::max(most_number_, layout_->members() * demand_->pieces - 1);
  }

  void size_fields() {
    std::uint64_t most_piece = 0;
    std::uint64_t most_steps = 1;
    // Lengths of cycles and messages; numbers outside messages.
    std::int64_t widest = 1;
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (const WiringLanes& wiring : made_.wirings) {
      for (const std::uint32_t each : wiring.lengths) {
        widest = std::max(widest, std::int64_t{each});
      }
    }
    for (const ContextRow& row : made_.rows) {
      most_steps = std::max(most_steps, row.steps);
      for (std::size_t lane = 0; lane < ports_; ++lane) {
        const ContextLane& each = row.lanes[lane];
        if (!each.used) continue;
        most_piece = std::max(most_piece, each.piece);
        widest = std::max(widest, static_cast<std::int64_t>(each.limit));
        if (!row.has_root) continue;
        const std::int64_t far =
            each.growth * (std::int64_t{made_.wirings[row.wiring].lengths[lane / 2]} - 1);
        const std::int64_t late = each.slope * static_cast<std::int64_t>(row.steps + 1);
        lowest = std::min(
            lowest, each.start + std::min<std::int64_t>(far, 0) + std::min<std::int64_t>(late, 0));
        highest = std::max(
            highest, each.start + std::max<std::int64_t>(far, 0) + std::max<std::int64_t>(late, 0));
      }
    }
    // Numbers are modulo 2^(bits + 1), and those outside must not look like a word's.
    while ((std::int64_t{1} << made_.number_bits) < widest ||
           (std::int64_t{2} << made_.number_bits) <= highest ||
           lowest + (std::int64_t{2} << made_.number_bits) < widest) {
      ++made_.number_bits;
    }
    made_.piece_bits = std::max(1, static_cast<int>(std::bit_width(most_piece)));
    made_.step_bits = static_cast<int>(std::bit_width(most_steps));
    made_.number_bits = std::max(made_.number_bits,
                                 static_cast<int>(std::bit_width(most_number_)) - made_.piece_bits);
  }

  const Plan& plan_;
  const Topology& topology_;
  std::size_t ports_;
  std::size_t cycles_;
  /// Some context combines other words than flags.
  bool has_words_ = false;
  /// The highest packet number of contexts with memory.
  std::uint64_t most_number_ = 0;
  ContextTables made_;
  std::vector<SeenContext> contexts_;
  // Of the present context.
  std::size_t context_ = 0;
  const Demand* demand_ = nullptr;
  std::optional<GroupLayout> layout_;
  ContextRow* row_ = nullptr;
  /// By lane.
  std::vector<std::vector<SeenNumber>> numbers_;
  /// Results that a lane also forms, where the schedule names the other direction.
  std::vector<std::pair<std::size_t, SeenNumber>> others_;
};

}  // namespace

ContextTables context_tables(const Plan& plan) { return TableBuilder(plan).build(); }

}  // namespace gossamer
