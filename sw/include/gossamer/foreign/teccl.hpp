// SPDX-License-Identifier: Apache-2.0
/// Schedules in the output format of TE-CCL, a solver: JSON with a list of flows.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gossamer::foreign {

/// One hop of a chunk: "U->V in epoch E", optionally with a volume and through switches.
struct TecclHop {
  std::uint32_t line = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t epoch = 0;
  /// Part of the chunk that takes this hop; empty: all of it.
  std::optional<double> volume;
  std::vector<std::uint32_t> switches;
};

/// "Chunk C from S traveled over HOP".
struct TecclFlow {
  std::uint32_t chunk = 0;
  std::uint32_t source = 0;
  TecclHop hop;
};

/// "Demand at D for chunk C from S met by epoch E", with the paths that meet it.
struct TecclDemand {
  std::uint32_t line = 0;
  std::uint32_t node = 0;
  std::uint32_t chunk = 0;
  std::uint32_t source = 0;
  std::uint32_t epoch = 0;
  std::vector<std::vector<TecclHop>> paths;
};

struct TecclSchedule {
  std::uint32_t epochs = 0;
  /// Line of "epochs required".
  std::uint32_t epochs_line = 0;
  std::vector<TecclFlow> flows;
  std::vector<TecclDemand> demands;
  /// Keys that are not part of the format.
  std::set<std::string> unused;

  /// Flows carry parts of chunks.
  [[nodiscard]] bool is_fractional() const {
    return !flows.empty() && flows.front().hop.volume.has_value();
  }
};

/// Reads a schedule. `file` is used in messages. Throws InputError, one line `FILE:LINE: cause`,
/// for malformed text (docs/spec/foreign-schedules.md, section 3). There is no recursion.
[[nodiscard]] TecclSchedule read_teccl(std::string_view text, const std::string& file);

}  // namespace gossamer::foreign
