// SPDX-License-Identifier: Apache-2.0
/// The fast engine of timetables: all memories in one array, slot by slot, and row by row.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "engine.hpp"
#include "gossamer/sim/interleaved_engine.hpp"
#include "gossamer/sim/own_value.hpp"
#include "gossamer/sim/shown_words.hpp"
#include "gossamer/sim/stretched_engine.hpp"
#include "gossamer/util/error.hpp"
#include "rows.hpp"

namespace gossamer {

namespace {

/// The most bytes that all memories may take together.
constexpr std::uint64_t kMostMemoryBytes = std::uint64_t{8} << 30U;

/// A word; kNoPacket: no word.
struct Word {
  PacketId packet = kNoPacket;
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
};

/// `Values`: words have values and terms.
template <bool Values>
class TimetableEngine final : public Engine {
 public:
  /// `flit`: the word of each packet that it runs.
  TimetableEngine(const Plan& plan, const TimetableProgram& program, const Arithmetic& arithmetic,
                  std::uint32_t flit = 0)
      : topology_(plan.topology),
        demand_(plan.demand),
        program_(program),
        arithmetic_(arithmetic),
        flits_(program.packet_words()),
        flit_(flit),
        rows_(program),
        ports_(static_cast<std::size_t>(topology_.ports())),
        nodes_of_rom_(program.roms().size()),
        incoming_(topology_.link_slots()),
        slots_(std::size_t{program.slots()} * topology_.nodes(), kNoPacket),
        filled_(topology_.nodes(), 0),
        shown_(topology_.link_slots() + 1),
        last_step_(program.last_arrival(topology_)) {
    if (!topology_.has_equal_links()) {
      periods_ = periods_by_link(topology_);
      periods_.push_back(1);
      flights_.resize(periods_.size());
    }
    if constexpr (Values) {
      values_.resize(slots_.size());
      terms_.resize(slots_.size());
    }
    for (NodeWalk walk(topology_); !walk.done(); walk.next()) {
      nodes_of_rom_[program.rom_of(walk.node())].push_back(walk.node());
      for (std::size_t p = 0; p < ports_; ++p) {
        const auto port = static_cast<Port>(p);
        const NodeId from = walk.sender(port);
        // The link after the last one is always idle.
        incoming_[walk.node() * ports_ + p] = from == kNoNode
                                                  ? static_cast<LinkId>(topology_.link_slots())
                                                  : topology_.link(from, opposite(port));
        if (walk.neighbor(port) == kNoNode) {
          absent_.push_back(static_cast<LinkId>(walk.node() * ports_ + p));
        }
      }
    }
    send();
  }

  [[nodiscard]] std::string_view name() const override { return "fast"; }
  [[nodiscard]] LinkView links() override {
    LinkView view = shown_.in(step_);
    view.packets = view.packets.first(topology_.link_slots());
    if constexpr (!Values) {
      view.values = {};
      view.terms = {};
    }
    return view;
  }
  void clock(std::uint64_t cycles) override {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      shown_.results.clear();
      if (step_ <= last_step_) {
        take_off();
        receive();
      }
      ++step_;
      send();
    }
  }
  /// After the last row nothing is sent, and its deliveries have been shown.
  [[nodiscard]] bool done() const override { return step_ > last_step_; }
  void force(LinkId link, PacketId packet) override {
    shown_.put(link, packet, kGarbageValue, packet == kNoPacket ? 0 : 1);
  }
  [[nodiscard]] EngineStatistics statistics() const override {
    return {.steps = step_ - 1,
            .cycles = step_ - 1,
            .max_queue = *std::max_element(filled_.begin(), filled_.end()),
            .link_conflicts = conflicts_};
  }

 private:
  [[nodiscard]] Word own_word(NodeId node, std::uint32_t own, std::uint64_t n) const {
    const PacketId piece = own_piece(program_, topology_, demand_, node, own, n);
    if (piece == kNoPacket) return {};
    if constexpr (!Values) return {piece};
    return {piece, own_value(arithmetic_, topology_, demand_, node, piece, flit_, flits_), 1};
  }
  [[nodiscard]] Word word(NodeId node, WordSource source, std::uint64_t n) const {
    if (source.is_own()) return own_word(node, source.index(), n);
    const std::size_t at = std::size_t{source.index()} * topology_.nodes() + node;
    if constexpr (!Values) return {slots_[at]};
    return {slots_[at], values_[at], terms_[at]};
  }
  void put(NodeId node, std::uint32_t slot, const Word& word) {
    const std::size_t at = std::size_t{slot} * topology_.nodes() + node;
    if (slots_[at] == kNoPacket) ++filled_[node];
    slots_[at] = word.packet;
    if constexpr (Values) {
      values_[at] = word.value;
      terms_[at] = word.terms;
    }
  }

  /// Puts the step's words on the links.
  void send() {
    std::fill(shown_.packets.begin(), shown_.packets.end(), kNoPacket);
    if (step_ > program_.steps()) return;
    for (std::uint32_t rom = 0; rom < nodes_of_rom_.size(); ++rom) {
      rows_.for_each_send(rom, step_, [&](const SendRow& row, std::uint64_t n) {
        for (const NodeId node : nodes_of_rom_[rom]) {
          if (!has_word(program_, topology_, demand_, node, row.word)) continue;
          const Word sent = word(node, row.source, n);
          const std::size_t link = node * ports_ + row.port;
          if (sent.packet != kNoPacket && is_busy(link)) {
            ++conflicts_;
            continue;
          }
          shown_.packets[link] = sent.packet;
          if constexpr (Values) {
            shown_.values[link] = sent.value;
            shown_.terms[link] = sent.terms;
          }
        }
      });
    }
    for (const LinkId link : absent_) shown_.packets[link] = kNoPacket;
  }

  /// A link of several steps still carries the word that it accepted last.
  [[nodiscard]] bool is_busy(std::size_t link) const {
    return !flights_.empty() && flights_[link].end >= step_;
  }
  /// Links of several steps take the words that they show.
  void take_off() {
    for (std::size_t link = 0; link < flights_.size(); ++link) {
      if (periods_[link] == 1 || shown_.packets[link] == kNoPacket) continue;
      flights_[link].end = step_ + periods_[link] - 1;
      flights_[link].word.packet = shown_.packets[link];
      if constexpr (Values) {
        flights_[link].word.value = shown_.values[link];
        flights_[link].word.terms = shown_.terms[link];
      }
    }
  }

  [[nodiscard]] Word arrival(NodeId node, Port port) const {
    const LinkId link = incoming_[node * ports_ + port];
    if (!flights_.empty() && periods_[link] != 1) {
      return flights_[link].end == step_ ? flights_[link].word : Word{};
    }
    if constexpr (!Values) return {shown_.packets[link]};
    return {shown_.packets[link], shown_.values[link], shown_.terms[link]};
  }

  void receive() {
    if (program_.adds_late()) {
      late_.emplace_back();
      for (std::uint32_t rom = 0; rom < nodes_of_rom_.size(); ++rom) receive_late(rom);
      land();
      return;
    }
    for (std::uint32_t rom = 0; rom < nodes_of_rom_.size(); ++rom) receive(rom);
  }

  /// A row of the present step, and what becomes of its results.
  struct LateRow {
    const ArrivalRow* row;
    std::uint64_t n;
    /// Steps until the result is there.
    std::uint64_t delay;
    /// A higher input port adds to the result.
    bool passed_up = false;
  };
  /// A result that takes its slot, or is delivered, at the end of a later step.
  struct Late {
    NodeId node;
    std::uint32_t slot;
    bool delivers;
    Word word;
  };

  /// Begins the step's additions, which see the slots as they were at the start of the step.
  void receive_late(std::uint32_t rom) {
    std::array<LateRow, kMaxPorts> rows{};
    std::size_t count = 0;
    StepAdditions additions(true);
    rows_.for_each_arrival(rom, step_, [&](const ArrivalRow& row, std::uint64_t n) {
      for (std::size_t i = 0; i < count; ++i) {
        const bool same = row.slot != ArrivalRow::kNoSlot && rows[i].row->slot == row.slot;
        if (same && row.with == WordSource::slot(row.slot)) rows[i].passed_up = true;
      }
      rows[count++] = {&row, n, std::uint64_t{additions.of(row)} * program_.adder_cycles};
    });
    for (const NodeId node : nodes_of_rom_[rom]) {
      std::array<Word, kMaxPorts> results{};
      for (std::size_t i = 0; i < count; ++i) {
        const ArrivalRow& row = *rows[i].row;
        const Word came = arrival(node, row.port);
        if (came.packet == kNoPacket) continue;
        results[i] = came;
        if (!row.with.none()) {
          Word with = word(node, row.with, rows[i].n);
          for (std::size_t lower = 0; lower < i; ++lower) {
            const bool updates = row.with == WordSource::slot(row.slot);
            if (!updates || rows[lower].row->slot != row.slot) continue;
            if (results[lower].packet != kNoPacket) with = results[lower];
          }
          results[i] = sum_of(with, came);
        }
        const std::uint32_t slot = rows[i].passed_up ? ArrivalRow::kNoSlot : row.slot;
        if (slot == ArrivalRow::kNoSlot && !delivers(row)) continue;
        while (late_.size() <= rows[i].delay) late_.emplace_back();
        late_[rows[i].delay].push_back({node, slot, delivers(row), results[i]});
      }
    }
  }
  /// The results that are there at the end of this step.
  void land() {
    for (const Late& late : late_.front()) {
      if (late.slot != ArrivalRow::kNoSlot) put(late.node, late.slot, late.word);
      if (late.delivers) show(late.node, late.word);
    }
    late_.pop_front();
  }

  void receive(std::uint32_t rom) {
    // Slots that lower in-ports replace in this step, with their ports.
    std::array<std::pair<std::uint32_t, Port>, kMaxPorts> replaced{};
    std::size_t replacements = 0;
    PortSet handled;
    rows_.for_each_arrival(rom, step_, [&](const ArrivalRow& row, std::uint64_t n) {
      handled.insert(row.port);
      const bool replaces =
          row.slot != ArrivalRow::kNoSlot && row.with != WordSource::slot(row.slot);
      PortSet rivals;
      for (std::size_t i = 0; i < replacements; ++i) {
        if (replaces && replaced[i].first == row.slot) rivals.insert(replaced[i].second);
      }
      if (replaces) replaced[replacements++] = {row.slot, row.port};
      for (const NodeId node : nodes_of_rom_[rom]) {
        const Word came = arrival(node, row.port);
        if (came.packet == kNoPacket) continue;
        if (!has_word(program_, topology_, demand_, node, row.word)) continue;
        for (const Port rival : rivals) {
          if (arrival(node, rival).packet == kNoPacket) continue;
          ++conflicts_;
          break;
        }
        const Word result = combined(came, row.with, node, n);
        if (row.slot != ArrivalRow::kNoSlot) put(node, row.slot, result);
        if (delivers(row)) show(node, result);
      }
    });
    if (program_.delivery() != DeliveryRule::kUnstored) return;
    for (const Port port : all_ports(topology_.ports())) {
      if (handled.contains(port)) continue;
      for (const NodeId node : nodes_of_rom_[rom]) {
        const Word came = arrival(node, port);
        if (came.packet != kNoPacket) show(node, came);
      }
    }
  }

  [[nodiscard]] Word combined(const Word& came, WordSource source, NodeId node,
                              std::uint64_t n) const {
    return source.none() ? came : sum_of(word(node, source, n), came);
  }
  [[nodiscard]] Word sum_of(const Word& with, const Word& came) const {
    if constexpr (Values) {
      if (with.packet == kNoPacket) return came;
      return {with.packet, arithmetic_.combine(with.value, came.value), with.terms + came.terms};
    }
    return came;
  }
  /// With DeliveryRule::kAll the judge looks at the links.
  [[nodiscard]] bool delivers(const ArrivalRow& row) const {
    return program_.delivery() == DeliveryRule::kMarked
               ? row.delivers
               : program_.delivery() == DeliveryRule::kUnstored && row.slot == ArrivalRow::kNoSlot;
  }
  void show(NodeId node, const Word& word) {
    shown_.results.push_back({node, word.packet, word.value, Values ? word.terms : 1});
  }

  const Topology& topology_;
  const Demand& demand_;
  const TimetableProgram& program_;
  Arithmetic arithmetic_;
  std::uint64_t flits_;
  std::uint64_t flit_;
  ProgramRows rows_;
  std::size_t ports_;
  std::vector<std::vector<NodeId>> nodes_of_rom_;
  /// By node and input port, the link that enters there; one past the last link if unconnected.
  std::vector<LinkId> incoming_;
  /// Link slots without a live link.
  std::vector<LinkId> absent_;
  /// By slot, then node, so that a row of all nodes runs through memory in order.
  std::vector<PacketId> slots_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> terms_;
  /// By node: slots that were ever written.
  std::vector<std::uint64_t> filled_;
  /// By step from this one on: the results of additions that have begun.
  std::deque<std::vector<Late>> late_;
  std::uint64_t conflicts_ = 0;
  std::uint64_t step_ = 1;
  ShownWords shown_;
  std::uint64_t last_step_;
  /// Networks whose links are not equally fast: by link, the steps of a transfer, and the word that
  /// a link of several steps has accepted last, with the step in which it arrives.
  struct Flight {
    Word word;
    std::uint64_t end = 0;
  };
  std::vector<std::uint32_t> periods_;
  std::vector<Flight> flights_;
};

}  // namespace

std::unique_ptr<Engine> make_timetable_engine(const Plan& plan, const TimetableProgram& program,
                                              const Arithmetic& arithmetic) {
  // The values of delivered words are compared, and a WordMaker needs to see them.
  const bool values = program.delivery() != DeliveryRule::kAll || plan.demand.combines() ||
                      arithmetic.maker != nullptr;
  const std::uint64_t word =
      values ? sizeof(PacketId) + sizeof(std::uint64_t) + sizeof(std::uint32_t) : sizeof(PacketId);
  const std::uint64_t bytes =
      std::uint64_t{program.packet_words()} * program.slots() * plan.topology.nodes() * word;
  if (bytes > kMostMemoryBytes) {
    throw InputError(
        fmt::format("simulate: {} nodes with {} slots each would take {} MiB; the limit is {}; "
                    "gossamer verify proves the plan without them",
                    plan.topology.nodes(), program.slots(), bytes >> 20U, kMostMemoryBytes >> 20U));
  }
  if (program.has_packets()) {
    std::vector<std::unique_ptr<Engine>> words;
    for (std::uint32_t flit = 0; flit < program.flits; ++flit) {
      words.push_back(std::make_unique<TimetableEngine<true>>(plan, program, arithmetic, flit));
    }
    return interleaved(std::move(words), program.pipeline(), program.last_arrival(plan.topology));
  }
  std::unique_ptr<Engine> engine;
  if (values) {
    engine = std::make_unique<TimetableEngine<true>>(plan, program, arithmetic);
  } else {
    engine = std::make_unique<TimetableEngine<false>>(plan, program, arithmetic);
  }
  return stretched(std::move(engine), program.flits);
}

}  // namespace gossamer
