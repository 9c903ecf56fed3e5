// SPDX-License-Identifier: Apache-2.0
/// Timetables: routers that execute the rows of a ROM, step by step.
///
/// A router has *slots*, each of which holds one word, and reads its node's *own words* at its
/// input ports. In each step every output port sends at most one word. Every arrival may be
/// combined with an available word; it is stored in a slot, delivered to the node, or both.
///
/// Machine model of step s (docs/machines/timetable.md):
///  1. Every send row reads its source at the start of the step. An empty slot sends nothing;
///     reading a slot does not empty it.
///  2. At the end of the step the arrivals are handled in ascending order of input ports. An
///     arrival without a row, or with a row without a source, is its own result. Otherwise the
///     row's source and the arrival are combined, in this order. A slot that lower input ports
///     have written in the same step counts with its new content; an empty slot leaves the arrival
///     unchanged.
///  3. The result is stored in the row's slot, if it has one, and delivered to the node according
///     to delivery().
/// A word that a link of period r takes from step t on arrives in step s = t + r - 1; a send over a
/// link that still carries a word is a conflict and has no effect. A word that arrives in step s
/// can be sent in step s + 1. Two arrivals of one step that replace the same slot are a conflict;
/// the slot keeps the arrival of the higher input port.
///
/// Adders of L cycles (TimetableProgram::adder_cycles): the results of a step pass through as many
/// adders in series as StepAdditions says. A result of a additions takes its slot, and is
/// delivered, at the end of step s + a L, and the slot keeps its old content until then. A row
/// whose source and slot are the same adds to the result of a lower input port that has this slot,
/// which then takes no slot; all other rows see slots as they are at the start of the step. If
/// steps wait (step_cycles), step s + 1 begins after the last addition of step s, and the model is
/// that of single steps.
///
/// Nodes with the same rows share a ROM. A healthy torus may have one ROM for all nodes.
///
/// A program may *repeat*: its rows recur every period() steps, each a given number of times. In
/// the n-th repetition they process the n-th word of their sequence. The ROM of a long vector is
/// therefore as large as that of a short one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gossamer/plan/demand.hpp"
#include "gossamer/plan/program.hpp"
#include "gossamer/plan/step_pipeline.hpp"
#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// A word available to a router: one of the node's own words, or the content of a slot.
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

/// The word of a row that every node with its ROM executes. A row with another word names an own
/// word, and nodes that lack this word skip the row (TimetableProgram::rotation).
inline constexpr std::uint32_t kAnyWord = ~std::uint32_t{0};

/// An output port sends a word.
struct SendRow {
  /// The first step, from 1.
  std::uint32_t step = 1;
  /// Number of executions, one every period() steps; 1 in programs that do not repeat.
  std::uint32_t times = 1;
  WordSource source;
  Port port = 0;
  std::uint32_t word = kAnyWord;

  bool operator==(const SendRow&) const = default;
};

/// The treatment of an arrival at an input port. An arrival without a row is not stored.
struct ArrivalRow {
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

  std::uint32_t step = 1;
  std::uint32_t times = 1;
  /// The word that is combined with the arrival; none: the arrival is its own result.
  WordSource with;
  /// The slot of the result; kNoSlot: the result is not stored.
  std::uint32_t slot = kNoSlot;
  Port port = 0;
  /// With DeliveryRule::kMarked: the result is delivered.
  bool delivers = false;
  std::uint32_t word = kAnyWord;

  bool operator==(const ArrivalRow&) const = default;
};

/// The arrivals that are delivered to the node.
enum class DeliveryRule : std::uint8_t {
  /// Every arrival, unchanged.
  kAll,
  /// Arrivals that are not stored: personal packets at their destination; stored packets are in
  /// transit.
  kUnstored,
  /// The results of marked rows.
  kMarked,
};
inline constexpr auto kDeliveryNames =
    std::to_array<std::string_view>({"all", "unstored", "marked"});
[[nodiscard]] std::string_view delivery_name(DeliveryRule delivery);

/// Counts the additions of one router in one step. Arrivals that are added to one word are added
/// one after the other.
class StepAdditions {
 public:
  /// `late`: rows are executed while additions of earlier steps last.
  explicit StepAdditions(bool late) : late_(late) {}

  /// Additions in series until the result of this row is there. Call it once for every row that is
  /// executed in the step, in ascending order of input ports.
  std::uint32_t of(const ArrivalRow& row);

 private:
  struct Written {
    std::uint32_t slot = 0;
    std::uint32_t additions = 0;
  };
  bool late_;
  std::array<Written, kMaxPorts> written_{};
  std::size_t count_ = 0;
};

/// The rows of a router, each list in ascending order of (step, port). A port has at most one row
/// of each kind per step.
struct TimetableRom {
  std::vector<SendRow> sends;
  std::vector<ArrivalRow> arrivals;

  bool operator==(const TimetableRom&) const = default;
};

/// Fields of a hardware ROM word, in bits, and the number of words.
struct RomFormat {
  std::uint64_t words = 0;
  /// For each output port: 0 for idle, 1 .. own for an own word, then the slots.
  std::uint32_t source_bits = 0;
  /// For each input port: the same for the combined word; 0 bits when nothing is combined.
  std::uint32_t with_bits = 0;
  /// For each input port: 0 for none, otherwise a slot.
  std::uint32_t slot_bits = 0;
  /// For each input port with DeliveryRule::kMarked: 1 bit, or with numbered deliveries 0 for none,
  /// otherwise an own sequence.
  std::uint32_t deliver_bits = 0;
  /// For each port and direction: the first frame of the row, and the frames between its last frame
  /// and the last frame of all rows; 0 bits in programs that do not repeat.
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
  /// Steps after which rows recur; 0: no repetition.
  std::uint32_t period = 0;
  /// For each own sequence, the step at whose end its first word is done; words are numbered in the
  /// order in which they are done, ties by lower sequence.
  std::vector<std::uint32_t> first_done{};

  bool operator==(const Repetition&) const = default;
};

class TimetableProgram final : public ProgramOf<TimetableProgram> {
 public:
  /// A program without rows for `nodes` routers. `own`: own words, or sequences, per node.
  TimetableProgram(std::uint32_t nodes, int ports, std::uint32_t own, DeliveryRule delivery,
                   Repetition repetition = {});

  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] int ports() const { return ports_; }
  [[nodiscard]] std::uint32_t own() const { return own_; }
  [[nodiscard]] DeliveryRule delivery() const { return delivery_; }
  /// Slots of a router: one more than the highest slot of a row; at least 1.
  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  /// The last step in which a row is executed.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  /// The last step in which a row is executed, a word arrives or, unless steps wait, an addition
  /// ends.
  [[nodiscard]] std::uint64_t last_arrival(const Topology& topology) const;
  [[nodiscard]] const Repetition& repetition() const { return repetition_; }
  [[nodiscard]] std::uint32_t period() const { return repetition_.period; }
  [[nodiscard]] bool repeats() const { return repetition_.period != 0; }
  /// Arrivals are combined.
  [[nodiscard]] bool combines() const { return combines_; }
  /// A row names its word.
  [[nodiscard]] bool names_words() const { return names_words_; }

  /// The number of a ROM in roms(); a new ROM is added. Numbers begin at 0.
  std::uint32_t intern(TimetableRom rom);
  /// Assigns a ROM to a node. Without any call, all nodes have ROM 0.
  void assign(NodeId node, std::uint32_t rom);
  /// Assigns a ROM to each class of nodes: bit k of a class is the parity of the coordinate in the
  /// k-th of rotated_dimensions(). `roms` has 2^d numbers.
  void assign_by_parity(const Topology& topology, std::vector<std::uint32_t> roms);
  /// The ROMs of the classes; empty if each node has its own ROM, or all share one.
  [[nodiscard]] std::span<const std::uint32_t> parity_roms() const { return parity_roms_; }
  [[nodiscard]] const std::vector<TimetableRom>& roms() const { return roms_; }
  /// True when all nodes share one ROM.
  [[nodiscard]] bool one_rom() const { return rom_of_.empty(); }
  /// Number of the node's ROM in roms().
  [[nodiscard]] std::uint32_t rom_of(NodeId node) const {
    return rom_of_.empty() ? 0 : rom_of_[node];
  }

  /// Own words are numbered by displacement from the node (topology/displacement.hpp). If false,
  /// own words have the numbers of own_piece().
  bool relative = false;
  /// Of an all-reduce on a torus of d rotated_dimensions(): own words are numbered by positions, so
  /// that nodes at all positions can share ROMs. With b = rotation, own word c + d i of a node with
  /// coordinates x has the number c + d ((i + x_c) mod b). Numbers beyond the demand are absent:
  /// the node has no such word, and skips the rows that name it. 0: no rotation.
  std::uint32_t rotation = 0;
  /// Flits of a packet; also the cycles of a step, unless `step_cycles` has them.
  std::uint32_t flits = 1;
  /// Cycles of an adder.
  std::uint32_t adder_cycles = 0;
  /// Of programs that combine: cycles of a step that ends when all its additions have ended. Steps
  /// then move packets of `flits` words. 0: steps do not wait for additions.
  std::uint32_t step_cycles = 0;

  /// Steps move packets of words and wait for additions.
  [[nodiscard]] bool has_packets() const { return step_cycles != 0; }
  /// Rows are executed while additions of earlier steps last.
  [[nodiscard]] bool adds_late() const { return adder_cycles != 0 && step_cycles == 0; }
  /// Results follow their arrivals some cycles later: either of the two.
  [[nodiscard]] bool is_late() const { return has_packets() || adds_late(); }
  /// Words of a packet that have slots of their own; 1 unless steps move packets.
  [[nodiscard]] std::uint32_t packet_words() const { return has_packets() ? flits : 1; }
  /// The most additions in series of a step.
  [[nodiscard]] std::uint32_t additions_in_series() const;
  /// By input port of a ROM: bit k where a result has k additions in series.
  [[nodiscard]] std::array<std::uint32_t, kMaxPorts> additions_of_ports(std::uint32_t rom) const;
  /// By ROM and input port, the additions after which results leave the port: those in series, and
  /// where steps wait the most of all.
  [[nodiscard]] std::vector<std::array<std::uint32_t, kMaxPorts>> waits_of_ports() const;
  /// The cycles of its steps if they move packets; otherwise plain.
  [[nodiscard]] StepPipeline pipeline() const;
  /// Makes steps move packets of `words` words, and wait for adders of `cycles` cycles.
  void move_packets(std::uint32_t words, std::uint32_t cycles);
  /// Why routers cannot execute it with adders of several cycles, or with packets; empty: they can.
  [[nodiscard]] std::string packet_defect(const Topology& topology) const;

  /// The number of the n-th word of an own sequence; the sequence itself without repetition.
  [[nodiscard]] std::uint64_t word_number(std::uint32_t sequence, std::uint64_t n) const;
  /// Words of the sequence among the first `words`.
  [[nodiscard]] std::uint64_t words_of(std::uint32_t sequence, std::uint64_t words) const;

  /// `numbered`: marked rows name the own sequence that they deliver.
  [[nodiscard]] RomFormat format(bool numbered = false) const;
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
  bool names_words_ = false;
  std::vector<TimetableRom> roms_;
  /// Numbers in roms_ by the hash of their content.
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;
  /// By node; empty: all have ROM 0.
  std::vector<std::uint32_t> rom_of_;
  std::vector<std::uint32_t> parity_roms_;
  Repetition repetition_;
};

/// The piece of the demand that own word `own` of a node holds; in a repeating program the n-th
/// piece of its sequence. kNoPacket for no piece: at dead cores, at all nodes except the root of a
/// broadcast, and for the node itself in an all-to-all. - All-gather, k packets: own word c is
/// packet c. - Broadcast: own word c of the root is piece c. - Combined, w words: own word j is
/// word j; relative, with k = w / nodes, own word u k + c is word c of the owner at displacement u.
/// If a program for owners repeats, with b = own / nodes, sequence o b + c has words c, b + c, 2 b
/// + c .. of owner o, or of the owner at displacement o. Rotated, see rotation. - All-to-all, k
/// pieces: own word v k + c is the c-th piece for node v; relative, own word u - 1 is the piece for
/// the node at displacement u. - Gather to listed nodes: own word i is the piece for the i-th
/// source.
[[nodiscard]] PacketId own_piece(const TimetableProgram& program, const Topology& topology,
                                 const Demand& demand, NodeId node, std::uint32_t own,
                                 std::uint64_t n = 0);

/// The dimensions of rotated programs: those with links.
[[nodiscard]] std::vector<int> rotated_dimensions(const Topology& topology);

/// Whether a node executes a row that names own word `word`: always with kAnyWord.
[[nodiscard]] inline bool has_word(const TimetableProgram& program, const Topology& topology,
                                   const Demand& demand, NodeId node, std::uint32_t word) {
  return word == kAnyWord || own_piece(program, topology, demand, node, word) != kNoPacket;
}

/// Number of nodes of a class of parities that have an own word of a rotated program; every node
/// has kAnyWord. Without classes `parities` is 0, and all nodes count. Along the word's dimension
/// the coordinates recur after `rotation` nodes.
[[nodiscard]] std::uint64_t nodes_with(const TimetableProgram& program, const Topology& topology,
                                       const Demand& demand, std::uint32_t parities,
                                       std::uint32_t word);

/// Rows with an addition, times the nodes that execute them.
[[nodiscard]] std::uint64_t additions(const TimetableProgram& program, const Topology& topology,
                                      const Demand& demand);

/// The rows that a node executes.
[[nodiscard]] TimetableRom executed_rows(const TimetableProgram& program, const Topology& topology,
                                         const Demand& demand, NodeId node);

/// The same program without rotation: own word j is word j, and nodes share ROMs where they execute
/// the same rows.
[[nodiscard]] TimetableProgram unrotated(const TimetableProgram& program, const Topology& topology,
                                         const Demand& demand);

/// Limits on the slots and own words of a node, and on the flits of a packet.
inline constexpr std::uint32_t kMaxTimetableSlots = 65535;
inline constexpr std::uint32_t kMaxTimetableFlits = 1U << 20U;

}  // namespace gossamer
