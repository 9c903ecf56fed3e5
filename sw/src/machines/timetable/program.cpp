// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/timetable/program.hpp"

#include <algorithm>
#include <bit>

#include "gossamer/topology/displacement.hpp"

namespace gossamer {

namespace {

/// FNV-1a over the fields of all rows.
std::uint64_t hash_of(const TimetableRom& rom) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3U; };
  const auto mix_source = [&mix](WordSource source) {
    mix(source.none() ? 0 : std::uint64_t{source.index()} * 2 + (source.is_own() ? 2 : 3));
  };
  for (const SendRow& row : rom.sends) {
    mix(row.step);
    mix(row.times);
    mix(row.port);
    mix_source(row.source);
  }
  for (const ArrivalRow& row : rom.arrivals) {
    mix(row.step);
    mix(row.times);
    mix(row.port);
    mix_source(row.with);
    mix(row.slot);
    mix(row.delivers ? 1 : 0);
  }
  return hash;
}

/// Bits of a field that holds 0 .. largest; 0 bits for the number 0 alone.
std::uint32_t bits_for(std::uint64_t largest) {
  return static_cast<std::uint32_t>(std::bit_width(largest));
}

}  // namespace

std::string_view delivery_name(DeliveryRule delivery) {
  return kDeliveryNames[static_cast<std::size_t>(delivery)];
}

TimetableProgram::TimetableProgram(std::uint32_t nodes, int ports, std::uint32_t own,
                                   DeliveryRule delivery, Repetition repetition)
    : nodes_(nodes),
      ports_(ports),
      own_(own),
      delivery_(delivery),
      repetition_(std::move(repetition)) {}

void TimetableProgram::assign(NodeId node, std::uint32_t rom) {
  if (rom_of_.empty()) rom_of_.assign(nodes_, 0);
  rom_of_[node] = rom;
}

std::uint32_t TimetableProgram::intern(TimetableRom rom) {
  const std::uint64_t hash = hash_of(rom);
  const auto [first, last] = index_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    if (roms_[entry->second] == rom) return entry->second;
  }
  const auto note_slot = [this](std::uint32_t slot) { slots_ = std::max(slots_, slot + 1); };
  const auto note_last = [this](const auto& row) {
    steps_ = std::max(steps_, row.step + (row.times - std::uint64_t{1}) * period());
  };
  for (const SendRow& row : rom.sends) {
    if (row.source.is_slot()) note_slot(row.source.index());
    note_last(row);
  }
  for (const ArrivalRow& row : rom.arrivals) {
    combines_ = combines_ || !row.with.none();
    if (row.with.is_slot()) note_slot(row.with.index());
    if (row.slot != ArrivalRow::kNoSlot) note_slot(row.slot);
    note_last(row);
  }
  const auto number = static_cast<std::uint32_t>(roms_.size());
  index_.emplace(hash, number);
  roms_.push_back(std::move(rom));
  return number;
}

std::uint64_t TimetableProgram::last_arrival(const Topology& topology) const {
  std::uint64_t last = steps_;
  if (topology.has_equal_links()) return last;
  for (NodeId node = 0; node < nodes_; ++node) {
    for (const SendRow& row : roms_[rom_of(node)].sends) {
      last = std::max(last, row.step + (row.times - std::uint64_t{1}) * period() +
                                topology.period(node, row.port) - 1);
    }
  }
  return last;
}

std::uint64_t TimetableProgram::word_number(std::uint32_t sequence, std::uint64_t n) const {
  if (!repeats()) return sequence;
  const std::uint64_t done = repetition_.first_done[sequence] + n * period();
  std::uint64_t before = 0;
  for (std::uint32_t other = 0; other < own_; ++other) {
    const std::uint64_t first = repetition_.first_done[other];
    if (done < first) continue;
    before += (done - first + period() - 1) / period();
    if (other < sequence && (done - first) % period() == 0) ++before;
  }
  return before;
}

std::uint64_t TimetableProgram::words_of(std::uint32_t sequence, std::uint64_t words) const {
  std::uint64_t low = 0;
  std::uint64_t high = words;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (word_number(sequence, middle) < words) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

RomFormat TimetableProgram::format() const {
  RomFormat format;
  format.words = repeats() ? std::min<std::uint64_t>(period(), steps_) : steps_;
  bool stores = false;
  std::uint64_t most_first = 0;
  std::uint64_t most_before = 0;
  const std::uint64_t last_frame = format.words == 0 ? 0 : (steps_ - 1) / format.words;
  for (const TimetableRom& rom : roms_) {
    const auto look_at = [&](const auto& rows) {
      for (const auto& row : rows) {
        const std::uint64_t first = (row.step - std::uint64_t{1}) / format.words;
        most_first = std::max(most_first, first);
        most_before = std::max(most_before, last_frame - (first + row.times - 1));
      }
    };
    look_at(rom.sends);
    look_at(rom.arrivals);
    for (const ArrivalRow& row : rom.arrivals) stores = stores || row.slot != ArrivalRow::kNoSlot;
  }
  format.source_bits = bits_for(std::uint64_t{own_} + slots_);
  if (combines_) format.with_bits = format.source_bits;
  if (stores) format.slot_bits = bits_for(slots_);
  if (delivery_ == DeliveryRule::kMarked) format.deliver_bits = 1;
  if (repeats()) {
    format.first_bits = bits_for(most_first);
    format.before_bits = bits_for(most_before);
  }
  return format;
}

std::uint64_t TimetableProgram::memory_bytes() const {
  std::uint64_t bytes =
      (rom_of_.capacity() + repetition_.first_done.capacity()) * sizeof(std::uint32_t) +
      roms_.capacity() * sizeof(TimetableRom);
  for (const TimetableRom& rom : roms_) {
    bytes += rom.sends.capacity() * sizeof(SendRow) + rom.arrivals.capacity() * sizeof(ArrivalRow);
  }
  return bytes;
}

bool TimetableProgram::operator==(const TimetableProgram& other) const {
  if (nodes_ != other.nodes_ || ports_ != other.ports_ || own_ != other.own_ ||
      delivery_ != other.delivery_ || relative != other.relative || flits != other.flits ||
      repetition_ != other.repetition_ || one_rom() != other.one_rom()) {
    return false;
  }
  if (one_rom()) return roms_ == other.roms_;
  for (NodeId node = 0; node < nodes_; ++node) {
    if (roms_[rom_of(node)] != other.roms_[other.rom_of(node)]) return false;
  }
  return true;
}

PacketId own_piece(const TimetableProgram& program, const Topology& topology, const Demand& demand,
                   NodeId node, std::uint32_t own, std::uint64_t n) {
  if (!topology.has_core(node)) return kNoPacket;
  const std::uint64_t nodes = topology.nodes();
  const std::uint64_t number = program.word_number(own, n);
  if (demand.to == Destination::kEachSource) {
    const NodeId to = demand.sources[number].node;
    return to == node ? kNoPacket : node * nodes + to;
  }
  if (demand.is_personal()) {
    const std::uint64_t k = demand.pieces;
    const std::uint64_t to = program.relative
                                 ? displaced(topology, node, static_cast<NodeId>(number / k + 1))
                                 : number / k;
    return to == node ? kNoPacket : (node * nodes + to) * k + number % k;
  }
  // A sequence may be queried for more words than it has.
  if (program.repeats() && number >= demand.pieces) return kNoPacket;
  if (demand.combines()) {
    const bool by_owner = demand.to == Destination::kOwner && program.repeats();
    if (!program.relative && !by_owner) return number;
    const std::uint64_t k = demand.pieces / nodes;
    // In a repetition the words of each owner that are next.
    const std::uint64_t block = by_owner ? program.own() / nodes : k;
    const std::uint64_t in_block = number % (nodes * block);
    const auto owner = static_cast<NodeId>(in_block / block);
    const std::uint64_t first = number / (nodes * block) * block;
    return std::uint64_t{program.relative ? displaced(topology, node, owner) : owner} * k + first +
           in_block % block;
  }
  if (demand.from == Origin::kRoot) return node == demand.root ? number : kNoPacket;
  return node * demand.pieces + number;
}

}  // namespace gossamer
