// SPDX-License-Identifier: Apache-2.0
/// Names of an MSCCL schedule's memory.
#include "msccl_checker.hpp"

namespace gossamer::foreign {

MscclMemory::MscclMemory(const MscclSchedule& schedule, Place place, std::uint32_t root)
    : schedule_(schedule), place_(place), root_(root) {
  const auto add = [&](std::uint32_t rank, Buffer buffer, std::uint32_t chunk) {
    locations_.try_emplace(cell(rank, buffer, chunk),
                           static_cast<std::uint32_t>(locations_.size()));
  };
  for (const MscclStep& step : schedule_.steps) {
    const StepUse use = use_of(step.type);
    for (std::uint32_t j = 0; j < step.count; ++j) {
      if (use.reads_source) {
        add(schedule_.rank_of(step), step.source_buffer,
            static_cast<std::uint32_t>(step.source) + j);
      }
      if (use.writes_destination) {
        add(schedule_.rank_of(step), step.destination_buffer,
            static_cast<std::uint32_t>(step.destination) + j);
      }
    }
  }
  for (std::uint32_t r = 0; r < schedule_.ranks.size(); ++r) {
    for (const MscclCopy& copy : schedule_.ranks[r].copies) add(r, Buffer::kOutput, copy.output);
  }
}

std::uint64_t MscclMemory::cell(std::uint32_t rank, Buffer buffer, std::uint32_t chunk) const {
  auto area = static_cast<std::uint64_t>(buffer);
  if (place_ == Place::kIn && buffer != Buffer::kScratch) {
    area = 0;
    const std::uint32_t k = schedule_.chunks / static_cast<std::uint32_t>(schedule_.ranks.size());
    const bool shifted =
        (schedule_.collective == Collective::kAllGather && buffer == Buffer::kInput) ||
        (schedule_.collective == Collective::kReduceScatter && buffer == Buffer::kOutput);
    if (shifted) chunk += rank * k;
  }
  return (std::uint64_t{rank} << 2U | area) << 32U | chunk;
}

std::uint32_t MscclMemory::location(std::uint32_t rank, Buffer buffer, std::uint32_t chunk) const {
  const auto found = locations_.find(cell(rank, buffer, chunk));
  return found == locations_.end() ? kNoIndex : found->second;
}

std::optional<std::uint64_t> MscclMemory::initial(std::uint64_t cell) const {
  const auto r = static_cast<std::uint32_t>(cell >> 34U);
  auto chunk = static_cast<std::uint32_t>(cell);
  const bool is_input = (cell >> 32U & 3U) == static_cast<std::uint64_t>(Buffer::kInput);
  if (!is_input || (schedule_.collective == Collective::kBroadcast && r != root_))
    return std::nullopt;
  if (place_ == Place::kIn && schedule_.collective == Collective::kAllGather) {
    if (chunk / schedule_.input_chunks() != r) return std::nullopt;
    chunk %= schedule_.input_chunks();
  }
  return contribution(r, chunk);
}

}  // namespace gossamer::foreign
