// SPDX-License-Identifier: Apache-2.0
/// Elastic streams as transactions: TLM-2.0, approximately timed, and cycle-exact with the network
/// of tiles. There is no clock: a node acts when it has received something to process.
///
/// A link is an initiator socket at its out-port and a target socket at its in-port, and belongs to
/// the target, which models the queue, the relay stages and the latency f. A flit is a transaction
/// of the base protocol:
///
///     BEGIN_REQ   the flit is pushed; f cycles later it can be taken
///     END_REQ     there is room for the next one: held back as long as the link is full
///     BEGIN_RESP  the flit has been taken; f cycles later its place is free
///     END_RESP    at once (TLM_COMPLETED)
///
/// A chunk has one transaction per flit, since slots and stalls count flits.
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
  /// Reductions: the partial sum, and its number of contributions.
  std::uint64_t value = 0;
  std::uint64_t terms = 0;
};

/// Creates transactions, and reuses them when they are no longer referenced.
class TlmFlitPool final : public tlm::tlm_mm_interface {
 public:
  /// A transaction with one reference, which the caller releases.
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

/// A node: router, element with its stall script, and the incoming links.
class TlmElasticNode final : public sc_core::sc_module {
 public:
  using Target = tlm_utils::simple_target_socket_tagged_optional<TlmElasticNode>;
  using Initiator = tlm_utils::simple_initiator_socket_tagged_optional<TlmElasticNode>;
  /// By port; sockets without a link stay unbound.
  sc_core::sc_vector<Target> in;
  sc_core::sc_vector<Initiator> out;
  /// Called for every flit that the node takes from a link.
  std::function<void(Port in, const ElasticFlit& flit)> on_take;

  /// `cycle`: duration of a cycle.
  TlmElasticNode(const sc_core::sc_module_name& name, std::shared_ptr<const ElasticTiles> tiles,
                 NodeId node, const sc_core::sc_time& cycle);
  ~TlmElasticNode() override;

  /// Breaks an outgoing link: it takes every flit that is sent on it. Before start().
  void break_out(Port port) { outs_[port].broken = true; }
  /// Breaks an incoming link: regardless of its input it delivers nothing (kNoPacket) or `packet`.
  void break_in(Port port, PacketId packet) { element_.break_in(port, packet); }
  /// Cycle 0 is now; call it for all nodes at the same time.
  void start();
  [[nodiscard]] const ElasticElement& element() const { return element_; }
  /// Appends the arrivals (ElasticElement::results) of the last cycle that had any, unless they
  /// have been appended before.
  void collect_results(std::vector<Result>& results);

 private:
  using Transaction = tlm::tlm_generic_payload;
  struct OutPort {
    /// The first cycle in which the link accepts a push; kNever: END_REQ has not arrived.
    std::uint64_t free_from = 0;
    /// The first cycle in which the element offers its next flit; kNever: unknown, or never.
    std::uint64_t offered_from = kNever;
    bool is_offered = false;
    bool broken = false;
    /// Pushed and not yet taken.
    std::deque<Transaction*> sent;
  };
  struct InPort {
    std::unique_ptr<tlm_utils::peq_with_get<Transaction>> on_link;
    /// Flits that can be taken as soon as the link shows them.
    std::deque<Transaction*> arrived;
    /// The first cycle in which the first of them is shown; kNever: unknown, or never.
    std::uint64_t shown_from = kNever;
    bool is_shown = false;
    /// If nothing else blocks it: the next cycle in which the element accepts it.
    std::uint64_t accepted_from = kNever;
    std::uint64_t last_take = kNever;
    std::uint64_t latency = 1;
    /// Unused places of the link, and the times from which used places are free again.
    std::uint64_t fresh = 0;
    std::deque<std::uint64_t> freed;
    /// The flit whose END_REQ is held back, and the time of its push.
    Transaction* withheld = nullptr;
    std::uint64_t withheld_since = 0;
  };

  tlm::tlm_sync_enum forward(int port, Transaction& transaction, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(int port, Transaction& transaction, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void act();
  /// Pushes and takes all flits that the router can in this cycle.
  void move();
  bool push_own(Port out);
  bool take(Port in);
  void push(Port out, const ElasticFlit& flit);
  /// The link shows its next flit from some cycle on, or upon its arrival.
  void show(Port in);
  /// The element accepts the shown flit; otherwise it states when it will.
  bool accepts(Port in);
  /// Removes the shown flit completely.
  ElasticFlit take_shown(Port in);
  void free_place(Port in, Transaction& transaction);
  /// Checks the element for an offer, which it makes in cycle `from` at the earliest.
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
  /// Cycles from a push to the next: a queue of one slot must first be emptied.
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
