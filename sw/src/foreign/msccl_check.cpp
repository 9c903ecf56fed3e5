// SPDX-License-Identifier: Apache-2.0
/// The check of an MSCCL schedule, in the order of section 4 of docs/spec/foreign-schedules.md.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gossamer/util/error.hpp"
#include "msccl_checker.hpp"
#include "shown.hpp"

namespace gossamer::foreign {

namespace {

/// Larger numbers of steps per thread block exceed the runtimes' limit.
constexpr std::uint32_t kRuntimeSteps = 256;

/// Throws InputError when the options do not fit the schedule, or when it is too large.
void check_request(const MscclSchedule& schedule, const CheckOptions& options, std::uint32_t root) {
  const std::size_t ranks = schedule.ranks.size();
  if (options.network && options.network->nodes() != ranks) {
    throw InputError(fmt::format("the schedule has {} ranks, the network {} nodes", ranks,
                                 options.network->nodes()));
  }
  if (root >= ranks) throw InputError(fmt::format("--root: {} is outside 0..{}", root, ranks - 1));
  std::uint64_t accesses = std::uint64_t{ranks} * schedule.output_chunks();
  for (const MscclStep& step : schedule.steps) accesses += step.count;
  if (accesses > kMaxAccesses) {
    throw InputError(fmt::format("{} chunks are moved or output in total; the limit is {}",
                                 accesses, kMaxAccesses));
  }
}

/// The places to check: the requested one, otherwise those that the file claims.
std::vector<Place> places_of(const MscclSchedule& schedule, const CheckOptions& options) {
  if (options.place) return {*options.place};
  std::vector<Place> places;
  if (schedule.in_place) places.push_back(Place::kIn);
  if (schedule.out_of_place) places.push_back(Place::kOut);
  return places;
}

/// Remarks on a correct schedule.
void add_notes(const MscclOrder& order, CheckResult& result) {
  const MscclSchedule& schedule = order.schedule();
  const auto longest =
      std::max_element(schedule.blocks.begin(), schedule.blocks.end(),
                       [](const MscclBlock& a, const MscclBlock& b) { return a.size < b.size; });
  if (longest != schedule.blocks.end() && longest->size > kRuntimeSteps) {
    result.notes.push_back(fmt::format("a tb has {} steps (line {}); runtimes support at most {}",
                                       longest->size, longest->line, kRuntimeSteps));
  }
  if (schedule.ids_have_gaps) {
    result.notes.emplace_back("tb ids are not 0, 1, 2, ...; runtimes reject this");
  }
  for (std::uint32_t i = 0; i + 1 < order.steps(); ++i) {
    if (schedule.steps[i].type == StepType::kNop && order.predecessor(i + 1) == i &&
        schedule.steps[i + 1].depends_block < 0) {
      result.notes.push_back(
          fmt::format("line {}: a nop precedes a step that does not wait; runtimes reject this",
                      order.line(i)));
      break;
    }
  }
  if (order.waits_past()) {
    result.notes.emplace_back(
        "a step waits for a step that raises no flag (hasdep=\"0\"); it continues after the next "
        "step that raises one");
  }
  std::vector<std::uint32_t> used(schedule.ranks.size(), 0);
  for (const MscclStep& step : schedule.steps) {
    const StepUse use = use_of(step.type);
    std::uint32_t& most = used[schedule.rank_of(step)];
    if (use.reads_source && step.source_buffer == Buffer::kScratch) {
      most = std::max(most, static_cast<std::uint32_t>(step.source) + step.count);
    }
    if (use.writes_destination && step.destination_buffer == Buffer::kScratch) {
      most = std::max(most, static_cast<std::uint32_t>(step.destination) + step.count);
    }
  }
  for (std::uint32_t r = 0; r < schedule.ranks.size(); ++r) {
    if (used[r] >= schedule.ranks[r].chunks[2]) continue;
    result.notes.push_back(fmt::format("rank {} declares {} scratch chunks and uses {}", r,
                                       schedule.ranks[r].chunks[2], used[r]));
    break;
  }
}

}  // namespace

CheckResult check(const MscclSchedule& schedule, const CheckOptions& options) {
  const std::uint32_t root = schedule.root.value_or(options.root);
  check_request(schedule, options, root);
  const std::vector<Place> places = places_of(schedule, options);
  CheckResult result;
  result.format = "msccl-xml";
  result.name = schedule.name;
  result.collective = schedule.word;
  result.ranks = schedule.ranks.size();
  result.chunks = schedule.chunks;
  for (const Place place : places) result.places.emplace_back(place == Place::kIn ? "in" : "out");
  add_unused(schedule.unused, result.notes);
  for (const Place place : places) {
    if ((result.defect = check_form(schedule, options, place))) return result;
  }
  MscclOrder order(schedule);
  if ((result.defect = order.match_messages())) return result;
  if ((result.defect = order.put_in_order())) return result;
  for (const Place place : places) {
    const MscclMemory memory(schedule, place, root);
    if ((result.defect = check_races(order, memory))) return result;
    if ((result.defect = check_values(order, memory))) return result;
  }
  if (!options.wants_flow) {
    measure(order, options, root, nullptr, result);
  } else {
    ChunkMoves moves(schedule);
    measure(order, options, root, &moves, result);
    // In the place that was claimed first.
    result.flow = flow_of(order, MscclMemory(schedule, places.front(), root), moves);
  }
  add_notes(order, result);
  return result;
}

}  // namespace gossamer::foreign
