// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/reduce/timetables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gossamer/bounds/faults.hpp"
#include "gossamer/bounds/reductions.hpp"
#include "gossamer/collectives/all_gather/scheduled.hpp"
#include "gossamer/collectives/all_gather/timetable.hpp"
#include "gossamer/collectives/all_gather/unequal.hpp"
#include "gossamer/machines/timetable/builder.hpp"
#include "gossamer/topology/displacement.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Of all nodes: a vector each. There are not many more rows.
constexpr std::uint64_t kMostHeldWords = std::uint64_t{1} << 20U;
// k P words in a vector, k P P in all: their number squared is no more than k times that.
static_assert(kMaxPacketsPerNode * kMostHeldWords <=
              std::uint64_t{kMaxTimetableSlots} * kMaxTimetableSlots);

/// An all-gather's hops without those that only bring something to a router with a dead core that
/// never sends it on.
std::vector<PacketHop> useful_hops(const Topology& topology, const TimetableOptions& options) {
  const std::vector<PacketHop> hops = gossip_hops(topology, options);
  const std::size_t packets = std::size_t{topology.nodes()} * options.packets_per_node;
  std::vector<bool> sent_on(topology.nodes() * packets, false);
  std::vector<PacketHop> useful;
  // From the last hop on, so that later sends of a word are known.
  for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
    if (!topology.has_core(hop->to) && !sent_on[hop->to * packets + hop->packet]) continue;
    sent_on[hop->from * packets + hop->packet] = true;
    useful.push_back(*hop);
  }
  std::reverse(useful.begin(), useful.end());
  return useful;
}

/// The hops of node 0's packets on a torus, where those of all other nodes are displaced.
std::vector<PacketHop> hops_of_node_0(const Topology& torus, std::uint32_t k) {
  std::vector<PacketHop> hops;
  for (const ScheduleArc& arc : scheduled_arcs(torus, k)) {
    hops.push_back(
        {arc.step, arc.from, arc.out_port, torus.neighbor(arc.from, arc.out_port), arc.packet});
  }
  return hops;
}

class TimetableReduction {
 public:
  TimetableReduction(const Topology& topology, const TimetableReductionOptions& options)
      : topology_(topology),
        block_(options.blocks_per_repetition == 0 ? options.blocks_per_node
                                                  : options.blocks_per_repetition),
        k_(options.blocks_per_node % block_ == 0 ? block_ : options.blocks_per_node),
        repetitions_(options.blocks_per_node / k_),
        scatters_(options.to == ReduceTo::kOwner),
        one_rom_(topology.routers_are_alike() && topology.has_equal_links()),
        operation_(options.operation),
        search_{k_, options.seed},
        first_piece_(topology.nodes(), 0) {
    // Blocks of a reduce-scatter belong to nodes; others are dealt to the live cores.
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      first_piece_[node] = pieces_;
      if (scatters_ || topology.has_core(node)) pieces_ += k_;
    }
    const std::uint64_t held = std::uint64_t{pieces_} * topology.nodes();
    if (held > kMostHeldWords) {
      throw InfeasibleError(
          fmt::format("scheduled: {} words in the memories of all nodes; the limit is {}; nearest "
                      "feasible: fewer --packets, or another algorithm",
                      held, kMostHeldWords));
    }
    if (!topology.has_equal_links()) {
      unequal_ = unequal_gather_in_blocks(topology, {k_, options.seed}, block_);
      representatives_ = unequal_->orbits.representatives();
    } else if (one_rom_) {
      representatives_ = {0};
    } else {
      for (NodeId node = 0; node < topology.nodes(); ++node) representatives_.push_back(node);
    }
    relative_ = representatives_.size() < topology.nodes();
  }

  Plan plan() {
    const auto roms = static_cast<std::uint32_t>(representatives_.size());
    builder_ = TimetableBuilder(roms, std::uint64_t{roms} * pieces_);
    reduce();
    if (!scatters_) spread();
    TimetableProgram timetable(topology_.nodes(), topology_.ports(), pieces_,
                               DeliveryRule::kMarked);
    std::vector<std::uint32_t> numbers;
    for (TimetableRom& made : builder_.build())
      numbers.push_back(timetable.intern(std::move(made)));
    for (NodeId node = 0; roms > 1 && node < topology_.nodes(); ++node) {
      timetable.assign(node, numbers[rom(node)]);
    }
    timetable.relative = relative_;
    const std::uint64_t steps = timetable.steps() * repetitions_;
    if (repetitions_ > 1) timetable = repeated(timetable, steps_, repetitions_);
    const std::uint32_t slots = timetable.slots();
    const std::uint64_t bits =
        timetable.roms().size() * timetable.format().rom_bits(topology_.ports());
    Plan plan{topology_,
              scatters_ ? "reduce-scatter" : "all-reduce",
              "scheduled",
              {{"packets", std::int64_t{k_} * repetitions_}},
              Demand::combined(scatters_ ? Destination::kOwner : Destination::kEveryNode,
                               operation_, std::uint64_t{pieces_} * repetitions_),
              std::move(timetable),
              {}};
    plan.parameters["schedule_bits"] = static_cast<std::int64_t>(bits);
    if (repetitions_ > 1 || block_ != k_) {
      plan.parameters["block"] = std::int64_t{block_};
      plan.parameters["blocks"] = std::int64_t{repetitions_ * ((k_ + block_ - 1) / block_)};
    }
    if (unequal_) {
      plan.parameters["seed"] = static_cast<std::int64_t>(unequal_->seed);
      plan.parameters["rule"] = unequal_->rule;
    } else if (!one_rom_) {
      plan.parameters["seed"] = static_cast<std::int64_t>(search_.seed);
    }
    plan.expected.analytic_steps = steps;
    plan.expected.analytic_cycles = plan.expected.analytic_steps;
    plan.expected.lower_bound_steps = bounds::lower_bound(topology_, plan.demand);
    plan.expected.queue_depth = slots;
    return plan;
  }

 private:
  [[nodiscard]] std::uint32_t piece(std::uint32_t packet) const {
    return first_piece_[packet / k_] + packet % k_;
  }

  [[nodiscard]] std::vector<PacketHop> hops(const Topology& topology) const {
    if (unequal_) return unequal_->hops;
    return one_rom_ ? hops_of_node_0(topology, k_) : useful_hops(topology, search_);
  }

  [[nodiscard]] std::uint32_t rom(NodeId node) const {
    if (unequal_) return unequal_->orbits.orbit(node);
    return one_rom_ ? 0 : node;
  }
  /// The number of a word as a node has it, with shared ROMs by its owner's displacement.
  [[nodiscard]] std::uint32_t own(NodeId node, std::uint32_t word) const {
    return relative_ ? displacement(topology_, node, word / k_) * k_ + word % k_ : word;
  }
  [[nodiscard]] std::uint64_t held(NodeId node, std::uint32_t word) const {
    return std::uint64_t{rom(node)} * pieces_ + own(node, word);
  }
  [[nodiscard]] TimetableMove move(std::uint32_t step, NodeId from, Port out_port,
                                   std::uint32_t word) const {
    const NodeId to = topology_.neighbor(from, out_port);
    TimetableMove made;
    made.step = step;
    made.period = topology_.period(from, out_port);
    made.out_port = out_port;
    made.from_rom = rom(from);
    made.to_rom = rom(to);
    made.from = held(from, word);
    made.to = held(to, word);
    return made;
  }

  void reduce() {
    const std::vector<PacketHop> gathered = hops(bounds::reversed(topology_));
    // Only dead arcs make the reversed network a different one.
    if (topology_.faults().dead_arcs.empty()) gathered_ = gathered;
    steps_ = unequal_ ? unequal_->steps : gathered.back().step;
    for (const NodeId node : representatives_) {
      if (!topology_.has_core(node)) continue;
      for (std::uint32_t word = 0; word < pieces_; ++word) {
        builder_.start_with(held(node, word), own(node, word));
      }
    }
    // By piece: the move that completes its sum.
    std::vector<std::size_t> last(pieces_, 0);
    std::vector<TimetableMove> moves;
    for (auto hop = gathered.rbegin(); hop != gathered.rend(); ++hop) {
      const std::uint32_t word = piece(hop->packet);
      // It ends when the hop begins, seen backwards; both directions of a link are equally fast.
      const std::uint32_t period = topology_.period(hop->from, hop->out_port);
      moves.push_back(
          move(steps_ + 2 - hop->step - period, hop->to, opposite(hop->out_port), word));
      moves.back().combines = true;
      const NodeId owner = hop->packet / k_;
      if (hop->from != owner) continue;
      last[first_piece_[representatives_[rom(owner)]] + hop->packet % k_] = moves.size() - 1;
    }
    for (const NodeId node : representatives_) {
      if (!topology_.has_core(node)) continue;
      for (std::uint32_t c = 0; c < k_; ++c) moves[last[first_piece_[node] + c]].delivers = true;
    }
    for (const TimetableMove& made : moves) builder_.add(made);
  }

  void spread() {
    for (const PacketHop& hop : gathered_ ? *gathered_ : hops(topology_)) {
      TimetableMove made = move(steps_ + hop.step, hop.from, hop.out_port, piece(hop.packet));
      made.delivers = topology_.has_core(hop.to);
      builder_.add(made);
    }
  }

  const Topology& topology_;
  /// Unequal links: blocks of a node whose program is repeated.
  std::uint32_t block_;
  /// Blocks of a node in the listed program, and its repetitions. All where block_ leaves a rest.
  std::uint32_t k_;
  std::uint32_t repetitions_;
  bool scatters_;
  /// A healthy torus with equal links: all nodes do the same.
  bool one_rom_;
  /// Nodes share ROMs: their own words are numbered by displacement.
  bool relative_ = false;
  /// By ROM, a node with it.
  std::vector<NodeId> representatives_;
  /// Links that are not equally fast.
  std::optional<UnequalGather> unequal_;
  Combining operation_;
  TimetableOptions search_;
  /// By node: the number of its first block.
  std::vector<std::uint32_t> first_piece_;
  std::uint32_t pieces_ = 0;
  /// The hops of both halves, where they are the same.
  std::optional<std::vector<PacketHop>> gathered_;
  /// Steps until all sums are at their owners.
  std::uint32_t steps_ = 0;
  TimetableBuilder builder_{0, 0};
};

}  // namespace

Plan plan_timetable_reduction(const Topology& topology, const TimetableReductionOptions& options) {
  return TimetableReduction(topology, options).plan();
}

}  // namespace gossamer
