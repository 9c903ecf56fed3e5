// SPDX-License-Identifier: Apache-2.0
#include "gossamer/wormhole/unicasts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer::wormhole {

namespace {

/// A message on its way: so much of one piece (the packet of node `piece`, or block `piece` of a
/// vector) for one node.
struct Message {
  NodeId from = 0;
  NodeId to = 0;
  std::uint32_t piece = 0;
  std::uint64_t flits = 0;
  /// Nodes whose words are in it, and their sum; of pieces that are copied, 0.
  std::uint32_t terms = 0;
  std::uint64_t sum = 0;
  /// Broadcast by halving: the nodes, in the order of the ring, that the receiver is to serve.
  std::uint32_t first = 0;
  std::uint32_t behind = 0;
};

/// Nodes along a walk whose neighbours are neighbours in the network, except at its end: dimension
/// 0 to and fro, then dimension 1, ...
std::vector<NodeId> snake(const Topology& topology) {
  std::vector<NodeId> walk(topology.nodes());
  for (NodeId place = 0; place < topology.nodes(); ++place) {
    Coordinates at = topology.coordinates(place);
    // A coordinate runs backwards where the number that the higher ones make is odd.
    NodeId higher = place;
    for (int dim = 0; dim < topology.dimensions(); ++dim) {
      higher /= topology.side(dim);
      auto& x = at[static_cast<std::size_t>(dim)];
      if (higher % 2 == 1) x = topology.side(dim) - 1 - x;
    }
    walk[place] = topology.node(at);
  }
  return walk;
}

/// The same, from `first` on and round.
std::vector<NodeId> snake_from(const Topology& topology, NodeId first) {
  std::vector<NodeId> walk = snake(topology);
  std::rotate(walk.begin(), std::find(walk.begin(), walk.end(), first), walk.end());
  return walk;
}

/// Of the nodes [first, behind) of such a walk, the first one sends to the nodes before this one,
/// which sends to the others.
std::uint32_t middle_of(std::uint32_t first, std::uint32_t behind) {
  return first + (behind - first + 1) / 2;
}

/// The nodes' software: sends messages in order, receives them, and checks them.
class Software : public PacketSource {
 public:
  Software(const Topology& topology, const Messages& messages)
      : topology_(topology),
        messages_(messages),
        payload_(messages.packet_payload),
        nodes_(topology.nodes()) {}

  bool next(NodeId at, std::uint64_t cycle, Packet& packet) override {
    Node& node = nodes_[at];
    if (node.left == 0) {
      if (node.outbox.empty() || node.outbox.front().begin > cycle) return false;
      node.current = node.outbox.front().message;
      node.outbox.pop_front();
      node.left = sent_[node.current].flits;
    }
    const auto payload = static_cast<std::uint32_t>(std::min<std::uint64_t>(node.left, payload_));
    node.left -= payload;
    packet.destination = sent_[node.current].to;
    packet.flits = payload + 1;
    packet.coins = static_cast<std::uint32_t>(coins_.next() >> 32U);
    packet.tag = node.current * 2 + (node.left == 0 ? 1 : 0);
    packet.cast = cast_;
    ++run_.packets;
    run_.packet_flits = std::max<std::uint64_t>(run_.packet_flits, packet.flits);
    run_.injected += packet.flits;
    const Message& message = sent_[node.current];
    run_.flit_hops += packet.flits * hops(message);
    run_.buffer_reads += packet.flits * (hops(message) + ends(message));
    return true;
  }

  void arrived(NodeId node, std::uint64_t cycle, std::uint64_t tag, bool last) override {
    run_.cycles = cycle;
    ++run_.ejected;
    Message& message = sent_[tag / 2];
    ++here_[tag / 2];
    if (cast_ != Cast::kUnicast) {
      took(node, message);
      // Every hop is to a node that keeps a copy.
      if (here_[tag / 2] == hops(message) * flits_in_all(message)) --open_;
      return;
    }
    // Packets of a message may overtake each other in different channels: it has arrived when all
    // its flits have, and each packet's head carries no data.
    if (node != message.to) wrong_ = true;
    (void)last;
    if (here_[tag / 2] != flits_in_all(message)) return;
    --open_;
    const Message whole = message;
    receive(whole, cycle);
  }

  /// Its nodes are the members of a group: `node_of` has the network's node of each rank. Called
  /// before the first cycle.
  void place_in(const Topology& network, std::vector<NodeId> node_of) {
    network_ = &network;
    node_of_ = std::move(node_of);
  }

  [[nodiscard]] bool idle() const { return open_ == 0; }
  [[nodiscard]] std::uint64_t done() const { return sent_.size() - open_; }
  [[nodiscard]] UnicastRun result() {
    run_.complete = !wrong_ && complete();
    run_.messages = sent_.size();
    return run_;
  }

 protected:
  /// A whole message has arrived.
  virtual void receive(const Message& message, std::uint64_t cycle) = 0;
  /// A flit of a multicast message has, at a node.
  virtual void took(NodeId /*node*/, const Message& /*message*/) {}
  /// Links that each of its flits crosses.
  [[nodiscard]] virtual std::uint64_t hops(const Message& message) const {
    return network_ == nullptr ? topology_.distance(message.from, message.to)
                               : network_->distance(node_of_[message.from], node_of_[message.to]);
  }
  /// Nodes at which its way ends.
  [[nodiscard]] virtual std::uint64_t ends(const Message& /*message*/) const { return 1; }
  /// The message's and its packets' heads.
  [[nodiscard]] std::uint64_t flits_in_all(const Message& message) const {
    return message.flits + (message.flits + payload_ - 1) / payload_;
  }
  /// Of a tag.
  [[nodiscard]] const Message& message_of(std::uint64_t tag) const { return sent_[tag / 2]; }
  [[nodiscard]] virtual bool complete() const = 0;

  /// The processor of message.from starts it, not before `cycle`.
  void send(const Message& message, std::uint64_t cycle) {
    Node& node = nodes_[message.from];
    node.started = std::max(node.started, cycle) + messages_.start_up;
    if (message.flits == 0) throw std::logic_error("a message without flits");
    node.outbox.push_back({sent_.size(), node.started});
    sent_.push_back(message);
    here_.push_back(0);
    ++open_;
  }
  void wrong() { wrong_ = true; }

  const Topology& topology_;
  const Messages& messages_;
  /// Flits of a packet after its head.
  std::uint32_t payload_;
  Cast cast_ = Cast::kUnicast;

 private:
  struct Due {
    std::uint64_t message;
    std::uint64_t begin;
  };
  struct Node {
    std::deque<Due> outbox;
    std::uint64_t started = 0;
    std::uint64_t current = 0;
    std::uint64_t left = 0;
  };
  const Topology* network_ = nullptr;
  std::vector<NodeId> node_of_;
  std::vector<Node> nodes_;
  std::vector<Message> sent_;
  std::vector<std::uint64_t> here_;
  std::uint64_t open_ = 0;
  bool wrong_ = false;
  SplitMix64 coins_{0};
  UnicastRun run_;
};

/// Copied pieces: which node has received which, each at most once.
class Copies : public Software {
 public:
  /// `wanted(node, piece)`: the node is to receive the piece.
  Copies(const Topology& topology, const Messages& messages, std::uint32_t pieces)
      : Software(topology, messages),
        pieces_(pieces),
        has_(topology.nodes() * std::size_t{pieces}) {}

 protected:
  void receive(const Message& message, std::uint64_t cycle) override {
    auto has = has_.begin() +
               static_cast<std::ptrdiff_t>(std::size_t{message.to} * pieces_ + message.piece);
    if (*has) wrong();
    *has = true;
    ++received_;
    pass_on(message, cycle);
  }
  virtual void pass_on(const Message&, std::uint64_t) {}
  /// Each was received at most once and never by a node that had it, so the number decides.
  [[nodiscard]] bool complete() const override {
    return received_ == (pieces_ == 1 ? 1 : std::uint64_t{pieces_}) * (topology_.nodes() - 1);
  }

 private:
  std::uint32_t pieces_;
  std::vector<bool> has_;
  std::uint64_t received_ = 0;
};

/// Every node sends to every other: an all-gather's packet or an all-to-all's different ones.
class Everybody final : public Copies {
 public:
  Everybody(const Topology& topology, const Messages& messages, Order order)
      : Copies(topology, messages, topology.nodes()) {
    const NodeId nodes = topology.nodes();
    for (NodeId from = 0; from < nodes; ++from) {
      for (NodeId i = 0; i < nodes; ++i) {
        const NodeId to = order == Order::kNaive ? i : (from + i) % nodes;
        if (to == from) continue;
        send({from, to, from, messages.flits, 0, 0, 0, 0}, 0);
      }
    }
  }
};

/// All-gather around a ring.
class Ring final : public Copies {
 public:
  Ring(const Topology& topology, const Messages& messages)
      : Copies(topology, messages, topology.nodes()), after_(topology.nodes()) {
    const auto walk = snake(topology);
    for (std::size_t i = 0; i < walk.size(); ++i) after_[walk[i]] = walk[(i + 1) % walk.size()];
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      send({node, after_[node], node, messages.flits, 0, 0, 0, 0}, 0);
    }
  }

 private:
  void pass_on(const Message& message, std::uint64_t cycle) override {
    const NodeId to = after_[message.to];
    if (to != message.piece)
      send({message.to, to, message.piece, message.flits, 0, 0, 0, 0}, cycle);
  }
  std::vector<NodeId> after_;
};

/// Broadcast: one piece, from the source to all, or by halving.
class Broadcast final : public Copies {
 public:
  Broadcast(const Topology& topology, const Messages& messages, Order order)
      : Copies(topology, messages, 1) {
    walk_ = snake_from(topology, messages.source);
    if (order == Order::kHalving) {
      halve(messages.source, 0, topology.nodes(), 0);
      return;
    }
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      if (to != messages.source) send({messages.source, to, 0, messages.flits, 0, 0, 0, 0}, 0);
    }
  }

 private:
  void pass_on(const Message& message, std::uint64_t cycle) override {
    halve(message.to, message.first, message.behind, cycle);
  }
  /// `node` is the first of walk_[first, behind): it sends to the middle node, and repeats this.
  void halve(NodeId node, std::uint32_t first, std::uint32_t behind, std::uint64_t cycle) {
    while (behind - first > 1) {
      const std::uint32_t middle = middle_of(first, behind);
      send({node, walk_[middle], 0, messages_.flits, 0, 0, middle, behind}, cycle);
      behind = middle;
    }
  }
  std::vector<NodeId> walk_;
};

/// All-gather or broadcast by multicast: which node has received how many flits of which piece.
class Multicast : public Software {
 public:
  Multicast(const Topology& topology, const Messages& messages, bool everybody)
      : Software(topology, messages),
        senders_(everybody ? topology.nodes() : 1),
        taken_(std::size_t{topology.nodes()} * senders_) {}

 protected:
  /// The sender of piece `piece`.
  [[nodiscard]] NodeId sender(std::uint32_t piece) const {
    return senders_ == 1 ? messages_.source : piece;
  }
  [[nodiscard]] std::uint32_t senders() const { return senders_; }

 private:
  void receive(const Message&, std::uint64_t) override {}
  void took(NodeId node, const Message& message) override {
    std::uint64_t& taken = taken_[std::size_t{node} * senders_ + message.piece];
    if (node == message.from || ++taken > flits_in_all(message)) wrong();
    if (taken == flits_in_all(message)) ++received_;
  }
  [[nodiscard]] bool complete() const override {
    return received_ == std::uint64_t{senders_} * (topology_.nodes() - 1);
  }

  std::uint32_t senders_;
  std::vector<std::uint64_t> taken_;
  std::uint64_t received_ = 0;
};

/// Along a Hamiltonian path. Message::first is 1 towards the path's end, 0 towards its beginning;
/// `to` is the last node.
class Paths final : public Multicast {
 public:
  Paths(const Topology& topology, const Messages& messages, bool everybody)
      : Multicast(topology, messages, everybody), walk_(snake(topology)), place_(walk_.size()) {
    cast_ = Cast::kPath;
    for (std::uint32_t i = 0; i < walk_.size(); ++i) place_[walk_[i]] = i;
    for (std::uint32_t piece = 0; piece < senders(); ++piece) {
      const NodeId from = sender(piece);
      const NodeId last = walk_.back();
      if (last != from) send({from, last, piece, messages.flits, 0, 0, 1, 0}, 0);
      if (walk_.front() != from) send({from, walk_.front(), piece, messages.flits, 0, 0, 0, 0}, 0);
    }
  }

  [[nodiscard]] Port way(NodeId node, std::uint64_t tag) const override {
    const Message& message = message_of(tag);
    const auto end = static_cast<Port>(topology_.ports());
    if (node == message.to) return end;
    const NodeId next = walk_[message.first == 1 ? place_[node] + 1 : place_[node] - 1];
    for (Port port = 0; port < end; ++port) {
      if (topology_.neighbor(node, port) == next) return port;
    }
    throw std::logic_error("the path leaves the network's links");
  }

 private:
  [[nodiscard]] std::uint64_t hops(const Message& message) const override {
    const std::uint32_t from = place_[message.from];
    const std::uint32_t to = place_[message.to];
    return from < to ? to - from : from - to;
  }

  std::vector<NodeId> walk_;
  std::vector<std::uint32_t> place_;
};

/// Down a tree, one for each sender, in packets that routers can keep; `to` is the sender.
class Trees final : public Multicast {
 public:
  Trees(const Topology& topology, const Messages& messages, bool everybody, std::uint32_t buffer)
      : Multicast(topology, messages, everybody) {
    if (buffer < 2) {
      throw InfeasibleError(
          "tree multicast: routers keep a packet, of at least two flits, until all ports have sent "
          "it; nearest feasible: --buffer 2");
    }
    cast_ = Cast::kTree;
    payload_ = std::min(payload_, buffer - 1);
    for (std::uint32_t piece = 0; piece < senders(); ++piece) {
      send({sender(piece), sender(piece), piece, messages.flits, 0, 0, 0, 0}, 0);
    }
  }

 private:
  [[nodiscard]] std::uint64_t hops(const Message&) const override { return topology_.nodes() - 1; }
  /// Both ends of every line of the last dimension, along which the tree runs in both directions.
  [[nodiscard]] std::uint64_t ends(const Message& message) const override {
    int last = topology_.dimensions() - 1;
    while (topology_.side(last) == 1) --last;
    const std::uint32_t side = topology_.side(last);
    const std::uint32_t at = topology_.coordinates(message.from)[static_cast<std::size_t>(last)];
    const bool both = topology_.wraps(last) ? side > 2 : at != 0 && at != side - 1;
    return std::uint64_t{topology_.nodes()} / side * (both ? 2 : 1);
  }
};

/// All-reduce around a ring: blocks are summed on their first round, and copied on the second. A
/// reduce-scatter ends when each is summed.
class RingReduction final : public Software {
 public:
  RingReduction(const Topology& topology, const Messages& messages, bool scatter)
      : Software(topology, messages),
        after_(topology.nodes()),
        copies_(scatter ? 1 : topology.nodes()) {
    const auto walk = snake(topology);
    for (std::size_t i = 0; i < walk.size(); ++i) after_[walk[i]] = walk[(i + 1) % walk.size()];
    const NodeId nodes = topology.nodes();
    SplitMix64 words(1);
    for (std::size_t i = 0; i < std::size_t{nodes} * nodes; ++i) own_.push_back(words.next());
    total_.resize(nodes);
    for (NodeId node = 0; node < nodes; ++node) {
      for (NodeId block = 0; block < nodes; ++block) total_[block] += own_[index(node, block)];
    }
    has_.resize(own_.size());
    for (NodeId node = 0; node < nodes; ++node) {
      // As evenly as possible; a block without words needs no message.
      const std::uint64_t flits = messages.flits / nodes + (node < messages.flits % nodes ? 1 : 0);
      if (flits == 0) continue;
      ++blocks_;
      send({node, after_[node], node, flits, 1, own_[index(node, node)], 0, 0}, 0);
    }
  }

 private:
  [[nodiscard]] std::size_t index(NodeId node, std::uint32_t block) const {
    return std::size_t{node} * topology_.nodes() + block;
  }
  void keep(NodeId node, std::uint32_t block, std::uint64_t sum) {
    if (has_[index(node, block)] || sum != total_[block]) wrong();
    has_[index(node, block)] = true;
    ++kept_;
  }
  void receive(const Message& message, std::uint64_t cycle) override {
    Message onward = message;
    onward.from = message.to;
    onward.to = after_[message.to];
    const bool summing = message.terms < topology_.nodes();
    if (summing) {
      onward.sum += own_[index(message.to, message.piece)];
      ++onward.terms;
      const bool summed = onward.terms == topology_.nodes();
      if (summed) keep(message.to, message.piece, onward.sum);
      if (!summed || copies_ > 1) send(onward, cycle);
      return;
    }
    keep(message.to, message.piece, message.sum);
    // The block's own node follows the node that completed it, which already has it.
    if (!has_[index(onward.to, message.piece)]) send(onward, cycle);
  }
  [[nodiscard]] bool complete() const override { return kept_ == blocks_ * copies_; }

  std::vector<NodeId> after_;
  /// Nodes that are to have each sum.
  std::uint64_t copies_;
  std::vector<std::uint64_t> own_;
  std::vector<std::uint64_t> total_;
  std::vector<bool> has_;
  std::uint64_t blocks_ = 0;
  std::uint64_t kept_ = 0;
};

/// Reduce to one node: every node's vector to it, or up the tree of a broadcast by halving.
class Reduce final : public Software {
 public:
  Reduce(const Topology& topology, const Messages& messages, Order order)
      : Software(topology, messages), tree_(topology.nodes()) {
    const NodeId root = messages.source;
    SplitMix64 words(1);
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      tree_[node].parent = root;
      tree_[node].sum = words.next();
      total_ += tree_[node].sum;
    }
    if (order == Order::kHalving) halve(snake_from(topology, root), 0, topology.nodes());
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (node != root) ++tree_[tree_[node].parent].awaited;
    }
    for (NodeId node = 0; node < topology.nodes(); ++node) send_up(node, 0);
  }

 private:
  struct Place {
    NodeId parent = 0;
    /// Children that have not sent yet.
    std::uint32_t awaited = 0;
    std::uint32_t terms = 1;
    std::uint64_t sum = 0;
  };

  void halve(const std::vector<NodeId>& walk, std::uint32_t first, std::uint32_t behind) {
    while (behind - first > 1) {
      const std::uint32_t middle = middle_of(first, behind);
      tree_[walk[middle]].parent = walk[first];
      halve(walk, middle, behind);
      behind = middle;
    }
  }
  /// Sends once all sums below it have arrived; the root keeps the result.
  void send_up(NodeId node, std::uint64_t cycle) {
    const Place& place = tree_[node];
    if (place.awaited != 0 || node == messages_.source) return;
    send({node, place.parent, 0, messages_.flits, place.terms, place.sum, 0, 0}, cycle);
  }
  void receive(const Message& message, std::uint64_t cycle) override {
    Place& place = tree_[message.to];
    place.terms += message.terms;
    place.sum += message.sum;
    --place.awaited;
    send_up(message.to, cycle);
  }
  [[nodiscard]] bool complete() const override {
    const Place& root = tree_[messages_.source];
    return root.terms == topology_.nodes() && root.sum == total_;
  }

  std::vector<Place> tree_;
  std::uint64_t total_ = 0;
};

std::unique_ptr<Software> make_software(const Topology& topology, const Router& router,
                                        std::string_view collective, Order order,
                                        const Messages& messages) {
  const bool everybody = collective == "gossip";
  if (order == Order::kPath) return std::make_unique<Paths>(topology, messages, everybody);
  if (order == Order::kTree) {
    return std::make_unique<Trees>(topology, messages, everybody, router.buffer);
  }
  if (collective == "broadcast") return std::make_unique<Broadcast>(topology, messages, order);
  if (collective == "reduce") return std::make_unique<Reduce>(topology, messages, order);
  if (collective == "all-reduce" || collective == "reduce-scatter") {
    return std::make_unique<RingReduction>(topology, messages, collective == "reduce-scatter");
  }
  if (order == Order::kRing) return std::make_unique<Ring>(topology, messages);
  return std::make_unique<Everybody>(topology, messages, order);
}

/// The software of all groups, each of which knows only its own members, on one network.
class SoftwareOfGroups final : public PacketSource {
 public:
  SoftwareOfGroups(const Topology& topology, const Router& router, std::string_view collective,
                   Order order, const Messages& messages)
      : topology_(topology),
        layout_(topology, messages.groups),
        axes_(messages.groups->axes()),
        group_network_(group_network(topology, *messages.groups)) {
    for (NodeId group = 0; group < layout_.groups(); ++group) {
      groups_.push_back(make_software(group_network_, router, collective, order, messages));
      std::vector<NodeId> nodes;
      for (NodeId rank = 0; rank < layout_.members(); ++rank) {
        nodes.push_back(layout_.node(group, rank));
      }
      groups_.back()->place_in(topology, std::move(nodes));
    }
  }

  bool next(NodeId node, std::uint64_t cycle, Packet& packet) override {
    const NodeId group = layout_.group(node);
    if (!groups_[group]->next(layout_.rank(node), cycle, packet)) return false;
    packet.destination = layout_.node(group, packet.destination);
    packet.tag = packet.tag * groups_.size() + group;
    return true;
  }
  [[nodiscard]] Port way(NodeId node, std::uint64_t tag) const override {
    const Port port = groups_[tag % groups_.size()]->way(layout_.rank(node), tag / groups_.size());
    if (port == group_network_.ports()) return static_cast<Port>(topology_.ports());
    return make_port(axes_[static_cast<std::size_t>(dimension_of(port))], is_positive(port));
  }
  void arrived(NodeId node, std::uint64_t cycle, std::uint64_t tag, bool last) override {
    groups_[tag % groups_.size()]->arrived(layout_.rank(node), cycle, tag / groups_.size(), last);
  }

  [[nodiscard]] bool idle() const {
    return std::all_of(groups_.begin(), groups_.end(),
                       [](const auto& group) { return group->idle(); });
  }
  [[nodiscard]] std::uint64_t done() const {
    std::uint64_t messages = 0;
    for (const auto& group : groups_) messages += group->done();
    return messages;
  }
  [[nodiscard]] UnicastRun result() {
    UnicastRun all;
    all.complete = true;
    for (const auto& group : groups_) {
      const UnicastRun one = group->result();
      all.cycles = std::max(all.cycles, one.cycles);
      all.add_traffic(one);
    }
    return all;
  }

 private:
  const Topology& topology_;
  GroupLayout layout_;
  std::vector<int> axes_;
  Topology group_network_;
  std::vector<std::unique_ptr<Software>> groups_;
};

/// Clocks a new network until its software has nothing left to do.
template <typename Source>
UnicastRun run_until_idle(const Topology& topology, const Router& router, Order order,
                          Source& software, const Progress& progress) {
  const auto network = make_network(topology, router);
  while (!software.idle()) {
    network->clock(software);
    if (progress && network->cycle() % 4096 == 0) {
      progress(order_name(order), software.done(), software.result().messages);
    }
  }
  UnicastRun run = software.result();
  run.die_flit_hops = network->die_flits();
  return run;
}

}  // namespace

std::string_view order_name(Order order) {
  switch (order) {
    case Order::kNaive:
      return "naive";
    case Order::kStaggered:
      return "staggered";
    case Order::kRing:
      return "ring";
    case Order::kHalving:
      return "halving";
    case Order::kPath:
      return "path";
    case Order::kTree:
      return "tree";
  }
  return "";
}

std::vector<Order> orders_of(std::string_view collective, const std::optional<Groups>& groups) {
  if (groups) {
    std::vector<Order> orders = orders_of(collective);
    const bool apart = groups->longest_stride() > 1;
    std::erase_if(orders, [apart](Order order) {
      return order == Order::kTree || (order == Order::kPath && apart);
    });
    return orders;
  }
  if (collective == "gossip") {
    return {Order::kNaive, Order::kStaggered, Order::kRing, Order::kPath, Order::kTree};
  }
  if (collective == "all-to-all") return {Order::kNaive, Order::kStaggered};
  if (collective == "reduce-scatter") return {Order::kNaive, Order::kStaggered, Order::kRing};
  if (collective == "all-reduce") {
    return {Order::kNaive, Order::kRing, Order::kHalving, Order::kPath, Order::kTree};
  }
  if (collective == "reduce") return {Order::kNaive, Order::kHalving};
  if (collective == "broadcast") {
    return {Order::kNaive, Order::kHalving, Order::kPath, Order::kTree};
  }
  return {};
}

namespace {

/// One collective that the network's software carries out by itself.
UnicastRun run_software(const Topology& topology, const Router& router, std::string_view collective,
                        Order order, const Messages& messages, const Progress& progress) {
  if (messages.groups) {
    SoftwareOfGroups software(topology, router, collective, order, messages);
    return run_until_idle(topology, router, order, software, progress);
  }
  const auto software = make_software(topology, router, collective, order, messages);
  return run_until_idle(topology, router, order, *software, progress);
}

/// A reduce, and then a broadcast from the root. The network is empty in between: the root has the
/// sum when the last flit has arrived.
UnicastRun run_reduce_and_broadcast(const Topology& topology, const Router& router, Order order,
                                    const Messages& messages, const Progress& progress) {
  const Order up = order == Order::kNaive ? Order::kNaive : Order::kHalving;
  UnicastRun all = run_software(topology, router, "reduce", up, messages, progress);
  const UnicastRun down = run_software(topology, router, "broadcast", order, messages, progress);
  all.cycles += down.cycles;
  all.add_traffic(down);
  return all;
}

}  // namespace

void UnicastRun::add_traffic(const UnicastRun& other) {
  complete = complete && other.complete;
  messages += other.messages;
  packets += other.packets;
  packet_flits = std::max(packet_flits, other.packet_flits);
  flit_hops += other.flit_hops;
  die_flit_hops += other.die_flit_hops;
  buffer_reads += other.buffer_reads;
  injected += other.injected;
  ejected += other.ejected;
}

UnicastRun run_unicasts(const Topology& topology, const Router& router, std::string_view collective,
                        Order order, const Messages& messages, const Progress& progress) {
  const auto orders = orders_of(collective, messages.groups);
  if (std::find(orders.begin(), orders.end(), order) == orders.end()) {
    throw InputError(fmt::format("{} by unicasts does not support the order \"{}\"", collective,
                                 order_name(order)));
  }
  if (messages.flits == 0 || messages.packet_payload == 0 || messages.packet_payload > 65535) {
    throw InputError(fmt::format("a message of {} flits in packets of {} cannot be sent",
                                 messages.flits, messages.packet_payload));
  }
  const std::uint64_t members = messages.groups ? messages.groups->members() : topology.nodes();
  if (messages.source >= members) {
    throw InputError(fmt::format("source: there is no node {}", messages.source));
  }
  if (order != Order::kRing && collective == "all-reduce") {
    return run_reduce_and_broadcast(topology, router, order, messages, progress);
  }
  if (order != Order::kRing && collective == "reduce-scatter") {
    // Every node sends each other node that node's part of its vector.
    Messages parts = messages;
    parts.flits = (messages.flits + members - 1) / members;
    return run_software(topology, router, "all-to-all", order, parts, progress);
  }
  return run_software(topology, router, collective, order, messages, progress);
}

}  // namespace gossamer::wormhole
