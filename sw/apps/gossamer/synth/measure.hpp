// SPDX-License-Identifier: Apache-2.0
/// Measures a plan's hardware with yosys and nextpnr-ice40, for the commands synth and recommend.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gossamer/plan/plan.hpp"

namespace gossamer::cli {

struct MeasureOptions {
  /// Begins the script's messages after "gossamer: ".
  std::string command = "synth";
  /// Data bits per flit; 0: the plan's.
  std::uint32_t width = 0;
  /// Seed of the placer (iCE40).
  std::uint32_t seed = 1;
  /// Liberty files; empty: generic cells.
  std::vector<std::string> libraries{};
  /// "tile", "network", or empty: the router and the interface separately where they exist.
  std::string top{};
  /// Period in ps for which area is minimized; 0: the path is minimized.
  double target_ps = 0;
  /// Seconds for all tools together; 0: no limit.
  std::uint32_t timeout = 0;
};

/// Throws InputError, naming the option `what`, when yosys is not in PATH.
void require_yosys(const std::string& what);

/// Emits the plan, measures it, and stores the script's document in `result`. Returns the exit
/// status; if it is not 0, one line on standard error has said why. Throws like emit_files.
[[nodiscard]] int measure(const Plan& plan, const MeasureOptions& options,
                          nlohmann::ordered_json& result);

}  // namespace gossamer::cli
