// SPDX-License-Identifier: Apache-2.0
/// Buffers for the view of engines whose links carry words, step by step or elastic.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/sim/engine.hpp"

namespace gossamer {

/// The value that a broken link delivers instead of a word; it counts as one contribution.
inline constexpr std::uint64_t kGarbageValue = ~std::uint64_t{0};

/// Contents by link slot, and the words written at the end of the previous step.
struct ShownWords {
  std::vector<PacketId> packets;
  std::vector<std::uint64_t> values;
  std::vector<std::uint32_t> terms;
  std::vector<Result> results;

  /// All links idle.
  explicit ShownWords(std::size_t links) : packets(links, kNoPacket), values(links), terms(links) {}

  void put(LinkId link, PacketId packet, std::uint64_t value, std::uint32_t count) {
    packets[link] = packet;
    values[link] = value;
    terms[link] = count;
  }

  /// The view of a step, from 1.
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

/// Elastic: the flits taken in a cycle, for reductions their values by link slot, and completed
/// words.
struct ShownTakes {
  std::vector<Take> takes;
  std::vector<std::uint64_t> values;
  std::vector<std::uint32_t> terms;
  std::vector<Result> results;

  /// From now on, include the values of this number of links.
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

  /// The view of a cycle.
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
