// SPDX-License-Identifier: Apache-2.0
/// The tile of elastic streams (machines/elastic/program.hpp) as a module of the fabric: a router
/// that waits for its neighbours, the queues and relay stages after its out-ports, and an element.
/// The element offers own flits and accepts arrivals as its stall script permits.
///
/// A fabric of registered words can carry a handshake, since no signal of it crosses a router
/// within a cycle. valid is a register, and ready is a function of registers and gates, so both are
/// driven at the edge before the cycle in which they are used. A link's valid and data travel with
/// the word of its own out-port; its ready returns with the word of the out-port in the opposite
/// direction.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "gossamer/sim/engines.hpp"
#include "gossamer/systemc/elastic/element.hpp"
#include "gossamer/systemc/fabric.hpp"

namespace gossamer::systemc {

/// The output of an out-port: its flit, and whether the in-port of the same direction takes the
/// neighbour's flit in this cycle, if there is one.
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
      sc_core::sc_trace(file, word.flit.value, link + ".value");
    }
    void show(const ElasticWord& shown) { word = shown; }
  };
};

using ElasticFabric = Fabric<ElasticWord>;
extern template class Fabric<ElasticWord>;

/// A queue whose valid and ready are registers: a pushed flit and a freed place are visible in the
/// next cycle. With two slots it is a relay stage.
class ElasticQueue {
 public:
  explicit ElasticQueue(std::size_t slots) : slots_(slots) {}

  void clear() { flits_.clear(); }
  [[nodiscard]] bool ready() const { return flits_.size() < slots_; }
  [[nodiscard]] bool valid() const { return !flits_.empty(); }
  /// Only when valid.
  [[nodiscard]] const ElasticFlit& front() const { return flits_.front(); }
  /// One clock edge; pop only if valid, push only if ready.
  void clock(bool pop, const std::optional<ElasticFlit>& push) {
    if (pop) flits_.pop_front();
    if (push) flits_.push_back(*push);
  }

 private:
  std::size_t slots_;
  std::deque<ElasticFlit> flits_;
};

/// A node of an elastic program except its router, which a derived class adds: the element with its
/// stall script, and the relay stages along the outgoing links.
class ElasticTile : public RouterModule<ElasticWord> {
 public:
  ElasticTile(const sc_core::sc_module_name& name, std::shared_ptr<const ElasticTiles> tiles,
              NodeId node);

  void clear() final;
  std::uint64_t clock(const Edge<ElasticWord>& edge) override;
  /// The router took or delivered a flit although its pins of the previous cycle excluded it.
  [[nodiscard]] bool error() const final { return error_; }

  /// Breaks an outgoing link: it takes every flit that is sent on it.
  void break_out(Port out) { outs_[out].broken = true; }
  /// Breaks an incoming link: regardless of its input it delivers nothing (kNoPacket) or `packet`.
  void break_in(Port in, PacketId packet) { element_.break_in(in, packet); }
  /// A broken link has a flit to deliver, as long as the router takes any.
  [[nodiscard]] bool brings_garbage(Port in) const { return element_.garbage(in).has_value(); }

  /// A transfer took place at the last edge.
  [[nodiscard]] bool moved() const { return moved_; }
  /// In this cycle or a later one an own flit, or a flit between two stages of a link, can move
  /// although no other node is active.
  [[nodiscard]] bool can_go() const;
  /// The same for arrivals at an in-port.
  [[nodiscard]] bool can_take(Port in) const;
  /// Flits that have been pushed at an out-port: own flits and passed-on arrivals.
  [[nodiscard]] std::uint64_t pushed(Port out) const { return element_.pushed(out); }
  [[nodiscard]] std::uint64_t taken(Port in) const { return element_.taken(in); }
  /// Arrivals at the last edge (ElasticElement::results).
  [[nodiscard]] const std::vector<Result>& results() const { return element_.results(); }

 protected:
  /// The state after reset, after the first edge.
  virtual void clear_router() = 0;
  /// Computes the outputs of `pins_` from its inputs and the registers.
  virtual void settle_router() = 0;
  /// One rising clock edge with the settled pins; may leave the outputs as they are.
  virtual void clock_router() = 0;

  /// The result of an adder (ElasticElement::added).
  [[nodiscard]] ElasticFlit added(const ElasticFlit& arriving, const ElasticFlit& own) const {
    return element_.added(arriving, own);
  }

 private:
  std::shared_ptr<const ElasticTiles> tiles_;
  NodeId node_;
  ElasticElement element_;

 protected:
  const ElasticRouterTable& table_;
  ElasticRouterPins pins_;

 private:
  struct OutPort {
    /// Relay stages after the router's queue.
    std::vector<ElasticQueue> stages;
    /// An own flit is offered.
    bool offered = false;
    bool broken = false;
  };
  struct InPort {
    /// The link continues to show its current flit.
    bool shown = false;
  };

  void reset_element();
  /// The flits at the ends of the incoming links, and whether the receivers of the outgoing links
  /// take theirs.
  [[nodiscard]] ElasticWord arriving(const Edge<ElasticWord>& edge, Port in) const;
  [[nodiscard]] bool takes(const Edge<ElasticWord>& edge, Port out) const {
    return outs_[out].broken || edge.in(out).ready;
  }
  void show_arrivals(const Edge<ElasticWord>& edge);
  void offer_own();
  void move_along_links(const Edge<ElasticWord>& edge);
  void count_handshakes();
  /// It has an own flit for the out-port, and offers it now or later.
  [[nodiscard]] bool can_offer(Port out) const;
  void drive(const Edge<ElasticWord>& edge);

  std::vector<OutPort> outs_;
  std::vector<InPort> ins_;
  /// In-ports whose next arrival the router takes if element and link permit it, and in-ports that
  /// have reported this to their neighbours.
  PortSet open_;
  PortSet ready_;
  /// The current cycle; 0 is the first in which own flits may leave.
  std::uint64_t cycle_ = 0;
  bool moved_ = false;
  bool error_ = false;
};

/// `gsm_elastic_router` in SystemC: counters of flits, and queues by out-port.
class ElasticRouter : public ElasticTile {
 public:
  ElasticRouter(const sc_core::sc_module_name& name, std::shared_ptr<const ElasticTiles> tiles,
                NodeId node);

 private:
  void clear_router() override;
  void settle_router() override;
  void clock_router() override;

  ElasticCounters counters_;
  std::vector<ElasticQueue> queues_;
};

/// Creates a node's tile; its constructor needs the name.
using ElasticTileFactory = std::function<std::unique_ptr<ElasticTile>(
    const char* name, const std::shared_ptr<const ElasticTiles>& tiles, NodeId node)>;

/// An engine called `name` whose tiles `make_tile` creates.
[[nodiscard]] std::unique_ptr<Engine> make_elastic_fabric_engine(
    const Plan& plan, std::string name, const ElasticTileFactory& make_tile,
    const EngineOptions& options);

}  // namespace gossamer::systemc
