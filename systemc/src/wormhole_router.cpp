// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/wormhole_router.hpp"

#include <algorithm>
#include <utility>

#include "fabric_bench.hpp"
#include "gossamer/systemc/fabric_impl.hpp"

namespace gossamer::systemc {

template class Fabric<WormholeWord>;

std::ostream& operator<<(std::ostream& out, const WormholeWord& word) {
  if (word.flit.valid) out << "flit of " << word.flit.tag << " in " << int{word.flit.channel};
  if (word.credit) out << " credit " << int{word.credit_channel};
  return out;
}

void sc_trace(sc_core::sc_trace_file* file, const WormholeWord& word, const std::string& name) {
  sc_core::sc_trace(file, word.flit.valid, name + ".valid");
  sc_core::sc_trace(file, word.flit.channel, name + ".vc");
}

RoundRobinMatching::RoundRobinMatching(std::size_t inputs, std::size_t outputs)
    : inputs_(inputs),
      outputs_(outputs),
      requests_(inputs * outputs),
      grant_(outputs),
      accept_(inputs),
      matched_(inputs, -1) {}

void RoundRobinMatching::clear() {
  std::fill(requests_.begin(), requests_.end(), 0);
  std::fill(grant_.begin(), grant_.end(), 0);
  std::fill(accept_.begin(), accept_.end(), 0);
}

void RoundRobinMatching::request(std::size_t input, std::size_t output) {
  requests_[input * outputs_ + output] = 1;
}

bool RoundRobinMatching::requested(std::size_t input, std::size_t output) const {
  return requests_[input * outputs_ + output] != 0;
}

const std::vector<int>& RoundRobinMatching::match() {
  std::fill(matched_.begin(), matched_.end(), -1);
  // What is granted stays marked, all other requests go.
  for (std::size_t output = 0; output < outputs_; ++output) {
    bool granted = false;
    for (std::size_t i = 0; i < inputs_; ++i) {
      const std::size_t input = (grant_[output] + i) % inputs_;
      char& request = requests_[input * outputs_ + output];
      if (granted) request = 0;
      granted = granted || request != 0;
    }
  }
  for (std::size_t input = 0; input < inputs_; ++input) {
    for (std::size_t i = 0; i < outputs_; ++i) {
      const std::size_t output = (accept_[input] + i) % outputs_;
      if (!requested(input, output)) continue;
      matched_[input] = static_cast<int>(output);
      grant_[output] = (input + 1) % inputs_;
      accept_[input] = (output + 1) % outputs_;
      break;
    }
  }
  std::fill(requests_.begin(), requests_.end(), 0);
  return matched_;
}

WormholeTile::WormholeTile(const sc_core::sc_module_name& name, const Topology& topology,
                           const wormhole::Router& router, NodeId node,
                           std::shared_ptr<WormholeNodes> nodes)
    : RouterModule(name),
      topology_(topology),
      pipeline_(router.pipeline),
      buffer_(router.buffer),
      ports_(static_cast<std::size_t>(topology.ports()) + 1),
      channels_(router.channels),
      node_(node),
      at_(topology.coordinates(node)),
      nodes_(std::move(nodes)),
      in_(ports_ * channels_),
      out_(ports_ * channels_),
      channel_matching_(in_.size(), out_.size()),
      switch_matching_(ports_, ports_),
      turn_(ports_),
      asking_(ports_ * ports_),
      freed_(ports_, -1),
      node_out_(channels_) {
  clear();
}

void WormholeTile::clear() {
  std::fill(in_.begin(), in_.end(), Channel{});
  std::fill(out_.begin(), out_.end(), OutChannel{buffer_, false});
  std::fill(node_out_.begin(), node_out_.end(), OutChannel{buffer_, false});
  channel_matching_.clear();
  switch_matching_.clear();
  std::fill(turn_.begin(), turn_.end(), 0);
  crossing_.clear();
  injected_.clear();
  ejected_.clear();
  credits_.clear();
  node_credits_.clear();
  busy_ = false;
  // Behind the last comes the first.
  channel_ = channels_ - 1;
}

std::uint64_t WormholeTile::clock(const Edge<WormholeWord>& edge) {
  if (edge.cycle() == 0) return 1;
  const std::uint64_t cycle = edge.cycle() - 1;
  const std::size_t own = ports_ - 1;
  for (std::size_t port = 0; port < own; ++port) {
    const WormholeWord& word = edge.in(port);
    if (word.flit.valid) accept(port, word.flit, cycle);
    if (word.credit) credits_.push_back({cycle + pipeline_.credit, port, word.credit_channel});
  }
  while (!injected_.empty() && injected_.front().cycle == cycle) {
    accept(own, injected_.front().flit, cycle);
    injected_.pop_front();
  }
  while (!ejected_.empty() && ejected_.front().cycle == cycle) {
    const WormholeFlit flit = ejected_.front().flit;
    ejected_.pop_front();
    // A cycle back over the link, a cycle to arrive.
    credits_.push_back({cycle + 2 + pipeline_.credit, own, flit.channel});
    --nodes_->inside;
    nodes_->source->arrived(node_, cycle, flit.tag, flit.tail);
  }
  const auto count = [cycle](std::vector<TimedCredit>& credits, auto add) {
    std::erase_if(credits, [&](const TimedCredit& credit) {
      if (credit.cycle != cycle) return false;
      add(credit);
      return true;
    });
  };
  count(credits_, [this](const TimedCredit& c) { ++out(c.port, c.channel).credits; });
  count(node_credits_, [this](const TimedCredit& c) { ++node_out_[c.channel].credits; });
  offer(cycle);
  std::fill(freed_.begin(), freed_.end(), -1);
  // Channels given back at this edge are given away at a later one.
  allocate_channels(cycle);
  allocate_switch(cycle);
  while (!crossing_.empty() && crossing_.front().cycle == cycle) {
    const Timed& timed = crossing_.front();
    edge.drive(timed.port, {timed.flit, false, 0});
    crossing_.pop_front();
  }
  for (std::size_t port = 0; port < own; ++port) {
    if (freed_[port] < 0) continue;
    WormholeWord word = edge.out(port);
    word.credit = true;
    word.credit_channel = static_cast<std::uint8_t>(freed_[port]);
    edge.drive(port, word);
  }
  if (freed_[own] >= 0) {
    node_credits_.push_back({cycle + 2, own, static_cast<std::size_t>(freed_[own])});
  }
  return edge.cycle() + 1;
}

void WormholeTile::accept(std::size_t port, const WormholeFlit& flit, std::uint64_t cycle) {
  Channel& channel = in(port, flit.channel);
  channel.flits.push_back(flit);
  if (channel.flits.size() > buffer_) throw std::logic_error("a flit came without a credit");
  if (channel.flits.size() == 1) to_front(port, flit.channel, cycle);
}

/// The first flit of a buffer is at the front from `cycle` on.
void WormholeTile::to_front(std::size_t port, std::size_t index, std::uint64_t cycle) {
  Channel& channel = in(port, index);
  if (!channel.flits.front().head) {
    channel.ready = cycle + pipeline_.switch_allocation - 1;
    return;
  }
  channel.allocated = false;
  route(port, channel, index);
  channel.ready = cycle + pipeline_.route - 1 + pipeline_.channel_allocation;
}

void WormholeTile::route(std::size_t port, Channel& channel, std::size_t index) const {
  const WormholeFlit& head = channel.flits.front();
  const Coordinates to = topology_.coordinates(head.destination);
  channel.first = 0;
  channel.last = channels_ - 1;
  channel.out_port = ports_ - 1;
  for (int d = 0; d < topology_.dimensions(); ++d) {
    const auto dim = static_cast<std::size_t>(d);
    if (to[dim] == at_[dim]) continue;
    const bool came_along = port < ports_ - 1 && port / 2 == dim;
    const auto side = static_cast<int>(topology_.side(d));
    const int up = static_cast<int>(to[dim]) - static_cast<int>(at_[dim]);
    if (!topology_.wraps(d)) {
      channel.out_port = 2 * dim + (up > 0 ? 1 : 0);
      return;
    }
    const int forward = (up + side) % side;
    const int backward = side - forward;
    bool positive = forward < backward;
    if (forward == backward) positive = ((head.coins >> dim) & 1U) != 0;
    if (came_along) positive = port % 2 == 0;
    channel.out_port = 2 * dim + (positive ? 1 : 0);
    if (channels_ == 1) return;
    const std::size_t upper = channels_ - channels_ / 2;
    const bool crosses = came_along ? index >= upper : (up > 0) != positive;
    if (crosses) {
      channel.first = upper;
    } else {
      channel.last = upper - 1;
    }
    return;
  }
}

void WormholeTile::offer(std::uint64_t cycle) {
  if (!busy_) {
    if (!nodes_->source->next(node_, cycle, packet_)) return;
    busy_ = true;
    started_ = false;
    left_ = packet_.flits;
  }
  if (!started_) {
    std::size_t tries = 0;
    std::size_t channel = channel_;
    do {
      if (tries++ == channels_) return;
      channel = (channel + 1) % channels_;
    } while (node_out_[channel].held || node_out_[channel].credits == 0);
    channel_ = channel;
  }
  OutChannel& channel = node_out_[channel_];
  if (channel.credits == 0) return;
  --channel.credits;
  WormholeFlit flit;
  flit.valid = true;
  flit.head = !started_;
  flit.tail = --left_ == 0;
  flit.channel = static_cast<std::uint8_t>(channel_);
  flit.destination = packet_.destination;
  flit.coins = packet_.coins;
  flit.tag = packet_.tag;
  started_ = true;
  channel.held = !flit.tail;
  busy_ = !flit.tail;
  ++nodes_->inside;
  injected_.push_back({cycle + 2, ports_ - 1, flit});
}

void WormholeTile::allocate_channels(std::uint64_t cycle) {
  bool any = false;
  for (std::size_t i = 0; i < in_.size(); ++i) {
    const Channel& channel = in_[i];
    if (channel.flits.empty() || channel.allocated || channel.ready > cycle) continue;
    for (std::size_t o = channel.first; o <= channel.last; ++o) {
      if (out(channel.out_port, o).held) continue;
      channel_matching_.request(i, channel.out_port * channels_ + o);
      any = true;
    }
  }
  if (!any) return;
  const std::vector<int>& matched = channel_matching_.match();
  for (std::size_t i = 0; i < in_.size(); ++i) {
    if (matched[i] < 0) continue;
    const auto output = static_cast<std::size_t>(matched[i]);
    in_[i].allocated = true;
    in_[i].out_channel = output % channels_;
    in_[i].ready = cycle + pipeline_.switch_allocation;
    out_[output].held = true;
  }
}

void WormholeTile::allocate_switch(std::uint64_t cycle) {
  bool any = false;
  for (std::size_t port = 0; port < ports_; ++port) {
    for (std::size_t i = 0; i < channels_; ++i) {
      const std::size_t index = (turn_[port] + i) % channels_;
      const Channel& channel = in(port, index);
      if (channel.flits.empty() || !channel.allocated || channel.ready > cycle) continue;
      if (out(channel.out_port, channel.out_channel).credits == 0) continue;
      if (switch_matching_.requested(port, channel.out_port)) continue;
      switch_matching_.request(port, channel.out_port);
      asking_[port * ports_ + channel.out_port] = index;
      any = true;
    }
  }
  if (!any) return;
  const std::vector<int>& matched = switch_matching_.match();
  for (std::size_t port = 0; port < ports_; ++port) {
    if (matched[port] < 0) continue;
    const std::size_t index = asking_[port * ports_ + static_cast<std::size_t>(matched[port])];
    turn_[port] = (index + 1) % channels_;
    pass(port, index, cycle);
  }
}

/// The front flit goes through the switch.
void WormholeTile::pass(std::size_t port, std::size_t index, std::uint64_t cycle) {
  Channel& channel = in(port, index);
  WormholeFlit flit = channel.flits.front();
  channel.flits.pop_front();
  OutChannel& taken = out(channel.out_port, channel.out_channel);
  --taken.credits;
  if (flit.tail) taken.held = false;
  flit.channel = static_cast<std::uint8_t>(channel.out_channel);
  if (channel.out_port == ports_ - 1) {
    ejected_.push_back({cycle + pipeline_.switch_traversal + 2, channel.out_port, flit});
  } else {
    crossing_.push_back({cycle + pipeline_.switch_traversal, channel.out_port, flit});
  }
  freed_[port] = static_cast<int>(index);
  if (!channel.flits.empty()) to_front(port, index, cycle + 1);
}

namespace {

class WormholeFabricNetwork final : public wormhole::Network {
 public:
  WormholeFabricNetwork(const Topology& topology, const wormhole::Router& router)
      : nodes_(std::make_shared<WormholeNodes>()),
        bench_(topology,
               [&](const char* name, NodeId node) {
                 return std::make_unique<WormholeTile>(name, topology, router, node, nodes_);
               },
               // A cycle through the register behind the switch, then the link.
               "", {.latency = wormhole::link_latency(router, topology) + 1}) {
    bench_.fabric().check();
  }

  void clock(wormhole::PacketSource& source) override {
    nodes_->source = &source;
    bench_.clock(1);
    bench_.fabric().check();
    ++cycle_;
  }
  [[nodiscard]] std::uint64_t cycle() const override { return cycle_; }
  [[nodiscard]] std::uint64_t flits_inside() const override { return nodes_->inside; }

 private:
  std::shared_ptr<WormholeNodes> nodes_;
  FabricBench<WormholeWord> bench_;
  std::uint64_t cycle_ = 0;
};

}  // namespace

std::unique_ptr<wormhole::Network> make_wormhole_network(const Topology& topology,
                                                         const wormhole::Router& router) {
  wormhole::require_possible(router, topology);
  return std::make_unique<WormholeFabricNetwork>(topology, router);
}

}  // namespace gossamer::systemc
