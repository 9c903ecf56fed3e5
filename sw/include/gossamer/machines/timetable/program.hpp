// SPDX-License-Identifier: Apache-2.0
/// Timetables: routers that execute the rows of a ROM, step by step.
///
/// A router has *slots*, each of which holds one word, and reads its node's *own words* at its
/// input ports. In each step every out-port sends one word or nothing, and every arrival is stored
/// in a slot, combined with a word that is at hand, delivered to the node, or both.
///
/// Machine model of step s (docs/machines/timetable.md):
///  1. Every send row reads its source as it is at the start of the step. An empty slot sends
///     nothing; a slot keeps its word when it is read.
///  2. At the end of the step the arrivals are handled in ascending order of in-ports. An arrival
///     without a row, or with a row that names no source, stands for itself. Otherwise the row's
///     source and the arrival are combined, in this order; a slot that lower in-ports have written
///     in the same step counts with its new content, and an empty slot leaves the arrival alone.
///  3. The result goes to the row's slot, if it has one, and to the node as delivery() says.
/// A word that arrives in step s can be sent in step s + 1. Two arrivals of one step that replace
/// the same slot are a conflict: the higher in-port's stays.
///
/// Nodes with the same rows share a ROM. A healthy torus may have one ROM for all nodes.
///
/// A program may *repeat*: rows then come again every period() steps, each a number of times of its
/// own, and the n-th time they work on the n-th word of their sequence. So the ROM of a long vector
/// is as large as that of a short one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/program.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// A word that a router has at hand: one of the node's own, or the content of a slot.
class WordSource {
 public:
  /// No word.
  constexpr WordSource() = default;
  /// Own word `index`; in a repeating program the next one of own sequence `index`.
  [[nodiscard]] static constexpr WordSource own(std::uint32_t index) {
    return WordSource((index << 1U) + 1U);
  }
  [[nodiscard]] static constexpr WordSource slot(std::uint32_t index) {
    return WordSource((index << 1U) + 2U);
  }

  [[nodiscard]] constexpr bool none() const { return code_ == 0; }
  [[nodiscard]] constexpr bool is_own() const { return (code_ & 1U) != 0; }
  [[nodiscard]] constexpr bool is_slot() const { return code_ != 0 && !is_own(); }
  /// The number of the own word or of the slot; none() has no number.
  [[nodiscard]] constexpr std::uint32_t index() const { return (code_ - 1) >> 1U; }

  constexpr bool operator==(const WordSource&) const = default;

 private:
  explicit constexpr WordSource(std::uint32_t code) : code_(code) {}
  std::uint32_t code_ = 0;
};

/// An out-port sends a word.
struct SendRow {
  /// The first step, from 1.
  std::uint32_t step = 1;
  /// Times that the row is executed, every period() steps; 1 in programs that do not repeat.
  std::uint32_t times = 1;
  WordSource source;
  Port port = 0;

  bool operator==(const SendRow&) const = default;
};

/// The treatment of what arrives at an in-port. An arrival without a row is not stored.
struct ArrivalRow {
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

  std::uint32_t step = 1;
  std::uint32_t times = 1;
  /// The word that the arrival is combined with; none: the arrival stands for itself.
  WordSource with;
  /// The slot that the result goes to; kNoSlot: none.
  std::uint32_t slot = kNoSlot;
  Port port = 0;
  /// With DeliveryRule::kMarked: the result is delivered.
  bool delivers = false;

  bool operator==(const ArrivalRow&) const = default;
};

/// Which arrivals are delivered to the node.
enum class DeliveryRule : std::uint8_t {
  /// Every one, as it arrives.
  kAll,
  /// Those that are not stored: personal packets, the others of which are on their way.
  kUnstored,
  /// The results of rows that say so.
  kMarked,
};
inline constexpr auto kDeliveryNames =
    std::to_array<std::string_view>({"all", "unstored", "marked"});
[[nodiscard]] std::string_view delivery_name(DeliveryRule delivery);

/// The rows of a router, each list in ascending order of (step, port). A port has at most one row
/// of a kind per step.
struct TimetableRom {
  std::vector<SendRow> sends;
  std::vector<ArrivalRow> arrivals;

  bool operator==(const TimetableRom&) const = default;
};

/// Widths of the fields of a ROM word, in bits, and its number of words: the ROM of the hardware.
struct RomFormat {
  std::uint64_t words = 0;
  /// Of each out-port: 0 for nothing, 1 .. own for an own word, then the slots.
  std::uint32_t source_bits = 0;
  /// Of each in-port: the same of the word that is combined; 0 bits when nothing is.
  std::uint32_t with_bits = 0;
  /// Of each in-port: 0 for none, else a slot.
  std::uint32_t slot_bits = 0;
  /// Of each in-port: 1 bit with DeliveryRule::kMarked.
  std::uint32_t deliver_bits = 0;
  /// Of each port and direction: the first frame of the row, and the frames between its last one
  /// and the last of all; 0 bits in programs that do not repeat.
  std::uint32_t first_bits = 0;
  std::uint32_t before_bits = 0;

  [[nodiscard]] std::uint64_t word_bits(int ports) const {
    const std::uint64_t repeat = std::uint64_t{first_bits} + before_bits;
    return static_cast<std::uint64_t>(ports) *
           (source_bits + with_bits + slot_bits + deliver_bits + 2 * repeat);
  }
  [[nodiscard]] std::uint64_t rom_bits(int ports) const { return words * word_bits(ports); }
};

/// The repetition of a program's rows.
struct Repetition {
  /// Steps after which rows come again; 0: they do not.
  std::uint32_t period = 0;
  /// For each own sequence, the step at whose end its first word is done; words are numbered in the
  /// order in which they are done, of equals the lower sequence first.
  std::vector<std::uint32_t> first_done{};

  bool operator==(const Repetition&) const = default;
};

class TimetableProgram final : public ProgramOf<TimetableProgram> {
 public:
  /// A program without rows for `nodes` routers. `own`: own words, or sequences, of a node.
  TimetableProgram(std::uint32_t nodes, int ports, std::uint32_t own, DeliveryRule delivery,
                   Repetition repetition = {});

  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] int ports() const { return ports_; }
  [[nodiscard]] std::uint32_t own() const { return own_; }
  [[nodiscard]] DeliveryRule delivery() const { return delivery_; }
  /// Slots of a router, the highest that a row names and one more; at least 1.
  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  /// The last step in which a row is executed.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] const Repetition& repetition() const { return repetition_; }
  [[nodiscard]] std::uint32_t period() const { return repetition_.period; }
  [[nodiscard]] bool repeats() const { return repetition_.period != 0; }
  /// Arrivals are combined.
  [[nodiscard]] bool combines() const { return combines_; }

  /// The number in roms() of a ROM, which is added when it is new. Numbers begin at 0.
  std::uint32_t intern(TimetableRom rom);
  /// Gives a node a ROM. Without any call, all nodes have ROM 0.
  void assign(NodeId node, std::uint32_t rom);
  [[nodiscard]] const std::vector<TimetableRom>& roms() const { return roms_; }
  /// True when all nodes have the one ROM.
  [[nodiscard]] bool one_rom() const { return rom_of_.empty(); }
  /// Number of the node's ROM in roms().
  [[nodiscard]] std::uint32_t rom_of(NodeId node) const {
    return rom_of_.empty() ? 0 : rom_of_[node];
  }

  /// Own words are numbered as each node sees the others: by displacement
  /// (topology/displacement.hpp). Without it, own words have the numbers of own_piece().
  bool relative = false;
  /// Flits of a packet; a step lasts as many cycles.
  std::uint32_t flits = 1;

  /// The number of the n-th word of an own sequence; the sequence itself where nothing repeats.
  [[nodiscard]] std::uint64_t word_number(std::uint32_t sequence, std::uint64_t n) const;
  /// Words of the sequence among the first `words`.
  [[nodiscard]] std::uint64_t words_of(std::uint32_t sequence, std::uint64_t words) const;

  [[nodiscard]] RomFormat format() const;
  [[nodiscard]] const Machine& machine() const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override;

  bool operator==(const TimetableProgram& other) const;

 private:
  std::uint32_t nodes_;
  int ports_;
  std::uint32_t own_;
  DeliveryRule delivery_;
  std::uint32_t slots_ = 1;
  std::uint64_t steps_ = 0;
  bool combines_ = false;
  std::vector<TimetableRom> roms_;
  /// Numbers in roms_ by the hash of their content.
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;
  /// By node; empty: all have ROM 0.
  std::vector<std::uint32_t> rom_of_;
  Repetition repetition_;
};

/// The piece of the demand that own word `own` of a node is, in a repeating program the n-th of its
/// sequence; kNoPacket where there is none: at dead cores, at all nodes but the root of a
/// broadcast, and for the node itself in an all-to-all.
///  - All-gather, k packets: own word c is packet c.
///  - Broadcast: own word c of the root is piece c.
///  - Combined, w words: own word j is word j; relative, with k = w / nodes, own word u k + c is
///    word c of the owner at displacement u.
///  - All-to-all, k pieces: own word v k + c is the c-th for node v; relative, own word u - 1 is
///  the
///    one for the node at displacement u.
///  - Gather to listed nodes: own word i is the one for the i-th source.
[[nodiscard]] PacketId own_piece(const TimetableProgram& program, const Topology& topology,
                                 const Demand& demand, NodeId node, std::uint32_t own,
                                 std::uint64_t n = 0);

/// Most slots and own words of a node, and flits of a packet.
inline constexpr std::uint32_t kMaxTimetableSlots = 65535;
inline constexpr std::uint32_t kMaxTimetableFlits = 1U << 20U;

}  // namespace gossamer
