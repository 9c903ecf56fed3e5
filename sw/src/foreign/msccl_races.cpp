// SPDX-License-Identifier: Apache-2.0
/// Check 4 of an MSCCL schedule: races.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "msccl_checker.hpp"

namespace gossamer::foreign {

namespace {

class RaceCheck {
 public:
  RaceCheck(const MscclOrder& order, const MscclMemory& memory)
      : schedule_(order.schedule()), order_(order), memory_(memory) {}

  [[nodiscard]] std::optional<Defect> check() const {
    // Blocks by rank.
    std::vector<std::vector<std::uint32_t>> blocks(schedule_.ranks.size());
    for (std::uint32_t index = 0; index < schedule_.blocks.size(); ++index) {
      blocks[schedule_.blocks[index].rank].push_back(index);
    }
    std::vector<std::uint32_t> lane(schedule_.blocks.size(), 0);
    std::pair<std::uint32_t, std::uint32_t> worst{kNoIndex, kNoIndex};
    std::uint32_t worst_location = kNoIndex;
    std::vector<std::uint32_t> clocks;
    for (std::uint32_t r = 0; r < schedule_.ranks.size(); ++r) {
      const std::size_t lanes = blocks[r].size();
      if (lanes < 2) continue;
      for (std::size_t i = 0; i < lanes; ++i) lane[blocks[r][i]] = static_cast<std::uint32_t>(i);
      // clocks[step * lanes + i]: steps of the rank's i-th block that happen before the step.
      clocks.assign(std::size_t{order_.steps()} * lanes, 0);
      for (const std::uint32_t step : order_.order()) {
        std::uint32_t* own = clocks.data() + std::size_t{step} * lanes;
        order_.each_wait(step, [&](std::uint32_t other) {
          const std::uint32_t* theirs = clocks.data() + std::size_t{other} * lanes;
          for (std::size_t i = 0; i < lanes; ++i) own[i] = std::max(own[i], theirs[i]);
          if (order_.rank(other) == r) {
            const std::size_t i = lane[schedule_.steps[other].block];
            own[i] = std::max(own[i], order_.index_in_block(other) + 1);
          }
        });
      }
      find_races(blocks[r], lane, clocks, worst, worst_location);
    }
    if (worst.first == kNoIndex) return std::nullopt;
    const auto [later, earlier] = worst;
    return Defect{
        "race", order_.line(later),
        fmt::format("this step and line {} both use {} of rank {}, and at least one of them "
                    "writes; no order is defined here between tb {} and tb {}",
                    order_.line(earlier), location_name(later, worst_location), order_.rank(later),
                    schedule_.blocks[schedule_.steps[earlier].block].id,
                    schedule_.blocks[schedule_.steps[later].block].id)};
  }

 private:
  /// The accesses of one location by one thread block, in its order.
  struct BlockAccesses {
    std::vector<std::uint32_t> all;
    std::vector<std::uint32_t> writes;
  };

  void find_races(const std::vector<std::uint32_t>& blocks, const std::vector<std::uint32_t>& lane,
                  const std::vector<std::uint32_t>& clocks,
                  std::pair<std::uint32_t, std::uint32_t>& worst,
                  std::uint32_t& worst_location) const {
    const std::size_t lanes = blocks.size();
    // By location, then by lane.
    std::unordered_map<std::uint32_t, std::map<std::uint32_t, BlockAccesses>> users;
    for (const std::uint32_t block : blocks) {
      for (std::uint32_t i = 0; i < schedule_.blocks[block].size; ++i) {
        const std::uint32_t step = schedule_.blocks[block].first_step + i;
        each_access(step, [&](std::uint32_t location, bool writes) {
          BlockAccesses& accesses = users[location][lane[block]];
          if (accesses.all.empty() || accesses.all.back() != step) accesses.all.push_back(step);
          if (writes && (accesses.writes.empty() || accesses.writes.back() != step)) {
            accesses.writes.push_back(step);
          }
        });
      }
    }
    for (const auto& [location, by_lane] : users) {
      for (const auto& [own_lane, own] : by_lane) {
        for (const std::uint32_t step : own.all) {
          if (worst.first != kNoIndex && step > worst.first) break;
          const bool writes = std::binary_search(own.writes.begin(), own.writes.end(), step);
          for (const auto& [other_lane, other] : by_lane) {
            if (other_lane == own_lane) continue;
            // The first of the others that does not happen before this step ...
            const auto& theirs = writes ? other.all : other.writes;
            const std::uint32_t first_index = clocks[std::size_t{step} * lanes + other_lane];
            const std::uint32_t first_step =
                schedule_.blocks[blocks[other_lane]].first_step + first_index;
            const auto at = std::lower_bound(theirs.begin(), theirs.end(), first_step);
            // ... and stands before it in the file: the others of a pair come to it from there.
            if (at == theirs.end() || *at > step) continue;
            // ... and does not happen after it.
            if (clocks[std::size_t{*at} * lanes + own_lane] > order_.index_in_block(step)) continue;
            const std::pair<std::uint32_t, std::uint32_t> pair{step, *at};
            if (pair < worst) {
              worst = pair;
              worst_location = location;
            }
          }
        }
      }
    }
  }

  /// Calls visit(location, writes) for the locations that a step uses.
  template <typename Visit>
  void each_access(std::uint32_t index, Visit visit) const {
    const MscclStep& step = schedule_.steps[index];
    const StepUse use = use_of(step.type);
    for (std::uint32_t j = 0; j < step.count; ++j) {
      if (use.reads_source) {
        visit(memory_.location(order_.rank(index), step.source_buffer,
                               static_cast<std::uint32_t>(step.source) + j),
              false);
      }
      if (use.writes_destination) {
        visit(memory_.location(order_.rank(index), step.destination_buffer,
                               static_cast<std::uint32_t>(step.destination) + j),
              true);
      }
    }
  }

  /// The name by which a step calls a location.
  [[nodiscard]] std::string location_name(std::uint32_t index, std::uint32_t wanted) const {
    const MscclStep& step = schedule_.steps[index];
    const StepUse use = use_of(step.type);
    for (std::uint32_t j = 0; j < step.count; ++j) {
      const auto source = static_cast<std::uint32_t>(step.source) + j;
      const auto destination = static_cast<std::uint32_t>(step.destination) + j;
      if (use.reads_source &&
          memory_.location(order_.rank(index), step.source_buffer, source) == wanted) {
        return fmt::format("{} chunk {}", buffer_name(step.source_buffer), source);
      }
      if (use.writes_destination &&
          memory_.location(order_.rank(index), step.destination_buffer, destination) == wanted) {
        return fmt::format("{} chunk {}", buffer_name(step.destination_buffer), destination);
      }
    }
    return "a location";
  }

  const MscclSchedule& schedule_;
  const MscclOrder& order_;
  const MscclMemory& memory_;
};

}  // namespace

std::optional<Defect> check_races(const MscclOrder& order, const MscclMemory& memory) {
  return RaceCheck(order, memory).check();
}

}  // namespace gossamer::foreign
