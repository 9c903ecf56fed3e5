// SPDX-License-Identifier: Apache-2.0
/// The interface of every engine, for all kinds of routers.
///
/// An engine executes a plan one clock cycle at a time and nothing else: it neither plans nor
/// judges. Between two cycles it shows the contents of every link. Traces, completeness checks and
/// progress are observers (observers.hpp), the same for all engines, so engines can differ only in
/// what they simulate.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>

#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// Cut-through: the head of a message enters a link.
struct Head {
  LinkId link = 0;
  /// The planned step of its send.
  std::uint32_t step = 0;
  /// Number of the link on the send's path, from 0.
  std::uint32_t hop = 0;
  PacketId packet = 0;
  /// Reductions: number of contributions in the message.
  std::uint32_t terms = 1;
};

/// Cut-through: a node has the whole of a message.
struct Delivery {
  NodeId node = 0;
  /// The planned step of the send.
  std::uint32_t step = 0;
  PacketId packet = 0;
};

/// Cut-through, engines of clocked registers: the contents of a link's register.
struct PinFlit {
  bool valid = false;
  /// First flit of its message: the header is in the low bits of `data`.
  bool head = false;
  /// Bit 0 is bit 0 of data[0]; all zero on an idle link.
  std::array<std::uint64_t, 4> data{};

  bool operator==(const PinFlit&) const = default;
};

/// Reductions: a word that a network interface wrote into its node's vector. Cut-through: the word
/// that a node has for a message that it has received.
struct Result {
  NodeId node = 0;
  PacketId packet = 0;
  /// The word, and its number of contributions.
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
  /// Plans of several collectives: the number of the collective.
  std::uint32_t member = 0;
};

/// Valid/ready routers: a flit that the node at the far end of a link takes.
struct Take {
  LinkId link = 0;
  /// Number within the packet's message, from 0.
  std::uint32_t flit = 0;
  PacketId packet = 0;
};

/// Link contents in one cycle. Its spans are valid until the engine's next clock() or upset().
struct LinkView {
  /// Cycles executed before this one.
  std::uint64_t cycle = 0;
  /// Store-and-forward: the step of the contents, from 1. A step of several cycles shows the same
  /// contents in each of them. 0: no counted step, as in the prefix before packets move.
  std::uint64_t step = 0;
  /// Steps of packets of words (step_pipeline.hpp): the cycle of the step, from 0, and so the
  /// number of the word that accompanies each packet. Otherwise 0.
  std::uint64_t flit = 0;
  /// True if the cycle shows an event: a step, a head, a delivery or another word begins.
  bool begins = false;
  /// Store-and-forward: the packet on every link slot of the topology, kNoPacket on idle ones.
  std::span<const PacketId> packets{};
  /// By link slot, the word that accompanies each packet, empty without words, and its number of
  /// contributions, empty where nothing combines.
  std::span<const std::uint64_t> values{};
  std::span<const std::uint32_t> terms{};
  /// Plans of several collectives: by link slot, the collective that each packet belongs to; empty
  /// for other plans.
  std::span<const std::uint32_t> members{};
  /// Words written at the end of the previous step; cut-through, with `deliveries`.
  std::span<const Result> results{};
  /// Cut-through: the heads that enter a link in this cycle, and the messages whose last flit
  /// reached its node in the previous cycle.
  std::span<const Head> heads{};
  std::span<const Delivery> deliveries{};
  /// Cut-through, engines of clocked registers: by link slot.
  std::span<const PinFlit> flits{};
  /// Valid/ready routers: the flits taken in this cycle, in ascending order of links. Cycle 0 is
  /// the first in which own flits may be pushed.
  std::span<const Take> takes{};
};

/// The engine's own counters over the executed cycles.
struct EngineStatistics {
  /// Store-and-forward: steps.
  std::uint64_t steps = 0;
  /// Clock cycles; cut-through: until the last delivery; takes: until the last take.
  std::uint64_t cycles = 0;
  /// The largest number of packets that an output port, or a node's memory, held at the start of a
  /// step. A slot of a memory keeps its packet until another one overwrites it.
  std::uint64_t max_queue = 0;
  /// Packets lost: they arrived at a FIFO already full to the plan's queue depth, or competed for a
  /// link or for a slot in the same step. Cut-through: messages whose head found its link held by
  /// another message.
  std::uint64_t link_conflicts = 0;
};

/// The result of a class's prefix at a node.
struct PrefixResult {
  /// Packets of the class at nodes before this one in the class's order (its rank, if active).
  std::uint32_t before = 0;
  /// Total packets of the class (in an exchange: on the node's line).
  std::uint32_t total = 0;

  bool operator==(const PrefixResult&) const = default;
};

/// The effect of a fault on the contents of a link's register.
struct Upset {
  /// Bits that are inverted: of the packet, or of data[0] of a flit.
  PacketId flip = 0;
  /// True: the contents vanish (valid falls); `flip` is ignored.
  bool drop = false;

  /// The packet after the fault.
  [[nodiscard]] PacketId apply(PacketId packet) const { return drop ? kNoPacket : packet ^ flip; }
};

/// A model or the RTL found a condition that a correct plan rules out: two messages on one link or
/// for one node at once, or a node that has to send before it can. An engine that threw it can only
/// be destroyed.
class ModelAssertion : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// "fast", "systemc", "rtl".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Link contents in the current cycle, which clock() executes next.
  [[nodiscard]] virtual LinkView links() = 0;
  /// Executes `cycles` cycles. Throws ModelAssertion.
  virtual void clock(std::uint64_t cycles) = 0;
  /// Cycles after the current one in which no event begins: clock(1 + quiet()) advances to the next
  /// cycle with an event.
  [[nodiscard]] virtual std::uint64_t quiet() const { return 0; }
  /// True if no packet will move any more. Never true for engines of hardwired steps, which have no
  /// end.
  [[nodiscard]] virtual bool done() const { return false; }
  [[nodiscard]] virtual EngineStatistics statistics() const = 0;

  /// The result of the last round of prefix phases at a node; zeros without prefix phases. Valid
  /// from the first step on; if the plan only counts, valid once the engine is done.
  [[nodiscard]] virtual PrefixResult prefix(int /*class_index*/, NodeId /*node*/) const {
    return {};
  }

  /// Valid/ready routers: flits that have been pushed and not yet taken, in a link's queue and on
  /// the link.
  [[nodiscard]] virtual std::uint64_t held(LinkId /*link*/) const { return 0; }

  /// Engines of clocked registers: the node's router has lost a packet or met a condition that a
  /// correct plan rules out (sticky).
  [[nodiscard]] virtual bool error(NodeId /*node*/) const { return false; }
  /// Engines of clocked registers: damages the contents of `link` in the current cycle; the damage
  /// propagates. Returns false, and does nothing, when the link is idle. Throws std::logic_error
  /// for an engine without registers.
  virtual bool upset(LinkId /*link*/, const Upset& /*upset*/) {
    throw std::logic_error("this engine has no registers");
  }
  /// Forces `link`, which exists and is alive, to carry `packet` in the current cycle; kNoPacket
  /// for none. LinkBreaks (run_facts.hpp) defines the duration. With valid/ready routers, the link
  /// then accepts all flits. It delivers nothing, or `packet` whenever a flit can be taken. Throws
  /// std::logic_error for an engine without this function.
  virtual void force(LinkId /*link*/, PacketId /*packet*/) {
    throw std::logic_error("this engine's links cannot be forced");
  }
};

}  // namespace gossamer
