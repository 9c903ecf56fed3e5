// SPDX-License-Identifier: Apache-2.0
/// The engines by name, and how one is asked for. What exists depends on what is linked: `fast` is
/// always there, the SystemC and RTL libraries register theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gossamer/sim/arithmetic.hpp"
#include "gossamer/sim/engine.hpp"
#include "gossamer/sim/stall_script.hpp"

namespace gossamer {

struct EngineOptions {
  /// SystemC: links are signals and routers have pins and a process each, to be chosen when these
  /// are of interest; about ten times slower.
  bool pin_level = false;
  /// File for VCD waves of all links, its name ending in ".vcd"; empty: none. Waves cost most of
  /// the speed and about 20 bytes a packet and link.
  std::string wave{};
  /// How nodes and links stall, where routers wait for each other; empty: nobody does.
  std::optional<StallScript> stalls{};
  /// Routers that wait for each other, on systemc and rtl: by node the period of its tile's clock,
  /// >= 1, in cycles of the engine; all tiles start together. Links are then crossings, whatever
  /// their latency, tiles have pins, there are no waves and no upsets, and the cycles are not the
  /// formula's. A stall script counts each tile's own cycles. Empty: one clock.
  std::vector<std::uint32_t> periods{};
  /// What nodes contribute to reductions, and how it is combined; not of `rtl`, which does what its
  /// adder does.
  Arithmetic arithmetic{};
  /// Where nodes have ranks on rings: they are not told them but find them in a round before the
  /// run, whose cycles are not counted.
  bool find_ranks = false;
};

struct EngineInfo {
  /// "fast", "systemc", ...
  std::string_view name;
  /// What it simulates and when to choose it.
  std::string_view summary;
  bool writes_waves = false;
  bool has_pins = false;
  /// Tiles can have clocks of their own.
  bool has_clocks = false;
};

/// All engines of this program, in the order of their names.
[[nodiscard]] std::span<const EngineInfo> engines();
/// Names of the engines that run a machine's plans; all but `fast` have cycles and signals in
/// common that `cosim` compares.
[[nodiscard]] std::vector<std::string_view> engines_of(const Machine& machine);
/// Whether some engine runs the machine's routers pin by pin (EngineOptions::pin_level).
[[nodiscard]] bool has_pin_level(const Machine& machine);

/// Throws InputError for an unknown engine, and for an option that it does not take.
void check_engine(std::string_view name, const EngineOptions& options);
/// An engine for a plan; the plan must outlive it. Throws InputError for an unknown engine, and for
/// an option or a plan that it does not take.
[[nodiscard]] std::unique_ptr<Engine> make_engine(std::string_view name, const Plan& plan,
                                                  const EngineOptions& options = {});
/// The engine `fast`.
[[nodiscard]] std::unique_ptr<Engine> make_fast_engine(const Plan& plan,
                                                       const EngineOptions& options = {});

/// Adds an engine to engines(); a static object.
class EngineRegistration {
 public:
  explicit EngineRegistration(const EngineInfo& info);
};
/// How an engine runs the plans of one machine.
struct EngineMaker {
  std::string_view engine;
  std::string_view machine;
  std::unique_ptr<Engine> (*make)(const Plan& plan, const EngineOptions& options) = nullptr;
  bool pin_level = false;
};
/// Adds one; a static object.
class EngineMakerRegistration {
 public:
  explicit EngineMakerRegistration(const EngineMaker& maker);
};

}  // namespace gossamer
