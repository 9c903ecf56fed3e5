// SPDX-License-Identifier: Apache-2.0
/// What becomes of values in a correct schedule, whatever its format: the buffers and thread blocks
/// are gone, copies inside a node as well.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/foreign/link_graph.hpp"

namespace gossamer::foreign {

struct FlowValue {
  enum class Kind : std::uint8_t {
    /// An input: `a` is its chunk.
    kOwn,
    /// Value `a` of another rank, here at the end of `step`.
    kArrival,
    /// Values `a` and `b`, added here.
    kSum,
  };
  Kind kind = Kind::kOwn;
  /// Where it is.
  std::uint32_t rank = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  /// Arrivals: the step (docs/spec/foreign-schedules.md, section 5), and how many chunks go over
  /// the same pair of ranks before it in that step: its place among parallel links.
  std::uint32_t step = 0;
  std::uint32_t place = 0;
};

/// A value that has to be somewhere in the end.
struct FlowOutput {
  std::uint32_t rank = 0;
  std::uint32_t value = 0;
};

struct Flow {
  Collective collective = Collective::kAllGather;
  std::uint32_t ranks = 0;
  /// Chunks: k of a rank for all-gather, C of the schedule for all others.
  std::uint32_t chunks = 0;
  std::uint32_t root = 0;
  /// Numbers in ascending order: what a value is made of stands before it.
  std::vector<FlowValue> values;
  std::vector<FlowOutput> outputs;

  [[nodiscard]] bool is_own(std::uint32_t value) const {
    return values[value].kind == FlowValue::Kind::kOwn;
  }
  [[nodiscard]] bool is_arrival(std::uint32_t value) const {
    return values[value].kind == FlowValue::Kind::kArrival;
  }
  [[nodiscard]] bool is_sum(std::uint32_t value) const {
    return values[value].kind == FlowValue::Kind::kSum;
  }
};

/// What a value is good for.
struct FlowUse {
  /// Some output is made of it, or it is one.
  bool needed = false;
  bool is_output = false;
  /// Needed sums that it is a term of, and needed arrivals that it becomes.
  std::uint32_t sums = 0;
  std::uint32_t sends = 0;
  /// The last step in which it is sent.
  std::uint32_t last_send = 0;
  /// A sum: of no use but in another one, whose terms its terms are.
  bool dissolved = false;
};
/// By value.
[[nodiscard]] std::vector<FlowUse> uses_of(const Flow& flow);

/// The terms of a sum, dissolved ones taken apart.
struct FlowTerms {
  /// Arrivals of no other use.
  std::vector<std::uint32_t> arrivals;
  /// Own values, sums, and arrivals of other use.
  std::vector<std::uint32_t> others;
};
/// `sum` is a needed sum that is not dissolved.
[[nodiscard]] FlowTerms terms_of(const Flow& flow, const std::vector<FlowUse>& uses,
                                 std::uint32_t sum);

}  // namespace gossamer::foreign
