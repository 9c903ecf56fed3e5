// SPDX-License-Identifier: Apache-2.0
/// When a node has everything of a cycle of packets, computed from windows instead of simulated.
///
/// Packets run both ways round a cycle of m positions. A position where a packet starts is a
/// *home*. A node that taps the forward stream at position a with delay u has, after T steps, the
/// packets of the homes a, a - 1, ... a - (T - u); one that taps the backward stream at position b
/// with delay w those of b, b + 1, ... b + (T - w). It is done when the two windows cover all
/// homes. Source: docs/spec/gossip.md, section 4.
#pragma once

#include <cstdint>
#include <vector>

namespace gossamer::bounds {

/// The homes of a cycle on which they repeat with every lap.
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
  /// Homes among `count` positions from `first` on, round the cycle as often as count says. O(1).
  [[nodiscard]] std::uint64_t homes(std::uint64_t first, std::uint64_t count) const;

 private:
  std::uint64_t lap_;
  std::uint64_t laps_;
  /// before_[i]: homes among the first i positions of a lap.
  std::vector<std::uint64_t> before_;
};

/// Where a node takes a stream from, and how many steps later than a node that lies there.
struct Tap {
  std::uint64_t position = 0;
  std::uint64_t delay = 0;
};

/// Steps until the windows of a time-independent supply cover all homes. O(log m).
/// If all positions are homes and the forward tap lies g ahead of the backward one this is
/// ceil((m - 1 + g + u + w) / 2) (docs/spec/gossip.md, section 4).
[[nodiscard]] std::uint64_t window_steps(const HomePattern& pattern, Tap forward, Tap backward);

/// `count` positions of a cycle from `first` on, in cycle direction.
struct Arc {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// The FIFO switch on one support port of a node at position `at` of a cycle: its own packet, if it
/// is a home, and what arrives of *both* streams in steps before `switch_step` queue for the port;
/// from then on only the outer stream does. Source: docs/spec/gossip.md, sections 2.2 and 2.4.
///
/// Where homes are fewer than half of a lap's positions all this still holds, but queue_depth() and
/// construction take O(switch_step) instead of O(lap).
class SwitchedSupply {
 public:
  /// outer_is_forward: the later stream is the forward one, whose packets come from behind.
  /// outer_first: of two packets that arrive in the same step the outer one queues first.
  SwitchedSupply(const HomePattern& pattern, std::uint64_t at, bool outer_is_forward,
                 bool outer_first, std::uint64_t switch_step);

  /// The positions around `at` whose packets have all crossed the port's link by the end of `step`,
  /// for steps not before the switch. O(log m).
  [[nodiscard]] Arc window(std::uint64_t step) const;
  /// The most packets that wait at a start of a step. O(switch_step).
  [[nodiscard]] std::uint64_t queue_depth() const;

 private:
  /// Homes at distances 1 .. count on the outer or inner side.
  [[nodiscard]] std::uint64_t outer_homes(std::uint64_t count) const;
  [[nodiscard]] std::uint64_t inner_homes(std::uint64_t count) const;
  /// Packets that have come to the port up to the end of `step` (0: before step 1).
  [[nodiscard]] std::uint64_t arrived(std::uint64_t step) const;

  const HomePattern* pattern_;
  std::uint64_t at_;
  bool outer_is_forward_;
  bool outer_first_;
  /// Steps with both streams.
  std::uint64_t early_steps_;
  /// Minimum over the early steps t of arrived(t) - t: how often the port has nothing to send.
  std::int64_t slack_ = 1;
};

/// Steps until two switched supplies of a node have brought it all homes, but at least `from`,
/// which must not be before a switch. Each supply adds as many steps as the packets are relayed
/// after its port's link.
[[nodiscard]] std::uint64_t switched_steps(const HomePattern& pattern, const SwitchedSupply& one,
                                           std::uint64_t one_relays, const SwitchedSupply& other,
                                           std::uint64_t other_relays, std::uint64_t from);

}  // namespace gossamer::bounds
