// SPDX-License-Identifier: Apache-2.0
/// Latency of each link, in cycles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gossamer/topology/topology.hpp"

namespace gossamer {

/// Latencies of links, in cycles, in the shortest suitable form. The first non-empty one of
/// `table`, `dimension`, `uniform` counts.
struct LinkLatency {
  std::uint32_t uniform = 1;
  /// By dimension: links inside, and links that wrap around. Both have the same length, or are
  /// empty.
  std::vector<std::uint32_t> dimension;
  std::vector<std::uint32_t> wrap;
  /// By link slot; 0 where there is no link.
  std::vector<std::uint32_t> table;

  /// By link slot; 0 where there is no link.
  [[nodiscard]] std::vector<std::uint32_t> by_link(const Topology& topology) const;

  bool operator==(const LinkLatency&) const = default;
};

inline constexpr std::uint32_t kMaxLinkLatency = 65535;

/// Parses the latency of links: "2" (all), "x=1,y=2" (by dimension; 1 if not named), "x=1,wrap-x=3"
/// (wrap links separately; otherwise like their dimension) or "folded-layout". The latter is 2 for
/// all: rows and columns are folded, so neighbours are at most two tiles apart. Any other text is
/// the name of a file with a row of 2d numbers per node, separated by commas or blanks (0 where
/// there is no link). Throws InputError.
[[nodiscard]] LinkLatency parse_link_latency(const std::string& text, const Topology& topology);

}  // namespace gossamer
