// SPDX-License-Identifier: Apache-2.0
/// Timetables: routers with a word memory, each with a program of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gossamer/plan/demand.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// One word over one link, and what becomes of it at the other end.
struct TimetableRow {
  /// From 1.
  std::uint32_t step = 1;
  /// The sender, and the out-port by which it sends.
  NodeId from = 0;
  Port out_port = 0;
  /// The piece of the demand that the word belongs to. The routers do not look at it; `verify`
  /// does.
  std::uint32_t packet = 0;
  /// The sender's slot that is sent; it keeps its word.
  std::uint32_t read = 0;
  /// The receiver's slot that the word goes to; empty: it is only handed over.
  std::optional<std::uint32_t> write;
  /// The word is added to what the slot holds; else it takes its place.
  bool adds = false;
  /// Behind the writes of the step the receiver gets the slot's word (without a slot: the arrival)
  /// as a finished output.
  bool hands_over = false;

  bool operator==(const TimetableRow&) const = default;
};

/// Step by step, then by senders and their out-ports: the order in which a program has its rows.
void put_in_order(std::vector<TimetableRow>& rows);

/// What schedules of other programs become (docs/spec/foreign-schedules.md, section 6).
///
/// Machine model: a node has `slots` words of memory; at the start slot c holds own packet c of
/// every node that has packets. In step s all rows of the step read their sender's slot; what is
/// empty sends nothing. Then the arrivals are stored, then others added, both in ascending order of
/// in-ports: of two stores to one slot in one step the later stays. A word added to an empty slot
/// is stored. Then slots are handed over. A step is a clock cycle.
///
/// With `one_rom` all nodes of a torus do the same, each from where it stands: the rows of node 0
/// are displaced to every other one, and the slots of a node are numbered as it sees the pieces.
/// Of a reduction with k pieces an owner, slot u k + c holds piece c of the owner at displacement
/// u.
class TimetableProgram {
 public:
  /// `rows` in ascending order of (step, from, out_port). `slots` >= `packets_per_node` >= 1.
  TimetableProgram(std::uint32_t packets_per_node, std::uint32_t slots,
                   std::vector<TimetableRow> rows, bool one_rom = false);

  /// Own packets of a node: its slots 0 .. packets_per_node-1 at the start.
  [[nodiscard]] std::uint32_t packets_per_node() const { return packets_per_node_; }
  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  [[nodiscard]] const std::vector<TimetableRow>& rows() const { return rows_; }
  /// The rows of a step, from 1.
  [[nodiscard]] std::span<const TimetableRow> rows_in(std::uint64_t step) const;
  /// The last step with a row.
  [[nodiscard]] std::uint64_t steps() const { return rows_.empty() ? 0 : rows_.back().step; }
  /// All nodes run the rows of node 0.
  [[nodiscard]] bool one_rom() const { return one_rom_; }
  /// Bits of one ROM, a word a step: for each out-port idle or a slot, for each in-port nothing or
  /// a slot, and the two bits of the mode.
  [[nodiscard]] std::uint64_t bits_of_a_rom(const Topology& topology) const;
  /// Bits of all ROMs together: one, or one for each node.
  [[nodiscard]] std::uint64_t rom_bits(const Topology& topology) const;

  bool operator==(const TimetableProgram&) const = default;

 private:
  std::uint32_t packets_per_node_;
  std::uint32_t slots_;
  std::vector<TimetableRow> rows_;
  bool one_rom_;
};

/// The piece that slot `slot` of a node holds at the start of a timetable for `demand` on so many
/// nodes; kNoPacket where there is none. In an all-to-all a node's packet for itself is one, too.
[[nodiscard]] PacketId piece_at_start(const Demand& demand, NodeId nodes, NodeId node,
                                      std::uint32_t slot);

/// The same of a plan's program, whose slots may be numbered as each node sees the pieces.
[[nodiscard]] PacketId piece_at_start(const TimetableProgram& program, const Topology& topology,
                                      const Demand& demand, NodeId node, std::uint32_t slot);

/// Most slots of a node.
inline constexpr std::uint32_t kMaxTimetableSlots = 65535;

}  // namespace gossamer
