// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/timetable/router.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "gossamer/sim/own_value.hpp"
#include "gossamer/sim/stretched_engine.hpp"

namespace gossamer::systemc {

TimetableModule::TimetableModule(const sc_core::sc_module_name& name, const Plan& plan,
                                 const TimetableProgram& program, NodeId node,
                                 const Arithmetic& arithmetic, std::uint32_t flit)
    : CombiningModule(name),
      plan_(plan),
      program_(program),
      node_(node),
      arithmetic_(arithmetic),
      flit_(flit) {
  TimetableRom rom = executed_rows(program, plan.topology, plan.demand, node);
  sends_ = std::move(rom.sends);
  arrivals_ = std::move(rom.arrivals);
  if (!plan.topology.has_equal_links()) {
    for (const Port port : all_ports(program.ports())) {
      slow_links_.push_back({plan.topology.period(node, port), 0, {}, 0});
    }
  }
  if (!program.repeats()) return;
  const auto by_place = [this](const auto& a, const auto& b) {
    return std::make_tuple(place_of(a.step), a.port) < std::make_tuple(place_of(b.step), b.port);
  };
  std::sort(sends_.begin(), sends_.end(), by_place);
  std::sort(arrivals_.begin(), arrivals_.end(), by_place);
}

std::uint64_t TimetableModule::place_of(std::uint64_t step) const {
  return program_.repeats() ? (step - 1) % program_.period() + 1 : step;
}

void TimetableModule::rewind() {
  next_send_ = 0;
  next_arrival_ = 0;
  written_at_ = 0;
  results_.clear();
  ignored_ = 0;
  for (SlowLink& link : slow_links_) link = {link.period, 0, {}, 0};
}

void TimetableModule::drive(const Edge<CombinedWord>& edge, Port port, const CombinedWord& word) {
  if (!slow_links_.empty()) {
    SlowLink& link = slow_links_[port];
    const std::uint64_t step = edge.cycle() + 1;
    if (link.busy_until >= step) {
      ++ignored_;
      return;
    }
    link.busy_until = step + link.period - 1;
  }
  edge.drive(port, word);
}

CombinedWord TimetableModule::arriving(const Edge<CombinedWord>& edge, Port port) {
  const CombinedWord& word = edge.in(port);
  if (slow_links_.empty() || slow_links_[port].period == 1) return word;
  SlowLink& link = slow_links_[port];
  if (word.packet != kNoPacket) {
    link.coming = word;
    link.arrives = edge.cycle() + link.period - 1;
  }
  return link.arrives == edge.cycle() ? link.coming : CombinedWord{};
}

CombinedWord TimetableModule::own_word(std::uint32_t own, std::uint64_t n) const {
  const PacketId piece = own_piece(program_, plan_.topology, plan_.demand, node_, own, n);
  if (piece == kNoPacket) return {};
  return {piece,
          own_value(arithmetic_, plan_.topology, plan_.demand, node_, piece, flit_,
                    program_.packet_words()),
          1};
}

template <typename Row>
std::optional<std::uint64_t> TimetableModule::repetition(const Row& row, std::uint64_t step) const {
  if (!program_.repeats()) {
    if (row.step == step) return 0;
    return std::nullopt;
  }
  if (step < row.step || (step - row.step) % program_.period() != 0) return std::nullopt;
  const std::uint64_t n = (step - row.step) / program_.period();
  if (n < row.times) return n;
  return std::nullopt;
}

void TimetableModule::find_arrivals(const Edge<CombinedWord>& edge) {
  const std::uint64_t step = edge.cycle();
  came_.clear();
  // Rows are in order, and start again with the first one after the period.
  if (program_.repeats() && step % program_.period() == 1 % program_.period()) next_arrival_ = 0;
  const std::uint64_t place = place_of(step);
  while (next_arrival_ < arrivals_.size() && place_of(arrivals_[next_arrival_].step) < place) {
    ++next_arrival_;
  }
  std::size_t at = next_arrival_;
  for (const Port port : all_ports(program_.ports())) {
    const bool has_row = at < arrivals_.size() && place_of(arrivals_[at].step) == place &&
                         arrivals_[at].port == port;
    const ArrivalRow* row = has_row ? &arrivals_[at++] : nullptr;
    const CombinedWord word = arriving(edge, port);
    if (word.packet == kNoPacket) continue;
    Arrival arrival{port, word, nullptr, {}, program_.delivery() == DeliveryRule::kUnstored};
    if (const auto n = row != nullptr ? repetition(*row, step) : std::nullopt) {
      arrival.row = row;
      if (row->with.is_own()) arrival.own = own_word(row->with.index(), *n);
      arrival.delivers = program_.delivery() == DeliveryRule::kMarked
                             ? row->delivers
                             : arrival.delivers && row->slot == ArrivalRow::kNoSlot;
    }
    came_.push_back(arrival);
  }
}

void TimetableModule::find_sends(std::uint64_t step) {
  goes_.clear();
  if (program_.repeats() && step % program_.period() == 1 % program_.period()) next_send_ = 0;
  const std::uint64_t place = place_of(step);
  while (next_send_ < sends_.size() && place_of(sends_[next_send_].step) < place) ++next_send_;
  for (std::size_t at = next_send_; at < sends_.size(); ++at) {
    const SendRow& row = sends_[at];
    if (place_of(row.step) != place) break;
    const auto n = repetition(row, step);
    if (!n) continue;
    Send send{row.port, row.source.is_own(), 0, {}};
    if (send.own) {
      send.word = own_word(row.source.index(), *n);
    } else {
      send.slot = row.source.index();
    }
    goes_.push_back(send);
  }
}

std::uint64_t TimetableModule::clock(const Edge<CombinedWord>& edge) {
  const std::uint64_t cycle = edge.cycle();
  results_.clear();
  written_at_ = cycle;
  if (cycle == 0) {
    came_.clear();
  } else {
    find_arrivals(edge);
  }
  find_sends(cycle + 1);
  step(came_, goes_, edge);
  std::uint64_t next = kUntilArrival;
  for (const SlowLink& link : slow_links_) {
    if (link.arrives > cycle) next = std::min(next, link.arrives);
  }
  if (is_adding()) return cycle + 1;
  if (cycle + 1 >= program_.steps()) return next;
  if (program_.repeats()) return cycle + 1;
  // Until its next send a router only processes arrivals.
  std::size_t later = next_send_;
  while (later < sends_.size() && sends_[later].step <= cycle + 1) ++later;
  return later < sends_.size() ? std::min(next, sends_[later].step - std::uint64_t{1}) : next;
}

TimetableRouter::TimetableRouter(const sc_core::sc_module_name& name, const Plan& plan,
                                 const TimetableProgram& program, NodeId node,
                                 const Arithmetic& arithmetic, std::uint32_t flit)
    : TimetableModule(name, plan, program, node, arithmetic, flit), memory_(program.slots()) {}

void TimetableRouter::clear() {
  rewind();
  std::fill(memory_.begin(), memory_.end(), CombinedWord{});
  pending_.clear();
  filled_ = 0;
  conflicts_ = 0;
}

CombinedWord TimetableRouter::combined(const Arrival& arrival) const {
  if (arrival.row == nullptr || arrival.row->with.none()) return arrival.word;
  return sum_of(arrival.row->with.is_own() ? arrival.own : memory_[arrival.row->with.index()],
                arrival.word);
}

CombinedWord TimetableRouter::sum_of(const CombinedWord& with, const CombinedWord& came) const {
  if (with.packet == kNoPacket) return came;
  return {with.packet, arithmetic().combine(with.value, came.value), with.terms + came.terms};
}

void TimetableRouter::put(std::uint32_t slot, const CombinedWord& word) {
  if (memory_[slot].packet == kNoPacket) ++filled_;
  memory_[slot] = word;
}

void TimetableRouter::add_late(std::span<const Arrival> arrivals, std::uint64_t step) {
  StepAdditions additions(true);
  const std::size_t first = pending_.size();
  for (const Arrival& arrival : arrivals) {
    const ArrivalRow* row = arrival.row;
    Pending result{step, std::nullopt, arrival.delivers, arrival.word};
    if (row != nullptr) {
      result.step += std::uint64_t{additions.of(*row)} * program().adder_cycles;
      if (row->slot != ArrivalRow::kNoSlot) result.slot = row->slot;
    }
    if (row != nullptr && !row->with.none()) {
      CombinedWord with = row->with.is_own() ? arrival.own : memory_[row->with.index()];
      const bool updates = row->with.is_slot() && row->slot == row->with.index();
      for (std::size_t i = first; updates && i < pending_.size(); ++i) {
        if (pending_[i].slot != row->slot) continue;
        with = pending_[i].word;
        // The sum replaces it.
        pending_[i].slot.reset();
      }
      result.word = sum_of(with, arrival.word);
    }
    pending_.push_back(result);
  }
  for (const Pending& result : pending_) {
    if (result.step != step) continue;
    if (result.slot) put(*result.slot, result.word);
    if (result.delivers) deliver(result.word);
  }
  std::erase_if(pending_, [step](const Pending& result) { return result.step == step; });
}

void TimetableRouter::step(std::span<const Arrival> arrivals, std::span<const Send> sends,
                           const Edge<CombinedWord>& edge) {
  PortSet replaced;
  if (program().adds_late()) {
    add_late(arrivals, edge.cycle());
    arrivals = {};
  }
  for (const Arrival& arrival : arrivals) {
    const CombinedWord result = combined(arrival);
    if (arrival.delivers) deliver(result);
    if (arrival.row == nullptr || arrival.row->slot == ArrivalRow::kNoSlot) continue;
    const std::uint32_t slot = arrival.row->slot;
    if (arrival.row->with != WordSource::slot(slot)) {
      const bool again = std::any_of(arrivals.begin(), arrivals.end(), [&](const Arrival& lower) {
        return replaced.contains(lower.port) && lower.row->slot == slot;
      });
      if (again) ++conflicts_;
      replaced.insert(arrival.port);
    }
    put(slot, result);
  }
  for (const Send& send : sends) {
    const CombinedWord& word = send.own ? send.word : memory_[send.slot];
    if (word.packet != kNoPacket) drive(edge, send.port, word);
  }
}

}  // namespace gossamer::systemc
