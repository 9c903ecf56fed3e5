// SPDX-License-Identifier: Apache-2.0
/// The options --stall of simulate and cosim, and --tile-clocks of simulate.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/plan/plan.hpp"
#include "gossamer/plan/run_facts.hpp"
#include "gossamer/sim/stall_script.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/random.hpp"

namespace gossamer::cli {

inline constexpr const char* kStallForm = "random:SEED:S,M,V[:SKEW]|FILE";

/// The script `text` for the plan of the file `name`. Throws InputError, also for a plan whose
/// routers cannot wait.
inline StallScript read_stalls(const std::string& name, const Plan& plan, const std::string& text) {
  if (!run_facts(plan).stalls) {
    throw InputError(
        fmt::format("{}: --stall: its routers do not support stalls; plan with --elastic", name));
  }
  return StallScript::parse(text, plan.topology);
}

inline constexpr const char* kTileClocksForm = "random:SEED:MIN,MAX";

/// The periods of the tiles' clocks that `text` means, by node. Throws InputError as read_stalls.
inline std::vector<std::uint32_t> read_tile_clocks(const std::string& name, const Plan& plan,
                                                   const std::string& text) {
  if (!run_facts(plan).stalls) {
    throw InputError(
        fmt::format("{}: --tile-clocks: its routers have one clock; plan with --elastic", name));
  }
  constexpr std::uint32_t kMost = 1000;
  constexpr std::string_view kRandom = "random:";
  std::uint32_t seed = 0;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  char colon = 0;
  char comma = 0;
  std::istringstream rest(text.starts_with(kRandom) ? text.substr(kRandom.size()) : "");
  rest >> seed >> colon >> least >> comma >> most;
  if (rest.fail() || rest.peek() != std::istringstream::traits_type::eof() || colon != ':' ||
      comma != ',' || least == 0 || least > most || most > kMost) {
    throw InputError(fmt::format("--tile-clocks: \"{}\": {} is expected, periods of 1 to {} cycles",
                                 text, kTileClocksForm, kMost));
  }
  SplitMix64 dice(seed);
  std::vector<std::uint32_t> periods(plan.topology.nodes());
  for (std::uint32_t& period : periods) {
    period = least + static_cast<std::uint32_t>(dice.below(most - least + 1));
  }
  return periods;
}

}  // namespace gossamer::cli
