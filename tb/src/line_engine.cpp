// SPDX-License-Identifier: Apache-2.0
#include "gossamer/tb/line_engine.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "gossamer/tb/verilated_line.hpp"

namespace gossamer::tb {

namespace {

/// Steps, observers and end of a run, common to both kinds of plan.
class LineEngineBase : public LineEngine {
 public:
  explicit LineEngineBase(const Plan& plan, std::uint64_t last_step)
      : topology_(&plan.topology),
        program_(&std::get<QueuedProgram>(plan.program)),
        last_step_(last_step),
        links_(plan.topology.link_slots(), kNoPacket) {}

  [[nodiscard]] std::string_view name() const override { return "rtl"; }

  void run(std::uint64_t max_steps, StepObserver* observer) override {
    for (std::uint64_t i = 0; i < max_steps && steps_ < last_step_; ++i) {
      ++steps_;
      const bool go_on = observer == nullptr || observer->on_step(steps_, links_);
      clock();
      if (!go_on) return;
    }
  }
  [[nodiscard]] EngineStatistics statistics() const override {
    EngineStatistics statistics;
    statistics.steps = steps_;
    statistics.cycles = program_->cycles(steps_);
    statistics.max_queue = max_queue_;
    return statistics;
  }
  [[nodiscard]] std::span<const PacketId> links() override { return links_; }
  [[nodiscard]] bool error(NodeId /*node*/) const override { return false; }
  [[nodiscard]] std::vector<std::uint32_t> before() const override { return {}; }
  [[nodiscard]] std::vector<std::uint32_t> total() const override { return {}; }

 protected:
  /// The edge at the end of a step; sets links_ to the next step's.
  virtual void clock() = 0;
  [[nodiscard]] NodeId nodes() const { return static_cast<NodeId>(topology_->nodes()); }
  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] const QueuedProgram& program() const { return *program_; }
  [[nodiscard]] PacketId& link(NodeId node, Port port) {
    return links_[topology_->link(node, port)];
  }

  std::uint64_t max_queue_ = 1;

 private:
  const Topology* topology_;
  const QueuedProgram* program_;
  std::uint64_t last_step_;
  std::uint64_t steps_ = 0;
  std::vector<PacketId> links_;
};

class BroadcastLine final : public LineEngineBase {
 public:
  explicit BroadcastLine(const Plan& plan)
      : LineEngineBase(plan, std::get<QueuedProgram>(plan.program).last_step()) {
    max_queue_ = 0;
    for (const bool positive : {false, true}) {
      for (NodeId node = 0; node < nodes(); ++node) {
        const bool border = topology().neighbor(node, make_port(0, positive)) == kNoNode;
        stages_[positive ? 1 : 0].push_back(make_verilated_line_stage(border));
      }
    }
    for (const QueuedSource& source : program().sources) load(source);
    clock();
  }

  [[nodiscard]] bool error(NodeId node) const override {
    return stages_[0][node]->error() || stages_[1][node]->error();
  }
  bool upset(LinkId which, const Upset& upset) override {
    const auto node = static_cast<NodeId>(which / 2);
    const auto port = static_cast<Port>(which % 2);
    if (link(node, port) == kNoPacket) return false;
    link(node, port) = upset.apply(link(node, port));
    damaged_.push_back({node, port, link(node, port)});
    return true;
  }

 private:
  struct Damage {
    NodeId node;
    Port port;
    PacketId packet;
  };

  /// The node's own packets, each in its direction or directions.
  void load(const QueuedSource& source) {
    const QueuedPhase& phase = program().phases.front();
    std::array<std::uint64_t, 2> waiting = {0, 0};
    for (std::uint32_t i = 0; i < source.packets; ++i) {
      for (std::uint32_t half = 0; half < program().halves; ++half) {
        const std::uint32_t part = i * program().halves + half;
        for (const bool positive : {false, true}) {
          if (program().halves == 2 && positive != (half == 0)) continue;
          const bool swap = program().halves == 1 && phase.alternate && i % 2 != 0;
          const std::uint32_t hops = positive != swap ? phase.hops_plus : phase.hops_minus;
          if (hops == 0) continue;
          stages_[positive ? 1 : 0][source.node]->load(
              {PacketId{source.node} * program().packets_per_node + part, hops});
          ++waiting[positive ? 1 : 0];
        }
      }
    }
    max_queue_ = std::max({max_queue_, waiting[0], waiting[1]});
  }

  /// What the link behind in-port's neighbour carries, damage included.
  [[nodiscard]] std::optional<LinePacket> arrival(NodeId node, bool positive) const {
    const NodeId from = topology().neighbor(node, make_port(0, !positive));
    if (from == kNoNode) return std::nullopt;
    std::optional<LinePacket> packet = stages_[positive ? 1 : 0][from]->out();
    for (const Damage& damage : damaged_) {
      if (damage.node != from || damage.port != make_port(0, positive)) continue;
      if (damage.packet == kNoPacket) return std::nullopt;
      packet->data = damage.packet;
    }
    return packet;
  }

  void clock() override {
    std::array<std::vector<std::optional<LinePacket>>, 2> arrivals;
    for (const bool positive : {false, true}) {
      for (NodeId node = 0; node < nodes(); ++node) {
        arrivals[positive ? 1 : 0].push_back(arrival(node, positive));
      }
    }
    damaged_.clear();
    for (const bool positive : {false, true}) {
      for (NodeId node = 0; node < nodes(); ++node) {
        VerilatedLineStage& stage = *stages_[positive ? 1 : 0][node];
        stage.clock(arrivals[positive ? 1 : 0][node]);
        const auto out = stage.out();
        link(node, make_port(0, positive)) = out ? out->data : kNoPacket;
      }
    }
  }

  std::array<std::vector<std::unique_ptr<VerilatedLineStage>>, 2> stages_;
  std::vector<Damage> damaged_;
};

class PrefixLine final : public LineEngineBase {
 public:
  explicit PrefixLine(const Plan& plan)
      : LineEngineBase(plan, std::get<QueuedProgram>(plan.program).prefix_steps()) {
    const bool two_way = program().phases.front().kind == QueuedPhaseKind::kPrefixTwoWay;
    for (NodeId node = 0; node < nodes(); ++node) {
      units_.push_back(make_verilated_prefix_unit(node == 0             ? LinePlace::kFirst
                                                  : node + 1 == nodes() ? LinePlace::kLast
                                                                        : LinePlace::kMiddle,
                                                  two_way));
    }
    std::vector<std::uint32_t> own(nodes(), 0);
    for (const QueuedSource& source : program().sources) own[source.node] = source.packets;
    for (NodeId node = 0; node < nodes(); ++node) units_[node]->start(own[node]);
    show();
  }

  bool upset(LinkId which, const Upset& upset) override {
    // A message has no name: only its loss can be seen on the link.
    const auto node = static_cast<NodeId>(which / 2);
    const auto port = static_cast<Port>(which % 2);
    if (link(node, port) == kNoPacket || !upset.drop) return false;
    link(node, port) = kNoPacket;
    return true;
  }
  [[nodiscard]] std::vector<std::uint32_t> before() const override {
    return result(&VerilatedPrefixUnit::before);
  }
  [[nodiscard]] std::vector<std::uint32_t> total() const override {
    return result(&VerilatedPrefixUnit::total);
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> result(std::uint32_t (VerilatedPrefixUnit::*figure)()
                                                      const) const {
    std::vector<std::uint32_t> figures;
    for (const auto& unit : units_) {
      if (!unit->done()) throw std::logic_error("the prefix is not done");
      figures.push_back((unit.get()->*figure)());
    }
    return figures;
  }
  /// A message on a link is known by its sender.
  void show() {
    for (NodeId node = 0; node < nodes(); ++node) {
      link(node, make_port(0, true)) = units_[node]->up() ? PacketId{node} : kNoPacket;
      link(node, make_port(0, false)) = units_[node]->down() ? PacketId{node} : kNoPacket;
    }
  }
  void clock() override {
    std::vector<std::optional<PrefixMessage>> up(nodes());
    std::vector<std::optional<PrefixMessage>> down(nodes());
    for (NodeId node = 0; node < nodes(); ++node) {
      if (node != 0 && link(node - 1, make_port(0, true)) != kNoPacket) {
        up[node] = units_[node - 1]->up();
      }
      if (node + 1 != nodes() && link(node + 1, make_port(0, false)) != kNoPacket) {
        down[node] = units_[node + 1]->down();
      }
    }
    for (NodeId node = 0; node < nodes(); ++node) units_[node]->clock(up[node], down[node]);
    show();
  }

  std::vector<std::unique_ptr<VerilatedPrefixUnit>> units_;
};

/// Keeps the links of one step.
class Snapshot final : public StepObserver {
 public:
  bool on_step(std::uint64_t /*step*/, std::span<const PacketId> links) override {
    links_.assign(links.begin(), links.end());
    return true;
  }
  std::vector<PacketId> links_;
};

class FastReference final : public HardwareEngine {
 public:
  explicit FastReference(const Plan& plan)
      : engine_(make_fast_engine(plan)), idle_(plan.topology.link_slots(), kNoPacket) {
    look_ahead();
  }
  [[nodiscard]] std::string_view name() const override { return engine_->name(); }
  void run(std::uint64_t max_steps, StepObserver* observer) override {
    for (std::uint64_t i = 0; i < max_steps; ++i) {
      ++steps_;
      const bool go_on = observer == nullptr || observer->on_step(steps_, next_.links_);
      look_ahead();
      if (!go_on) return;
    }
  }
  [[nodiscard]] EngineStatistics statistics() const override { return engine_->statistics(); }
  [[nodiscard]] std::span<const PacketId> links() override { return next_.links_; }
  [[nodiscard]] bool error(NodeId /*node*/) const override { return false; }
  bool upset(LinkId /*link*/, const Upset& /*upset*/) override { return false; }

 private:
  void look_ahead() {
    next_.links_ = idle_;
    engine_->run(1, &next_);
  }
  std::unique_ptr<Engine> engine_;
  std::vector<PacketId> idle_;
  Snapshot next_;
  std::uint64_t steps_ = 0;
};

}  // namespace

bool is_line_plan(const Plan& plan) {
  const auto* program = std::get_if<QueuedProgram>(&plan.program);
  if (program == nullptr || plan.topology.dimensions() != 1 || program->classes != 1) return false;
  if (program->is_prefix_only()) return true;
  return program->phases.size() == 1 && program->phases.front().kind == QueuedPhaseKind::kBroadcast;
}

std::unique_ptr<LineEngine> make_rtl_line_engine(const Plan& plan) {
  if (!is_line_plan(plan)) throw std::invalid_argument("no plan of a line's stages");
  if (std::get<QueuedProgram>(plan.program).is_prefix_only()) {
    return std::make_unique<PrefixLine>(plan);
  }
  return std::make_unique<BroadcastLine>(plan);
}

std::unique_ptr<HardwareEngine> make_fast_reference(const Plan& plan) {
  return std::make_unique<FastReference>(plan);
}

}  // namespace gossamer::tb
