// SPDX-License-Identifier: Apache-2.0
/// The step at which a node has all packets of a cycle, computed from windows instead of simulated.
///
/// Packets travel in both directions around a cycle of m positions. A position where a packet
/// starts is a *home*. Consider a node after T steps. If it taps the forward stream at position a
/// with delay u, it has the packets of the homes a, a - 1, ... a - (T - u). If it taps the backward
/// stream at position b with delay w, it has those of b, b + 1, ... b + (T - w). It is done when
/// the two windows cover all homes. Source: docs/spec/gossip.md, section 4.
#pragma once

#include <cstdint>
#include <vector>

namespace gossamer::bounds {

/// The homes of a cycle, repeated with every lap.
class HomePattern {
 public:
  /// `lap[i]`: position i of each lap is a home; the cycle is `laps` laps long. Both non-empty.
  HomePattern(const std::vector<bool>& lap, std::uint64_t laps);

  /// Positions of the cycle.
  [[nodiscard]] std::uint64_t length() const { return lap_ * laps_; }
  /// Positions of a lap.
  [[nodiscard]] std::uint64_t lap() const { return lap_; }
  [[nodiscard]] bool is_home(std::uint64_t position) const {
    return before_[position % lap_ + 1] != before_[position % lap_];
  }
  /// Homes among `count` positions from `first` on, wrapping around the cycle as often as needed.
  /// O(1).
  [[nodiscard]] std::uint64_t homes(std::uint64_t first, std::uint64_t count) const;

 private:
  std::uint64_t lap_;
  std::uint64_t laps_;
  /// before_[i]: homes among the first i positions of a lap.
  std::vector<std::uint64_t> before_;
};

/// The position where a node takes a stream, and the delay in steps relative to a node at that
/// position.
struct Tap {
  std::uint64_t position = 0;
  std::uint64_t delay = 0;
};

/// Steps until the windows of a time-independent supply cover all homes. O(log m). If all positions
/// are homes and the forward tap is g positions ahead of the backward one, this is ceil((m - 1 + g
/// + u + w) / 2) (docs/spec/gossip.md, section 4).
[[nodiscard]] std::uint64_t window_steps(const HomePattern& pattern, Tap forward, Tap backward);

/// `count` positions of a cycle from `first` on, in cycle direction.
struct Arc {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// The FIFO switch on one support port of a node at position `at` of a cycle. In steps before
/// `switch_step`, the port's queue receives the node's own packet, if it is a home, and the
/// arrivals of *both* streams. From then on it receives only the outer stream. Source:
/// docs/spec/gossip.md, sections 2.2 and 2.4.
///
/// Where fewer than half of a lap's positions are homes the result is the same, but queue_depth()
/// and construction take O(switch_step) instead of O(lap).
class SwitchedSupply {
 public:
  /// outer_is_forward: the later stream is the forward one, whose packets come from lower
  /// positions. outer_first: of two packets that arrive in the same step the outer one queues
  /// first.
  SwitchedSupply(const HomePattern& pattern, std::uint64_t at, bool outer_is_forward,
                 bool outer_first, std::uint64_t switch_step);

  /// The positions around `at` whose packets have all crossed the port's link by the end of `step`,
  /// for `step` at or after the switch. O(log m).
  [[nodiscard]] Arc window(std::uint64_t step) const;
  /// The largest number of packets that wait at the start of a step. O(switch_step).
  [[nodiscard]] std::uint64_t queue_depth() const;

 private:
  /// Homes at distances 1 .. count on the outer or inner side.
  [[nodiscard]] std::uint64_t outer_homes(std::uint64_t count) const;
  [[nodiscard]] std::uint64_t inner_homes(std::uint64_t count) const;
  /// Packets that have reached the port by the end of `step` (0: before step 1).
  [[nodiscard]] std::uint64_t arrived(std::uint64_t step) const;

  const HomePattern* pattern_;
  std::uint64_t at_;
  bool outer_is_forward_;
  bool outer_first_;
  /// Steps with both streams.
  std::uint64_t early_steps_;
  /// Minimum over the early steps t of arrived(t) - t; it determines the number of idle steps of
  /// the port.
  std::int64_t slack_ = 1;
};

/// Steps until two switched supplies of a node have delivered all homes, but at least `from`, which
/// must be at or after both switches. Each supply adds the number of times its packets are relayed
/// after the port's link.
[[nodiscard]] std::uint64_t switched_steps(const HomePattern& pattern, const SwitchedSupply& one,
                                           std::uint64_t one_relays, const SwitchedSupply& other,
                                           std::uint64_t other_relays, std::uint64_t from);

}  // namespace gossamer::bounds
