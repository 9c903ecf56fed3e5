// SPDX-License-Identifier: Apache-2.0
/// The O(P d) proof of combining streams.
///
/// First the wiring: every lane runs along closed walks of the right length, rank by rank, and its
/// partner the same walks backward. Then all routers on a walk do the same up to a shift of ranks,
/// so one router represents all: its registers are followed through the legs as (block, interval of
/// contributing ranks), both relative to its own rank. A combination must join two disjoint,
/// adjacent intervals of one word, and every written word must be complete.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "gossamer/machines/ring/program.hpp"
#include "gossamer/plan/combination.hpp"
#include "proof.hpp"

namespace gossamer {

namespace {

/// Ranks lo .. lo + length - 1 of a walk, relative to a router's own rank; length 0: empty.
struct Interval {
  std::int64_t lo = 0;
  std::int64_t length = 0;
};

/// A leg of one cycle's two lanes, without the parts that they carry: legs that agree in this
/// prove alike.
struct LegShape {
  std::uint32_t steps = 0;
  std::uint32_t turn = 0;
  std::vector<CombineRun> operations;
  std::array<std::optional<CombineLane>, 2> lanes;
  /// The two lanes carry one part.
  bool shared = false;

  bool operator==(const LegShape&) const = default;
};

/// The effect of a leg on its cycle's words.
struct LegOutcome {
  std::string problem;
  /// By lane: blocks (relative to the own rank) that are complete at every node in the end.
  std::array<std::vector<bool>, 2> written;
  /// By lane: the step of the last arrival (0: none), and the step of the own block's arrival.
  std::array<std::uint64_t, 2> last{};
  std::array<std::uint64_t, 2> own{};
  /// By lane: steps in which every register of the lane sends.
  std::array<std::uint64_t, 2> sends{};
};

/// One router with the eyes of the symmetry, in one leg.
class SymbolicPair {
 public:
  /// `blocks` is the length of a cycle, or 1: all nodes add to the same word.
  SymbolicPair(std::int64_t length, std::int64_t blocks, const LegShape& shape)
      : length_(length), blocks_(blocks), shape_(shape) {}

  LegOutcome run() {
    for (std::size_t way = 0; way < 2; ++way) {
      if (shape_.lanes[way]) outcome_.written[way].assign(static_cast<std::size_t>(blocks_), false);
    }
    std::uint64_t step = 0;
    for (const CombineRun& run : shape_.operations) {
      for (std::uint32_t i = 0; i < run.count && outcome_.problem.empty(); ++i) {
        if (++step > std::uint64_t{shape_.steps} + 1) return fail(step, "is past the leg's end");
        enter(step, run.step);
      }
    }
    if (outcome_.problem.empty() && step != std::uint64_t{shape_.steps} + 1) {
      return fail(step + 1, "has no operation");
    }
    return std::move(outcome_);
  }

 private:
  LegOutcome fail(std::uint64_t step, std::string_view what) {
    if (outcome_.problem.empty()) outcome_.problem = fmt::format("step {} {}", step, what);
    return std::move(outcome_);
  }
  void note(std::uint64_t step, std::string_view what) {
    if (outcome_.problem.empty()) outcome_.problem = fmt::format("step {}: {}", step, what);
  }

  [[nodiscard]] static std::int64_t wrapped(std::int64_t number, std::int64_t length) {
    const std::int64_t rest = number % length;
    return rest < 0 ? rest + length : rest;
  }
  /// The block that a lane's register is about, relative to the own rank.
  [[nodiscard]] std::int64_t block(std::size_t way, std::uint64_t step) const {
    const CombineLane& lane = *shape_.lanes[way];
    return wrapped(lane.offset + lane.slope * (static_cast<std::int64_t>(step) - 1), blocks_);
  }

  /// Two disjoint intervals as one. Two empty intervals give an empty one.
  Interval joined(std::uint64_t step, const Interval& a, const Interval& b) {
    if (a.length == 0) return b;
    if (b.length == 0) return a;
    if (a.length + b.length > length_) {
      note(step, "contributions are counted twice");
      return {};
    }
    const auto meet = [this](const Interval& one, const Interval& other) {
      return wrapped(one.lo + one.length, length_) == wrapped(other.lo, length_);
    };
    if (meet(a, b)) return {a.lo, a.length + b.length};
    if (meet(b, a)) return {b.lo, a.length + b.length};
    note(step, "two sums that are not neighbours meet");
    return {};
  }

  /// The edge into `step`.
  void enter(std::uint64_t step, CombineStep operation) {
    // An arrival in this step is left over from the previous leg.
    if (step == 1 && operation != CombineStep::kLoad) note(step, "a leg begins with own words");
    std::array<Interval, 2> arrivals{};
    for (std::size_t way = 0; way < 2 && step > 1; ++way) {
      const auto& lane = shape_.lanes[way];
      if (!lane || step - 1 > lane->steps || registers_[way].length == 0) continue;
      ++outcome_.sends[way];
      const std::int64_t shift = way == 0 ? -1 : 1;
      arrivals[way] = {registers_[way].lo + shift, registers_[way].length};
      const bool used = operation != CombineStep::kLoad;
      if (used && wrapped(block(way, step - 1) + shift, blocks_) != block(way, step)) {
        note(step, "the counter does not follow the arrivals");
      }
    }
    std::array<Interval, 2> next{};
    for (std::size_t way = 0; way < 2; ++way) {
      if (!shape_.lanes[way]) continue;
      const Interval own{0, 1};
      const Interval& arrival = arrivals[way];
      switch (operation) {
        case CombineStep::kLoad:
          next[way] = own;
          break;
        case CombineStep::kAdd:
          next[way] = joined(step, arrival, own);
          break;
        case CombineStep::kPass:
          next[way] = arrival;
          break;
        case CombineStep::kCross:
          if (!shape_.shared || block(way, step) != block(1 - way, step - 1)) {
            note(step, "sums of two words meet");
          }
          next[way] = joined(step, arrival, registers_[1 - way]);
          break;
        case CombineStep::kJoin:
          if (!shape_.shared || block(0, step) != block(1, step)) {
            note(step, "sums of two words meet");
          }
          // The own operand lies between the two.
          next[way] = joined(step, joined(step, arrivals[0], own), arrivals[1]);
          break;
      }
    }
    registers_ = next;
    if (step < shape_.turn) return;
    for (std::size_t way = 0; way < 2; ++way) {
      if (!shape_.lanes[way] || !shape_.lanes[way]->writes) continue;
      if (registers_[way].length != length_) {
        note(step, "a sum is written before it is complete");
        continue;
      }
      const std::int64_t at = block(way, step);
      outcome_.written[way][static_cast<std::size_t>(at)] = true;
      outcome_.last[way] = step - 1;
      if (at == 0) outcome_.own[way] = step - 1;
    }
  }

  std::int64_t length_;
  std::int64_t blocks_;
  const LegShape& shape_;
  std::array<Interval, 2> registers_{};
  LegOutcome outcome_;
};

/// The feeds of a combining program, as far as every lane needs them.
class LaneWiring {
 public:
  LaneWiring(const Topology& topology, const RingProgram& program)
      : topology_(topology),
        program_(program),
        combine_(program.combine),
        cycles_(combine_.legs.front().lanes.size() / 2) {}

  /// Nodes of a cycle. Where all nodes add to the same word they have no ranks, and the cycle goes
  /// through all of them.
  [[nodiscard]] std::uint32_t length() const {
    return combine_.blocks == 1 ? topology_.live_nodes() : combine_.blocks;
  }

  /// The defect of a cycle's lanes, over all nodes; empty if they are closed walks of length()
  /// nodes, by rank, through all live nodes. Counts the links of one hop of all nodes.
  std::string check_walks(std::size_t cycle, std::array<std::uint64_t, 2>& links) {
    const std::uint32_t length = this->length();
    const bool ranked = combine_.blocks != 1;
    const auto lane = static_cast<std::uint8_t>(2 * cycle);
    links = {};
    std::uint64_t seen = 0;
    for (NodeId start = 0; start < topology_.nodes() && (ranked || seen == 0); ++start) {
      if (!topology_.is_live(start) || rank(start, cycle) != 0) continue;
      NodeId node = start;
      for (std::uint32_t i = 0; i < length; ++i) {
        if (!ranked && i != 0 && node == start) {
          return fmt::format("cycle {} passes {} of {} nodes", cycle, i, length);
        }
        if (ranked && rank(node, cycle) != i) {
          return fmt::format("node {}: rank {} on cycle {}, but the next rank is {}", node,
                             rank(node, cycle), cycle, i);
        }
        const Hop on = follow(node, lane);
        if (on.to == kNoNode) return lost(node, lane);
        const Hop back = follow(on.to, static_cast<std::uint8_t>(lane + 1));
        if (back.to != node) return lost(on.to, static_cast<std::uint8_t>(lane + 1));
        links[0] += on.links;
        links[1] += back.links;
        node = on.to;
      }
      if (node != start)
        return fmt::format("cycle {} does not close after rank {}", cycle, length - 1);
      seen += length;
    }
    if (seen == topology_.live_nodes()) return {};
    return fmt::format("cycle {} passes {} of {} nodes", cycle, seen, topology_.live_nodes());
  }

  /// The dimension that all walks of a cycle run along; -1: several, or not straight.
  int straight_dimension(std::size_t cycle) {
    int found = -1;
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      const int out = column(node, static_cast<std::uint8_t>(2 * cycle));
      if (out < 0 || !is_positive(static_cast<Port>(out))) return -1;
      const int dim = dimension_of(static_cast<Port>(out));
      if (found >= 0 && dim != found) return -1;
      found = dim;
    }
    return found;
  }

  /// The defect of a cycle's lanes as lines of dimension `dim`, from border to border on a mesh;
  /// empty if correct.
  std::string check_lines(std::size_t cycle, int dim) {
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      for (const bool positive : {true, false}) {
        const auto lane = static_cast<std::uint8_t>(2 * cycle + (positive ? 0 : 1));
        const Port out = make_port(dim, positive);
        if (walk.neighbor(out) == kNoNode) continue;
        const RingPort& here = program_.at(walk.node(), out);
        const bool fed = walk.neighbor(opposite(out)) != kNoNode;
        if (here.lane != lane || here.feed != (fed ? PortSet::of(opposite(out)) : PortSet{})) {
          return lost(walk.node(), lane);
        }
      }
    }
    return {};
  }

  /// Some register waits for a later slot of the frame while its next arrival is there already.
  [[nodiscard]] std::uint32_t queue_depth() const {
    const std::uint32_t frame = program_.frame();
    for (NodeId node = 0; frame > 1 && node < topology_.nodes(); ++node) {
      for (int p = 0; p < program_.ports(); ++p) {
        const RingPort& at = program_.at(node, static_cast<Port>(p));
        if (at.lane && !at.feed.empty() &&
            at.feed.front() % frame < static_cast<std::uint32_t>(p) % frame) {
          return 2;
        }
      }
    }
    return 1;
  }

 private:
  struct Hop {
    NodeId to = kNoNode;
    std::uint32_t links = 0;
  };

  [[nodiscard]] std::uint32_t rank(NodeId node, std::size_t cycle) const {
    return combine_.ranks[node * cycles_ + cycle];
  }
  [[nodiscard]] static std::string lost(NodeId node, std::uint8_t lane) {
    return fmt::format(
        "node {}: its register of lane {} does not send the word that the next register expects",
        node, lane);
  }
  /// The output port and slot of a node's register of a lane; -1: none, or two.
  [[nodiscard]] int column(NodeId node, std::uint8_t lane) const {
    int found = -1;
    for (int p = 0; p < program_.ports(); ++p) {
      if (program_.at(node, static_cast<Port>(p)).lane != lane) continue;
      if (found >= 0) return -1;
      found = p;
    }
    return found;
  }
  /// The next register of the lane after a node's register.
  [[nodiscard]] Hop follow(NodeId node, std::uint8_t lane) const {
    const auto frame = program_.frame();
    int out = column(node, lane);
    if (out < 0) return {};
    Hop hop;
    for (std::uint32_t slots = 0; slots < frame; ++slots) {
      const auto slot = static_cast<std::uint32_t>(out) % frame;
      const auto port = static_cast<Port>(static_cast<std::uint32_t>(out) / frame);
      node = topology_.neighbor(node, port);
      if (node == kNoNode) return {};
      ++hop.links;
      const PortSet in = PortSet::of(static_cast<Port>(opposite(port) * frame + slot));
      out = -1;
      for (int p = 0; p < program_.ports(); ++p) {
        const RingPort& entry = program_.at(node, static_cast<Port>(p));
        if ((entry.feed.bits() & in.bits()) == 0) continue;
        // One reader, with no other feed.
        if (out >= 0 || entry.feed != in) return {};
        out = p;
      }
      if (out < 0) return {};
      const auto& reader = program_.at(node, static_cast<Port>(out)).lane;
      if (reader) {
        hop.to = reader == lane ? node : kNoNode;
        return hop;
      }
      // Passed on in a later slot of the frame.
      if (static_cast<std::uint32_t>(out) % frame <= slot) return {};
    }
    return {};
  }

  const Topology& topology_;
  const RingProgram& program_;
  const Combination& combine_;
  std::size_t cycles_;
};

/// The whole program.
class CombiningProof {
 public:
  CombiningProof(const Plan& plan, const RingProgram& program)
      : plan_(plan),
        topology_(plan.topology),
        program_(program),
        combine_(program.combine),
        wiring_(topology_, program),
        reduced_(combine_.parts, 0),
        finished_(combine_.parts, 0) {
    verdict_.method = "combination";
    verdict_.link_transfers = 0;
  }

  Verdict run() {
    prove();
    verdict_.complete = verdict_.problems.empty();
    if (!verdict_.complete) {
      // The proof does not define the behaviour of routers with an inconsistent table.
      verdict_.link_transfers.reset();
      verdict_.link_conflicts.reset();
      verdict_.max_queue.reset();
      return std::move(verdict_);
    }
    std::uint64_t steps = 0;
    for (const std::uint64_t step : finished_) steps = std::max(steps, step);
    for (const LineSends& sends : line_sends_) *verdict_.link_transfers += sends.until(steps);
    verdict_.steps = steps * program_.frame();
    verdict_.duplicates = 0;
    verdict_.max_queue = wiring_.queue_depth();
    return std::move(verdict_);
  }

 private:
  void note(std::string problem) { verdict_.problems.push_back(std::move(problem)); }

  void prove() {
    if (!plan_.demand.combines() || plan_.demand.pieces != combine_.words()) {
      return note(
          fmt::format("the program combines {} words, the demand does not", combine_.words()));
    }
    for (const CombineLeg& leg : combine_.legs) {
      leg.turn == 0 ? prove_lines(leg) : prove_cycles(leg);
      if (!verdict_.problems.empty()) return;
      before_ += leg.steps;
    }
    check_order();
    const std::uint32_t all = (1U << static_cast<unsigned>(topology_.dimensions())) - 1;
    // A side of 1 has nothing to reduce.
    std::uint32_t flat = 0;
    for (int dim = 0; dim < topology_.dimensions(); ++dim) {
      if (topology_.side(dim) == 1) flat |= 1U << static_cast<unsigned>(dim);
    }
    for (std::uint32_t part = 0; part < combine_.parts; ++part) {
      if ((reduced_[part] | flat) != all)
        return note(fmt::format("part {} is not reduced over all nodes", part));
    }
  }

  /// Marks a part as reduced over a set of dimensions.
  void reduce(std::uint32_t part, std::uint32_t dimensions, std::uint64_t step) {
    if ((reduced_[part] & dimensions) != 0) {
      return note(fmt::format("part {}: contributions are counted twice", part));
    }
    reduced_[part] |= dimensions;
    finished_[part] = before_ + step;
  }

  /// The total of a cycle's word is formed at one place, or by two neighbours of the same two sums.
  /// On a line of three or more nodes each one begins with its own word.
  void check_order() {
    if (!plan_.demand.needs_one_order()) return;
    for (const CombineLeg& leg : combine_.legs) {
      for (std::size_t lane = 0; leg.turn == 0 && lane < leg.lanes.size(); ++lane) {
        if (!leg.lanes[lane] || topology_.side(static_cast<int>(lane / 2)) <= 2) continue;
        return note(fmt::format(
            "part {}: the nodes of a line of dimension {} combine in different orders, and the "
            "operation depends on it",
            leg.lanes[lane]->part, lane / 2));
      }
    }
  }

  void prove_cycles(const CombineLeg& leg) {
    for (std::size_t cycle = 0; 2 * cycle < leg.lanes.size(); ++cycle) {
      LegShape shape{leg.steps,
                     leg.turn,
                     leg.operations,
                     {leg.lanes[2 * cycle], leg.lanes[2 * cycle + 1]},
                     false};
      if (!shape.lanes[0] && !shape.lanes[1]) continue;
      std::array<std::uint32_t, 2> parts{};
      for (std::size_t way = 0; way < 2; ++way) {
        if (!shape.lanes[way]) continue;
        parts[way] = shape.lanes[way]->part;
        shape.lanes[way]->part = 0;
      }
      shape.shared = shape.lanes[0] && shape.lanes[1] && parts[0] == parts[1];
      const Walks& walks = walks_of(cycle);
      if (!walks.problem.empty()) return note(walks.problem);
      const LegOutcome& outcome = outcome_of(shape);
      if (!outcome.problem.empty()) {
        return note(fmt::format("cycle {}, {}", cycle, outcome.problem));
      }
      for (std::size_t way = 0; way < 2; ++way) {
        *verdict_.link_transfers += outcome.sends[way] * walks.links[way];
        if (!shape.lanes[way] || (way == 1 && shape.shared)) continue;
        const std::size_t other = shape.shared ? 1 : way;
        finish(parts[way], walks, outcome, way, other);
        if (!verdict_.problems.empty()) return;
      }
    }
  }

  /// Records the result of a leg for one part, carried by the lanes `way` and `other` (or one of
  /// them).
  void finish(std::uint32_t part, const auto& walks, const LegOutcome& outcome, std::size_t way,
              std::size_t other) {
    const auto& a = outcome.written[way];
    const auto& b = outcome.written[other];
    if (plan_.demand.to == Destination::kOwner) {
      if (combine_.blocks != topology_.nodes()) {
        return note("blocks have no owners: the cycles do not go through all nodes");
      }
      if (!a[0] && !b[0]) return note(fmt::format("part {}: no node ends with its own word", part));
      return reduce(part, walks.dimensions, std::max(outcome.own[way], outcome.own[other]));
    }
    for (std::size_t block = 0; block < a.size(); ++block) {
      if (!a[block] && !b[block]) {
        return note(fmt::format("part {}: the word of the node {} ranks ahead is never complete",
                                part, block));
      }
    }
    reduce(part, walks.dimensions, std::max(outcome.last[way], outcome.last[other]));
  }

  void prove_lines(const CombineLeg& leg) {
    if (combine_.blocks != 1 || program_.frame() != 1) {
      return note("arrivals are added to words of one block only, without a frame");
    }
    const std::uint64_t listed = [&] {
      std::uint64_t count = 0;
      for (const CombineRun& run : leg.operations) count += run.count;
      return count;
    }();
    bool plain = !leg.operations.empty() && leg.operations[0].count == 1 &&
                 leg.operations[0].step == CombineStep::kLoad && listed >= leg.steps;
    for (std::size_t i = 1; i < leg.operations.size(); ++i) {
      plain = plain && leg.operations[i].step == CombineStep::kPass;
    }
    if (!plain) return note("a line's sums are loaded once and then passed on");
    for (std::size_t cycle = 0; 2 * cycle < leg.lanes.size(); ++cycle) {
      const auto& forward = leg.lanes[2 * cycle];
      const auto& backward = leg.lanes[2 * cycle + 1];
      if (!forward && !backward) continue;
      const int dim = static_cast<int>(cycle);
      if (const std::string problem = wiring_.check_lines(cycle, dim); !problem.empty()) {
        return note(problem);
      }
      if (forward && backward && forward->part != backward->part) {
        return note(fmt::format("cycle {}: its two directions carry different words", cycle));
      }
      if ((forward && !forward->writes) || (backward && !backward->writes)) {
        return note(fmt::format("cycle {}: sums are not written", cycle));
      }
      const std::uint64_t last =
          topology_.wraps(dim) ? prove_ring(leg, cycle) : prove_line(leg, cycle);
      if (!verdict_.problems.empty()) return;
      reduce((forward ? forward : backward)->part, 1U << cycle, last);
      if (!verdict_.problems.empty()) return;
    }
  }

  /// Steps in which the two directions of a dimension send.
  [[nodiscard]] static std::array<std::uint64_t, 2> sending(const CombineLeg& leg,
                                                            std::size_t cycle) {
    std::array<std::uint64_t, 2> steps{};
    for (std::size_t way = 0; way < 2; ++way) {
      const auto& lane = leg.lanes[2 * cycle + way];
      if (lane) steps[way] = std::min(lane->steps, leg.steps);
    }
    return steps;
  }

  /// The step of the leg with the last arrival; on rings all nodes receive the same.
  std::uint64_t prove_ring(const CombineLeg& leg, std::size_t cycle) {
    const std::uint64_t n = topology_.side(static_cast<int>(cycle));
    const auto steps = sending(leg, cycle);
    for (const std::uint64_t sent : steps) {
      line_sends_.push_back({before_, sent, n, topology_.nodes() / n, true});
    }
    if (steps[0] + steps[1] != n - 1) {
      note(fmt::format("cycle {}: a node receives words of {} of the {} others on its line", cycle,
                       steps[0] + steps[1], n - 1));
    }
    return std::max(steps[0], steps[1]);
  }

  /// The step of the leg with the last required arrival. For a root it is enough that the nodes
  /// with its coordinate receive all words; the remaining nodes have them in every dimension.
  std::uint64_t prove_line(const CombineLeg& leg, std::size_t cycle) {
    const std::uint64_t n = topology_.side(static_cast<int>(cycle));
    std::array<std::uint64_t, 2> wanted{n - 1, n - 1};
    if (plan_.demand.to == Destination::kRoot) {
      const std::uint64_t at = topology_.coordinates(plan_.demand.root)[cycle];
      wanted = {at, n - 1 - at};
    }
    const auto steps = sending(leg, cycle);
    for (std::size_t way = 0; way < 2; ++way) {
      // On a line words stop at the border.
      line_sends_.push_back(
          {before_, std::min(steps[way], n - 1), n, topology_.nodes() / n, false});
      if (steps[way] < wanted[way]) {
        note(fmt::format("cycle {}: words travel {} of {} links towards {}", cycle, steps[way],
                         wanted[way], way == 0 ? '+' : '-'));
      }
    }
    return std::max(wanted[0], wanted[1]);
  }

  /// The sends of a lane of lines.
  struct LineSends {
    /// Steps before its leg, and those in which it sends.
    std::uint64_t before;
    std::uint64_t steps;
    std::uint64_t side;
    std::uint64_t lines;
    bool ring;

    /// Links crossed up to a step of the program.
    [[nodiscard]] std::uint64_t until(std::uint64_t step) const {
      const std::uint64_t done = std::min(steps, step > before ? step - before : 0);
      // On a line each step forwards one word fewer.
      return lines * (done * side - (ring ? 0 : done * (done + 1) / 2));
    }
  };

  struct Walks {
    std::string problem;
    /// Dimensions that a walk's nodes differ in, as a set of bits.
    std::uint32_t dimensions = 0;
    /// By direction: links that one hop of all nodes' registers crosses.
    std::array<std::uint64_t, 2> links{};
  };

  const Walks& walks_of(std::size_t cycle) {
    const auto [at, is_new] = walks_.try_emplace(cycle);
    Walks& walks = at->second;
    if (!is_new) return walks;
    walks.problem = wiring_.check_walks(cycle, walks.links);
    if (!walks.problem.empty()) return walks;
    if (wiring_.length() == topology_.live_nodes()) {
      walks.dimensions = (1U << static_cast<unsigned>(topology_.dimensions())) - 1;
      return walks;
    }
    const int dim = program_.frame() == 1 ? wiring_.straight_dimension(cycle) : -1;
    if (dim < 0) {
      walks.problem = fmt::format("cycle {} goes neither through all nodes nor along lines", cycle);
    } else {
      walks.dimensions = 1U << static_cast<unsigned>(dim);
    }
    return walks;
  }

  const LegOutcome& outcome_of(const LegShape& shape) {
    for (const auto& [known, outcome] : outcomes_) {
      if (known == shape) return *outcome;
    }
    auto outcome =
        std::make_unique<LegOutcome>(SymbolicPair(wiring_.length(), combine_.blocks, shape).run());
    outcomes_.emplace_back(shape, std::move(outcome));
    return *outcomes_.back().second;
  }

  const Plan& plan_;
  const Topology& topology_;
  const RingProgram& program_;
  const Combination& combine_;
  LaneWiring wiring_;
  /// By part: the dimensions over which it is reduced, and the step in which it was last.
  std::vector<std::uint32_t> reduced_;
  std::vector<std::uint64_t> finished_;
  std::vector<LineSends> line_sends_;
  std::map<std::size_t, Walks> walks_;
  std::vector<std::pair<LegShape, std::unique_ptr<LegOutcome>>> outcomes_;
  /// Steps of the legs before.
  std::uint64_t before_ = 0;
  Verdict verdict_;
};

}  // namespace

Verdict prove_ring(const Plan& plan, const RingProgram& program) {
  return CombiningProof(plan, program).run();
}

}  // namespace gossamer
