// SPDX-License-Identifier: Apache-2.0
/// The flow of values in a correct schedule of any format, without buffers, thread blocks and
/// copies within a node.
#pragma once

#include <cstdint>
#include <vector>

#include "gossamer/foreign/link_graph.hpp"

namespace gossamer::foreign {

struct FlowValue {
  enum class Kind : std::uint8_t {
    /// An input: `a` is its chunk.
    kOwn,
    /// Value `a` of another rank, received at the end of `step`.
    kArrival,
    /// The sum of values `a` and `b`, formed at this rank.
    kSum,
  };
  Kind kind = Kind::kOwn;
  /// The rank that holds it.
  std::uint32_t rank = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  /// Arrivals: the step (docs/spec/foreign-schedules.md, section 5), and the number of earlier
  /// chunks between the same ranks in that step, which is its place among parallel links.
  std::uint32_t step = 0;
  std::uint32_t place = 0;
};

/// A value that a rank must have at the end.
struct FlowOutput {
  std::uint32_t rank = 0;
  std::uint32_t value = 0;
};

struct Flow {
  Collective collective = Collective::kAllGather;
  std::uint32_t ranks = 0;
  /// Chunks: k per rank for all-gather, C of the schedule for all others.
  std::uint32_t chunks = 0;
  std::uint32_t root = 0;
  /// The values by number; operands have lower numbers than their sums.
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

/// The uses of a value.
struct FlowUse {
  /// It is an output, or contributes to one.
  bool needed = false;
  bool is_output = false;
  /// Needed sums of which it is a term, and needed arrivals of it at other ranks.
  std::uint32_t sums = 0;
  std::uint32_t sends = 0;
  /// The last step in which it is sent.
  std::uint32_t last_send = 0;
  /// A sum whose only use is as a term of another sum, which takes over its terms.
  bool dissolved = false;
};
/// By value.
[[nodiscard]] std::vector<FlowUse> uses_of(const Flow& flow);

/// The terms of a sum, with dissolved sums expanded.
struct FlowTerms {
  /// Arrivals without another use.
  std::vector<std::uint32_t> arrivals;
  /// Own values, sums, and arrivals with another use.
  std::vector<std::uint32_t> others;
};
/// `sum` is a needed sum that is not dissolved.
[[nodiscard]] FlowTerms terms_of(const Flow& flow, const std::vector<FlowUse>& uses,
                                 std::uint32_t sum);

}  // namespace gossamer::foreign
