// SPDX-License-Identifier: Apache-2.0
#include "gossamer/systemc/timetable/router.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "gossamer/sim/stretched_engine.hpp"

namespace gossamer::systemc {

TimetableModule::TimetableModule(const sc_core::sc_module_name& name, const Plan& plan,
                                 const TimetableProgram& program, NodeId node,
                                 const Arithmetic& arithmetic)
    : CombiningModule(name),
      plan_(plan),
      program_(program),
      node_(node),
      arithmetic_(arithmetic),
      sends_(program.roms()[program.rom_of(node)].sends),
      arrivals_(program.roms()[program.rom_of(node)].arrivals) {
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
  return {piece, arithmetic_.word(node_, piece, plan_.demand.pieces, plan_.topology.nodes()), 1};
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
  if (cycle + 1 >= program_.steps()) return next;
  if (program_.repeats()) return cycle + 1;
  // Until its next send a router only processes arrivals.
  std::size_t later = next_send_;
  while (later < sends_.size() && sends_[later].step <= cycle + 1) ++later;
  return later < sends_.size() ? std::min(next, sends_[later].step - std::uint64_t{1}) : next;
}

TimetableRouter::TimetableRouter(const sc_core::sc_module_name& name, const Plan& plan,
                                 const TimetableProgram& program, NodeId node,
                                 const Arithmetic& arithmetic)
    : TimetableModule(name, plan, program, node, arithmetic), memory_(program.slots()) {}

void TimetableRouter::clear() {
  rewind();
  std::fill(memory_.begin(), memory_.end(), CombinedWord{});
  filled_ = 0;
  conflicts_ = 0;
}

CombinedWord TimetableRouter::combined(const Arrival& arrival) const {
  if (arrival.row == nullptr || arrival.row->with.none()) return arrival.word;
  const CombinedWord& with =
      arrival.row->with.is_own() ? arrival.own : memory_[arrival.row->with.index()];
  if (with.packet == kNoPacket) return arrival.word;
  return {with.packet, arithmetic().combine(with.value, arrival.word.value),
          with.terms + arrival.word.terms};
}

void TimetableRouter::step(std::span<const Arrival> arrivals, std::span<const Send> sends,
                           const Edge<CombinedWord>& edge) {
  PortSet replaced;
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
    if (memory_[slot].packet == kNoPacket) ++filled_;
    memory_[slot] = result;
  }
  for (const Send& send : sends) {
    const CombinedWord& word = send.own ? send.word : memory_[send.slot];
    if (word.packet != kNoPacket) drive(edge, send.port, word);
  }
}

}  // namespace gossamer::systemc
