// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/queued_network.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gossamer/sim/queued_rules.hpp"
#include "gossamer/systemc/fabric.hpp"

namespace gossamer::systemc {

QueuedNetwork::QueuedNetwork(const sc_core::sc_module_name& name, const Plan& plan)
    : sc_core::sc_module(name),
      plan_(&plan),
      program_(&std::get<QueuedProgram>(plan.program)),
      ports_(static_cast<std::size_t>(plan.topology.ports())),
      arena_(plan.topology.link_slots()),
      headers_(plan.topology.link_slots()),
      links_(plan.topology.link_slots()),
      is_touched_(plan.topology.nodes(), 0),
      outputs_(ports_),
      prefix_steps_(program_->prefix_steps()),
      last_step_(program_->last_step(plan.demand)) {
  const Topology& topology = plan.topology;
  const auto border = static_cast<LinkId>(arena_.slots());
  for (LinkId link = 0; link < topology.link_slots(); ++link) {
    if (topology.neighbor(topology.link_from(link), topology.link_port(link)) == kNoNode) continue;
    links_[link] = std::make_unique<ArenaLink>(fmt::format("link_{}", link).c_str(), arena_, link);
  }
  for (std::size_t port = 0; port < ports_; ++port) {
    border_.push_back(
        std::make_unique<ArenaLink>(fmt::format("border_{}", port).c_str(), arena_, border));
  }
  std::vector<std::vector<QueuedMove>> moves(topology.nodes());
  for (const QueuedMove& move : program_->moves) moves[move.from].push_back(move);
  routers_.reserve(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    routers_.push_back(std::make_unique<QueuedRouter>(fmt::format("router_{}", node).c_str(), plan,
                                                      node, std::move(moves[node])));
    for (std::size_t p = 0; p < ports_; ++p) {
      const auto port = static_cast<Port>(p);
      const auto& leaving = links_[topology.link(node, port)];
      routers_[node]->out.bind(leaving != nullptr ? *leaving : *border_[p]);
      const LinkId entering = topology.link_into(node, port);
      routers_[node]->in.bind(entering != kNoLink ? *links_[entering] : *border_[p]);
    }
  }
  is_exchange_ = std::any_of(
      program_->phases.begin(), program_->phases.end(),
      [](const QueuedPhase& phase) { return phase.kind == QueuedPhaseKind::kExchange; });
  find_fixed_ranks();

  SC_HAS_PROCESS(QueuedNetwork);
  SC_METHOD(clock);
  dont_initialize();
  sensitive << clk_i.pos() << rst_ni.neg();
}

QueuedNetwork::~QueuedNetwork() = default;

void QueuedNetwork::end_of_elaboration() {
  receiver_.assign(arena_.slots(), kNoNode);
  for (std::size_t node = 0; node < routers_.size(); ++node) {
    for (std::size_t port = 0; port < ports_; ++port) {
      out_slot_.push_back(routers_[node]->out[static_cast<int>(port)]->slot());
      in_slot_.push_back(routers_[node]->in[static_cast<int>(port)]->slot());
      if (in_slot_.back() != arena_.slots()) receiver_[in_slot_.back()] = static_cast<NodeId>(node);
    }
  }
}

void QueuedNetwork::find_fixed_ranks() {
  // Without a prefix everybody is active, and so everybody knows the ranks.
  const bool split = program_->class_rule == QueuedClassRule::kSplit;
  ranks_.assign(program_->classes, std::vector<std::uint32_t>(plan_->topology.nodes(), 0));
  for (int c = 0; c < program_->classes; ++c) {
    const bool told = std::any_of(
        program_->phases.begin(), program_->phases.end(), [c](const QueuedPhase& phase) {
          return phase.is_prefix() && !phase.class_round && phase.class_index == c;
        });
    if (told) continue;
    std::vector<DemandSource> members;
    for (const DemandSource& source : plan_->demand.sources_in(plan_->topology)) {
      if (split || class_of_source(plan_->topology, *program_, source.node, 0) == c) {
        members.push_back(source);
      }
    }
    std::sort(members.begin(), members.end(), [&](const auto& a, const auto& b) {
      return rotated_id(plan_->topology, a.node, c) < rotated_id(plan_->topology, b.node, c);
    });
    std::uint32_t rank = 0;
    for (const DemandSource& member : members) {
      ranks_[static_cast<std::size_t>(c)][member.node] = rank;
      rank += program_->packets_of(member.pieces, plan_->demand);
    }
  }
}

void QueuedNetwork::empty() {
  for (const LinkId link : busy_links_) arena_.now()[link] = kNoPacket;
  busy_links_.clear();
  busy_routers_.clear();
  for (const auto& router : routers_) router->clear();
  outputs_ = QueuedOutputs(ports_);
  next_move_ = 0;
  started_ = false;
  observed_ = false;
  finished_ = false;
  step_ = 0;
  cycle_of_step_ = 0;
  cycles_ = 0;
  max_queue_ = 0;
}

void QueuedNetwork::touch(NodeId node) {
  if (is_touched_[node] != 0) return;
  is_touched_[node] = 1;
  touched_.push_back(node);
}

void QueuedNetwork::clock() {
  ++activations_;
  if (!rst_ni.read() || clear_i.read()) {
    empty();
    asleep_ = false;
    return;
  }
  if (asleep_ && !start_i.read()) return;
  // Woken by start_i itself: the edge is still to come.
  if (asleep_) {
    asleep_ = false;
    return;
  }
  if (start_i.read()) {
    begin();
  } else if (started_) {
    ++cycles_;
    if (++cycle_of_step_ == step_cycles_) end_step();
  }
  if (!wave_.empty()) update_wave();
  if (!start_i.read() && (!started_ || finished_)) {
    asleep_ = true;
    next_trigger(start_i.posedge_event() | rst_ni.negedge_event() | clear_i.posedge_event());
  }
}

void QueuedNetwork::begin() {
  empty();
  started_ = true;
  observed_ = plan_->demand.is_counts();
  step_cycles_ = program_->clock.prefix_flits;
  if (prefix_steps_ == 0 && !observed_) load();
  step_ = 1;
  send_all();
}

void QueuedNetwork::end_step() {
  cycle_of_step_ = 0;
  receive_all();
  if (!observed_ && step_ == prefix_steps_) {
    load();
    step_ = 0;
  }
  ++step_;
  send_all();
}

void QueuedNetwork::receive_all() {
  for (const LinkId link : busy_links_) touch(receiver_[link]);
  const PacketId* now = arena_.now();
  for (const NodeId node : touched_) {
    for (std::size_t port = 0; port < ports_; ++port) {
      const LinkId slot = in_slot_[node * ports_ + port];
      if (now[slot] == kNoPacket) continue;
      routers_[node]->receive(static_cast<Port>(port), {now[slot], headers_[slot]});
    }
  }
  for (const LinkId link : busy_links_) arena_.now()[link] = kNoPacket;
  busy_links_.clear();
}

void QueuedNetwork::load() {
  observed_ = true;
  step_cycles_ = program_->substep_flits();
  max_queue_ = 0;
  std::vector<std::uint32_t> ranks(program_->classes);
  std::vector<bool> x_first;
  for (NodeId node = 0; node < routers_.size(); ++node) {
    x_first.clear();
    if (is_exchange_) {
      const bool gather = plan_->demand.to == Destination::kEachSource;
      for (const NodeId destination :
           exchange_order(plan_->topology, plan_->demand, *program_, node)) {
        // A gatherer's request says what its sums were.
        const QueuedRouter& active = *routers_[gather ? destination : node];
        x_first.push_back(begins_along_x(plan_->topology, plan_->demand, *program_,
                                         active.prefix(0).total, active.prefix(1).total,
                                         gather ? node : destination));
      }
    }
    for (std::size_t c = 0; c < ranks.size(); ++c) ranks[c] = ranks_[c][node];
    routers_[node]->load(ranks, x_first);
    if (routers_[node]->busy()) touch(node);
  }
}

void QueuedNetwork::send_all() {
  finished_ = !is_exchange_ && observed_ && step_ > last_step_;
  active_.clear();
  bool moves = false;
  for (std::size_t i = 0; i < program_->phases.size(); ++i) {
    const QueuedPhase& phase = program_->phases[i];
    const bool endless = phase.kind == QueuedPhaseKind::kExchange;
    const bool on_this_clock = phase.is_prefix() == (!observed_ || plan_->demand.is_counts());
    if (!on_this_clock || step_ < phase.start || (!endless && step_ > phase.last())) continue;
    active_.push_back(i);
    moves = moves || phase.kind == QueuedPhaseKind::kMoves;
    if (step_ != phase.start) continue;
    for (NodeId node = 0; node < routers_.size(); ++node) {
      routers_[node]->begin(i);
      if (routers_[node]->busy()) touch(node);
      max_queue_ = std::max(max_queue_, routers_[node]->max_queue());
    }
  }
  if (moves) {
    for (; next_move_ < program_->moves.size() && program_->moves[next_move_].step == step_;
         ++next_move_) {
      touch(program_->moves[next_move_].from);
    }
  }
  for (const NodeId node : busy_routers_) touch(node);
  busy_routers_.clear();
  for (const NodeId node : touched_) {
    is_touched_[node] = 0;
    ++router_edges_;
    QueuedRouter& router = *routers_[node];
    router.send(step_, active_, outputs_);
    outputs_.take([&](Port port, const QueuedFlit& flit) {
      const LinkId link = out_slot_[node * ports_ + port];
      // A border's register leads nowhere.
      if (link == arena_.slots()) return;
      arena_.now()[link] = flit.packet;
      headers_[link] = flit.header;
      busy_links_.push_back(link);
    });
    max_queue_ = std::max(max_queue_, router.max_queue());
    if (router.busy()) busy_routers_.push_back(node);
  }
  touched_.clear();
  if (is_exchange_ && observed_) finished_ = busy_links_.empty();
}

void QueuedNetwork::trace(sc_core::sc_trace_file* file) {
  for (LinkId link = 0; link < links_.size(); ++link) {
    if (links_[link] != nullptr) wave_.push_back({link});
  }
  for (const WaveLink& wave : wave_) {
    const std::string name = link_wave_name(plan_->topology, wave.slot);
    sc_core::sc_trace(file, wave.valid, name + ".valid");
    sc_core::sc_trace(file, wave.packet, name + ".packet");
  }
  sc_core::sc_trace(file, step_, "step");
}

void QueuedNetwork::update_wave() {
  for (WaveLink& wave : wave_) {
    const PacketId packet = arena_.now()[wave.slot];
    wave.valid = packet != kNoPacket;
    if (wave.valid) wave.packet = packet;
  }
}

}  // namespace gossamer::systemc
