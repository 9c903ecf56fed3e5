// SPDX-License-Identifier: Apache-2.0
/// The expected run for the testbench of an emitted network: the file gsm_fabric_expected.txt.
///
/// By cycle the word on every link and at every delivery, from a run of the plan on its fast
/// engine. tb/sv/gsm_fabric_tb.sv reads it, docs/integration.md describes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "sv_text.hpp"

namespace gossamer::emit_detail {

/// Contents of a link or a delivery.
struct ExpectedWord {
  /// Hexadecimal digits: the bits, and which of them count.
  std::string data;
  std::string mask;
  /// The row of the trace; step 0: the cycle is the step; -1: no row.
  std::int64_t step = 0;
  std::uint32_t hop = 0;
  std::uint64_t packet = 0;
  /// Contributions to it; 0 where nothing combines.
  std::uint32_t terms = 0;
  /// The number of the collective, of plans of several.
  std::optional<std::uint32_t> member{};
};

class ExpectedRun {
 public:
  /// A run of `cycles` cycles and the one of done, with `links` link slots and `deliveries`. Empty
  /// when that is more than a testbench should have to read.
  [[nodiscard]] static std::optional<ExpectedRun> make(std::uint64_t cycles, std::size_t links,
                                                       std::size_t deliveries);
  /// The same for `steps` steps of a clock: on_link() and deliver() then count steps. A link's
  /// contents travel word by word, `width` bits each, with the bits above all words above each of
  /// them; deliveries come in the last cycle of a step, or with `streams` word by word from its
  /// first cycle on, each with the bits above all words.
  [[nodiscard]] static std::optional<ExpectedRun> make(const StepClock& clock, std::uint64_t steps,
                                                       std::size_t width, std::size_t links,
                                                       std::size_t deliveries,
                                                       bool streams = false);

  /// Adds a word and returns its number, from 1.
  std::uint32_t add(ExpectedWord word) {
    words_.push_back(std::move(word));
    return static_cast<std::uint32_t>(words_.size());
  }
  /// Link `link`, or delivery `index`, carries word number `word` in the cycle (1 .. cycles + 1).
  void on_link(std::uint64_t cycle, std::size_t link, std::uint32_t word);
  void deliver(std::uint64_t cycle, std::size_t index, std::uint32_t word) {
    deliver(cycle, index, word, clock_.words);
  }
  /// The same, and a stream delivers only the first of the words.
  void deliver_one(std::uint64_t cycle, std::size_t index, std::uint32_t word) {
    deliver(cycle, index, word, 1);
  }
  /// The file. `summary` is the text of PASS, `own` the words of the processing elements, and
  /// `vary` the bits that may differ in another round, as hexadecimal digits.
  [[nodiscard]] std::string text(std::string_view summary, const std::vector<std::string>& own,
                                 std::string_view vary) const;

 private:
  ExpectedRun(const StepClock& clock, std::uint64_t steps, std::size_t width, std::size_t links,
              std::size_t deliveries, bool streams)
      : clock_(clock),
        streams_(streams && clock.serial()),
        width_(width),
        steps_(steps),
        cycles_(clock.last_cycle(steps)),
        links_(links),
        deliveries_(deliveries),
        cells_((cycles_ + 1) * (links + deliveries), 0) {}

  /// The number of word `flit` of a word of a step of several cycles.
  std::uint32_t part(std::uint32_t word, std::uint64_t flit, std::int64_t step);

  void deliver(std::uint64_t cycle, std::size_t index, std::uint32_t word, std::uint64_t words);

  StepClock clock_;
  bool streams_;
  std::size_t width_;
  std::uint64_t steps_;
  std::uint64_t cycles_;
  std::size_t links_;
  std::size_t deliveries_;
  std::vector<ExpectedWord> words_;
  /// Words of links without their own row: by word and flit.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> parts_;
  /// By cycle: number of the word on each link and at each delivery, 0 for none.
  std::vector<std::uint32_t> cells_;
};

/// The text of PASS: the steps, and the cycles unless it is an all-gather.
[[nodiscard]] std::string pass_summary(const Plan& plan, std::uint64_t steps, std::uint64_t cycles);

/// Sees a packet on a link: step, link slot, packet.
using OnLink = std::function<void(std::uint64_t, std::size_t, PacketId)>;
/// Runs a plan for `steps` steps on its fast engine; cut-through, step and packet are those of a
/// head. Elastic plans have no steps.
void observe_links(const Plan& plan, std::uint64_t steps, const OnLink& on_link);

/// The file for a store-and-forward plan whose tiles deliver arrivals step by step, personal
/// packets to their destinations. The own words, `each` per node with packets, are the packets'
/// numbers in `width` bits, or with a clock their words. `streams` deliver words one by one.
/// nullopt like make().
[[nodiscard]] std::optional<std::string> expected_packets(const Plan& plan, std::uint64_t steps,
                                                          std::uint32_t each, std::uint64_t width,
                                                          std::string_view summary,
                                                          const StepClock& clock = {},
                                                          bool streams = false);

}  // namespace gossamer::emit_detail
