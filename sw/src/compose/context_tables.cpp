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
constexpr std::uint8_t kJoin = static_cast<std::uint8_t>(RegisterSource::kArrivalsAndOwn);
constexpr std::uint8_t kFromMemory = static_cast<std::uint8_t>(RegisterSource::kMemory);
static_assert(kJoin == 5, "gsm_context_tile numbers operations in the order of RegisterSource");

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
  /// By edge 0 .. steps - 1 and link slot: the register has a word after the edge.
  std::vector<std::vector<bool>> filled;
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
        fill_registers(context);
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

  /// The registers after the last of the edges so far.
  void fill_registers(SeenContext& context) const {
    const std::vector<SeenControl>& controls = context.controls.back();
    std::vector<bool> filled(controls.size());
    for (LinkId link = 0; link < controls.size(); ++link) {
      filled[link] = controls[link].operation == kPass
                         ? arrives(context, context.controls.size() - 1, link, controls[link].feed)
                         : controls[link].operation != 0;
    }
    context.filled.push_back(std::move(filled));
  }
  /// Whether a word comes to the node of a link by an input port, at the end of step `edge`.
  [[nodiscard]] bool arrives(const SeenContext& context, std::size_t edge, LinkId link,
                             Port port) const {
    const LinkId from = topology_.link_into(topology_.link_from(link), port);
    return edge != 0 && from != kNoLink && context.filled[edge - 1][from];
  }

  /// The contexts of a wiring. Those whose registers take own words alone fit every wiring, and
  /// come last.
  [[nodiscard]] std::vector<std::size_t> contexts_of(std::size_t wiring) const {
    std::vector<std::size_t> wired;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < contexts_.size(); ++i) {
      if (contexts_[i].wiring != wiring || contexts_[i].memory()) continue;
      const auto& edges = contexts_[i].controls;
      const bool takes = std::any_of(edges.begin(), edges.end(), [](const auto& controls) {
        return std::any_of(controls.begin(), controls.end(),
                           [](const SeenControl& each) { return each.operation >= kPass; });
      });
      (takes ? wired : others).push_back(i);
    }
    wired.insert(wired.end(), others.begin(), others.end());
    return wired;
  }

  /// By link slot, whether some of the contexts sends there.
  [[nodiscard]] std::vector<bool> used_links(const std::vector<std::size_t>& contexts) const {
    std::vector<bool> used(topology_.link_slots(), false);
    for (const std::size_t i : contexts) {
      const SeenContext& context = contexts_[i];
      for (const auto& controls : context.controls) {
        for (LinkId link = 0; link < controls.size(); ++link) {
          if (controls[link].operation != 0) used[link] = true;
        }
      }
    }
    return used;
  }

  /// By link slot, whether it leads out of the groups of all of the contexts, or out of the
  /// network.
  [[nodiscard]] std::vector<bool> outward_links(const std::vector<std::size_t>& contexts) const {
    std::vector<bool> outward(topology_.link_slots(), true);
    for (const std::size_t i : contexts) {
      const GroupLayout layout(topology_, members_of(plan_)[i].plan.demand.groups);
      for (LinkId link = 0; link < outward.size(); ++link) {
        if (outward[link] && !leads_out(layout, link)) outward[link] = false;
      }
    }
    return outward;
  }
  [[nodiscard]] bool leads_out(const GroupLayout& layout, LinkId link) const {
    return gossamer::leads_out(topology_, layout, topology_.link_from(link),
                               topology_.link_port(link));
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

  struct FoundCycle {
    /// The output port of the forward lane at the lowest node.
    Port forward = 0;
    bool open = false;
    /// By place: forward, of a cycle from the lowest node on. The last one of a line sends nothing.
    std::vector<LinkId> links;
    /// By place, in the other direction. The first one of a line sends nothing.
    std::vector<LinkId> back;
  };

  /// The cycle or line of a link in use. Empty if it passes a node twice or ends inside a group.
  [[nodiscard]] std::optional<FoundCycle> cycle_of(const WiringLanes& lanes,
                                                   const std::vector<bool>& used,
                                                   const std::vector<bool>& outward,
                                                   LinkId first) const {
    FoundCycle cycle;
    std::set<NodeId> nodes;
    LinkId link = first;
    do {
      if (link == kNoLink || !nodes.insert(topology_.link_from(link)).second) return std::nullopt;
      cycle.links.push_back(link);
      cycle.open = outward[link];
      if (cycle.open) break;
      link = following(lanes, used, link);
    } while (link != first);
    // Back to the beginning of a line.
    for (link = first; cycle.open;) {
      const NodeId node = topology_.link_from(link);
      if (outward[topology_.link(node, lanes.feed[link])]) break;
      link = topology_.link_into(node, lanes.feed[link]);
      if (!nodes.insert(topology_.link_from(link)).second) return std::nullopt;
      cycle.links.insert(cycle.links.begin(), link);
    }
    for (std::size_t place = 0; place < cycle.links.size(); ++place) {
      const LinkId begin = cycle.links.front();
      cycle.back.push_back(place != 0 ? reverse(cycle.links[place - 1])
                           : cycle.open
                               ? topology_.link(topology_.link_from(begin), lanes.feed[begin])
                               : reverse(cycle.links.back()));
    }
    const Port port = topology_.link_port(cycle.links.front());
    const Port partner = lanes.feed[cycle.links.front()];
    cycle.forward = std::max(port, partner);
    if (partner == cycle.forward) {
      // In the other direction: a cycle from the same node.
      std::swap(cycle.links, cycle.back);
      for (std::vector<LinkId>* links : {&cycle.links, &cycle.back}) {
        std::reverse(links->begin() + (cycle.open ? 0 : 1), links->end());
      }
    }
    return cycle;
  }

  /// A context can fit the feeds of a wiring, but not its cycles; it then has those of another one.
  void find_cycles(std::size_t wiring) {
    const std::vector<std::size_t> contexts = contexts_of(wiring);
    find_cycles(wiring, contexts);
    if (ok() || contexts.size() < 2) return;
    std::vector<std::size_t> on_cycles;
    std::string defect;
    for (const std::size_t context : contexts) {
      made_.defect.clear();
      on_cycles.push_back(context);
      find_cycles(wiring, on_cycles);
      if (ok()) continue;
      defect = std::move(made_.defect);
      on_cycles.pop_back();
    }
    made_.defect.clear();
    find_cycles(wiring, on_cycles);
    if (on_cycles.empty()) made_.defect = std::move(defect);
  }
  void find_cycles(std::size_t wiring, const std::vector<std::size_t>& contexts) {
    WiringLanes& lanes = made_.wirings[wiring];
    const std::vector<bool> used = used_links(contexts);
    const std::vector<bool> outward = outward_links(contexts);
    std::vector<FoundCycle> cycles;
    std::vector<bool> known(used.size(), false);
    std::set<Port> names;
    for (LinkId first = 0; first < used.size(); ++first) {
      if (!used[first] || known[first]) continue;
      std::optional<FoundCycle> cycle = cycle_of(lanes, used, outward, first);
      if (!cycle) {
        made_.defect = fmt::format(
            "output port {} of node {} is on no cycle or line that passes each node once",
            port_name(topology_.link_port(first)), topology_.link_from(first));
        return;
      }
      for (const LinkId each : cycle->links) known[each] = true;
      for (const LinkId each : cycle->back) known[each] = true;
      names.insert(cycle->forward);
      cycles.push_back(*std::move(cycle));
    }
    lanes.lane.assign(used.size(), kNone);
    lanes.place.assign(topology_.nodes() * cycles_, kNone);
    lanes.instance = lanes.place;
    lanes.lengths.assign(cycles_, 0);
    lanes.open.assign(cycles_, false);
    for (std::uint32_t i = 0; i < cycles.size(); ++i) {
      const FoundCycle& cycle = cycles[i];
      const auto number =
          static_cast<std::size_t>(std::distance(names.begin(), names.find(cycle.forward)));
      const auto length = static_cast<std::uint32_t>(cycle.links.size());
      if (number >= cycles_ || (lanes.lengths[number] != 0 && (lanes.lengths[number] != length ||
                                                               lanes.open[number] != cycle.open))) {
        made_.defect = "the cycles of different groups have different forms";
        return;
      }
      lanes.lengths[number] = length;
      lanes.open[number] = cycle.open;
      for (std::uint32_t place = 0; place < length; ++place) {
        const LinkId link = cycle.links[place];
        const LinkId back = cycle.back[place];
        // An arrival goes on in its own direction, in both directions, or ends there.
        const auto fed = [&](LinkId one, LinkId other) {
          return (!used[one] && !outward[one]) || lanes.feed[one] == topology_.link_port(other);
        };
        const bool paired = fed(link, back) && fed(back, link);
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
    others_.clear();
    if (row_->has_root) {
      fit_message();
    } else {
      fit_shares();
    }
    if (ok() && row_->has_root) find_root_places();
    for (LinkId link = 0; ok() && link < topology_.link_slots(); ++link) {
      row_->ends.push_back(lanes().lane[link] != kNone && row_->lanes[lanes().lane[link]].used &&
                           is_end(link));
    }
  }

  /// The register sends nothing in this context, since the link leads out of the group.
  [[nodiscard]] bool is_end(LinkId link) const { return leads_out(*layout_, link); }
  [[nodiscard]] bool is_open(std::size_t lane) const { return lanes().open[lane / 2]; }

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
  /// On a line, negative for places that the lane does not lead to.
  [[nodiscard]] std::int64_t distance(std::size_t lane, std::int64_t from, std::int64_t to) const {
    const std::int64_t difference = lane % 2 == 1 ? to - from : from - to;
    return is_open(lane) ? difference : modulo(difference, length(lane));
  }
  [[nodiscard]] std::int64_t root_place(NodeId node, std::size_t lane) const {
    return place(layout_->node(layout_->group(node), demand_->root), lane);
  }
  [[nodiscard]] std::int64_t distance_of(std::size_t lane, NodeId node) const {
    const std::int64_t here = place(node, lane);
    const std::int64_t root = root_place(node, lane);
    return row_->to_root ? distance(lane, here, root) : distance(lane, root, here);
  }
  [[nodiscard]] std::int64_t message_number(const ContextLane& row, std::size_t lane, NodeId node,
                                            std::size_t edge) const {
    const std::int64_t far = distance_of(lane, node);
    return row.start + row.slope * static_cast<std::int64_t>(edge) + row.growth * far;
  }
  /// Whether own words enter exactly where the row says.
  [[nodiscard]] bool explains_message(const ContextLane& row, std::size_t lane) const {
    for (LinkId link = 0; link < topology_.link_slots(); ++link) {
      if (lanes().lane[link] != lane || is_end(link)) continue;
      const NodeId node = topology_.link_from(link);
      for (std::size_t edge = 0; edge < row_->steps; ++edge) {
        const SeenControl& found = control(edge, link);
        const std::int64_t number = message_number(row, lane, node, edge);
        const bool enters = is_root(node) != row_->to_root && number >= 0 &&
                            number < static_cast<std::int64_t>(row.limit) &&
                            (edge != 0 || row.loads) && distance_of(lane, node) >= 0;
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
    const std::uint64_t planned = row_->steps;
    for (std::size_t cycle = 0; ok() && cycle < cycles_; ++cycle) {
      if (lanes().open[cycle]) fit_other_roots(cycle, planned, run);
    }
    run.last = row_->steps;
    row_->runs.push_back(std::move(run));
  }
  /// Roots at the ends of a line take the most steps, and use one lane. Others use both lanes, with
  /// the same numbers.
  void fit_other_roots(std::size_t cycle, std::uint64_t planned, ContextRun& run) {
    const std::size_t lane = row_->lanes[2 * cycle].used ? 2 * cycle : 2 * cycle + 1;
    const std::size_t other = lane ^ 1U;
    if (!row_->lanes[lane].used) return;
    if (!row_->lanes[other].used) {
      row_->lanes[other] = row_->lanes[lane];
      row_->lanes[other].from_root = !row_->lanes[lane].from_root;
      run.operations[other] = run.operations[lane];
      run.delivers[other] = run.delivers[lane];
    }
    const std::int64_t root = root_place(node_of(lane), lane);
    const std::int64_t nearer = std::min(root, length(lane) - 1 - root);
    row_->steps = planned + static_cast<std::uint64_t>(nearer);
    if (!row_->to_root) return;
    // The farthest node of all roots loads its first word in step 1.
    for (const std::size_t each : {lane, other}) {
      row_->lanes[each].start -= nearer;
      row_->lanes[each].loads = true;
    }
  }
  [[nodiscard]] NodeId node_of(std::size_t lane) const {
    NodeId node = 0;
    while (lanes().place[node * cycles_ + lane / 2] == kNone) ++node;
    return node;
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
      if (!row_->lanes[lane].used) continue;
      if (is_open(lane)) {
        fit_line(lane);
      } else {
        fit_numbers(lane);
      }
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
      if (lanes().lane[link] != lane || is_end(link)) continue;
      ++links;
      const PacketId own = control(0, link).own;
      if (own == kNoPacket) continue;
      ++loads;
      if (!see(link, 0, own)) return;
    }
    if (loads != 0 && loads != links && !is_open(lane))
      refuse(context_, "some nodes have no own word in step 1");
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
        if (lane == kNone || (is_open(lane) && is_end(link)) ||
            !add_operation(operations[lane], control(edge, link), is_open(lane))) {
          continue;
        }
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
  bool add_operation(std::optional<std::uint8_t>& operation, const SeenControl& found,
                     bool open = false) {
    if (!operation) operation = found.operation;
    if (open) {
      // Arrivals and own words are operands where they are there (check_line).
      const std::uint8_t both = std::max(*operation, found.operation);
      const bool adds = *operation != found.operation && std::min(*operation, found.operation) != 0;
      operation = both == 1 || (adds && both == kPass) ? kAdd : both;
      if (both != static_cast<std::uint8_t>(RegisterSource::kArrivalAndPartner)) return true;
      refuse(context_, "the tile has no operation for a register of its lines");
      return false;
    }
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
      if (lanes().open[cycle]) {
        add_line_results(edge, both, by_lane, operations, run);
        continue;
      }
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
  /// A lane delivers the arrivals of all its nodes, or one of the two what both bring together.
  void add_line_results(std::size_t edge, const std::array<std::size_t, 2>& both,
                        const std::vector<std::map<NodeId, SeenDelivery>>& by_lane,
                        std::vector<std::optional<std::uint8_t>>& operations, ContextRun& run) {
    bool joins = false;
    for (const std::size_t lane : both) {
      for (const auto& [node, delivery] : by_lane[lane]) {
        const SeenControl& found =
            delivery.beside ? *delivery.beside : control(edge, topology_.link(node, delivery.port));
        joins = joins || found.operation == kJoin;
      }
    }
    for (const std::size_t lane : both) {
      if (joins ? lane != both[0] : by_lane[lane].empty()) continue;
      run.delivers[lane] = true;
      if (joins) operations[lane] = kJoin;
      for (LinkId link = 0; ok() && link < topology_.link_slots(); ++link) {
        if (lanes().lane[link] != lane) continue;
        const NodeId node = topology_.link_from(link);
        const SeenDelivery* named = nullptr;
        for (const std::size_t from : both) {
          const auto found = by_lane[from].find(node);
          if ((joins || from == lane) && found != by_lane[from].end()) named = &found->second;
        }
        if ((named != nullptr) != (comes(edge, link) || (joins && comes(edge, link, true)))) {
          return refuse(context_, "some arrivals of a lane are results, others are not");
        }
        if (named == nullptr) continue;
        if (!see(link, edge, named->packet)) return;
        if (named->beside && !add_operation(operations[lane], *named->beside, true)) return;
      }
    }
  }
  /// Whether a word comes to an output port by its feed, or by that of its partner.
  [[nodiscard]] bool comes(std::size_t edge, LinkId link, bool to_partner = false) const {
    return arrives(contexts_[context_], edge, link,
                   to_partner ? topology_.link_port(link) : lanes().feed[link]);
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

  /// The numbers of a lane of lines, on which own words enter where the number is one of theirs.
  void fit_line(std::size_t lane) {
    ContextLane& row = row_->lanes[lane];
    row.limit = has_common_words() ? 1 : static_cast<std::uint64_t>(length(lane));
    row.from_root = true;
    // Results of common words have no number of their own.
    std::vector<SeenNumber> all;
    if (!has_common_words()) all = numbers_[lane];
    for (LinkId link = 0; link < topology_.link_slots(); ++link) {
      if (lanes().lane[link] != lane || is_end(link)) continue;
      for (std::size_t edge = 0; edge < row_->steps; ++edge) {
        const PacketId own = control(edge, link).own;
        if (own == kNoPacket) continue;
        all.push_back({place(topology_.link_from(link), lane), static_cast<std::int64_t>(edge),
                       locate(own, link)->number});
      }
    }
    const SeenNumber first = all.empty() ? SeenNumber{0, 0, -1} : all.front();
    for (const int growth : {1, -1, 0}) {
      // A copy moves one place per step.
      for (const int slope : {lane % 2 == 1 ? -1 : 1, lane % 2 == 1 ? 1 : -1, 0}) {
        row.growth = growth;
        row.slope = slope;
        row.start = first.number - growth * first.place - slope * first.edge;
        const bool fits = std::all_of(all.begin(), all.end(), [&](const SeenNumber& each) {
          return growth * each.place + row.start + slope * each.edge == each.number;
        });
        if (fits && explains_line(row, lane)) return;
      }
    }
    refuse(context_, "the tile has no counter for the packets of its lines");
  }
  /// Whether all registers of the lane take the same operands by the row as by the schedule.
  [[nodiscard]] bool explains_line(const ContextLane& row, std::size_t lane) const {
    for (LinkId link = 0; link < topology_.link_slots(); ++link) {
      if (lanes().lane[link] != lane || is_end(link)) continue;
      auto run = row_->runs.begin();
      for (std::size_t edge = 0; edge < row_->steps; ++edge) {
        while (edge > run->last) ++run;
        const std::int64_t number = row.growth * place(topology_.link_from(link), lane) +
                                    row.start + row.slope * static_cast<std::int64_t>(edge);
        const bool is_word = number >= 0 && number < static_cast<std::int64_t>(row.limit);
        const std::uint8_t operation = run->operations[lane];
        const bool takes = operation == 1 || operation == kAdd || operation == kJoin;
        const SeenControl& found = control(edge, link);
        if ((found.own != kNoPacket) != (is_word && (edge == 0 ? row.loads : takes))) return false;
        if (edge == 0) continue;
        const bool arrival = comes(edge, link);
        const bool partner = comes(edge, link, true);
        if (arrival && (operation >= kPass) != (found.operation >= kPass)) return false;
        if (partner && (operation == kJoin) != (found.operation == kJoin)) return false;
      }
    }
    return true;
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
        if (!row.has_root && !made_.wirings[row.wiring].open[lane / 2]) continue;
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
  /// Results that a lane also forms, where the schedule names the other direction of a cycle.
  std::vector<std::pair<std::size_t, SeenNumber>> others_;
};

}  // namespace

ContextTables context_tables(const Plan& plan) { return TableBuilder(plan).build(); }

}  // namespace gossamer
