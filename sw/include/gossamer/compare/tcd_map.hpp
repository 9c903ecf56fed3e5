// SPDX-License-Identifier: Apache-2.0
/// The TCD of a broadcast algorithm from every source, and pictures of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/topology/topology.hpp"
#include "gossamer/util/progress.hpp"

namespace gossamer {

/// The TCD of a broadcast from every source.
struct TcdMap {
  Topology topology;
  std::string algorithm;
  /// TCD by source; 0 for dead nodes and where the algorithm cannot start (`eye` on a mesh with
  /// unequal sides).
  std::vector<std::uint64_t> tcd;
  /// True for live eyes; all false when a side is not a power of two, or only some dimensions wrap.
  std::vector<bool> eye;

  /// The least and the largest TCD of all possible sources, and the sum over them.
  [[nodiscard]] std::uint64_t minimum() const;
  [[nodiscard]] std::uint64_t maximum() const;
  [[nodiscard]] std::uint64_t sum() const;
};

/// The algorithms that have a map.
[[nodiscard]] const std::vector<std::string_view>& tcd_map_algorithms();

/// The map of an algorithm in tcd_map_algorithms(). On healthy networks it comes from closed forms
/// (`eye`, `tree`, `xy-unicast`, `doubling` of power-of-two sides) or one dynamic program for all
/// sources (`min-tcd`, `figure2`). With faults, and for `doubling` of other sides, it comes from
/// one plan per source. Throws InputError for an unknown algorithm. Throws InfeasibleError, with
/// the planner's reason, if no source is possible.
[[nodiscard]] TcdMap tcd_map(const Topology& topology, std::string_view algorithm,
                             const Progress& progress = {});

/// The map as aligned columns, x to the right, y downward, one table for every further coordinate;
/// eyes carry a `*`, impossible sources are `-`. Ends with minimum, maximum and sum.
[[nodiscard]] std::string tcd_map_text(const TcdMap& map);
/// One row per source: `x,y,..,tcd,eye`; the tcd of an impossible source is empty.
[[nodiscard]] std::string tcd_map_csv(const TcdMap& map);
/// One JSON object: `tcd` by node id (null where the algorithm cannot start), `eyes` as node ids,
/// minimum, maximum and sum.
[[nodiscard]] std::string tcd_map_json(const TcdMap& map);
/// A heat map as a standalone SVG: light is cheap, dark is expensive, eyes are ringed, the cheapest
/// sources are bold, impossible ones hatched. It follows the viewer's light or dark scheme. Planes
/// of further coordinates are placed side by side. Numbers are omitted above 64 columns.
[[nodiscard]] std::string tcd_map_svg(const TcdMap& map);

}  // namespace gossamer
