// SPDX-License-Identifier: Apache-2.0
/// The RTL parts of queued routers, wired to whole networks, in lock step with the SystemC routers.
#define CATCH_CONFIG_MAIN
#include <Vgsm_line_stage.h>
#include <Vgsm_prefix_unit.h>
#include <verilated.h>

#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "gossamer/partial/active_nodes.hpp"
#include "gossamer/partial/building_blocks.hpp"
#include "gossamer/partial/partial_exchange.hpp"
#include "gossamer/sim/queued_rules.hpp"
#include "gossamer/systemc/prefix_unit.hpp"
#include "gossamer/systemc/queued_engine.hpp"
#include "gossamer/util/random.hpp"
#include "queued.hpp"
#include "simulate.hpp"

namespace {

using namespace gossamer;
using gossamer::systemc::make_systemc_queued_engine;
using gossamer::systemc::PrefixMessage;
using gossamer::systemc::PrefixPlace;
using gossamer::systemc::PrefixUnit;
using gossamer::testing::equal_sided;

/// One context for all models, which brings threads of its own.
VerilatedContext* context() {
  static VerilatedContext shared;
  return &shared;
}

/// A Verilated module after reset.
template <class Model>
class Rtl {
 public:
  Rtl() : model_(context(), "unit") {
    model_.rst_ni = 0;
    model_.eval();
    model_.rst_ni = 1;
  }
  ~Rtl() { model_.final(); }
  Rtl(const Rtl&) = delete;
  Rtl& operator=(const Rtl&) = delete;
  void edge() {
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.eval();
  }
  Model* operator->() { return &model_; }

 private:
  Model model_;
};

/// A node's prefix of one class, in RTL and as the SystemC router's.
struct PrefixPair {
  Rtl<Vgsm_prefix_unit> rtl;
  PrefixUnit model;
  /// What the model has in its out registers, downward and upward.
  std::array<PrefixMessage, 2> out;
};

/// Does what the barriers do to one class of a network of PrefixPairs.
class PrefixNetwork {
 public:
  PrefixNetwork(const Plan& plan, int class_index)
      : topology_(plan.topology),
        program_(std::get<QueuedProgram>(plan.program)),
        class_(class_index),
        pairs_(topology_.nodes()) {
    own_.assign(topology_.nodes(), 0);
    for (const DemandSource& source : plan.demand.sources) own_[source.node] = source.pieces;
  }

  /// The edge that begins `step`; everything that leaves a register is compared.
  void edge(std::uint64_t step) {
    const QueuedPhase* begins = nullptr;
    for (const QueuedPhase& phase : program_.phases) {
      if (phase.is_prefix() && phase.class_index == class_ && phase.start == step) begins = &phase;
    }
    drive();
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      PrefixPair& pair = pairs_[node];
      pair.rtl->start_i = step == 1;
      pair.rtl->own_i = own_[node];
      if (step == 1) pair.model.start(own_[node]);
      pair.rtl->begin_i = begins != nullptr;
      if (begins != nullptr) begin(pair, node, *begins);
    }
    for (PrefixPair& pair : pairs_) {
      pair.rtl.edge();
      for (const bool positive : {false, true}) pair.out[positive] = pair.model.take(positive);
      REQUIRE(static_cast<bool>(pair.rtl->up_valid_o) == pair.out[1].valid);
      REQUIRE(static_cast<bool>(pair.rtl->down_valid_o) == pair.out[0].valid);
      if (pair.out[1].valid) REQUIRE(pair.rtl->up_count_o == pair.out[1].count);
      if (pair.out[0].valid) {
        REQUIRE(pair.rtl->down_count_o == pair.out[0].count);
        REQUIRE(pair.rtl->down_total_o == pair.out[0].total);
      }
      REQUIRE(pair.rtl->before_o == pair.model.before());
      REQUIRE(pair.rtl->total_o == pair.model.total());
    }
    if (begins != nullptr) dimension_ = begins->dimension;
  }

  /// The RTL sends towards `port` in this cycle.
  [[nodiscard]] bool sends(NodeId node, Port port) {
    if (dimension_of(port) != dimension_) return false;
    return is_positive(port) ? pairs_[node].rtl->up_valid_o : pairs_[node].rtl->down_valid_o;
  }
  [[nodiscard]] PrefixResult known(NodeId node) {
    return {pairs_[node].rtl->before_o, pairs_[node].rtl->total_o};
  }

 private:
  /// Puts what the neighbours' registers hold on the inputs, RTL's on RTL's.
  void drive() {
    for (PrefixPair& pair : pairs_) {
      pair.rtl->up_valid_i = 0;
      pair.rtl->down_valid_i = 0;
    }
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      PrefixPair& pair = pairs_[node];
      if (pair.rtl->up_valid_o != 0) {
        PrefixPair& to = pairs_[topology_.neighbor(node, make_port(dimension_, true))];
        to.rtl->up_valid_i = 1;
        to.rtl->up_count_i = pair.rtl->up_count_o;
        to.model.receive(true, pair.out[1]);
      }
      if (pair.rtl->down_valid_o != 0) {
        PrefixPair& to = pairs_[topology_.neighbor(node, make_port(dimension_, false))];
        to.rtl->down_valid_i = 1;
        to.rtl->down_count_i = pair.rtl->down_count_o;
        to.rtl->down_total_i = pair.rtl->down_total_o;
        to.model.receive(false, pair.out[0]);
      }
    }
  }

  void begin(PrefixPair& pair, NodeId node, const QueuedPhase& phase) {
    const Coordinates at = topology_.coordinates(node);
    const int d = topology_.dimensions();
    PrefixPlace place;
    place.kind = phase.kind;
    place.digit = at[phase.dimension];
    place.side = topology_.side(phase.dimension);
    place.level = static_cast<std::uint32_t>((phase.dimension - class_ + d) % d);
    place.root_level = place.level + 1 == static_cast<std::uint32_t>(d);
    place.on_tree = true;
    for (std::uint32_t j = 0; j < place.level; ++j) {
      const std::size_t dim = (j + static_cast<std::uint32_t>(class_)) % static_cast<unsigned>(d);
      if (at[dim] + 1 != topology_.side(static_cast<int>(dim))) place.on_tree = false;
    }
    pair.model.begin(place);
    pair.rtl->kind_i = static_cast<std::uint8_t>(phase.kind) & 3U;
    pair.rtl->first_i = place.digit == 0;
    pair.rtl->last_i = place.digit + 1 == place.side;
    pair.rtl->below_i = place.digit < place.side / 2;
    pair.rtl->above_i = place.digit > place.side / 2;
    pair.rtl->level_i = static_cast<std::uint8_t>(place.level) & 7U;
    pair.rtl->root_level_i = place.root_level;
    pair.rtl->on_tree_i = place.on_tree;
  }

  const Topology& topology_;
  const QueuedProgram& program_;
  int class_;
  int dimension_ = 0;
  std::vector<PrefixPair> pairs_;
  std::vector<std::uint32_t> own_;
};

/// Steps RTL networks beside the SystemC network and compares every link.
class PrefixLockStep final : public Observer {
 public:
  explicit PrefixLockStep(const Plan& plan)
      : plan_(plan), classes_(std::get<QueuedProgram>(plan.program).classes) {
    for (int c = 0; c < classes_; ++c) {
      networks_.push_back(std::make_unique<PrefixNetwork>(plan, c));
    }
  }
  bool on_links(const LinkView& view) override {
    for (const auto& network : networks_) network->edge(view.step);
    for (LinkId link = 0; link < view.packets.size(); ++link) {
      const NodeId from = plan_.topology.link_from(link);
      PacketId expected = kNoPacket;
      for (int c = 0; c < classes_; ++c) {
        if (networks_[static_cast<std::size_t>(c)]->sends(from, plan_.topology.link_port(link))) {
          expected = PacketId{from} * static_cast<PacketId>(classes_) + static_cast<PacketId>(c);
        }
      }
      if (expected != view.packets[link]) ++differences_;
      if (expected != kNoPacket) ++messages_;
    }
    last_ = view.step;
    return true;
  }
  /// After the run: the last messages arrive, and both know the same.
  void finish(const Engine& engine) {
    for (int c = 0; c < classes_; ++c) {
      PrefixNetwork& network = *networks_[static_cast<std::size_t>(c)];
      network.edge(last_ + 1);
      for (NodeId node = 0; node < plan_.topology.nodes(); ++node) {
        REQUIRE(network.known(node) == engine.prefix(c, node));
      }
    }
  }
  [[nodiscard]] std::uint64_t differences() const { return differences_; }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  const Plan& plan_;
  int classes_;
  std::vector<std::unique_ptr<PrefixNetwork>> networks_;
  std::uint64_t last_ = 0;
  std::uint64_t differences_ = 0;
  std::uint64_t messages_ = 0;
};

/// One direction of a line or ring of RTL stages, its queues filled with the nodes' own packets.
class LineOfStages {
 public:
  LineOfStages(const Plan& plan, bool positive)
      : topology_(plan.topology),
        program_(std::get<QueuedProgram>(plan.program)),
        phase_(program_.phases.front()),
        positive_(positive),
        stages_(topology_.nodes()) {
    for (const DemandSource& source : plan.demand.sources) {
      Rtl<Vgsm_line_stage>& stage = stages_[source.node];
      for (std::uint32_t i = 0; i < source.pieces; ++i) {
        const std::uint32_t hops = broadcast_hops(program_, phase_, i, i, positive);
        if (hops == 0) continue;
        stage->own_valid_i = 1;
        stage->own_data_i = PacketId{source.node} * plan.demand.pieces + i;
        stage->own_hops_i = static_cast<std::uint16_t>(hops);
        stage.edge();
        REQUIRE(stage->valid_o == 0);
        stage->own_valid_i = 0;
      }
    }
  }

  void edge(std::uint64_t step) {
    const Port port = make_port(0, positive_);
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      // A border's stage has no link: it stays idle.
      stages_[node]->active_i = topology_.neighbor(node, port) != kNoNode;
      stages_[node]->begin_i = step == 1;
      const LinkId in = topology_.link_into(node, opposite(port));
      const NodeId from = in == kNoLink ? kNoNode : topology_.link_from(in);
      stages_[node]->in_valid_i = from != kNoNode && stages_[from]->valid_o != 0;
      if (from == kNoNode) continue;
      stages_[node]->in_data_i = stages_[from]->data_o;
      stages_[node]->in_hops_i = stages_[from]->hops_o;
    }
    for (auto& stage : stages_) stage.edge();
  }
  [[nodiscard]] PacketId carried(NodeId node) {
    return stages_[node]->valid_o != 0 ? stages_[node]->data_o : kNoPacket;
  }

 private:
  const Topology& topology_;
  const QueuedProgram& program_;
  const QueuedPhase& phase_;
  bool positive_;
  std::deque<Rtl<Vgsm_line_stage>> stages_;
};

class LineLockStep final : public Observer {
 public:
  explicit LineLockStep(const Plan& plan)
      : topology_(plan.topology), down_(plan, false), up_(plan, true) {}
  bool on_links(const LinkView& view) override {
    down_.edge(view.step);
    up_.edge(view.step);
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (const bool positive : {false, true}) {
        const PacketId got = (positive ? up_ : down_).carried(node);
        if (got != view.packets[topology_.link(node, make_port(0, positive))]) ++differences_;
        if (got != kNoPacket) ++packets_;
      }
    }
    return true;
  }
  [[nodiscard]] std::uint64_t differences() const { return differences_; }
  [[nodiscard]] std::uint64_t packets() const { return packets_; }

 private:
  const Topology& topology_;
  LineOfStages down_;
  LineOfStages up_;
  std::uint64_t differences_ = 0;
  std::uint64_t packets_ = 0;
};

TEST_CASE("RTL prefix units send and learn, cycle by cycle, what SystemC routers do") {
  SplitMix64 random(1);
  std::uint64_t messages = 0;
  for (int i = 0; i < 60; ++i) {
    constexpr std::array<std::uint64_t, 3> kSides = {9, 5, 3};
    const std::size_t d = 1 + random.below(3);
    const Topology topology =
        equal_sided(random.below(2) != 0, static_cast<int>(d),
                    static_cast<std::uint32_t>(2 + random.below(kSides[d - 1])));
    PrefixOptions options;
    options.two_way = i % 2 != 0;
    options.active =
        random_nodes(topology.nodes(),
                     static_cast<std::uint32_t>(random.below(topology.nodes() + 1)), random.next());
    const Plan plan = plan_prefix(topology, options);
    CAPTURE(topology.dims_text(), options.two_way, options.active.size());
    PrefixLockStep lock_step(plan);
    const auto engine = make_systemc_queued_engine(plan);
    watch(*engine, kNoStepLimit, lock_step);
    REQUIRE(lock_step.differences() == 0);
    lock_step.finish(*engine);
    messages += lock_step.messages();
  }
  REQUIRE(messages > 1000);
}

TEST_CASE("RTL prefix units sum rows and columns as the routers of an exchange do") {
  SplitMix64 random(2);
  for (std::uint32_t p = 2; p <= 7; ++p) {
    const Topology topology = equal_sided(false, 2, p);
    for (const bool two_way : {false, true}) {
      PartialExchangeOptions options;
      options.two_way = two_way;
      options.active =
          random_nodes(p * p, 1 + static_cast<std::uint32_t>(random.below(p * p)), random.next());
      const Plan plan = plan_partial_exchange(topology, options);
      const auto engine = make_systemc_queued_engine(plan);
      testing::run_out(*engine, 0);
      const auto& program = std::get<QueuedProgram>(plan.program);
      CAPTURE(p, two_way);
      for (int c = 0; c < 2; ++c) {
        PrefixNetwork network(plan, c);
        for (std::uint64_t step = 1; step <= program.prefix_steps() + 1; ++step) {
          network.edge(step);
        }
        for (NodeId node = 0; node < topology.nodes(); ++node) {
          REQUIRE(network.known(node) == engine->prefix(c, node));
        }
      }
    }
  }
}

TEST_CASE("RTL line stages carry, cycle by cycle, what SystemC routers' links do") {
  SplitMix64 random(3);
  std::uint64_t packets = 0;
  for (int i = 0; i < 200; ++i) {
    const auto p = static_cast<std::uint32_t>(2 + random.below(9));
    LineBroadcastOptions options;
    for (std::uint32_t x = 0; x < p; ++x) {
      options.counts.push_back(random.below(3) == 0 ? 0
                                                    : static_cast<std::uint32_t>(random.below(6)));
    }
    const bool ring = random.below(3) != 0;
    if (ring) options.mode = static_cast<bounds::RingMode>(random.below(3));
    const Plan plan = plan_line_broadcast(equal_sided(ring, 1, p), options);
    CAPTURE(i, p, ring);
    LineLockStep lock_step(plan);
    const auto engine = make_systemc_queued_engine(plan);
    watch(*engine, kNoStepLimit, lock_step);
    REQUIRE(lock_step.differences() == 0);
    packets += lock_step.packets();
  }
  REQUIRE(packets > 5000);
}

TEST_CASE("a line stage drops at a barrier what would pass, and says when its queue is full") {
  Rtl<Vgsm_line_stage> stage;
  stage->active_i = 1;
  stage->in_valid_i = 1;
  stage->in_data_i = 5;
  stage->in_hops_i = 2;
  stage.edge();
  REQUIRE(stage->valid_o == 1);
  REQUIRE(stage->data_o == 5U);
  REQUIRE(stage->hops_o == 1);
  stage->begin_i = 1;
  stage.edge();
  REQUIRE(stage->valid_o == 0);
  // Eight entries: the ninth own packet that cannot leave is lost.
  stage->begin_i = 0;
  stage->active_i = 0;
  stage->own_valid_i = 1;
  stage->own_hops_i = 1;
  for (std::uint64_t packet = 0; packet < 8; ++packet) {
    stage->own_data_i = packet;
    stage->eval();
    REQUIRE(stage->overflow_o == 0);
    stage.edge();
  }
  stage->eval();
  REQUIRE(stage->overflow_o == 1);
  stage->own_valid_i = 0;
  stage->in_valid_i = 0;
  stage->active_i = 1;
  stage.edge();
  REQUIRE(stage->valid_o == 1);
  REQUIRE(stage->data_o == 0U);
}

}  // namespace
