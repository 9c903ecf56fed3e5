// SPDX-License-Identifier: Apache-2.0
/// The program of scheduled routers: one ROM for all of them, or one for each class of nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// What an out-port sends in one step.
struct PacketSource {
  enum class Kind : std::uint8_t {
    /// The link stays idle.
    kIdle,
    /// The own packet `index`, 0 .. packets_per_node-1.
    kOwn,
    /// The content of buffer slot `index`, 0 .. slots-1; an empty slot leaves the link idle.
    kSlot,
  };
  Kind kind = Kind::kIdle;
  std::uint32_t index = 0;

  bool operator==(const PacketSource&) const = default;
};

/// Scheduled store-and-forward: a router is a packet buffer of addressable slots, and a ROM with
/// one word a step that says, for each out-port, what it sends, and for each in-port, the slot that
/// its arrival is written to (if any; every arrival is delivered to the node as well).
///
/// Machine model of step s: the out-ports read own packets and slots as they are at the start of
/// the step, one packet a link; at its end the arrivals are written. A slot may therefore be read
/// and written in the same step, and what arrives in step s leaves in step s + 1 at the earliest.
/// Two in-ports that write one slot in one step are a conflict: the arrival of the higher in-port
/// stays, the other is lost. After the last word the router is idle.
///
/// As a rule all routers run one ROM, which means something on a healthy torus only, where links
/// leave by every port: 16 d bytes a step here, 8 bytes a node when all 2d links are busy in every
/// step. Elsewhere nodes are of several classes, each with a ROM of its own; a timetable has one
/// for each node.
class ScheduleProgram {
 public:
  /// An all-idle program. `packets_per_node` in 1 .. 1024, `slots` >= 1, `steps` >= 0. `classes`
  /// says of each node whose ROM it has, 0 .. the largest of them; empty: all have the one.
  ScheduleProgram(int ports, std::uint32_t packets_per_node, std::uint32_t slots,
                  std::uint64_t steps, std::vector<std::uint32_t> classes = {});

  /// The class of a node; 0 where there is one ROM for all.
  [[nodiscard]] std::uint32_t class_of(NodeId node) const {
    return classes_.empty() ? 0 : classes_[node];
  }
  /// By node; empty when all routers run one ROM.
  [[nodiscard]] const std::vector<std::uint32_t>& classes() const { return classes_; }
  /// ROMs that there are.
  [[nodiscard]] std::uint32_t roms() const { return roms_; }

  [[nodiscard]] int ports() const { return ports_; }
  /// Own packets of each node.
  [[nodiscard]] std::uint32_t packets_per_node() const { return packets_per_node_; }
  /// Slots of the packet buffer; own packets are kept elsewhere.
  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  /// Words of the ROM.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  /// What `out_port` sends in `step`, 1 .. steps(), by the ROM of a class.
  [[nodiscard]] PacketSource source(std::uint64_t step, Port out_port, std::uint32_t rom = 0) const;
  /// The slot that takes what arrives on `in_port` in `step`; empty: it is only delivered.
  [[nodiscard]] std::optional<std::uint32_t> store(std::uint64_t step, Port in_port,
                                                   std::uint32_t rom = 0) const;

  /// Setters of the same two fields; std::out_of_range for an index the program does not have.
  void set_source(std::uint64_t step, Port out_port, PacketSource source, std::uint32_t rom = 0);
  void set_store(std::uint64_t step, Port in_port, std::optional<std::uint32_t> slot,
                 std::uint32_t rom = 0);

  /// The ROM word's fields as numbers, as the plan document holds them. Out-port: 0 idle, 1 .. k an
  /// own packet, k + 1 .. k + slots a slot. In-port: 0 deliver only, 1 .. slots a slot.
  [[nodiscard]] std::uint32_t source_code(std::uint64_t step, Port out_port,
                                          std::uint32_t rom = 0) const {
    return rom_[word(step, rom) + out_port];
  }
  [[nodiscard]] std::uint32_t store_code(std::uint64_t step, Port in_port,
                                         std::uint32_t rom = 0) const {
    return rom_[word(step, rom) + static_cast<std::size_t>(ports_) + in_port];
  }
  void set_source_code(std::uint64_t step, Port out_port, std::uint32_t code,
                       std::uint32_t rom = 0);
  void set_store_code(std::uint64_t step, Port in_port, std::uint32_t code, std::uint32_t rom = 0);

  /// Bits of one ROM word: a source field of ceil(log2(1 + k + slots)) bits for each out-port, a
  /// store field of ceil(log2(1 + slots)) bits for each in-port.
  [[nodiscard]] std::uint64_t word_bits() const;
  /// Bits of a whole ROM, steps() * word_bits().
  [[nodiscard]] std::uint64_t rom_bits() const { return steps_ * word_bits(); }

  bool operator==(const ScheduleProgram&) const = default;

 private:
  /// Index of the first field of a step's word.
  [[nodiscard]] std::size_t word(std::uint64_t step, std::uint32_t rom) const {
    return (rom * steps_ + step - 1) * 2 * static_cast<std::size_t>(ports_);
  }

  int ports_;
  std::uint32_t packets_per_node_;
  std::uint32_t slots_;
  std::uint64_t steps_;
  std::vector<std::uint32_t> classes_;
  std::uint32_t roms_;
  /// ROM after ROM, word after word: the codes of all out-ports, then those of all in-ports.
  std::vector<std::uint32_t> rom_;
};

}  // namespace gossamer
