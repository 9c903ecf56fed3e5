// SPDX-License-Identifier: Apache-2.0
#include "gossamer/machines/ring/program.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gossamer {

std::uint64_t RingPort::hash() const {
  return mixed(mixed(kHashStart, feed.bits()), lane ? *lane + 1U : 0U);
}

namespace {

/// Additions of the combination.
struct Additions {
  bool any = false;
  /// Sums of two arrivals and the own word, and whether one of them is sent.
  bool joined = false;
  bool joined_sent = false;
};

Additions additions_of(const Combination& combine) {
  Additions additions;
  for (const CombineLeg& leg : combine.legs) {
    std::uint64_t into = 0;
    for (const CombineRun& run : leg.operations) {
      into += run.count;
      const bool joins = run.step == CombineStep::kJoin;
      additions.any = additions.any || joins || run.step == CombineStep::kAdd ||
                      run.step == CombineStep::kCross;
      additions.joined = additions.joined || joins;
      const bool sent = std::any_of(leg.lanes.begin(), leg.lanes.end(), [into](const auto& lane) {
        return lane && lane->steps >= into;
      });
      additions.joined_sent = additions.joined_sent || (joins && sent);
    }
  }
  return additions;
}

}  // namespace

StepPipeline RingProgram::pipeline() const {
  const Additions additions = additions_of(combine);
  const std::uint32_t once = additions.any ? adder_cycles : 0;
  StepPipeline pipeline;
  pipeline.flits = flits;
  pipeline.result_cycles = additions.joined ? 2 * once : once;
  pipeline.step_cycles =
      std::max(flits, (additions.joined_sent ? pipeline.result_cycles : once) + 1);
  return pipeline;
}

std::string RingProgram::packet_defect() const {
  if (!has_packets()) return {};
  if (frame_ != 1) return "frames of several steps have packets of 1 word and adders of 0 cycles";
  for (const CombineLeg& leg : combine.legs) {
    if (leg.turn == 0) {
      return "words that are added on their way have packets of 1 word and adders of 0 cycles";
    }
  }
  if (additions_of(combine).joined_sent && flits <= 2 * adder_cycles) {
    return fmt::format(
        "on a cycle of an odd number of nodes, adders of {} cycles need packets of {} words or "
        "more",
        adder_cycles, 2 * adder_cycles + 1);
  }
  return {};
}

std::uint64_t RingProgram::memory_bytes() const {
  return PortTable::memory_bytes() + combine.ranks.capacity() * sizeof(std::uint32_t);
}

}  // namespace gossamer
