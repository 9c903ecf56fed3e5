// SPDX-License-Identifier: Apache-2.0
/// What the testbench of an emitted network has to see: the file gsm_fabric_expected.txt.
///
/// By cycle the word on every link and at every delivery, from a run of the plan on its fast
/// engine. tb/sv/gsm_fabric_tb.sv reads it, docs/emit.md describes it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer::emit_detail {

/// What a link or a delivery carries.
struct ExpectedWord {
  /// Hexadecimal digits: the bits, and which of them count.
  std::string data;
  std::string mask;
  /// The row of the trace; step 0: the cycle is the step; -1: there is none.
  std::int64_t step = 0;
  std::uint32_t hop = 0;
  std::uint64_t packet = 0;
  /// Contributions to it; 0 where nothing combines.
  std::uint32_t terms = 0;
};

class ExpectedRun {
 public:
  /// A run of `cycles` cycles and the one of done, with `links` link slots and `deliveries`. Empty
  /// when that is more than a testbench should have to read.
  [[nodiscard]] static std::optional<ExpectedRun> make(std::uint64_t cycles, std::size_t links,
                                                       std::size_t deliveries);

  /// Adds a word and returns its number, from 1.
  std::uint32_t add(ExpectedWord word) {
    words_.push_back(std::move(word));
    return static_cast<std::uint32_t>(words_.size());
  }
  /// Link `link`, or delivery `index`, carries word number `word` in the cycle (1 .. cycles + 1).
  void on_link(std::uint64_t cycle, std::size_t link, std::uint32_t word) {
    cells_.at((cycle - 1) * (links_ + deliveries_) + link) = word;
  }
  void deliver(std::uint64_t cycle, std::size_t index, std::uint32_t word) {
    cells_.at((cycle - 1) * (links_ + deliveries_) + links_ + index) = word;
  }
  /// The file. `summary` is what PASS says; `own` the words that the processing elements give;
  /// `vary` the bits that may be other ones in another round, as hexadecimal digits.
  [[nodiscard]] std::string text(std::string_view summary, const std::vector<std::string>& own,
                                 std::string_view vary) const;

 private:
  ExpectedRun(std::uint64_t cycles, std::size_t links, std::size_t deliveries)
      : cycles_(cycles),
        links_(links),
        deliveries_(deliveries),
        cells_((cycles + 1) * (links + deliveries), 0) {}

  std::uint64_t cycles_;
  std::size_t links_;
  std::size_t deliveries_;
  std::vector<ExpectedWord> words_;
  /// By cycle: number of the word on each link and at each delivery, 0 for none.
  std::vector<std::uint32_t> cells_;
};

/// Sees a packet on a link: step, link slot, packet.
using OnLink = std::function<void(std::uint64_t, std::size_t, PacketId)>;
/// Runs a store-and-forward or queued plan for `steps` steps on its fast engine.
void observe_links(const Plan& plan, std::uint64_t steps, const OnLink& on_link);

/// The file for a store-and-forward plan whose tiles deliver what arrives, step by step, personal
/// packets to those that they are for. The own words, `each` of a node that has any, are the
/// packets' numbers in `width` bits. nullopt as make().
[[nodiscard]] std::optional<std::string> expected_packets(const Plan& plan, std::uint64_t steps,
                                                          std::uint32_t each, std::uint64_t width,
                                                          std::string_view summary);

}  // namespace gossamer::emit_detail
