// SPDX-License-Identifier: Apache-2.0
#include "gossamer/verify/timetable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

constexpr std::size_t kMostRowProblems = 20;
constexpr std::uint64_t kMostWantedPieces = std::uint64_t{1} << 32;

/// Who contributed to a word, ascending and each as often as it did.
using Contributors = std::vector<NodeId>;

struct ProvedWord {
  PacketId piece = kNoPacket;
  std::shared_ptr<const Contributors> from;

  [[nodiscard]] bool empty() const { return from == nullptr; }
};

class RowProof {
 public:
  RowProof(const Plan& plan, const TimetableProgram& program)
      : topology_(plan.topology),
        demand_(plan.demand),
        program_(program),
        memory_(std::size_t{topology_.nodes()} * program.slots()),
        filled_(topology_.nodes(), 0) {
    pieces_ = program.packets_per_node();
    if (!demand_.combines() && demand_.from == Origin::kEveryNode) pieces_ *= topology_.nodes();
    if (pieces_ * topology_.nodes() > kMostWantedPieces) {
      throw InputError(fmt::format("verify: {} pieces at {} nodes are more than can be followed",
                                   pieces_, topology_.nodes()));
    }
    state_.assign(pieces_ * topology_.nodes(), State::kUnwanted);
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      for (PacketId piece = 0; piece < pieces_; ++piece) {
        if (!wants(node, piece)) continue;
        state(node, piece) = State::kMissing;
        ++missing_;
      }
      if (!topology_.has_core(node)) continue;
      const auto self = std::make_shared<const Contributors>(Contributors{node});
      for (std::uint32_t c = 0; c < program.packets_per_node(); ++c) {
        const PacketId piece = piece_at_start(program, topology_, demand_, node, c);
        if (piece == kNoPacket) continue;
        put(node, c, {piece, self});
        if (state(node, piece) != State::kMissing || !is_whole(memory(node, c))) continue;
        state(node, piece) = State::kThere;
        --missing_;
      }
    }
    verdict_.method = ProofMethod::kSchedule;
    verdict_.link_transfers = 0;
  }

  Verdict run() {
    const auto& rows = program_.rows();
    if (missing_ == 0) verdict_.steps = 0;
    for (std::size_t at = 0; at < rows.size();) {
      const auto now = program_.rows_in(rows[at].step);
      execute(now);
      at += now.size();
    }
    verdict_.complete = missing_ == 0;
    if (verdict_.complete) verdict_.duplicates = 0;
    for (NodeId node = 0; missing_ != 0 && node < topology_.nodes(); ++node) {
      const auto* const first = &state_[node * pieces_];
      const auto lacks = std::count(first, first + pieces_, State::kMissing);
      if (lacks != 0) note(fmt::format("node {} is never handed {} of its pieces", node, lacks));
    }
    return std::move(verdict_);
  }

 private:
  /// What is with a piece at a node.
  enum class State : std::uint8_t { kUnwanted, kMissing, kThere };
  struct Arrival {
    const TimetableRow* row;
    NodeId to;
    ProvedWord word;
  };

  /// The dead want nothing, and nobody has anything of theirs.
  [[nodiscard]] bool wants(NodeId node, PacketId piece) const {
    if (!topology_.has_core(node)) return false;
    if (!demand_.combines() && demand_.from == Origin::kEveryNode &&
        !topology_.has_core(static_cast<NodeId>(piece / program_.packets_per_node()))) {
      return false;
    }
    switch (demand_.to) {
      case Destination::kOwner:
        return piece / (demand_.pieces / topology_.nodes()) == node;
      case Destination::kRoot:
        return node == demand_.root;
      case Destination::kEachNode:
        return piece / demand_.pieces % topology_.nodes() == node;
      default:
        return true;
    }
  }
  /// Every contribution is there once.
  [[nodiscard]] bool is_whole(const ProvedWord& word) const {
    if (!demand_.combines()) return word.from->size() == 1;
    return word.from->size() == topology_.cores() &&
           std::adjacent_find(word.from->begin(), word.from->end()) == word.from->end();
  }
  [[nodiscard]] State& state(NodeId node, PacketId piece) { return state_[node * pieces_ + piece]; }
  [[nodiscard]] ProvedWord& memory(NodeId node, std::uint32_t slot) {
    return memory_[std::size_t{node} * program_.slots() + slot];
  }
  void put(NodeId node, std::uint32_t slot, ProvedWord word) {
    ProvedWord& place = memory(node, slot);
    if (place.empty()) {
      verdict_.max_queue = std::max<std::uint64_t>(*verdict_.max_queue, ++filled_[node]);
    }
    place = std::move(word);
  }
  void note(const TimetableRow& row, const std::string& problem) {
    note(fmt::format("step {}, node {}, out-port {}: {}", row.step, row.from,
                     port_name(row.out_port), problem));
  }
  void note(std::string problem) {
    if (verdict_.problems.size() < kMostRowProblems) {
      verdict_.problems.push_back(std::move(problem));
    }
  }

  void execute(std::span<const TimetableRow> rows) {
    std::vector<Arrival> arrivals;
    for (const TimetableRow& row : rows) {
      if (verdict_.steps) note(row, "nothing is to be done any more");
      const ProvedWord& word = memory(row.from, row.read);
      if (word.empty()) {
        note(row, fmt::format("slot {} is read before anything is in it", row.read));
        continue;
      }
      // What is mixed has been reported where it was.
      if (word.piece != row.packet && word.piece != kNoPacket) {
        note(row, fmt::format("it sends piece {}, and says {}", word.piece, row.packet));
      }
      ++*verdict_.link_transfers;
      arrivals.push_back({&row, topology_.neighbor(row.from, row.out_port), word});
    }
    std::stable_sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
      return std::make_tuple(a.to, opposite(a.row->out_port)) <
             std::make_tuple(b.to, opposite(b.row->out_port));
    });
    store(arrivals);
    add(arrivals);
    hand_over(arrivals);
  }

  void store(const std::vector<Arrival>& arrivals) {
    // Of the node whose arrivals are looked at.
    std::vector<std::uint32_t> stored;
    NodeId node = kNoNode;
    for (const Arrival& arrival : arrivals) {
      const TimetableRow& row = *arrival.row;
      if (arrival.to != node) stored.clear();
      node = arrival.to;
      if (!row.write || row.adds) continue;
      if (std::find(stored.begin(), stored.end(), *row.write) != stored.end()) {
        ++*verdict_.link_conflicts;
        note(row,
             fmt::format("slot {} of node {} is already stored to in this step", *row.write, node));
      }
      stored.push_back(*row.write);
      put(node, *row.write, arrival.word);
    }
  }

  void add(const std::vector<Arrival>& arrivals) {
    for (const Arrival& arrival : arrivals) {
      const TimetableRow& row = *arrival.row;
      if (!row.adds) continue;
      const ProvedWord held = memory(arrival.to, *row.write);
      if (held.empty()) {
        note(row, fmt::format("it is added to slot {} of node {}, in which there is nothing",
                              *row.write, arrival.to));
        put(arrival.to, *row.write, arrival.word);
        continue;
      }
      const bool mixed = demand_.combines() && held.piece != arrival.word.piece;
      const bool known = held.piece != kNoPacket && arrival.word.piece != kNoPacket;
      if (!demand_.combines() || (mixed && known)) {
        note(row, fmt::format("piece {} is added to piece {}", arrival.word.piece, held.piece));
      }
      auto sum = std::make_shared<Contributors>();
      std::merge(held.from->begin(), held.from->end(), arrival.word.from->begin(),
                 arrival.word.from->end(), std::back_inserter(*sum));
      // A word that no output can be made of any more is not followed into ever longer ones.
      sum->resize(std::min<std::size_t>(sum->size(), std::size_t{topology_.nodes()} + 1));
      // Words of different pieces make one of none.
      put(arrival.to, *row.write, {mixed ? kNoPacket : held.piece, std::move(sum)});
    }
  }

  void hand_over(const std::vector<Arrival>& arrivals) {
    for (const Arrival& arrival : arrivals) {
      const TimetableRow& row = *arrival.row;
      if (!row.hands_over) continue;
      const ProvedWord& word = row.write ? memory(arrival.to, *row.write) : arrival.word;
      const State found = word.piece < pieces_ ? state(arrival.to, word.piece) : State::kUnwanted;
      if (word.piece == kNoPacket) {
        note(row, fmt::format("node {} is handed a sum of words of different pieces", arrival.to));
      } else if (found != State::kMissing) {
        note(row, fmt::format("node {} is handed piece {}, which it {}", arrival.to, word.piece,
                              found == State::kThere ? "has already" : "does not want"));
      } else if (!is_whole(word)) {
        note(row, fmt::format("node {} is handed piece {}, made of {} contributions, not of each "
                              "one once",
                              arrival.to, word.piece, word.from->size()));
      } else {
        state(arrival.to, word.piece) = State::kThere;
        if (--missing_ == 0) verdict_.steps = row.step;
      }
    }
  }

  const Topology& topology_;
  const Demand& demand_;
  const TimetableProgram& program_;
  /// By node, then slot.
  std::vector<ProvedWord> memory_;
  /// By node: slots with a word.
  std::vector<std::uint32_t> filled_;
  /// Numbers of pieces that there are.
  std::uint64_t pieces_ = 0;
  /// By node, then piece.
  std::vector<State> state_;
  std::uint64_t missing_ = 0;
  Verdict verdict_;
};

}  // namespace

Verdict prove_timetable(const Plan& plan, const TimetableProgram& program) {
  return RowProof(plan, program).run();
}

}  // namespace gossamer
