// SPDX-License-Identifier: Apache-2.0
/// RTL configuration of combining streams: the wiring of a node's lanes, and the legs as packed
/// bits (rtl/ring/gsm_combining_interface.sv).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "gossamer/machines/ring/program.hpp"
#include "gossamer/plan/plan.hpp"

namespace gossamer {

/// The columns, port * frame + slot, by which a node's lanes and relays receive and send.
struct CombiningWiring {
  /// By lane. A lane at a mesh's border may receive words that it cannot send.
  std::vector<std::optional<std::uint32_t>> in;
  std::vector<std::optional<std::uint32_t>> out;
  /// Output column, and the input column that it forwards.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> relays;
};
/// Wiring of the router at `node`; the program combines.
[[nodiscard]] CombiningWiring combining_wiring(const Topology& topology, const RingProgram& program,
                                               NodeId node);

/// Hardware features that a plan requires; gsm_combining_pair and gsm_vector_memory have the
/// parameters.
struct CombiningFeatures {
  bool cross = false;
  bool join = false;
  /// Several legs, or arrivals that are added to the vector.
  bool apart = false;
  /// Words are read again after a write.
  bool keep = false;
};
[[nodiscard]] CombiningFeatures combining_features(const Combination& combination);

/// The widths of a leg's word.
struct LegFormat {
  std::uint32_t lanes = 2;
  std::uint32_t step_bits = 2;
  std::uint32_t block_bits = 1;
  std::uint32_t address_bits = 1;
  std::uint32_t runs = 1;

  /// The narrowest format in which all legs fit. `flits`: words of a packet; addresses are those of
  /// words. Throws InputError for legs that the hardware cannot execute: more than kMaxRuns runs of
  /// operations, or sums that are added to the vector other than along lines.
  [[nodiscard]] static LegFormat of(const Combination& combination, std::uint32_t flits = 1);
  [[nodiscard]] std::size_t bits() const;
};
/// Runs of equal operations in a leg's word.
inline constexpr std::uint32_t kMaxRuns = 8;

/// Puts value into bits lsb .. lsb + width - 1, width <= 32.
using PutBits = std::function<void(std::size_t lsb, std::size_t width, std::uint32_t value)>;
/// Writes all bits of a leg's word, from bit `lsb` on.
void put_leg(const Combination& combination, const CombineLeg& leg, const LegFormat& format,
             std::size_t lsb, const PutBits& put);

}  // namespace gossamer
