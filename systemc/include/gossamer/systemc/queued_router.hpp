// SPDX-License-Identifier: Apache-2.0
/// The store-and-forward router of queued programs as a module: queues and priorities, no table.
///
/// Its links are those of the arena-backed network (arena.hpp); what a packet's header says beside
/// its number lies in an array of the QueuedNetwork (queued_network.hpp), which steps the routers
/// that have something to do.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <systemc>
#include <unordered_set>
#include <vector>

#include "gossamer/sim/engine.hpp"
#include "gossamer/systemc/arena.hpp"
#include "gossamer/systemc/prefix_unit.hpp"

namespace gossamer::systemc {

/// The header of a packet on a link.
struct QueuedHeader {
  /// The phase in which it was sent, an index into the program's: told by the barriers, no wire.
  std::uint32_t phase = 0;
  /// Prefix: the count. Packets of a class: class rank * halves + half. Exchange: 1, begin with x.
  std::uint32_t value = 0;
  /// Prefix on its way back: M. Broadcast: hops left behind this link.
  std::uint32_t extra = 0;
};

struct QueuedFlit {
  PacketId packet = kNoPacket;
  QueuedHeader header;
};

/// One out-register per port, written at the edge that begins a step. The packet of a second writer
/// in the same step is lost and counted, as on a real link.
class QueuedOutputs {
 public:
  explicit QueuedOutputs(std::size_t ports) : flits_(ports) {}
  /// False when the register is taken.
  bool put(Port port, PacketId packet, const QueuedHeader& header) {
    if (flits_[port].packet != kNoPacket) {
      ++conflicts_;
      return false;
    }
    flits_[port] = {packet, header};
    return true;
  }
  /// What all registers hold; empties them.
  template <typename Visit>
  void take(Visit visit) {
    for (std::size_t port = 0; port < flits_.size(); ++port) {
      if (flits_[port].packet == kNoPacket) continue;
      visit(static_cast<Port>(port), flits_[port]);
      flits_[port].packet = kNoPacket;
    }
  }
  [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }

 private:
  std::vector<QueuedFlit> flits_;
  std::uint64_t conflicts_ = 0;
};

/// A broadcast stage of one direction of a line or ring: what passes goes before own packets.
struct LineStage {
  /// Index of the next own packet, among those held when the phase began.
  std::uint32_t next_own = 0;
  /// What the step before brought in, travelling this way; no hops left: nothing.
  PacketId packet = kNoPacket;
  std::uint32_t key = 0;
  std::uint32_t hops = 0;
};

class QueuedRouter final : public sc_core::sc_module {
 public:
  /// The links that enter and leave, by port; bound in ascending order.
  sc_core::sc_port<LinkInterface, 0> in{"in"};
  sc_core::sc_port<LinkInterface, 0> out{"out"};

  /// The router of `node`; `moves` are those that leave it. The plan, a QueuedProgram's, must
  /// outlive it.
  QueuedRouter(const sc_core::sc_module_name& name, const Plan& plan, NodeId node,
               std::vector<QueuedMove> moves);

  /// Holds nothing and knows nothing.
  void clear();
  /// The barrier between the prefix steps and the sub-steps: takes its own packets into its queues.
  /// `fixed_ranks`: by class the rank of its first packet, for classes without a prefix. `x_first`:
  /// for each destination of exchange_order(), which leg is first.
  void load(std::span<const std::uint32_t> fixed_ranks, const std::vector<bool>& x_first);
  /// The barrier at which the phase begins.
  void begin(std::size_t phase);
  /// The edge that ends a step: a packet came in by `in_port`.
  void receive(Port in_port, const QueuedFlit& flit);
  /// The edge that begins `step` of the phases `active`, ascending: decides what goes on the links.
  void send(std::uint64_t step, std::span<const std::size_t> active, QueuedOutputs& outputs);
  /// It will act in the next step even if nothing arrives, no phase begins and no move is listed.
  [[nodiscard]] bool busy() const { return busy_; }

  [[nodiscard]] PrefixResult prefix(int class_index) const;
  /// The most packets that have waited at an out-port since load() or, before it, since clear().
  [[nodiscard]] std::uint64_t max_queue() const { return max_queue_; }

 private:
  /// A packet (or half) of a class in this router.
  struct Held {
    std::uint32_t key = 0;
    PacketId packet = kNoPacket;
  };
  /// What the router has for the packets of one class.
  struct ClassQueues {
    /// Ascending key while packets are moved and when a broadcast begins; arrivals of a broadcast
    /// behind.
    std::vector<Held> held;
    /// Those held when the broadcast phase began.
    std::uint32_t own = 0;
    /// Downward, upward.
    std::array<LineStage, 2> stages;
    /// What the broadcast brings in is sent on in a later phase.
    bool keep_arrivals = true;
  };
  struct ExchangePacket {
    PacketId packet = kNoPacket;
    bool x_first = false;
  };
  /// First legs go before second legs.
  struct ExchangeQueues {
    std::deque<ExchangePacket> first;
    std::deque<ExchangePacket> second;
  };

  [[nodiscard]] std::uint32_t digit(int dim) const {
    return coordinates_[static_cast<std::size_t>(dim)];
  }
  [[nodiscard]] int class_of_own() const;
  [[nodiscard]] PrefixUnit& unit(const QueuedPhase& phase);
  /// A link leads on in this direction of a phase's line or ring.
  [[nodiscard]] bool leads_on(int dim, bool positive) const;
  void measure(std::uint64_t waiting);
  void begin_prefix(const QueuedPhase& phase);
  void begin_broadcast(const QueuedPhase& phase);
  void load_class(int class_index, std::uint32_t fixed_rank);
  void insert(ClassQueues& queues, Held held);
  void queue_exchange(const ExchangePacket& packet);
  void send_prefix(std::size_t phase, QueuedOutputs& outputs);
  void send_moving(std::uint64_t step, std::span<const std::size_t> active, QueuedOutputs& outputs);
  void send_broadcast(std::size_t phase, QueuedOutputs& outputs);
  void send_exchange(std::size_t phase, QueuedOutputs& outputs);
  void send_listed(std::uint64_t step, std::size_t phase, QueuedOutputs& outputs);

  const Topology* topology_;
  const Demand* demand_;
  const QueuedProgram* program_;
  NodeId node_;
  Coordinates coordinates_;
  std::uint32_t own_packets_ = 0;
  PrefixUnit class_round_;
  std::vector<PrefixUnit> units_;
  std::vector<ClassQueues> classes_;
  /// By out-port; none where there is no exchange phase.
  std::vector<ExchangeQueues> exchange_;
  /// Programs of moves: what is here, this router's moves, and the next of them.
  std::unordered_set<PacketId> storage_;
  std::vector<QueuedMove> moves_;
  std::size_t next_move_ = 0;
  std::uint64_t max_queue_ = 0;
  bool busy_ = false;
};

}  // namespace gossamer::systemc
