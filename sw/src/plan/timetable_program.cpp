// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/timetable_program.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "gossamer/topology/displacement.hpp"

namespace gossamer {

void put_in_order(std::vector<TimetableRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const TimetableRow& a, const TimetableRow& b) {
    return std::tie(a.step, a.from, a.out_port) < std::tie(b.step, b.from, b.out_port);
  });
}

TimetableProgram::TimetableProgram(std::uint32_t packets_per_node, std::uint32_t slots,
                                   std::vector<TimetableRow> rows, bool one_rom)
    : packets_per_node_(packets_per_node),
      slots_(slots),
      rows_(std::move(rows)),
      one_rom_(one_rom) {}

std::span<const TimetableRow> TimetableProgram::rows_in(std::uint64_t step) const {
  const auto before = [](const TimetableRow& row, std::uint64_t at) { return row.step < at; };
  const auto first = std::lower_bound(rows_.begin(), rows_.end(), step, before);
  const auto last = std::lower_bound(first, rows_.end(), step + 1, before);
  return {first, last};
}

std::uint64_t TimetableProgram::bits_of_a_rom(const Topology& topology) const {
  const auto field = static_cast<std::uint64_t>(std::bit_width(slots_));
  constexpr std::uint64_t kModeBits = 2;
  return steps() * static_cast<std::uint64_t>(topology.ports()) * (2 * field + kModeBits);
}

std::uint64_t TimetableProgram::rom_bits(const Topology& topology) const {
  return bits_of_a_rom(topology) * (one_rom_ ? 1 : topology.nodes());
}

PacketId piece_at_start(const Demand& demand, NodeId nodes, NodeId node, std::uint32_t slot) {
  if (demand.from == Origin::kRoot && node != demand.root) return kNoPacket;
  if (demand.to == Destination::kEachSource) {
    if (slot >= demand.sources.size()) return kNoPacket;
    return PacketId{node} * nodes + demand.sources[slot].node;
  }
  const std::uint64_t own = demand.is_personal() ? nodes * demand.pieces : demand.pieces;
  if (slot >= own) return kNoPacket;
  const bool numbered_by_node = !demand.combines() && demand.from == Origin::kEveryNode;
  return numbered_by_node ? node * own + slot : slot;
}

PacketId piece_at_start(const TimetableProgram& program, const Topology& topology,
                        const Demand& demand, NodeId node, std::uint32_t slot) {
  if (!program.one_rom()) return piece_at_start(demand, topology.nodes(), node, slot);
  const std::uint32_t k = program.packets_per_node() / topology.nodes();
  return PacketId{displaced(topology, node, slot / k)} * k + slot % k;
}

}  // namespace gossamer
