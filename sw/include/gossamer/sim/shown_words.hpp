// SPDX-License-Identifier: Apache-2.0
/// What engines show whose steps are cycles and whose links carry words, and elastic ones.
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

/// Elastic: what is taken in a cycle, of reductions by link slot its values; and what has become
/// complete.
struct ShownTakes {
  std::vector<Take> takes;
  std::vector<std::uint64_t> values;
  std::vector<std::uint32_t> terms;
  std::vector<Result> results;

  /// From now on with the values of so many links.
  void show_values(std::size_t links) {
    values.resize(links, 0);
    terms.resize(links, 0);
  }
  void clear() {
    if (!values.empty()) {
      for (const Take& take : takes) values[take.link] = terms[take.link] = 0;
    }
    takes.clear();
    results.clear();
  }
  void put(LinkId link, std::uint64_t value, std::uint32_t count) {
    if (values.empty()) return;
    values[link] = value;
    terms[link] = count;
  }

  /// As that of a cycle.
  [[nodiscard]] LinkView in(std::uint64_t cycle) const {
    return {.cycle = cycle,
            .begins = !takes.empty() || !results.empty(),
            .values = values,
            .terms = terms,
            .results = results,
            .takes = takes};
  }
};

}  // namespace gossamer
