// SPDX-License-Identifier: Apache-2.0
#include "gossamer/bounds/stream_windows.hpp"

#include <algorithm>
#include <stdexcept>

namespace gossamer::bounds {

namespace {

/// The position `back` places before `position`.
std::uint64_t places_before(std::uint64_t position, std::uint64_t back, std::uint64_t length) {
  return (position + length - back % length) % length;
}

/// Smallest step in first..last that `holds`, which then holds for all later ones.
template <typename Holds>
std::uint64_t first_step(std::uint64_t first, std::uint64_t last, Holds holds) {
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (holds(middle)) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

/// True when no home lies outside of both arcs.
bool cover_all(const HomePattern& pattern, const Arc& a, const Arc& b) {
  const std::uint64_t m = pattern.length();
  if (a.count >= m || b.count >= m) return true;
  // Offsets from a.first: a ends at a.count; b is start .. end - 1, around the cycle.
  const std::uint64_t start = (b.first % m + m - a.first % m) % m;
  const std::uint64_t end = start + b.count;
  const auto none = [&](std::uint64_t from, std::uint64_t past) {
    return past <= from || pattern.homes(a.first % m + from, past - from) == 0;
  };
  if (end > m) return none(std::max(a.count, end - m), start);
  return none(a.count, b.count == 0 ? m : start) && none(std::max(a.count, end), m);
}

}  // namespace

HomePattern::HomePattern(const std::vector<bool>& lap, std::uint64_t laps)
    : lap_(lap.size()), laps_(laps), before_(1, 0) {
  if (lap.empty() || laps == 0) throw std::invalid_argument("a home pattern has at least one lap");
  for (const bool home : lap) before_.push_back(before_.back() + (home ? 1 : 0));
}

std::uint64_t HomePattern::homes(std::uint64_t first, std::uint64_t count) const {
  const std::uint64_t start = first % lap_;
  const std::uint64_t end = start + count;
  return end / lap_ * before_.back() + before_[end % lap_] - before_[start];
}

std::uint64_t window_steps(const HomePattern& pattern, Tap forward, Tap backward) {
  const std::uint64_t m = pattern.length();
  const auto window = [](const Tap& tap, std::uint64_t step) {
    return step < tap.delay ? 0 : step - tap.delay + 1;
  };
  const auto covered = [&](std::uint64_t step) {
    const std::uint64_t behind = window(forward, step);
    const std::uint64_t past = forward.position + 1;
    return cover_all(pattern, {places_before(past, behind, m), behind},
                     {backward.position, window(backward, step)});
  };
  return first_step(0, m + std::max(forward.delay, backward.delay), covered);
}

SwitchedSupply::SwitchedSupply(const HomePattern& pattern, std::uint64_t at, bool outer_is_forward,
                               bool outer_first, std::uint64_t switch_step)
    : pattern_(&pattern),
      at_(at % pattern.length()),
      outer_is_forward_(outer_is_forward),
      outer_first_(outer_first),
      early_steps_(switch_step == 0 ? 0 : switch_step - 1) {
  // If at least half of the positions are homes, a lap brings at least as many packets from both
  // sides as it has steps, so the minimum is in the first lap.
  const bool rich = 2 * pattern.homes(0, pattern.lap()) >= pattern.lap();
  const std::uint64_t last = rich ? std::min(early_steps_, pattern.lap()) : early_steps_;
  for (std::uint64_t step = 0; step <= last; ++step) {
    slack_ = std::min(slack_,
                      static_cast<std::int64_t>(arrived(step)) - static_cast<std::int64_t>(step));
  }
}

std::uint64_t SwitchedSupply::outer_homes(std::uint64_t count) const {
  const std::uint64_t first =
      outer_is_forward_ ? places_before(at_, count, pattern_->length()) : at_ + 1;
  return pattern_->homes(first, count);
}

std::uint64_t SwitchedSupply::inner_homes(std::uint64_t count) const {
  const std::uint64_t first =
      outer_is_forward_ ? at_ + 1 : places_before(at_, count, pattern_->length());
  return pattern_->homes(first, count);
}

std::uint64_t SwitchedSupply::arrived(std::uint64_t step) const {
  return (pattern_->is_home(at_) ? 1 : 0) + outer_homes(step) +
         inner_homes(std::min(step, early_steps_));
}

Arc SwitchedSupply::window(std::uint64_t step) const {
  if (step == 0) return {at_, 0};
  // The port sends one packet per step unless it has run empty, which costs it the steps that
  // slack_ counts. After the switch at most one packet arrives per step, so no further step is
  // lost.
  const std::int64_t chances = static_cast<std::int64_t>(step - 1) + slack_;
  const std::uint64_t sent =
      std::min(arrived(step - 1), static_cast<std::uint64_t>(std::max<std::int64_t>(chances, 0)));
  if ((pattern_->is_home(at_) ? 1U : 0U) > sent) return {at_, 0};
  // How many packets are up to and including the one from distance t, in the order of the queue.
  const auto rank_outer = [&](std::uint64_t t) {
    const bool before_inner = outer_first_ && t <= early_steps_;
    return arrived(t) - (before_inner ? inner_homes(t) - inner_homes(t - 1) : 0);
  };
  const auto rank_inner = [&](std::uint64_t t) {
    return arrived(t) - (outer_first_ ? 0 : outer_homes(t) - outer_homes(t - 1));
  };
  const std::uint64_t outer =
      first_step(1, step, [&](std::uint64_t t) { return rank_outer(t) > sent; }) - 1;
  const std::uint64_t inner = first_step(1, std::min(step, early_steps_ + 1),
                                         [&](std::uint64_t t) { return rank_inner(t) > sent; }) -
                              1;
  const std::uint64_t back = outer_is_forward_ ? outer : inner;
  return {places_before(at_, back, pattern_->length()), outer + inner + 1};
}

std::uint64_t SwitchedSupply::queue_depth() const {
  std::uint64_t depth = 1;
  std::uint64_t waiting = arrived(0);
  for (std::uint64_t step = 1; step <= early_steps_; ++step) {
    waiting = waiting - std::min<std::uint64_t>(waiting, 1) + arrived(step) - arrived(step - 1);
    depth = std::max(depth, waiting);
  }
  return depth;
}

std::uint64_t switched_steps(const HomePattern& pattern, const SwitchedSupply& one,
                             std::uint64_t one_relays, const SwitchedSupply& other,
                             std::uint64_t other_relays, std::uint64_t from) {
  const auto window = [](const SwitchedSupply& supply, std::uint64_t step, std::uint64_t relays) {
    return supply.window(step < relays ? 0 : step - relays);
  };
  return first_step(from, from + 3 * pattern.length(), [&](std::uint64_t step) {
    return cover_all(pattern, window(one, step, one_relays), window(other, step, other_relays));
  });
}

}  // namespace gossamer::bounds
