// SPDX-License-Identifier: Apache-2.0
/// Energies per event in reports and comparisons. Files that include this need nlohmann-json.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gossamer/report/physical.hpp"

namespace gossamer {

/// "link_femtojoules_per_bit" and similar keys, and their source. The key of links between chiplets
/// is present only where their energy is given.
inline nlohmann::ordered_json energy_json(const EnergyModel& energy) {
  nlohmann::ordered_json json{{"link_femtojoules_per_bit", energy.link},
                              {"router_femtojoules_per_bit", energy.router},
                              {"buffer_femtojoules_per_bit", energy.buffer}};
  if (energy.die) json["die_femtojoules_per_bit"] = *energy.die;
  json["source"] = energy.source;
  return json;
}

/// Reductions: adds the energy of an addition, in femtojoules per bit, and its source.
inline void add_addition(nlohmann::ordered_json& json, const EnergyModel& energy,
                         std::uint32_t femtojoules) {
  json["add_femtojoules_per_bit"] = femtojoules;
  json["add_source"] = energy.add ? "as given" : kAdditionSource;
}

/// "link 110, router 29, buffer 29, addition 3"; `addition` is empty without additions.
inline std::string energies_text(const EnergyModel& energy, std::optional<std::uint32_t> addition) {
  std::string text =
      fmt::format("link {}, router {}, buffer {}", energy.link, energy.router, energy.buffer);
  if (energy.die) text += fmt::format(", link between dies {}", *energy.die);
  if (addition) text += fmt::format(", addition {}", addition.value_or(0));
  return text;
}

/// The sources of the numbers in energies_text().
inline std::string energies_source(const EnergyModel& energy, bool adds) {
  std::string text = energy.source;
  if (adds && !energy.add) text += fmt::format("; addition: {}", kAdditionSource);
  return text;
}

}  // namespace gossamer
