// SPDX-License-Identifier: Apache-2.0
/// The store-and-forward router of queued programs as a module: queues and priorities, no table.
///
/// A cycle of its fabric is a step, regardless of its number of flits. At the edge between two
/// steps, a router takes the words at its in-ports. It then selects the next words for all
/// out-ports. The prefix comes first. It is followed by one cycle in which no link is used, so that
/// all nodes know all prefixes at the edge that loads the queues.
#pragma once

#include <deque>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <unordered_set>
#include <vector>

#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/fabric.hpp"
#include "gossamer/systemc/queued/prefix_unit.hpp"

namespace gossamer::systemc {

/// The content of a link in a step.
struct QueuedWord {
  PacketId packet = kNoPacket;
  /// The header. The phase in which it was sent, an index into the program's phases. It is known
  /// from the barriers, not from a wire.
  std::uint32_t phase = 0;
  /// Prefix: the count. Packets of a class: class rank * halves + half. Exchange: 1, begin with x.
  std::uint32_t value = 0;
  /// Prefix on the way back: M. Broadcast: hops left after this link.
  std::uint32_t extra = 0;

  bool operator==(const QueuedWord&) const = default;
};

std::ostream& operator<<(std::ostream& out, const QueuedWord& word);
void sc_trace(sc_core::sc_trace_file* file, const QueuedWord& word, const std::string& name);

template <>
struct WordTraits<QueuedWord> {
  static constexpr QueuedWord kIdle{};
  [[nodiscard]] static bool is_idle(const QueuedWord& word) { return word.packet == kNoPacket; }
  static void upset(QueuedWord& word, const Upset& upset) {
    word.packet = upset.apply(word.packet);
  }
  struct Wave : WordTraits<PacketId>::Wave {
    void show(const QueuedWord& word) { WordTraits<PacketId>::Wave::show(word.packet); }
  };
};

using QueuedFabric = Fabric<QueuedWord>;
extern template class Fabric<QueuedWord>;
using QueuedEdge = Edge<QueuedWord>;

class QueuedTile;

/// State shared by the tiles of one network: the prepared plan, and counters over all tiles.
struct QueuedTiles {
  /// `plan` must hold a QueuedProgram and outlive this object.
  explicit QueuedTiles(const Plan& plan);

  /// A step that begins at an edge, and its phases in ascending order.
  struct Step {
    /// From 1; counts prefix steps before load_cycle.
    std::uint64_t number = 0;
    std::vector<std::size_t> phases;
  };
  /// The step that begins at the edge that ends `cycle`.
  [[nodiscard]] const Step& begun(std::uint64_t cycle);
  [[nodiscard]] std::uint64_t number(std::uint64_t cycle) const {
    return cycle < load_cycle ? cycle + 1 : cycle - load_cycle + 1;
  }

  const Plan& plan;
  const QueuedProgram& program;
  /// The cycle at whose end packets are loaded, for sub-step 1; kUntilArrival if only counts are
  /// computed.
  std::uint64_t load_cycle;
  /// The last cycle of the prefix; 0 without a prefix.
  std::uint64_t prefix_end;
  /// The cycles at whose end the prefix is over, packets are loaded or a phase begins: for
  /// FabricOptions.
  std::vector<std::uint64_t> barriers;
  /// An online exchange or gather: it ends when no packet moves any more.
  bool exchanges = false;
  /// By class without a prefix, by node: the class rank of its first packet.
  std::vector<std::vector<std::uint32_t>> ranks;
  /// By node.
  std::vector<const QueuedTile*> nodes;
  /// The largest number of packets that waited at an out-port, on the clock of the engine.
  std::uint64_t max_queue = 0;
  /// Packets lost because another one occupied the link.
  std::uint64_t conflicts = 0;

 private:
  void find_ranks();

  Step begun_;
  std::uint64_t begun_at_ = kUntilArrival;
};

/// A broadcast stage of one direction of a line or ring: passing packets go before own packets.
struct LineStage {
  /// Index of the next own packet, among those held when the phase began.
  std::uint32_t next_own = 0;
  /// The arrival of the previous step in this direction; without hops left: none.
  PacketId packet = kNoPacket;
  std::uint32_t key = 0;
  std::uint32_t hops = 0;
};

/// A node of a network of queued routers with its router, a model or Verilated.
class QueuedTile : public RouterModule<QueuedWord> {
 public:
  QueuedTile(const sc_core::sc_module_name& name, std::shared_ptr<QueuedTiles> tiles, NodeId node);

  /// Drops all packets and all prefix results.
  void clear() override;
  /// It has lost a packet, or its prefix is incomplete.
  [[nodiscard]] bool error() const override { return error_; }
  /// The result of the prefix of a class at this node.
  [[nodiscard]] virtual PrefixResult prefix(int class_index) const = 0;
  /// A message of the prefix is missing, so its result is invalid.
  [[nodiscard]] virtual bool missing() const = 0;

 protected:
  /// Records that `waiting` packets wait at an out-port.
  void measure(std::uint64_t waiting);
  /// The packet of a second writer in the same step is lost and counted, as on a real link.
  void put(const QueuedEdge& edge, Port port, const QueuedWord& word);

  std::shared_ptr<QueuedTiles> tiles_;
  NodeId node_;
  /// Whole packets, or counted packets.
  std::uint32_t own_packets_;
  bool error_ = false;
};

/// Creates a node's tile; its constructor needs the name.
using QueuedTileFactory = std::function<std::unique_ptr<QueuedTile>(
    const char* name, const std::shared_ptr<QueuedTiles>& tiles, NodeId node)>;
/// An engine called `name` for a queued plan whose tiles `make_tile` creates.
[[nodiscard]] std::unique_ptr<Engine> make_queued_fabric_engine(const Plan& plan, std::string name,
                                                                const QueuedTileFactory& make_tile,
                                                                const EngineOptions& options);

class QueuedRouter final : public QueuedTile {
 public:
  QueuedRouter(const sc_core::sc_module_name& name, const std::shared_ptr<QueuedTiles>& tiles,
               NodeId node);

  void clear() override;
  std::uint64_t clock(const QueuedEdge& edge) override;
  void clock_run(RouterRun<QueuedWord>& run) override { run.clock_as<QueuedRouter>(); }
  [[nodiscard]] PrefixResult prefix(int class_index) const override;
  [[nodiscard]] bool missing() const override;

 private:
  /// A packet (or half) of a class in this router.
  struct Held {
    std::uint32_t key = 0;
    PacketId packet = kNoPacket;
  };
  /// Packets of one class in this router.
  struct ClassQueues {
    /// In ascending order of keys while packets are moved and when a broadcast begins; arrivals of
    /// a broadcast come after them.
    std::vector<Held> held;
    /// Number of packets held when the broadcast phase began.
    std::uint32_t own = 0;
    /// Downward, upward.
    std::array<LineStage, 2> stages;
    /// A later phase sends on the arrivals of the broadcast.
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
  /// There is a link in this direction of a phase's line or ring.
  [[nodiscard]] bool leads_on(int dim, bool positive) const;
  /// A packet arrives at `in_port`.
  void receive(Port in_port, const QueuedWord& word);
  /// Puts its own packets into its queues.
  void load();
  void load_class(int class_index, std::uint32_t fixed_rank);
  void insert(ClassQueues& queues, Held held);
  void queue_exchange(const ExchangePacket& packet);
  /// The barrier at which the phase begins.
  void begin(const QueuedPhase& phase);
  void begin_prefix(const QueuedPhase& phase);
  void begin_broadcast(const QueuedPhase& phase);
  /// Selects the words of the links in a step.
  void send(const QueuedTiles::Step& step, const QueuedEdge& edge);
  void send_prefix(std::size_t phase, const QueuedEdge& edge);
  void send_moving(std::uint64_t step, std::span<const std::size_t> active, const QueuedEdge& edge);
  void send_broadcast(std::size_t phase, const QueuedEdge& edge);
  void send_exchange(std::size_t phase, const QueuedEdge& edge);
  void send_listed(std::uint64_t step, std::size_t phase, const QueuedEdge& edge);

  const Topology* topology_;
  const Demand* demand_;
  const QueuedProgram* program_;
  Coordinates coordinates_;
  PrefixUnit class_round_;
  std::vector<PrefixUnit> units_;
  std::vector<ClassQueues> classes_;
  /// By out-port; empty without an exchange phase.
  std::vector<ExchangeQueues> exchange_;
  /// It must send in the next step even if no packet arrives and no phase begins.
  bool busy_ = false;
};

}  // namespace gossamer::systemc
