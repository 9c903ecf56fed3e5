// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/timetable/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "gossamer/plan/member_displacement.hpp"
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
    mix(row.word);
  }
  for (const ArrivalRow& row : rom.arrivals) {
    mix(row.step);
    mix(row.times);
    mix(row.port);
    mix_source(row.with);
    mix(row.slot);
    mix(row.delivers ? 1 : 0);
    mix(row.word);
  }
  return hash;
}

/// Bits of a field that holds 0 .. largest; 0 bits for the number 0 alone.
std::uint32_t bits_for(std::uint64_t largest) {
  return static_cast<std::uint32_t>(std::bit_width(largest));
}

/// Calls visit(row, additions) for every arrival row of a ROM and the additions in series of its
/// results; several times where they depend on the repetition.
void for_each_result(const TimetableRom& rom, std::uint32_t period, bool late,
                     const std::function<void(const ArrivalRow&, std::uint32_t)>& visit) {
  // Rows of the same step, or of the same step of the period, by port.
  std::vector<const ArrivalRow*> rows;
  const auto word = [period](const ArrivalRow& row) {
    return period == 0 ? row.step - 1 : (row.step - 1) % period;
  };
  const auto first = [period](const ArrivalRow& row) -> std::uint64_t {
    return period == 0 ? 0 : (row.step - 1) / period;
  };
  std::vector<std::uint64_t> frames;
  for (const ArrivalRow& row : rom.arrivals) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [&](const ArrivalRow* a, const ArrivalRow* b) {
    return std::make_pair(word(*a), a->port) < std::make_pair(word(*b), b->port);
  });
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && word(*rows[end]) == word(*rows[begin])) ++end;
    // The rows that are executed together change where one begins.
    frames.clear();
    for (std::size_t at = begin; at < end; ++at) frames.push_back(first(*rows[at]));
    std::sort(frames.begin(), frames.end());
    frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
    for (const std::uint64_t frame : frames) {
      StepAdditions additions(late);
      for (std::size_t i = begin; i < end; ++i) {
        const ArrivalRow& row = *rows[i];
        if (frame < first(row) || frame >= first(row) + row.times) continue;
        visit(row, additions.of(row));
      }
    }
  }
}

}  // namespace

std::uint32_t StepAdditions::of(const ArrivalRow& row) {
  std::uint32_t additions = row.with.none() ? 0 : 1;
  const bool chains = row.with.is_slot() && (!late_ || row.slot == row.with.index());
  for (std::size_t i = count_; chains && i-- > 0;) {
    if (written_[i].slot != row.with.index()) continue;
    additions += written_[i].additions;
    break;
  }
  if (row.slot != ArrivalRow::kNoSlot) written_[count_++] = {row.slot, additions};
  return additions;
}

std::uint32_t TimetableProgram::additions_in_series() const {
  std::uint32_t most = 0;
  for (const TimetableRom& rom : roms_) {
    for_each_result(rom, period(), adds_late(),
                    [&most](const ArrivalRow& /*row*/, std::uint32_t additions) {
                      most = std::max(most, additions);
                    });
  }
  return most;
}

std::array<std::uint32_t, kMaxPorts> TimetableProgram::additions_of_ports(std::uint32_t rom) const {
  std::array<std::uint32_t, kMaxPorts> ports{};
  for_each_result(roms_[rom], period(), adds_late(),
                  [&ports](const ArrivalRow& row, std::uint32_t additions) {
                    ports[row.port] |= 1U << additions;
                  });
  return ports;
}

std::vector<std::array<std::uint32_t, kMaxPorts>> TimetableProgram::waits_of_ports() const {
  std::vector<std::array<std::uint32_t, kMaxPorts>> waits(roms_.size());
  if (has_packets()) {
    const std::uint32_t most = additions_in_series();
    for (auto& of_rom : waits) of_rom.fill(most);
    return waits;
  }
  for (std::uint32_t rom = 0; rom < waits.size(); ++rom) {
    const auto additions = additions_of_ports(rom);
    for (std::size_t port = 0; port < kMaxPorts; ++port) {
      waits[rom][port] = bits_for(additions[port] | 1U) - 1;
    }
  }
  return waits;
}

StepPipeline TimetableProgram::pipeline() const {
  if (!has_packets()) return {};
  const std::uint32_t result_cycles = adder_cycles == 0 ? 0 : additions_in_series() * adder_cycles;
  return {flits, result_cycles, step_cycles};
}

void TimetableProgram::move_packets(std::uint32_t words, std::uint32_t cycles) {
  flits = words;
  adder_cycles = cycles;
  // First, since additions are counted as in steps that wait.
  step_cycles = 1;
  step_cycles = std::max(words, (cycles == 0 ? 0 : additions_in_series() * cycles) + 1);
}

std::string TimetableProgram::packet_defect(const Topology& topology) const {
  if (adder_cycles == 0 && step_cycles == 0) return {};
  if (!combines()) return "adder_cycles, step_cycles: nothing is combined";
  if (!topology.has_equal_links()) {
    return "adder_cycles, step_cycles: links that are not equally fast have packets of 1 word and "
           "adders of 0 cycles";
  }
  if (has_packets()) {
    const StepPipeline cycles = pipeline();
    const std::uint32_t least = std::max(flits, cycles.result_cycles + 1);
    if (step_cycles >= least) return {};
    return fmt::format("step_cycles: {}, but {} words and the additions of a step take {} cycles",
                       step_cycles, flits, least);
  }
  if (flits != 1) return "adder_cycles: packets of several words require step_cycles";
  if (delivery_ != DeliveryRule::kMarked) {
    return "adder_cycles: requires delivery marked, or step_cycles";
  }
  if (rotation != 0) return "adder_cycles: rows that name words require step_cycles";
  // Each input port then has one adder, and one result at a time.
  for (const TimetableRom& rom : roms_) {
    std::array<std::optional<std::uint32_t>, kMaxPorts> known{};
    std::string defect;
    for_each_result(
        rom, period(), adds_late(), [&](const ArrivalRow& row, std::uint32_t additions) {
          auto& here = known[row.port];
          if (here && *here != additions && defect.empty()) {
            defect = fmt::format(
                "adder_cycles: results of in-port {} take {} and {} additions in series; such rows "
                "require step_cycles",
                port_name(row.port), *here, additions);
          }
          here = additions;
        });
    if (!defect.empty()) return defect;
  }
  return {};
}

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
  parity_roms_.clear();
  rom_of_[node] = rom;
}

void TimetableProgram::assign_by_parity(const Topology& topology, std::vector<std::uint32_t> roms) {
  rom_of_.resize(nodes_);
  const std::vector<int> dimensions = rotated_dimensions(topology);
  for (NodeWalk walk(topology); !walk.done(); walk.next()) {
    std::size_t parities = 0;
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
      parities |= std::size_t{walk.coordinates()[static_cast<std::size_t>(dimensions[k])] % 2} << k;
    }
    rom_of_[walk.node()] = roms[parities];
  }
  parity_roms_ = std::move(roms);
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
    names_words_ = names_words_ || row.word != kAnyWord;
    note_last(row);
  }
  for (const ArrivalRow& row : rom.arrivals) {
    combines_ = combines_ || !row.with.none();
    names_words_ = names_words_ || row.word != kAnyWord;
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
  for (std::size_t rom = 0; adds_late() && rom < roms_.size(); ++rom) {
    for_each_result(roms_[rom], period(), true,
                    [&](const ArrivalRow& row, std::uint32_t additions) {
                      last = std::max(last, row.step + (row.times - std::uint64_t{1}) * period() +
                                                std::uint64_t{additions} * adder_cycles);
                    });
  }
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

RomFormat TimetableProgram::format(bool numbered) const {
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
  if (delivery_ == DeliveryRule::kMarked) format.deliver_bits = numbered ? bits_for(own_) : 1;
  if (repeats()) {
    format.first_bits = bits_for(most_first);
    format.before_bits = bits_for(most_before);
  }
  return format;
}

std::uint64_t TimetableProgram::memory_bytes() const {
  std::uint64_t bytes =
      (rom_of_.capacity() + parity_roms_.capacity() + repetition_.first_done.capacity()) *
          sizeof(std::uint32_t) +
      roms_.capacity() * sizeof(TimetableRom);
  for (const TimetableRom& rom : roms_) {
    bytes += rom.sends.capacity() * sizeof(SendRow) + rom.arrivals.capacity() * sizeof(ArrivalRow);
  }
  return bytes;
}

bool TimetableProgram::operator==(const TimetableProgram& other) const {
  if (nodes_ != other.nodes_ || ports_ != other.ports_ || own_ != other.own_ ||
      delivery_ != other.delivery_ || relative != other.relative || flits != other.flits ||
      adder_cycles != other.adder_cycles || step_cycles != other.step_cycles ||
      rotation != other.rotation || repetition_ != other.repetition_ ||
      one_rom() != other.one_rom()) {
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
  const auto moved = [&](std::uint64_t by) -> std::uint64_t {
    const auto rank = static_cast<NodeId>(by);
    return demand.groups ? displaced_member(topology, *demand.groups, node, rank)
                         : displaced(topology, node, rank);
  };
  if (demand.to == Destination::kEachSource) {
    const NodeId to = demand.sources[number].node;
    return to == node ? kNoPacket : node * nodes + to;
  }
  if (demand.is_personal()) {
    const std::uint64_t k = demand.pieces;
    const std::uint64_t to = program.relative ? moved(number / k + 1) : number / k;
    return to == node ? kNoPacket : (node * nodes + to) * k + number % k;
  }
  // A sequence may be queried for more words than it has.
  if (program.repeats() && number >= demand.pieces) return kNoPacket;
  if (program.rotation != 0) {
    const std::uint64_t d = program.own() / program.rotation;
    int dim = 0;
    for (std::uint64_t before = number % d; topology.side(dim) == 1 || before != 0; ++dim) {
      if (topology.side(dim) != 1) --before;
    }
    const std::uint32_t at = node / topology.stride(dim) % topology.side(dim);
    const std::uint64_t word = number % d + d * ((number / d + at) % program.rotation);
    return word < demand.pieces ? word : kNoPacket;
  }
  if (demand.combines()) {
    const bool by_owner = demand.to == Destination::kOwner && program.repeats();
    if (!program.relative && !by_owner) return number;
    const std::uint64_t owners = demand.members(nodes);
    const std::uint64_t k = demand.pieces / owners;
    // In a repetition the words of each owner that are next.
    const std::uint64_t block = by_owner ? program.own() / owners : k;
    const std::uint64_t in_block = number % (owners * block);
    const std::uint64_t owner = in_block / block;
    const std::uint64_t first = number / (owners * block) * block;
    return (program.relative ? moved(owner) : owner) * k + first + in_block % block;
  }
  if (demand.from == Origin::kRoot) return node == demand.root ? number : kNoPacket;
  return node * demand.pieces + number;
}

std::vector<int> rotated_dimensions(const Topology& topology) {
  std::vector<int> dimensions;
  for (int dim = 0; dim < topology.dimensions(); ++dim) {
    if (topology.side(dim) != 1) dimensions.push_back(dim);
  }
  return dimensions;
}

std::uint64_t nodes_with(const TimetableProgram& program, const Topology& topology,
                         const Demand& demand, std::uint32_t parities, std::uint32_t word) {
  const std::vector<int> dimensions = rotated_dimensions(topology);
  const auto d = static_cast<std::uint32_t>(dimensions.size());
  const bool has_parities = !program.parity_roms().empty();
  if (word == kAnyWord) return program.nodes() >> (has_parities ? d : 0U);
  const std::uint32_t dim = word % d;
  if (demand.pieces <= dim) return 0;
  const std::uint64_t rotation = program.rotation;
  // Words c, c + d, .. of this dimension, j from 0 on.
  std::uint64_t words = (demand.pieces - dim + d - 1) / d;
  std::uint64_t each = topology.side(dimensions[dim]) / rotation;
  if (has_parities && rotation % 2 == 0) {
    // Of these, those whose coordinate j - i has the parity of the class.
    const bool odd = ((word / d + (parities >> dim)) & 1U) != 0;
    words = odd ? words / 2 : (words + 1) / 2;
  } else if (has_parities) {
    each /= 2;
  }
  std::uint64_t nodes = words * each;
  for (std::uint32_t other = 0; other < d; ++other) {
    if (other != dim) nodes *= topology.side(dimensions[other]) / (has_parities ? 2U : 1U);
  }
  return nodes;
}

std::uint64_t additions(const TimetableProgram& program, const Topology& topology,
                        const Demand& demand) {
  std::uint64_t all = 0;
  const auto add = [&](std::uint32_t rom, const auto& executions) {
    for (const ArrivalRow& row : program.roms()[rom].arrivals) {
      if (!row.with.none()) all += row.times * executions(row.word);
    }
  };
  const auto classes = program.parity_roms();
  if (!program.names_words()) {
    std::vector<std::uint64_t> nodes(program.roms().size(), 0);
    for (NodeId node = 0; node < program.nodes(); ++node) ++nodes[program.rom_of(node)];
    for (std::uint32_t rom = 0; rom < nodes.size(); ++rom) {
      add(rom, [&](std::uint32_t) { return nodes[rom]; });
    }
  } else if (program.one_rom() || !classes.empty()) {
    for (std::uint32_t at = 0; at < std::max<std::size_t>(classes.size(), 1); ++at) {
      add(classes.empty() ? 0 : classes[at],
          [&](std::uint32_t word) { return nodes_with(program, topology, demand, at, word); });
    }
  } else {
    for (NodeId node = 0; node < program.nodes(); ++node) {
      add(program.rom_of(node), [&](std::uint32_t word) {
        return std::uint64_t{has_word(program, topology, demand, node, word) ? 1U : 0U};
      });
    }
  }
  return all;
}

TimetableRom executed_rows(const TimetableProgram& program, const Topology& topology,
                           const Demand& demand, NodeId node) {
  TimetableRom rom = program.roms()[program.rom_of(node)];
  if (program.rotation == 0) return rom;
  const auto skipped = [&](const auto& row) {
    return !has_word(program, topology, demand, node, row.word);
  };
  std::erase_if(rom.sends, skipped);
  std::erase_if(rom.arrivals, skipped);
  return rom;
}

TimetableProgram unrotated(const TimetableProgram& program, const Topology& topology,
                           const Demand& demand) {
  TimetableProgram plain(program.nodes(), program.ports(),
                         static_cast<std::uint32_t>(demand.pieces), program.delivery());
  plain.flits = program.flits;
  plain.adder_cycles = program.adder_cycles;
  plain.step_cycles = program.step_cycles;
  for (NodeId node = 0; node < program.nodes(); ++node) {
    TimetableRom rom = executed_rows(program, topology, demand, node);
    const auto name = [&](WordSource& source) {
      if (!source.is_own()) return;
      const PacketId piece = own_piece(program, topology, demand, node, source.index());
      source =
          piece == kNoPacket ? WordSource() : WordSource::own(static_cast<std::uint32_t>(piece));
    };
    for (SendRow& row : rom.sends) {
      name(row.source);
      row.word = kAnyWord;
    }
    for (ArrivalRow& row : rom.arrivals) {
      name(row.with);
      row.word = kAnyWord;
    }
    std::erase_if(rom.sends, [](const SendRow& row) { return row.source.none(); });
    plain.assign(node, plain.intern(std::move(rom)));
  }
  return plain;
}

}  // namespace gossamer
