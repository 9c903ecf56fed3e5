// SPDX-License-Identifier: Apache-2.0
/// The tile of elastic streams (plan/elastic.hpp) as a module of the fabric: a router that waits
/// for its neighbours, the queues and relay stages behind its out-ports, and an element that offers
/// own flits and accepts arrivals when a stall script lets it.
///
/// A handshake fits a fabric of registered words because nothing of it crosses a router within a
/// cycle: valid is a register, and ready is a function of registers and gates, so both are driven
/// at the edge before the cycle in which they count. A link's valid and data travel with the word
/// of its own out-port; its ready travels back with the word of the out-port that leads the other
/// way.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

#include "gossamer/sim/stall_script.hpp"
#include "gossamer/systemc/engine.hpp"
#include "gossamer/systemc/fabric.hpp"

namespace gossamer::systemc {

/// What a link moves.
struct ElasticFlit {
  PacketId packet = kNoPacket;
  /// Number within the packet's message.
  std::uint32_t flit = 0;

  bool operator==(const ElasticFlit&) const = default;
};

/// What an out-port drives: its flit, and whether the in-port of the same direction takes the
/// neighbour's in this cycle, if it has one.
struct ElasticWord {
  bool valid = false;
  bool ready = false;
  ElasticFlit flit;

  bool operator==(const ElasticWord&) const = default;
};
std::ostream& operator<<(std::ostream& out, const ElasticWord& word);
void sc_trace(sc_core::sc_trace_file* file, const ElasticWord& word, const std::string& name);

template <>
struct WordTraits<ElasticWord> {
  static constexpr ElasticWord kIdle{};
  [[nodiscard]] static bool is_idle(const ElasticWord& word) { return !word.valid && !word.ready; }
  static void upset(ElasticWord& word, const Upset& upset) {
    if (upset.drop) {
      word.valid = false;
    } else {
      word.flit.packet ^= upset.flip;
    }
  }
  struct Wave {
    ElasticWord word;
    void trace(sc_core::sc_trace_file* file, const std::string& link) const {
      sc_core::sc_trace(file, word.valid, link + ".valid");
      sc_core::sc_trace(file, word.ready, link + ".ready_back");
      sc_core::sc_trace(file, word.flit.packet, link + ".packet");
      sc_core::sc_trace(file, word.flit.flit, link + ".flit");
    }
    void show(const ElasticWord& shown) { word = shown; }
  };
};

/// A queue whose valid and ready are registers: what is pushed in a cycle shows in the next, and so
/// does the place that is left by a pop. With two slots it is a relay stage.
class ElasticQueue {
 public:
  explicit ElasticQueue(std::size_t slots) : slots_(slots) {}

  void clear() { flits_.clear(); }
  [[nodiscard]] bool ready() const { return flits_.size() < slots_; }
  [[nodiscard]] bool valid() const { return !flits_.empty(); }
  /// Only when valid.
  [[nodiscard]] const ElasticFlit& front() const { return flits_.front(); }
  [[nodiscard]] std::size_t held() const { return flits_.size(); }
  /// A clock edge; pops only when valid and pushes only when ready was.
  void clock(bool pop, const std::optional<ElasticFlit>& push) {
    if (pop) flits_.pop_front();
    if (push) flits_.push_back(*push);
  }

 private:
  std::size_t slots_;
  std::deque<ElasticFlit> flits_;
};

/// Who may go when: a counter an in-port and one an out-port. An out-port sends its own chunk, then
/// passes on the first arrivals of its feed; the others an in-port takes whatever the out-ports do.
class ElasticRouter {
 public:
  ElasticRouter(const StreamProgram& program, const Topology& topology, NodeId node);

  void clear();
  /// The out-port has to send own flits before it passes on anything.
  [[nodiscard]] bool own_is_due(Port out) const { return outs_[out].sent < outs_[out].own; }
  /// The out-ports that have to pass on the next arrival.
  [[nodiscard]] PortSet passes(Port in) const;
  /// The next arrival can be taken when so many queues have room.
  [[nodiscard]] bool takes(Port in, PortSet room) const;
  /// A flit went, own or not.
  void sent(Port out);
  /// An arrival was taken.
  void took(Port in);

 private:
  struct Out {
    /// Flits of a round, how many of them are own ones, and how many have gone.
    std::uint64_t round = 0;
    std::uint64_t own = 0;
    std::uint64_t sent = 0;
  };
  struct In {
    std::uint64_t round = 0;
    std::uint64_t taken = 0;
    /// The out-ports that it feeds.
    PortSet feeds;
  };
  std::vector<Out> outs_;
  std::vector<In> ins_;
};

/// What all tiles have in common. The plan must outlive it.
struct ElasticTiles {
  ElasticTiles(const Plan& plan, StallScript script);

  const Plan& plan;
  StallScript stalls;
  /// By link slot.
  std::vector<std::uint32_t> latencies;
};

class ElasticTile final : public RouterModule<ElasticWord> {
 public:
  ElasticTile(const sc_core::sc_module_name& name, std::shared_ptr<const ElasticTiles> tiles,
              NodeId node);

  void clear() override;
  std::uint64_t clock(const Edge<ElasticWord>& edge) override;

  /// Something went on at the last edge.
  [[nodiscard]] bool moved() const { return moved_; }
  /// In this cycle or a later one an own flit or one between two stages of a link can go, though
  /// nobody else moves.
  [[nodiscard]] bool can_go() const;
  /// The same of what arrives at an in-port.
  [[nodiscard]] bool can_take(Port in) const;
  /// Flits behind an out-port that have not been taken at the far end.
  [[nodiscard]] std::size_t held(Port out) const;

 private:
  struct OutPort {
    Port port = 0;
    /// The queue, then relay stages.
    std::vector<ElasticQueue> stages;
    /// Own flits that are still to go, and the one that is on offer.
    PacketId packet = kNoPacket;
    std::uint32_t next_flit = 0;
    std::uint64_t left = 0;
    bool offered = false;
    /// What goes into the queue at this edge.
    std::optional<ElasticFlit> pushed;
  };
  struct InPort {
    Port port = 0;
    /// What the link shows stays shown.
    bool shown = false;
    /// What is driven in this cycle.
    bool ready = false;
  };

  [[nodiscard]] PortSet room() const;
  void offer_own();
  void take_arrivals(const Edge<ElasticWord>& edge);
  void move_along_links(const Edge<ElasticWord>& edge);
  void drive(const Edge<ElasticWord>& edge);

  std::shared_ptr<const ElasticTiles> tiles_;
  NodeId node_;
  ElasticRouter router_;
  std::vector<OutPort> outs_;
  std::vector<InPort> ins_;
  /// The cycle that goes on: 0 is the first in which own flits may go.
  std::uint64_t cycle_ = 0;
  bool moved_ = false;
};

/// The engine of elastic streams: an ElasticTile at every node.
[[nodiscard]] std::unique_ptr<Engine> make_systemc_elastic_engine(
    const Plan& plan, StallScript stalls, const SystemcOptions& options = {});

}  // namespace gossamer::systemc
