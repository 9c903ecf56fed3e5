// SPDX-License-Identifier: Apache-2.0
/// The conventional network's tile on the fabric: an input-queued wormhole router with virtual
/// channels and credits, and the node's side of its link (docs/spec/wormhole.md).
///
/// It decides by itself, from what arrives and what it has been told of its place; with the fast
/// network it shares the configuration and nothing else.
#pragma once

#include <deque>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "gossamer/systemc/fabric.hpp"
#include "gossamer/wormhole/network.hpp"

namespace gossamer::systemc {

/// A flit, with what its packet's head says: wires that only heads would need.
struct WormholeFlit {
  bool valid = false;
  bool head = false;
  bool tail = false;
  std::uint8_t channel = 0;
  NodeId destination = 0;
  std::uint32_t coins = 0;
  std::uint64_t tag = 0;

  bool operator==(const WormholeFlit&) const = default;
};

/// What a link carries: a flit, and a credit for the flits that come the other way.
struct WormholeWord {
  WormholeFlit flit;
  bool credit = false;
  std::uint8_t credit_channel = 0;

  bool operator==(const WormholeWord&) const = default;
};
std::ostream& operator<<(std::ostream& out, const WormholeWord& word);
void sc_trace(sc_core::sc_trace_file* file, const WormholeWord& word, const std::string& name);

template <>
struct WordTraits<WormholeWord> {
  static constexpr WormholeWord kIdle{};
  [[nodiscard]] static bool is_idle(const WormholeWord& word) {
    return !word.flit.valid && !word.credit;
  }
  static void upset(WormholeWord& word, const Upset& upset) {
    if (upset.drop) {
      word = {};
    } else {
      word.flit.tag ^= upset.flip;
    }
  }
  struct Wave {
    WormholeFlit flit;
    void trace(sc_core::sc_trace_file* file, const std::string& link) const {
      sc_core::sc_trace(file, flit.valid, link + ".valid");
      sc_core::sc_trace(file, flit.head, link + ".head");
      sc_core::sc_trace(file, flit.channel, link + ".vc");
      sc_core::sc_trace(file, flit.destination, link + ".destination");
    }
    void show(const WormholeWord& word) { flit = word.flit; }
  };
};

/// Pairs inputs with outputs: every output grants to the first requester at or behind its pointer,
/// every input accepts the first grant at or behind its own; pointers go behind what was accepted.
class RoundRobinMatching {
 public:
  RoundRobinMatching(std::size_t inputs, std::size_t outputs);
  void clear();
  void request(std::size_t input, std::size_t output);
  [[nodiscard]] bool requested(std::size_t input, std::size_t output) const;
  /// By input the output, or -1; forgets all requests.
  const std::vector<int>& match();

 private:
  std::size_t inputs_;
  std::size_t outputs_;
  std::vector<char> requests_;
  std::vector<std::size_t> grant_;
  std::vector<std::size_t> accept_;
  std::vector<int> matched_;
};

/// Whom the tiles ask for packets, and tell what has arrived: changed from cycle to cycle by who
/// clocks the fabric.
struct WormholeNodes {
  wormhole::PacketSource* source = nullptr;
  /// Flits between the nodes.
  std::uint64_t inside = 0;
};

/// One tile. Network cycle t is fabric cycle t + 1: the start edge does nothing.
class WormholeTile final : public RouterModule<WormholeWord> {
 public:
  WormholeTile(const sc_core::sc_module_name& name, const Topology& topology,
               const wormhole::Router& router, NodeId node, std::shared_ptr<WormholeNodes> nodes);

  void clear() override;
  std::uint64_t clock(const Edge<WormholeWord>& edge) override;

 private:
  struct Channel {
    std::deque<WormholeFlit> flits;
    /// The packet at the front has been given an output channel.
    bool allocated = false;
    /// Whatever the front flit asks for next, it asks from this cycle on.
    std::uint64_t ready = 0;
    std::size_t out_port = 0;
    std::size_t first = 0;  // of the output channels that it may take
    std::size_t last = 0;
    std::size_t out_channel = 0;
  };
  struct OutChannel {
    std::uint32_t credits = 0;
    bool held = false;
  };
  struct Timed {
    std::uint64_t cycle;
    std::size_t port;
    WormholeFlit flit;
  };
  struct TimedCredit {
    std::uint64_t cycle;
    std::size_t port;
    std::size_t channel;
  };

  [[nodiscard]] Channel& in(std::size_t port, std::size_t channel) {
    return in_[port * channels_ + channel];
  }
  [[nodiscard]] OutChannel& out(std::size_t port, std::size_t channel) {
    return out_[port * channels_ + channel];
  }
  void accept(std::size_t port, const WormholeFlit& flit, std::uint64_t cycle);
  void to_front(std::size_t port, std::size_t index, std::uint64_t cycle);
  void route(std::size_t port, Channel& channel, std::size_t index) const;
  void offer(std::uint64_t cycle);
  void allocate_channels(std::uint64_t cycle);
  void allocate_switch(std::uint64_t cycle);
  void pass(std::size_t port, std::size_t index, std::uint64_t cycle);

  Topology topology_;
  wormhole::Pipeline pipeline_;
  std::uint32_t buffer_;
  std::size_t ports_;  // the node's own, which is the last, included
  std::size_t channels_;
  NodeId node_;
  Coordinates at_;
  std::shared_ptr<WormholeNodes> nodes_;

  std::vector<Channel> in_;
  std::vector<OutChannel> out_;
  RoundRobinMatching channel_matching_;
  RoundRobinMatching switch_matching_;
  /// By input port the channel that goes first; by input and output port the channel that asks.
  std::vector<std::size_t> turn_;
  std::vector<std::size_t> asking_;

  /// Flits in the switch, on the way from the node and to it; credits that are not counted yet.
  std::deque<Timed> crossing_;
  std::deque<Timed> injected_;
  std::deque<Timed> ejected_;
  std::vector<TimedCredit> credits_;
  std::vector<TimedCredit> node_credits_;
  /// Credits to go out at this edge, by input port: channel or -1.
  std::vector<int> freed_;

  // The node's side.
  wormhole::Packet packet_;
  bool busy_ = false;
  bool started_ = false;
  std::uint32_t left_ = 0;
  std::size_t channel_ = 0;
  std::vector<OutChannel> node_out_;
};

/// The conventional network made of such tiles; to be given to wormhole::measure_load.
[[nodiscard]] std::unique_ptr<wormhole::Network> make_wormhole_network(
    const Topology& topology, const wormhole::Router& router);

}  // namespace gossamer::systemc
