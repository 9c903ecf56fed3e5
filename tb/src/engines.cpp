// SPDX-License-Identifier: Apache-2.0
#include "gossamer/sim/engines.hpp"
#include "gossamer/machines/queued/program.hpp"
#include "gossamer/machines/relay/program.hpp"
#include "gossamer/machines/stream/program.hpp"
#include "gossamer/partial/experiment_run.hpp"
#include "gossamer/tb/engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gossamer/plan/discipline.hpp"
#include "gossamer/systemc/combining_router.hpp"
#include "gossamer/systemc/elastic_tile.hpp"
#include "gossamer/systemc/engine.hpp"
#include "gossamer/systemc/queued_engine.hpp"
#include "gossamer/systemc/relay_engine.hpp"
#include "gossamer/systemc/timetable_router.hpp"
#include "gossamer/systemc/tlm_elastic.hpp"
#include "gossamer/tb/rtl_combining_engine.hpp"
#include "gossamer/tb/rtl_elastic_engine.hpp"
#include "gossamer/tb/rtl_engine.hpp"
#include "gossamer/tb/rtl_queued_engine.hpp"
#include "gossamer/tb/rtl_relay_engine.hpp"
#include "gossamer/tb/rtl_timetable_engine.hpp"
#include "gossamer/util/error.hpp"
#include "gossamer/util/suggest.hpp"
#include "gossamer/util/text.hpp"

namespace gossamer::tb {

namespace {

constexpr auto kEngines = std::to_array<EngineInfo>({
    {"fast", "plain C++ over flat arrays; for large networks and sweeps"},
    {"systemc", "SystemC routers and links, clock cycle by clock cycle; writes waves"},
    {"rtl", "the SystemVerilog router, Verilated, one a node of the SystemC network; writes waves"},
    {"tlm", "TLM-2.0 transactions between nodes without a clock, to the cycle; elastic plans"},
});

void refuse_options(std::string_view name, const EngineOptions& options) {
  if (!options.wave.empty()) {
    throw InputError(
        fmt::format("--wave: the {} engine writes no waves; use --engine systemc", name));
  }
  if (options.pin_level) {
    throw InputError(
        fmt::format("--pin-level: the {} engine has no pins; use --engine systemc", name));
  }
  if (!options.periods.empty()) {
    throw InputError(fmt::format(
        "--tile-clocks: the {} engine has no clock; use --engine systemc or rtl", name));
  }
}

[[noreturn]] void unknown_engine(std::string_view name) {
  std::vector<std::string_view> known;
  for (const EngineInfo& engine : kEngines) known.push_back(engine.name);
  throw InputError(fmt::format("--engine: \"{}\" is unknown{}; there is {}", name,
                               did_you_mean(name, known), joined(known, ", ")));
}

bool is_known(std::string_view name) {
  return std::any_of(kEngines.begin(), kEngines.end(),
                     [name](const EngineInfo& engine) { return engine.name == name; });
}

void check_hardware(std::string_view name, const Plan& plan, const EngineOptions& options) {
  if (!is_known(name)) unknown_engine(name);
  require_engine(plan, name);
  if (!options.pin_level) return;
  if (name != "systemc") throw InputError("--pin-level: use --engine systemc");
  if (const Discipline& row = discipline_of(plan); !row.pin_level) {
    throw InputError(
        fmt::format("--pin-level: {} plans have no pin-level modules; leave it out", row.name));
  }
}

}  // namespace

std::span<const EngineInfo> engines() { return kEngines; }

std::unique_ptr<Engine> make_engine(std::string_view name, const Plan& plan,
                                    const EngineOptions& options) {
  if (name == "fast") {
    refuse_options(name, options);
    return make_fast_engine(plan, options.stalls.value_or(StallScript()));
  }
  check_hardware(name, plan, options);
  if (name == "tlm") {
    refuse_options(name, options);
    return systemc::make_tlm_elastic_engine(plan, options.stalls.value_or(StallScript()));
  }
  if (elastic_of(plan) != nullptr) {
    if (name == "rtl")
      return make_rtl_elastic_engine(plan, options.stalls.value_or(StallScript()), options.wave,
                                     options.periods);
    return systemc::make_systemc_elastic_engine(
        plan, options.stalls.value_or(StallScript()),
        {.pin_level = options.pin_level, .wave_file = options.wave, .periods = options.periods});
  }
  if (const auto* streams = std::get_if<StreamProgram>(&plan.program);
      streams != nullptr && streams->combine) {
    if (name == "rtl") return make_rtl_combining_engine(plan, options.wave);
    return systemc::make_systemc_combining_engine(
        plan, {.pin_level = options.pin_level, .wave_file = options.wave});
  }
  if (std::holds_alternative<TimetableProgram>(plan.program)) {
    if (name == "rtl") return make_rtl_timetable_engine(plan, options.wave);
    return systemc::make_systemc_timetable_engine(
        plan, {.pin_level = options.pin_level, .wave_file = options.wave});
  }
  const bool relay = std::holds_alternative<RelayProgram>(plan.program);
  const bool queued = std::holds_alternative<QueuedProgram>(plan.program);
  if (name == "rtl") {
    return relay    ? make_rtl_relay_engine(plan, options.wave)
           : queued ? make_rtl_queued_engine(plan, options.wave)
                    : make_rtl_engine(plan, options.wave);
  }
  if (relay) return systemc::make_systemc_relay_engine(plan, options.wave);
  const systemc::SystemcOptions modules = {.pin_level = options.pin_level,
                                           .wave_file = options.wave};
  if (queued) return systemc::make_systemc_queued_engine(plan, modules);
  return systemc::make_systemc_engine(plan, modules);
}

Report run_on_engine(std::string_view name, const Experiment& experiment,
                     const EngineOptions& engine_options, const DynamicEngineOptions& options) {
  if (!is_known(name)) unknown_engine(name);
  if (!engine_options.wave.empty()) {
    throw InputError("--wave: a dynamic-broadcast run is thousands of broadcasts; none is waved");
  }
  if (name == "fast") refuse_options(name, engine_options);
  DynamicRunOptions run;
  run.progress = options.progress;
  run.threads = name == "fast" ? options.threads : 1;
  if (options.execute || name != "fast") {
    run.execute = intervals_on(
        [&](const Plan& interval) { return make_engine(name, interval, engine_options); });
  }
  return run_experiment(experiment, std::string(name), run);
}

Report run_on_engine(std::string_view name, const Plan& plan, const EngineOptions& engine_options,
                     RunOptions options) {
  const StallScript nobody;
  if (!engine_options.periods.empty()) options.stalls = &nobody;
  if (engine_options.stalls) options.stalls = &*engine_options.stalls;
  return run_plan(plan, *make_engine(name, plan, engine_options), options);
}

}  // namespace gossamer::tb
