// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "gossamer/compare/workload.hpp"
#include "gossamer/util/error.hpp"
#include "wide.hpp"

namespace gossamer {

namespace {

constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

/// The steps of a circle of dependencies, each before the one that it waits for. `waits` has the
/// steps that never became ready.
std::vector<std::size_t> circle_among(const Workload& workload, const std::vector<bool>& waits) {
  std::size_t step =
      static_cast<std::size_t>(std::find(waits.begin(), waits.end(), true) - waits.begin());
  std::vector<std::size_t> path;
  std::vector<bool> seen(waits.size(), false);
  while (!seen[step]) {
    seen[step] = true;
    path.push_back(step);
    const auto& after = workload.steps[step].after;
    step = *std::find_if(after.begin(), after.end(), [&](std::size_t i) { return waits[i]; });
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), step));
  return path;
}

[[noreturn]] void refuse_circle(const Workload& workload, const std::vector<bool>& waits) {
  std::vector<std::size_t> circle = circle_among(workload, waits);
  // Beginning with the step that comes first in the list.
  std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
  std::string text = workload.steps[circle.front()].name;
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 1; i <= circle.size(); ++i) {
    if (i == kShown && circle.size() > kShown) {
      text += fmt::format(" after {} more", circle.size() - kShown);
      i = circle.size();
    }
    text += " after " + workload.steps[circle[i % circle.size()]].name;
  }
  throw InputError(
      fmt::format("{}: the step waits for itself: {}", workload.steps[circle.front()].place, text));
}

/// Running and ready steps, advanced from event to event.
class Layout {
 public:
  Layout(const Workload& workload, const std::vector<std::uint64_t>& cycles)
      : workload_(workload),
        cycles_(cycles),
        open_(workload.steps.size()),
        followers_(workload.steps.size()),
        next_run_(workload.steps.size()) {
    std::uint64_t runs = 0;
    for (std::size_t step = 0; step < workload.steps.size(); ++step) {
      const WorkloadStep& one = workload.steps[step];
      if (one.repeat > kMostWorkloadRuns || (runs += one.repeat) > kMostWorkloadRuns) {
        throw InputError(fmt::format("{}: repeat: all steps together have more than {} runs",
                                     one.place, kMostWorkloadRuns));
      }
      open_[step] = one.after.size();
      for (const std::size_t before : one.after) followers_[before].push_back(step);
      if (open_[step] == 0) make_ready(step);
    }
    left_ = runs;
  }

  std::vector<TimedRun> run() {
    while (left_ > 0) {
      for (Stream& stream : streams_) begin_if_free(stream);
      if (!finish_next()) refuse_circle(workload_, waiting_steps());
    }
    std::sort(timeline_.begin(), timeline_.end(), [](const TimedRun& a, const TimedRun& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.step < b.step;
    });
    return std::move(timeline_);
  }

 private:
  struct Stream {
    /// When it became ready, and the step.
    std::set<std::pair<std::uint64_t, std::size_t>> ready;
    std::optional<TimedRun> present;
  };

  void make_ready(std::size_t step) {
    streams_[workload_.steps[step].collective ? 1 : 0].ready.emplace(now_, step);
  }

  void begin_if_free(Stream& stream) {
    if (stream.present || stream.ready.empty()) return;
    const std::size_t step = stream.ready.begin()->second;
    stream.ready.erase(stream.ready.begin());
    const std::uint64_t end = now_ + cycles_[step];
    if (end < now_) {
      throw InputError(
          fmt::format("{}: the time is beyond 64 bits of cycles", workload_.steps[step].place));
    }
    stream.present = TimedRun{step, next_run_[step]++, now_, end};
  }

  /// Goes to the next end of a run; false if none is in progress.
  bool finish_next() {
    const Stream* first = nullptr;
    for (const Stream& stream : streams_) {
      if (stream.present && (first == nullptr || stream.present->end < first->present->end)) {
        first = &stream;
      }
    }
    if (first == nullptr) return false;
    now_ = first->present->end;
    for (Stream& stream : streams_) {
      if (!stream.present || stream.present->end != now_) continue;
      const TimedRun run = *stream.present;
      stream.present.reset();
      finish(run);
    }
    return true;
  }

  void finish(const TimedRun& run) {
    timeline_.push_back(run);
    --left_;
    if (next_run_[run.step] < workload_.steps[run.step].repeat) {
      make_ready(run.step);
      return;
    }
    for (const std::size_t follower : followers_[run.step]) {
      if (--open_[follower] == 0) make_ready(follower);
    }
  }

  [[nodiscard]] std::vector<bool> waiting_steps() const {
    std::vector<bool> waits;
    for (const std::size_t open : open_) waits.push_back(open > 0);
    return waits;
  }

  const Workload& workload_;
  const std::vector<std::uint64_t>& cycles_;
  /// By step: dependencies that have not ended, steps that depend on it, its next run.
  std::vector<std::size_t> open_;
  std::vector<std::vector<std::size_t>> followers_;
  std::vector<std::uint64_t> next_run_;
  /// Computations, collectives.
  std::array<Stream, 2> streams_;
  std::uint64_t now_ = 0;
  std::uint64_t left_ = 0;
  std::vector<TimedRun> timeline_;
};

}  // namespace

std::vector<TimedRun> lay_out(const Workload& workload, const std::vector<std::uint64_t>& cycles) {
  return Layout(workload, cycles).run();
}

std::uint64_t cycles_of_time(std::uint64_t picoseconds, std::uint64_t hertz) {
  return compare::scaled_up("cycles", picoseconds, hertz, kPicosecondsPerSecond);
}

}  // namespace gossamer
