// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/timetable/builder.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <tuple>

#include "gossamer/util/slot_pool.hpp"

namespace gossamer {

namespace {

constexpr std::uint32_t kNothing = ~std::uint32_t{0};

/// Whether the contents that a move reads and writes are needed after it.
struct Needed {
  bool from = false;
  bool to = false;
  bool with = false;
};

/// The moves in the order of their steps: as they are sent, and as they arrive. Sends of a step
/// precede its arrivals, which are handled in ascending order of in-ports.
struct MoveOrder {
  std::vector<std::size_t> sends;
  std::vector<std::size_t> arrivals;

  explicit MoveOrder(const std::vector<TimetableMove>& moves)
      : sends(moves.size()), arrivals(moves.size()) {
    std::iota(sends.begin(), sends.end(), std::size_t{0});
    arrivals = sends;
    const auto order = [&moves](auto step_of) {
      return [&moves, step_of](std::size_t a, std::size_t b) {
        return std::make_tuple(step_of(moves[a]), moves[a].to_rom, opposite(moves[a].out_port)) <
               std::make_tuple(step_of(moves[b]), moves[b].to_rom, opposite(moves[b].out_port));
      };
    };
    std::stable_sort(sends.begin(), sends.end(),
                     order([](const TimetableMove& move) { return move.step; }));
    std::stable_sort(arrivals.begin(), arrivals.end(),
                     order([](const TimetableMove& move) { return move.end(); }));
  }
};

/// From the last move back.
std::vector<Needed> needed_after(const std::vector<TimetableMove>& moves, const MoveOrder& order,
                                 std::uint64_t held) {
  std::vector<Needed> needed(moves.size());
  std::vector<bool> wanted(held, false);
  std::size_t send_end = moves.size();
  std::size_t end = moves.size();
  while (send_end > 0 || end > 0) {
    const std::uint32_t last_send = send_end > 0 ? moves[order.sends[send_end - 1]].step : 0;
    const std::uint32_t step =
        std::max(last_send, end > 0 ? moves[order.arrivals[end - 1]].end() : 0);
    std::size_t begin = end;
    while (begin > 0 && moves[order.arrivals[begin - 1]].end() == step) --begin;
    for (std::size_t at = end; at-- > begin;) {
      const std::size_t i = order.arrivals[at];
      const TimetableMove& move = moves[i];
      if (move.to == TimetableMove::kNowhere) continue;
      needed[i].to = wanted[move.to];
      wanted[move.to] = move.combines;
      if (move.with == TimetableMove::kNowhere || !(needed[i].to || move.delivers)) continue;
      needed[i].with = wanted[move.with];
      wanted[move.with] = true;
    }
    // Two words that replace the same content in one step are a conflict, and stay one.
    for (std::size_t at = begin + 1; at < end; ++at) {
      const std::size_t i = order.arrivals[at];
      const std::size_t before = order.arrivals[at - 1];
      const bool same = moves[i].to == moves[before].to && !moves[i].combines;
      if (same && !moves[before].combines) needed[before].to = needed[i].to;
    }
    end = begin;
    std::size_t send_begin = send_end;
    while (send_begin > 0 && moves[order.sends[send_begin - 1]].step == step) --send_begin;
    for (std::size_t at = send_begin; at < send_end; ++at) {
      needed[order.sends[at]].from = wanted[moves[order.sends[at]].from];
    }
    for (std::size_t at = send_begin; at < send_end; ++at) {
      wanted[moves[order.sends[at]].from] = true;
    }
    send_end = send_begin;
  }
  return needed;
}

/// Walks through the moves and writes the rows.
class SlotWalk {
 public:
  SlotWalk(std::uint32_t roms, std::vector<std::uint32_t> own,
           const std::vector<TimetableMove>& moves, std::uint32_t adder_cycles, bool lenient)
      : moves_(moves),
        adder_cycles_(adder_cycles),
        order_(moves),
        needed_(needed_after(moves, order_, own.size())),
        lenient_(lenient),
        own_(std::move(own)),
        slot_of_(own_.size(), kNothing),
        lands_(adder_cycles == 0 ? 0 : own_.size(), 0),
        pools_(roms),
        roms_(roms),
        sent_(moves.size(), false) {}

  std::vector<TimetableRom> run() {
    std::size_t begin = 0;
    std::size_t send_begin = 0;
    while (begin < moves_.size()) {
      std::uint32_t step = moves_[order_.arrivals[begin]].end();
      if (send_begin < moves_.size()) {
        step = std::min(step, moves_[order_.sends[send_begin]].step);
      }
      std::size_t send_end = send_begin;
      while (send_end < moves_.size() && moves_[order_.sends[send_end]].step == step) ++send_end;
      std::erase_if(landing_, [&](const Landing& slot) {
        if (slot.step >= step) return false;
        pools_[slot.rom].give_back(slot.slot);
        return true;
      });
      const auto sends = std::span(order_.sends).subspan(send_begin, send_end - send_begin);
      for (const std::size_t i : sends) send(i);
      for (const std::size_t i : sends) {
        if (!needed_[i].from && sent_[i]) drop(moves_[i].from, moves_[i].from_rom);
      }
      send_begin = send_end;
      for (; begin < moves_.size() && moves_[order_.arrivals[begin]].end() == step; ++begin) {
        if (sent_[order_.arrivals[begin]]) receive(order_.arrivals[begin]);
      }
      for (const auto& [rom, slot] : given_back_) pools_[rom].give_back(slot);
      given_back_.clear();
    }
    for (TimetableRom& rom : roms_) {
      const auto by_port = [](const auto& a, const auto& b) {
        return std::tie(a.step, a.port) < std::tie(b.step, b.port);
      };
      std::sort(rom.sends.begin(), rom.sends.end(), by_port);
      std::sort(rom.arrivals.begin(), rom.arrivals.end(), by_port);
      check(rom.sends);
      check(rom.arrivals);
    }
    return std::move(roms_);
  }

 private:
  template <typename Row>
  static void check(const std::vector<Row>& rows) {
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i].step == rows[i - 1].step && rows[i].port == rows[i - 1].port) {
        throw std::logic_error("two words need one port in a step");
      }
    }
  }

  [[nodiscard]] WordSource content(std::uint64_t held) const {
    if (slot_of_[held] != kNothing) return WordSource::slot(slot_of_[held]);
    return own_[held] != 0 ? WordSource::own(own_[held] - 1) : WordSource();
  }

  void send(std::size_t i) {
    const TimetableMove& move = moves_[i];
    const WordSource source = content(move.from);
    if (source.none()) {
      if (lenient_) return;
      throw std::logic_error("a word is sent that is not held");
    }
    sent_[i] = true;
    roms_[move.from_rom].sends.push_back({move.step, 1, source, move.out_port, move.from_word});
  }

  /// The content is not needed any more. Several sends of a step may read it.
  void drop(std::uint64_t held, std::uint32_t rom) {
    own_[held] = 0;
    if (slot_of_[held] == kNothing) return;
    pools_[rom].give_back(slot_of_[held]);
    slot_of_[held] = kNothing;
  }

  /// The content is not needed any more, but higher in-ports of this step must not take its slot.
  void give_back_later(std::uint64_t held, std::uint32_t rom, std::uint32_t step) {
    own_[held] = 0;
    if (slot_of_[held] == kNothing) return;
    if (!lands_.empty() && lands_[held] > step) {
      // The result that a higher in-port has added to is still to come.
      landing_.push_back({lands_[held], rom, slot_of_[held]});
    } else {
      given_back_.emplace_back(rom, slot_of_[held]);
    }
    slot_of_[held] = kNothing;
  }

  void receive(std::size_t i) {
    const TimetableMove& move = moves_[i];
    ArrivalRow row;
    row.step = move.end();
    row.port = opposite(move.out_port);
    row.delivers = move.delivers;
    row.word = move.to_word;
    if (move.to != TimetableMove::kNowhere) {
      if (move.combines) row.with = content(move.to);
      if (move.with != TimetableMove::kNowhere && (needed_[i].to || move.delivers)) {
        row.with = content(move.with);
        if (!needed_[i].with) give_back_later(move.with, move.to_rom, row.step);
      }
      std::uint32_t& slot = slot_of_[move.to];
      own_[move.to] = 0;
      if (needed_[i].to) {
        if (slot == kNothing) slot = pools_[move.to_rom].take();
        row.slot = slot;
      } else {
        give_back_later(move.to, move.to_rom, row.step);
      }
    }
    if (adder_cycles_ != 0) note_landing(move, row, needed_[i].to);
    if (row.with.none() && row.slot == ArrivalRow::kNoSlot && !row.delivers) return;
    roms_[move.to_rom].arrivals.push_back(row);
  }

  /// Arrivals come step by step, and router by router.
  void note_landing(const TimetableMove& move, const ArrivalRow& row, bool stored) {
    if (additions_rom_ != move.to_rom || additions_step_ != row.step)
      additions_ = StepAdditions(true);
    additions_rom_ = move.to_rom;
    additions_step_ = row.step;
    const std::uint32_t additions = additions_.of(row);
    if (stored) lands_[move.to] = row.step + additions * adder_cycles_;
  }

  /// A slot that is free when the step is over.
  struct Landing {
    std::uint32_t step;
    std::uint32_t rom;
    std::uint32_t slot;
  };

  const std::vector<TimetableMove>& moves_;
  std::uint32_t adder_cycles_;
  MoveOrder order_;
  std::vector<Needed> needed_;
  bool lenient_;
  std::vector<std::uint32_t> own_;
  /// By held word.
  std::vector<std::uint32_t> slot_of_;
  /// By held word: the step at whose end its result is in the slot; empty without adder cycles.
  std::vector<std::uint32_t> lands_;
  std::vector<Landing> landing_;
  StepAdditions additions_{true};
  std::uint32_t additions_rom_ = 0;
  std::uint32_t additions_step_ = 0;
  std::vector<SlotPool> pools_;
  std::vector<TimetableRom> roms_;
  std::vector<bool> sent_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> given_back_;
};

}  // namespace

TimetableBuilder::TimetableBuilder(std::uint32_t roms, std::uint64_t held,
                                   std::uint32_t adder_cycles)
    : roms_(roms), adder_cycles_(adder_cycles), own_(held, 0) {}

void TimetableBuilder::start_with(std::uint64_t held, std::uint32_t own) { own_[held] = own + 1; }

std::vector<TimetableRom> TimetableBuilder::build(bool lenient) {
  // The result of several arrivals in one step is delivered once, when all are combined.
  const std::vector<std::size_t> arrivals = MoveOrder(moves_).arrivals;
  for (std::size_t at = 0; at < arrivals.size(); ++at) {
    TimetableMove& move = moves_[arrivals[at]];
    if (!move.delivers || move.to == TimetableMove::kNowhere) continue;
    for (std::size_t after = at + 1; after < arrivals.size(); ++after) {
      TimetableMove& later = moves_[arrivals[after]];
      if (later.end() != move.end() || later.to_rom != move.to_rom) break;
      if (!later.combines || later.to != move.to) continue;
      move.delivers = false;
      later.delivers = true;
      break;
    }
  }
  return SlotWalk(roms_, own_, moves_, adder_cycles_, lenient).run();
}

TimetableProgram TimetableBuilder::program(const Topology& topology, std::uint32_t own,
                                           DeliveryRule delivery, bool lenient) {
  TimetableProgram program(topology.nodes(), topology.ports(), own, delivery);
  program.adder_cycles = adder_cycles_;
  NodeId node = 0;
  for (TimetableRom& rom : build(lenient)) {
    const std::uint32_t number = program.intern(std::move(rom));
    if (roms_ != 1) program.assign(node++, number);
  }
  return program;
}

TimetableProgram repeated(const TimetableProgram& once, std::uint32_t steps, std::uint32_t blocks) {
  TimetableProgram program(once.nodes(), once.ports(), once.own(), once.delivery(),
                           {steps, std::vector<std::uint32_t>(once.own(), steps)});
  std::vector<std::uint32_t> numbers;
  for (TimetableRom rom : once.roms()) {
    for (SendRow& row : rom.sends) row.times = blocks;
    for (ArrivalRow& row : rom.arrivals) row.times = blocks;
    numbers.push_back(program.intern(std::move(rom)));
  }
  program.relative = once.relative;
  program.flits = once.flits;
  program.adder_cycles = once.adder_cycles;
  program.step_cycles = once.step_cycles;
  if (once.one_rom()) return program;
  for (NodeId node = 0; node < once.nodes(); ++node) {
    program.assign(node, numbers[once.rom_of(node)]);
  }
  return program;
}

}  // namespace gossamer
