// SPDX-License-Identifier: Apache-2.0
/// The control of shared registers, edge by edge: the part of the engines of contexts that does not
/// depend on how registers and links are modelled (docs/contexts.md).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "gossamer/plan/plan.hpp"
#include "gossamer/sim/engines.hpp"

namespace gossamer {

/// The contents of a register; a register with zero contributions is empty.
struct RegisterWord {
  PacketId packet = kNoPacket;
  std::uint64_t value = 0;
  std::uint32_t terms = 0;
};

/// The source of a register, or of a word that a node delivers. An arrival is the content of the
/// link that enters by the feed; the partner is the output port with the feed's number.
enum class RegisterSource : std::uint8_t {
  kNothing,
  kOwn,
  kArrival,
  kArrivalAndOwn,
  kArrivalAndPartner,
  /// The arrival, that of the partner, and an own operand, in this order. The partner's arrival
  /// enters by the input port with the output port's number.
  kArrivalsAndOwn,
  /// The packet `own` from the memory of the node, which has kept it at this edge or an earlier one
  /// of the round. A multiplexer before the register selects it.
  kMemory,
};

/// The operation of a register at an edge.
struct RegisterControl {
  RegisterSource source = RegisterSource::kNothing;
  Port feed = 0;
  /// The own operand.
  RegisterWord own{};
};

/// An arrival that the memory of a node keeps until the end of the round.
struct KeptArrival {
  NodeId node = 0;
  /// The packet that the plan expects there; the memory keeps the arrival in its place.
  PacketId packet = 0;
  /// The input port.
  Port port = 0;
};

/// A word that a network interface writes at an edge.
struct WordDelivery {
  enum class Place : std::uint8_t {
    /// The memory of the node: a root's has added all arrivals, others have kept them.
    kMemory,
    /// The register of `port`, after the edge.
    kRegister,
    /// The word that `beside` would select for the register of `port`.
    kBeside,
  };
  NodeId node = 0;
  PacketId packet = 0;
  std::uint32_t round = 0;
  Place place = Place::kRegister;
  Port port = 0;
  RegisterControl beside{};
};

/// The controls of all nodes in a run of the rounds of a plan.
class ContextSchedule {
 public:
  /// Before the first edge. `plan` has contexts and must outlive the schedule. Without
  /// `first_mask`, registers without an own operand in step 1 of a round take an arrival of the
  /// previous round.
  ContextSchedule(const Plan& plan, const Arithmetic& arithmetic, bool first_mask = true);
  ~ContextSchedule();
  ContextSchedule(const ContextSchedule&) = delete;
  ContextSchedule& operator=(const ContextSchedule&) = delete;

  /// Advances to the next edge. The first one leads into step 1 of round 0, the last one out of the
  /// last step of the last round.
  void next();

  /// By link slot.
  [[nodiscard]] std::span<const RegisterControl> registers() const;
  /// In the order of nodes.
  [[nodiscard]] std::span<const WordDelivery> deliveries() const;
  [[nodiscard]] std::span<const WordDelivery> deliveries(NodeId node) const;
  /// In the order of nodes. Memories keep them before registers take words.
  [[nodiscard]] std::span<const KeptArrival> kept() const;
  [[nodiscard]] std::span<const KeptArrival> kept(NodeId node) const;
  /// The memory of the node adds all arrivals of this edge to its own words.
  [[nodiscard]] bool collects(NodeId node) const;
  /// The word that the node contributes, in the round that collects() and deliveries() belong to.
  [[nodiscard]] RegisterWord own(NodeId node, PacketId packet) const;
  /// Different wirings of the contexts, and the input port that feeds the output port of a link.
  [[nodiscard]] std::size_t wirings() const;
  [[nodiscard]] Port feed(std::size_t wiring, LinkId link) const;
  /// The wiring of the round whose arrivals come at this edge.
  [[nodiscard]] std::size_t wiring() const;
  /// True if the edge leads into step 1 of a round; the memories are empty after it.
  [[nodiscard]] bool is_first() const;
  /// The round of the step that the edge leads into.
  [[nodiscard]] std::uint32_t round() const;
  /// The words of nodes, and their combination.
  [[nodiscard]] const Arithmetic& arithmetic() const;
  /// The combination of two words; an empty word is not an operand.
  [[nodiscard]] RegisterWord combined(const RegisterWord& one, const RegisterWord& other) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Whether some round combines words.
[[nodiscard]] bool some_round_combines(const Plan& plan);

/// How an engine runs plans of contexts.
using ContextEngineMaker = std::unique_ptr<Engine> (*)(const Plan& plan,
                                                       const EngineOptions& options);
/// Registers the maker for the engine of that name; used as a static object. `fast` is always
/// registered.
class ContextEngineRegistration {
 public:
  ContextEngineRegistration(std::string_view engine, ContextEngineMaker maker);
};
/// Null for an engine that does not run contexts.
[[nodiscard]] ContextEngineMaker find_context_engine(std::string_view engine);

}  // namespace gossamer
