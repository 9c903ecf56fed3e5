// SPDX-License-Identifier: Apache-2.0
/// One engine for all groups. Groups share no link in any step, so a network of groups consists of
/// copies of one group's network: any engine of the guest's machine, `systemc` and `rtl` among
/// them, simulates the routers of one group, and its links are shown at the places of all. A group
/// with a damaged link or words of its own gets its own engine.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "gossamer/plan/member_displacement.hpp"
#include "gossamer/sim/every_word.hpp"
#include "gossamer/sim/restartable.hpp"
#include "gossamer/util/error.hpp"
#include "guest.hpp"

namespace gossamer {

namespace {

void restart_engine(Engine& engine) { dynamic_cast<Restartable&>(engine).restart(); }

/// The words of a group's members, from the maker of all nodes' words.
class MemberWords final : public EveryWordMaker {
 public:
  MemberWords(EveryWordMaker& all, const GroupLayout& layout, NodeId group)
      : all_(all), layout_(layout), group_(group) {}

  [[nodiscard]] std::uint64_t word(NodeId rank, PacketId piece) override {
    return all_.word(layout_.node(group_, rank), piece);
  }
  [[nodiscard]] std::uint64_t combine(std::uint64_t a, std::uint64_t b) override {
    return all_.combine(a, b);
  }

 private:
  EveryWordMaker& all_;
  const GroupLayout& layout_;
  NodeId group_;
};

class GroupEngine final : public Engine, public Restartable {
 public:
  GroupEngine(std::string_view engine, const Plan& plan, const EngineOptions& options)
      : engine_name_(engine),
        options_(options),
        topology_(plan.topology),
        stride_(plan.demand.groups->stride),
        frame_(plan.demand.groups->longest_stride()),
        axes_(plan.demand.groups->axes()),
        layout_(plan.topology, plan.demand.groups),
        numbers_(plan, layout_),
        guest_(guest_plan(plan)),
        all_words_(dynamic_cast<EveryWordMaker*>(options.arithmetic.maker)),
        engine_(make_engine(engine, guest_, options_of(0))),
        ports_(static_cast<std::size_t>(guest_.topology.ports())) {
    // A SystemC simulation takes no modules once it runs.
    for (NodeId group = 1; all_words_ != nullptr && group < layout_.groups(); ++group) {
      static_cast<void>(own_engine(group));
    }
  }

  [[nodiscard]] std::string_view name() const override { return engine_->name(); }

  [[nodiscard]] LinkView links() override {
    const LinkView guest = engine_->links();
    LinkView view = guest;
    if (frame_ > 1) {
      view.begins = guest.begins;
      view.cycle = guest.cycle * frame_ + slot_;
      if (guest.step != 0) view.step = (guest.step - 1) * frame_ + slot_ + 1;
    }
    const std::size_t slots = topology_.link_slots();
    packets_.assign(guest.packets.empty() ? 0 : slots, kNoPacket);
    values_.assign(guest.values.empty() ? 0 : slots, 0);
    terms_.assign(guest.terms.empty() ? 0 : slots, 0);
    results_.clear();
    for (NodeId group = 0; group < layout_.groups(); ++group) {
      const auto own = others_.find(group);
      show(group, own == others_.end() ? guest : own->second->links());
    }
    view.packets = packets_;
    view.values = values_;
    view.terms = terms_;
    view.results = results_;
    return view;
  }

  void clock(std::uint64_t cycles) override {
    const std::uint64_t frames = (slot_ + cycles) / frame_;
    slot_ = (slot_ + cycles) % frame_;
    if (frames == 0) return;
    clocked_ += frames;
    engine_->clock(frames);
    for (auto& [group, engine] : others_) engine->clock(frames);
  }
  void restart() override {
    slot_ = 0;
    clocked_ = 0;
    restart_engine(*engine_);
    for (auto& [group, engine] : others_) restart_engine(*engine);
  }
  [[nodiscard]] std::uint64_t quiet() const override { return frame_ == 1 ? engine_->quiet() : 0; }
  [[nodiscard]] bool done() const override { return engine_->done(); }

  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics all = engine_->statistics();
    all.link_conflicts *= layout_.groups() - others_.size();
    for (const auto& [group, engine] : others_) {
      const EngineStatistics own = engine->statistics();
      all.link_conflicts += own.link_conflicts;
      all.max_queue = std::max(all.max_queue, own.max_queue);
    }
    all.steps = all.steps * frame_ + slot_;
    all.cycles = all.cycles * frame_ + slot_;
    return all;
  }

  [[nodiscard]] bool error(NodeId node) const override {
    return engine_of(layout_.group(node)).error(layout_.rank(node));
  }
  bool upset(LinkId link, const Upset& upset) override {
    const auto [group, guest] = place_of(link);
    return guest != kNoLink && own_engine(group).upset(guest, upset);
  }
  void force(LinkId link, PacketId packet) override {
    const auto [group, guest] = place_of(link);
    if (guest != kNoLink) own_engine(group).force(guest, packet);
  }

 private:
  /// Puts the guest's links on those of a group.
  void show(NodeId group, const LinkView& guest) {
    for (std::size_t link = 0; link < guest.packets.size(); ++link) {
      if (guest.packets[link] == kNoPacket) continue;
      const int dim = axes_[link % ports_ / 2];
      const std::uint32_t links = stride_[static_cast<std::size_t>(dim)];
      // A short line waits until it is as long as the rest of the frame.
      if (slot_ + links < frame_) continue;
      const Port port = make_port(dim, link % 2 != 0);
      NodeId at = layout_.node(group, static_cast<NodeId>(link / ports_));
      for (std::uint64_t hop = frame_ - links; hop < slot_; ++hop) at = topology_.beyond(at, port);
      const LinkId place = topology_.link(at, port);
      packets_[place] = numbers_.of(group, guest.packets[link]);
      if (!guest.values.empty()) values_[place] = guest.values[link];
      if (!guest.terms.empty()) terms_[place] = guest.terms[link];
    }
    // They were written at the end of the step before.
    if (slot_ != 0) return;
    for (Result result : guest.results) {
      result.node = layout_.node(group, result.node);
      result.packet = numbers_.of(group, result.packet);
      results_.push_back(result);
    }
  }

  [[nodiscard]] const Engine& engine_of(NodeId group) const {
    const auto own = others_.find(group);
    return own == others_.end() ? *engine_ : *own->second;
  }
  /// The options of a group's engine.
  EngineOptions options_of(NodeId group) {
    EngineOptions options = options_;
    if (all_words_ != nullptr) {
      options.arithmetic.maker = &words_.emplace_back(*all_words_, layout_, group);
    }
    return options;
  }
  /// The engine of a group that is not like the others, in the present cycle.
  Engine& own_engine(NodeId group) {
    auto& engine = others_[group];
    if (engine == nullptr) {
      engine = make_engine(engine_name_, guest_, options_of(group));
      if (clocked_ != 0) engine->clock(clocked_);
    }
    return *engine;
  }
  /// The group of a link and its number there; kNoLink for a link that no group uses.
  [[nodiscard]] std::pair<NodeId, LinkId> place_of(LinkId link) const {
    if (frame_ > 1) {
      throw InputError(
          "a link between members of a group that are not neighbours cannot be damaged");
    }
    const NodeId node = topology_.link_from(link);
    const Port port = topology_.link_port(link);
    const auto axis = std::find(axes_.begin(), axes_.end(), dimension_of(port));
    if (axis == axes_.end()) return {0, kNoLink};
    const Port guest = make_port(static_cast<int>(axis - axes_.begin()), is_positive(port));
    const NodeId rank = layout_.rank(node);
    if (guest_.topology.neighbor(rank, guest) == kNoNode) return {0, kNoLink};
    return {layout_.group(node), guest_.topology.link(rank, guest)};
  }

  std::string engine_name_;
  EngineOptions options_;
  Topology topology_;
  /// By dimension.
  std::vector<std::uint32_t> stride_;
  /// Host steps for each guest step, and the present one of them, from 0.
  std::uint64_t frame_;
  std::uint64_t slot_ = 0;
  std::vector<int> axes_;
  GroupLayout layout_;
  PieceNumbers numbers_;
  Plan guest_;
  /// Null where all groups have the same words.
  EveryWordMaker* all_words_;
  std::deque<MemberWords> words_;
  /// That of all groups without their own.
  std::unique_ptr<Engine> engine_;
  std::size_t ports_;
  /// Cycles of the guest that are over.
  std::uint64_t clocked_ = 0;
  std::map<NodeId, std::unique_ptr<Engine>> others_;
  std::vector<PacketId> packets_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> terms_;
  std::vector<Result> results_;
};

/// The engine of a program that serves the whole network.
class SpanningEngine final : public Engine, public Restartable {
 public:
  SpanningEngine(std::string_view engine, const Plan& plan, const EngineOptions& options)
      : plan_(guest_plan(plan)), engine_(make_engine(engine, plan_, options)) {}

  [[nodiscard]] std::string_view name() const override { return engine_->name(); }
  [[nodiscard]] LinkView links() override { return engine_->links(); }
  void clock(std::uint64_t cycles) override { engine_->clock(cycles); }
  void restart() override { restart_engine(*engine_); }
  [[nodiscard]] std::uint64_t quiet() const override { return engine_->quiet(); }
  [[nodiscard]] bool done() const override { return engine_->done(); }
  [[nodiscard]] EngineStatistics statistics() const override { return engine_->statistics(); }
  [[nodiscard]] bool error(NodeId node) const override { return engine_->error(node); }
  bool upset(LinkId link, const Upset& upset) override { return engine_->upset(link, upset); }
  void force(LinkId link, PacketId packet) override { engine_->force(link, packet); }

 private:
  Plan plan_;
  std::unique_ptr<Engine> engine_;
};

/// The first group's packets in a run of the whole network.
class FirstGroupEngine final : public Engine {
 public:
  FirstGroupEngine(const Plan& plan, const EngineOptions& options)
      : plan_(plan),
        layout_(plan.topology, plan.demand.groups),
        members_(group_network(plan.topology, *plan.demand.groups)),
        each_(plan.demand.ids_per_node(plan.topology.nodes()).value()),
        engine_(make_fast_engine(plan, options)) {
    const std::vector<int> axes = plan.demand.groups->axes();
    for (NodeId rank = 0; rank < layout_.members(); ++rank) {
      for (const Port port : all_ports(members_.ports())) {
        const Port on_host =
            make_port(axes[static_cast<std::size_t>(dimension_of(port))], is_positive(port));
        last_links_.push_back(plan.topology.link_into(
            layout_.node(0, members_.neighbor(rank, port)), opposite(on_host)));
      }
    }
  }

  [[nodiscard]] std::string_view name() const override { return engine_->name(); }
  [[nodiscard]] LinkView links() override {
    const LinkView all = engine_->links();
    check_straight(all);
    LinkView view = all;
    packets_.assign(last_links_.size(), kNoPacket);
    values_.assign(all.values.empty() ? 0 : last_links_.size(), 0);
    terms_.assign(all.terms.empty() ? 0 : last_links_.size(), 0);
    for (std::size_t link = 0; link < last_links_.size(); ++link) {
      const LinkId place = last_links_[link];
      if (!is_own(all.packets[place])) continue;
      packets_[link] = number(all.packets[place]);
      if (!all.values.empty()) values_[link] = all.values[place];
      if (!all.terms.empty()) terms_[link] = all.terms[place];
    }
    results_.clear();
    for (Result result : all.results) {
      if (layout_.group(result.node) != 0) continue;
      result.packet = number(result.packet);
      result.node = layout_.rank(result.node);
      results_.push_back(result);
    }
    view.packets = packets_;
    view.values = values_;
    view.terms = terms_;
    view.results = results_;
    return view;
  }
  void clock(std::uint64_t cycles) override {
    for (; cycles != 0; --cycles) {
      const std::span<const PacketId> now = engine_->links().packets;
      before_.assign(now.begin(), now.end());
      engine_->clock(1);
    }
  }
  [[nodiscard]] bool done() const override { return engine_->done(); }
  [[nodiscard]] EngineStatistics statistics() const override { return engine_->statistics(); }

 private:
  [[nodiscard]] bool is_own(PacketId packet) const {
    return packet != kNoPacket && layout_.group(static_cast<NodeId>(packet / each_)) == 0;
  }
  [[nodiscard]] PacketId number(PacketId packet) const {
    return in_one_group(plan_.topology, plan_.demand, 0, packet).piece;
  }
  void check_straight(const LinkView& all) const {
    const Topology& topology = plan_.topology;
    for (LinkId link = 0; link < all.packets.size(); ++link) {
      const NodeId from = topology.link_from(link);
      if (!is_own(all.packets[link]) || layout_.group(from) == 0) continue;
      const LinkId in = topology.link_into(from, opposite(topology.link_port(link)));
      if (in < before_.size() && before_[in] == all.packets[link]) continue;
      throw InputError(fmt::format(
          "groups: packet {} waits or turns at node {}, which is in another group; a schedule of "
          "one group cannot express it",
          all.packets[link], from));
    }
  }

  const Plan& plan_;
  GroupLayout layout_;
  Topology members_;
  std::uint64_t each_;
  std::unique_ptr<Engine> engine_;
  /// By link of the group's network, the link of the whole network that enters the next member.
  std::vector<LinkId> last_links_;
  /// The packets of the cycle before.
  std::vector<PacketId> before_;
  std::vector<PacketId> packets_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> terms_;
  std::vector<Result> results_;
};

}  // namespace

std::unique_ptr<Engine> make_first_group_engine(const Plan& plan, const EngineOptions& options) {
  return std::make_unique<FirstGroupEngine>(plan, options);
}

std::unique_ptr<Engine> make_group_engine(std::string_view engine, const Plan& plan,
                                          const EngineOptions& options) {
  if (plan.program.as<GroupsProgram>().spans_network) {
    return std::make_unique<SpanningEngine>(engine, plan, options);
  }
  return std::make_unique<GroupEngine>(engine, plan, options);
}

}  // namespace gossamer
