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

/// The contents of a register; no contributions: nothing.
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
};

/// The operation of a register at an edge.
struct RegisterControl {
  RegisterSource source = RegisterSource::kNothing;
  Port feed = 0;
  /// The own operand.
  RegisterWord own{};
};

/// A word that a network interface writes at an edge.
struct WordDelivery {
  enum class Place : std::uint8_t {
    /// The memory of a root, which has added all arrivals.
    kMemory,
    /// The register of `port`, after the edge.
    kRegister,
    /// The word that the register of `port` would take by `beside`.
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
  /// round before.
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
  /// The memory of the node adds all arrivals of this edge to its own words.
  [[nodiscard]] bool collects(NodeId node) const;
  /// The word that the node contributes, in the round that collects() and deliveries() belong to.
  [[nodiscard]] RegisterWord own(NodeId node, PacketId packet) const;
  /// Different wirings of the contexts, and the input port that feeds the output port of a link.
  [[nodiscard]] std::size_t wirings() const;
  [[nodiscard]] Port feed(std::size_t wiring, LinkId link) const;
  /// The wiring of the round whose arrivals come at this edge.
  [[nodiscard]] std::size_t wiring() const;
  /// The edge leads into step 1 of a round: afterwards memories are empty.
  [[nodiscard]] bool is_first() const;
  /// The round of the step that the edge leads into.
  [[nodiscard]] std::uint32_t round() const;
  /// A missing word is not an operand.
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
/// Adds a maker for the engine of that name; used as a static object. `fast` is always there.
class ContextEngineRegistration {
 public:
  ContextEngineRegistration(std::string_view engine, ContextEngineMaker maker);
};
/// Null for an engine that does not run contexts.
[[nodiscard]] ContextEngineMaker find_context_engine(std::string_view engine);

}  // namespace gossamer
