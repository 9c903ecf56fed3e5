// SPDX-License-Identifier: Apache-2.0
/// The clockless state of a node of an elastic program. It consists of the element, which supplies
/// own flits to the out-ports and processes arrivals, and of the counters of a router of streams.
/// Tiles decide the time of each transfer, with pins (elastic/tile.hpp) or transactions
/// (elastic/tlm.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gossamer/machines/elastic/router_pins.hpp"
#include "gossamer/machines/elastic/words.hpp"
#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer::systemc {

/// State that all nodes share. The plan must outlive it.
struct ElasticTiles {
  /// `crossings`: tiles are connected by crossings instead of relay stages.
  ElasticTiles(const Plan& plan, StallScript script, bool crossings = false);

  const Plan& plan;
  StallScript stalls;
  /// By link slot; with crossings 1.
  std::vector<std::uint32_t> latencies;
  /// Reductions only: destinations and content of the words.
  std::optional<ElasticWords> words;
  Arithmetic arithmetic;
};

/// Own flits in the order in which they are sent, and arrivals. A sum is complete, and may be sent,
/// once both of its sides have arrived.
class ElasticElement {
 public:
  ElasticElement(std::shared_ptr<const ElasticTiles> tiles, NodeId node);

  /// Resets to the beginning of a message.
  void reset();
  /// The configuration of the node's router.
  [[nodiscard]] const ElasticRouterTable& table() const { return table_; }

  /// The next own flit of an out-port; empty when all have been sent, and while it is an incomplete
  /// sum.
  [[nodiscard]] std::optional<ElasticFlit> next_own(Port out) const;
  /// Marks the flit of next_own() as sent.
  void give(Port out);
  /// Flits that have been pushed at an out-port: own flits and passed-on arrivals.
  [[nodiscard]] std::uint64_t pushed(Port out) const {
    return outs_[out].given + outs_[out].passed;
  }

  /// The arrivals of this round belong to the first leg of a reduction.
  [[nodiscard]] bool is_adding(Port in) const;
  /// The next arrival is passed on with an own flit added to it, at fed(in).
  [[nodiscard]] bool adds_to(Port in) const;
  [[nodiscard]] std::optional<Port> fed(Port in) const { return ins_[in].fed; }
  /// The result of an adder for an arrival and the own flit.
  [[nodiscard]] ElasticFlit added(const ElasticFlit& arriving, const ElasticFlit& own) const;
  /// Delivers the next arrival of an in-port to the element.
  void deliver(Port in, const ElasticFlit& flit);
  /// Counts the next arrival of an in-port as taken, regardless of its destination.
  void take(Port in);
  [[nodiscard]] std::uint64_t taken(Port in) const { return ins_[in].taken; }
  /// Total flits that an in-port delivers in a run.
  [[nodiscard]] std::uint64_t all(Port in) const;

  /// Breaks an incoming link: regardless of its input it delivers `packet`, or nothing (kNoPacket).
  void break_in(Port in, PacketId packet) { ins_[in].broken = packet; }
  [[nodiscard]] bool is_broken(Port in) const { return ins_[in].broken.has_value(); }
  /// The next flit of a broken link, which delivers as many flits as a working one; empty for other
  /// links.
  [[nodiscard]] std::optional<ElasticFlit> garbage(Port in) const;

  /// Arrivals since clear_results(), as flits: number packet * flits + flit. Reductions: sums that
  /// arrived complete or became complete.
  [[nodiscard]] const std::vector<Result>& results() const { return results_; }
  void clear_results() { results_.clear(); }

 private:
  struct OutPort {
    std::optional<PacketId> packet;
    /// Reductions, and out-ports that are in use.
    std::optional<std::uint8_t> lane;
    /// Own flits sent, own flits left, and arrivals passed on.
    std::uint64_t given = 0;
    std::uint64_t left = 0;
    std::uint64_t passed = 0;
  };
  struct InPort {
    std::uint64_t taken = 0;
    /// Reductions: the lane of the link, and the out-port that passes on its arrivals.
    std::optional<std::uint8_t> lane;
    std::optional<Port> fed;
    /// The packet that the link delivers instead of its input.
    std::optional<PacketId> broken;
  };
  /// Reductions: the node's own words on a cycle, flit by flit.
  struct OwnSums {
    /// Arrivals forward and backward, where there are such links.
    std::array<std::vector<ElasticFlit>, 2> sides;
    std::array<bool, 2> comes{};
    std::vector<ElasticFlit> complete;
  };

  [[nodiscard]] std::uint64_t flits() const {
    return tiles_->plan.program.as<ElasticProgram>().elastic.flits();
  }
  /// Own flits of an out-port's first leg, in which nodes add; 0 if nodes do not add.
  [[nodiscard]] std::uint64_t first_leg(const OutPort& out) const;
  [[nodiscard]] ElasticFlit contributed(PacketId packet, std::uint32_t flit) const;

  std::shared_ptr<const ElasticTiles> tiles_;
  NodeId node_;
  ElasticRouterTable table_;
  std::vector<OutPort> outs_;
  std::vector<InPort> ins_;
  /// By cycle of the combination.
  std::vector<OwnSums> sums_;
  std::vector<Result> results_;
};

/// The progress of a router of streams in its round, at each port. The table must outlive it.
class ElasticCounters {
 public:
  explicit ElasticCounters(const ElasticRouterTable& table);

  void clear();
  /// The next flit of the out-port is an own flit.
  [[nodiscard]] bool own_due(Port out) const { return outs_[out].at < outs_[out].own; }
  /// True if the in-port has arrivals in a round.
  [[nodiscard]] bool takes(Port in) const { return ins_[in].round != 0; }
  /// The out-ports that must pass on the next arrival.
  [[nodiscard]] PortSet passes(Port in) const {
    return table_.passes(in, ins_[in].at / table_.chunk);
  }
  /// The next flit of the out-port is the next arrival of the in-port.
  [[nodiscard]] bool is_next(Port in, Port out) const {
    return outs_[out].at == outs_[out].own + ins_[in].at;
  }
  void count_push(Port out) { count(outs_[out]); }
  void count_take(Port in) { count(ins_[in]); }

 private:
  struct Counter {
    /// Flits of a round, the number of own ones among them, and the number sent.
    std::uint64_t round = 0;
    std::uint64_t own = 0;
    std::uint64_t at = 0;
  };
  static void count(Counter& counter) {
    if (++counter.at == counter.round) counter.at = 0;
  }

  const ElasticRouterTable& table_;
  std::vector<Counter> outs_;
  std::vector<Counter> ins_;
};

}  // namespace gossamer::systemc
