// SPDX-License-Identifier: Apache-2.0
/// What engines show whose steps are cycles and whose links carry words.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// The value that a broken link delivers in place of a word; it counts as one contribution.
inline constexpr std::uint64_t kGarbageValue = ~std::uint64_t{0};

/// By link slot, what is on it; and what was written at the end of the step before.
struct ShownWords {
  std::vector<PacketId> packets;
  std::vector<std::uint64_t> values;
  std::vector<std::uint32_t> terms;
  std::vector<Result> results;

  /// Nothing on any of so many links.
  explicit ShownWords(std::size_t links) : packets(links, kNoPacket), values(links), terms(links) {}

  void put(LinkId link, PacketId packet, std::uint64_t value, std::uint32_t count) {
    packets[link] = packet;
    values[link] = value;
    terms[link] = count;
  }

  /// As that of a step, from 1.
  [[nodiscard]] LinkView in(std::uint64_t step) const {
    return {.cycle = step - 1,
            .step = step,
            .begins = true,
            .packets = packets,
            .values = values,
            .terms = terms,
            .results = results};
  }
};

}  // namespace gossamer
