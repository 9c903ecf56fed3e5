// SPDX-License-Identifier: Apache-2.0
/// What every engine for cut-through relays is, and what watches it.
///
/// The counterpart of engine.hpp for RelayProgram: here a message holds several links at once and
/// cycles are not steps, so observers see hops and receptions in place of steps.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The head flit of a send enters a link.
struct RelayHop {
  /// The planned step of the send.
  std::uint32_t step = 0;
  /// Number of the link on the send's path, from 0.
  std::uint32_t hop = 0;
  NodeId from = 0;
  Port port = 0;
  /// Cycle of the head, from 0; the link is held for `flits` cycles from here.
  std::uint64_t cycle = 0;
};

/// Sees every hop and every reception, in order of their cycles.
class RelayObserver {
 public:
  RelayObserver() = default;
  RelayObserver(const RelayObserver&) = delete;
  RelayObserver& operator=(const RelayObserver&) = delete;
  virtual ~RelayObserver() = default;

  virtual void on_hop(const RelayHop& hop) = 0;
  /// `node` has the whole message of a send of `step` after `cycle` cycles.
  virtual void on_receive(std::uint32_t step, NodeId node, std::uint64_t cycle) = 0;
};

/// What the engine itself counts.
struct RelayStatistics {
  /// Cycles until the last flit of all was received.
  std::uint64_t cycles = 0;
  /// Messages whose head found a link that another message held: none in a correct plan.
  std::uint64_t link_conflicts = 0;
};

class RelayEngine {
 public:
  RelayEngine() = default;
  RelayEngine(const RelayEngine&) = delete;
  RelayEngine& operator=(const RelayEngine&) = delete;
  virtual ~RelayEngine() = default;

  /// "fast", "systemc", "rtl".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Executes the whole plan, once. A node that never gets the message never sends.
  virtual void run(RelayObserver* observer) = 0;
  [[nodiscard]] virtual RelayStatistics statistics() const = 0;
};

/// The event-driven C++ engine: every hop of every message at its cycle. The plan must outlive it
/// and hold a RelayProgram (std::bad_variant_access). Throws InputError when a send starts at no
/// node of the topology or leads out of the mesh.
[[nodiscard]] std::unique_ptr<RelayEngine> make_fast_relay_engine(const Plan& plan);

/// Who has the message, and what it cost to bring it there.
class RelayScoreboard final : public RelayObserver {
 public:
  explicit RelayScoreboard(const Plan& plan);

  void on_hop(const RelayHop& hop) override;
  void on_receive(std::uint32_t step, NodeId node, std::uint64_t cycle) override;

  [[nodiscard]] bool complete() const { return missing_ == 0; }
  /// Nodes that still lack the message.
  [[nodiscard]] std::uint32_t missing() const { return missing_; }
  /// Largest planned step of a send that informed a node.
  [[nodiscard]] std::uint32_t steps() const { return steps_; }
  /// Cycle in which the last node was informed.
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
  /// Link traversals, the measured TCD.
  [[nodiscard]] std::uint64_t traversals() const { return traversals_; }
  /// Messages to nodes that had it already.
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  /// Longest send of each step, in hops; entry s - 1 for step s.
  [[nodiscard]] const std::vector<std::uint32_t>& longest_hops() const { return longest_hops_; }

 private:
  std::vector<bool> informed_;
  std::uint32_t missing_;
  std::uint32_t steps_ = 0;
  std::uint64_t cycles_ = 0;
  std::uint64_t traversals_ = 0;
  std::uint64_t duplicates_ = 0;
  std::vector<std::uint32_t> longest_hops_;
};

/// Collects the contract's trace `step,hop,from,port,packet` (packet 0) and writes it sorted by all
/// columns: a self-timed run does not meet the hops in that order.
class RelayTraceWriter final : public RelayObserver {
 public:
  void on_hop(const RelayHop& hop) override { hops_.push_back(hop); }
  void on_receive(std::uint32_t, NodeId, std::uint64_t) override {}
  /// Writes the header and all rows.
  void write(std::ostream& out);

 private:
  std::vector<RelayHop> hops_;
};

/// Calls several observers in order. The observers must outlive it.
class RelayObserverList final : public RelayObserver {
 public:
  void add(RelayObserver* observer) { observers_.push_back(observer); }
  void on_hop(const RelayHop& hop) override {
    for (RelayObserver* observer : observers_) observer->on_hop(hop);
  }
  void on_receive(std::uint32_t step, NodeId node, std::uint64_t cycle) override {
    for (RelayObserver* observer : observers_) observer->on_receive(step, node, cycle);
  }

 private:
  std::vector<RelayObserver*> observers_;
};

}  // namespace gossamer
