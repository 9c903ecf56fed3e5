// SPDX-License-Identifier: Apache-2.0
/// From steps to bytes, seconds and joules: the cost of a message of a given number of bytes on
/// wires of a given width. The rules are in docs/spec/physical.md; every report and comparison
/// computes its figures here.
///
/// Bytes, flits and cycles are whole numbers, empty if they exceed 64 bits. Values with a unit of
/// time or energy are multiplied or divided at the very end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gossamer/plan/plan.hpp"
#include "gossamer/util/checked.hpp"

namespace gossamer {

/// Source of EnergyModel's default numbers.
inline constexpr std::string_view kEnergySource =
    "DARPA ExaScale study (Kogge, 2008): wires at most 110 fJ per bit and mm, 1 mm per link; "
    "register "
    "files 29 fJ per bit";

/// Source of the default energy of an addition: 0.1 pJ per 32-bit integer, 0.9 pJ per 32-bit
/// floating-point number, at 45 nm.
inline constexpr std::string_view kAdditionSource =
    "Horowitz, Computing's Energy Problem, ISSCC 2014";
inline constexpr std::uint32_t kIntegerAddition = 3;
inline constexpr std::uint32_t kFloatAddition = 28;

/// Energy per bit, in femtojoules: over a link, through a router (its multiplexers and the output
/// register), and per write or read of a buffer.
struct EnergyModel {
  std::uint32_t link = 110;
  std::uint32_t router = 29;
  std::uint32_t buffer = 29;
  /// Over a link between chiplets; empty: as over other links.
  std::optional<std::uint32_t> die{};
  /// Per bit of one operand of an addition; empty: kIntegerAddition or kFloatAddition.
  std::optional<std::uint32_t> add{};
  /// Source of the numbers for links, routers and buffers.
  std::string source{kEnergySource};

  bool operator==(const EnergyModel&) const = default;
};
/// "link=110,router=29,buffer=29,die=1000,add=3" in femtojoules per bit; omitted parts keep their
/// defaults. Throws InputError naming `what`.
[[nodiscard]] EnergyModel parse_energy(std::string_view what, std::string_view text);

/// Size of the message and properties of the wires. Numbers are at least 1.
struct PhysicalQuantities {
  /// A node's message: its part of an all-gather, the message of a broadcast, the vector of a
  /// reduction, its packets for all other nodes together in an all-to-all.
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

/// Number of events per kind, each counted per flit.
struct FlitEvents {
  std::uint64_t links = 0;
  std::uint64_t routers = 0;
  /// Writes and reads.
  std::uint64_t buffers = 0;
  /// Links between chiplets, which `links` includes; counted if the energy model has a value for
  /// them.
  std::uint64_t dies = 0;
  /// Additions of two flits.
  std::uint64_t additions = 0;

  bool operator==(const FlitEvents&) const = default;
};

/// Cost of a message in one run, or according to a proof or a formula.
struct PhysicalFigures {
  PhysicalQuantities given;
  /// Packets of the message, and flits of the longest packet; all are padded to it.
  std::uint64_t packets = 1;
  std::uint64_t packet_flits = 1;
  /// Cycles of a step: longest link + packet_flits - 1; empty if the plan has its own clock
  /// (relays, queued and elastic plans).
  std::optional<std::uint64_t> step_cycles;
  /// Flits that cross a link per transfer counted in the report's `link_transfers`, and buffer
  /// writes and reads per flit and link.
  std::uint64_t transfer_flits = 1;
  std::uint64_t buffer_accesses = 0;
  /// Reductions: additions of all routers, counted like link_transfers, and the energy of each, in
  /// femtojoules per bit. Empty for other collectives.
  std::optional<std::uint64_t> additions{};
  std::uint32_t add_femtojoules = kIntegerAddition;
  std::uint64_t nodes = 1;
  /// Directed links.
  std::uint64_t links = 1;
  /// Flits per cycle of all links together; empty: one per link.
  std::optional<double> flits_per_cycle{};
  /// delivered_bytes(); empty if the demand does not correspond to a number of bytes.
  std::optional<std::uint64_t> delivered_bytes;
  /// Lower bound on the cycles with store-and-forward flits.
  std::optional<std::uint64_t> lower_bound_cycles;
  /// Cycles until every node has all its data; empty if unknown.
  std::optional<std::uint64_t> cycles;
  std::optional<FlitEvents> events;

  /// Steps of a plan, or ticks of its own clock, in cycles. Throws InputError when they exceed 64
  /// bits.
  [[nodiscard]] std::uint64_t in_cycles(std::uint64_t steps) const {
    return checked_product("cycles", steps, step_cycles.value_or(1));
  }
  /// Stores measured values: cycles, packets times links crossed, and the transfers between
  /// chiplets among them. `events` stays empty if the energy of the latter is given but their
  /// number is unknown.
  void measure(std::optional<std::uint64_t> in_all, std::optional<std::uint64_t> link_transfers,
               std::optional<std::uint64_t> die_transfers = std::nullopt);

  [[nodiscard]] std::optional<double> seconds() const;
  /// Bytes of a node's message per second.
  [[nodiscard]] std::optional<double> node_bytes_per_second() const;
  /// delivered_bytes per second.
  [[nodiscard]] std::optional<double> bytes_per_second() const;
  /// The fraction of the cycles of all links in which they carry a flit, 0 .. 1.
  [[nodiscard]] std::optional<double> utilization() const;
  /// lower_bound_cycles / cycles; 1 is the bound.
  [[nodiscard]] std::optional<double> fraction_of_bound() const;
  /// Energy of all events.
  [[nodiscard]] std::optional<double> femtojoules() const;
  [[nodiscard]] std::optional<double> picojoules_per_bit() const;
};

/// Lower bound on the cycles when flits are stored and forwarded and a link carries one flit per
/// cycle. It is the collective's bound with flits for packets; empty where no bound is known.
/// `flits` is a node's whole message.
[[nodiscard]] std::optional<std::uint64_t> flit_lower_bound(const Topology& topology,
                                                            const Demand& demand,
                                                            std::uint64_t flits);

/// Total bytes that all nodes have at the end of a collective and did not have before, for messages
/// of `bytes`: other nodes' messages, and results of reductions.
[[nodiscard]] std::optional<std::uint64_t> delivered_bytes(const Topology& topology,
                                                           const Demand& demand,
                                                           std::uint64_t bytes);

/// How `plan` carries the message; cycles and events are empty. InputError if the plan's packets
/// have their own length and it differs.
[[nodiscard]] PhysicalFigures physical_figures(const Plan& plan, const PhysicalQuantities& given);

/// The options that describe a message, by name: bytes, link-bits, clock, energy and, for plans
/// whose links all take a step, link-latency.
[[nodiscard]] bool is_message_option(std::string_view name);
/// True when the value of such an option equals its default, in any spelling: --clock 1000MHz.
/// InputError for invalid quantities.
[[nodiscard]] bool is_standard_message_option(std::string_view name, const ParameterValue& value,
                                              const Topology& topology);
using MessageOptions = std::map<std::string, ParameterValue>;

/// Parses the options; empty without `bytes`. Values are texts ("64KiB") or numbers. InputError for
/// invalid quantities, and for other options without `bytes`.
[[nodiscard]] std::optional<PhysicalQuantities> parse_message(const MessageOptions& options,
                                                              const Topology& topology);
/// The quantities in the plan's parameters; empty without any.
[[nodiscard]] std::optional<PhysicalQuantities> quantities_of(const Plan& plan);
/// A link holds at least one word: links of float64 have 64 bits, unless their bits are given.
void widen_links(MessageOptions& options, WordType accumulate);
/// Records the options in the plan's parameters, replacing present values; parameters that are not
/// named stay. InputError like parse_message and physical_figures. InfeasibleError for a latency in
/// a plan with its own clock.
void set_message(Plan& plan, const MessageOptions& options);

}  // namespace gossamer
