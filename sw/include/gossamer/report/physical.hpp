// SPDX-License-Identifier: Apache-2.0
/// From steps to bytes, seconds and joules: what a message of so many bytes costs on wires of so
/// many bits. The rules are in docs/spec/physical.md; every report and comparison computes here.
///
/// Bytes, flits and cycles are whole numbers, empty where 64 bits do not hold them; what has a unit
/// of time or energy is multiplied or divided at the very end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gossamer/plan/plan.hpp"
#include "gossamer/util/checked.hpp"

namespace gossamer {

/// Where EnergyModel's numbers are from when nobody gives others.
inline constexpr std::string_view kEnergySource =
    "DARPA ExaScale study (Kogge, 2008): wires 110 fJ a bit and mm at most, 1 mm a link; register "
    "files 29 fJ a bit";

/// What a bit costs, in femtojoules: over a link, through a router (its multiplexers and the output
/// register), and written into or read from a buffer.
struct EnergyModel {
  std::uint32_t link = 110;
  std::uint32_t router = 29;
  std::uint32_t buffer = 29;
  /// Where the numbers are from.
  std::string source{kEnergySource};

  bool operator==(const EnergyModel&) const = default;
};
/// "link=110,router=29,buffer=29" in femtojoules a bit; what is not named keeps its default. Throws
/// InputError naming `what`.
[[nodiscard]] EnergyModel parse_energy(std::string_view what, std::string_view text);

/// What is moved, over which wires. Numbers are at least 1.
struct PhysicalQuantities {
  /// A node's message: its part of an all-gather, the message of a broadcast, the vector of a
  /// reduction, what it has for all others together in an all-to-all.
  std::uint64_t bytes = 0;
  std::uint32_t link_bits = 32;
  std::uint64_t hertz = 1'000'000'000;
  /// Cycles of the longest link.
  std::uint32_t latency = 1;
  EnergyModel energy{};

  /// Flits of the message: ceil(8 bytes / link_bits).
  [[nodiscard]] std::uint64_t flits() const;

  bool operator==(const PhysicalQuantities&) const = default;
};
inline constexpr std::uint32_t kMaxFlitBits = 65536;
inline constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 40U;

/// What happens to flits, counted a flit.
struct FlitEvents {
  std::uint64_t links = 0;
  std::uint64_t routers = 0;
  /// Writes and reads.
  std::uint64_t buffers = 0;

  bool operator==(const FlitEvents&) const = default;
};

/// What a message costs in one run, or would by a proof or a formula.
struct PhysicalFigures {
  PhysicalQuantities given;
  /// Packets that the message is dealt to, and flits of the longest; all are padded to it.
  std::uint64_t packets = 1;
  std::uint64_t packet_flits = 1;
  /// Cycles of a step: longest link + packet_flits - 1; empty where the plan has a clock of its own
  /// (relays, queued and elastic plans).
  std::optional<std::uint64_t> step_cycles;
  /// Flits that cross a link with every one of the report's `link_transfers`, and how often each of
  /// them is written into or read from a buffer on the way.
  std::uint64_t transfer_flits = 1;
  std::uint64_t buffer_accesses = 0;
  std::uint64_t nodes = 1;
  /// Directed links.
  std::uint64_t links = 1;
  /// Bytes that nodes are owed, all together; empty where that is no number of bytes.
  std::optional<std::uint64_t> delivered_bytes;
  /// Cycles that nobody can beat who stores and forwards flits.
  std::optional<std::uint64_t> lower_bound_cycles;
  /// Until everybody has everything; empty when that is not known.
  std::optional<std::uint64_t> cycles;
  std::optional<FlitEvents> events;

  /// Steps of a plan, or what its own clock says, in cycles. Throws InputError when 64 bits do not
  /// hold them.
  [[nodiscard]] std::uint64_t in_cycles(std::uint64_t steps) const {
    return checked_product("cycles", steps, step_cycles.value_or(1));
  }
  /// Puts in what was measured: cycles, and packets times links crossed.
  void measure(std::optional<std::uint64_t> in_all, std::optional<std::uint64_t> link_transfers);

  [[nodiscard]] std::optional<double> seconds() const;
  /// The message over the time.
  [[nodiscard]] std::optional<double> node_bytes_per_second() const;
  /// delivered_bytes over the time.
  [[nodiscard]] std::optional<double> bytes_per_second() const;
  /// The part of all links' cycles in which they carry a flit.
  [[nodiscard]] std::optional<double> utilization() const;
  /// lower_bound_cycles / cycles; 1 is the bound.
  [[nodiscard]] std::optional<double> fraction_of_bound() const;
  /// All events' energy.
  [[nodiscard]] std::optional<double> femtojoules() const;
  [[nodiscard]] std::optional<double> picojoules_per_bit() const;
};

/// Cycles that nobody can beat who stores and forwards flits of which a link carries one a cycle,
/// by the collective's own bound, with flits for packets; empty where none is known. `flits` is a
/// node's whole message.
[[nodiscard]] std::optional<std::uint64_t> flit_lower_bound(const Topology& topology,
                                                            const Demand& demand,
                                                            std::uint64_t flits);

/// Bytes that a demand owes to all nodes together, of messages of `bytes`.
[[nodiscard]] std::optional<std::uint64_t> delivered_bytes(const Topology& topology,
                                                           const Demand& demand,
                                                           std::uint64_t bytes);

/// How `plan` carries the message; cycles and events are empty. InputError where the plan's packets
/// have flits of their own, and other ones.
[[nodiscard]] PhysicalFigures physical_figures(const Plan& plan, const PhysicalQuantities& given);

/// The options that say what a message is, by name: bytes, link-bits, clock, energy and, of plans
/// whose links all take a step, link-latency.
[[nodiscard]] bool is_message_option(std::string_view name);
/// True when such an option says what stands without it, in whatever spelling: --clock 1000MHz.
/// InputError for what is no quantity.
[[nodiscard]] bool is_standard_message_option(std::string_view name, const ParameterValue& value,
                                              const Topology& topology);
using MessageOptions = std::map<std::string, ParameterValue>;

/// The options read; empty without `bytes`. Texts ("64KiB") or numbers. InputError for what is no
/// quantity, and for the others without `bytes`.
[[nodiscard]] std::optional<PhysicalQuantities> parse_message(const MessageOptions& options,
                                                              const Topology& topology);
/// The quantities that the plan's parameters record; empty when it has none.
[[nodiscard]] std::optional<PhysicalQuantities> quantities_of(const Plan& plan);
/// Records the options among the plan's parameters, over those that stand there; what the options
/// do not name stays. InputError as parse_message and physical_figures, InfeasibleError for a
/// latency of a plan with a clock of its own.
void set_message(Plan& plan, const MessageOptions& options);

}  // namespace gossamer
