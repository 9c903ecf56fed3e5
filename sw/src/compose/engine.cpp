// SPDX-License-Identifier: Apache-2.0
/// One engine for all groups. Groups share no link in any step, so a network of groups consists of
/// copies of one group's network: any engine of the guest's machine, `systemc` and `rtl` among
/// them, simulates the routers of one group, and its links are shown at the places of all. A group
/// with a damaged link gets its own engine.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "gossamer/util/error.hpp"
#include "guest.hpp"

namespace gossamer {

namespace {

class GroupEngine final : public Engine {
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
        engine_(make_engine(engine, guest_, options)),
        ports_(static_cast<std::size_t>(guest_.topology.ports())) {}

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
      const auto own = damaged_.find(group);
      show(group, own == damaged_.end() ? guest : own->second->links());
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
    for (auto& [group, engine] : damaged_) engine->clock(frames);
  }
  [[nodiscard]] std::uint64_t quiet() const override { return frame_ == 1 ? engine_->quiet() : 0; }
  [[nodiscard]] bool done() const override { return engine_->done(); }

  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics all = engine_->statistics();
    all.link_conflicts *= layout_.groups() - damaged_.size();
    for (const auto& [group, engine] : damaged_) {
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
    const auto own = damaged_.find(group);
    return own == damaged_.end() ? *engine_ : *own->second;
  }
  /// The engine of a group that is not like the others, in the present cycle.
  Engine& own_engine(NodeId group) {
    auto& engine = damaged_[group];
    if (engine == nullptr) {
      engine = make_engine(engine_name_, guest_, options_);
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
  std::unique_ptr<Engine> engine_;
  std::size_t ports_;
  /// Cycles of the guest that are over.
  std::uint64_t clocked_ = 0;
  std::map<NodeId, std::unique_ptr<Engine>> damaged_;
  std::vector<PacketId> packets_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> terms_;
  std::vector<Result> results_;
};

/// The engine of a program that serves the whole network.
class SpanningEngine final : public Engine {
 public:
  SpanningEngine(std::string_view engine, const Plan& plan, const EngineOptions& options)
      : plan_(guest_plan(plan)), engine_(make_engine(engine, plan_, options)) {}

  [[nodiscard]] std::string_view name() const override { return engine_->name(); }
  [[nodiscard]] LinkView links() override { return engine_->links(); }
  void clock(std::uint64_t cycles) override { engine_->clock(cycles); }
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

}  // namespace

std::unique_ptr<Engine> make_group_engine(std::string_view engine, const Plan& plan,
                                          const EngineOptions& options) {
  if (plan.program.as<GroupsProgram>().spans_network) {
    return std::make_unique<SpanningEngine>(engine, plan, options);
  }
  return std::make_unique<GroupEngine>(engine, plan, options);
}

}  // namespace gossamer
