// SPDX-License-Identifier: Apache-2.0
/// Delay against load: CSV of a dynamic broadcast's loads.
#pragma once

#include <span>
#include <string>

#include "gossamer/collectives/partial/dynamic_broadcast.hpp"

namespace gossamer {

/// One line per load: `load,rate,stable,mean_delay,delay_ci95,delay_bound,broadcasts,intervals`;
/// unknown figures are empty.
[[nodiscard]] std::string delay_csv(std::span<const DynamicPoint> points);

}  // namespace gossamer
