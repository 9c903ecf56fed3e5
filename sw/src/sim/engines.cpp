// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "gossamer/plan/collective.hpp"
#include "gossamer/plan/machine.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer {

namespace {

constexpr std::string_view kFast = "fast";

// Functions' objects, for registrations are static objects of other files.

/// In the order of their names.
std::vector<EngineInfo>& infos() {
  static std::vector<EngineInfo> all{
      {kFast, "plain C++ on flat arrays, for large networks and sweeps"}};
  return all;
}

std::vector<EngineMaker>& makers() {
  static std::vector<EngineMaker> all;
  return all;
}

const EngineInfo& info_of(std::string_view name) {
  const auto found = std::find_if(infos().begin(), infos().end(),
                                  [name](const EngineInfo& engine) { return engine.name == name; });
  if (found != infos().end()) return *found;
  std::vector<std::string_view> known;
  for (const EngineInfo& engine : infos()) known.push_back(engine.name);
  throw InputError(fmt::format("--engine: \"{}\" is unknown{}; there is {}", name,
                               did_you_mean(name, known), joined(known, ", ")));
}

const EngineMaker* find_maker(std::string_view engine, const Machine& machine) {
  const auto found = std::find_if(makers().begin(), makers().end(), [&](const EngineMaker& maker) {
    return maker.engine == engine && maker.machine == machine.name();
  });
  return found == makers().end() ? nullptr : &*found;
}

/// Names of the engines that can do something, for messages.
std::string with(bool EngineInfo::*what) {
  std::vector<std::string_view> names;
  for (const EngineInfo& engine : infos()) {
    if (engine.*what) names.push_back(engine.name);
  }
  return joined(names, " or ");
}

}  // namespace

std::span<const EngineInfo> engines() { return infos(); }

std::vector<std::string_view> engines_of(const Machine& machine) {
  std::vector<std::string_view> names;
  for (const EngineInfo& engine : infos()) {
    if (engine.name == kFast || find_maker(engine.name, machine) != nullptr) {
      names.push_back(engine.name);
    }
  }
  return names;
}

bool has_pin_level(const Machine& machine) {
  return std::any_of(makers().begin(), makers().end(), [&](const EngineMaker& maker) {
    return maker.machine == machine.name() && maker.pin_level;
  });
}

void check_engine(std::string_view name, const EngineOptions& options) {
  const EngineInfo& info = info_of(name);
  if (!options.wave.empty() && !info.writes_waves) {
    throw InputError(fmt::format("--wave: the {} engine writes no waves; use --engine {}", name,
                                 with(&EngineInfo::writes_waves)));
  }
  if (options.pin_level && !info.has_pins) {
    throw InputError(fmt::format("--pin-level: the {} engine has no pins; use --engine {}", name,
                                 with(&EngineInfo::has_pins)));
  }
  if (!options.periods.empty() && !info.has_clocks) {
    throw InputError(fmt::format("--tile-clocks: the {} engine has no clock; use --engine {}", name,
                                 with(&EngineInfo::has_clocks)));
  }
}

std::unique_ptr<Engine> make_engine(std::string_view name, const Plan& plan,
                                    const EngineOptions& options) {
  check_engine(name, options);
  const Machine& machine = plan.machine();
  if (name == kFast) return machine.fast(plan, options);
  const EngineMaker* maker = find_maker(name, machine);
  if (maker == nullptr) {
    throw InputError(fmt::format("the {} engine does not run {} {} plans ({}); use {}", name,
                                 plan.algorithm, field_name(plan.collective), machine.name(),
                                 joined(engines_of(machine), " or ")));
  }
  if (options.pin_level && !maker->pin_level) {
    throw InputError(fmt::format("--pin-level: {} plans have no pin-level modules; leave it out",
                                 machine.name()));
  }
  return maker->make(plan, options);
}

std::unique_ptr<Engine> make_fast_engine(const Plan& plan, const EngineOptions& options) {
  return plan.machine().fast(plan, options);
}

EngineRegistration::EngineRegistration(const EngineInfo& info) {
  auto& all = infos();
  all.insert(std::find_if(all.begin(), all.end(),
                          [&](const EngineInfo& known) { return known.name > info.name; }),
             info);
}

EngineMakerRegistration::EngineMakerRegistration(const EngineMaker& maker) {
  makers().push_back(maker);
}

}  // namespace gossamer
