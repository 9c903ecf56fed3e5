// SPDX-License-Identifier: Apache-2.0
/// The collectives by name, and the shape of each one's demand.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gossamer/plan/demand.hpp"

namespace gossamer {

struct Collective {
  /// The name in plans and reports.
  std::string_view name;
  /// The usual name in the literature if it differs; the command line accepts both.
  std::string_view field_name;
  /// The result of the collective.
  std::string_view summary;
  Origin from;
  Destination to;
  bool combines = false;
};

/// All collectives that the planners support.
[[nodiscard]] std::span<const Collective> collectives();

/// The document name of the command-line name `name`; `name` itself if it is not an alias.
[[nodiscard]] std::string_view collective_name(std::string_view name);

/// The usual name of the collective with the document name `name`.
[[nodiscard]] std::string_view field_name(std::string_view name);

/// Throws InputError, beginning with `place`, for an unknown collective and for a demand of another
/// kind.
void check_collective(std::string_view name, const Demand& demand, const std::string& place);

}  // namespace gossamer
