// SPDX-License-Identifier: Apache-2.0
#include "gossamer/plan/combination.hpp"

namespace gossamer {

std::string_view combine_step_name(CombineStep step) {
  return kCombineStepNames[static_cast<std::size_t>(step)];
}

std::uint64_t Combination::steps() const {
  std::uint64_t steps = 0;
  for (const CombineLeg& leg : legs) steps += leg.steps;
  return steps;
}

std::uint32_t Combination::block(const CombineLane& lane, std::uint32_t rank,
                                 std::uint64_t step) const {
  const auto modulus = static_cast<std::int64_t>(blocks);
  const std::int64_t moved = static_cast<std::int64_t>((step - 1) % blocks) * lane.slope;
  const std::int64_t at = (static_cast<std::int64_t>(rank) + lane.offset + moved) % modulus;
  return static_cast<std::uint32_t>(at < 0 ? at + modulus : at);
}

}  // namespace gossamer
