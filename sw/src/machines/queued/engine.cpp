// SPDX-License-Identifier: Apache-2.0
/// Queued routers, sub-step by sub-step.
///
/// One class for each kind of rule: PrefixUnit, ClassRouters (packing, routing, broadcast),
/// ExchangeRouters, and the list of moves. All of them put packets on links through LinkBoard,
/// which detects two packets that compete for one link.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "engine.hpp"
#include "gossamer/machines/queued/rules.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Link contents in the current step.
class LinkBoard {
 public:
  explicit LinkBoard(const Topology& topology)
      : ports_(static_cast<std::size_t>(topology.ports())),
        links_(topology.link_slots(), kNoPacket),
        is_broken_(topology.link_slots(), false) {}
  void clear() { std::fill(links_.begin(), links_.end(), kNoPacket); }
  /// False when the packet is lost: the link is broken, or it is taken, and a conflict is counted.
  bool send(NodeId from, Port port, PacketId packet) {
    const std::size_t at = from * ports_ + port;
    if (links_[at] != kNoPacket) {
      ++conflicts_;
      return false;
    }
    links_[at] = packet;
    return !is_broken_[at];
  }
  /// From now on the link delivers nothing.
  void break_link(LinkId link) {
    is_broken_[link] = true;
    broken_.push_back(link);
  }
  /// Every node that has something to send has sent it: packets on broken links are lost.
  void lose_broken() {
    for (const LinkId link : broken_) links_[link] = kNoPacket;
  }
  [[nodiscard]] std::span<const PacketId> links() const { return links_; }
  [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }

 private:
  std::size_t ports_;
  std::vector<PacketId> links_;
  std::vector<bool> is_broken_;
  std::vector<LinkId> broken_;
  std::uint64_t conflicts_ = 0;
};

/// Calls visit(node) for every node whose coordinate along `dim` is `digit`.
template <typename Visit>
void for_digit(const Topology& topology, int dim, std::uint32_t digit, Visit visit) {
  const std::uint32_t stride = topology.stride(dim);
  const std::uint64_t block = std::uint64_t{stride} * topology.side(dim);
  for (std::uint64_t base = std::uint64_t{digit} * stride; base < topology.nodes(); base += block) {
    for (std::uint32_t i = 0; i < stride; ++i) visit(static_cast<NodeId>(base + i));
  }
}

/// The prefix of one class: every node's counts and the messages that change them. A node that
/// lacks a due message has nothing to forward, in this phase and in all later ones.
class PrefixUnit {
 public:
  PrefixUnit(const Topology& topology, int class_index)
      : topology_(&topology), class_index_(class_index) {}

  /// Begins with own[node] packets at each node, as determined by `dealer` unless it is null.
  void start(std::vector<std::uint32_t> own, const PrefixUnit* dealer) {
    const std::size_t nodes = topology_->nodes();
    due_.assign(nodes, 0);
    lost_.assign(nodes, false);
    for (NodeId node = 0; dealer != nullptr && node < nodes; ++node) {
      lost_[node] = dealer->missing(node);
    }
    count_ = std::move(own);
    before_.assign(nodes, 0);
    total_ = count_;
    from_left_.assign(nodes * static_cast<std::size_t>(topology_->dimensions()), 0);
    arriving_left_.assign(nodes, 0);
    arriving_right_.assign(nodes, 0);
  }
  [[nodiscard]] bool started() const { return !count_.empty(); }
  /// A message that was due in the phases that have begun is missing.
  [[nodiscard]] bool missing(NodeId node) const {
    return started() && (lost_[node] || due_[node] != 0);
  }
  /// 0 before it has started.
  [[nodiscard]] std::uint32_t before(NodeId node) const { return started() ? before_[node] : 0; }
  [[nodiscard]] std::uint32_t total(NodeId node) const { return started() ? total_[node] : 0; }

  /// The step number `s` = 0, 1, ... of `phase`.
  void step(const QueuedPhase& phase, std::uint64_t s, LinkBoard& board, PacketId classes) {
    phase_ = &phase;
    board_ = &board;
    classes_ = classes;
    const std::uint32_t p = topology_->side(phase.dimension);
    if (s == 0) begin();
    switch (phase.kind) {
      case QueuedPhaseKind::kPrefixForward:
        forward(static_cast<std::uint32_t>(s));
        break;
      case QueuedPhaseKind::kPrefixReverse:
        reverse(static_cast<std::uint32_t>(p - 1 - s));
        break;
      case QueuedPhaseKind::kPrefixTwoWay:
        two_way(static_cast<std::uint32_t>(s), p);
        break;
      default:
        line_sum(static_cast<std::uint32_t>(s), p);
    }
  }

 private:
  /// The digit that the phase works on, least significant first.
  [[nodiscard]] int level() const {
    const int d = topology_->dimensions();
    return (phase_->dimension - class_index_ + d) % d;
  }
  /// True on the lines of the prefix tree: all less significant digits are p-1.
  [[nodiscard]] bool on_tree(NodeId node) const {
    const int d = topology_->dimensions();
    for (int j = 0; j < level(); ++j) {
      const int dim = (j + class_index_) % d;
      if (node / topology_->stride(dim) % topology_->side(dim) != topology_->side(dim) - 1) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] std::uint32_t& from_left(NodeId node) {
    return from_left_[std::size_t{node} * static_cast<std::size_t>(topology_->dimensions()) +
                      static_cast<std::size_t>(level())];
  }
  void begin() {
    const int dim = phase_->dimension;
    for (NodeId node = 0; node < topology_->nodes(); ++node) {
      lost_[node] = missing(node);
      const std::uint32_t digit = node / topology_->stride(dim) % topology_->side(dim);
      due_[node] = static_cast<std::uint8_t>((digit == 0 ? 0 : kFromBelow) |
                                             (digit + 1 == topology_->side(dim) ? 0 : kFromAbove));
      // A tree's counts go up, then down.
      const bool forward = phase_->kind == QueuedPhaseKind::kPrefixForward;
      if (!forward && phase_->kind != QueuedPhaseKind::kPrefixReverse) continue;
      due_[node] &= on_tree(node) ? (forward ? kFromBelow : kFromAbove) : std::uint8_t{0};
    }
  }

  /// Sends a message in the phase's dimension, if the node has received the due message from the
  /// other end of its line. True when it was delivered.
  bool message(NodeId node, bool positive) {
    if (lost_[node] || (due_[node] & (positive ? kFromBelow : kFromAbove)) != 0) return false;
    if (!board_->send(node, make_port(phase_->dimension, positive),
                      PacketId{node} * classes_ + phase_->class_index)) {
      return false;
    }
    const std::uint32_t stride = topology_->stride(phase_->dimension);
    due_[positive ? node + stride : node - stride] &= positive ? kFromAbove : kFromBelow;
    return true;
  }

  void forward(std::uint32_t digit) {
    const std::uint32_t stride = topology_->stride(phase_->dimension);
    for_digit(*topology_, phase_->dimension, digit, [&](NodeId node) {
      if (!on_tree(node) || !message(node, true)) return;
      from_left(node + stride) = count_[node];
      count_[node + stride] += count_[node];
    });
  }

  void reverse(std::uint32_t digit) {
    const std::uint32_t stride = topology_->stride(phase_->dimension);
    const bool first = digit + 1 == topology_->side(phase_->dimension);
    const bool root_level = level() + 1 == topology_->dimensions();
    for_digit(*topology_, phase_->dimension, digit, [&](NodeId node) {
      if (!on_tree(node)) return;
      // before_ of the line's first sender is the count before the whole line, learned one level
      // up.
      if (first && root_level) total_[node] = count_[node];
      const std::uint32_t before_line = first ? before_[node] : arriving_right_[node];
      if (message(node, false)) {
        arriving_right_[node - stride] = before_line;
        before_[node - stride] = before_line + from_left(node - stride);
        total_[node - stride] = total_[node];
      }
      if (first) before_[node] = before_line + from_left(node);
    });
  }

  void two_way(std::uint32_t s, std::uint32_t p) {
    const int dim = phase_->dimension;
    const std::uint32_t stride = topology_->stride(dim);
    for_digit(*topology_, dim, s, [&](NodeId node) {
      if (s == 0) arriving_left_[node] = 0;
      if (message(node, true)) arriving_left_[node + stride] = arriving_left_[node] + count_[node];
    });
    for_digit(*topology_, dim, p - 1 - s, [&](NodeId node) {
      if (s == 0) arriving_right_[node] = 0;
      if (message(node, false)) {
        arriving_right_[node - stride] = arriving_right_[node] + count_[node];
      }
    });
    if (s != p - 2) return;
    for (NodeId node = 0; node < topology_->nodes(); ++node) {
      if (due_[node] != 0) continue;
      before_[node] += arriving_left_[node];
      count_[node] += arriving_left_[node] + arriving_right_[node];
      total_[node] = count_[node];
    }
  }

  void line_sum(std::uint32_t s, std::uint32_t p) {
    const int dim = phase_->dimension;
    const std::uint32_t stride = topology_->stride(dim);
    const std::uint32_t middle = p / 2;
    if (s < middle) {
      for_digit(*topology_, dim, s, [&](NodeId node) {
        if (message(node, true)) count_[node + stride] += count_[node];
      });
      if (p - 1 - s > middle) {
        for_digit(*topology_, dim, p - 1 - s, [&](NodeId node) {
          if (message(node, false)) count_[node - stride] += count_[node];
        });
      }
      return;
    }
    const std::uint32_t hop = s - middle;
    // The middle node, which turns the counts round, needs both; the others pass the total on.
    const auto has_total = [&](NodeId node) { return hop != 0 || due_[node] == 0; };
    if (hop == 0) {
      for_digit(*topology_, dim, middle, [&](NodeId node) {
        if (has_total(node)) total_[node] = count_[node];
      });
    }
    if (hop < middle) {
      for_digit(*topology_, dim, middle - hop, [&](NodeId node) {
        if (has_total(node) && message(node, false)) total_[node - stride] = total_[node];
      });
    }
    if (middle + hop + 1 < p) {
      for_digit(*topology_, dim, middle + hop, [&](NodeId node) {
        if (has_total(node) && message(node, true)) total_[node + stride] = total_[node];
      });
    }
  }

  static constexpr std::uint8_t kFromBelow = 1;
  static constexpr std::uint8_t kFromAbove = 2;

  const Topology* topology_;
  int class_index_;
  const QueuedPhase* phase_ = nullptr;
  LinkBoard* board_ = nullptr;
  PacketId classes_ = 1;
  /// Packets counted so far at and before the node.
  std::vector<std::uint32_t> count_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> total_;
  /// Per node and level: the count from the smaller digits of its line.
  std::vector<std::uint32_t> from_left_;
  /// Two-way: counts on their way up and down; tree: the count before the line.
  std::vector<std::uint32_t> arriving_left_;
  std::vector<std::uint32_t> arriving_right_;
  /// Messages that are due in the phase that runs, kFromBelow and kFromAbove; those with one that
  /// never came in an earlier phase.
  std::vector<std::uint8_t> due_;
  std::vector<bool> lost_;
};

/// All routers' state for the packets of one class.
///
/// A packet (or half) is known by its key, rank * halves + half, so that ascending keys are
/// ascending ranks.
class ClassRouters {
 public:
  ClassRouters(const Plan& plan, int class_index)
      : topology_(plan.topology),
        demand_(plan.demand),
        program_(plan.program.as<QueuedProgram>()),
        class_index_(class_index) {
    for (const QueuedPhase& phase : program_.phases) {
      if (phase.kind == QueuedPhaseKind::kBroadcast && phase.class_index == class_index) {
        last_broadcast_ = std::max(last_broadcast_, phase.start);
      }
    }
  }

  /// Takes the packet (all halves of it) of this class and rank; ids follow each other.
  void load(std::uint32_t rank, NodeId node, PacketId first_id) {
    const std::size_t first_key = std::size_t{rank} * program_.halves;
    if (id_.size() < first_key + program_.halves) {
      id_.resize(first_key + program_.halves, kNoPacket);
      at_.resize(first_key + program_.halves, kNoNode);
    }
    for (std::size_t half = 0; half < program_.halves; ++half) {
      id_[first_key + half] = first_id + half;
      at_[first_key + half] = node;
    }
  }

  /// One sub-step of packing or routing: of the active phases, a packet follows the first whose
  /// digit is not yet right. There is only one at a time when barriers keep the phases apart.
  void move(std::span<const QueuedPhase* const> active, std::uint64_t step, LinkBoard& board,
            std::uint64_t& max_queue) {
    const std::uint64_t s = step - active.front()->start;
    const auto half = static_cast<std::uint32_t>(s % program_.halves);
    if (half == 0) count_waiting(active, max_queue);
    for (std::size_t key = half; key < at_.size(); key += program_.halves) {
      const std::optional<Port> port = wanted(key, active);
      if (!port) continue;
      if (board.send(at_[key], *port, id_[key])) {
        at_[key] = topology_.neighbor(at_[key], *port);
      } else {
        at_[key] = kNoNode;
      }
    }
  }

  void start_broadcast(const QueuedPhase& phase, std::uint64_t& max_queue) {
    const std::size_t nodes = topology_.nodes();
    if (held_.empty()) {
      held_.resize(nodes);
      for (std::size_t key = 0; key < at_.size(); ++key) {
        if (at_[key] != kNoNode) held_[at_[key]].push_back(static_cast<std::uint32_t>(key));
      }
    }
    keep_arrivals_ = phase.start != last_broadcast_;
    for (Direction& direction : directions_) {
      direction.next_own.assign(nodes, 0);
      direction.passing.assign(nodes, {});
      direction.arriving.assign(nodes, {});
    }
    own_.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
      std::sort(held_[node].begin(), held_[node].end());
      own_[node] = static_cast<std::uint32_t>(held_[node].size());
      // Every step takes at most one packet in and sends one while any waits, so that the backlog
      // is deepest at the start.
      for (const bool positive : {false, true}) {
        std::uint64_t waiting = 0;
        for (std::uint32_t i = 0; i < own_[node]; ++i) {
          if (broadcast_hops(program_, phase, held_[node][i], i, positive) != 0) ++waiting;
        }
        max_queue = std::max(max_queue, waiting);
      }
    }
  }

  void broadcast(const QueuedPhase& phase, LinkBoard& board) {
    const int dim = phase.dimension;
    const std::uint32_t p = topology_.side(dim);
    const std::uint32_t stride = topology_.stride(dim);
    const std::uint64_t block = std::uint64_t{stride} * p;
    for (const bool positive : {false, true}) {
      Direction& direction = directions_[positive ? 1 : 0];
      const Port port = make_port(dim, positive);
      const std::uint32_t border = positive ? p - 1 : 0;
      // In order of node ids: this loop dominates the run time.
      for (std::uint64_t base = 0; base < topology_.nodes(); base += block) {
        for (std::uint32_t digit = 0; digit < p; ++digit) {
          // The border's packets wrap around the ring; on a line they have arrived.
          if (digit == border && !topology_.wraps(dim)) continue;
          const auto first = static_cast<NodeId>(base + std::uint64_t{digit} * stride);
          const NodeId to = positive
                                ? (digit == border ? first - border * stride : first + stride)
                                : (digit == border ? first + (p - 1) * stride : first - stride);
          for (std::uint32_t i = 0; i < stride; ++i) {
            const NodeId node = first + i;
            Transit transit = direction.passing[node];
            if (transit.hops == 0) transit = next_own(phase, direction, node, positive);
            Transit& arrival = direction.arriving[to + i];
            arrival.hops = 0;
            if (transit.hops == 0 || !board.send(node, port, id_[transit.key])) continue;
            arrival = {transit.key, transit.hops - 1};
            if (keep_arrivals_) held_[to + i].push_back(transit.key);
          }
        }
      }
      direction.passing.swap(direction.arriving);
    }
  }

 private:
  /// A packet that passes a node, with the hops that it has left.
  struct Transit {
    std::uint32_t key = 0;
    std::uint32_t hops = 0;
  };
  struct Direction {
    /// Per node: index of the next own packet.
    std::vector<std::uint32_t> next_own;
    std::vector<Transit> passing;
    std::vector<Transit> arriving;
  };

  Transit next_own(const QueuedPhase& phase, Direction& direction, NodeId node, bool positive) {
    std::uint32_t& index = direction.next_own[node];
    while (index < own_[node]) {
      const std::uint32_t key = held_[node][index];
      const std::uint32_t hops = broadcast_hops(program_, phase, key, index, positive);
      ++index;
      if (hops != 0) return {key, hops};
    }
    return {};
  }

  /// The out-port that a packet waits at, if any.
  [[nodiscard]] std::optional<Port> wanted(std::size_t key,
                                           std::span<const QueuedPhase* const> active) const {
    if (at_[key] == kNoNode) return std::nullopt;
    return wanted_port(topology_, demand_, class_index_,
                       static_cast<std::uint32_t>(key / program_.halves), at_[key], active);
  }

  void count_waiting(std::span<const QueuedPhase* const> active, std::uint64_t& max_queue) {
    waiting_.resize(topology_.link_slots(), 0);
    touched_.clear();
    for (std::size_t key = 0; key < at_.size(); ++key) {
      const std::optional<Port> port = wanted(key, active);
      if (!port) continue;
      const LinkId link = topology_.link(at_[key], *port);
      touched_.push_back(link);
      max_queue = std::max<std::uint64_t>(max_queue, ++waiting_[link]);
    }
    for (const LinkId link : touched_) waiting_[link] = 0;
  }

  const Topology& topology_;
  const Demand& demand_;
  const QueuedProgram& program_;
  int class_index_;
  /// Start of the class's last broadcast phase: its arrivals are never forwarded.
  std::uint64_t last_broadcast_ = 0;
  bool keep_arrivals_ = true;
  /// By key: packet id; where the packet is until the broadcasts begin (kNoNode: lost).
  std::vector<PacketId> id_;
  std::vector<NodeId> at_;
  /// Per node: the keys it holds; the first own_[node] of them at the start of the phase.
  std::vector<std::vector<std::uint32_t>> held_;
  std::vector<std::uint32_t> own_;
  std::array<Direction, 2> directions_;
  std::vector<std::uint32_t> waiting_;
  std::vector<LinkId> touched_;
};

/// Routers of the exchange: per out-port a FIFO for first legs, which has priority, and one for
/// second legs.
class ExchangeRouters {
 public:
  explicit ExchangeRouters(const Plan& plan)
      : topology_(plan.topology),
        demand_(plan.demand),
        program_(plan.program.as<QueuedProgram>()),
        queues_(topology_.link_slots() * 2),
        length_(topology_.link_slots(), 0),
        on_link_(topology_.link_slots(), kNone) {}

  /// `rows` and `columns` have the active nodes of every node's row and column.
  void load(const PrefixUnit& rows, const PrefixUnit& columns) {
    const bool gather = demand_.to == Destination::kEachSource;
    packets_.reserve(demand_.sources.size() * (std::size_t{topology_.nodes()} - 1));
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (const NodeId destination : exchange_order(topology_, demand_, program_, node)) {
        const NodeId active = gather ? destination : node;
        if (rows.missing(active) || columns.missing(active)) continue;
        const bool x_first = begins_along_x(topology_, demand_, program_, rows.total(active),
                                            columns.total(active), gather ? node : destination);
        packets_.push_back({node, destination, kNone, x_first});
        enqueue(node, static_cast<std::uint32_t>(packets_.size() - 1));
      }
    }
  }

  [[nodiscard]] bool drained() const { return waiting_ == 0; }

  void step(LinkBoard& board, std::uint64_t& max_queue) {
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (Port port = 0; port < 4; ++port) {
        const LinkId link = topology_.link(node, port);
        on_link_[link] = kNone;
        if (length_[link] == 0) continue;
        max_queue = std::max<std::uint64_t>(max_queue, length_[link]);
        const std::uint32_t packet = pop(link);
        if (board.send(node, port, id(packet))) on_link_[link] = packet;
      }
    }
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      for (Port in_port = 0; in_port < 4; ++in_port) {
        const NodeId from = walk.neighbor(in_port);
        if (from == kNoNode) continue;
        const std::uint32_t packet = on_link_[topology_.link(from, opposite(in_port))];
        if (packet != kNone) enqueue(walk.node(), packet);
      }
    }
  }

 private:
  struct Packet {
    NodeId origin = 0;
    NodeId destination = 0;
    std::uint32_t next = kNone;
    bool x_first = true;
  };
  struct Queue {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
  };

  [[nodiscard]] PacketId id(std::uint32_t packet) const {
    return PacketId{packets_[packet].origin} * topology_.nodes() + packets_[packet].destination;
  }

  void enqueue(NodeId node, std::uint32_t index) {
    Packet& packet = packets_[index];
    if (packet.destination == node) return;
    const ExchangeLeg leg = exchange_leg(topology_, node, packet.destination, packet.x_first);
    const LinkId link = topology_.link(node, leg.port);
    Queue& queue = queues_[std::size_t{link} * 2 + (leg.first ? 0 : 1)];
    packet.next = kNone;
    (queue.head == kNone ? queue.head : packets_[queue.tail].next) = index;
    queue.tail = index;
    ++length_[link];
    ++waiting_;
  }

  std::uint32_t pop(LinkId link) {
    Queue& first = queues_[std::size_t{link} * 2];
    Queue& queue = first.head != kNone ? first : queues_[std::size_t{link} * 2 + 1];
    const std::uint32_t index = queue.head;
    queue.head = packets_[index].next;
    --length_[link];
    --waiting_;
    return index;
  }

  const Topology& topology_;
  const Demand& demand_;
  const QueuedProgram& program_;
  std::vector<Packet> packets_;
  /// Two a link: first legs, second legs.
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> length_;
  std::vector<std::uint32_t> on_link_;
  std::uint64_t waiting_ = 0;
};

class FastQueuedEngine final : public Engine {
 public:
  explicit FastQueuedEngine(const Plan& plan)
      : plan_(plan),
        topology_(plan.topology),
        demand_(plan.demand),
        program_(plan.program.as<QueuedProgram>()),
        sources_(plan.demand.sources_in(plan.topology)),
        prefix_steps_(program_.prefix_steps()),
        last_step_(program_.last_step(demand_)),
        board_(topology_),
        class_round_(topology_, 0) {
    for (int c = 0; c < program_.classes; ++c) units_.emplace_back(topology_, c);
    exchanges_ = std::any_of(
        program_.phases.begin(), program_.phases.end(),
        [](const QueuedPhase& phase) { return phase.kind == QueuedPhaseKind::kExchange; });
    begin_step();
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }

  [[nodiscard]] LinkView links() override {
    send();
    const bool counts = observed_ && !done_;
    return {.cycle = executed_.cycles,
            .step = counts ? step_ : 0,
            .begins = counts && cycle_of_step_ == 0,
            .packets = board_.links()};
  }

  void clock(std::uint64_t cycles) override {
    while (cycles > 0 && !done_) {
      send();
      const std::uint64_t part = std::min(cycles, 1 + quiet());
      cycles -= part;
      executed_.cycles += part;
      cycle_of_step_ += part;
      if (cycle_of_step_ < step_cycles_) return;
      if (observed_) {
        executed_.steps = step_;
        executed_.max_queue = max_queue_;
        executed_.link_conflicts = board_.conflicts();
      }
      begin_step();
    }
    executed_.cycles += cycles;
  }

  [[nodiscard]] std::uint64_t quiet() const override { return step_cycles_ - cycle_of_step_ - 1; }
  [[nodiscard]] bool done() const override { return done_; }
  [[nodiscard]] EngineStatistics statistics() const override { return executed_; }
  void force(LinkId link, PacketId packet) override {
    if (sent_ || packet != kNoPacket) {
      throw std::logic_error("links of queued plans break between steps, and deliver nothing");
    }
    board_.break_link(link);
  }

  [[nodiscard]] PrefixResult prefix(int class_index, NodeId node) const override {
    const PrefixUnit& unit = units_.at(static_cast<std::size_t>(class_index));
    return {unit.before(node), unit.total(node)};
  }

 private:
  /// The next step, on the clock of prefix steps or on that of sub-steps.
  void begin_step() {
    cycle_of_step_ = 0;
    sent_ = false;
    board_.clear();
    if (!observed_ && (step_ == prefix_steps_ || demand_.is_counts())) {
      observed_ = true;
      step_ = 0;
      if (!demand_.is_counts()) load();
    }
    step_cycles_ =
        observed_ && !demand_.is_counts() ? program_.substep_flits() : program_.clock.prefix_flits;
    done_ = observed_ && (exchange_ ? exchange_->drained() : step_ >= last_step_);
    if (!done_) ++step_;
  }

  /// Puts the step's packets on the links when an observer reads them.
  void send() {
    if (sent_) return;
    sent_ = true;
    if (done_) return;
    if (observed_ && !demand_.is_counts()) {
      packet_step(step_);
    } else {
      prefix_step(step_);
    }
    board_.lose_broken();
  }

  /// The class of a source's packets, unless they are split.
  [[nodiscard]] int class_of(NodeId node) const {
    return class_of_source(topology_, program_, node, class_round_.before(node));
  }

  /// A message of the prefix is missing, so that the node's packets have no ranks.
  [[nodiscard]] bool missing(NodeId node) const {
    return class_round_.missing(node) ||
           std::any_of(units_.begin(), units_.end(),
                       [node](const PrefixUnit& unit) { return unit.missing(node); });
  }
  /// Own packets of each node that the prefix of a class counts.
  [[nodiscard]] std::vector<std::uint32_t> counted(int class_index, bool all) const {
    std::vector<std::uint32_t> own(topology_.nodes(), 0);
    for (const DemandSource& source : sources_) {
      if (all || class_of(source.node) == class_index) {
        own[source.node] = program_.packets_of(source.pieces, demand_);
      }
    }
    return own;
  }

  void prefix_step(std::uint64_t step) {
    for (const QueuedPhase& phase : program_.phases) {
      if (!phase.is_prefix() || step < phase.start || step > phase.last()) continue;
      PrefixUnit& unit = phase.class_round ? class_round_ : units_[phase.class_index];
      if (!unit.started()) {
        unit.start(
            counted(phase.class_index, phase.class_round || !deals_packets(program_, demand_)),
            phase.class_round ? nullptr : &class_round_);
      }
      unit.step(phase, step - phase.start, board_, program_.classes);
      max_queue_ = 1;
    }
  }

  void load() {
    max_queue_ = 0;
    if (exchanges_) {
      exchange_ = std::make_unique<ExchangeRouters>(plan_);
      exchange_->load(units_[0], units_[1]);
      return;
    }
    for (int c = 0; c < program_.classes; ++c) load_class(c);
  }

  void load_class(int c) {
    ClassRouters& routers = classes_.emplace_back(plan_, c);
    const bool split = program_.class_rule == QueuedClassRule::kSplit;
    const bool ranked = units_[static_cast<std::size_t>(c)].started();
    std::vector<DemandSource> members;
    for (const DemandSource& source : sources_) {
      if (missing(source.node)) continue;
      if (split || class_of(source.node) == c) members.push_back(source);
    }
    // Without a prefix every node is active, so every node knows the ranks.
    if (!ranked && c != 0) {
      std::sort(members.begin(), members.end(), [&](const auto& a, const auto& b) {
        return rotated_id(topology_, a.node, c) < rotated_id(topology_, b.node, c);
      });
    }
    std::uint64_t all = 0;
    for (const DemandSource& source : sources_) all += program_.packets_of(source.pieces, demand_);
    std::uint32_t rank = 0;
    for (const DemandSource& source : members) {
      if (ranked) rank = units_[static_cast<std::size_t>(c)].before(source.node);
      const std::uint32_t packets = program_.packets_of(source.pieces, demand_);
      for (std::uint32_t i = 0; i < packets; ++i, ++rank) {
        // Only a wrong program's prefix counts more packets than there are: they are lost.
        if (rank >= all) break;
        const PacketId part =
            split ? (PacketId{i} * program_.classes + static_cast<PacketId>(c)) * program_.halves
                  : i;
        routers.load(rank, source.node, PacketId{source.node} * demand_.pieces + part);
      }
    }
  }

  void packet_step(std::uint64_t step) {
    if (exchange_) {
      exchange_->step(board_, max_queue_);
      return;
    }
    // Phases are in order of class.
    std::vector<const QueuedPhase*>& moving = moving_;
    moving.clear();
    const auto move = [&] {
      if (moving.empty()) return;
      classes_[moving.front()->class_index].move(moving, step, board_, max_queue_);
      moving.clear();
    };
    for (const QueuedPhase& phase : program_.phases) {
      if (phase.is_prefix() || step < phase.start || step > phase.last()) continue;
      if (!moving.empty() && moving.front()->class_index != phase.class_index) move();
      if (phase.kind == QueuedPhaseKind::kBroadcast) {
        ClassRouters& routers = classes_[phase.class_index];
        if (step == phase.start) routers.start_broadcast(phase, max_queue_);
        routers.broadcast(phase, board_);
      } else {
        moving.push_back(&phase);
      }
    }
    move();
  }

  const Plan& plan_;
  const Topology& topology_;
  const Demand& demand_;
  const QueuedProgram& program_;
  std::vector<DemandSource> sources_;
  std::uint64_t prefix_steps_;
  std::uint64_t last_step_;
  LinkBoard board_;
  /// The round over all active nodes; never started when packets are not dealt to classes by rank.
  PrefixUnit class_round_;
  std::vector<PrefixUnit> units_;
  bool exchanges_ = false;
  std::vector<ClassRouters> classes_;
  std::unique_ptr<ExchangeRouters> exchange_;
  std::vector<const QueuedPhase*> moving_;
  /// The step that the links carry, on the clock that runs, from 1; how long it lasts, and how many
  /// of its cycles are executed.
  std::uint64_t step_ = 0;
  std::uint64_t step_cycles_ = 1;
  std::uint64_t cycle_of_step_ = 0;
  /// The step's packets are on the links.
  bool sent_ = false;
  /// The clock runs whose steps count.
  bool observed_ = false;
  bool done_ = false;
  /// The present step included; executed_ is not.
  std::uint64_t max_queue_ = 0;
  EngineStatistics executed_;
};

}  // namespace

std::unique_ptr<Engine> make_queued_engine(const Plan& plan) {
  return std::make_unique<FastQueuedEngine>(plan);
}

}  // namespace gossamer
