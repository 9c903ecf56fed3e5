// SPDX-License-Identifier: Apache-2.0
#include "gossamer/wormhole/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "gossamer/util/error.hpp"
#include "gossamer/util/words.hpp"

namespace gossamer::wormhole {

namespace {

bool any_wrap(const Topology& topology) {
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    if (topology.wraps(dim)) return true;
  }
  return false;
}

void require_in_range(std::string_view name, std::uint32_t value, std::uint32_t largest) {
  if (value >= 1 && value <= largest) return;
  throw InputError(fmt::format("{}: {} is outside 1..{}", name, value, largest));
}

/// Things that happen in a later cycle, at most `longest` from now.
template <typename Event>
class Calendar {
 public:
  explicit Calendar(std::uint32_t longest) : days_(std::bit_ceil(longest + 1)) {}
  void at(std::uint64_t cycle, const Event& event) { day(cycle).push_back(event); }
  /// Gives the events of `cycle` to `happen` and forgets them.
  template <typename Happen>
  void pass(std::uint64_t cycle, Happen happen) {
    auto& events = day(cycle);
    for (const Event& event : events) happen(event);
    events.clear();
  }

 private:
  std::vector<Event>& day(std::uint64_t cycle) { return days_[cycle & (days_.size() - 1)]; }
  std::vector<std::vector<Event>> days_;
};

/// The first set bit of `mask` at or after `from`, with wraparound; mask is not 0.
std::uint32_t first_from(std::uint32_t mask, std::uint32_t from) {
  const std::uint32_t later = from < 32 ? mask & (~std::uint32_t{0} << from) : 0;
  return static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : mask));
}

/// Ports of a router are those of the topology and one more, the node's own.
class FastNetwork final : public Network {
 public:
  FastNetwork(const Topology& topology, const Router& router)
      : topology_(topology),
        pipeline_(router.pipeline),
        buffer_(router.buffer),
        ports_(static_cast<std::uint32_t>(topology.ports()) + 1),
        channels_(router.channels),
        latency_(wormhole::link_latency(router, topology)),
        // A flit is on its way for the traversal, the link and the cycle of its arrival.
        arrivals_(pipeline_.switch_traversal + latency_ + topology.slowest_period() + 1),
        departures_(pipeline_.switch_traversal + 2),
        credits_(pipeline_.switch_traversal + latency_ + pipeline_.credit + 8),
        node_credits_(4),
        routers_(topology.nodes()),
        inputs_(std::size_t{topology.nodes()} * ports_ * channels_),
        outputs_(inputs_.size()),
        input_ports_(std::size_t{topology.nodes()} * ports_),
        output_ports_(input_ports_.size()),
        flits_(inputs_.size() * buffer_),
        nodes_(topology.nodes()) {
    for (Output& output : outputs_) output.credits = buffer_;
    const std::uint32_t all = channels_ == 32 ? ~0U : (1U << channels_) - 1;
    for (OutputPort& port : output_ports_) port.free = all;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const Coordinates at = topology.coordinates(node);
      for (int dim = 0; dim < topology.dimensions(); ++dim) {
        coordinates_.push_back(at[static_cast<std::size_t>(dim)]);
      }
      for (const Port port : all_ports(topology.ports())) {
        neighbors_.push_back(topology.neighbor(node, port));
      }
      nodes_[node].free = all;
      nodes_[node].credits.assign(channels_, buffer_);
      nodes_[node].last_channel = static_cast<std::uint8_t>(channels_ - 1);
    }
    if (!topology.has_equal_links()) periods_ = periods_by_link(topology);
  }

  void clock(PacketSource& source) override {
    source_ = &source;
    arrivals_.pass(cycle_, [this](const Arrival& arrival) { arrive(arrival); });
    departures_.pass(cycle_, [&](const Departure& departure) { depart(departure, source); });
    credits_.pass(cycle_, [this](std::uint32_t output) { ++outputs_[output].credits; });
    node_credits_.pass(cycle_, [this](std::uint32_t channel) {
      ++nodes_[channel / channels_].credits[channel % channels_];
    });
    for (NodeId node = 0; node < topology_.nodes(); ++node) offer(node, source);
    std::size_t kept = 0;
    // NOLINTNEXTLINE(modernize-loop-convert): routers that stay awake move up.
    for (std::size_t i = 0; i < awake_.size(); ++i) {
      const NodeId node = awake_[i];
      act(node);
      if (routers_[node].occupied != 0) {
        awake_[kept++] = node;
      } else {
        routers_[node].awake = false;
      }
    }
    awake_.resize(kept);
    ++cycle_;
  }
  [[nodiscard]] std::uint64_t cycle() const override { return cycle_; }
  [[nodiscard]] std::uint64_t flits_inside() const override { return inside_; }
  [[nodiscard]] std::uint64_t die_flits() const override { return die_flits_; }

 private:
  /// A flit as buffers hold it: the packet's number, and whether it is its first or last.
  struct Flit {
    std::uint32_t packet : 30;
    std::uint32_t head : 1;
    std::uint32_t tail : 1;
  };
  static Flit make_flit(std::uint32_t packet, bool head, bool tail) {
    return {packet & ((1U << 30U) - 1), head ? 1U : 0U, tail ? 1U : 0U};
  }
  struct Arrival {
    std::uint32_t input;
    Flit flit;
  };
  struct Departure {
    std::uint32_t output;
    Flit flit;
    /// A copy of a multicast packet, which itself continues.
    bool copy;
  };
  enum class Wait : std::uint8_t { kNothing, kChannel, kSwitch };
  /// A virtual channel at an input port: its buffer, and the state of its first packet.
  struct Input {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    Wait wait = Wait::kNothing;
    std::uint8_t out_port = 0;
    std::uint8_t out_channel = 0;
    /// Position of this input in the accept order of the channel allocator, out_port * channels +
    /// channel.
    std::uint16_t accept = 0;
    /// Flits of a tree's packet that went by out_port and stay for the other branches.
    std::uint16_t sent = 0;
    /// First cycle in which it may request its next resource.
    std::uint64_t ready = 0;
    /// Channels of out_port that its packet may take.
    std::uint32_t allowed = 0;
    /// A tree's packet: the ports by which it continues after out_port.
    std::uint32_t branches = 0;
  };
  struct Output {
    std::uint32_t credits = 0;
    /// Position in the grant order, in_port * channels + channel.
    std::uint32_t grant = 0;
  };
  struct InputPort {
    std::uint32_t waiting = 0;  // channels that wait for an output channel
    std::uint32_t active = 0;   // channels that have one, and flits
    std::uint8_t next = 0;      // the channel that goes first among those to the same output port
    std::uint8_t accept = 0;
  };
  struct OutputPort {
    std::uint32_t free = 0;  // channels that no packet holds
    std::uint8_t grant = 0;
    /// First cycle in which the next flit may take the switch: its link is busy until then.
    std::uint64_t ready = 0;
  };
  struct RouterState {
    std::uint32_t occupied = 0;  // input channels with flits
    bool awake = false;
  };
  /// A node's side of its link into the router.
  struct Node {
    bool busy = false;
    bool started = false;
    std::uint8_t channel = 0;
    std::uint8_t last_channel = 0;
    std::uint32_t free = 0;
    std::uint32_t left = 0;
    std::uint32_t packet = 0;
    std::vector<std::uint32_t> credits;
  };
  struct Sent {
    NodeId destination;
    std::uint32_t coins;
    std::uint64_t tag;
    Cast cast;
    /// Number of ends of the packet's path that its tail has not reached yet.
    std::uint32_t ends;
  };

  [[nodiscard]] std::uint32_t input_index(NodeId node, std::uint32_t port,
                                          std::uint32_t channel) const {
    return (node * ports_ + port) * channels_ + channel;
  }

  void arrive(const Arrival& arrival) {
    Input& input = inputs_[arrival.input];
    std::uint32_t place = input.first + input.count;
    if (place >= buffer_) place -= buffer_;
    flits_[std::size_t{arrival.input} * buffer_ + place] = arrival.flit;
    if (++input.count != input.sent + 1U) return;
    const NodeId node = arrival.input / channels_ / ports_;
    RouterState& router = routers_[node];
    if (input.count == 1) ++router.occupied;
    if (!router.awake) {
      router.awake = true;
      awake_.push_back(node);
    }
    if (arrival.flit.head != 0) {
      begin_packet(arrival.input, cycle_ + pipeline_.route - 1);
    } else {
      input.ready = cycle_ + pipeline_.switch_allocation - 1;
      input_ports_[arrival.input / channels_].active |= 1U << (arrival.input % channels_);
    }
  }

  /// The packet at the front of a buffer has its route in cycle `routed`.
  void begin_packet(std::uint32_t index, std::uint64_t routed) {
    Input& input = inputs_[index];
    const Flit flit = flits_[std::size_t{index} * buffer_ + input.first];
    const std::uint32_t port = index / channels_;
    route(port / ports_, port % ports_, packets_[flit.packet], input);
    input.wait = Wait::kChannel;
    input.ready = routed + pipeline_.channel_allocation;
    input_ports_[port].waiting |= 1U << (index % channels_);
  }

  /// Dimension 0 first; the shorter direction around a ring, kept through the whole dimension.
  void route(NodeId node, std::uint32_t in_port, const Sent& packet, Input& input) const {
    input.allowed = all_channels();
    if (packet.cast == Cast::kPath) {
      input.out_port = static_cast<std::uint8_t>(source_->way(node, packet.tag));
      return;
    }
    const auto dims = static_cast<std::uint32_t>(topology_.dimensions());
    if (packet.cast == Cast::kTree) {
      input.branches = tree_ports(node, in_port, packet.destination);
      take_branch(in_port, packet.destination, input);
      return;
    }
    for (std::uint32_t dim = 0; dim < dims; ++dim) {
      const std::uint32_t at = coordinates_[node * dims + dim];
      const std::uint32_t to = coordinates_[packet.destination * dims + dim];
      if (at == to) continue;
      if (!topology_.wraps(static_cast<int>(dim))) {
        input.out_port = static_cast<std::uint8_t>(2 * dim + (to > at ? 1 : 0));
        return;
      }
      const std::uint32_t side = topology_.side(static_cast<int>(dim));
      const std::uint32_t ahead = to > at ? to - at : to + side - at;
      bool forward = 2 * ahead < side || (2 * ahead == side && ((packet.coins >> dim) & 1U) != 0);
      // A packet that came through this dimension keeps its direction.
      if (in_port / 2 == dim) forward = in_port == 2 * dim;
      input.out_port = static_cast<std::uint8_t>(2 * dim + (forward ? 1 : 0));
      choose_half(in_port, forward ? to < at : to > at, input);
      return;
    }
    input.out_port = static_cast<std::uint8_t>(ports_ - 1);
  }
  /// Hops that a tree's packet takes at most in the port's direction, from its root's coordinate:
  /// to the border, or half a ring.
  [[nodiscard]] std::uint32_t reach(std::uint32_t port, std::uint32_t root) const {
    const std::uint32_t side = topology_.side(static_cast<int>(port / 2));
    if (topology_.wraps(static_cast<int>(port / 2))) return (side - (port + 1) % 2) / 2;
    return port % 2 == 1 ? side - 1 - root : root;
  }
  /// The output ports of a tree's packet: straight on in its present dimension, both directions in
  /// all higher ones.
  [[nodiscard]] std::uint32_t tree_ports(NodeId node, std::uint32_t in_port, NodeId root) const {
    const auto dims = static_cast<std::uint32_t>(topology_.dimensions());
    const bool at_root = in_port == ports_ - 1;
    std::uint32_t ports = 0;
    for (std::uint32_t port = at_root ? 0 : 2 * (in_port / 2); port < 2 * dims; ++port) {
      const std::uint32_t dim = port / 2;
      if (!at_root && dim == in_port / 2 && port == in_port) continue;
      const std::uint32_t side = topology_.side(static_cast<int>(dim));
      const std::uint32_t at = coordinates_[node * dims + dim];
      const std::uint32_t from = coordinates_[root * dims + dim];
      const std::uint32_t gone = (port % 2 == 1 ? at + side - from : from + side - at) % side;
      if (gone < reach(port, from)) ports |= 1U << port;
    }
    return ports;
  }
  /// Turns to the next port of a tree's packet; to the node after the last port.
  void take_branch(std::uint32_t in_port, NodeId root, Input& input) const {
    input.allowed = all_channels();
    if (input.branches == 0) {
      input.out_port = static_cast<std::uint8_t>(ports_ - 1);
      return;
    }
    const auto port = static_cast<std::uint32_t>(std::countr_zero(input.branches));
    input.branches &= input.branches - 1;
    input.out_port = static_cast<std::uint8_t>(port);
    const int dim = static_cast<int>(port / 2);
    if (!topology_.wraps(dim)) return;
    // As unicasts to the last node in this direction would.
    const auto dims = static_cast<std::uint32_t>(topology_.dimensions());
    const std::uint32_t from = coordinates_[root * dims + port / 2];
    const std::uint32_t hops = reach(port, from);
    choose_half(in_port, port % 2 == 1 ? from + hops >= topology_.side(dim) : from < hops, input);
  }
  [[nodiscard]] std::uint32_t all_channels() const {
    return channels_ == 32 ? ~0U : (1U << channels_) - 1;
  }
  /// Inside a ring a packet stays in its half of the channels until it leaves the dimension. Before
  /// the dateline the half depends on whether its path crosses it; after it, on the channel of
  /// arrival.
  void choose_half(std::uint32_t in_port, bool crosses, Input& input) const {
    if (channels_ == 1) return;
    const std::uint32_t upper = channels_ / 2;
    const std::uint32_t lower = channels_ - upper;
    if (in_port / 2 == input.out_port / 2U) {
      crosses = static_cast<std::uint32_t>(&input - inputs_.data()) % channels_ >= lower;
    }
    const std::uint32_t all = all_channels();
    input.allowed = crosses ? all & (all << lower) : all >> upper;
  }

  void depart(const Departure& departure, PacketSource& source) {
    const NodeId node = departure.output / channels_ / ports_;
    const Sent packet = packets_[departure.flit.packet];
    if (departure.copy) {
      source.arrived(node, cycle_, packet.tag, departure.flit.tail != 0);
      return;
    }
    if (departure.flit.tail != 0 && --packets_[departure.flit.packet].ends == 0) {
      unused_.push_back(departure.flit.packet);
    }
    --inside_;
    // Back over the link of one cycle.
    credits_.at(cycle_ + 2 + pipeline_.credit, departure.output);
    source.arrived(node, cycle_, packet.tag, departure.flit.tail != 0);
  }

  /// The node's own side: takes a packet, then sends a flit a cycle while there is room.
  void offer(NodeId at, PacketSource& source) {
    Node& node = nodes_[at];
    if (!node.busy) {
      Packet packet;
      if (!source.next(at, cycle_, packet)) return;
      node.busy = true;
      node.started = false;
      node.left = packet.flits;
      if (packet.cast == Cast::kTree && packet.flits > buffer_) {
        throw std::logic_error("a tree's packet is longer than the buffers that keep it");
      }
      const Sent sent{packet.destination, packet.coins, packet.tag, packet.cast, 1};
      if (unused_.empty()) {
        node.packet = static_cast<std::uint32_t>(packets_.size());
        packets_.push_back(sent);
      } else {
        node.packet = unused_.back();
        unused_.pop_back();
        packets_[node.packet] = sent;
      }
    }
    if (!node.started) {
      // The first free channel with room after the last one used.
      std::uint32_t i = 1;
      for (; i <= channels_; ++i) {
        const std::uint32_t channel = (node.last_channel + i) % channels_;
        if (((node.free >> channel) & 1U) == 0 || node.credits[channel] == 0) continue;
        node.channel = static_cast<std::uint8_t>(channel);
        break;
      }
      if (i > channels_) return;
    }
    if (node.credits[node.channel] == 0) return;
    const bool head = !node.started;
    const bool tail = node.left == 1;
    --node.left;
    --node.credits[node.channel];
    node.started = true;
    node.last_channel = node.channel;
    if (tail) {
      node.busy = false;
      node.free |= 1U << node.channel;
    } else {
      node.free &= ~(1U << node.channel);
    }
    ++inside_;
    arrivals_.at(cycle_ + 2,
                 {input_index(at, ports_ - 1, node.channel), make_flit(node.packet, head, tail)});
  }

  void act(NodeId node) {
    // Both stages see the state at the beginning of the cycle: a channel allocated now requests the
    // switch in a later cycle, and a channel released now is reassigned in a later one.
    allocate_channels(node);
    allocate_switch(node);
  }

  /// Separable allocator with round-robin pointers, one iteration (iSLIP): each free output channel
  /// grants to one input channel, each input channel accepts one grant.
  void allocate_channels(NodeId node) {
    std::uint32_t requests = 0;  // output ports asked for
    const std::uint32_t first_port = node * ports_;
    requesters_.clear();
    for (std::uint32_t port = 0; port < ports_; ++port) {
      std::uint32_t waiting = input_ports_[first_port + port].waiting;
      while (waiting != 0) {
        const auto channel = static_cast<std::uint32_t>(std::countr_zero(waiting));
        waiting &= waiting - 1;
        const Input& input = inputs_[input_index(node, port, channel)];
        if (input.ready > cycle_) continue;
        if ((output_ports_[first_port + input.out_port].free & input.allowed) == 0) continue;
        requesters_.push_back({port * channels_ + channel, 0});
        requests |= 1U << input.out_port;
      }
    }
    if (requesters_.empty()) return;
    const std::uint32_t first_input = first_port * channels_;
    while (requests != 0) {
      const auto out = static_cast<std::uint32_t>(std::countr_zero(requests));
      requests &= requests - 1;
      const std::uint32_t free = output_ports_[first_port + out].free;
      for (std::uint32_t mask = free; mask != 0; mask &= mask - 1) {
        const auto channel = static_cast<std::uint32_t>(std::countr_zero(mask));
        const std::uint32_t from = outputs_[(first_port + out) * channels_ + channel].grant;
        Requester* first = nullptr;
        Requester* later = nullptr;
        for (Requester& requester : requesters_) {
          const Input& input = inputs_[first_input + requester.input];
          if (input.out_port != out || ((input.allowed >> channel) & 1U) == 0) continue;
          if (first == nullptr) first = &requester;
          if (requester.input >= from) {
            later = &requester;
            break;
          }
        }
        Requester* chosen = later != nullptr ? later : first;
        if (chosen != nullptr) chosen->granted |= 1U << channel;
      }
    }
    for (const Requester& requester : requesters_) {
      if (requester.granted == 0) continue;
      Input& input = inputs_[first_input + requester.input];
      const std::uint32_t begin = std::uint32_t{input.out_port} * channels_;
      const std::uint32_t from =
          input.accept > begin && input.accept < begin + channels_ ? input.accept - begin : 0;
      const std::uint32_t channel = first_from(requester.granted, from);
      input.out_channel = static_cast<std::uint8_t>(channel);
      input.accept = static_cast<std::uint16_t>((begin + channel + 1) % (ports_ * channels_));
      outputs_[(first_port + input.out_port) * channels_ + channel].grant =
          (requester.input + 1) % (ports_ * channels_);
      output_ports_[first_port + input.out_port].free &= ~(1U << channel);
      input.wait = Wait::kSwitch;
      input.ready = cycle_ + pipeline_.switch_allocation;
      InputPort& port = input_ports_[first_port + requester.input / channels_];
      const std::uint32_t bit = 1U << (requester.input % channels_);
      port.waiting &= ~bit;
      port.active |= bit;
    }
  }

  /// The same allocator over ports; among the channels of an input port that need the same output
  /// port, the first in turn requests.
  void allocate_switch(NodeId node) {
    const std::uint32_t first_port = node * ports_;
    std::array<std::uint32_t, kMaxRouterPorts> asked{};  // by output port: input ports
    std::uint32_t outputs = 0;
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const InputPort& in = input_ports_[first_port + port];
      std::uint32_t seen = 0;
      // In turn, beginning with the channel whose turn is first.
      std::uint32_t active = in.active;
      while (active != 0) {
        const std::uint32_t channel = first_from(active, in.next);
        // Channels before `next` come last.
        active &= ~(1U << channel);
        const Input& input = inputs_[(first_port + port) * channels_ + channel];
        if (input.ready > cycle_) continue;
        const std::uint32_t out = input.out_port;
        if (((seen >> out) & 1U) != 0) continue;
        if (output_ports_[first_port + out].ready > cycle_) continue;
        if (outputs_[(first_port + out) * channels_ + input.out_channel].credits == 0) continue;
        seen |= 1U << out;
        asked[out] |= 1U << port;
        candidate_[out * ports_ + port] = static_cast<std::uint8_t>(channel);
        outputs |= 1U << out;
      }
    }
    if (outputs == 0) return;
    std::array<std::uint32_t, kMaxRouterPorts> granted{};  // by input port: output ports
    std::uint32_t inputs = 0;
    while (outputs != 0) {
      const auto out = static_cast<std::uint32_t>(std::countr_zero(outputs));
      outputs &= outputs - 1;
      const std::uint32_t port = first_from(asked[out], output_ports_[first_port + out].grant);
      granted[port] |= 1U << out;
      inputs |= 1U << port;
    }
    while (inputs != 0) {
      const auto port = static_cast<std::uint32_t>(std::countr_zero(inputs));
      inputs &= inputs - 1;
      InputPort& in = input_ports_[first_port + port];
      const std::uint32_t out = first_from(granted[port], in.accept);
      in.accept = static_cast<std::uint8_t>((out + 1) % ports_);
      output_ports_[first_port + out].grant = static_cast<std::uint8_t>((port + 1) % ports_);
      const std::uint32_t channel = candidate_[out * ports_ + port];
      in.next = static_cast<std::uint8_t>((channel + 1) % channels_);
      send(node, port, channel, out);
    }
  }

  /// The flit at the front of an input channel goes through the switch.
  void send(NodeId node, std::uint32_t in_port, std::uint32_t channel, std::uint32_t out_port) {
    const std::uint32_t index = input_index(node, in_port, channel);
    Input& input = inputs_[index];
    if (input.branches != 0) {
      send_copy(node, in_port, channel, out_port);
      return;
    }
    const Flit flit = flits_[std::size_t{index} * buffer_ + input.first];
    if (++input.first == buffer_) input.first = 0;
    --input.count;
    InputPort& port = input_ports_[index / channels_];
    const std::uint32_t output = input_index(node, out_port, input.out_channel);
    --outputs_[output].credits;
    if (flit.tail != 0) {
      output_ports_[output / channels_].free |= 1U << input.out_channel;
      input.wait = Wait::kNothing;
      port.active &= ~(1U << channel);
      if (input.count != 0) begin_packet(index, cycle_ + pipeline_.route);
    } else if (input.count != 0) {
      input.ready = cycle_ + pipeline_.switch_allocation;
    } else {
      port.active &= ~(1U << channel);
    }
    if (input.count == 0) --routers_[node].occupied;
    // The credit returns to the sender of the flit.
    if (in_port == ports_ - 1) {
      node_credits_.at(cycle_ + 2, node * channels_ + channel);
    } else {
      const NodeId from = neighbors_[node * (ports_ - 1) + in_port];
      credits_.at(cycle_ + 1 + latency_ + pipeline_.credit,
                  input_index(from, in_port ^ 1U, channel));
    }
    if (out_port == ports_ - 1) {
      departures_.at(cycle_ + pipeline_.switch_traversal + 2, {output, flit, false});
    } else {
      // Copies have a way out of their own: no packet waits for one.
      if (packets_[flit.packet].cast != Cast::kUnicast && in_port != ports_ - 1) {
        departures_.at(cycle_ + pipeline_.switch_traversal + 2, {output, flit, true});
      }
      cross(node, out_port, input.out_channel, flit);
    }
  }

  /// The next flit of a tree's packet leaves by a port that is not its last one, and stays.
  void send_copy(NodeId node, std::uint32_t in_port, std::uint32_t channel,
                 std::uint32_t out_port) {
    const std::uint32_t index = input_index(node, in_port, channel);
    Input& input = inputs_[index];
    const Flit flit = flits_[std::size_t{index} * buffer_ + (input.first + input.sent) % buffer_];
    InputPort& port = input_ports_[index / channels_];
    --outputs_[input_index(node, out_port, input.out_channel)].credits;
    ++inside_;
    cross(node, out_port, input.out_channel, flit);
    ++input.sent;
    if (flit.tail != 0) {
      output_ports_[node * ports_ + out_port].free |= 1U << input.out_channel;
      input.sent = 0;
      Sent& packet = packets_[flit.packet];
      ++packet.ends;
      take_branch(in_port, packet.destination, input);
      input.wait = Wait::kChannel;
      input.ready = cycle_ + pipeline_.channel_allocation;
      port.waiting |= 1U << channel;
    }
    if (flit.tail != 0 || input.sent == input.count) {
      port.active &= ~(1U << channel);
    } else {
      input.ready = cycle_ + pipeline_.switch_allocation;
    }
  }

  /// Over a link, which a flit occupies for the link's period.
  void cross(NodeId node, std::uint32_t out_port, std::uint32_t out_channel, Flit flit) {
    const std::size_t link = node * (ports_ - 1) + out_port;
    const NodeId to = neighbors_[link];
    const std::uint32_t period = periods_.empty() ? 1 : periods_[link];
    output_ports_[node * ports_ + out_port].ready = cycle_ + period;
    if (!periods_.empty() && topology_.crosses_dies(node, static_cast<Port>(out_port)))
      ++die_flits_;
    arrivals_.at(cycle_ + pipeline_.switch_traversal + latency_ + period,
                 {input_index(to, out_port ^ 1U, out_channel), flit});
  }

  static constexpr std::size_t kMaxRouterPorts = 2 * kMaxDimensions + 1;
  struct Requester {
    std::uint32_t input;    // in_port * channels + channel
    std::uint32_t granted;  // channels of its output port
  };

  Topology topology_;
  Pipeline pipeline_;
  std::uint32_t buffer_;
  std::uint32_t ports_;
  std::uint32_t channels_;
  std::uint32_t latency_;
  Calendar<Arrival> arrivals_;
  Calendar<Departure> departures_;
  Calendar<std::uint32_t> credits_;
  Calendar<std::uint32_t> node_credits_;
  std::vector<RouterState> routers_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<InputPort> input_ports_;
  std::vector<OutputPort> output_ports_;
  std::vector<Flit> flits_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> coordinates_;
  std::vector<NodeId> neighbors_;
  /// By link, in cycles per flit; empty where all take one.
  std::vector<std::uint32_t> periods_;
  std::uint64_t die_flits_ = 0;
  std::vector<Sent> packets_;
  std::vector<std::uint32_t> unused_;
  std::vector<NodeId> awake_;
  std::vector<Requester> requesters_;
  std::array<std::uint8_t, kMaxRouterPorts * kMaxRouterPorts> candidate_{};
  PacketSource* source_ = nullptr;
  std::uint64_t cycle_ = 0;
  std::uint64_t inside_ = 0;
};

}  // namespace

std::uint32_t link_latency(const Router& router, const Topology& topology) {
  if (router.link_latency != 0) return router.link_latency;
  return any_wrap(topology) ? 2 : 1;
}

void require_possible(const Router& router, const Topology& topology) {
  if (!topology.is_healthy()) {
    throw InfeasibleError(fmt::format(
        "the conventional network routes by coordinates, which does not avoid faults; nearest "
        "feasible: {} {} without faults",
        with_article(topology.dims_text()), topology.kind()));
  }
  require_in_range("vcs", router.channels, kMaxChannels);
  require_in_range("buffer", router.buffer, kMaxBuffer);
  const Pipeline& stages = router.pipeline;
  for (const std::uint32_t stage :
       {stages.route, stages.channel_allocation, stages.switch_allocation, stages.switch_traversal,
        stages.credit}) {
    require_in_range("pipeline", stage, kMaxStage);
  }
  if (router.link_latency > kMaxStage)
    require_in_range("link latency", router.link_latency, kMaxStage);
  if (router.channels > 1) return;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    if (!topology.wraps(dim) || topology.side(dim) < 4) continue;
    throw InfeasibleError(fmt::format(
        "one virtual channel can deadlock on a ring of {} nodes, where packets wait for "
        "each other in a cycle; use --vcs 2",
        topology.side(dim)));
  }
}

std::unique_ptr<Network> make_network(const Topology& topology, const Router& router) {
  require_possible(router, topology);
  return std::make_unique<FastNetwork>(topology, router);
}

}  // namespace gossamer::wormhole
