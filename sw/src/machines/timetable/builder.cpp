// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/timetable/builder.hpp"

#include <algorithm>
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

/// From the last move back. Sends of a step precede its arrivals.
std::vector<Needed> needed_after(const std::vector<TimetableMove>& moves, std::uint64_t held) {
  std::vector<Needed> needed(moves.size());
  std::vector<bool> wanted(held, false);
  for (std::size_t end = moves.size(); end > 0;) {
    std::size_t begin = end;
    while (begin > 0 && moves[begin - 1].step == moves[end - 1].step) --begin;
    for (std::size_t i = end; i-- > begin;) {
      const TimetableMove& move = moves[i];
      if (move.to == TimetableMove::kNowhere) continue;
      needed[i].to = wanted[move.to];
      wanted[move.to] = move.combines;
      if (move.with == TimetableMove::kNowhere || !(needed[i].to || move.delivers)) continue;
      needed[i].with = wanted[move.with];
      wanted[move.with] = true;
    }
    // Two words that replace the same content in one step are a conflict, and stay one.
    for (std::size_t i = begin + 1; i < end; ++i) {
      const bool same = moves[i].to == moves[i - 1].to && !moves[i].combines;
      if (same && !moves[i - 1].combines) needed[i - 1].to = needed[i].to;
    }
    for (std::size_t i = begin; i < end; ++i) needed[i].from = wanted[moves[i].from];
    for (std::size_t i = begin; i < end; ++i) wanted[moves[i].from] = true;
    end = begin;
  }
  return needed;
}

/// Walks through the moves and writes the rows.
class SlotWalk {
 public:
  SlotWalk(std::uint32_t roms, std::vector<std::uint32_t> own,
           const std::vector<TimetableMove>& moves, bool lenient)
      : moves_(moves),
        needed_(needed_after(moves, own.size())),
        lenient_(lenient),
        own_(std::move(own)),
        slot_of_(own_.size(), kNothing),
        pools_(roms),
        roms_(roms),
        sent_(moves.size(), false) {}

  std::vector<TimetableRom> run() {
    for (std::size_t begin = 0; begin < moves_.size();) {
      std::size_t end = begin;
      while (end < moves_.size() && moves_[end].step == moves_[begin].step) ++end;
      for (std::size_t i = begin; i < end; ++i) send(i);
      for (std::size_t i = begin; i < end; ++i) {
        if (!needed_[i].from && sent_[i]) drop(moves_[i].from, moves_[i].from_rom);
      }
      for (std::size_t i = begin; i < end; ++i) {
        if (sent_[i]) receive(i);
      }
      for (const auto& [rom, slot] : given_back_) pools_[rom].give_back(slot);
      given_back_.clear();
      begin = end;
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
    roms_[move.from_rom].sends.push_back({move.step, 1, source, move.out_port});
  }

  /// The content is not needed any more. Several sends of a step may read it.
  void drop(std::uint64_t held, std::uint32_t rom) {
    own_[held] = 0;
    if (slot_of_[held] == kNothing) return;
    pools_[rom].give_back(slot_of_[held]);
    slot_of_[held] = kNothing;
  }

  /// The content is not needed any more, but higher in-ports of this step must not take its slot.
  void give_back_later(std::uint64_t held, std::uint32_t rom) {
    own_[held] = 0;
    if (slot_of_[held] == kNothing) return;
    given_back_.emplace_back(rom, slot_of_[held]);
    slot_of_[held] = kNothing;
  }

  void receive(std::size_t i) {
    const TimetableMove& move = moves_[i];
    ArrivalRow row;
    row.step = move.step;
    row.port = opposite(move.out_port);
    row.delivers = move.delivers;
    if (move.to != TimetableMove::kNowhere) {
      if (move.combines) row.with = content(move.to);
      if (move.with != TimetableMove::kNowhere && (needed_[i].to || move.delivers)) {
        row.with = content(move.with);
        if (!needed_[i].with) give_back_later(move.with, move.to_rom);
      }
      std::uint32_t& slot = slot_of_[move.to];
      own_[move.to] = 0;
      if (needed_[i].to) {
        if (slot == kNothing) slot = pools_[move.to_rom].take();
        row.slot = slot;
      } else {
        give_back_later(move.to, move.to_rom);
      }
    }
    if (row.with.none() && row.slot == ArrivalRow::kNoSlot && !row.delivers) return;
    roms_[move.to_rom].arrivals.push_back(row);
  }

  const std::vector<TimetableMove>& moves_;
  std::vector<Needed> needed_;
  bool lenient_;
  std::vector<std::uint32_t> own_;
  /// By held word.
  std::vector<std::uint32_t> slot_of_;
  std::vector<SlotPool> pools_;
  std::vector<TimetableRom> roms_;
  std::vector<bool> sent_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> given_back_;
};

}  // namespace

TimetableBuilder::TimetableBuilder(std::uint32_t roms, std::uint64_t held)
    : roms_(roms), own_(held, 0) {}

void TimetableBuilder::start_with(std::uint64_t held, std::uint32_t own) { own_[held] = own + 1; }

std::vector<TimetableRom> TimetableBuilder::build(bool lenient) {
  // Arrivals of a step are handled in ascending order of in-ports.
  std::stable_sort(moves_.begin(), moves_.end(),
                   [](const TimetableMove& a, const TimetableMove& b) {
                     return std::make_tuple(a.step, a.to_rom, opposite(a.out_port)) <
                            std::make_tuple(b.step, b.to_rom, opposite(b.out_port));
                   });
  // The result of several arrivals in one step is delivered once, when all are combined.
  for (auto move = moves_.begin(); move != moves_.end(); ++move) {
    if (!move->delivers || move->to == TimetableMove::kNowhere) continue;
    for (auto later = move + 1;
         later != moves_.end() && later->step == move->step && later->to_rom == move->to_rom;
         ++later) {
      if (!later->combines || later->to != move->to) continue;
      move->delivers = false;
      later->delivers = true;
      break;
    }
  }
  return SlotWalk(roms_, own_, moves_, lenient).run();
}

TimetableProgram TimetableBuilder::program(const Topology& topology, std::uint32_t own,
                                           DeliveryRule delivery, bool lenient) {
  TimetableProgram program(topology.nodes(), topology.ports(), own, delivery);
  NodeId node = 0;
  for (TimetableRom& rom : build(lenient)) {
    const std::uint32_t number = program.intern(std::move(rom));
    if (roms_ != 1) program.assign(node++, number);
  }
  return program;
}

}  // namespace gossamer
