// SPDX-License-Identifier: Apache-2.0
/// What a node of an elastic program knows without a clock: its element, which has own flits for
/// the out-ports and makes something of arrivals, and the counters of a router of streams. When
/// anything moves is the affair of tiles, by pins (elastic_tile.hpp) or by transactions
/// (tlm_elastic.hpp).
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

/// What all nodes have in common. The plan must outlive it.
struct ElasticTiles {
  /// `crossings`: between tiles stand crossings in place of relay stages.
  ElasticTiles(const Plan& plan, StallScript script, bool crossings = false);

  const Plan& plan;
  StallScript stalls;
  /// By link slot; with crossings 1.
  std::vector<std::uint32_t> latencies;
  /// Reductions only: what is sent to whom, and what words are.
  std::optional<ElasticWords> words;
  Arithmetic arithmetic;
};

/// Own flits in the order in which they go, and what has come. A sum is complete, and may go on,
/// once both of its sides have come.
class ElasticElement {
 public:
  ElasticElement(std::shared_ptr<const ElasticTiles> tiles, NodeId node);

  /// As at the beginning of a message.
  void reset();
  /// The configuration of the node's router.
  [[nodiscard]] const ElasticRouterTable& table() const { return table_; }

  /// The next own flit of an out-port: nothing when all have gone, and while it is a sum that is
  /// not complete.
  [[nodiscard]] std::optional<ElasticFlit> next_own(Port out) const;
  /// It goes.
  void give(Port out);
  /// Flits that have been pushed at an out-port: own ones, and arrivals that were passed on.
  [[nodiscard]] std::uint64_t pushed(Port out) const {
    return outs_[out].given + outs_[out].passed;
  }

  /// The arrivals of this round are those of the first leg of a reduction.
  [[nodiscard]] bool is_adding(Port in) const;
  /// The next arrival is passed on with something added to it, at fed(in).
  [[nodiscard]] bool adds_to(Port in) const;
  [[nodiscard]] std::optional<Port> fed(Port in) const { return ins_[in].fed; }
  /// What meets in an adder: what arrives and the own flit.
  [[nodiscard]] ElasticFlit added(const ElasticFlit& arriving, const ElasticFlit& own) const;
  /// The element gets the next arrival of an in-port.
  void deliver(Port in, const ElasticFlit& flit);
  /// The next arrival of an in-port goes, to whomever.
  void take(Port in);
  [[nodiscard]] std::uint64_t taken(Port in) const { return ins_[in].taken; }
  /// All flits that an in-port ever brings.
  [[nodiscard]] std::uint64_t all(Port in) const;

  /// Breaks a link that comes: whatever is sent, it brings `packet`, or nothing (kNoPacket).
  void break_in(Port in, PacketId packet) { ins_[in].broken = packet; }
  [[nodiscard]] bool is_broken(Port in) const { return ins_[in].broken.has_value(); }
  /// What a broken link brings next, as many flits as a sound one; nothing from others.
  [[nodiscard]] std::optional<ElasticFlit> garbage(Port in) const;

  /// What has come since clear_results(), as flits: number packet * flits + flit. Reductions: what
  /// came complete, or became so.
  [[nodiscard]] const std::vector<Result>& results() const { return results_; }
  void clear_results() { results_.clear(); }

 private:
  struct OutPort {
    std::optional<PacketId> packet;
    /// Reductions, and out-ports that carry something.
    std::optional<std::uint8_t> lane;
    /// Own flits that have gone and that are still to go, and arrivals that have been passed on.
    std::uint64_t given = 0;
    std::uint64_t left = 0;
    std::uint64_t passed = 0;
  };
  struct InPort {
    std::uint64_t taken = 0;
    /// Reductions: the lane of the link, and the out-port that passes on what comes.
    std::optional<std::uint8_t> lane;
    std::optional<Port> fed;
    /// What it brings in place of what is sent.
    std::optional<PacketId> broken;
  };
  /// Reductions: the node's own words on a cycle, flit by flit.
  struct OwnSums {
    /// What comes forward and backward, where there are such links.
    std::array<std::vector<ElasticFlit>, 2> sides;
    std::array<bool, 2> comes{};
    std::vector<ElasticFlit> complete;
  };

  [[nodiscard]] std::uint64_t flits() const {
    return tiles_->plan.program.as<ElasticProgram>().elastic.flits();
  }
  /// Own flits of an out-port's first leg, in which nodes add; 0 where nothing is added.
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

/// How far a router of streams is in its round, at each port. The table must outlive it.
class ElasticCounters {
 public:
  explicit ElasticCounters(const ElasticRouterTable& table);

  void clear();
  /// The out-port sends an own flit next.
  [[nodiscard]] bool own_due(Port out) const { return outs_[out].at < outs_[out].own; }
  /// The in-port brings something at all.
  [[nodiscard]] bool takes(Port in) const { return ins_[in].round != 0; }
  /// The out-ports that have to pass on the next arrival.
  [[nodiscard]] PortSet passes(Port in) const {
    return table_.passes(in, ins_[in].at / table_.chunk);
  }
  /// The out-port sends the next arrival of the in-port next.
  [[nodiscard]] bool is_next(Port in, Port out) const {
    return outs_[out].at == outs_[out].own + ins_[in].at;
  }
  void count_push(Port out) { count(outs_[out]); }
  void count_take(Port in) { count(ins_[in]); }

 private:
  struct Counter {
    /// Flits of a round, how many of them are own ones, and how many have gone.
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
