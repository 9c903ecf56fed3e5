// SPDX-License-Identifier: Apache-2.0
/// Links that differ in speed: chiplets, and axes of different width.
///
/// A transfer over a link of period r that starts in step t occupies the link in steps t .. t + r -
/// 1. The receiver holds the packet at the end of the last of them. Both directions of a link have
/// the same period. Source: docs/chiplets.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gossamer {

class Topology;

/// The longest transfer, in steps.
inline constexpr std::uint32_t kMaxLinkPeriod = 255;

/// Steps of a transfer, for each axis. Links between chiplets cross a multiple of the chiplet's
/// side; where an axis has more than one chiplet, its wrap links are among them.
struct LinkPeriods {
  /// Sides of a chiplet; empty: no chiplets.
  std::vector<std::uint32_t> chiplets;
  /// Periods, in steps, of links inside a chiplet; without chiplets, of all links.
  std::vector<std::uint32_t> inside;
  /// Periods, in steps, of links between chiplets; empty without chiplets.
  std::vector<std::uint32_t> between;

  bool operator==(const LinkPeriods&) const = default;
};

/// A positive rational number of packets per step.
struct LinkRate {
  std::uint32_t packets = 1;
  std::uint32_t steps = 1;
};

/// Link rates in the user's notation; empty: not given.
struct LinkRateTexts {
  /// "x=1,y=1/4": packets per step of an axis; 1 for axes that are not named.
  std::string link_rate;
  /// "x=128,y=32": bits of an axis' links, instead of rates. All axes with links are named.
  std::string link_bits;
  /// "4x4": sides of a chiplet.
  std::string chiplets;
  /// "1/4", or "x=1/4,y=1/2": rates of links between chiplets; the axis' rate where not named.
  std::string die_link_rate;

  [[nodiscard]] bool empty() const {
    return link_rate.empty() && link_bits.empty() && chiplets.empty() && die_link_rate.empty();
  }
};

/// The same network with links of these rates: periods are the least integers in their proportions.
/// Throws InputError, with the option's name, for rates that are not positive rationals, unknown or
/// repeated axes, chiplets that do not divide the sides, and periods above kMaxLinkPeriod.
[[nodiscard]] Topology with_link_rates(const Topology& topology, const LinkRateTexts& texts);

/// The options of LinkRateTexts that give the periods: "--link-rate x=1,y=1/4 --chiplets 4x4
/// --die-link-rate x=1/2,y=1/4"; empty where all links have the same speed.
[[nodiscard]] std::string link_rate_options(const Topology& topology);

/// Total transfers per step over all links: one per link if all have the same speed.
[[nodiscard]] double transfers_per_step(const Topology& topology);

/// "4x4 chiplets, links of 1 step inside, 4 between"; "links of 1 (x) and 4 (y) steps".
[[nodiscard]] std::string link_periods_text(const Topology& topology);

}  // namespace gossamer
