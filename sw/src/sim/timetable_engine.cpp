// SPDX-License-Identifier: Apache-2.0
/// The fast engine of timetables: all memories in one array, row by row.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "gossamer/sim/combining_engine.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "gossamer/util/error.hpp"

namespace gossamer {

namespace {

/// Most bytes that the nodes' memories may take together.
constexpr std::uint64_t kMostMemoryBytes = std::uint64_t{4} << 30;

/// A word of a node's memory; without contributions there is none.
struct StoredWord {
  PacketId packet = kNoPacket;
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
};

class TimetableEngine final : public Engine {
 public:
  TimetableEngine(const Plan& plan, const TimetableProgram& program, const Arithmetic& arithmetic)
      : topology_(plan.topology),
        program_(program),
        arithmetic_(arithmetic),
        memory_(std::size_t{topology_.nodes()} * program.slots()),
        filled_(topology_.nodes(), 0),
        shown_(topology_.link_slots()) {
    for (NodeId node = 0; node < topology_.nodes(); ++node) {
      if (!topology_.has_core(node)) continue;
      for (std::uint32_t c = 0; c < program.packets_per_node(); ++c) {
        const PacketId piece = piece_at_start(program, topology_, plan.demand, node, c);
        if (piece == kNoPacket) continue;
        put(node, c,
            {piece, arithmetic.word(node, piece, plan.demand.pieces, topology_.nodes()), 1});
      }
    }
    send();
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }
  [[nodiscard]] LinkView links() override { return shown_.in(step_); }
  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      receive();
      ++step_;
      send();
    }
  }
  void force(LinkId link, PacketId packet) override;
  /// Behind the last row nothing is sent, and what it handed over has been shown.
  [[nodiscard]] bool done() const override { return step_ > program_.steps(); }
  [[nodiscard]] EngineStatistics statistics() const override {
    return {.steps = step_ - 1,
            .cycles = step_ - 1,
            .max_queue = *std::max_element(filled_.begin(), filled_.end()),
            .link_conflicts = conflicts_};
  }

 private:
  struct Arrival {
    const TimetableRow* row = nullptr;
    NodeId to = 0;
    StoredWord word;
  };

  [[nodiscard]] StoredWord& at(NodeId node, std::uint32_t slot) {
    return memory_[std::size_t{node} * program_.slots() + slot];
  }
  void put(NodeId node, std::uint32_t slot, const StoredWord& word) {
    StoredWord& place = at(node, slot);
    if (place.terms == 0) ++filled_[node];
    place = word;
  }

  /// Puts the step's words on the links.
  void send() {
    for (const Arrival& arrival : arrivals_) shown_.packets[link_of(*arrival.row)] = kNoPacket;
    arrivals_.clear();
    for (const TimetableRow& row : program_.rows_in(step_)) {
      const NodeId to = topology_.neighbor(row.from, row.out_port);
      const StoredWord& word = at(row.from, row.read);
      if (to == kNoNode || word.terms == 0) continue;
      const LinkId link = link_of(row);
      shown_.put(link, word.packet, word.value, word.terms);
      arrivals_.push_back({&row, to, word});
    }
    put_in_order();
  }
  /// In-ports in ascending order, node by node.
  void put_in_order() {
    std::sort(arrivals_.begin(), arrivals_.end(), [](const Arrival& a, const Arrival& b) {
      return std::make_tuple(a.to, opposite(a.row->out_port)) <
             std::make_tuple(b.to, opposite(b.row->out_port));
    });
  }
  [[nodiscard]] LinkId link_of(const TimetableRow& row) const {
    return topology_.link(row.from, row.out_port);
  }

  void receive() {
    shown_.results.clear();
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
      const Arrival& arrival = arrivals_[i];
      if (!arrival.row->write || arrival.row->adds) continue;
      // Another in-port of the node has stored to the slot.
      for (std::size_t j = i; j-- > 0 && arrivals_[j].to == arrival.to;) {
        const TimetableRow& other = *arrivals_[j].row;
        if (other.adds || other.write != arrival.row->write) continue;
        ++conflicts_;
        break;
      }
      put(arrival.to, *arrival.row->write, arrival.word);
    }
    for (const Arrival& arrival : arrivals_) {
      if (!arrival.row->adds) continue;
      const StoredWord& held = at(arrival.to, *arrival.row->write);
      StoredWord sum = arrival.word;
      if (held.terms != 0) {
        sum = {held.packet, arithmetic_.combine(held.value, arrival.word.value),
               held.terms + arrival.word.terms};
      }
      put(arrival.to, *arrival.row->write, sum);
    }
    for (const Arrival& arrival : arrivals_) {
      if (!arrival.row->hands_over) continue;
      const StoredWord& word =
          arrival.row->write ? at(arrival.to, *arrival.row->write) : arrival.word;
      shown_.results.push_back({arrival.to, word.packet, word.value, word.terms});
    }
  }

  const Topology& topology_;
  const TimetableProgram& program_;
  Arithmetic arithmetic_;
  /// By node, then slot.
  std::vector<StoredWord> memory_;
  /// By node: slots with a word.
  std::vector<std::uint64_t> filled_;
  std::uint64_t conflicts_ = 0;
  std::uint64_t step_ = 1;
  /// What is on the links in this step.
  std::vector<Arrival> arrivals_;
  ShownWords shown_;
};

void TimetableEngine::force(LinkId link, PacketId packet) {
  std::erase_if(arrivals_, [&](const Arrival& arrival) { return link_of(*arrival.row) == link; });
  shown_.packets[link] = kNoPacket;
  if (packet == kNoPacket) return;
  // Nobody takes what comes in another step.
  for (const TimetableRow& row : program_.rows_in(step_)) {
    if (link_of(row) != link) continue;
    shown_.put(link, packet, kGarbageValue, 1);
    arrivals_.push_back(
        {&row, topology_.neighbor(row.from, row.out_port), {packet, kGarbageValue, 1}});
  }
  put_in_order();
}

}  // namespace

std::unique_ptr<Engine> make_timetable_engine(const Plan& plan, const Arithmetic& arithmetic) {
  const auto& program = std::get<TimetableProgram>(plan.program);
  const std::uint64_t bytes =
      std::uint64_t{program.slots()} * plan.topology.nodes() * sizeof(StoredWord);
  if (bytes > kMostMemoryBytes) {
    throw InputError(
        fmt::format("simulate: {} nodes with {} slots each would take {} MiB, {} "
                    "allowed",
                    plan.topology.nodes(), program.slots(), bytes >> 20U, kMostMemoryBytes >> 20U));
  }
  return std::make_unique<TimetableEngine>(plan, program, arithmetic);
}

}  // namespace gossamer
