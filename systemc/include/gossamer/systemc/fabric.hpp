// SPDX-License-Identifier: Apache-2.0
/// The fabric: the common part of all networks of routers. It has links, their wiring by the
/// topology, clock, reset, clear, start, sleep and wake, waves, and fault injection.
///
/// A node is a RouterModule, whose main method is its clock edge. Model routers, Verilated ones and
/// a user's own derive from it. The fabric treats all of them alike, and does not depend on a plan.
///
/// A fabric has one of two forms, selected at construction, with the same routers and the same word
/// on every link in every cycle:
/// - Links in memory. The words of all links are in one array per cycle, and one process clocks the
///   routers that have work to do. If no router has, it sleeps.
/// - Links as signals. Every link is an sc_signal of a word; every router has its own pins and
///   process.
///
/// Timing: the cycle after the start edge is cycle 1. A word that a router drives at the edge that
/// ends cycle c is on the link in cycle c + 1 and at the neighbour's in-port in cycle
/// c + latency.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <memory_resource>
#include <queue>
#include <span>
#include <stdexcept>
#include <string>
#include <systemc>
#include <typeinfo>
#include <utility>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer::systemc {

/// Properties of the words that a fabric's links carry; specialised for each type of word. A word
/// on signals also needs operator==, operator<< and sc_trace.
template <typename Word>
struct WordTraits;

/// Packets by their numbers, or by 64 bits of data.
template <>
struct WordTraits<PacketId> {
  /// The word on an idle link.
  static constexpr PacketId kIdle = kNoPacket;
  [[nodiscard]] static bool is_idle(PacketId word) { return word == kNoPacket; }
  /// A fault in the link's register.
  static void upset(PacketId& word, const Upset& upset) { word = upset.apply(word); }
  /// The part of a link that waves show.
  struct Wave {
    bool valid = false;
    PacketId packet = 0;
    void trace(sc_core::sc_trace_file* file, const std::string& link) const {
      sc_core::sc_trace(file, valid, link + ".valid");
      sc_core::sc_trace(file, packet, link + ".packet");
    }
    void show(PacketId word) {
      valid = word != kNoPacket;
      if (valid) packet = word;
    }
  };
};

/// A router's view of its ports at a clock edge.
template <typename Word>
class Edge {
 public:
  Edge(std::uint64_t cycle, const Word* words, const LinkId* slots, Word* out)
      : cycle_(cycle), words_(words), slots_(slots), out_(out) {}

  /// The cycle that the edge ends; 0: the start edge.
  [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
  /// The word at in-port `port` in that cycle. In-port number `ports` is always idle.
  [[nodiscard]] const Word& in(std::size_t port) const { return words_[slots_[port]]; }
  /// The same with a slot instead of the port. slot(port) is constant for the lifetime of the
  /// router. A router that is only wires thus saves the lookup of the port's slot.
  [[nodiscard]] LinkId slot(std::size_t port) const { return slots_[port]; }
  [[nodiscard]] const Word& at(LinkId slot) const { return words_[slot]; }
  /// Drives an out-port in the next cycle. An out-port that is not driven is idle. Words for a port
  /// at the border of a mesh are lost.
  void drive(std::size_t port, const Word& word) const { out_[port] = word; }
  /// The word that the router drives so far.
  [[nodiscard]] const Word& out(std::size_t port) const { return out_[port]; }

  /// The view of the router `nodes` positions later, in a fabric with links in memory.
  [[nodiscard]] Edge ahead(std::size_t nodes, std::size_t ports) const {
    return {cycle_, words_, slots_ + nodes * (ports + 1), out_ + nodes * ports};
  }

 private:
  std::uint64_t cycle_;
  const Word* words_;
  const LinkId* slots_;
  Word* out_;
};

/// Return value of clock() when there is nothing to do until a word arrives.
inline constexpr std::uint64_t kUntilArrival = ~std::uint64_t{0};

template <typename Word>
class Fabric;
template <typename Word>
class RouterModule;

/// Routers of one class at consecutive nodes, at an edge at which all of them are clocked.
template <typename Word>
class RouterRun {
 public:
  /// Clocks each by Router::clock itself if their class is exactly Router, not a class derived from
  /// it: then the compiler sees the call.
  template <typename Router>
  void clock_as();

 private:
  friend class Fabric<Word>;
  /// The first node and the one after the last.
  NodeId first_ = 0;
  NodeId end_ = 0;
  Fabric<Word>* fabric_ = nullptr;
};

/// A node of the fabric: its router, with the rest of the tile (own packets, memory).
template <typename Word>
class RouterModule : public sc_core::sc_module {
 public:
  explicit RouterModule(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}

  /// Clear, or the moment before a start edge: drops the state of the round.
  virtual void clear() = 0;
  /// Reset: also drops state that outlives rounds.
  virtual void reset() { clear(); }
  /// One rising clock edge: reads the in-ports, drives the out-ports. Returns the next cycle at
  /// whose end the router must be clocked even without an arrival, or kUntilArrival. It may be
  /// clocked earlier; an edge without arrivals before that cycle must then have no effect. All
  /// routers are clocked at the start edge and at barriers. An exception stops the fabric
  /// (Fabric::check).
  virtual std::uint64_t clock(const Edge<Word>& edge) = 0;

  /// Clocks a run of routers of this router's class. Override it with clock_as<the class> if one
  /// virtual call per router would cost too much.
  virtual void clock_run(RouterRun<Word>& run) { run.template clock_as<RouterModule>(); }

  /// The router's error_o: a packet was lost, or an assertion failed (sticky).
  [[nodiscard]] virtual bool error() const { return false; }
  /// Packets lost since clear().
  [[nodiscard]] virtual std::uint64_t conflicts() const { return 0; }
  /// As EngineStatistics::max_queue, since clear().
  [[nodiscard]] virtual std::uint64_t max_queue() const { return 0; }
};

/// A link as a signal. Written by its router, and from outside when it is upset.
template <typename Word>
using LinkSignal = sc_core::sc_signal<Word, sc_core::SC_UNCHECKED_WRITERS>;

/// A router with pins: the form of the nodes in a fabric of signals.
template <typename Word>
class PinnedRouter final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  sc_core::sc_in<bool> clear_i{"clear_i"};
  sc_core::sc_in<bool> start_i{"start_i"};
  /// The incoming and outgoing links, by port.
  sc_core::sc_port<sc_core::sc_signal_in_if<Word>, 0> in{"in"};
  sc_core::sc_port<LinkSignal<Word>, 0> out{"out"};

  /// `make` creates the router, a child of this module.
  template <typename Make>
  PinnedRouter(const sc_core::sc_module_name& name, std::size_t ports, std::uint32_t latency,
               const Make& make)
      : sc_core::sc_module(name),
        ports_(ports),
        wires_((ports + 1) * latency + ports, WordTraits<Word>::kIdle),
        router_(make()) {
    SC_HAS_PROCESS(PinnedRouter);
    SC_METHOD(clock);
    dont_initialize();
    sensitive << clk_i.pos() << rst_ni.neg();
  }

  [[nodiscard]] RouterModule<Word>& router() { return *router_; }
  /// The exception that the router has thrown; it is no longer clocked.
  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }

 private:
  void end_of_elaboration() override {
    reset_ = rst_ni.operator->();
    clear_ = clear_i.operator->();
    start_ = start_i.operator->();
    for (std::size_t port = 0; port < ports_; ++port) {
      links_[port] = {&in[static_cast<int>(port)]->read(), out[static_cast<int>(port)]};
    }
  }
  void clear() {
    if (reset_->read()) {
      router_->clear();
    } else {
      router_->reset();
    }
    std::fill(wires_.begin(), wires_.end(), WordTraits<Word>::kIdle);
    failure_ = nullptr;
    running_ = false;
    cycle_ = 0;
    row_ = ports_;
  }
  void clock() {
    if (!reset_->read() || clear_->read()) {
      clear();
    } else if (start_->read()) {
      clear();
      running_ = true;
      edge();
    } else if (running_) {
      for (std::size_t port = 0; port < ports_; ++port) {
        wires_[row_ + port] = *links_[port].entering;
      }
      edge();
    }
    for (std::size_t port = 0; port < ports_; ++port) {
      links_[port].leaving->LinkSignal<Word>::write(wires_[port]);
    }
  }
  void edge() {
    std::fill_n(wires_.begin(), ports_, WordTraits<Word>::kIdle);
    // The registers along the wires are a ring buffer: the row after the last filled one is the one
    // that was filled first.
    row_ += ports_ + 1;
    if (row_ == wires_.size()) row_ = ports_;
    try {
      router_->clock({cycle_, &wires_[row_], kSlots.data(), wires_.data()});
    } catch (...) {
      failure_ = std::current_exception();
      running_ = false;
    }
    ++cycle_;
  }

  /// In-ports lie in a row in their order.
  static constexpr auto kSlots = [] {
    std::array<LinkId, kMaxPorts + 1> slots{};
    for (LinkId slot = 0; slot <= kMaxPorts; ++slot) slots[slot] = slot;
    return slots;
  }();

  std::size_t ports_;
  /// The words that the router drives, then one row of future in-port words per cycle of latency,
  /// each with the in-port that is always idle.
  std::vector<Word> wires_;
  /// The start of this cycle's row.
  std::size_t row_ = 0;
  std::unique_ptr<RouterModule<Word>> router_;
  std::uint64_t cycle_ = 0;
  bool running_ = false;
  // The bindings of the pins, cached to avoid the lookup of the ports, and links, by port, without
  // a virtual call.
  const sc_core::sc_signal_in_if<bool>* reset_ = nullptr;
  const sc_core::sc_signal_in_if<bool>* clear_ = nullptr;
  const sc_core::sc_signal_in_if<bool>* start_ = nullptr;
  struct Links {
    const Word* entering = nullptr;
    LinkSignal<Word>* leaving = nullptr;
  };
  std::array<Links, kMaxPorts> links_{};
  std::exception_ptr failure_;
};

struct FabricOptions {
  /// Cycles from the register of an out-port to that of the next node's, >= 1.
  std::uint32_t latency = 1;
  /// Links as signals and routers with pins.
  bool pins = false;
  /// Cycles, ascending, at whose end every router is clocked as at the start edge: barriers, which
  /// routers need not request.
  std::vector<std::uint64_t> barriers = {};
};

template <typename Word>
class Fabric final : public sc_core::sc_module {
 public:
  using Traits = WordTraits<Word>;
  using Router = RouterModule<Word>;
  /// Creates a node's router; its constructor needs the name.
  using RouterFactory = std::function<std::unique_ptr<Router>(const char* name, NodeId node)>;

  /// Clock, rising edge.
  sc_core::sc_in<bool> clk_i{"clk_i"};
  /// Asynchronous reset, active low: all links idle, all routers cleared.
  sc_core::sc_in<bool> rst_ni{"rst_ni"};
  /// Synchronous clear: the same at the next edge.
  sc_core::sc_in<bool> clear_i{"clear_i"};
  /// High for one cycle: start, regardless of the current state. The next cycle is cycle 1.
  sc_core::sc_in<bool> start_i{"start_i"};

  /// The routers of `topology`, which need not outlive the fabric, with their wiring. Throws
  /// std::invalid_argument for a latency of 0.
  Fabric(const sc_core::sc_module_name& name, const Topology& topology,
         const RouterFactory& make_router, const FabricOptions& options = {});

  [[nodiscard]] Router& router(NodeId node) { return *routers_[node]; }
  [[nodiscard]] const Router& router(NodeId node) const { return *routers_[node]; }
  /// The word on every link in this cycle, by link slot: the registers of the out-ports.
  [[nodiscard]] std::span<const Word> links();
  /// Calls visit(link) for every link that is not idle in this cycle, in ascending order.
  template <typename Visit>
  void for_each_busy_link(Visit visit) {
    if (signals_.empty()) {
      for_each_busy(now(), visit);
      return;
    }
    const std::span<const Word> words = links();
    for (LinkId link = 0; link < words.size(); ++link) {
      if (!Traits::is_idle(words[link])) visit(link);
    }
  }
  /// Damages a link's register between two cycles; false when the link is idle. With signals it
  /// takes effect a delta cycle later.
  bool upset(LinkId link, const Upset& upset);
  /// Puts `word` on the link in this cycle, regardless of its driver; between two cycles. Returns
  /// true if, with signals, it takes effect a delta cycle later.
  bool force(LinkId link, const Word& word);
  /// Rethrows a router's exception. Since then the router, and with links in memory the whole
  /// fabric, has stopped.
  void check() const;
  /// All links are idle and no router has work to do. Never true with signals.
  [[nodiscard]] bool idle() const;
  /// Number of runs of the fabric's process, and number of router edges that it has executed: a
  /// measure of work while the network is idle. With signals every router is executed at every
  /// edge.
  [[nodiscard]] std::uint64_t activations() const { return activations_; }
  [[nodiscard]] std::uint64_t router_edges() const { return router_edges_; }
  /// Adds every link to a wave file as "node_N.x+" and so on. With links in memory it also adds the
  /// cycle as "step", which stops while the fabric sleeps. Call it before the simulation starts.
  /// Costs a copy of all links per cycle.
  void trace_links(sc_core::sc_trace_file* file);

 private:
  friend class RouterRun<Word>;

  /// The words of the out-ports' registers in one past, current or future cycle.
  struct Registers {
    /// By link slot, and one more that stays idle.
    std::vector<Word> words;
    /// Number of words that are not idle; the number of routers also represents all larger numbers.
    std::size_t count = 0;
    /// `busy` lists their slots; otherwise all words must be checked.
    bool listed = true;
    std::vector<LinkId> busy;
  };

  void wire(const Topology& topology);
  void wire_pins(const Topology& topology);
  void clock();
  void clear();
  void edge();
  void edge_of_all(Registers& next);
  void edge_of_touched(const Registers& arriving, Registers& next);
  void find_runs();
  [[nodiscard]] Edge<Word> edge_at(NodeId node);
  void note_wish(NodeId node, std::uint64_t wish);
  void touch(NodeId node);
  void make_idle(Registers& registers) const;
  void update_wave();
  template <typename Visit>
  void for_each_busy(const Registers& registers, Visit visit) const;
  void move_along_wires();
  /// The out-ports' registers in this cycle and the next.
  [[nodiscard]] Registers& now() { return registers_[now_]; }
  [[nodiscard]] Registers& next() { return registers_[1 - now_]; }
  /// The words at the in-ports in this cycle.
  [[nodiscard]] Registers& arriving() { return latency_ == 1 ? now() : arriving_; }

  Topology topology_;
  std::size_t ports_;
  std::uint32_t latency_;
  std::vector<std::uint64_t> barriers_;
  /// By node, regardless of their owner.
  std::vector<Router*> routers_;

  // Links in memory.
  std::vector<std::unique_ptr<Router>> own_routers_;
  std::array<Registers, 2> registers_;
  std::size_t now_ = 0;
  /// The registers along the wires, for a latency above 1: contents by cycle modulo latency - 1 (a
  /// list, since most are idle), and their outputs.
  std::vector<std::vector<std::pair<LinkId, Word>>> wires_;
  std::size_t on_wires_ = 0;
  Registers arriving_;
  /// By node, ports + 1 each: the slots that its in-ports read.
  std::vector<LinkId> in_slots_;
  /// By link slot: the node that the link enters, kNoNode at the border of a mesh.
  std::vector<NodeId> receiver_;
  std::vector<LinkId> border_;
  std::vector<RouterRun<Word>> runs_;
  /// This cycle's number, 0 before the start.
  std::uint64_t cycle_ = 0;
  /// Routers to be clocked at this edge at their own request, and the requests for later cycles. By
  /// node the latest requested cycle; older requests are ignored.
  std::vector<NodeId> ready_;
  std::vector<NodeId> next_ready_;
  using Alarm = std::pair<std::uint64_t, NodeId>;
  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  std::vector<std::uint64_t> wish_;
  /// Nodes to be clocked at this edge.
  std::vector<NodeId> touched_;
  std::vector<std::uint8_t> is_touched_;
  /// The next barrier; past the last one also before the start.
  std::size_t next_barrier_;
  bool asleep_ = false;
  /// A word is on a link that no router has driven.
  sc_core::sc_event forced_{"forced"};
  /// Events that end the sleep, collected on first use: pins must be bound by then.
  sc_core::sc_event_or_list wakes_;

  // Links as signals.
  std::vector<std::unique_ptr<PinnedRouter<Word>>> pinned_routers_;
  /// Signals are contiguous: the kernel iterates over all changed ones.
  std::pmr::monotonic_buffer_resource signal_memory_;
  /// By link slot, and by port the input of an in-port at the border of a mesh.
  std::pmr::deque<LinkSignal<Word>> signals_{&signal_memory_};
  std::pmr::deque<LinkSignal<Word>> border_signals_{&signal_memory_};
  std::vector<Word> signal_words_;
  sc_core::sc_event settled_{"settled"};

  std::exception_ptr failure_;
  std::uint64_t activations_ = 0;
  std::uint64_t router_edges_ = 0;
  /// The signals of the wave file, at fixed addresses.
  std::vector<std::pair<LinkId, typename Traits::Wave>> wave_;
};

/// Name of a link in waves: "node_12.x+".
[[nodiscard]] std::string link_wave_name(const Topology& topology, LinkId link);

/// The fabric of streams and schedules.
using PacketFabric = Fabric<PacketId>;
using PacketRouter = RouterModule<PacketId>;
using PacketEdge = Edge<PacketId>;

}  // namespace gossamer::systemc

#include "gossamer/systemc/fabric_impl.hpp"

namespace gossamer::systemc {
extern template class Fabric<PacketId>;
}  // namespace gossamer::systemc
