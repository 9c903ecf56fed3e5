// SPDX-License-Identifier: Apache-2.0
/// Delay against load: CSV and SVG of a dynamic broadcast's sweep.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/partial/dynamic_broadcast.hpp"

namespace gossamer {

/// One line a load: `load,rate,stable,mean_delay,delay_ci95,delay_bound,broadcasts,intervals`;
/// unknown figures are empty.
[[nodiscard]] std::string delay_csv(std::span<const DynamicPoint> points);

/// A curve of the plot.
struct DelayCurve {
  /// Stands in the legend.
  std::string name;
  std::vector<DynamicPoint> points;
  /// The largest stable load, drawn as a vertical line.
  double load_limit = 1;
};

/// A self-contained SVG (no scripts, no fonts fetched): load from 0 to 1 against delay in units on
/// a logarithmic scale; means with their confidence intervals, the bound of Eq. (11) dashed,
/// stability limits dotted. Unstable loads are left out. Same input, same bytes.
[[nodiscard]] std::string delay_svg(std::string_view title, std::span<const DelayCurve> curves);

}  // namespace gossamer
