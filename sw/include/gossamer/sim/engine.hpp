// SPDX-License-Identifier: Apache-2.0
/// What every engine is, whatever its routers do.
///
/// An engine executes a plan a clock cycle at a time and nothing else: it neither plans nor judges.
/// Between two cycles it shows what every link carries. Whoever wants to know something about a run
/// (trace, completeness, progress) is an observer (observers.hpp), the same for all engines, so
/// that engines can only differ in what they simulate.
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
  /// The planned step of the send that it belongs to.
  std::uint32_t step = 0;
  /// Number of the link on the send's path, from 0.
  std::uint32_t hop = 0;
  PacketId packet = 0;
  /// Reductions: contributions that the message holds.
  std::uint32_t terms = 1;
};

/// Cut-through: a node has the whole of a message.
struct Delivery {
  NodeId node = 0;
  /// The planned step of the send.
  std::uint32_t step = 0;
  PacketId packet = 0;
};

/// Cut-through, engines of clocked registers: what a link's register carries.
struct PinFlit {
  bool valid = false;
  /// First flit of its message: the header stands in the low bits of `data`.
  bool head = false;
  /// Bit 0 is bit 0 of data[0]; all zero on an idle link.
  std::array<std::uint64_t, 4> data{};

  bool operator==(const PinFlit&) const = default;
};

/// Reductions: what a network interface wrote into its node's vector; cut-through, what a node has
/// in the place of a message that it has received.
struct Result {
  NodeId node = 0;
  PacketId packet = 0;
  /// The word, and how many contributions it holds.
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
  /// Plans of several collectives: the number of the collective.
  std::uint32_t member = 0;
};

/// Routers that wait for each other: a flit that the node behind a link takes from it.
struct Take {
  LinkId link = 0;
  /// Number within the packet's message, from 0.
  std::uint32_t flit = 0;
  PacketId packet = 0;
};

/// What the links carry in one cycle. Its spans are valid until the engine's next clock() or
/// upset().
struct LinkView {
  /// Cycles executed before this one.
  std::uint64_t cycle = 0;
  /// Store-and-forward: the step that the content belongs to, from 1. A step of several cycles
  /// shows the same in each of them. 0: none that counts, as in the prefix before packets move.
  std::uint64_t step = 0;
  /// There is something that no cycle before has shown: a step begins, or a head or a delivery.
  bool begins = false;
  /// Store-and-forward: the packet on every link slot of the topology, kNoPacket on idle ones.
  std::span<const PacketId> packets{};
  /// By link slot, the word that comes with each packet, empty where there is none, and of how many
  /// contributions it is made, empty where nothing combines.
  std::span<const std::uint64_t> values{};
  std::span<const std::uint32_t> terms{};
  /// Plans of several collectives: by link slot, the collective that each packet belongs to; empty
  /// for other plans.
  std::span<const std::uint32_t> members{};
  /// What was written at the end of the step before; cut-through, with `deliveries`.
  std::span<const Result> results{};
  /// Cut-through: the heads that enter a link in this cycle, and the messages whose last flit the
  /// cycle before has brought to its node.
  std::span<const Head> heads{};
  std::span<const Delivery> deliveries{};
  /// Cut-through, engines of clocked registers: by link slot.
  std::span<const PinFlit> flits{};
  /// Routers that wait for each other: what is taken in this cycle, in ascending order of links.
  /// Cycle 0 is the first in which own flits may be pushed.
  std::span<const Take> takes{};
};

/// What the engine itself counts, of what it has executed.
struct EngineStatistics {
  /// Store-and-forward: steps.
  std::uint64_t steps = 0;
  /// Clock cycles; cut-through: until the last delivery; takes: until the last one.
  std::uint64_t cycles = 0;
  /// The most packets that an out-port, or a node's memory, held at a start of a step. A slot of a
  /// memory keeps its packet until another one overwrites it.
  std::uint64_t max_queue = 0;
  /// Packets lost: they arrived at a FIFO already full to the plan's queue depth, or wanted a link
  /// that another one had, or a slot that another one took in the same step. Cut-through: messages
  /// whose head found a link that another one held.
  std::uint64_t link_conflicts = 0;
};

/// What the prefix of a class told a node.
struct PrefixResult {
  /// Packets of the class at nodes before this one in the class's order (its rank, if active).
  std::uint32_t before = 0;
  /// Packets of the class in all (in an exchange: on the node's line).
  std::uint32_t total = 0;

  bool operator==(const PrefixResult&) const = default;
};

/// What a fault does to what is in a link's register.
struct Upset {
  /// Bits that are inverted: of the packet, or of data[0] of a flit.
  PacketId flip = 0;
  /// True: it vanishes (valid falls), `flip` is of no account.
  bool drop = false;

  /// The packet after the fault.
  [[nodiscard]] PacketId apply(PacketId packet) const { return drop ? kNoPacket : packet ^ flip; }
};

/// A model or the RTL found what a correct plan rules out: two messages on one link or for one node
/// at once, a node that has to send before it can. The engine that threw it can only be destroyed.
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
  /// What the links carry in the present cycle, the one that clock() executes next.
  [[nodiscard]] virtual LinkView links() = 0;
  /// Executes `cycles` cycles, at full speed. Throws ModelAssertion.
  virtual void clock(std::uint64_t cycles) = 0;
  /// Cycles behind the present one in which nothing begins: clock(1 + quiet()) comes to the next
  /// that is worth a look.
  [[nodiscard]] virtual std::uint64_t quiet() const { return 0; }
  /// Nothing moves any more and nothing ever will. Engines of hardwired steps have no end: never.
  [[nodiscard]] virtual bool done() const { return false; }
  [[nodiscard]] virtual EngineStatistics statistics() const = 0;

  /// What the last round of prefix phases told a node; zeros where there are none. Valid from the
  /// first step on; where counting is all that is done, only when it is done.
  [[nodiscard]] virtual PrefixResult prefix(int /*class_index*/, NodeId /*node*/) const {
    return {};
  }

  /// Routers that wait for each other: flits that have been pushed and not yet taken, in a link's
  /// queue and on the link.
  [[nodiscard]] virtual std::uint64_t held(LinkId /*link*/) const { return 0; }

  /// Engines of clocked registers: the node's router has lost a packet or met what a correct plan
  /// rules out (sticky).
  [[nodiscard]] virtual bool error(NodeId /*node*/) const { return false; }
  /// Engines of clocked registers: damages what `link` carries in the present cycle; the damage
  /// travels on. Returns false, and does nothing, when the link is idle. Throws std::logic_error
  /// for an engine without registers.
  virtual bool upset(LinkId /*link*/, const Upset& /*upset*/) {
    throw std::logic_error("this engine has no registers");
  }
  /// In the present cycle `link`, which exists and is alive, carries `packet`, kNoPacket for
  /// nothing; for how long, says LinkBreaks (run_facts.hpp). A link behind which routers wait then
  /// takes all that is sent, and brings nothing, or `packet` whenever something can be taken.
  /// Throws std::logic_error for an engine that cannot.
  virtual void force(LinkId /*link*/, PacketId /*packet*/) {
    throw std::logic_error("this engine's links cannot be forced");
  }
};

}  // namespace gossamer
