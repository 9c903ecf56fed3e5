// SPDX-License-Identifier: Apache-2.0
/// The collectives by name, and what the demand of each looks like.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gossamer/plan/demand.hpp"

namespace gossamer {

struct Collective {
  /// As plans and reports name it.
  std::string_view name;
  /// What the field calls it, where that is another name; the command line takes both.
  std::string_view field_name;
  /// What it brings about.
  std::string_view summary;
  Origin from;
  Destination to;
  bool combines = false;
};

/// All collectives that plans can be made for.
[[nodiscard]] std::span<const Collective> collectives();

/// The name in documents of what the command line calls `name`; `name` itself when it is none.
[[nodiscard]] std::string_view collective_name(std::string_view name);

/// Throws InputError, beginning with `place`, when there is no collective of that name or the
/// demand is not one of its kind.
void check_collective(std::string_view name, const Demand& demand, const std::string& place);

}  // namespace gossamer
