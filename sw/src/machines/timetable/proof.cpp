// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "gossamer/plan/combination_order.hpp"
#include "gossamer/topology/displacement.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/verify/sum_forest.hpp"
#include "position_proof.hpp"
#include "rows.hpp"

namespace gossamer {

namespace {

constexpr std::size_t kMostProblems = 20;
/// Pairs of a node and a piece that it requires.
constexpr std::uint64_t kMostWanted = std::uint64_t{1} << 35U;
/// Rows that are executed one by one.
constexpr std::uint64_t kMostExecuted = std::uint64_t{1} << 30U;
/// The same where sums are followed as well.
constexpr std::uint64_t kMostReplayed = std::uint64_t{1} << 24U;

/// A piece, or the part of its sum that a router has.
struct ProvedWord {
  PacketId piece = kNoPacket;
  SumName sum;

  [[nodiscard]] bool empty() const { return piece == kNoPacket; }
};

/// The pieces that nodes require and have. A short document can claim a large network; the known
/// pieces are then kept in a set that grows with the deliveries.
class Deliveries {
 public:
  Deliveries(std::uint64_t wanted, std::uint64_t most_deliveries)
      : sparse_(wanted / 64 > most_deliveries + 64) {
    if (!sparse_) there_.assign(wanted, false);
  }

  /// False when it was there already.
  bool add(std::uint64_t at) {
    if (sparse_) return few_.insert(at).second;
    const bool is_new = !there_[at];
    there_[at] = true;
    return is_new;
  }
  /// False when it was not there.
  bool remove(std::uint64_t at) {
    if (sparse_) return few_.erase(at) != 0;
    const bool was_there = there_[at];
    there_[at] = false;
    return was_there;
  }
  [[nodiscard]] bool has(std::uint64_t at) const {
    return sparse_ ? few_.contains(at) : bool{there_[at]};
  }

 private:
  bool sparse_;
  std::vector<bool> there_;
  std::unordered_set<std::uint64_t> few_;
};

/// A time in which a slot holds a word, in half steps: reads are at even half steps, writes at odd
/// ones.
struct Lifetime {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Executes all rows on names of words. Where all routers run one ROM and are alike, it follows one
/// of them: its neighbour in some direction does the same, seen from a node further.
class TimetableWalk {
 public:
  /// The words of `plan` as `program` treats them: the plan's own program, or what remains of it
  /// when each row is executed once.
  TimetableWalk(const Plan& plan, const TimetableProgram& program, const TimetableProgram& numbers,
                std::uint64_t limit)
      : topology_(plan.topology),
        demand_(plan.demand),
        program_(program),
        numbers_(numbers),
        rows_(program),
        steps_(std::min(program.last_arrival(plan.topology), limit)),
        // Orders are compared node by node.
        alike_(program.one_rom() && program.rotation == 0 &&
               (plan.topology.routers_are_alike() || plan.demand.groups) &&
               !plan.demand.needs_one_order() && plan.demand.from == Origin::kEveryNode &&
               plan.demand.to != Destination::kRoot),
        followed_(alike_ ? 1 : plan.topology.nodes()),
        layout_(plan.topology, plan.demand.groups),
        forest_(plan.topology, plan.demand.members(plan.topology.cores())),
        slots_(std::size_t{followed_} * program.slots()),
        lifetimes_(slots_.size()),
        filled_(followed_, 0),
        links_(std::size_t{followed_} * static_cast<std::size_t>(program.ports())),
        ends_(links_.size(), 0),
        missing_(followed_, 0),
        deliveries_(wanted_numbers(), sends_in_all()) {
    verdict_.link_transfers = 0;
    verdict_.duplicates = 0;
    for (NodeId node = 0; node < followed_; ++node) want(node);
  }

  Verdict run() {
    std::uint64_t step = 0;
    while (step < steps_ && incomplete_ != 0) {
      ++step;
      for (NodeId node = 0; node < followed_; ++node) send(node, step);
      if (program_.adds_late()) {
        late_.emplace_back();
        for (NodeId node = 0; node < followed_; ++node) receive_late(node, step);
        land(step);
        continue;
      }
      for (NodeId node = 0; node < followed_; ++node) receive(node, step);
    }
    verdict_.complete = incomplete_ == 0;
    if (verdict_.complete) verdict_.steps = step;
    if (verdict_.complete && program_.delivery() == DeliveryRule::kMarked &&
        step < program_.steps()) {
      note(fmt::format("step {}: rows remain after all pieces have been delivered", step + 1));
    }
    for (NodeId node = 0; node < followed_; ++node) {
      if (missing_[node] == 0) continue;
      note(alike_ ? fmt::format("every node lacks {} of its pieces", missing_[node])
                  : fmt::format("node {} never receives {} of its pieces", node, missing_[node]));
    }
    const std::uint64_t nodes = alike_ ? topology_.nodes() : 1;
    *verdict_.link_conflicts *= nodes;
    *verdict_.link_transfers *= nodes;
    *verdict_.duplicates *= nodes;
    // Results overwrite each other: copies are never too many, and sums are not where all are
    // right.
    if (program_.delivery() != DeliveryRule::kAll) {
      verdict_.duplicates.reset();
      if (verdict_.complete || !demand_.combines()) verdict_.duplicates = 0;
    }
    return std::move(verdict_);
  }

  /// By node and slot, in the order of their beginnings; the last step in which each piece is
  /// delivered to a node that requires it; rows that were executed, with their piece.
  [[nodiscard]] const std::vector<std::vector<Lifetime>>& lifetimes() const { return lifetimes_; }
  [[nodiscard]] const std::vector<std::uint64_t>& done() const { return done_; }
  template <typename Visit>
  void keep_times_of_rows(Visit check) {
    check_times_ = std::move(check);
  }

 private:
  [[nodiscard]] std::uint64_t pieces() const {
    if (demand_.groups && demand_.combines()) return demand_.pieces * layout_.groups();
    if (demand_.combines() || demand_.from == Origin::kRoot) return demand_.pieces;
    if (demand_.to == Destination::kEveryNode) return topology_.nodes() * demand_.pieces;
    return std::uint64_t{topology_.nodes()} * topology_.nodes() * demand_.pieces;
  }
  /// Every node requires all pieces; otherwise each piece has one destination.
  [[nodiscard]] bool all_want() const { return demand_.to == Destination::kEveryNode; }
  [[nodiscard]] std::uint64_t wanted_numbers() const {
    const std::uint64_t numbers = all_want() ? pieces() * followed_ : pieces();
    if (numbers > kMostWanted || pieces() > kMostWanted) {
      throw InputError(fmt::format("verify: {} pieces at {} nodes are too many for a replay",
                                   pieces(), topology_.nodes()));
    }
    return numbers;
  }
  [[nodiscard]] std::uint64_t sends_in_all() const {
    std::uint64_t sends = 0;
    for (NodeId node = 0; node < followed_; ++node) {
      sends += program_.roms()[program_.rom_of(node)].sends.size();
    }
    return sends;
  }
  [[nodiscard]] std::uint64_t number_of(NodeId node, PacketId piece) const {
    return all_want() ? node * pieces() + piece : piece;
  }

  [[nodiscard]] bool wants(NodeId node, PacketId piece) const {
    if (piece >= pieces() || !topology_.has_core(node)) return false;
    const std::uint64_t nodes = topology_.nodes();
    switch (demand_.to) {
      case Destination::kOwner:
        return piece / (demand_.pieces / layout_.members()) == node;
      case Destination::kRoot:
        return node == demand_.root;
      case Destination::kEachNode:
      case Destination::kEachSource:
        return piece / demand_.pieces % nodes == node;
      default:
        break;
    }
    if (demand_.groups) {
      const std::uint64_t each =
          demand_.combines() ? demand_.pieces / layout_.members() : demand_.pieces;
      return layout_.group(static_cast<NodeId>(piece / each)) == layout_.group(node);
    }
    // Pieces of a dead core do not exist.
    return demand_.combines() || demand_.from != Origin::kEveryNode ||
           topology_.has_core(static_cast<NodeId>(piece / demand_.pieces));
  }

  /// Counts the missing pieces of the node before the first step.
  void want(NodeId node) {
    if (!topology_.has_core(node)) return;
    const std::uint64_t cores = demand_.members(topology_.cores());
    std::uint64_t wanted = 0;
    if (demand_.combines() || demand_.from == Origin::kRoot) {
      // Programs whose rows are executed once have only the first word of each sequence.
      const bool first_words = program_.repeats() != numbers_.repeats();
      if (!first_words) {
        wanted =
            demand_.to == Destination::kOwner ? demand_.pieces / layout_.members() : demand_.pieces;
      } else {
        for (std::uint32_t own = 0; own < numbers_.own(); ++own) {
          if (numbers_.word_number(own, 0) < demand_.pieces) ++wanted;
        }
      }
      if (demand_.to == Destination::kRoot && node != demand_.root) wanted = 0;
    } else if (demand_.to == Destination::kEachSource) {
      const bool gathers = demand_.source_pieces(node) != 0;
      wanted = gathers ? (cores - 1) * demand_.pieces : 0;
    } else {
      wanted = (demand_.is_personal() ? cores - 1 : cores) * demand_.pieces;
    }
    missing_[node] = wanted;
    if (wanted != 0) ++incomplete_;
    // A node's own pieces need not arrive.
    for (std::uint32_t own = 0; own < program_.own(); ++own) {
      const std::uint64_t words = program_.repeats() ? program_.words_of(own, demand_.pieces) : 1;
      for (std::uint64_t n = 0; n < words; ++n) {
        const ProvedWord word = own_word(node, own, n);
        if (word.empty() || !wants(node, word.piece)) continue;
        if (demand_.combines() && !forest_.is_whole(word.sum)) continue;
        deliver(node, word, 0);
      }
    }
  }

  [[nodiscard]] ProvedWord own_word(NodeId node, std::uint32_t own, std::uint64_t n) const {
    const PacketId piece = own_piece(numbers_, topology_, demand_, node, own, n);
    if (piece == kNoPacket) return {};
    return {piece, forest_.leaf(node)};
  }
  [[nodiscard]] std::size_t slot_at(NodeId node, std::uint32_t slot) const {
    return std::size_t{node} * program_.slots() + slot;
  }
  [[nodiscard]] ProvedWord source_word(NodeId node, WordSource source, std::uint64_t n) const {
    return source.is_own() ? own_word(node, source.index(), n)
                           : slots_[slot_at(node, source.index())];
  }
  [[nodiscard]] std::size_t link_at(NodeId node, Port port) const {
    return std::size_t{node} * static_cast<std::size_t>(program_.ports()) + port;
  }

  void send(NodeId node, std::uint64_t step) {
    rows_.for_each_send(program_.rom_of(node), step, [&](const SendRow& row, std::uint64_t n) {
      if (!has_word(program_, topology_, demand_, node, row.word)) return;
      if (topology_.neighbor(node, row.port) == kNoNode) {
        return note(node, step, "out", row.port, "there is no live link");
      }
      const ProvedWord word = source_word(node, row.source, n);
      if (word.empty()) {
        return note(node, step, "out", row.port,
                    !row.source.is_own()
                        ? fmt::format("slot {} is read before it is written", row.source.index())
                    : topology_.has_core(node)
                        ? fmt::format("the node has no own word {}", row.source.index())
                        : "the node has no own words because its core is dead");
      }
      const std::size_t link = link_at(node, row.port);
      if (ends_[link] >= step) {
        ++*verdict_.link_conflicts;
        return note(node, step, "out", row.port,
                    fmt::format("the link is busy up to step {}", ends_[link]));
      }
      if (row.source.is_slot()) use(node, row.source.index(), 2 * step);
      if (check_times_) check_times_(row.times, word.piece, row.step);
      links_[link] = word;
      ends_[link] = step + topology_.period(node, row.port) - 1;
      ++*verdict_.link_transfers;
    });
  }

  /// The arrival at an input port in this step.
  [[nodiscard]] ProvedWord arrival(NodeId node, Port port, std::uint64_t step) const {
    const NodeId from = topology_.sender(node, port);
    if (from == kNoNode) return {};
    const std::size_t link = link_at(alike_ ? 0 : from, opposite(port));
    if (ends_[link] != step) return {};
    const ProvedWord& word = links_[link];
    if (!alike_) return word;
    return {seen_from(word.piece, from), forest_.displaced_by(word.sum, from)};
  }
  /// The piece that corresponds at node `from` to `piece` at node 0.
  [[nodiscard]] PacketId seen_from(PacketId piece, NodeId from) const {
    const auto moved = [&](PacketId node) {
      return PacketId{displaced(topology_, from, static_cast<NodeId>(node))};
    };
    const std::uint64_t nodes = topology_.nodes();
    if (demand_.combines()) {
      if (!program_.relative) return piece;
      const std::uint64_t k = demand_.pieces / layout_.members();
      return moved(piece / k) * k + piece % k;
    }
    const std::uint64_t k = demand_.pieces;
    if (!demand_.is_personal()) return moved(piece / k) * k + piece % k;
    return (moved(piece / k / nodes) * nodes + moved(piece / k % nodes)) * k + piece % k;
  }

  void receive(NodeId node, std::uint64_t step) {
    PortSet handled;
    std::array<std::uint32_t, kMaxPorts> replaced{};
    std::size_t replacements = 0;
    rows_.for_each_arrival(
        program_.rom_of(node), step, [&](const ArrivalRow& row, std::uint64_t n) {
          if (!has_word(program_, topology_, demand_, node, row.word)) return;
          handled.insert(row.port);
          const ProvedWord came = arrival(node, row.port, step);
          if (came.empty()) return note(node, step, "in", row.port, "nothing arrives");
          if (check_times_) check_times_(row.times, came.piece, row.step);
          const ProvedWord result = row.with.none() ? came : combined(node, step, row, came, n);
          if (row.slot != ArrivalRow::kNoSlot) {
            const bool updates = row.with == WordSource::slot(row.slot);
            if (!updates) {
              const auto known = std::span(replaced).first(replacements);
              if (std::ranges::find(known, row.slot) != known.end()) {
                ++*verdict_.link_conflicts;
                note(node, step, "in", row.port,
                     fmt::format("slot {} is already written in this step", row.slot));
              } else {
                replaced[replacements++] = row.slot;
              }
            }
            put(node, row.slot, result, step, updates);
          }
          const bool delivers =
              program_.delivery() == DeliveryRule::kAll ||
              (program_.delivery() == DeliveryRule::kUnstored ? row.slot == ArrivalRow::kNoSlot
                                                              : row.delivers);
          if (delivers) hand_over(node, step, row.port, result);
        });
    if (program_.delivery() == DeliveryRule::kMarked) return;
    for (const Port port : all_ports(program_.ports())) {
      if (handled.contains(port)) continue;
      const ProvedWord came = arrival(node, port, step);
      if (!came.empty()) hand_over(node, step, port, came);
    }
  }

  /// A row of the present step.
  struct LateRow {
    const ArrivalRow* row;
    std::uint64_t n;
    std::uint32_t additions;
    /// A higher input port adds to the result.
    bool passed_up = false;
  };
  /// A result of an addition that has begun.
  struct Late {
    NodeId node;
    const ArrivalRow* row;
    bool stored;
    ProvedWord word;
  };

  /// As receive(), where additions take several steps: they see the slots as they were at the start
  /// of this one.
  void receive_late(NodeId node, std::uint64_t step) {
    std::vector<LateRow> rows;
    StepAdditions additions(true);
    rows_.for_each_arrival(
        program_.rom_of(node), step, [&](const ArrivalRow& row, std::uint64_t n) {
          if (row.slot != ArrivalRow::kNoSlot && row.with == WordSource::slot(row.slot)) {
            for (LateRow& lower : rows) {
              lower.passed_up = lower.passed_up || lower.row->slot == row.slot;
            }
          }
          rows.push_back({&row, n, additions.of(row)});
        });
    std::vector<ProvedWord> results(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const ArrivalRow& row = *rows[i].row;
      const ProvedWord came = arrival(node, row.port, step);
      if (came.empty()) {
        note(node, step, "in", row.port, "nothing arrives");
        continue;
      }
      if (check_times_) check_times_(row.times, came.piece, row.step);
      results[i] = came;
      if (!row.with.none()) {
        ProvedWord with;
        const bool updates =
            row.slot != ArrivalRow::kNoSlot && row.with == WordSource::slot(row.slot);
        for (std::size_t lower = i; updates && with.empty() && lower-- > 0;) {
          if (rows[lower].row->slot == row.slot) with = results[lower];
        }
        if (with.empty()) {
          with = source_word(node, row.with, rows[i].n);
          // As the step begins, so that a result may take the slot at its end.
          if (row.with.is_slot() && !with.empty()) use(node, row.with.index(), 2 * step);
        }
        results[i] = sum_of(node, step, row, with, came);
      }
      const bool stored = row.slot != ArrivalRow::kNoSlot && !rows[i].passed_up;
      const std::size_t delay = std::size_t{rows[i].additions} * program_.adder_cycles;
      while (late_.size() <= delay) late_.emplace_back();
      late_[delay].push_back({node, &row, stored, results[i]});
    }
  }
  /// The results that are there at the end of the step.
  void land(std::uint64_t step) {
    const std::vector<Late> landing = std::move(late_.front());
    late_.pop_front();
    std::unordered_set<std::size_t> written;
    for (const Late& late : landing) {
      if (late.stored) {
        if (!written.insert(slot_at(late.node, late.row->slot)).second) {
          ++*verdict_.link_conflicts;
          note(late.node, step, "in", late.row->port,
               fmt::format("slot {} is already written in this step", late.row->slot));
        }
        put(late.node, late.row->slot, late.word, step, false);
      }
      const bool delivers = program_.delivery() == DeliveryRule::kUnstored
                                ? late.row->slot == ArrivalRow::kNoSlot
                                : late.row->delivers;
      if (delivers) hand_over(late.node, step, late.row->port, late.word);
    }
  }

  ProvedWord combined(NodeId node, std::uint64_t step, const ArrivalRow& row,
                      const ProvedWord& came, std::uint64_t n) {
    const ProvedWord with = source_word(node, row.with, n);
    if (row.with.is_slot() && !with.empty()) use(node, row.with.index(), 2 * step + 1);
    return sum_of(node, step, row, with, came);
  }
  ProvedWord sum_of(NodeId node, std::uint64_t step, const ArrivalRow& row, const ProvedWord& with,
                    const ProvedWord& came) {
    if (with.empty()) {
      note(node, step, "in", row.port, "it is combined with a missing word");
      return came;
    }
    if (!demand_.combines() || with.piece != came.piece) {
      note(node, step, "in", row.port,
           fmt::format("piece {} is added to piece {}", came.piece, with.piece));
      // No output can be made of this any more.
      return {with.piece, forest_.combine(with.sum, with.sum)};
    }
    return {with.piece, forest_.combine(with.sum, came.sum)};
  }

  void use(NodeId node, std::uint32_t slot, std::uint64_t half_step) {
    auto& lifetimes = lifetimes_[slot_at(node, slot)];
    if (!lifetimes.empty()) lifetimes.back().end = std::max(lifetimes.back().end, half_step);
  }
  void put(NodeId node, std::uint32_t slot, const ProvedWord& word, std::uint64_t step,
           bool updates) {
    ProvedWord& place = slots_[slot_at(node, slot)];
    if (place.empty()) {
      verdict_.max_queue = std::max<std::uint64_t>(*verdict_.max_queue, ++filled_[node]);
    }
    auto& lifetimes = lifetimes_[slot_at(node, slot)];
    if (!updates || lifetimes.empty()) lifetimes.push_back({2 * step + 1, 2 * step + 1});
    place = word;
  }

  void hand_over(NodeId node, std::uint64_t step, Port port, const ProvedWord& word) {
    if (demand_.combines() && !forest_.is_whole(word.sum)) {
      // It replaces the earlier delivery.
      if (wants(node, word.piece) && deliveries_.remove(number_of(node, word.piece)) &&
          missing_[node]++ == 0) {
        ++incomplete_;
      }
      return note(
          node, step, "in", port,
          fmt::format(
              "piece {} is delivered with {} contributions; each must be included exactly once",
              word.piece, forest_.terms(word.sum)));
    }
    if (program_.delivery() == DeliveryRule::kAll) {
      if (is_of_a_core(word.piece) && !deliver(node, word, step)) ++*verdict_.duplicates;
      return;
    }
    if (!wants(node, word.piece)) {
      return note(node, step, "in", port,
                  fmt::format("piece {} is delivered, but not required here", word.piece));
    }
    if (deliver(node, word, step)) return compare_order(node, step, port, word);
    note(node, step, "in", port, fmt::format("piece {} is delivered again", word.piece));
  }
  [[nodiscard]] bool is_of_a_core(PacketId piece) const {
    return demand_.from != Origin::kEveryNode ||
           topology_.has_core(static_cast<NodeId>(piece / demand_.pieces));
  }
  /// Where it matters, all nodes get a piece combined in the order in which the first one got it.
  void compare_order(NodeId node, std::uint64_t step, Port port, const ProvedWord& word) {
    if (!demand_.needs_one_order()) return;
    const auto [first, is_new] =
        orders_.try_emplace(word.piece, std::pair(forest_.order(word.sum), node));
    if (is_new || first->second.first == forest_.order(word.sum)) return;
    note(node, step, "in", port, different_orders(word.piece, node, first->second.second));
  }
  /// False when the node had it.
  bool deliver(NodeId node, const ProvedWord& word, std::uint64_t step) {
    if (!deliveries_.add(number_of(node, word.piece))) return false;
    if (check_times_) {
      done_.resize(std::max<std::size_t>(done_.size(), word.piece + 1), 0);
      done_[word.piece] = std::max(done_[word.piece], step);
    }
    if (topology_.has_core(node) && --missing_[node] == 0) --incomplete_;
    return true;
  }

  void note(NodeId node, std::uint64_t step, std::string_view side, Port port,
            const std::string& problem) {
    if (verdict_.problems.size() >= kMostProblems) return;
    note(fmt::format("{}step {}, {}-port {}: {}", alike_ ? "" : fmt::format("node {}, ", node),
                     step, side, port_name(port), problem));
  }
  void note(std::string problem) {
    if (verdict_.problems.size() < kMostProblems) verdict_.problems.push_back(std::move(problem));
  }

  const Topology& topology_;
  const Demand& demand_;
  const TimetableProgram& program_;
  /// Numbers the own words.
  const TimetableProgram& numbers_;
  ProgramRows rows_;
  std::uint64_t steps_;
  /// One router represents all.
  bool alike_;
  NodeId followed_;
  GroupLayout layout_;
  SumForest forest_;
  /// By node and slot.
  std::vector<ProvedWord> slots_;
  std::vector<std::vector<Lifetime>> lifetimes_;
  /// By node: slots that were ever written.
  std::vector<std::uint32_t> filled_;
  /// By node and out-port: the word that was sent last, and the step in which it arrives.
  std::vector<ProvedWord> links_;
  std::vector<std::uint64_t> ends_;
  /// By node: number of missing pieces; number of incomplete nodes.
  std::vector<std::uint64_t> missing_;
  std::uint64_t incomplete_ = 0;
  Deliveries deliveries_;
  /// By step from this one on: the results of additions that have begun.
  std::deque<std::vector<Late>> late_;
  /// By piece: the order of the sum that was delivered first, and the node that got it.
  std::unordered_map<PacketId, std::pair<std::uint64_t, NodeId>> orders_;
  /// By piece.
  std::vector<std::uint64_t> done_;
  std::function<void(std::uint32_t, PacketId, std::uint32_t)> check_times_;
  Verdict verdict_;
};

/// The same rows, each executed once regardless of its number of times.
TimetableProgram executed_once(const TimetableProgram& program) {
  TimetableProgram once(program.nodes(), program.ports(), program.own(), program.delivery());
  once.relative = program.relative;
  once.adder_cycles = program.adder_cycles;
  once.step_cycles = program.step_cycles;
  std::vector<std::uint32_t> numbers;
  for (const TimetableRom& rom : program.roms()) numbers.push_back(once.intern(rom));
  if (program.one_rom()) return once;
  for (NodeId node = 0; node < program.nodes(); ++node) {
    once.assign(node, numbers[program.rom_of(node)]);
  }
  return once;
}

/// The lifetimes of a slot or the transfers of a link, repeated every `period` steps, do not meet.
bool fit_in_period(std::vector<Lifetime> lifetimes, std::uint64_t period) {
  const std::uint64_t circle = 2 * period;
  for (Lifetime& lifetime : lifetimes) {
    lifetime.end -= lifetime.begin;
    lifetime.begin %= circle;
  }
  std::sort(lifetimes.begin(), lifetimes.end(),
            [](const Lifetime& a, const Lifetime& b) { return a.begin < b.begin; });
  for (std::size_t i = 0; i < lifetimes.size(); ++i) {
    const bool last = i + 1 == lifetimes.size();
    const std::uint64_t next = last ? lifetimes.front().begin + circle : lifetimes[i + 1].begin;
    // `end` is a length by now.
    if (next - lifetimes[i].begin <= lifetimes[i].end) return false;
  }
  return true;
}

/// The transfers of every slow link, repeated every period, do not overlap. Documents with two rows
/// for one port in a step of the period are not read.
bool slow_links_fit_in_period(const Topology& topology, const TimetableProgram& program) {
  if (topology.has_equal_links()) return true;
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (const Port port : all_ports(topology.ports())) {
      const std::uint64_t steps = topology.period(node, port);
      if (steps == 1) continue;
      std::vector<Lifetime> transfers;
      for (const SendRow& row : program.roms()[program.rom_of(node)].sends) {
        if (row.port != port) continue;
        transfers.push_back({2 * std::uint64_t{row.step}, 2 * (row.step + steps - 1)});
      }
      if (!fit_in_period(std::move(transfers), program.period())) return false;
    }
  }
  return true;
}

/// Every word of a sequence takes the path of the first, one period later each time. It is
/// therefore enough to follow the first word of each sequence, and to see that slots are free again
/// when the next one comes. Empty where this argument does not apply.
std::optional<Verdict> prove_by_period(const Plan& plan, const TimetableProgram& program) {
  if (!plan.demand.combines() && plan.demand.from != Origin::kRoot) return std::nullopt;
  if (!slow_links_fit_in_period(plan.topology, program)) return std::nullopt;
  const TimetableProgram once = executed_once(program);
  TimetableWalk walk(plan, once, program,
                     once.adds_late() ? once.last_arrival(plan.topology) : once.steps());
  std::vector<std::uint64_t> times(program.own());
  std::unordered_map<PacketId, std::uint32_t> sequence_of;
  for (std::uint32_t own = 0; own < program.own(); ++own) {
    times[own] = program.words_of(own, plan.demand.pieces);
    sequence_of[program.word_number(own, 0)] = own;
  }
  std::uint64_t transfers = 0;
  bool fits = true;
  walk.keep_times_of_rows([&](std::uint32_t row_times, PacketId piece, std::uint32_t /*step*/) {
    const auto sequence = sequence_of.find(piece);
    fits = fits && sequence != sequence_of.end() && times[sequence->second] == row_times;
  });
  Verdict verdict = walk.run();
  if (!verdict.complete || !verdict.problems.empty() || !fits) return std::nullopt;
  for (const auto& lifetimes : walk.lifetimes()) {
    if (!fit_in_period(lifetimes, program.period())) return std::nullopt;
  }
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (const SendRow& row : program.roms()[program.rom_of(node)].sends) transfers += row.times;
  }
  std::uint64_t steps = 0;
  for (std::uint32_t own = 0; own < program.own(); ++own) {
    if (times[own] == 0) continue;
    const std::uint64_t done = walk.done()[program.word_number(own, 0)];
    steps = std::max(steps, done + (times[own] - 1) * program.period());
  }
  verdict.steps = steps;
  verdict.link_transfers = transfers;
  verdict.method = "packed trees";
  return verdict;
}

bool can_replay(const Plan& plan, const TimetableProgram& program) {
  std::uint64_t rows = 0;
  for (NodeId node = 0; node < program.nodes(); ++node) {
    rows += program.roms()[program.rom_of(node)].sends.size() + plan.demand.pieces;
  }
  return rows <= kMostReplayed;
}

/// Executed send rows whose links lead to another chiplet.
std::uint64_t sends_between_dies(const Topology& topology, const TimetableProgram& program) {
  std::uint64_t sends = 0;
  for (NodeId node = 0; node < program.nodes(); ++node) {
    for (const SendRow& row : program.roms()[program.rom_of(node)].sends) {
      if (topology.crosses_dies(node, row.port)) sends += row.times;
    }
  }
  return sends;
}

Verdict prove_rows(const Plan& plan, const TimetableProgram& program, std::uint64_t limit) {
  if (program.repeats()) {
    if (auto verdict = prove_by_period(plan, program)) return *std::move(verdict);
    std::uint64_t executed = 0;
    for (NodeId node = 0; node < program.nodes(); ++node) {
      for (const SendRow& row : program.roms()[program.rom_of(node)].sends) executed += row.times;
    }
    if (executed > kMostExecuted) {
      throw InputError(
          fmt::format("verify: the rows are executed {} times; a replay is limited to {}", executed,
                      kMostExecuted));
    }
  }
  if (program.rotation != 0) {
    auto verdict = prove_by_position(plan, program);
    if (verdict && verdict->ok()) return *std::move(verdict);
    // ROMs that many nodes share stand for more rows than a replay can follow.
    if (!can_replay(plan, program)) {
      if (verdict) return *std::move(verdict);
      throw InputError(
          "verify: nodes of one class of parities have different ROMs, and there are "
          "too many to replay their rows");
    }
  }
  Verdict verdict = TimetableWalk(plan, program, program, limit).run();
  verdict.method = "schedule";
  return verdict;
}

}  // namespace

Verdict prove_timetable(const Plan& plan, const TimetableProgram& program, std::uint64_t limit) {
  Verdict verdict = prove_rows(plan, program, limit);
  if (verdict.complete && !plan.topology.has_equal_links()) {
    verdict.die_transfers = sends_between_dies(plan.topology, program);
  }
  return verdict;
}

}  // namespace gossamer
