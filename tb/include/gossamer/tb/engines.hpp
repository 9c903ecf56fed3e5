// SPDX-License-Identifier: Apache-2.0
/// The engines by name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/engines.hpp"
#include "gossamer/sim/run.hpp"

namespace gossamer::tb {

struct EngineInfo {
  std::string_view name;
  /// What it simulates and when to choose it.
  std::string_view summary;
};

[[nodiscard]] std::span<const EngineInfo> engines();

struct EngineOptions {
  /// Wave file, empty for none; only engines that have signals can write one.
  std::string wave;
  /// SystemC: routers and links with signals for pins, 10 times slower.
  bool pin_level = false;
  /// How elastic streams stall; empty: nobody does.
  std::optional<StallScript> stalls;
  /// Elastic streams on systemc and rtl: as SystemcOptions::periods. Cycles are then not the
  /// formula's.
  std::vector<std::uint32_t> periods;
};

/// Throws InputError for an unknown engine, or an option or a plan that it does not take.
[[nodiscard]] std::unique_ptr<Engine> make_engine(std::string_view name, const Plan& plan,
                                                  const EngineOptions& options = {});

/// How an experiment runs. On the fast engine the intervals' lengths come from their formulas,
/// unless `execute`; the other engines execute every interval.
struct DynamicEngineOptions {
  bool execute = false;
  /// Used by the fast engine; the others simulate one interval after the other.
  unsigned threads = 1;
  Progress progress;
};

/// Runs a plan of any discipline, or an experiment, on the engine of that name, and reports. The
/// run knows of the engine's stalls.
[[nodiscard]] Report run_on_engine(std::string_view name, const Plan& plan,
                                   const EngineOptions& engine_options, RunOptions options);
[[nodiscard]] Report run_on_engine(std::string_view name, const Experiment& experiment,
                                   const EngineOptions& engine_options,
                                   const DynamicEngineOptions& options);

}  // namespace gossamer::tb
