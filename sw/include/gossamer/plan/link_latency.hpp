// SPDX-License-Identifier: Apache-2.0
/// How many cycles each link takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Cycles that each link takes, in the shortest form that says it. The first that is not empty of
/// `table`, `dimension`, `uniform` counts.
struct LinkLatency {
  std::uint32_t uniform = 1;
  /// By dimension: links inside, and links that wrap around. Of one length, or both empty.
  std::vector<std::uint32_t> dimension;
  std::vector<std::uint32_t> wrap;
  /// By link slot; 0 where there is no link.
  std::vector<std::uint32_t> table;

  /// By link slot; 0 where there is no link.
  [[nodiscard]] std::vector<std::uint32_t> by_link(const Topology& topology) const;

  bool operator==(const LinkLatency&) const = default;
};

inline constexpr std::uint32_t kMaxLinkLatency = 65535;

/// Reads the latency of links: "2" (all), "x=1,y=2" (by dimension; 1 where not named),
/// "x=1,wrap-x=3" (wrap links apart; else as their dimension), "folded-layout" (all 2: rows and
/// columns folded, so that neighbours lie at most two tiles apart), or the name of a file with a
/// row of 2d numbers a node, divided by commas or blanks (0 where there is no link). Throws
/// InputError.
[[nodiscard]] LinkLatency parse_link_latency(const std::string& text, const Topology& topology);

}  // namespace gossamer
