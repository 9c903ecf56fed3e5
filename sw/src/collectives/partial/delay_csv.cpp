// SPDX-License-Identifier: Apache-2.0
#include "gossamer/collectives/partial/delay_csv.hpp"

#include <fmt/format.h>

namespace gossamer {

std::string delay_csv(std::span<const DynamicPoint> points) {
  const auto cell = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : std::string();
  };
  std::string csv = "load,rate,stable,mean_delay,delay_ci95,delay_bound,broadcasts,intervals\n";
  for (const DynamicPoint& point : points) {
    csv +=
        fmt::format("{:.6g},{:.6g},{},{},{},{},{},{}\n", point.load, point.rate,
                    point.stable ? "true" : "false", cell(point.mean_delay), cell(point.delay_ci95),
                    cell(point.delay_bound), point.broadcasts, point.intervals);
  }
  return csv;
}

}  // namespace gossamer
