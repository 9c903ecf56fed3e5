// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/relay_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "gossamer/systemc/fabric.hpp"

namespace gossamer::systemc {

namespace {

/// Flit `index` of the message: anything that a lost or exchanged bit would show in. The top bits
/// stay free for the stream router's marks.
RelayData message_flit(std::uint32_t index, int words) {
  RelayData data{};
  for (int word = 0; word < words; ++word) {
    std::uint64_t mixed = (std::uint64_t{index} * 4 + static_cast<unsigned>(word) + 1);
    mixed *= 0x9e3779b97f4a7c15U;
    mixed ^= mixed >> 29U;
    data[static_cast<std::size_t>(word)] = mixed >> 2U;
  }
  return data;
}

}  // namespace

RelayNetwork::RelayNetwork(const sc_core::sc_module_name& name, const Plan& plan,
                           const RelayRouterFactory& make_router)
    : sc_core::sc_module(name),
      plan_(&plan),
      program_(&std::get<RelayProgram>(plan.program)),
      configs_(plan),
      format_(RelayFormat::of(configs_.kind(), plan.topology.ports())),
      ports_(static_cast<std::size_t>(plan.topology.ports())),
      all_flits_(plan.topology.link_slots() + 1),
      flits_(std::span<const RelayFlit>(all_flits_).first(plan.topology.link_slots())),
      travels_(plan.topology.link_slots()),
      wires_(program_->clock.hop_cycles),
      links_(plan.topology.link_slots()),
      by_steps_(configs_.kind() == RelayRouterKind::kTable &&
                program_->clock.timing == RelayTiming::kStep) {
  const Topology& topology = plan.topology;
  const auto border = static_cast<LinkId>(topology.link_slots());
  for (LinkId link = 0; link < topology.link_slots(); ++link) {
    if (topology.neighbor(topology.link_from(link), topology.link_port(link)) == kNoNode) continue;
    links_[link] =
        std::make_unique<RelayLink>(fmt::format("link_{}", link).c_str(), all_flits_.data(), link);
  }
  for (std::size_t port = 0; port < ports_; ++port) {
    border_.push_back(std::make_unique<RelayLink>(fmt::format("border_{}", port).c_str(),
                                                  all_flits_.data(), border));
  }
  routers_.reserve(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const std::string router_name = fmt::format("router_{}", node);
    const RelayRouterConfig config = configs_.config(node);
    if (make_router) {
      routers_.push_back(make_router(router_name.c_str(), config));
    } else if (config.kind == RelayRouterKind::kFanOut) {
      routers_.push_back(std::make_unique<FanOutRouter>(router_name.c_str(), config));
    } else {
      routers_.push_back(std::make_unique<RelayRouter>(router_name.c_str(), config));
    }
    for (std::size_t p = 0; p < ports_; ++p) {
      const auto port = static_cast<Port>(p);
      const auto& leaving = links_[topology.link(node, port)];
      routers_[node]->out.bind(leaving != nullptr ? *leaving : *border_[p]);
      const LinkId entering = topology.link_into(node, port);
      routers_[node]->in.bind(entering != kNoLink ? *links_[entering] : *border_[p]);
    }
  }
  memory_.resize(topology.nodes());
  received_.assign(topology.nodes(), 0);
  receiving_step_.assign(topology.nodes(), 0);
  is_touched_.assign(topology.nodes(), 0);

  SC_HAS_PROCESS(RelayNetwork);
  SC_METHOD(clock);
  dont_initialize();
  sensitive << clk_i.pos() << rst_ni.neg();
}

RelayNetwork::~RelayNetwork() = default;

void RelayNetwork::end_of_elaboration() {
  receiver_.assign(flits_.size(), kNoNode);
  in_port_.assign(flits_.size(), 0);
  out_slot_.reserve(flits_.size());
  for (std::size_t node = 0; node < routers_.size(); ++node) {
    for (std::size_t port = 0; port < ports_; ++port) {
      out_slot_.push_back(routers_[node]->out[static_cast<int>(port)]->slot());
      const LinkId entering = routers_[node]->in[static_cast<int>(port)]->slot();
      if (entering == flits_.size()) continue;
      receiver_[entering] = static_cast<NodeId>(node);
      in_port_[entering] = static_cast<Port>(port);
    }
  }
}

void RelayNetwork::empty() {
  for (const LinkId link : busy_links_) all_flits_[link] = {};
  busy_links_.clear();
  for (auto& wire : wires_) wire.clear();
  on_wires_ = 0;
  for (const auto& router : routers_) {
    router->pins().clear_i = true;
    router->clock();
    router->pins().clear_i = false;
  }
  for (auto& memory : memory_) memory.clear();
  std::fill(received_.begin(), received_.end(), 0);
  informed_.clear();
  deliveries_.clear();
  busy_routers_.clear();
  edges_ = 0;
  started_ = false;
  next_step_ = 0;
  next_step_edge_ = 0;
  failure_.clear();
}

bool RelayNetwork::finished() const {
  if (!failure_.empty()) return true;
  const bool steps_left = by_steps_ && next_step_ < configs_.step_lengths().size();
  return started_ && busy_links_.empty() && on_wires_ == 0 && busy_routers_.empty() && !steps_left;
}

void RelayNetwork::touch(NodeId node) {
  if (is_touched_[node] != 0) return;
  is_touched_[node] = 1;
  touched_.push_back(node);
}

void RelayNetwork::clock() {
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
  if (failure_.empty() && (started_ || start_i.read())) {
    try {
      edge();
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
    if (!wave_.empty()) update_wave();
  }
  if (!start_i.read() && (!started_ || finished())) {
    asleep_ = true;
    next_trigger(start_i.posedge_event() | rst_ni.negedge_event());
  }
}

void RelayNetwork::start_steps() {
  step_starts_ = false;
  const std::vector<std::uint64_t>& lengths = configs_.step_lengths();
  while (next_step_ < lengths.size() && lengths[next_step_] == 0) ++next_step_;
  if (!by_steps_ || next_step_ == lengths.size() || edges_ != next_step_edge_) return;
  step_starts_ = true;
  starting_step_ = static_cast<std::uint32_t>(next_step_);
  next_step_edge_ += lengths[next_step_++];
  for (const NodeId node : informed_) touch(node);
}

void RelayNetwork::edge() {
  if (start_i.read() && started_) empty();
  deliveries_.clear();
  for (const NodeId node : busy_routers_) touch(node);
  busy_routers_.clear();
  const bool starts = start_i.read();
  if (starts) {
    const NodeId source = program_->source();
    started_ = true;
    memory_[source].reserve(program_->clock.flits);
    for (std::uint32_t i = 0; i < program_->clock.flits; ++i) {
      memory_[source].push_back(message_flit(i, format_.words));
    }
    informed_.push_back(source);
    routers_[source]->pins().start_i = true;
    touch(source);
  }
  start_steps();

  // Along the wires.
  const std::size_t r = wires_.size();
  auto& leaving = wires_[(edges_ + r - 1) % r];
  for (const LinkId link : busy_links_) {
    if (!all_flits_[link].valid) continue;  // dropped by a fault
    leaving.push_back({link, all_flits_[link], travels_[link]});
    ++on_wires_;
    all_flits_[link] = {};
  }
  busy_links_.clear();
  auto& arriving = wires_[edges_ % r];
  arrivals_.clear();
  for (const OnWire& flit : arriving) {
    const NodeId node = receiver_[flit.link];
    arrivals_.push_back({node, in_port_[flit.link], flit.flit, flit.travel});
    touch(node);
  }
  on_wires_ -= arriving.size();
  arriving.clear();

  // Every touched router with its own arrivals.
  std::sort(arrivals_.begin(), arrivals_.end(), [](const Arrival& a, const Arrival& b) {
    return a.node != b.node ? a.node < b.node : a.port < b.port;
  });
  std::sort(touched_.begin(), touched_.end());
  std::size_t at = 0;
  for (const NodeId node : touched_) {
    const std::size_t first = at;
    while (at < arrivals_.size() && arrivals_[at].node == node) ++at;
    step_router(node, std::span<const Arrival>(arrivals_).subspan(first, at - first));
    is_touched_[node] = 0;
  }
  touched_.clear();
  busy_links_.swap(next_busy_links_);
  next_busy_links_.clear();
  std::sort(busy_links_.begin(), busy_links_.end());
  if (starts) routers_[program_->source()]->pins().start_i = false;
  ++edges_;
}

void RelayNetwork::step_router(NodeId node, std::span<const Arrival> arrivals) {
  ++router_edges_;
  RelayRouterModule& router = *routers_[node];
  RelayRouterPins& pins = router.pins();
  for (const Arrival& arrival : arrivals) pins.in_i[arrival.port] = arrival.flit;
  pins.step_start_i = step_starts_;
  pins.step_i = starting_step_;
  if (pins.flit_o < memory_[node].size()) pins.own_data_i = memory_[node][pins.flit_o];
  if (configs_.kind() == RelayRouterKind::kTable) {
    pins.entry_i = configs_.entry(node, pins.entry_o);
  }
  router.clock();
  for (const Arrival& arrival : arrivals) pins.in_i[arrival.port] = {};
  if (pins.busy_o) busy_routers_.push_back(node);
  if (pins.deliver_o.valid) deliver(node, arrivals);
  for (std::size_t p = 0; p < ports_; ++p) {
    const RelayFlit& flit = pins.out_o[p];
    if (!flit.valid) continue;
    const auto port = static_cast<Port>(p);
    const LinkId link = out_slot_[node * ports_ + p];
    if (link == flits_.size()) {
      throw RelayAssertion(
          fmt::format("node {} sends out of the mesh by {}", node, port_name(port)));
    }
    if (flit.head) travels_[link] = travel_of(flit, port, arrivals);
    all_flits_[link] = flit;
    next_busy_links_.push_back(link);
  }
}

RelayNetwork::Travel RelayNetwork::travel_of(const RelayFlit& head, Port out_port,
                                             std::span<const Arrival> arrivals) const {
  const bool fan_out = configs_.kind() == RelayRouterKind::kFanOut;
  for (const Arrival& arrival : arrivals) {
    if (!arrival.flit.head) continue;
    if (fan_out) return {arrival.travel.step + 1, 0};
    if (format_.next_port(arrival.flit.data, arrival.port) == out_port) {
      return {format_.step(head.data) + 1, arrival.travel.hop + 1};
    }
  }
  return {fan_out ? 1 : format_.step(head.data) + 1, 0};
}

void RelayNetwork::deliver(NodeId node, std::span<const Arrival> arrivals) {
  const RelayFlit& flit = routers_[node]->pins().deliver_o;
  const bool fan_out = configs_.kind() == RelayRouterKind::kFanOut;
  if (flit.head) {
    received_[node] = 0;
    receiving_step_[node] = fan_out ? arrivals.front().travel.step : format_.step(flit.data) + 1;
  }
  // A node that has the message keeps what it has.
  if (memory_[node].size() == received_[node]) memory_[node].push_back(flit.data);
  if (++received_[node] != program_->clock.flits) return;
  deliveries_.push_back({node, receiving_step_[node], 0});
  informed_.push_back(node);
}

std::vector<Head> RelayNetwork::heads() const {
  std::vector<Head> heads;
  for (const LinkId link : busy_links_) {
    const RelayFlit& flit = all_flits_[link];
    if (!flit.valid || !flit.head) continue;
    heads.push_back({link, travels_[link].step, travels_[link].hop, 0});
  }
  return heads;
}

bool RelayNetwork::upset(LinkId link, const Upset& upset) {
  RelayFlit& flit = all_flits_[link];
  if (!flit.valid) return false;
  if (upset.drop) {
    flit = {};
  } else {
    flit.data[0] ^= upset.flip;
  }
  if (!wave_.empty()) update_wave();
  return true;
}

void RelayNetwork::trace(sc_core::sc_trace_file* file) {
  for (LinkId link = 0; link < links_.size(); ++link) {
    if (links_[link] != nullptr) wave_.push_back({link});
  }
  for (WaveLink& wave : wave_) {
    const std::string name = link_wave_name(plan_->topology, wave.slot);
    sc_core::sc_trace(file, wave.valid, name + ".valid");
    sc_core::sc_trace(file, wave.head, name + ".head");
    sc_core::sc_trace(file, wave.data, name + ".data");
  }
}

void RelayNetwork::update_wave() {
  for (WaveLink& wave : wave_) {
    const RelayFlit& flit = all_flits_[wave.slot];
    wave.valid = flit.valid;
    wave.head = flit.head;
    if (flit.valid) wave.data = flit.data[0];
  }
}

}  // namespace gossamer::systemc
