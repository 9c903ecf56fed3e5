// SPDX-License-Identifier: Apache-2.0
/// Elastic streams as transactions: TLM-2.0, approximately timed, and to the cycle
/// the network of tiles. There is no clock: a node acts when something has come that it can act on.
///
/// A link is an initiator socket at its out-port and a target socket at its in-port, and belongs to
/// the target: queue, relay stages and latency f are modelled there. A flit is a transaction of the
/// base protocol:
///
///     BEGIN_REQ   the flit is pushed; f cycles later it can be taken
///     END_REQ     there is room for the next one: held back as long as the link is full
///     BEGIN_RESP  the flit has been taken; f cycles later its place is free
///     END_RESP    at once (TLM_COMPLETED)
///
/// A chunk is as many transactions as flits, since slots and stalls count flits.
#pragma once

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "gossamer/sim/engine.hpp"
#include "gossamer/systemc/elastic/element.hpp"

namespace gossamer::systemc {

/// The data of a transaction; its address is packet * flits + flit.
struct TlmFlitData {
  /// Reductions: the sum so far, and of how many contributions it is.
  std::uint64_t value = 0;
  std::uint64_t terms = 0;
};

/// Makes transactions and takes them back when nobody has a reference any more.
class TlmFlitPool final : public tlm::tlm_mm_interface {
 public:
  /// With one reference, to be released.
  [[nodiscard]] tlm::tlm_generic_payload& make(std::uint64_t address, const TlmFlitData& data);
  void free(tlm::tlm_generic_payload* transaction) override;

 private:
  struct Owned {
    tlm::tlm_generic_payload transaction;
    TlmFlitData data;
  };
  std::deque<Owned> owned_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

/// A node: router, element with its stall script, and the links that come.
class TlmElasticNode final : public sc_core::sc_module {
 public:
  using Target = tlm_utils::simple_target_socket_tagged_optional<TlmElasticNode>;
  using Initiator = tlm_utils::simple_initiator_socket_tagged_optional<TlmElasticNode>;
  /// By port; those without a link stay unbound.
  sc_core::sc_vector<Target> in;
  sc_core::sc_vector<Initiator> out;
  /// Told of every flit that the node takes from a link.
  std::function<void(Port in, const ElasticFlit& flit)> on_take;

  /// `cycle`: how long a cycle is.
  TlmElasticNode(const sc_core::sc_module_name& name, std::shared_ptr<const ElasticTiles> tiles,
                 NodeId node, const sc_core::sc_time& cycle);
  ~TlmElasticNode() override;

  /// Breaks a link that leaves: it takes whatever is sent on it. Before start().
  void break_out(Port port) { outs_[port].broken = true; }
  /// Breaks one that comes: it brings nothing (kNoPacket) or `packet`, whatever is sent on it.
  void break_in(Port port, PacketId packet) { element_.break_in(port, packet); }
  /// Cycle 0 is now; to be told to all nodes at one time.
  void start();
  [[nodiscard]] const ElasticElement& element() const { return element_; }
  /// Appends what has come in the last cycle in which anything did, and was not appended before
  /// (ElasticElement::results).
  void collect_results(std::vector<Result>& results);

 private:
  using Transaction = tlm::tlm_generic_payload;
  struct OutPort {
    /// The first cycle in which the link can be pushed into; kNever: END_REQ has not come.
    std::uint64_t free_from = 0;
    /// The first cycle in which the element offers its next flit; kNever: not known, or never.
    std::uint64_t offered_from = kNever;
    bool is_offered = false;
    bool broken = false;
    /// Pushed and not yet taken.
    std::deque<Transaction*> sent;
  };
  struct InPort {
    std::unique_ptr<tlm_utils::peq_with_get<Transaction>> on_link;
    /// What can be taken, as soon as the link shows it.
    std::deque<Transaction*> arrived;
    /// The first cycle in which the first of them is shown; kNever: not known, or never.
    std::uint64_t shown_from = kNever;
    bool is_shown = false;
    /// While nothing else is in its way: the next cycle in which the element accepts it.
    std::uint64_t accepted_from = kNever;
    std::uint64_t last_take = kNever;
    std::uint64_t latency = 1;
    /// Places of the link that no flit has had, and from when on others are free again.
    std::uint64_t fresh = 0;
    std::deque<std::uint64_t> freed;
    /// Whose END_REQ is held back, and when it was pushed.
    Transaction* withheld = nullptr;
    std::uint64_t withheld_since = 0;
  };

  tlm::tlm_sync_enum forward(int port, Transaction& transaction, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(int port, Transaction& transaction, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void act();
  /// Whatever the router can push and take in this cycle.
  void move();
  bool push_own(Port out);
  bool take(Port in);
  void push(Port out, const ElasticFlit& flit);
  /// The link shows its next flit from some cycle on, or its next one when it comes.
  void show(Port in);
  /// The element accepts what is shown; otherwise it says when it will.
  bool accepts(Port in);
  /// The flit that is shown, and nothing of it stays.
  ElasticFlit take_shown(Port in);
  void free_place(Port in, Transaction& transaction);
  /// Looks at what the element has now; it offers it in cycle `from` at the earliest.
  void look_at_own(std::uint64_t from);
  void wake_when_due();
  [[nodiscard]] ElasticFlit flit_of(const Transaction& transaction) const;
  [[nodiscard]] std::uint64_t cycle_of(const sc_core::sc_time& time) const {
    return time.value() / cycle_.value();
  }
  [[nodiscard]] std::uint64_t now() const { return cycle_of(sc_core::sc_time_stamp() - begin_); }
  [[nodiscard]] sc_core::sc_time cycles(std::uint64_t count) const {
    return cycle_ * static_cast<double>(count);
  }

  std::shared_ptr<const ElasticTiles> tiles_;
  NodeId node_;
  sc_core::sc_time cycle_;
  ElasticElement element_;
  ElasticCounters counters_;
  /// Cycles from a push to the next: a queue of one slot has to lose its flit first.
  std::uint64_t push_gap_;
  std::vector<OutPort> outs_;
  std::vector<InPort> ins_;
  TlmFlitPool pool_;
  sc_core::sc_time begin_;
  /// The last cycle in which it has acted.
  std::uint64_t acted_ = kNever;
  sc_core::sc_event wake_;
};

/// All nodes of a plan, bound to each other.
class TlmElasticNetwork final : public sc_core::sc_module {
 public:
  /// For an elastic plan, which must outlive it.
  TlmElasticNetwork(const sc_core::sc_module_name& name,
                    const std::shared_ptr<const ElasticTiles>& tiles,
                    const sc_core::sc_time& cycle);

  void start();
  [[nodiscard]] TlmElasticNode& node(NodeId node) { return *nodes_[node]; }
  [[nodiscard]] const TlmElasticNode& node(NodeId node) const { return *nodes_[node]; }

 private:
  std::vector<std::unique_ptr<TlmElasticNode>> nodes_;
};

}  // namespace gossamer::systemc
